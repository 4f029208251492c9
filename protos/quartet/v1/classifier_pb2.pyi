from quartet.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NoulSpec(_message.Message):
    __slots__ = ("when_true", "when_false")
    WHEN_TRUE_FIELD_NUMBER: _ClassVar[int]
    WHEN_FALSE_FIELD_NUMBER: _ClassVar[int]
    when_true: _common_pb2.JsonValue
    when_false: _common_pb2.JsonValue
    def __init__(self, when_true: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., when_false: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("name", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: _common_pb2.JsonValue
    def __init__(self, name: _Optional[str] = ..., description: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ...) -> None: ...

class ChoiceSpec(_message.Message):
    __slots__ = ("options",)
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    options: _containers.RepeatedCompositeFieldContainer[Option]
    def __init__(self, options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ...) -> None: ...

class ScoreSpec(_message.Message):
    __slots__ = ("levels",)
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    levels: _containers.RepeatedCompositeFieldContainer[_common_pb2.JsonValue]
    def __init__(self, levels: _Optional[_Iterable[_Union[_common_pb2.JsonValue, _Mapping]]] = ...) -> None: ...

class Question(_message.Message):
    __slots__ = ("id", "instructions", "noul", "choice", "score")
    ID_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    NOUL_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    id: str
    instructions: _common_pb2.JsonValue
    noul: NoulSpec
    choice: ChoiceSpec
    score: ScoreSpec
    def __init__(self, id: _Optional[str] = ..., instructions: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., noul: _Optional[_Union[NoulSpec, _Mapping]] = ..., choice: _Optional[_Union[ChoiceSpec, _Mapping]] = ..., score: _Optional[_Union[ScoreSpec, _Mapping]] = ...) -> None: ...

class DecideRequest(_message.Message):
    __slots__ = ("model", "state", "questions")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    model: str
    state: _common_pb2.State
    questions: _containers.RepeatedCompositeFieldContainer[Question]
    def __init__(self, model: _Optional[str] = ..., state: _Optional[_Union[_common_pb2.State, _Mapping]] = ..., questions: _Optional[_Iterable[_Union[Question, _Mapping]]] = ...) -> None: ...

class NoulAnswer(_message.Message):
    __slots__ = ("probability",)
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    probability: float
    def __init__(self, probability: _Optional[float] = ...) -> None: ...

class OptionProbability(_message.Message):
    __slots__ = ("name", "probability")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    name: str
    probability: float
    def __init__(self, name: _Optional[str] = ..., probability: _Optional[float] = ...) -> None: ...

class ChoiceAnswer(_message.Message):
    __slots__ = ("choice", "probabilities", "confidence")
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITIES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    choice: str
    probabilities: _containers.RepeatedCompositeFieldContainer[OptionProbability]
    confidence: float
    def __init__(self, choice: _Optional[str] = ..., probabilities: _Optional[_Iterable[_Union[OptionProbability, _Mapping]]] = ..., confidence: _Optional[float] = ...) -> None: ...

class ScoreAnswer(_message.Message):
    __slots__ = ("score", "probabilities", "confidence", "legend")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITIES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LEGEND_FIELD_NUMBER: _ClassVar[int]
    score: float
    probabilities: _containers.RepeatedScalarFieldContainer[float]
    confidence: float
    legend: _containers.RepeatedCompositeFieldContainer[_common_pb2.JsonValue]
    def __init__(self, score: _Optional[float] = ..., probabilities: _Optional[_Iterable[float]] = ..., confidence: _Optional[float] = ..., legend: _Optional[_Iterable[_Union[_common_pb2.JsonValue, _Mapping]]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("id", "noul", "choice", "score")
    ID_FIELD_NUMBER: _ClassVar[int]
    NOUL_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    id: str
    noul: NoulAnswer
    choice: ChoiceAnswer
    score: ScoreAnswer
    def __init__(self, id: _Optional[str] = ..., noul: _Optional[_Union[NoulAnswer, _Mapping]] = ..., choice: _Optional[_Union[ChoiceAnswer, _Mapping]] = ..., score: _Optional[_Union[ScoreAnswer, _Mapping]] = ...) -> None: ...

class DecideUsage(_message.Message):
    __slots__ = ("input_tokens", "output_tokens")
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    input_tokens: int
    output_tokens: int
    def __init__(self, input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("model", "answers", "usage", "timing")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    model: str
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    usage: DecideUsage
    timing: _common_pb2.Timing
    def __init__(self, model: _Optional[str] = ..., answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ..., usage: _Optional[_Union[DecideUsage, _Mapping]] = ..., timing: _Optional[_Union[_common_pb2.Timing, _Mapping]] = ...) -> None: ...

class DecideStreamRequest(_message.Message):
    __slots__ = ("correlation_id", "request")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    request: DecideRequest
    def __init__(self, correlation_id: _Optional[str] = ..., request: _Optional[_Union[DecideRequest, _Mapping]] = ...) -> None: ...

class DecideStreamResponse(_message.Message):
    __slots__ = ("correlation_id", "response", "error")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    response: DecideResponse
    error: _common_pb2.StreamError
    def __init__(self, correlation_id: _Optional[str] = ..., response: _Optional[_Union[DecideResponse, _Mapping]] = ..., error: _Optional[_Union[_common_pb2.StreamError, _Mapping]] = ...) -> None: ...
