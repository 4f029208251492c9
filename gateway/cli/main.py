"""The `quartet` command. Heavy libraries load only inside the command that needs them."""

import typer

from gateway.cli import calls, cascade, models, run

app = typer.Typer(
    name="quartet",
    help="Typed answers from small models; the language model only writes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Styled help costs a third of a second of imports at every --help and usage error.
    rich_markup_mode=None,
)
app.command("up", rich_help_panel="Run")(run.up)
app.command("demo", rich_help_panel="Run")(run.demo)
app.command("decide", rich_help_panel="Ask")(calls.decide)
app.command("extract", rich_help_panel="Ask")(calls.extract)
app.command("forecast", rich_help_panel="Ask")(calls.forecast)
app.command("generate", rich_help_panel="Ask")(calls.generate)
app.add_typer(cascade.app, name="cascade", rich_help_panel="Ask")
app.add_typer(models.app, name="models", rich_help_panel="Look")


if __name__ == "__main__":
    app()
