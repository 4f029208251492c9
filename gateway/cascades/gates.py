"""Whether an answer is sure enough to go on with."""

from collections.abc import Mapping
from typing import Any

from gateway.cascades.definition import Gate


def certainty(answer: Mapping[str, Any]) -> float:
    """Probability that an answer is right, 0 when there is no value.

    extract: (1 - p_null) * confidence; choice and score: the documented confidence; yes/no: |2p - 1|, which is the
    formula of a choice with two options. An answer of the language model has none and counts as 0.
    """
    if "probability" in answer:
        return abs(2.0 * float(answer["probability"]) - 1.0)
    confidence = answer.get("confidence")
    if confidence is None or answer.get("value", "") is None:
        return 0.0
    return float(confidence) * (1.0 - float(answer.get("p_null", 0.0)))


def weak_answers(output: Mapping[str, Any], gate: Gate) -> list[str]:
    """What is below the gate, for people; empty when all is well."""
    answers: Mapping[str, Any] = output.get("answers", {}) if gate.min_confidence > 0 else {}
    names = gate.of or tuple(answers)
    found = []
    for name in names if answers else ():
        answer = answers.get(name)
        if answer is None:
            found.append(f"{name} was not answered")
        elif answer.get("value", "") is None:
            found.append(f"{name} was not found")
        elif certainty(answer) < gate.min_confidence:
            found.append(f"{name} has confidence {certainty(answer):.2f}, below {gate.min_confidence:g}")
    return found
