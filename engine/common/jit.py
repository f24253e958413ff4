"""How a chapter's kernel becomes machine code, and where the machine code is kept.

`kernel` is Numba's ``njit(cache=True)`` with two repairs. Numba drops a cached function when *its* file changes, not when a
constant or a function of another file does; so each kernel module has a directory of its own, named by a digest of its source,
of all sources of ours that it imports, and of the versions. And a caller can ask whether everything is there without importing
Numba (which costs 0.15 s).

With ``NUMBA_DISABLE_JIT=1`` the kernels run as plain Python, with the same results.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import platform
import shutil
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

__all__ = ["cache_is_warm", "has_wide_registers", "inlined_kernel", "kernel", "lost_code", "mark_cache_warm", "n_in_cache"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent


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
    directory = _module_cache(Path(function.__code__.co_filename).resolve())
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = "" if directory is None else str(directory)
    try:
        return cast(_Function, numba.njit(cache=directory is not None, forceinline=inlined, error_model="numpy")(function))
    finally:
        numba.config.CACHE_DIR = before


@cache
def has_wide_registers() -> bool:
    """Tell whether compiled loops work on four float64 at once or more (AVX2): only then do kernels in lanes pay.

    False where kernels are not compiled. Loads llvmlite, which whoever asks has in memory with Numba.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    features = importlib.import_module("llvmlite.binding").get_host_cpu_features()
    return bool(features.get("avx2", False))


def cache_is_warm() -> bool:
    """Tell, in about a millisecond and without importing Numba, whether all kernels of a running world were compiled and kept before."""
    return _warm_stamp().is_file()


def n_in_cache() -> int:
    """Return how many compiled functions are kept on disk; one that takes several kinds of arguments counts once for each."""
    return sum(1 for _ in _root().glob("*/**/*.nbc"))


def lost_code() -> int:
    """Return how many modules had machine code on disk when all kernels were there, and have none any more: somebody tidied up."""
    try:
        modules = _warm_stamp().read_text(encoding="utf-8").split()
    except OSError:
        return 0
    return sum(1 for module in modules if not _has_code(_root() / module))


def _has_code(directory: Path) -> bool:
    return next(directory.glob("**/*.nbc"), None) is not None


def mark_cache_warm() -> None:
    """Remember on disk that all kernels of a running world are there, and in which directories."""
    root = _writable_root()
    if root is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        for old in root.glob("warm-*"):
            old.unlink(missing_ok=True)
        modules = sorted(directory.name for directory in root.iterdir() if directory.is_dir() and _has_code(directory))
        _warm_stamp().write_text("\n".join(modules), encoding="utf-8")


@cache
def _warm_stamp() -> Path:
    digest = hashlib.sha256(_versions())
    for source in [*sorted(_PACKAGE.rglob("_*kernel.py")), _PACKAGE / "common" / "tolerances.py"]:
        digest.update(source.name.encode() + source.read_bytes())
    return _root() / f"warm-{digest.hexdigest()[:16]}"


@cache
def _module_cache(source: Path) -> Path | None:
    """Return the directory of one kernel module, made if need be and older ones removed; None where nothing can be written."""
    root = _writable_root()
    if root is None:
        return None
    digest = hashlib.sha256(_versions())
    for used in sorted(_closure(source)):
        digest.update(used.name.encode() + used.read_bytes())
    name = f"{source.parent.name}.{source.stem}"  # two packages may have a module of one name
    directory = root / f"{name}-{digest.hexdigest()[:16]}"
    try:
        if not directory.is_dir():
            for old in root.glob(f"{name}-*"):
                shutil.rmtree(old, ignore_errors=True)
            directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return directory


def _closure(source: Path) -> set[Path]:
    """Return a source and all of ours that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(_imported(path))
    return found


@cache
def _imported(source: Path) -> tuple[Path, ...]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    paths = (_PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names if name.split(".")[0] == _PACKAGE.name)
    return tuple(path for path in paths if path.is_file())


@cache
def _versions() -> bytes:
    parts = (version("numba"), version("numpy"), sys.version, platform.platform(), platform.machine())
    return "|".join(parts).encode()


@cache
def _root() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen) / "kernels"
    if os.access(_PACKAGE, os.W_OK):
        return _PACKAGE / "__pycache__" / "kernels"
    return Path(os.path.expanduser("~")) / ".cache" / "collision-laboratory" / "kernels"


@cache
def _writable_root() -> Path | None:
    root = _root()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return root if os.access(root, os.W_OK) else None
