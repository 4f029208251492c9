"""Estimate bodies to messages and back."""

import json
from typing import Any

import pytest

from gateway.rest import estimates
from gateway.rest.errors import Failure
from quartet.v1 import forecaster_pb2 as pb
from services.runtime.json_text import dump, load


def body(**changes: Any) -> dict[str, Any]:
    return {"records": [{"a": 1, "y": 2}], "target": "y", "queries": [{"a": 3}]} | changes


@pytest.mark.parametrize(
    ("sent", "path", "kind"),
    [
        ({"target": "y"}, "records", "missing"),
        ({"records": [{"y": 1}]}, "target", "missing"),
        (body(records=[3]), "records[0]", "dict_type"),
        (body(records={"a": 1}), "records", "list_type"),
        (body(queries=["a"]), "queries[0]", "dict_type"),
        (body(target=3), "target", "string_type"),
        (body(quantiles=["0.5"]), "quantiles[0]", "float_type"),
        (body(min="0"), "min", "float_type"),
        (body(scale="cubic"), "scale", "enum"),
        (body(rows=[]), "rows", "extra_forbidden"),
    ],
)
def test_what_is_wrong_is_named(sent: dict[str, Any], path: str, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        estimates.to_request(load(json.dumps(sent).encode()))
    assert (caught.value.violations[0].path, caught.value.violations[0].kind) == (path, kind)


def test_records_travel_as_they_are() -> None:
    sent = b'{"records": [{"b": 1.50, "a": null}], "target": "a", "min": 0, "scale": "log", "x_trace": 1}'
    request = estimates.to_request(load(sent))
    assert request.records[0].json == b'{"b":1.50,"a":null}'
    assert (request.min, request.HasField("max"), request.scale) == (0.0, False, pb.ESTIMATE_SCALE_LOG)


def test_records_may_be_a_text() -> None:
    request = estimates.to_request(body(records="a,y\n1,2\n3,"))
    assert request.text.startswith("a,y") and not request.records


def test_an_answer_as_json() -> None:
    one = pb.Estimated(mean=1.5, median=1.25, notes=["few_records"], p_below=0.0, record=0)
    one.quantiles.add(level=0.1, value=1.0)
    two = pb.Estimated(mean=3.0, mean_date="1970-01-04", median=2.0, median_date="1970-01-03")
    response = pb.EstimateResponse(model="m-1", estimates=[one, two], usage=pb.EstimateUsage(records=4, columns=["a"]))
    made = json.loads(dump(estimates.to_body(response)))
    assert made["estimates"][0] == {
        "record": 0,
        "mean": 1.5,
        "median": 1.25,
        "quantiles": {"0.1": 1.0},
        "p_below": 0.0,
        "notes": ["few_records"],
    }
    assert (made["estimates"][1]["mean"], made["estimates"][1]["median"]) == ("1970-01-04", "1970-01-03")
    assert made["usage"] == {"records": 4, "columns": ["a"]}
