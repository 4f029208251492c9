"""ONNX Runtime sessions with sane defaults for a shared machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

Array = npt.NDArray[Any]
CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


class Session:
    """One loaded graph."""

    def __init__(self, inner: ort.InferenceSession) -> None:
        self._inner = inner
        self.input_names = tuple(i.name for i in inner.get_inputs())
        self.output_names = tuple(o.name for o in inner.get_outputs())
        self.provider: str = inner.get_providers()[0]

    @property
    def inner(self) -> ort.InferenceSession:
        """The ONNX Runtime session, for IO binding."""
        return self._inner

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Array]:
        """Run the graph once and return the named outputs, all of them by default, in order.

        Raises onnxruntime's errors for a wrong name, dtype or shape.
        """
        result: list[Array] = self._inner.run(list(outputs) if outputs else None, dict(feeds))
        return result


def open_session(
    path: Path, *, threads: int = 1, provider: str = "auto", optimise: bool = True, cpu_arena: bool = True
) -> Session:
    """Load a graph.

    `provider` is auto (CUDA when it works, else CPU), cpu or cuda. Threads do not spin: an idle session must not take
    CPU from the other services. `optimise` False keeps a graph that was optimised at export as it is.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = cpu_arena
    if not optimise:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return Session(ort.InferenceSession(str(path), options, providers=_providers(provider)))


def _providers(provider: str) -> list[str]:
    offered = ort.get_available_providers()
    if provider == "cuda" and CUDA not in offered:
        raise ValueError("provider cuda was asked for, but this onnxruntime has no CUDA: install quartet[gpu]")
    wanted = {"cpu": [CPU], "cuda": [CUDA, CPU], "auto": [CUDA, CPU]}
    if provider not in wanted:
        raise ValueError(f"provider must be auto, cpu or cuda, not {provider!r}")
    return [name for name in wanted[provider] if name in offered]


def as_int64(values: Sequence[int]) -> npt.NDArray[np.int64]:
    """A row of integers as the dtype that token graphs take."""
    return np.asarray(values, dtype=np.int64)
