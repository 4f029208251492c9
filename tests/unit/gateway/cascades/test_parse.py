import pytest

from gateway.cascades.library import Library
from gateway.cascades.parse import parse_cascade
from services.runtime.errors import CascadeNotFound, InvalidField
from tests.unit.gateway.cascades.cases import DECIDE, EXTRACT, cascade


def refused(text: str) -> dict[str, str]:
    with pytest.raises(InvalidField) as caught:
        parse_cascade(text)
    return {violation.path: violation.description for violation in caught.value.fields}


def refused_steps(steps: str, head: str = "") -> dict[str, str]:
    return refused(f"cascade: t\n{head}\nsteps:\n{steps}")


def test_every_problem_is_reported_with_its_path() -> None:
    found = refused_steps(
        """
  one:
    kind: extract
    state: inputs.text
    fields: {price: {type: numbr, decimals: 9}, 1x: {type: text}}
    deadline: soon
    colour: red
  two: {kind: estimate}
  three: {kind: rule, set: {a: this.b, b: 1 +}}
  four: {kind: generate, messages: [{role: robot, content: "${"}]}
  end: {kind: rule, set: {a: 1}}
"""
    )
    assert set(found) == {
        "yaml.steps.one.state",
        "yaml.steps.one.fields.price.type",
        "yaml.steps.one.fields.price.decimals",
        "yaml.steps.one.fields.1x",
        "yaml.steps.one.deadline",
        "yaml.steps.one.colour",
        "yaml.steps.two.kind",
        "yaml.steps.three.set.a",
        "yaml.steps.three.set.b",
        "yaml.steps.four.messages[0].role",
        "yaml.steps.four.messages[0].content",
        "yaml.steps.end",
    }
    assert found["yaml.steps.two.kind"] == "estimate steps are not available yet"
    assert "known here" in found["yaml.steps.one.colour"]


def test_references_must_point_backwards() -> None:
    found = refused_steps(
        f"  one: {{kind: rule, set: {{a: steps.two.values.price, b: steps.nine.x}}}}\n  two:{EXTRACT}",
        "input: {text: {type: string}}",
    )
    assert found == {"yaml.steps.one.set.a": "reads steps.two, which no step before it sets"} | {
        "yaml.steps.one.set.b": "reads steps.nine, which no step before it sets"
    }


def test_undeclared_input_and_output_references() -> None:
    text = f"cascade: t\ninput: {{mail: {{type: string}}}}\nsteps:\n  one:{EXTRACT}\noutput: {{x: steps.two.y}}"
    assert set(refused(text)) == {"yaml.steps.one.state", "yaml.output.x"}


def test_circles_and_unreachable_steps() -> None:
    circle = f"  one:{EXTRACT}    next: two\n  two: {{kind: rule, set: {{a: 1}}, next: one}}"
    assert "one -> two -> one" in refused_steps(circle)["yaml.steps"]
    lost = f"  one:{EXTRACT}    next: end\n  two: {{kind: rule, set: {{a: 1}}}}"
    assert refused_steps(lost) == {"yaml.steps.two": "can never be reached"}


def test_unknown_targets() -> None:
    found = refused_steps(f"  one:{EXTRACT}    next: nine\n    gate: {{min_confidence: 0.5, else: ten}}")
    assert set(found) == {"yaml.steps.one.next", "yaml.steps.one.gate.else"}


def test_gates_must_make_sense() -> None:
    found = refused_steps(
        """
  one: {kind: rule, set: {a: 1}, gate: {min_confidence: 0.5, else: llm}}
  two:
    kind: parallel
    gate: {require: "true", else: review}
    steps:
      three: {kind: rule, set: {a: 1}, gate: {require: "true", else: one}}
      four: {kind: parallel, steps: {five: {kind: rule, set: {a: 1}}}}
"""
    )
    assert set(found) == {
        "yaml.steps.one.gate.min_confidence",
        "yaml.steps.one.gate.else",
        "yaml.steps.two.gate",
        "yaml.steps.two.steps.three.gate.else",
        "yaml.steps.two.steps.four.kind",
    }


def test_escalation_targets_are_off_the_line() -> None:
    made = cascade(
        f"  one:{EXTRACT}    gate: {{min_confidence: 0.5, else: spare}}\n  two:{DECIDE}"
        "  spare: {kind: rule, set: {a: steps.one.values.price}}\n  three: {kind: rule, set: {a: 1}}"
    )
    assert made.follows == {"one": "two", "two": "three", "three": "end", "spare": "two"}


def test_siblings_of_a_group_do_not_see_each_other() -> None:
    steps = f"""
  both:
    kind: parallel
    steps:
      one:{EXTRACT.replace("    ", "        ")}
      two: {{kind: rule, set: {{a: steps.one.values.price}}}}
  after: {{kind: rule, set: {{a: steps.one.values.price}}}}
"""
    assert set(refused_steps(steps)) == {"yaml.steps.both.steps.two.set.a"}


@pytest.mark.parametrize("text", ["7", "cascade: t", "cascade: t\nsteps: {}", "cascade: t\nsteps: [a]"])
def test_nothing_to_run(text: str) -> None:
    assert refused(text)


def test_shipped_cascades_are_valid() -> None:
    library = Library.load()
    assert "support" in library.names()
    assert library.get("support").description
    with pytest.raises(CascadeNotFound):
        library.get("nope")
