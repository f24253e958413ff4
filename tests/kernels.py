"""Compiles the kernels that the tests use, once before they start; otherwise, each test process would compile them itself."""

from engine.app.compiling import EVERYTHING, LONGEST, Compilers, grouped
from engine.common.jit import mark_cache_warm

__all__ = ["compile_all"]


def compile_all(n_processes):
    """Compile all kernels in `n_processes` processes. Errors are ignored here, because they also fail a test, which reports them."""
    with Compilers(grouped(EVERYTHING), n_processes) as compilers:
        while not compilers.is_over:
            compilers.wait(LONGEST)
        if set(compilers.done) == set(EVERYTHING):
            mark_cache_warm()
