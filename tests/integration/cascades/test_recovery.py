"""A cascade goes on when a service dies under it: the supervisor starts the service again, the step is tried again."""

import json
import os
import signal
import sys

import grpc
import pytest

from gateway.supervisor.background import background_stack
from quartet.v1 import cascade_pb2, cascade_pb2_grpc, common_pb2
from tests.integration.supervisor.test_up import children

YAML = """
cascade: t
steps: {a: {kind: forecast, series: input.s, horizon: 2, retries: RETRIES}}
output: {f: steps.a.values}
"""


def request(retries: int) -> cascade_pb2.RunRequest:
    given = common_pb2.JsonValue(json=json.dumps({"s": [1, 2, 3, 4, 5, 6, 7, 8]}).encode())
    return cascade_pb2.RunRequest(yaml=YAML.replace("RETRIES", str(retries)), input=given)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_step_survives_the_death_of_its_service() -> None:
    with background_stack(only=("forecaster", "gateway")) as stack, grpc.insecure_channel(stack.gateway) as channel:
        cascades = cascade_pb2_grpc.CascadeServiceStub(channel)  # type: ignore[no-untyped-call]
        before = list(cascades.Run(request(0), timeout=60))[-1]
        os.kill(children(stack.pid)["services.forecaster"], signal.SIGKILL)
        failed = list(cascades.Run(request(0), timeout=60))[-1]
        assert (failed.kind, failed.reason) == (cascade_pb2.EVENT_KIND_RUN_FAILED, "SERVICE_UNAVAILABLE")
        after = list(cascades.Run(request(7), timeout=60))[-1]
        assert json.loads(after.output.json) == json.loads(before.output.json)
