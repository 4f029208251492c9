"""No child outlives the supervisor, even when that is killed without warning."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> Callable[[], None] | None:
    """What a child runs before its program: on Linux it asks the kernel for SIGKILL when its parent ends.

    None elsewhere; there a child that lost its supervisor goes on until it is stopped by hand.
    """
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != parent:  # it ended before the kernel was asked
            os._exit(1)

    return ask
