"""What commands print and write: tables for people, JSON for machines, never both in one stream; progress on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.console import Console

from engine.app.files import check_writable, write_atomically
from engine.common.errors import InvalidInputError, LabError

__all__ = ["STANDARD_OUTPUT", "InterruptedRunError", "check_json_target", "people", "progress", "warming", "write_json"]

STANDARD_OUTPUT = "-"


class InterruptedRunError(LabError):
    """Ctrl-C ended the run; the message says how far it came. Becomes one line on standard error and status 130."""


_PIPE_WIDTH = 160
"""Columns where nobody says how many there are: a table cut to 80 would lose text in a file or a pipe."""


class _PatientConsole(Console):
    """Leaves a closed pipe to `cli.main`; Rich would exit with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def check_json_target(target: str | None) -> None:
    """Make sure, before any work is done, that the JSON can be written to `target`: a file, or ``-`` for standard output.

    Raises
    ------
    InvalidInputError
        It cannot.
    """
    if target is not None and target != STANDARD_OUTPUT:
        check_writable("--json", target)


def write_json(target: str | None, result: Mapping[str, object]) -> None:
    """Write `result` to `target`, whole or not at all; None writes nothing. NaN is no JSON, and no result may hold one."""
    if target is None:
        return
    text = json.dumps(result, indent=2, allow_nan=False) + "\n"
    if target == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        write_atomically(target, text.encode("utf-8"))
    except OSError as error:
        raise InvalidInputError("--json", f"a file that takes the result ({error.strerror})", target) from None


def people(json_target: str | None = None) -> Console:
    """Return where tables and sentences go: standard output, or nowhere if that is taken by JSON."""
    console = _PatientConsole(quiet=json_target == STANDARD_OUTPUT, highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    return console


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error, if that is a terminal, while the body runs; yields what counts one step."""
    from rich.progress import Progress

    console = Console(stderr=True, highlight=False)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextlib.contextmanager
def warming() -> Iterator[None]:
    """Say on standard error, if that is a terminal, that kernels are being loaded: the first start compiles them for some seconds."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield
        return
    with console.status("loading the compiled algorithms (the first start compiles them)"):
        yield
