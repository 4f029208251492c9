from quartet.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_KIND_UNSPECIFIED: _ClassVar[EventKind]
    EVENT_KIND_STEP_STARTED: _ClassVar[EventKind]
    EVENT_KIND_STEP_FINISHED: _ClassVar[EventKind]
    EVENT_KIND_STEP_SKIPPED: _ClassVar[EventKind]
    EVENT_KIND_STEP_FAILED: _ClassVar[EventKind]
    EVENT_KIND_STEP_ESCALATED: _ClassVar[EventKind]
    EVENT_KIND_TEXT: _ClassVar[EventKind]
    EVENT_KIND_RUN_FINISHED: _ClassVar[EventKind]
    EVENT_KIND_RUN_FAILED: _ClassVar[EventKind]
EVENT_KIND_UNSPECIFIED: EventKind
EVENT_KIND_STEP_STARTED: EventKind
EVENT_KIND_STEP_FINISHED: EventKind
EVENT_KIND_STEP_SKIPPED: EventKind
EVENT_KIND_STEP_FAILED: EventKind
EVENT_KIND_STEP_ESCALATED: EventKind
EVENT_KIND_TEXT: EventKind
EVENT_KIND_RUN_FINISHED: EventKind
EVENT_KIND_RUN_FAILED: EventKind

class RunRequest(_message.Message):
    __slots__ = ("name", "yaml", "input")
    NAME_FIELD_NUMBER: _ClassVar[int]
    YAML_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    name: str
    yaml: str
    input: _common_pb2.JsonValue
    def __init__(self, name: _Optional[str] = ..., yaml: _Optional[str] = ..., input: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ...) -> None: ...

class RunResponse(_message.Message):
    __slots__ = ("kind", "step", "output", "text", "elapsed_s", "reason", "message")
    KIND_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_S_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    kind: EventKind
    step: str
    output: _common_pb2.JsonValue
    text: str
    elapsed_s: float
    reason: str
    message: str
    def __init__(self, kind: _Optional[_Union[EventKind, str]] = ..., step: _Optional[str] = ..., output: _Optional[_Union[_common_pb2.JsonValue, _Mapping]] = ..., text: _Optional[str] = ..., elapsed_s: _Optional[float] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...
