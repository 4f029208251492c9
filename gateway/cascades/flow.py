"""Where control can go in a cascade: targets exist, nothing runs twice, everything can be reached."""

from collections.abc import Iterator, Mapping, Sequence

from gateway.cascades import definition as d
from gateway.cascades.expressions import WHOLE, Expression
from gateway.cascades.reader import Problems


def check_flow(
    steps: Sequence[d.Step],
    *,
    inputs: Sequence[d.InputField],
    output: Mapping[str, Expression],
    at: str,
    problems: Problems,
) -> dict[str, str]:
    """The follower of each top-level step; problems are added with their path below `at`."""
    names = [step.name for step in steps]
    known = set(names)
    _check_names(steps, at, problems)
    for step in steps:
        if step.next and step.next != d.END and step.next not in known:
            problems.add(f"{at}.steps.{step.name}.next", f"names {step.next!r}, which is not a step")
        target = _target(step)
        if target and target not in known:
            problems.add(f"{at}.steps.{step.name}.gate.else", f"names {target!r}, which is not a step, llm or review")
    follows = _follows(steps)
    edges = {step.name: [to for to in (follows[step.name], _target(step)) if to in known] for step in steps}
    order = _order(edges, names)
    if order is None:
        problems.add(f"{at}.steps", "control can come back to a step that already ran: " + _circle(edges, names))
        return follows
    before = _before(edges, names[0])
    for name in names:
        if name not in before:
            problems.add(f"{at}.steps.{name}", "can never be reached")
    _check_references(steps, before, inputs, at, problems)
    everything = {inner.name for step in steps for inner in _with_branches(step)}
    for key, expression in output.items():
        _check_one(expression, f"{at}.output.{key}", everything, inputs, problems)
    return follows


def _check_names(steps: Sequence[d.Step], at: str, problems: Problems) -> None:
    seen: set[str] = set()
    for step in steps:
        for inner in _with_branches(step):
            if inner.name in seen:
                problems.add(f"{at}.steps.{inner.name}", "the name stands twice")
            seen.add(inner.name)


def _target(step: d.Step) -> str:
    return step.gate.otherwise if step.gate and step.gate.otherwise not in (d.LLM, d.REVIEW) else ""


def _follows(steps: Sequence[d.Step]) -> dict[str, str]:
    """Escalation targets are off the line and come back to the step after the one that sent the run there."""
    targets = {_target(step): step.name for step in reversed(steps) if _target(step)}
    line = [step for step in steps if step.name not in targets]
    after = [*(step.name for step in line[1:]), d.END]
    follows = {step.name: step.next or name for step, name in zip(line, after, strict=True)}
    for step in steps:
        if step.name in targets:
            follows[step.name] = step.next or _after(step.name, targets, follows)
    return follows


def _after(name: str, targets: Mapping[str, str], follows: Mapping[str, str]) -> str:
    seen = {name}
    while name in targets:
        name = targets[name]
        if name in follows:
            return follows[name]
        if name in seen:
            break
        seen.add(name)
    return d.END


def _order(edges: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[str] | None:
    """Topological order, None when there is a circle."""
    incoming = {name: 0 for name in names}
    for targets in edges.values():
        for target in targets:
            incoming[target] += 1
    ready = [name for name in names if not incoming[name]]
    order = []
    while ready:
        name = ready.pop()
        order.append(name)
        for target in edges[name]:
            incoming[target] -= 1
            if not incoming[target]:
                ready.append(target)
    return order if len(order) == len(names) else None


def _circle(edges: Mapping[str, Sequence[str]], names: Sequence[str]) -> str:
    for start in names:
        path, found = [start], {start}
        stack = [iter(edges[start])]
        while stack:
            target = next(stack[-1], None)
            if target is None:
                stack.pop()
                path.pop()
            elif target == start:
                return " -> ".join([*path, start])
            elif target not in found:
                found.add(target)
                path.append(target)
                stack.append(iter(edges[target]))
    return "?"


def _before(edges: Mapping[str, Sequence[str]], first: str) -> dict[str, set[str]]:
    """For each step that can be reached, the steps that may have run before it."""
    before: dict[str, set[str]] = {first: set()}
    queue = [first]
    while queue:
        name = queue.pop(0)
        for target in edges[name]:
            known = before.get(target)
            grown = (known or set()) | before[name] | {name}
            if known is None or grown != known:
                before[target] = grown
                queue.append(target)
    return before


def _check_references(
    steps: Sequence[d.Step],
    before: Mapping[str, set[str]],
    inputs: Sequence[d.InputField],
    at: str,
    problems: Problems,
) -> None:
    inside = {step.name: {inner.name for inner in _with_branches(step)} for step in steps}
    for step in steps:
        visible = set().union(*(inside[name] for name in before.get(step.name, ())))
        for inner in _with_branches(step):
            path = f"{at}.steps.{step.name}" + ("" if inner is step else f".steps.{inner.name}")
            for where, expression in _expressions(inner):
                own = {inner.name} if where == "gate.require" else set()
                rule = where.startswith("set.")
                _check_one(expression, f"{path}.{where}", visible | own, inputs, problems, rule=rule)


def _check_one(
    expression: Expression,
    path: str,
    visible: set[str],
    inputs: Sequence[d.InputField],
    problems: Problems,
    *,
    rule: bool = False,
) -> None:
    for name in sorted(expression.steps - visible - {WHOLE}):
        problems.add(path, f"reads steps.{name}, which no step before it sets")
    declared = {field.name for field in inputs}
    for name in sorted(expression.inputs - declared - {WHOLE} if declared else ()):
        problems.add(path, f"reads input.{name}, which the input does not declare")
    if expression.own and not rule:
        problems.add(path, "reads this, which only a rule has")


def _with_branches(step: d.Step) -> Iterator[d.Step]:
    yield step
    if isinstance(step.body, d.Parallel):
        yield from step.body.steps


def _expressions(step: d.Step) -> Iterator[tuple[str, Expression]]:
    if step.when:
        yield "when", step.when
    if step.gate and step.gate.require:
        yield "gate.require", step.gate.require
    match step.body:
        case d.Extract(state=state, reference_date=reference):
            yield "state", state
            if reference:
                yield "reference_date", reference
        case d.Decide(state=state):
            yield "state", state
        case d.Forecast(series=series):
            yield "series", series
        case d.Rule(values=values):
            yield from ((f"set.{name}", expression) for name, expression in values.items())
        case d.Generate() as body:
            yield from _generate_expressions(body)


def _generate_expressions(body: d.Generate) -> Iterator[tuple[str, Expression]]:
    for index, message in enumerate(body.messages):
        yield from ((f"messages[{index}].content", expression) for expression in message.content.expressions)
    if body.check:
        yield "check.numbers_from", body.check.numbers_from
        yield from ((f"check.contains[{i}]", expression) for i, expression in enumerate(body.check.contains))
        yield from (("check.fallback", expression) for expression in body.check.fallback.expressions)
