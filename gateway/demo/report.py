"""The demo on a terminal of 100 columns."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gateway.demo.answers import Side, Verdict, judge
from gateway.demo.prices import Prices
from gateway.demo.story import Pair, ratios, typical

WIDTH = 100
_RIGHT = {True: ("right", "green"), False: ("wrong", "red"), None: ("", "dim")}
_NAMES = {
    "order_number": "order number",
    "price_paid": "price paid",
    "repair_quote": "repair quote",
    "order_date": "order date",
    "delivery_date": "delivery date",
    "action": "decision",
}


def console(*, quiet: bool) -> Console:
    """Where the demo is shown; with `quiet` (JSON on standard output) only progress, on standard error."""
    found = Console(stderr=quiet, highlight=False)
    return found if found.is_terminal and found.width <= WIDTH else Console(stderr=quiet, highlight=False, width=WIDTH)


@contextmanager
def progress(console: Console) -> Iterator[Callable[[str], None]]:
    """One changing line on a terminal, one line per step elsewhere."""
    if not console.is_terminal:
        yield lambda words: console.print(f"... {words}", style="dim")
        return
    with console.status("") as status:
        yield lambda words: status.update(f"[dim]{words}[/dim]")


def show(pairs: Sequence[Pair], prices: Prices, console: Console) -> None:
    """The whole story: the e-mail, the cascade step by step, the language model alone, and the comparison."""
    email, first, baseline = pairs[0].email, pairs[0].cascade, pairs[0].alone
    cascade, alone = typical([pair.cascade for pair in pairs]), typical([pair.alone for pair in pairs])
    console.print(Panel(Text(email.text), title=f"E-mail: {email.name}", title_align="left", box=box.ROUNDED))
    _show_cascade(first, console)
    _show_alone(baseline, console)
    console.print(_answers(judge(first, email.truth), judge(baseline, email.truth), known=email.truth is not None))
    console.print(_times(cascade, alone, prices))
    _show_ratios(pairs, cascade, alone, prices, console)


def _show_cascade(side: Side, console: Console) -> None:
    console.rule("[bold]Small models read and decide, the language model writes", align="left")
    table = _table("field", "value", "confidence", "evidence", right=("confidence",))
    for name, answer in side.extra["answers"].items():
        sure = (1 - answer["p_null"]) * answer["confidence"]
        quotes = ", ".join(" ".join(quote.split()) for quote in answer["quotes"])
        table.add_row(_NAMES.get(name, name), _value(answer["value"]), f"{sure:.2f}", quotes)
    console.print(table)
    policy = side.extra["policy"]
    if policy:
        console.print(
            f"policy     repair {policy['repair']} of price {policy['price']} is {policy['percent']} %, "
            f"the limit is 60 % ({policy['limit']}): [bold]{policy['action']}[/bold]",
        )
    for name, answer in side.extra["mood"].items():
        console.print(f"classifier {name}: {_decided(answer)}")
    for attempt in side.rejected:
        console.print(f"[yellow]rejected[/yellow]   {'; '.join(attempt['problems'])}")
        console.print(Text("           " + " ".join(attempt["text"].split()), style="dim"))
    if side.stopped:
        console.print(f"[yellow]stopped[/yellow]    {side.stopped}")
        return
    mark = " (TEMPLATE SENTENCE: no written reply kept to the facts)" if side.fallback else ""
    title = f"Reply of the cascade{mark}"
    console.print(Panel(Text(side.reply), title=title, title_align="left", box=box.ROUNDED))


def _show_alone(side: Side, console: Console) -> None:
    console.rule("[bold]The language model alone, in three prompts", align="left")
    console.print(Text("extract    " + " ".join(side.extra["extract"].split())))
    console.print(Text("decide     " + " ".join(side.extra["decide"].split())))
    title = "Reply of the language model alone"
    console.print(Panel(Text(side.reply or "(nothing)"), title=title, title_align="left", box=box.ROUNDED))


def _answers(cascade: Sequence[Verdict], alone: Sequence[Verdict], *, known: bool) -> Table:
    table = _table("answer", "truth", "cascade", "", "llm alone", "", title="Answers")
    for ours, theirs in zip(cascade, alone, strict=True):
        truth = ours.truth if known else "not known"
        table.add_row(_NAMES.get(ours.name, ours.name), truth, ours.answer, _mark(ours), theirs.answer, _mark(theirs))
    if known:
        table.add_section()
        table.add_row("right", "", "", _count(cascade), "", _count(alone))
    return table


def _times(cascade: Side, alone: Side, prices: Prices) -> Table:
    numbers = ("time", "tokens in", "tokens out", "cost / 1,000")
    table = _table("way", "step", "by", *numbers, "", right=numbers, title="Time and cost of each step")
    for way, side in (("cascade", cascade), ("llm alone", alone)):
        for step in side.steps:
            cost = f"${prices.of(step) * 1000:.4f}" if step.by != "arithmetic" else ""
            counts = (str(step.tokens_in or ""), str(step.tokens_out or ""))
            table.add_row(way, step.name, step.by, _time(step.seconds), *counts, cost, step.note)
        read, written = sum(s.tokens_in for s in side.steps), sum(s.tokens_out for s in side.steps)
        total = f"${prices.total(side) * 1000:.4f}"
        table.add_row(way, "all", "", _time(side.seconds), str(read), str(written), total, "", style="bold")
        table.add_section()
    return table


def _show_ratios(pairs: Sequence[Pair], cascade: Side, alone: Side, prices: Prices, console: Console) -> None:
    found = ratios(cascade, alone, [p.cascade for p in pairs], [p.alone for p in pairs], prices)
    if found["time"] is None:
        console.print("The cascade gave the e-mail to a person, so there is no reply to compare.")
    else:
        console.print(
            f"[bold]The llm alone takes {found['time']:.1f} x the time, {found['llm_tokens']:.1f} x the llm tokens, "
            f"{found['cost']:.1f} x the cost.[/bold]\n"
            f"To read and decide, before a word is written: {found['time_before_writing']:.0f} x the time."
        )
    console.print(
        f"Cost is for 1,000 e-mails: {prices}.\n"
        f"Same machine, same language model, one request at a time; all warm; runs: {len(pairs)}"
        f"{' (median times)' if len(pairs) > 1 else ''}.\n"
        "Baseline: every prompt has two worked examples, greedy, answered once and not checked. The language\n"
        "model is a very small one: a larger one alone would answer better and take longer.",
        style="dim",
    )


def _table(*columns: str, right: Sequence[str] = (), title: str | None = None) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def _mark(verdict: Verdict) -> Text:
    word, style = _RIGHT[verdict.right]
    return Text(word, style=style)


def _count(verdicts: Sequence[Verdict]) -> str:
    return f"{sum(bool(verdict.right) for verdict in verdicts)} / {len(verdicts)}"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for part in (value.get("amount"), value.get("currency")) if part)
    return "-" if value is None else str(value)


def _decided(answer: dict[str, Any]) -> str:
    if "probability" in answer:
        return f"{'yes' if answer['value'] else 'no'} (yes {answer['probability']:.2f})"
    value = answer["value"]
    shown = f"{value:.2f}" if isinstance(value, float) else value
    return f"{shown} (confidence {answer['confidence']:.2f})"
