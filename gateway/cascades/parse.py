"""YAML text to a checked Cascade; every problem of the document is reported at once, with its path."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from gateway.cascades import definition as d
from gateway.cascades.document import Plain, read_yaml
from gateway.cascades.expressions import WHOLE, Expression, ExpressionError, compile_expression
from gateway.cascades.flow import check_flow
from gateway.cascades.reader import NAME, Problems, Reader
from gateway.cascades.schema_fields import read_fields, read_questions
from gateway.cascades.templates import Template, compile_template

MAX_STEPS = 64
INPUT_TYPES = frozenset({"string", "number", "boolean", "list", "object", "any"})
RESERVED = frozenset({d.END, d.REVIEW, d.LLM})
N = TypeVar("N", int, float)
_DEADLINES = {d.Kind.GENERATE: 120.0, d.Kind.PARALLEL: 120.0}


def parse_cascade(text: str, *, at: str = "yaml") -> d.Cascade:
    """Reads and checks one cascade. Raises InvalidField with all violations."""
    problems = Problems()
    reader = Reader(read_yaml(text, at=at), at, problems)
    name = reader.text("cascade", required=True)
    if name and not NAME.match(name.replace("-", "_")):
        problems.add(reader.at("cascade"), "is a letter or _, then letters, digits, _ or -, at most 64 characters")
    version = reader.whole("version", low=1, high=1_000_000) or 1
    description = reader.text("description")
    inputs = tuple(_input(key, value, path, problems) for key, value, path in reader.items("input"))
    steps = _steps(reader, "steps", nested=False)
    output = {key: _compiled(value, path, problems) for key, value, path in reader.items("output")}
    budget = _budget(reader)
    reader.finish()
    problems.raise_any()
    checked = {key: expression for key, expression in output.items() if expression is not None}
    follows = check_flow(steps, inputs=inputs, output=checked, at=at, problems=problems)
    problems.raise_any()
    return d.Cascade(name, version, description, inputs, steps, checked, budget, follows)


def _input(name: str, value: Plain, path: str, problems: Problems) -> d.InputField:
    if not NAME.match(name):
        problems.add(path, "an input name is a letter or _, then letters, digits or _")
    reader = Reader(value, path, problems)
    field = d.InputField(
        name,
        reader.one_of("type", INPUT_TYPES, default="any"),
        reader.flag("required", default=True),
        reader.whole("max_length", low=1, high=4_000_000) or 200_000,
    )
    reader.finish()
    return field


def _budget(reader: Reader) -> d.Budget:
    if "budget" not in reader:
        reader.raw("budget")
        return d.Budget(600.0, 0)
    inner = Reader(reader.raw("budget"), reader.at("budget"), reader.problems)
    budget = d.Budget(inner.seconds("time", default=600.0), inner.whole("tokens", low=1, high=10_000_000) or 0)
    inner.finish()
    return budget


def _steps(reader: Reader, key: str, *, nested: bool) -> tuple[d.Step, ...]:
    steps = []
    for name, value, path in reader.items(key):
        if not NAME.match(name) or name in RESERVED:
            allowed = "a letter or _, then letters, digits or _; not end, review or llm"
            reader.problems.add(path, f"is not a step name: {allowed}")
        step = _step(name, Reader(value, path, reader.problems), nested=nested)
        if step is not None:
            steps.append(step)
    if not steps:
        reader.problems.add(reader.at(key), "needs at least one step")
    if len(steps) > MAX_STEPS:
        reader.problems.add(reader.at(key), f"has {len(steps)} steps, at most {MAX_STEPS} are taken")
    return tuple(steps)


def _step(name: str, reader: Reader, *, nested: bool) -> d.Step | None:
    if reader.raw("kind") == "estimate":
        reader.problems.add(reader.at("kind"), "estimate steps are not available yet")
        return None
    kind_name = reader.one_of("kind", [kind.value for kind in d.Kind])
    if not kind_name:
        return None
    kind = d.Kind(kind_name)
    if nested and kind is d.Kind.PARALLEL:
        reader.problems.add(reader.at("kind"), "a parallel group cannot stand in another one")
        return None
    body = _BODIES[kind](reader)
    step = d.Step(
        name=name,
        kind=kind,
        body=body,
        when=_expression(reader, "when"),
        gate=_gate(reader, kind, nested=nested),
        next="" if nested else reader.text("next"),
        on_error=d.OnError(reader.one_of("on_error", [value.value for value in d.OnError], default="fail")),
        deadline_s=reader.seconds("deadline", default=_DEADLINES.get(kind, 30.0)),
        retries=_or(reader.whole("retries", low=0, high=10), 2),
    )
    reader.finish()
    return step


def _gate(reader: Reader, kind: d.Kind, *, nested: bool) -> d.Gate | None:
    if "gate" not in reader:
        reader.raw("gate")
        return None
    inner = Reader(reader.raw("gate"), reader.at("gate"), reader.problems)
    if kind is d.Kind.PARALLEL:
        inner.problems.add(inner.path, "a parallel group has no gate; give one to a branch or to the next step")
    minimum = inner.number("min_confidence", low=0, high=1)
    if minimum is not None and kind not in (d.Kind.EXTRACT, d.Kind.DECIDE):
        inner.problems.add(inner.at("min_confidence"), f"a {kind} step has no confidence; use require")
    otherwise = inner.text("else", required=True)
    if nested and otherwise not in (d.LLM, d.REVIEW):
        inner.problems.add(inner.at("else"), "inside a parallel group only llm or review")
    if otherwise == d.LLM and kind not in (d.Kind.EXTRACT, d.Kind.DECIDE):
        inner.problems.add(inner.at("else"), f"the language model cannot answer a {kind} step")
    require = _expression(inner, "require")
    if minimum is None and require is None:
        inner.problems.add(inner.path, "needs min_confidence or require")
    gate = d.Gate(minimum or 0.0, inner.names("of"), require, otherwise)
    inner.finish()
    return gate


def _extract(reader: Reader) -> d.Extract:
    return d.Extract(
        _needed(reader, "state"),
        read_fields(reader, "fields"),
        _expression(reader, "reference_date"),
        reader.text("locale"),
        reader.text("model"),
    )


def _decide(reader: Reader) -> d.Decide:
    return d.Decide(_needed(reader, "state"), read_questions(reader, "questions"), reader.text("model"))


def _forecast(reader: Reader) -> d.Forecast:
    quantiles = reader.raw("quantiles")
    levels: tuple[float, ...] = ()
    if isinstance(quantiles, list) and all(isinstance(q, float) and 0 < q < 1 for q in quantiles):
        levels = tuple(float(str(level)) for level in quantiles)
    elif quantiles is not None:
        reader.problems.add(reader.at("quantiles"), "must be a list of numbers between 0 and 1")
    horizon = reader.whole("horizon", low=1, high=1_024)
    if horizon is None:
        reader.problems.add(reader.at("horizon"), "is missing")
    series = _needed(reader, "series")
    return d.Forecast(series, horizon or 1, levels, reader.flag("non_negative"), reader.text("model"))


def _generate(reader: Reader) -> d.Generate:
    messages = tuple(_message(item, path, reader.problems) for item, path in _list(reader, "messages"))
    if not messages:
        reader.problems.add(reader.at("messages"), "needs at least one message")
    return d.Generate(
        messages=messages,
        max_tokens=reader.whole("max_tokens", low=1, high=4_096) or 256,
        temperature=reader.number("temperature", low=0, high=2) or 0.0,
        seed=reader.whole("seed", low=0, high=2**53) or 0,
        stop=reader.names("stop"),
        model=reader.text("model"),
        check=_check(reader),
    )


def _message(value: Plain, path: str, problems: Problems) -> d.Message:
    reader = Reader(value, path, problems)
    role = reader.one_of("role", ["system", "user", "assistant"])
    message = d.Message(role, _template(reader, "content"))
    reader.finish()
    return message


def _check(reader: Reader) -> d.Check | None:
    if "check" not in reader:
        reader.raw("check")
        return None
    inner = Reader(reader.raw("check"), reader.at("check"), reader.problems)
    contains = (_compiled(item, path, inner.problems) for item, path in _list(inner, "contains"))
    check = d.Check(
        _needed(inner, "numbers_from"),
        tuple(expression for expression in contains if expression is not None),
        inner.whole("attempts", low=1, high=10) or 3,
        _or(inner.number("temperature", low=0, high=2), 0.7),
        _template(inner, "fallback"),
    )
    inner.finish()
    return check


def _rule(reader: Reader) -> d.Rule:
    values: dict[str, Expression] = {}
    for name, value, path in reader.items("set"):
        if not NAME.match(name):
            reader.problems.add(path, "a name is a letter or _, then letters, digits or _")
        expression = _compiled(value, path, reader.problems)
        if expression is None:
            continue
        for own in sorted(expression.own - values.keys() - {WHOLE}):
            reader.problems.add(path, f"reads this.{own}, which is not set above it")
        values[name] = expression
    if "set" not in reader:
        reader.problems.add(reader.at("set"), "is missing")
    return d.Rule(values)


def _parallel(reader: Reader) -> d.Parallel:
    return d.Parallel(
        _steps(reader, "steps", nested=True),
        d.Join(reader.one_of("join", [value.value for value in d.Join], default="all")),
        reader.seconds("timeout", default=60.0),
        reader.flag("partial"),
    )


_BODIES: Mapping[d.Kind, Callable[[Reader], d.Body]] = {
    d.Kind.EXTRACT: _extract,
    d.Kind.DECIDE: _decide,
    d.Kind.FORECAST: _forecast,
    d.Kind.GENERATE: _generate,
    d.Kind.RULE: _rule,
    d.Kind.PARALLEL: _parallel,
}

_NOTHING = Expression("null", frozenset(), frozenset(), frozenset())


def _list(reader: Reader, key: str) -> list[tuple[Plain, str]]:
    value = reader.raw(key)
    if value is None:
        return []
    if not isinstance(value, list):
        reader.problems.add(reader.at(key), "must be a list")
        return []
    return [(item, f"{reader.at(key)}[{index}]") for index, item in enumerate(value)]


def _compiled(value: Plain, path: str, problems: Problems) -> Expression | None:
    """Scalars are expressions as they print: `set: {limit: 3}` needs no quotes."""
    if isinstance(value, dict | list) or value is None:
        problems.add(path, "must be an expression")
        return None
    try:
        return compile_expression(str(value).lower() if isinstance(value, bool) else str(value))
    except ExpressionError as error:
        problems.add(path, str(error))
        return None


def _expression(reader: Reader, key: str) -> Expression | None:
    value = reader.raw(key)
    return None if value is None else _compiled(value, reader.at(key), reader.problems)


def _needed(reader: Reader, key: str) -> Expression:
    if key not in reader:
        reader.problems.add(reader.at(key), "is missing")
    return _expression(reader, key) or _NOTHING


def _template(reader: Reader, key: str) -> Template:
    try:
        return compile_template(reader.text(key, required=True))
    except ExpressionError as error:
        reader.problems.add(reader.at(key), str(error))
        return Template("", ())


def _or(value: N | None, default: N) -> N:
    return default if value is None else value
