from gateway.cascades import messages
from gateway.cascades.definition import Decide, Extract
from gateway.cascades.engine import advance
from gateway.cascades.library import Library
from gateway.cascades.state import Begin, Call, State
from quartet.v1 import classifier_pb2, common_pb2, extractor_pb2


def test_the_shipped_cascade_makes_valid_messages() -> None:
    made = Library.load().get("support")
    _, commands = advance(made, State(input={"email": "My order is broken", "received": "2026-03-02"}), Begin())
    call = next(command for command in commands if isinstance(command, Call))
    request = messages.extract_request(call.request)
    assert request.state.text == "My order is broken"
    assert request.reference_date == "2026-03-02"
    body = made.step("facts").body
    assert isinstance(body, Extract)
    assert [field.name for field in request.fields] == [field["name"] for field in body.fields]
    assert request.fields[2].type == extractor_pb2.FIELD_TYPE_MONEY
    mood = made.step("mood").body
    assert isinstance(mood, Decide)
    decide = messages.decide_request({"model": "", "state": {"a": 1}, "questions": list(mood.questions)})
    assert [q.WhichOneof("spec") for q in decide.questions] == ["choice", "noul", "score"]
    assert decide.state.json.json == b'{"a": 1}'


def test_answers_stand_as_values_and_in_full() -> None:
    answer = extractor_pb2.FieldAnswer(
        name="price",
        value=common_pb2.JsonValue(json=b'{"amount": "130.00", "currency": "USD"}'),
        p_null=0.1,
        confidence=0.8,
        spans=[common_pb2.Span(start=3, end=9)],
    )
    output = messages.extract_output(extractor_pb2.ExtractResponse(model="m", answers=[answer]))
    assert output["values"] == {"price": {"amount": "130.00", "currency": "USD"}}
    assert output["answers"]["price"]["spans"] == [[3, 9]]
    noul = classifier_pb2.Answer(id="q", noul=classifier_pb2.NoulAnswer(probability=0.4))
    decided = messages.decide_output(classifier_pb2.DecideResponse(answers=[noul]))
    assert decided["values"] == {"q": False}
