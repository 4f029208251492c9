"""Whatever is sent, a text is read or refused; nothing else happens."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from quartet.v1 import forecaster_pb2
from services.forecaster import estimates, forecasts
from services.runtime.errors import QuartetError
from services.runtime.json_text import message

PIECES = st.sampled_from(
    [
        *"2026-01-0 1 2 31 , ; | - / . ? = { } [ ] null e9 % € y a Q1 T25:00 \u2212 \u0663 ²".split(),
        *("\t", "  ", "\n", ": ", "Jan ", " 2026", '"', "\x00", "9" * 400),
    ]
)
TEXT = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=30)
CELL = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
RECORD = st.dictionaries(st.sampled_from(["y", "a", "b", ""]), CELL, max_size=4)


@given(TEXT)
@settings(deadline=None, max_examples=300)
def test_any_text(text: str) -> None:
    with contextlib.suppress(QuartetError):
        forecasts.parse(forecaster_pb2.ForecastRequest(text=text, horizon=2))
    with contextlib.suppress(QuartetError):
        estimates.parse(forecaster_pb2.EstimateRequest(text=text, target="y"))


@given(st.lists(RECORD, max_size=6), st.lists(RECORD, max_size=2))
@settings(deadline=None, max_examples=200)
def test_any_records(records: list[dict[str, object]], queries: list[dict[str, object]]) -> None:
    with contextlib.suppress(QuartetError):
        estimates.parse(
            forecaster_pb2.EstimateRequest(
                records=[message(r) for r in records], queries=[message(q) for q in queries], target="y"
            )
        )
