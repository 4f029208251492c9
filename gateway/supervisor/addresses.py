"""Host and port pairs, and free ports."""

import random
import socket
from dataclasses import dataclass

SERVICES = ("classifier", "extractor", "forecaster", "llm")
FREE = range(20_000, 32_000)
"""Below the range from which the system takes ports for outgoing connections, so that nobody slips in between."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class PortTaken(OSError):
    """Somebody else listens on a port that was asked for."""


def parse_address(text: str) -> Address:
    """`HOST:PORT` or `:PORT`. Raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65_535:
        raise ValueError(f"{text!r} is not HOST:PORT")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


class Ports:
    """Hands out ports that are free now, none of them twice."""

    def __init__(self) -> None:
        self._given: set[int] = set()

    def settle(self, wanted: Address) -> Address:
        """The address with a real port: a free one for port 0. Raises PortTaken."""
        if wanted.port:
            if wanted.port in self._given or not _is_free(wanted):
                raise PortTaken(f"port {wanted.port} on {wanted.host} is taken")
            self._given.add(wanted.port)
            return wanted
        for port in random.sample(FREE, 200):
            address = Address(wanted.host, port)
            if port not in self._given and _is_free(address):
                self._given.add(port)
                return address
        raise PortTaken(f"no free port found on {wanted.host}")


def _is_free(address: Address) -> bool:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As servers do, so that connections which are still closing do not count as taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError:
            return False
    return True
