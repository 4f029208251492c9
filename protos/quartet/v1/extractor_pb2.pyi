from quartet.v1 import classifier_pb2 as _classifier_pb2
from quartet.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FieldType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FIELD_TYPE_UNSPECIFIED: _ClassVar[FieldType]
    FIELD_TYPE_TEXT: _ClassVar[FieldType]
    FIELD_TYPE_NUMBER: _ClassVar[FieldType]
    FIELD_TYPE_DATE: _ClassVar[FieldType]
    FIELD_TYPE_TIME: _ClassVar[FieldType]
    FIELD_TYPE_DATETIME: _ClassVar[FieldType]
    FIELD_TYPE_DURATION: _ClassVar[FieldType]
    FIELD_TYPE_LIST: _ClassVar[FieldType]
    FIELD_TYPE_BOOLEAN: _ClassVar[FieldType]
    FIELD_TYPE_CHOICE: _ClassVar[FieldType]
    FIELD_TYPE_MONEY: _ClassVar[FieldType]
    FIELD_TYPE_RECORDS: _ClassVar[FieldType]
FIELD_TYPE_UNSPECIFIED: FieldType
FIELD_TYPE_TEXT: FieldType
FIELD_TYPE_NUMBER: FieldType
FIELD_TYPE_DATE: FieldType
FIELD_TYPE_TIME: FieldType
FIELD_TYPE_DATETIME: FieldType
FIELD_TYPE_DURATION: FieldType
FIELD_TYPE_LIST: FieldType
FIELD_TYPE_BOOLEAN: FieldType
FIELD_TYPE_CHOICE: FieldType
FIELD_TYPE_MONEY: FieldType
FIELD_TYPE_RECORDS: FieldType

class ComputeSpec(_message.Message):
    __slots__ = ("op", "of")
    OP_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    op: str
    of: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, op: _Optional[str] = ..., of: _Optional[_Iterable[str]] = ...) -> None: ...

class Field(_message.Message):
    __slots__ = ("name", "type", "instructions", "unit", "integer", "decimals", "items", "null_threshold", "options", "fields", "compute")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    DECIMALS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NULL_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: FieldType
    instructions: str
    unit: str
    integer: bool
    decimals: int
    items: FieldType
    null_threshold: float
    options: _containers.RepeatedCompositeFieldContainer[_classifier_pb2.Option]
    fields: _containers.RepeatedCompositeFieldContainer[Field]
    compute: ComputeSpec
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[FieldType, str]] = ..., instructions: _Optional[str] = ..., unit: _Optional[str] = ..., integer: _Optional[bool] = ..., decimals: _Optional[int] = ..., items: _Optional[_Union[FieldType, str]] = ..., null_threshold: _Optional[float] = ..., options: _Optional[_Iterable[_Union[_classifier_pb2.Option, _Mapping]]] = ..., fields: _Optional[_Iterable[_Union[Field, _Mapping]]] = ..., compute: _Optional[_Union[ComputeSpec, _Mapping]] = ...) -> None: ...

class ExtractRequest(_message.Message):
    __slots__ = ("model", "state", "fields", "reference_date", "locale", "offset_unit", "max_alternatives", "return_state_text")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_DATE_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_UNIT_FIELD_NUMBER: _ClassVar[int]
    MAX_ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    RETURN_STATE_TEXT_FIELD_NUMBER: _ClassVar[int]
    model: str
    state: _common_pb2.State
    fields: _containers.RepeatedCompositeFieldContainer[Field]
    reference_date: str
    locale: str
    offset_unit: _common_pb2.OffsetUnit
    max_alternatives: int
    return_state_text: bool
    def __init__(self, model: _Optional[str] = ..., state: _Optional[_Union[_common_pb2.State, _Mapping]] = ..., fields: _Optional[_Iterable[_Union[Field, _Mapping]]] = ..., reference_date: _Optional[str] = ..., locale: _Optional[str] = ..., offset_unit: _Optional[_Union[_common_pb2.OffsetUnit, str]] = ..., max_alternatives: _Optional[int] = ..., return_state_text: _Optional[bool] = ...) -> None: ...

class Operand(_message.Message):
    __slots__ = ("value", "span", "sign", "field")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    SIGN_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    value: _common_pb2.JsonValue
    span: _common_pb2.Span
    sign: int
    field: str
    def __init__(self, value: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., span: _Optional[_Union[_common_pb2.Span, _Mapping]] = ..., sign: _Optional[int] = ..., field: _Optional[str] = ...) -> None: ...

class Computation(_message.Message):
    __slots__ = ("op", "operands", "expression")
    OP_FIELD_NUMBER: _ClassVar[int]
    OPERANDS_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    op: str
    operands: _containers.RepeatedCompositeFieldContainer[Operand]
    expression: str
    def __init__(self, op: _Optional[str] = ..., operands: _Optional[_Iterable[_Union[Operand, _Mapping]]] = ..., expression: _Optional[str] = ...) -> None: ...

class Alternative(_message.Message):
    __slots__ = ("value", "span", "confidence")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    value: _common_pb2.JsonValue
    span: _common_pb2.Span
    confidence: float
    def __init__(self, value: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., span: _Optional[_Union[_common_pb2.Span, _Mapping]] = ..., confidence: _Optional[float] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[FieldAnswer]
    def __init__(self, answers: _Optional[_Iterable[_Union[FieldAnswer, _Mapping]]] = ...) -> None: ...

class FieldAnswer(_message.Message):
    __slots__ = ("name", "type", "value", "guess", "p_null", "confidence", "spans", "quotes", "unit", "reason", "computed", "alternatives", "confidences", "records")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    GUESS_FIELD_NUMBER: _ClassVar[int]
    P_NULL_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    QUOTES_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COMPUTED_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: FieldType
    value: _common_pb2.JsonValue
    guess: _common_pb2.JsonValue
    p_null: float
    confidence: float
    spans: _containers.RepeatedCompositeFieldContainer[_common_pb2.Span]
    quotes: _containers.RepeatedScalarFieldContainer[str]
    unit: str
    reason: str
    computed: Computation
    alternatives: _containers.RepeatedCompositeFieldContainer[Alternative]
    confidences: _containers.RepeatedScalarFieldContainer[float]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[FieldType, str]] = ..., value: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., guess: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., p_null: _Optional[float] = ..., confidence: _Optional[float] = ..., spans: _Optional[_Iterable[_Union[_common_pb2.Span, _Mapping]]] = ..., quotes: _Optional[_Iterable[str]] = ..., unit: _Optional[str] = ..., reason: _Optional[str] = ..., computed: _Optional[_Union[Computation, _Mapping]] = ..., alternatives: _Optional[_Iterable[_Union[Alternative, _Mapping]]] = ..., confidences: _Optional[_Iterable[float]] = ..., records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class ExtractUsage(_message.Message):
    __slots__ = ("state_tokens", "schema_tokens", "input_tokens", "output_tokens", "passes")
    STATE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    state_tokens: int
    schema_tokens: int
    input_tokens: int
    output_tokens: int
    passes: int
    def __init__(self, state_tokens: _Optional[int] = ..., schema_tokens: _Optional[int] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., passes: _Optional[int] = ...) -> None: ...

class ExtractResponse(_message.Message):
    __slots__ = ("model", "answers", "state_text", "usage", "timing")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    STATE_TEXT_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    model: str
    answers: _containers.RepeatedCompositeFieldContainer[FieldAnswer]
    state_text: str
    usage: ExtractUsage
    timing: _common_pb2.Timing
    def __init__(self, model: _Optional[str] = ..., answers: _Optional[_Iterable[_Union[FieldAnswer, _Mapping]]] = ..., state_text: _Optional[str] = ..., usage: _Optional[_Union[ExtractUsage, _Mapping]] = ..., timing: _Optional[_Union[_common_pb2.Timing, _Mapping]] = ...) -> None: ...

class ExtractStreamRequest(_message.Message):
    __slots__ = ("correlation_id", "request")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    request: ExtractRequest
    def __init__(self, correlation_id: _Optional[str] = ..., request: _Optional[_Union[ExtractRequest, _Mapping]] = ...) -> None: ...

class ExtractStreamResponse(_message.Message):
    __slots__ = ("correlation_id", "response", "error")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    response: ExtractResponse
    error: _common_pb2.StreamError
    def __init__(self, correlation_id: _Optional[str] = ..., response: _Optional[_Union[ExtractResponse, _Mapping]] = ..., error: _Optional[_Union[_common_pb2.StreamError, _Mapping]] = ...) -> None: ...
