from typing import Any

import pytest

from gateway.cascades.expressions import ExpressionError, compile_expression
from gateway.cascades.templates import compile_template

VALUES: dict[str, Any] = {
    "input": {"name": "Ada", "count": 3, "half": 0.5},
    "steps": {"facts": {"values": {"price": {"amount": "320.00"}, "quote": 186.5, "none": None, "list": [1, 2, 3]}}},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("input.count > 2.5", True),
        ("input.count == 3", True),
        ("input.count / 2", 1.5),
        ("input.half * 4", 2),
        ("decimal(steps.facts.values.price.amount) * decimal('0.60')", "192.0000"),
        ("decimal('0.1') + decimal('0.2') == decimal('0.3')", True),
        ("decimal('192.00') < decimal(steps.facts.values.price.amount) * decimal('0.60')", False),
        ("decimal('3') * 0.1", "0.3"),
        ("round(decimal('58.125'), 2)", "58.13"),
        ("round(2.5, 0)", 3),
        ("steps.facts.values.price != null && steps.facts.values.none == null", True),
        ("input.name == 3 || steps.facts.values.price == 'x'", False),
        ("steps.facts.values.list == [1, 2, 3] && 'a' == 'a' && true != false", True),
        ("decimal('1.0') == decimal('1')", True),
        ("long_date('2026-05-02')", "2 May 2026"),
        ("steps.facts.values.none == null", True),
        ("steps.facts.values.none != null && steps.facts.values.none > 1", False),
        ("has(steps.other) ? steps.other.x : 'none'", "none"),
        ("steps.facts.values.list.exists(i, i > 2)", True),
        ("steps.facts.values.list.map(i, i * 2)", [2, 4, 6]),
        ("input.count in steps.facts.values.list", True),
        ("'n = ' + string(input.count)", "n = 3"),
        ("{'a': [input.name]}", {"a": ["Ada"]}),
        ("size('😞é')", 2),
    ],
)
def test_evaluates(text: str, value: object) -> None:
    assert compile_expression(text).evaluate(VALUES) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("a ++", "line 1, column 4"),
        ("other.x", "reads 'other'"),
        ("launch(1)", "calls 'launch'"),
        ("input.name.explode()", "calls 'explode'"),
        ("[1].filter(x, y > 1)", "reads 'y'"),
        ("(" * 40 + "1" + ")" * 40, "nested deeper"),
        ("'" + "x" * 3000 + "'", "at most"),
    ],
)
def test_refused_when_compiled(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        compile_expression(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("steps.nope.x", "nothing is there under"),
        ("input.name + 1", "types do not fit"),
        ("1 / 0", "division by zero"),
        ("decimal('1') / 0", "division by zero"),
        ("decimal('x')", "not a decimal number"),
        ("decimal('1e400')", "reasonable size"),
    ],
)
def test_fails_when_evaluated(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        compile_expression(text).evaluate(VALUES)


def test_knows_what_it_reads() -> None:
    expression = compile_expression("steps['a'].x + steps.b.y.map(i, i + input.k)[0] + this.z")
    assert expression.steps == {"a", "b"}
    assert expression.inputs == {"k"}
    assert expression.own == {"z"}


def test_templates_keep_text_and_fill_in_values() -> None:
    template = compile_template("Dear ${input.name}, {x} $${raw} ${ {'a': '}'}['a'] } ${input.count}")
    assert template.render(VALUES) == "Dear Ada, {x} ${raw} } 3"
    with pytest.raises(ExpressionError, match="closing brace"):
        compile_template("${input.name")
    with pytest.raises(ExpressionError, match="nothing to write"):
        compile_template("${steps.facts.values.none}").render(VALUES)
