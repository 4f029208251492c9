"""Estimate messages to questions, estimates to messages."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quartet.v1 import common_pb2, forecaster_pb2
from services.forecaster.estimation import columns
from services.forecaster.estimation.columns import Columns
from services.forecaster.estimation.limits import MAX_QUERIES, MAX_RECORDS
from services.forecaster.estimation.model import Bounds, Estimates, Question, Scale
from services.forecaster.estimation.records import Table, split
from services.forecaster.levels import read_levels
from services.forecaster.tables import MAX_TEXT, TableError, read_table
from services.runtime import json_text
from services.runtime.batching import Answered
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField

_FINEST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked request."""

    table: Table
    columns: Columns
    question: Question

    @property
    def cost(self) -> int:
        """Cells that are read."""
        rows, width = map(int, self.question.stated.shape)
        return (rows + len(self.question.asked)) * (width + 1)


def parse(request: forecaster_pb2.EstimateRequest) -> Prepared:
    """Check a request. Raises InvalidField or InputTooLong, naming the field."""
    levels, bounds, scale = read_levels(request.quantiles), _bounds(request), _scale(request.scale)
    records, source = _records(request)
    queries = [json_text.read(query, f"queries[{i}]") for i, query in enumerate(request.queries[: MAX_QUERIES + 1])]
    if len(request.queries) > MAX_QUERIES:
        raise InputTooLong("queries", limit=MAX_QUERIES, actual=len(request.queries), field="queries")
    table = split(records, queries, request.target, source=source)
    values = np.array(table.target.values)
    if scale is Scale.LOG and (table.target.style or values.min() <= 0):
        what = "needs targets that are positive numbers"
        raise InvalidField(FieldViolation("scale", f"log {what}", "not_positive"))
    made = columns.build(table.stated, table.asked)
    return Prepared(table, made, Question(made.stated, values, made.asked, levels, bounds, scale))


def reply(
    model: str, prepared: Prepared, answered: Answered[Estimates], began: float
) -> forecaster_pb2.EstimateResponse:
    """The answer as a message."""
    table, question = prepared.table, prepared.question
    common = (*answered.value.notes, *_common_notes(prepared))
    message = forecaster_pb2.EstimateResponse(
        model=model,
        usage=forecaster_pb2.EstimateUsage(records=len(table.stated), columns=prepared.columns.used),
        timing=common_pb2.Timing(
            queue_s=answered.queue_s,
            model_s=answered.run_s,
            total_s=time.monotonic() - began,
            batch_size=answered.batch_size,
            input_tokens=len(question.stated) + len(question.asked),
        ),
    )
    for i in range(len(question.asked)):
        message.estimates.append(_estimated(prepared, answered.value, i, (*common, *prepared.columns.notes[i])))
    return message


def _estimated(prepared: Prepared, answer: Estimates, i: int, notes: Sequence[str]) -> forecaster_pb2.Estimated:
    target = prepared.table.target
    out = forecaster_pb2.Estimated(mean=answer.mean[i], median=answer.median[i], notes=notes)
    out.mean_date, out.median_date = target.write(out.mean), target.write(out.median)
    for level, value in zip(prepared.question.levels, answer.quantiles[i], strict=True):
        out.quantiles.add(level=level, value=value, date=target.write(value))
    if answer.below is not None:
        out.p_below = answer.below[i]
    if answer.above is not None:
        out.p_above = answer.above[i]
    if prepared.table.indices is not None:
        out.record = prepared.table.indices[i]
    return out


def _common_notes(prepared: Prepared) -> list[str]:
    notes = [f"not_used:{key}" for key in prepared.columns.unused]
    if prepared.table.skipped:
        notes.append(f"records_without_target:{prepared.table.skipped}")
    values, bounds = prepared.question.y, prepared.question.bounds
    if (bounds.low is not None and values.min() < bounds.low) or (
        bounds.high is not None and values.max() > bounds.high
    ):
        notes.append("records_outside_bounds")
    return notes


def _records(request: forecaster_pb2.EstimateRequest) -> tuple[list[Any], str]:
    if request.text and request.records:
        raise InvalidField(FieldViolation("text", "stands beside `records`; send one of them", "conflict"))
    if request.text:
        if len(request.text) > MAX_TEXT:
            raise InputTooLong("characters of text", limit=MAX_TEXT, actual=len(request.text), field="text")
        try:
            return [row.cells for row in read_table(request.text)], "text"
        except TableError as error:
            raise InvalidField(FieldViolation("text", str(error), "no_table")) from None
    if not request.records:
        raise InvalidField(FieldViolation("records", "is empty; at least one must state the target", "too_short"))
    if len(request.records) > MAX_RECORDS:
        raise InputTooLong("records", limit=MAX_RECORDS, actual=len(request.records), field="records")
    return [json_text.read(record, f"records[{i}]") for i, record in enumerate(request.records)], "records"


def _scale(scale: int) -> Scale:
    if scale == forecaster_pb2.ESTIMATE_SCALE_LOG:
        return Scale.LOG
    if scale in (forecaster_pb2.ESTIMATE_SCALE_UNSPECIFIED, forecaster_pb2.ESTIMATE_SCALE_LINEAR):
        return Scale.LINEAR
    raise InvalidField(FieldViolation("scale", f"{scale} is not known", "enum"))


def _bounds(request: forecaster_pb2.EstimateRequest) -> Bounds:
    given = {name: getattr(request, name) for name in ("min", "max", "step") if request.HasField(name)}
    for name, value in given.items():
        if not math.isfinite(value):
            raise InvalidField(FieldViolation(name, "must be finite", "out_of_range"))
    low, high, step = given.get("min"), given.get("max"), given.get("step")
    if low is not None and high is not None and low >= high:
        raise InvalidField(FieldViolation("max", "must be above `min`", "out_of_range"))
    if step is not None:
        if step < _FINEST:
            raise InvalidField(FieldViolation("step", f"must be at least {_FINEST:g}", "out_of_range"))
        if low is not None and high is not None and step > high - low:
            raise InvalidField(FieldViolation("step", "is larger than the distance of `min` and `max`", "out_of_range"))
    return Bounds(low, high, step)
