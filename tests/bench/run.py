"""`make bench`: what the wire costs over the bare model, and what everything weighs. Ratios of medians in one run.

python -m tests.bench.run [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc

import services.classifier
from gateway.supervisor.background import background_stack
from quartet.v1 import classifier_pb2 as pb
from quartet.v1 import classifier_pb2_grpc, common_pb2
from services.classifier.model import Classifier
from services.classifier.wire import request_of
from services.runtime.onnx.card import Card
from services.runtime.onnx.session import Array, Session
from tests.bench.measure import in_turn, resident_mib

STATE = (
    "From: a customer. The parcel with the lamp arrived this morning and the glass shade is in pieces. I paid for "
    "express delivery because I need the lamp for a photo shoot on Friday. The box looked fine from outside, but "
    "there was hardly any padding around the shade. I have taken pictures of the damage and of the packaging and can "
    "send them today. Please tell me what you need from me and how long it will take, because the shoot cannot be "
    "moved and I would have to rent a lamp. "
)
QUESTIONS = {
    "team": ("Which team should handle this?", ("returns", "delivery", "billing", "technical support")),
    "tone": ("What is the tone of the message?", ("calm", "annoyed", "furious")),
}


def decision(states: int = 1, questions: int = 1) -> pb.DecideRequest:
    """A request of `questions` choices on a text of `states` paragraphs; one of each is about 128 tokens."""
    names = list(QUESTIONS)
    asked = []
    for number in range(questions):
        text, options = QUESTIONS[names[number % len(names)]]
        spec = pb.ChoiceSpec(options=[pb.Option(name=name) for name in options])
        asked.append(pb.Question(id=f"q{number}", instructions=common_pb2.JsonValue(text=text), choice=spec))
    return pb.DecideRequest(state=common_pb2.State(text=STATE * states), questions=asked)


class Bare:
    """The classifier in this process, timing nothing but the runs of its graph."""

    def __init__(self) -> None:
        folder = max(Path(services.classifier.__file__).parent.glob("weights/*/card.json")).parent
        self.model = Classifier(folder, Card.load(folder))
        self._spent = 0.0
        run = Session.run

        def timed(session: Session, feeds: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Array]:
            start = time.perf_counter()
            result = run(session, feeds, outputs)
            self._spent += time.perf_counter() - start
            return result

        Session.run = timed  # type: ignore[method-assign,assignment]

    def decide(self, request: pb.DecideRequest) -> float:
        """Seconds inside ONNX Runtime for one decision."""
        self._spent = 0.0
        self.model.decide(self.model.prepare(request_of(request)))
        return self._spent


def rest(url: str, request: pb.DecideRequest) -> Callable[[], None]:
    """The same decision over HTTP."""
    questions = {
        q.id: {
            "type": "choice",
            "instructions": q.instructions.text,
            "criteria": {o.name: None for o in q.choice.options},
        }
        for q in request.questions
    }
    body = json.dumps({"model": "jev-latest", "state": request.state.text, "questions": questions}).encode()
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)

    def call() -> None:
        connection.request("POST", "/v1/systemone", body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        content = reply.read()
        if reply.status != 200:
            raise RuntimeError(content.decode())

    return call


def measure(rounds: int) -> list[tuple[str, str]]:
    """Every figure with its meaning."""
    one, ten, long_one, long_ten = decision(), decision(questions=10), decision(states=9), decision(9, 10)
    bare = Bare()
    with background_stack() as stack, grpc.insecure_channel(stack.classifier) as channel:
        stub = classifier_pb2_grpc.ClassifierServiceStub(channel)  # type: ignore[no-untyped-call]
        tokens = stub.Decide(one).timing.input_tokens
        times = in_turn(
            rounds,
            {
                "bare": lambda: bare.decide(one),
                "grpc": lambda: ask(stub, one),
                "rest": rest(stack.http, one),
                "ten": lambda: ask(stub, ten),
            },
        )
        long = in_turn(max(2, rounds // 5), {"one": lambda: ask(stub, long_one), "ten": lambda: ask(stub, long_ten)})
        memory = resident_mib(stack.pid)
    total = sum(memory.values())
    return [
        ("tokens of the decision", f"{tokens}"),
        ("bare session, p50", f"{times['bare'] * 1e3:.1f} ms"),
        ("service over gRPC, p50", f"{times['grpc'] * 1e3:.1f} ms"),
        ("service / bare session", f"{times['grpc'] / times['bare']:.2f}"),
        ("REST / gRPC", f"{times['rest'] / times['grpc']:.2f}"),
        ("ten questions in one request / ten requests", f"{times['ten'] / (10 * times['grpc']):.2f}"),
        ("the same on a state nine times as long", f"{long['ten'] / (10 * long['one']):.2f}"),
        *((f"resident, {name}", f"{mib:.0f} MiB") for name, mib in sorted(memory.items())),
        ("resident, all", f"{total:.0f} MiB"),
    ]


def ask(stub: Any, request: pb.DecideRequest) -> None:
    """One call, its reply dropped."""
    stub.Decide(request, timeout=60)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with suppress(OSError):
        os.setsid()  # a session of its own, as the services have: Linux shares the CPU by session
    rows = measure(args.rounds)
    if args.json:
        print(json.dumps(dict(rows), indent=2))
    else:
        for name, value in rows:
            print(f"{name:<48} {value:>10}")


if __name__ == "__main__":
    main()
