"""How many threads a session may use: the cgroup's CPU quota, not the host's core count."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def cpu_threads(root: Path = CGROUP) -> int:
    """Whole cores that this process may use, at least 1: the smaller of affinity and cgroup quota (v2 or v1)."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota(root)
    return max(1, min(allowed, int(quota) if quota else allowed))


def _quota(root: Path) -> float | None:
    try:
        limit, period = (root / "cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        pass
    try:
        limit_us = int((root / "cpu/cpu.cfs_quota_us").read_text())
        period_us = int((root / "cpu/cpu.cfs_period_us").read_text())
        return None if limit_us <= 0 else limit_us / period_us
    except (OSError, ValueError):
        return None
