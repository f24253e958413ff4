"""How a chapter's kernel becomes machine code, and where the machine code is kept.

`kernel` is Numba's ``njit(cache=True)`` with two repairs. Numba drops a cached function when *its* file changes, not when a
constant or a function of another file does; so the cache lives in a directory named by a digest of everything that can
reach a kernel: all kernel sources, the tolerances, and the versions. And a caller can ask whether that directory is
filled without importing Numba (which costs 0.15 s).

With ``NUMBA_DISABLE_JIT=1`` the kernels run as plain Python, with the same results.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

__all__ = ["cache_is_warm", "inlined_kernel", "kernel", "mark_cache_warm"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
_STAMP = "warm"


def kernel(function: _Function) -> _Function:
    """Compile `function` at its first call and keep the machine code on disk."""
    return _compiled(function, inlined=False)


def inlined_kernel(function: _Function) -> _Function:
    """Do the same, and write the code out in every kernel that calls it.

    For the small steps of a chapter, which then cost no more than if they stood in the caller: handing arrays to a function
    costs some 20 ns a time, inlined 0 (the separations of one polygon's edges: 112 ns by calls, 20 ns inlined).
    """
    return _compiled(function, inlined=True)


def _compiled(function: _Function, inlined: bool) -> _Function:
    numba = importlib.import_module("numba")
    directory = _writable_cache()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = "" if directory is None else str(directory)
    try:
        return cast(_Function, numba.njit(cache=directory is not None, forceinline=inlined, error_model="numpy")(function))
    finally:
        numba.config.CACHE_DIR = before


def cache_is_warm() -> bool:
    """Tell, in about a millisecond and without importing Numba, whether all kernels were compiled and kept before."""
    return (_cache_directory() / _STAMP).is_file()


def mark_cache_warm() -> None:
    """Remember on disk that all kernels are there."""
    directory = _writable_cache()
    if directory is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        (directory / _STAMP).touch()


@cache
def _cache_directory() -> Path:
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.rglob("_*kernel.py")) + [_PACKAGE / "common" / "tolerances.py"]:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    digest.update("|".join((version("numba"), version("numpy"), sys.version, platform.platform(), platform.machine())).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(chosen) if chosen else _PACKAGE / "__pycache__"
    if not chosen and not os.access(_PACKAGE, os.W_OK):
        root = Path.home() / ".cache" / "collision-laboratory"
    return root / f"kernels-{digest.hexdigest()[:16]}"


@cache
def _writable_cache() -> Path | None:
    directory = _cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return directory if os.access(directory, os.W_OK) else None
