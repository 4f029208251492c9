"""One body that works for every schema of a request; `/openapi.json` shows them."""

from typing import Any, Final

_STATE: Final = "Third time I write. Where is my money?"
_QUESTIONS: Final = {
    "angry": {"type": "noul", "instructions": "Is the customer angry?"},
    "team": {
        "type": "choice",
        "instructions": "Which team?",
        "criteria": {"billing": "money matters", "delivery": "parcels on their way"},
    },
    "urgency": {"type": "score", "instructions": "How urgent is it?", "criteria": ["can wait", "this week", "now"]},
}
_EXTRACTION: Final = {
    "state": "I paid 120 EUR on 3 May 2026 for order A-4411.",
    "fields": {
        "order": {"type": "text", "instructions": "the order number"},
        "paid": {"type": "number", "unit": "EUR", "instructions": "the price that was paid"},
        "paid_on": {"type": "date", "instructions": "the day of the payment"},
    },
}

EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "SystemOneRequest": {"model": "jev-latest", "state": _STATE, "questions": _QUESTIONS},
    "ClefRequest": {"state": _STATE, "questions": _QUESTIONS},
    "DecisionsRequest": {
        "model": "quartet-decide-0.1.0",
        "input": _STATE,
        "questions": [
            {"type": "predicate", "name": "angry", "instructions": "Is the customer angry?"},
            {
                "type": "choice",
                "instructions": "Does the customer ask for money?",
                "choices": [{"value": True}, {"value": False, "description": "money is not mentioned"}],
            },
            {"type": "score", "instructions": "How urgent is it?", "levels": [{"label": "low"}, {"label": "high"}]},
        ],
    },
    "ExtractionRequest": _EXTRACTION,
    "OpenRouterExtractionRequest": _EXTRACTION,
    "ForecastRequest": {"series": [{"id": "sales", "values": [3, 4, 5, None, 5, 6, 5, 6, 7]}], "horizon": 3},
    "EstimateRequest": {
        "records": [{"rooms": rooms, "price": 50 * rooms} for rooms in (1, 2, 3, 4, 2, 3, 1, 4)] + [{"rooms": 3}],
        "target": "price",
    },
    "ChatRequest": {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 16},
}
