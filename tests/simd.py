"""Helpers for tests of SIMD kernels: comparing columns bit for bit, and counting vector instructions."""

import os
import re

import numpy as np
import pytest

from engine.common.jit import has_wide_registers

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"

needs_registers = pytest.mark.skipif(not has_wide_registers(), reason="no AVX2, or kernels are not compiled")


def assert_same_bits(names, ours, theirs):
    """Compare columns of equal length; a failure names them."""
    for name, expected, other in zip(names, ours, theirs, strict=True):
        differ = np.flatnonzero((expected.view(np.int64) != other.view(np.int64)).reshape(len(expected), -1).any(axis=1))
        assert len(differ) == 0, f"{name} differs in rows {differ[:5].tolist()}"


def vector_instructions(kernel, types, **options):
    """Compile a kernel without the cache, and return how often each vector instruction occurs in its code.

    A small edit can cost a factor of three without changing an answer; here, it would show as scalar instructions only.
    """
    import numba

    again = numba.njit(error_model="numpy", **options)(kernel.py_func)
    again.compile(tuple(types))
    (assembly,) = again.inspect_asm().values()
    names = ("vdivpd", "vsqrtpd", "vmulpd", "vgatherqpd")
    return {name: len(re.findall(rf"\b{name}\b[^\n]*%[yz]mm", assembly)) for name in names}
