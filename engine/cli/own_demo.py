"""A demo in a file of the user's own, anywhere: ``python main.py run mine.py``. `docs/own_scene.md` says how to write one."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from engine.common.errors import Described, InvalidInputError, LabError
from engine.sim.demo import Demo
from engine.sim.registry import all_demos

__all__ = ["OwnDemoError", "errors_with_line", "load_own_demo"]


class OwnDemoError(LabError, RuntimeError):
    """The file of a demo raised an exception: its line and its words."""


def load_own_demo(path: str) -> type[Demo]:
    """Run a Python file and return the demo that it registers; its folder can be imported from, as when Python runs it.

    Raises
    ------
    InvalidInputError
        There is no such file, it registers no demo or several, or one under an id that is taken.
    OwnDemoError
        The file cannot be run.
    """
    file = Path(path)
    if not file.is_file():
        raise InvalidInputError("ID|FILE", "a file that exists", path)
    present = set(all_demos())
    _run(file)
    new = [demo for demo in all_demos() if demo not in present]
    if len(new) != 1:
        requirement = "a file with one demo, a class derived from Demo under @register(...) (docs/own_scene.md)"
        raise InvalidInputError("ID|FILE", requirement, Described(f"{len(new)} of them in {path}"))
    return new[0]


@contextlib.contextmanager
def errors_with_line(path: str, of: str = "") -> Iterator[None]:
    """Turn what code of that file, or folder, raises into an `OwnDemoError` that names the line, after the words `of`."""
    try:
        yield
    except LabError as error:  # what the engine refused: which line asked for it?
        where = _place(path, error)
        if not where:
            raise
        raise OwnDemoError(f"{of}{where}: {error}") from None
    except Exception as error:
        if isinstance(error, SyntaxError) and error.filename is not None and _is_same(error.filename, path):
            raise OwnDemoError(f"{path}, line {error.lineno}: {error.msg}") from None
        where = _place(path, error)
        if not where:
            raise
        raise OwnDemoError(f"{of}{where}: {type(error).__name__}: {error}") from None


def _run(file: Path) -> None:
    name = f"own_demo_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None  # of a name that ends in .py
    module: ModuleType = importlib.util.module_from_spec(spec)
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # behind everything: no file there takes the place of a library
    sys.modules[name] = module  # where dataclasses and the reader of states look for it
    with errors_with_line(str(file)):
        try:
            spec.loader.exec_module(module)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            if _place(str(file), error) or getattr(error, "filename", None) is not None:
                raise
            # never begun, and no line is named: a file with null bytes (a ValueError before Python 3.11.4), or one that the parser has
            # no room for
            raise OwnDemoError(f"{file} is no Python: {str(error) or type(error).__name__}") from None


def _place(path: str, error: BaseException) -> str:
    """Return the innermost place of a file or folder at which an exception went through, "" if it did not."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_same(frame.filename, path)]
    if not places:
        return ""
    file = places[-1].filename if Path(path).is_dir() else path
    return f"{file}, line {places[-1].lineno}, in {places[-1].name}"


def _is_same(one: str, other: str) -> bool:
    file, folder = Path(one).resolve(), Path(other).resolve()
    return folder in (file, file.parent)
