"""Compiles the kernels that the tests use, once and before they begin: each test process would compile them for itself otherwise."""

from engine.app.compiling import EVERYTHING, LONGEST, Compilers, grouped
from engine.common.jit import mark_cache_warm

__all__ = ["compile_all"]


def compile_all(n_processes):
    """Compile all kernels in `n_processes` processes. An error there also fails a test, which reports it."""
    with Compilers(grouped(EVERYTHING), n_processes) as compilers:
        while not compilers.is_over:
            compilers.wait(LONGEST)
        if set(compilers.done) == set(EVERYTHING):
            mark_cache_warm()
