"""Forecast bodies to messages and back."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.rest import forecasts
from gateway.rest.errors import Failure
from quartet.v1 import forecaster_pb2 as pb
from services.runtime.json_text import dump, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
SERIES = st.fixed_dictionaries(
    {"id": TEXT, "values": st.lists(FLOAT | st.none(), max_size=5)},
    optional={"timestamps": st.lists(TEXT, min_size=1), "frequency": TEXT, "season": st.integers(0, 2**32 - 1)},
)
BODY = st.fixed_dictionaries(
    {"model": TEXT, "series": st.lists(SERIES, max_size=3), "horizon": st.integers(0, 2**32 - 1)},
    optional={
        "quantiles": st.lists(FLOAT, min_size=1),
        "non_negative": st.just(True),
        "calibrate": st.just(True),
        "integer": st.just(True),
        "backtest": st.just(True),
        "min": FLOAT,
        "max": FLOAT,
    },
)


@given(BODY)
def test_nothing_is_lost_on_the_way_to_the_message_and_back(body: dict[str, Any]) -> None:
    request = forecasts.to_request(load(json.dumps(body).encode()))
    again = pb.ForecastRequest.FromString(request.SerializeToString())
    assert json.loads(dump(forecasts.from_request(again))) == body


def body(**changes: Any) -> dict[str, Any]:
    return {"series": [{"id": "a", "values": [1, 2]}], "horizon": 2} | changes


@pytest.mark.parametrize(
    ("sent", "path", "kind"),
    [
        ({"horizon": 2}, "series", "missing"),
        ({"series": []}, "horizon", "missing"),
        (body(series={}), "series", "list_type"),
        (body(series=[3]), "series[0]", "dict_type"),
        (body(series=[{"id": "a"}]), "series[0].values", "missing"),
        (body(series=[{"values": "1,2"}]), "series[0].values", "list_type"),
        (body(series=[{"values": [1, "2"]}]), "series[0].values[1]", "float_type"),
        (body(series=[{"values": [True]}]), "series[0].values[0]", "float_type"),
        (body(series=[{"values": [10**400]}]), "series[0].values[0]", "float_type"),
        (body(series=[{"values": [1], "id": 4}]), "series[0].id", "string_type"),
        (body(series=[{"values": [1], "season": -1}]), "series[0].season", "int_type"),
        (body(series=[{"values": [1], "timestamps": [5]}]), "series[0].timestamps[0]", "string_type"),
        (body(series=[{"values": [1], "freq": "day"}]), "series[0].freq", "extra_forbidden"),
        (body(horizon="3"), "horizon", "int_type"),
        (body(horizon=-3), "horizon", "int_type"),
        (body(horizon=True), "horizon", "int_type"),
        (body(quantiles=0.5), "quantiles", "list_type"),
        (body(quantiles=[None]), "quantiles[0]", "float_type"),
        (body(non_negative=1), "non_negative", "bool_type"),
        (body(steps=3), "steps", "extra_forbidden"),
        ({"text": "", "horizon": 1}, "text", "missing"),
        ({"text": 5, "horizon": 1}, "text", "string_type"),
        (body(covariates={"price": [1]}), "covariates", "not_supported"),
        (body(series=[{"values": [1], "known_future": []}]), "series[0].known_future", "not_supported"),
        (body(min="0"), "min", "float_type"),
        (body(backtest=1), "backtest", "bool_type"),
    ],
)
def test_what_is_wrong_is_named(sent: dict[str, Any], path: str, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        forecasts.to_request(sent)
    assert [(item.path, item.kind) for item in caught.value.violations] == [(path, kind)]


def test_a_series_without_id_is_called_by_its_index() -> None:
    request = forecasts.to_request(body(series=[{"values": [None]}, {"values": [1]}]))
    assert [series.id for series in request.series] == ["0", "1"]
    assert math.isnan(request.series[0].values[0])


def test_forecasts_are_keyed_by_level() -> None:
    track = pb.QuantileTrack(level=0.1 + 0.2, values=[1.5, math.nan])
    made = pb.SeriesForecast(id="a", mean=[1], median=[2], quantiles=[track], season=7, timestamps=["t"], notes=["n"])
    response = pb.ForecastResponse(model="f-1", forecasts=[made])
    response.usage.input_points = 3
    assert json.loads(dump(forecasts.to_body(response))) == {
        "model": "f-1",
        "forecasts": [
            {
                "id": "a",
                "mean": [1.0],
                "median": [2.0],
                "quantiles": {"0.3": [1.5, None]},
                "season": 7,
                "timestamps": ["t"],
                "notes": ["n"],
            }
        ],
        "usage": {"input_points": 3, "output_points": 0},
    }


def test_a_text_travels_in_place_of_series() -> None:
    sent = {"model": "", "text": "1 2 3", "horizon": 2}
    request = forecasts.to_request(sent)
    assert request.text == "1 2 3" and not request.series
    assert forecasts.from_request(request) == sent


def test_what_was_read_and_how_it_did_is_answered() -> None:
    made = pb.Backtest(origins=2, points=8, absolute_error=1.5, naive_error=2.0, coverage_80=0.75)
    rows = [pb.TextRow(series="a", line=2, timestamp="2026-01", value=4), pb.TextRow(series="a", value=math.nan)]
    answer = pb.ForecastResponse(forecasts=[pb.SeriesForecast(id="a", backtest=made)], rows=rows, skipped_lines=[3])
    found = json.loads(dump(forecasts.to_body(answer)))
    assert found["rows"] == [
        {"series": "a", "value": 4.0, "line": 2, "timestamp": "2026-01"},
        {"series": "a", "value": None},
    ]
    assert found["skipped_lines"] == [3]
    assert found["forecasts"][0]["backtest"]["naive_error"] == 2.0
