"""JSON Schemas of the bodies of all dialects, as `/openapi.json` shows them.

They say what a client must know to send a body and to read an answer. Limits that a model card sets are not repeated.
"""

from typing import Any, Final

Schema = dict[str, Any]

STRING: Final[Schema] = {"type": "string"}
FLAG: Final[Schema] = {"type": "boolean"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
NUMBER: Final[Schema] = {"type": "number"}
UNIT: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
ANY: Final[Schema] = {}
TEXT: Final[Schema] = {"type": ["string", "object", "array"]}
TEXT_OR_NULL: Final[Schema] = {"type": ["string", "object", "array", "null"]}
NAME: Final[Schema] = {"type": "string", "minLength": 1}


def record(properties: Schema, *, required: tuple[str, ...] = (), closed: bool = False) -> Schema:
    """An object; `closed` refuses other keys but those that begin with `x_`."""
    found: Schema = {"type": "object", "properties": properties}
    if required:
        found["required"] = list(required)
    if closed:
        found |= {"patternProperties": {"^x_": {}}, "additionalProperties": False}
    return found


def answered(properties: Schema) -> Schema:
    """An object of an answer: all keys are always there."""
    return record(properties, required=tuple(properties))


def array(items: Schema, *, least: int = 0, most: int | None = None) -> Schema:
    """An array."""
    return {"type": "array", "items": items, "minItems": least} | ({} if most is None else {"maxItems": most})


def mapping(values: Schema, *, least: int = 1, keys: Schema | None = None) -> Schema:
    """An object of free keys."""
    return {"type": "object", "additionalProperties": values, "minProperties": least, "propertyNames": keys or NAME}


def constant(value: str) -> Schema:
    """One string."""
    return {"type": "string", "const": value}


def tagged(*kinds: Schema) -> Schema:
    """One of several objects that `type` tells apart."""
    return {"oneOf": list(kinds)}


def component(name: str) -> Schema:
    """A reference to a schema of `COMPONENTS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def _question(kind: str, properties: Schema, *required: str) -> Schema:
    return record({"type": constant(kind), "instructions": TEXT_OR_NULL, **properties}, required=("type", *required))


_NOUL_ANSWER = answered({"type": constant("noul"), "noul": UNIT})
_CHOICE_ANSWER = answered(
    {"type": constant("choice"), "choice": STRING, "probabilities": mapping(UNIT), "confidence": UNIT}
)
_SCORE_ANSWER = answered(
    {
        "type": constant("score"),
        "score": NUMBER,
        "legend": mapping(TEXT),
        "probabilities": mapping(UNIT),
        "confidence": UNIT,
    }
)
_TOKENS = answered({"input_tokens": COUNT, "output_tokens": COUNT})
_QUESTIONS = mapping(
    tagged(
        _question("noul", {"criteria": {"type": ["object", "null"], "properties": {"true": ANY, "false": ANY}}}),
        _question("choice", {"criteria": mapping(TEXT_OR_NULL)}, "criteria"),
        _question("score", {"criteria": array(TEXT, least=1, most=10)}, "criteria"),
    )
)
_SYSTEM_ONE = record({"model": NAME, "state": TEXT, "questions": _QUESTIONS}, required=("model", "state", "questions"))
_SYSTEM_ONE_ANSWER = answered(
    {
        "model": STRING,
        "answers": mapping(tagged(_NOUL_ANSWER, _CHOICE_ANSWER, _SCORE_ANSWER)),
        "usage": _TOKENS,
    }
)

_FIELD_TYPES = "text number date time datetime duration list boolean choice money records".split()
_FIELD = record(
    {
        "type": {"type": "string", "enum": _FIELD_TYPES},
        "instructions": STRING,
        "unit": STRING,
        "integer": FLAG,
        "decimals": {"type": "integer", "minimum": 0, "maximum": 6},
        "items": {"type": "string", "enum": ["text", "number", "date"]},
        "null_threshold": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "options": {"type": ["array", "object"]},
        "fields": {"type": "object"},
        "compute": record({"op": STRING, "of": array(STRING)}, required=("op",), closed=True),
    },
    required=("type",),
    closed=True,
)
_FIELD_NAME: Schema = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$"}
_EXTRACTION = record(
    {
        "model": STRING,
        "state": NAME,
        "fields": mapping(_FIELD, keys=_FIELD_NAME),
        "images": array(ANY, most=0),
        "reference_date": {"type": "string", "format": "date"},
        "locale": STRING,
        "offset_unit": {"type": "string", "enum": ["code_point", "utf8_byte", "utf16_unit"]},
        "options": record(
            {
                "include_quantiles": FLAG,
                "return_state_text": FLAG,
                "max_alternatives": {"type": "integer", "minimum": 0, "maximum": 10},
            },
            closed=True,
        ),
    },
    required=("state", "fields"),
    closed=True,
)
_EXTRACTION_ANSWER = record(
    {
        "model": STRING,
        "answers": mapping(record({"type": STRING, "value": ANY, "confidence": UNIT}, required=("type", "value"))),
        "truncated": {"type": "boolean", "const": False},
        "state_text": STRING,
        "usage": answered(
            {
                "state_tokens": COUNT,
                "image_tokens": COUNT,
                "schema_tokens": COUNT,
                "input_tokens": COUNT,
                "output_tokens": COUNT,
                "passes": COUNT,
            }
        ),
    },
    required=("model", "answers", "truncated", "usage"),
)

_LEVELS = array({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1})
_VALUES = array({"type": ["number", "null"]}, least=1)
_FORECAST = record(
    {
        "model": STRING,
        "series": array(
            record(
                {
                    "id": STRING,
                    "values": _VALUES,
                    "timestamps": array(STRING),
                    "frequency": STRING,
                    "season": COUNT,
                },
                required=("values",),
                closed=True,
            ),
            least=1,
        ),
        "text": STRING,
        "horizon": {"type": "integer", "minimum": 1},
        "quantiles": _LEVELS,
        "non_negative": FLAG,
        "integer": FLAG,
        "calibrate": FLAG,
        "backtest": FLAG,
        "min": NUMBER,
        "max": NUMBER,
    },
    required=("horizon",),
    closed=True,
)
_FORECAST_ANSWER = answered(
    {
        "model": STRING,
        "forecasts": array(
            record(
                {"id": STRING, "mean": array(ANY), "median": array(ANY), "quantiles": {"type": "object"}},
                required=("id", "mean", "median", "quantiles"),
            )
        ),
        "usage": {"type": "object"},
    }
)
_ESTIMATE = record(
    {
        "model": STRING,
        "records": {"type": ["array", "string"]},
        "target": NAME,
        "queries": array({"type": "object"}),
        "quantiles": _LEVELS,
        "min": ANY,
        "max": ANY,
        "step": ANY,
        "scale": {"type": "string", "enum": ["linear", "log"]},
    },
    required=("records", "target"),
    closed=True,
)

_PARTS: Schema = {"type": ["string", "array"]}
_DECISION_QUESTION = tagged(
    record(
        {"type": constant("predicate"), "name": STRING, "instructions": _PARTS},
        required=("type", "instructions"),
        closed=True,
    ),
    record(
        {
            "type": constant("choice"),
            "name": STRING,
            "instructions": _PARTS,
            "choices": array(
                record(
                    {"value": {"type": ["string", "boolean"]}, "description": STRING}, required=("value",), closed=True
                ),
                least=2,
                most=255,
            ),
        },
        required=("type", "instructions", "choices"),
        closed=True,
    ),
    record(
        {
            "type": constant("score"),
            "name": STRING,
            "instructions": _PARTS,
            "levels": array(
                record({"label": NAME, "description": STRING}, required=("label",), closed=True), least=2, most=10
            ),
        },
        required=("type", "instructions", "levels"),
        closed=True,
    ),
)
_DECISIONS = record(
    {
        "model": NAME,
        "input": _PARTS,
        "questions": array(_DECISION_QUESTION, least=1, most=400),
        "prompt_cache_key": ANY,
        "prompt_cache_options": ANY,
        "safety_identifier": ANY,
        "user": ANY,
        "metadata": ANY,
    },
    required=("model", "input", "questions"),
    closed=True,
)
_NAMED: Schema = {"type": ["string", "null"]}
_DECISIONS_ANSWER = answered(
    {
        "model": STRING,
        "answers": array(
            tagged(
                answered({"type": constant("predicate"), "name": _NAMED, "probability": UNIT}),
                answered(
                    {
                        "type": constant("choice"),
                        "name": _NAMED,
                        "choice": {"type": ["string", "boolean"]},
                        "probabilities": array(answered({"value": ANY, "probability": UNIT})),
                        "confidence": UNIT,
                    }
                ),
                answered(
                    {
                        "type": constant("score"),
                        "name": _NAMED,
                        "score": NUMBER,
                        "probabilities": array(answered({"value": COUNT, "label": STRING, "probability": UNIT})),
                        "confidence": UNIT,
                    }
                ),
            )
        ),
        "usage": record({"input_tokens": COUNT, "output_tokens": COUNT, "total_tokens": COUNT}),
    }
)

_MESSAGE = record({"role": STRING, "content": ANY}, required=("role",))
_CHAT = record({"model": STRING, "messages": array(_MESSAGE, least=1), "stream": FLAG}, required=("messages",))
_CHAT_ANSWER = record(
    {"id": STRING, "object": STRING, "created": COUNT, "model": STRING, "choices": array({"type": "object"}, least=1)},
    required=("id", "object", "created", "model", "choices", "usage"),
)
_CLEF = record(
    {
        "model": STRING,
        "state": TEXT,
        "images": array(ANY, most=0),
        "audio": array(ANY, most=0),
        "videos": array(ANY, most=0),
        "questions": {**_QUESTIONS, "maxProperties": 64, "propertyNames": {"pattern": "^[A-Za-z0-9_.-]{1,100}$"}},
    },
    required=("state", "questions"),
    closed=True,
)


def _envelope(result: Schema) -> Schema:
    return answered({"result": result, "success": {"const": True}, "errors": array(ANY), "messages": array(ANY)})


def _with(schema: Schema, head: Schema) -> Schema:
    return schema | {"properties": head | schema["properties"], "required": [*head, *schema["required"]]}


_OPENROUTER_HEAD: Schema = {"id": STRING, "provider": STRING}
_BOOK_KEEPING: Schema = {
    "provider": ANY,
    "session_id": ANY,
    "trace": ANY,
    "user": ANY,
    "assets": array(ANY, most=0),
}
COMPONENTS: Final[dict[str, Schema]] = {
    "SystemOneRequest": _SYSTEM_ONE,
    "SystemOneAnswer": _SYSTEM_ONE_ANSWER,
    "SystemOneError": answered({"detail": {"type": ["array", "object", "string"]}}),
    "DecisionsRequest": _DECISIONS,
    "DecisionsAnswer": _DECISIONS_ANSWER,
    "OpenAiError": answered({"error": record({"message": STRING, "type": STRING}, required=("message", "type"))}),
    "ExtractionRequest": _EXTRACTION,
    "ExtractionAnswer": _EXTRACTION_ANSWER,
    "NamedExtractionAnswer": _with(_EXTRACTION_ANSWER, {"object": constant("extraction")}),
    "ForecastRequest": _FORECAST,
    "ForecastAnswer": _FORECAST_ANSWER,
    "EstimateRequest": _ESTIMATE,
    "EstimateAnswer": {"type": "object"},
    "ChatRequest": _CHAT,
    "ChatAnswer": _CHAT_ANSWER,
    "Error": answered({"error": record({"reason": STRING, "message": STRING}, required=("reason", "message"))}),
    "ClefRequest": _CLEF,
    "ClefAnswer": _envelope(_SYSTEM_ONE_ANSWER),
    "ClairicAnswer": _envelope(_EXTRACTION_ANSWER),
    "WorkersAiError": answered(
        {
            "result": {"type": "null"},
            "success": {"const": False},
            "errors": array(answered({"code": COUNT, "message": STRING}), least=1),
            "messages": array(ANY),
        }
    ),
    "OpenRouterSystemOneAnswer": _with(_SYSTEM_ONE_ANSWER, _OPENROUTER_HEAD),
    "OpenRouterExtractionRequest": _EXTRACTION | {"properties": _EXTRACTION["properties"] | _BOOK_KEEPING},
    "OpenRouterExtractionAnswer": _with(_EXTRACTION_ANSWER, _OPENROUTER_HEAD),
    "OpenRouterError": answered({"error": record({"code": COUNT, "message": STRING}, required=("code", "message"))}),
    "Models": answered({"models": array({"type": "object"}), "object": constant("list"), "data": array(ANY)}),
    "Model": record({"id": STRING, "object": constant("model")}, required=("id", "object")),
    "Health": answered({"status": constant("ok")}),
    "Readiness": answered({"ready": FLAG, "services": mapping(STRING)}),
}
