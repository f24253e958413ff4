"""Compilation of kernels, and the cache of their machine code.

`kernel` is Numba's ``njit(cache=True)`` with two improvements. Numba invalidates a cached function when *its* file changes, but not when a
constant or a function from another file does; so each kernel module has a cache directory of its own, named by a digest of its source, of
all engine sources that it imports, and of library versions. And a caller can check whether everything is compiled without importing Numba
(which takes 0.15 s).

Compiling everything takes minutes; each kernel is compiled at its first call, and `compile_notice` explains the wait.

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
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

from engine.common import compile_notice
from engine.common.installation import DISTRIBUTION

__all__ = [
    "allocating_kernel",
    "borrowing_kernel",
    "cache_folder",
    "can_keep",
    "inlined_entry",
    "inlined_kernel",
    "is_compiling",
    "kernel",
    "n_in_cache",
    "unlocked_kernel",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, "error_model": "numpy"}
_OWN_SOURCE = Path(__file__).resolve()
_PACKAGE = _OWN_SOURCE.parent.parent


def kernel(function: _Function) -> _Function:
    """Compile `function` at its first call and cache the machine code on disk."""
    return _compiled(function)


def unlocked_kernel(function: _Function) -> _Function:
    """Compile like `kernel`, but release the GIL while it runs, so that other threads can run Python or kernels of this kind.

    For kernels over many pairs. Reacquiring the GIL may take milliseconds while another thread computes in Python.
    """
    return _compiled(function, nogil=True)


def inlined_kernel(function: _Function) -> _Function:
    """Inline the function into every kernel that calls it; only those are cached on disk.

    For the small steps of an algorithm, which then cost no more than code in the caller: passing arrays to a function costs some 20 ns
    per call, or nothing if inlined (the separations of one polygon's edges: 112 ns with calls, 20 ns inlined).

    It does not count references to arrays, which its caller keeps alive: counting took five sixths of the time of a manifold (545 ns,
    without it 94). So it cannot create an array, which Numba rejects (`allocating_kernel` can), and one that returns a slice, or a tuple
    that contains one, is for other inlined kernels only.

    A Python entry point and a cache file for each of these would take a quarter of the compile time. So Python calls it uncompiled;
    `inlined_entry` is for functions that Python calls often. Numba chooses an overload by types without literals, so that a call with the
    constant False compiles no second form.
    """
    return _inlined(function, forceinline=True, _nrt=False)


def allocating_kernel(function: _Function) -> _Function:
    """Inline a function like `inlined_kernel`, but allow it to create arrays."""
    return _inlined(function, forceinline=True)


def borrowing_kernel(function: _Function) -> _Function:
    """Compile the function once within every kernel that calls it, without counting references: for the large steps of a pair.

    As with `inlined_kernel`, only the calling kernels are cached on disk, which saves a fifth of the compile time.
    """
    return _inlined(function, _nrt=False)


def _inlined(function: _Function, **options: object) -> _Function:
    if is_compiling():
        _compile_records_to_nothing()
        extending = importlib.import_module("numba.extending")
        extending.register_jitable(no_cpython_wrapper=True, **_OPTIONS, **options)(function)
        cast(Any, function).py_func = function  # as kernels have
    return function


def inlined_entry(function: _Function) -> _Function:
    """Inline the function into every kernel that calls it, and let Python call it as fast as any kernel."""
    return _compiled(function, forceinline=True)


def _compiled(function: _Function, **options: object) -> _Function:
    numba = importlib.import_module("numba")
    if is_compiling():
        compile_notice.begin()
        _compile_records_to_nothing()
    directory = _module_cache(Path(function.__code__.co_filename).resolve())
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = "" if directory is None else str(directory)
    try:
        return cast(_Function, numba.njit(cache=directory is not None, **_OPTIONS, **options)(function))
    finally:
        numba.config.CACHE_DIR = before


@cache
def _compile_records_to_nothing() -> None:
    from engine.common.events import record  # loads NumPy

    types, extending = importlib.import_module("numba.types"), importlib.import_module("numba.extending")
    extending.type_callable(record)(lambda context: lambda event: types.none)
    extending.lower_builtin(record, types.Any)(lambda context, builder, signature, values: context.get_dummy_value())


def is_compiling() -> bool:
    """Return whether kernels are compiled rather than run as plain Python."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def cache_folder() -> Path:
    """Return the cache folder: in `NUMBA_CACHE_DIR` if set, else next to the sources, or in the home folder if these are not writable."""
    return _root()


def can_keep() -> bool:
    """Return whether machine code can be cached."""
    return _writable_root() is not None


def n_in_cache() -> int:
    """Return the number of compiled functions in the cache; one with several signatures counts once for each."""
    return sum(1 for _ in _code_below(_root()))


def _code_below(directory: Path) -> Iterator[str]:
    """Yield the names of machine-code files. Unlike a glob, it tolerates directories that another process removes meanwhile."""
    for _, _, names in os.walk(directory):
        yield from (name for name in names if name.endswith(".nbc"))


@cache
def _module_cache(source: Path) -> Path | None:
    """Return the cache directory of a kernel module, created if missing; outdated ones are removed. None if nothing can be written."""
    root = _writable_root()
    if root is None:
        return None
    digest = hashlib.sha256(_versions())
    for used in sorted(_closure(source)):
        digest.update(used.name.encode() + used.read_bytes())
    name = f"{source.parent.name}.{source.stem}"  # two packages may have modules of the same name
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
    """Return a source file and all engine sources that it imports, directly or indirectly, except imports of this module: they affect no
    machine code."""
    closure: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in closure:
            closure.add(path)
            waiting.extend(() if path == _OWN_SOURCE else _imported(path))
    return closure


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
    beside = _PACKAGE / "__pycache__" / "kernels"
    if _takes_folders(beside):
        return beside
    own = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(own) / DISTRIBUTION / "kernels"


def _takes_folders(folder: Path) -> bool:
    """Return whether a folder, created if missing, is writable. Tested by creating a subfolder: access bits on Windows are not reliable."""
    probe = folder / f"probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.mkdir(exist_ok=True)
        probe.rmdir()
    except OSError:
        return False
    return True


@cache
def _writable_root() -> Path | None:
    root = _root()
    return root if _takes_folders(root) else None
