from quartet.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EstimateScale(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ESTIMATE_SCALE_UNSPECIFIED: _ClassVar[EstimateScale]
    ESTIMATE_SCALE_LINEAR: _ClassVar[EstimateScale]
    ESTIMATE_SCALE_LOG: _ClassVar[EstimateScale]
ESTIMATE_SCALE_UNSPECIFIED: EstimateScale
ESTIMATE_SCALE_LINEAR: EstimateScale
ESTIMATE_SCALE_LOG: EstimateScale

class Series(_message.Message):
    __slots__ = ("id", "values", "timestamps", "season", "frequency")
    ID_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPS_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    FREQUENCY_FIELD_NUMBER: _ClassVar[int]
    id: str
    values: _containers.RepeatedScalarFieldContainer[float]
    timestamps: _containers.RepeatedScalarFieldContainer[str]
    season: int
    frequency: str
    def __init__(self, id: _Optional[str] = ..., values: _Optional[_Iterable[float]] = ..., timestamps: _Optional[_Iterable[str]] = ..., season: _Optional[int] = ..., frequency: _Optional[str] = ...) -> None: ...

class ForecastRequest(_message.Message):
    __slots__ = ("model", "series", "horizon", "quantiles", "non_negative", "calibrate", "text", "integer", "min", "max", "backtest")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    HORIZON_FIELD_NUMBER: _ClassVar[int]
    QUANTILES_FIELD_NUMBER: _ClassVar[int]
    NON_NEGATIVE_FIELD_NUMBER: _ClassVar[int]
    CALIBRATE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    BACKTEST_FIELD_NUMBER: _ClassVar[int]
    model: str
    series: _containers.RepeatedCompositeFieldContainer[Series]
    horizon: int
    quantiles: _containers.RepeatedScalarFieldContainer[float]
    non_negative: bool
    calibrate: bool
    text: str
    integer: bool
    min: float
    max: float
    backtest: bool
    def __init__(self, model: _Optional[str] = ..., series: _Optional[_Iterable[_Union[Series, _Mapping]]] = ..., horizon: _Optional[int] = ..., quantiles: _Optional[_Iterable[float]] = ..., non_negative: _Optional[bool] = ..., calibrate: _Optional[bool] = ..., text: _Optional[str] = ..., integer: _Optional[bool] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., backtest: _Optional[bool] = ...) -> None: ...

class QuantileTrack(_message.Message):
    __slots__ = ("level", "values")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    level: float
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, level: _Optional[float] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class Backtest(_message.Message):
    __slots__ = ("origins", "points", "absolute_error", "naive_error", "coverage_80")
    ORIGINS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    ABSOLUTE_ERROR_FIELD_NUMBER: _ClassVar[int]
    NAIVE_ERROR_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_80_FIELD_NUMBER: _ClassVar[int]
    origins: int
    points: int
    absolute_error: float
    naive_error: float
    coverage_80: float
    def __init__(self, origins: _Optional[int] = ..., points: _Optional[int] = ..., absolute_error: _Optional[float] = ..., naive_error: _Optional[float] = ..., coverage_80: _Optional[float] = ...) -> None: ...

class SeriesForecast(_message.Message):
    __slots__ = ("id", "mean", "median", "quantiles", "season", "timestamps", "notes", "backtest")
    ID_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MEDIAN_FIELD_NUMBER: _ClassVar[int]
    QUANTILES_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    BACKTEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    mean: _containers.RepeatedScalarFieldContainer[float]
    median: _containers.RepeatedScalarFieldContainer[float]
    quantiles: _containers.RepeatedCompositeFieldContainer[QuantileTrack]
    season: int
    timestamps: _containers.RepeatedScalarFieldContainer[str]
    notes: _containers.RepeatedScalarFieldContainer[str]
    backtest: Backtest
    def __init__(self, id: _Optional[str] = ..., mean: _Optional[_Iterable[float]] = ..., median: _Optional[_Iterable[float]] = ..., quantiles: _Optional[_Iterable[_Union[QuantileTrack, _Mapping]]] = ..., season: _Optional[int] = ..., timestamps: _Optional[_Iterable[str]] = ..., notes: _Optional[_Iterable[str]] = ..., backtest: _Optional[_Union[Backtest, _Mapping]] = ...) -> None: ...

class TextRow(_message.Message):
    __slots__ = ("series", "line", "timestamp", "value")
    SERIES_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    series: str
    line: int
    timestamp: str
    value: float
    def __init__(self, series: _Optional[str] = ..., line: _Optional[int] = ..., timestamp: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...

class ForecastUsage(_message.Message):
    __slots__ = ("input_points", "output_points")
    INPUT_POINTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_POINTS_FIELD_NUMBER: _ClassVar[int]
    input_points: int
    output_points: int
    def __init__(self, input_points: _Optional[int] = ..., output_points: _Optional[int] = ...) -> None: ...

class ForecastResponse(_message.Message):
    __slots__ = ("model", "forecasts", "usage", "timing", "rows", "skipped_lines")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    FORECASTS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_LINES_FIELD_NUMBER: _ClassVar[int]
    model: str
    forecasts: _containers.RepeatedCompositeFieldContainer[SeriesForecast]
    usage: ForecastUsage
    timing: _common_pb2.Timing
    rows: _containers.RepeatedCompositeFieldContainer[TextRow]
    skipped_lines: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, model: _Optional[str] = ..., forecasts: _Optional[_Iterable[_Union[SeriesForecast, _Mapping]]] = ..., usage: _Optional[_Union[ForecastUsage, _Mapping]] = ..., timing: _Optional[_Union[_common_pb2.Timing, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[TextRow, _Mapping]]] = ..., skipped_lines: _Optional[_Iterable[int]] = ...) -> None: ...

class ForecastStreamRequest(_message.Message):
    __slots__ = ("correlation_id", "request")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    request: ForecastRequest
    def __init__(self, correlation_id: _Optional[str] = ..., request: _Optional[_Union[ForecastRequest, _Mapping]] = ...) -> None: ...

class ForecastStreamResponse(_message.Message):
    __slots__ = ("correlation_id", "response", "error")
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    correlation_id: str
    response: ForecastResponse
    error: _common_pb2.StreamError
    def __init__(self, correlation_id: _Optional[str] = ..., response: _Optional[_Union[ForecastResponse, _Mapping]] = ..., error: _Optional[_Union[_common_pb2.StreamError, _Mapping]] = ...) -> None: ...

class EstimateRequest(_message.Message):
    __slots__ = ("model", "records", "text", "target", "queries", "quantiles", "min", "max", "step", "scale")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    QUANTILES_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    model: str
    records: _containers.RepeatedCompositeFieldContainer[_common_pb2.JsonValue]
    text: str
    target: str
    queries: _containers.RepeatedCompositeFieldContainer[_common_pb2.JsonValue]
    quantiles: _containers.RepeatedScalarFieldContainer[float]
    min: float
    max: float
    step: float
    scale: EstimateScale
    def __init__(self, model: _Optional[str] = ..., records: _Optional[_Iterable[_Union[_common_pb2.JsonValue, _Mapping]]] = ..., text: _Optional[str] = ..., target: _Optional[str] = ..., queries: _Optional[_Iterable[_Union[_common_pb2.JsonValue, _Mapping]]] = ..., quantiles: _Optional[_Iterable[float]] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., step: _Optional[float] = ..., scale: _Optional[_Union[EstimateScale, str]] = ...) -> None: ...

class EstimateQuantile(_message.Message):
    __slots__ = ("level", "value", "date")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    DATE_FIELD_NUMBER: _ClassVar[int]
    level: float
    value: float
    date: str
    def __init__(self, level: _Optional[float] = ..., value: _Optional[float] = ..., date: _Optional[str] = ...) -> None: ...

class Estimated(_message.Message):
    __slots__ = ("mean", "median", "quantiles", "p_below", "p_above", "notes", "record", "mean_date", "median_date")
    MEAN_FIELD_NUMBER: _ClassVar[int]
    MEDIAN_FIELD_NUMBER: _ClassVar[int]
    QUANTILES_FIELD_NUMBER: _ClassVar[int]
    P_BELOW_FIELD_NUMBER: _ClassVar[int]
    P_ABOVE_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    MEAN_DATE_FIELD_NUMBER: _ClassVar[int]
    MEDIAN_DATE_FIELD_NUMBER: _ClassVar[int]
    mean: float
    median: float
    quantiles: _containers.RepeatedCompositeFieldContainer[EstimateQuantile]
    p_below: float
    p_above: float
    notes: _containers.RepeatedScalarFieldContainer[str]
    record: int
    mean_date: str
    median_date: str
    def __init__(self, mean: _Optional[float] = ..., median: _Optional[float] = ..., quantiles: _Optional[_Iterable[_Union[EstimateQuantile, _Mapping]]] = ..., p_below: _Optional[float] = ..., p_above: _Optional[float] = ..., notes: _Optional[_Iterable[str]] = ..., record: _Optional[int] = ..., mean_date: _Optional[str] = ..., median_date: _Optional[str] = ...) -> None: ...

class EstimateUsage(_message.Message):
    __slots__ = ("records", "columns")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    records: int
    columns: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, records: _Optional[int] = ..., columns: _Optional[_Iterable[str]] = ...) -> None: ...

class EstimateResponse(_message.Message):
    __slots__ = ("model", "estimates", "usage", "timing")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ESTIMATES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    model: str
    estimates: _containers.RepeatedCompositeFieldContainer[Estimated]
    usage: EstimateUsage
    timing: _common_pb2.Timing
    def __init__(self, model: _Optional[str] = ..., estimates: _Optional[_Iterable[_Union[Estimated, _Mapping]]] = ..., usage: _Optional[_Union[EstimateUsage, _Mapping]] = ..., timing: _Optional[_Union[_common_pb2.Timing, _Mapping]] = ...) -> None: ...
