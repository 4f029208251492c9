"""`python -m gateway`: REST, cascades and gRPC at the edge, in one process on one event loop."""

from gateway.config import GatewayConfig
from gateway.edge import Edge, load
from services.runtime.lifecycle import ServiceSpec, main

EDGE = Edge()
SPEC = ServiceSpec(
    name="gateway",
    service="quartet.v1.CascadeService",
    config=GatewayConfig,
    load=load,
    register=EDGE.register,
    started=EDGE.started,
)

if __name__ == "__main__":
    main(SPEC)
