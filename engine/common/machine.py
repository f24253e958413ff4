"""The computer that runs the program, for reports."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

__all__ = ["machine_facts", "n_cores", "processor_name"]

_CPU_INFO = Path("/proc/cpuinfo")


def n_cores() -> int:
    """Return the number of processor cores that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_name() -> str:
    """Return the processor's model as the system names it, or "unknown"."""
    if platform.system() == "Darwin":
        try:
            answer = subprocess.run(["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, timeout=10.0)
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"
        return answer.stdout.strip() or "unknown"
    if platform.system() == "Linux":  # platform.processor() is empty or the architecture here
        try:
            lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return "unknown"
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "") or "unknown"
    return platform.processor() or "unknown"


def machine_facts() -> dict[str, str]:
    """Return the system, the architecture, the processor, its logical cores, and the Python version."""
    return {
        "system": platform.system() or "unknown",
        "machine": platform.machine() or "unknown",
        "processor": processor_name(),
        "cores": str(os.cpu_count() or "unknown"),
        "python": platform.python_version(),
    }
