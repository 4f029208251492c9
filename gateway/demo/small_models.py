"""The task by the cascade: read, compute, decide, and let the language model write from the facts."""

import json
import time
from typing import Any

from gateway.demo.answers import TO_A_PERSON, Side, StepTaken
from gateway.demo.emails import FIELDS, Email
from quartet.v1 import cascade_pb2, common_pb2

NAME = "support"
_BY = {"facts": "extractor", "policy": "arithmetic", "mood": "classifier", "letter": "arithmetic", "reply": "llm"}
_TITLES = {"facts": "extract", "policy": "policy", "mood": "decide", "letter": "facts", "reply": "write"}


def run(gateway: Any, email: Email, *, timeout_s: float) -> Side:
    """Runs the shipped cascade on an e-mail. `gateway` is a blocking stub of CascadeService."""
    given = {"email": email.text, "received": email.received or None}
    body = common_pb2.JsonValue(json=json.dumps(given, ensure_ascii=False).encode())
    began = time.monotonic()
    outputs: dict[str, dict[str, Any]] = {}
    steps: list[StepTaken] = []
    last = None
    for event in gateway.Run(cascade_pb2.RunRequest(name=NAME, input=body), timeout=timeout_s):
        last = event
        if event.kind == cascade_pb2.EVENT_KIND_STEP_FINISHED:
            outputs[event.step] = json.loads(event.output.json)
            steps.append(_step(event.step, outputs[event.step], event.elapsed_s))
    seconds = time.monotonic() - began
    return _side(tuple(steps), outputs, seconds, _stopped(last))


def _step(name: str, output: dict[str, Any], seconds: float) -> StepTaken:
    usage = output.get("usage") or {}
    attempts = len(output.get("rejected") or ()) + (0 if output.get("fallback") else 1)
    note = f"{attempts} attempts" if name == "reply" and attempts > 1 else ""
    return StepTaken(
        _TITLES.get(name, name),
        _BY.get(name, ""),
        seconds,
        int(usage.get("input_tokens", 0)),
        int(usage.get("output_tokens", 0)),
        note,
    )


def _side(steps: tuple[StepTaken, ...], outputs: dict[str, dict[str, Any]], seconds: float, stopped: str) -> Side:
    values = outputs.get("facts", {}).get("values", {})
    reply = outputs.get("reply", {})
    return Side(
        steps=steps,
        values={name: values.get(name) for name in FIELDS} | {"action": outputs.get("policy", {}).get("action")},
        reply=str(reply.get("text", "")),
        seconds=seconds,
        fallback=bool(reply.get("fallback")),
        rejected=tuple(reply.get("rejected") or ()),
        stopped=stopped,
        extra={
            "answers": outputs.get("facts", {}).get("answers", {}),
            "policy": outputs.get("policy", {}),
            "mood": outputs.get("mood", {}).get("answers", {}),
        },
    )


def _stopped(last: Any) -> str:
    """Why the run ended without a reply; empty when it did not."""
    if last is None:
        return "the gateway sent nothing"
    if last.kind == cascade_pb2.EVENT_KIND_RUN_FAILED:
        return f"{last.reason}: {last.message}"
    result = json.loads(last.output.json)
    return f"{TO_A_PERSON}: {result['review']['message']}" if result["status"] == "review" else ""
