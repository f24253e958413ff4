"""Load demos from users' own files: ``python main.py run mine.py``. See `docs/own_scene.md` for how to write one."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from engine.common.errors import Described, InvalidInputError, LabError
from engine.common.files import read_at_most
from engine.common.limits import MAX_PYTHON_BYTES
from engine.sim.demo import Demo
from engine.sim.registry import all_demos

__all__ = ["OwnDemoError", "errors_with_line", "load_own_demo"]


class OwnDemoError(LabError, RuntimeError):
    """A demo file raised an exception; the message has the line and the exception's text."""


def load_own_demo(path: str) -> type[Demo]:
    """Run a Python file and return the demo that it registers. The file can import modules from its own folder.

    Raises
    ------
    InvalidInputError
        The file does not exist, does not register exactly one demo, or uses an id that is taken.
    OwnDemoError
        The file raises an exception or is not valid Python.
    """
    read_at_most(path, "ID|FILE", MAX_PYTHON_BYTES, f"a Python file of at most {MAX_PYTHON_BYTES} bytes")
    file = Path(path)
    present = set(all_demos())
    _run(file)
    new = [demo for demo in all_demos() if demo not in present]
    if len(new) != 1:
        requirement = "a file with one demo, a class derived from Demo under @register(...) (docs/own_scene.md)"
        raise InvalidInputError("ID|FILE", requirement, Described(f"{len(new)} in {path}"))
    return new[0]


@contextlib.contextmanager
def errors_with_line(path: str, of: str = "") -> Iterator[None]:
    """Convert exceptions raised in a file or folder to `OwnDemoError` with the line; `of` prefixes the message."""
    try:
        yield
    except LabError as error:  # raised by the engine: find the line of the file that called the engine
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
    assert spec is not None and spec.loader is not None  # the name ends in .py
    module: ModuleType = importlib.util.module_from_spec(spec)
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # at the end, so that no file there shadows a library
    sys.modules[name] = module  # dataclasses and state capture look up the module here
    with errors_with_line(str(file)):
        try:
            spec.loader.exec_module(module)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            if _place(str(file), error) or getattr(error, "filename", None) is not None:
                raise
            # parsing failed without a line number: null bytes (a ValueError before Python 3.11.4), or the parser ran out of memory
            raise OwnDemoError(f"{file} is not valid Python: {str(error) or type(error).__name__}") from None


def _place(path: str, error: BaseException) -> str:
    """Return the innermost traceback location in a file or folder, or "" if there is none."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_same(frame.filename, path)]
    if not places:
        return ""
    file = places[-1].filename if Path(path).is_dir() else path
    return f"{file}, line {places[-1].lineno}, in {places[-1].name}"


def _is_same(one: str, other: str) -> bool:
    file, folder = Path(one).resolve(), Path(other).resolve()
    return folder in (file, file.parent)
