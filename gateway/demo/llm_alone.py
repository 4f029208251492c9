"""The same task by the language model alone: three prompts, extract as JSON, decide, write.

The baseline is meant to be as good as these prompts can make it: every prompt has two worked examples, as the writing
prompt of the cascade has; the decision is asked with the whole e-mail, so that a slip in the first answer does not
spoil it; the writing prompt is the cascade's own, filled with what the model found and decided. Each prompt is answered
once, greedily, and not checked.
"""

import json
import re
import time
from collections.abc import Sequence
from datetime import date
from typing import Any

from gateway.cascades.definition import Generate
from gateway.cascades.library import Library
from gateway.cascades.messages import generate_output, generate_request
from gateway.demo.answers import Side, StepTaken
from gateway.demo.emails import FIELDS, Email
from gateway.demo.small_models import NAME

_LAMP = (
    "Subject: broken lamp\n\nHi, the floor lamp of order KP-7731 came with a cracked foot on 2 May 2026. I bought it "
    "on 27 April 2026 for 80.00 USD. The shop around the corner asks 60.00 USD to repair it. Tom"
)
_SHELF = (
    "Subject: Order TR-118\n\nHello, I paid 90.00 GBP for a bookshelf on 1 June 2026 (order TR-118). It was delivered "
    "on 11 June 2026 and a shelf is broken. A joiner wants 15.00 GBP for the repair. Ann"
)
_LAMP_JSON = (
    '{"order_number": "KP-7731", "item": "floor lamp", "price_paid": "80.00 USD", "repair_quote": "60.00 USD", '
    '"order_date": "2026-04-27", "delivery_date": "2026-05-02"}'
)
_SHELF_JSON = (
    '{"order_number": "TR-118", "item": "bookshelf", "price_paid": "90.00 GBP", "repair_quote": "15.00 GBP", '
    '"order_date": "2026-06-01", "delivery_date": "2026-06-11"}'
)
EXTRACT = f"Read the e-mail and answer with one JSON object with the keys {', '.join(FIELDS)}.\n\n"
DECIDE = (
    "Policy: repair if the repair costs under 60 % of the price, else replace. "
    "Read the e-mail and answer repair or replace.\n\n"
)
Turns = Sequence[tuple[str, str]]


def run(llm: Any, email: Email, *, timeout_s: float) -> Side:
    """Asks the three prompts one after the other. `llm` is a blocking stub of LlmService."""
    began = time.monotonic()
    found, first = _ask(llm, "extract", _examples(EXTRACT, email, _LAMP_JSON, _SHELF_JSON), 110, timeout_s)
    said, second = _ask(llm, "decide", _examples(DECIDE, email, "replace", "repair"), 8, timeout_s)
    values = {name: _read_json(found).get(name) for name in FIELDS} | {"action": _read_action(said)}
    reply, third = _ask(llm, "write", _writing_prompt(values), 100, timeout_s)
    return Side(
        steps=(first, second, third),
        values=values,
        reply=reply.strip(),
        seconds=time.monotonic() - began,
        extra={"extract": found, "decide": said},
    )


def warm_up(llm: Any, email: Email, *, timeout_s: float) -> None:
    """Reads each of the three prompts once, so that their heads are as well kept by the service as the cascade's."""
    _ask(llm, "extract", _examples(EXTRACT, email, _LAMP_JSON, _SHELF_JSON), 1, timeout_s)
    _ask(llm, "decide", _examples(DECIDE, email, "replace", "repair"), 1, timeout_s)
    _ask(llm, "write", _writing_prompt({}), 1, timeout_s)


def _ask(llm: Any, name: str, turns: Turns, max_tokens: int, timeout_s: float) -> tuple[str, StepTaken]:
    request = {
        "messages": [{"role": role, "content": content} for role, content in turns],
        "max_tokens": max_tokens,
        "temperature": 0.0,
        "seed": 0,
        "stop": [],
        "model": "",
    }
    began = time.monotonic()
    pieces: list[str] = []
    last = None
    for last in llm.Generate(generate_request(request), timeout=timeout_s):
        pieces.append(last.text)
    if last is None:
        raise RuntimeError("the language model sent nothing")
    output = generate_output("".join(pieces), last)
    seconds = time.monotonic() - began
    usage = output["usage"]
    note = "cut at the limit" if output["finish_reason"] == "length" else ""
    step = StepTaken(name, "llm", seconds, usage["input_tokens"], usage["output_tokens"], note)
    return str(output["text"]), step


def _examples(task: str, email: Email, lamp: str, shelf: str) -> Turns:
    return (
        ("user", task + _LAMP),
        ("assistant", lamp),
        ("user", task + _SHELF),
        ("assistant", shelf),
        ("user", task + email.text),
    )


def _writing_prompt(values: dict[str, Any]) -> Turns:
    """The cascade's own writing prompt, filled with what the language model said."""
    body = Library.load().get(NAME).step("reply").body
    assert isinstance(body, Generate)
    names = {"order": "order_number", "item": "item", "delivered": "delivery_date", "quote": "repair_quote"}
    letter = {key: _known(values.get(name)) for key, name in names.items()} | {"action": _known(values.get("action"))}
    given = {"input": {}, "steps": {"letter": letter}}
    return [(message.role, message.content.render(given)) for message in body.messages]


def _known(value: Any) -> str:
    if value in (None, ""):
        return "unknown"
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return value
    return f"{day.day} {day:%B} {day.year}"  # as the cascade writes dates


def _read_json(text: str) -> dict[str, Any]:
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1]) if start >= 0 else None
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    # An object that was cut or is not quite JSON still counts for each pair that can be read; the first of a name.
    pairs = re.findall(r'"(\w+)"\s*:\s*("[^"\n]*"|-?\d+(?:\.\d+)?)', text)
    return {name: json.loads(found) for name, found in reversed(pairs)}


def _read_action(text: str) -> str | None:
    words = text.casefold().replace(".", " ").split()
    return next((word for word in words if word in ("repair", "replace")), None)
