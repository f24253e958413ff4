"""Compiles the kernels that the tests use, once before they start; otherwise, each test process would compile them itself."""

from engine.app.compiling import everything, run_part
from engine.compare.processes.workers import run_tasks

__all__ = ["compile_all"]


def compile_all(n_processes):
    """Compile all kernels in `n_processes` processes."""
    for _ in run_tasks(run_part, everything(), n_processes):
        pass
