"""Output of commands: tables for people, JSON for machines, never both in one stream; progress on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import normcase, realpath
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from engine.app.files import check_writable, write_atomically
from engine.common.errors import InvalidInputError, LabError
from engine.common.interrupts import raise_lost
from engine.common.words import shown

if TYPE_CHECKING:
    from engine.sim.stage import RefereeFactory

__all__ = [
    "LOADING",
    "STANDARD_OUTPUT",
    "InterruptedRunError",
    "SafeConsole",
    "check_files",
    "load_referee",
    "people",
    "plain_lines",
    "print_rows",
    "progress",
    "text_table",
    "waiting",
    "warming",
    "write_json",
]

STANDARD_OUTPUT = "-"
LOADING = "loading the algorithms (compiling them, the first time only)"
PATIENCE = 5.0
"""Seconds after which a user wonders whether a program that says nothing still works."""
_ENDINGS = {
    "--csv": ".csv",
    "--csv-contacts": ".csv",
    "--csv-states": ".csv",
    "--csv-timings": ".csv",
    "--out": ".json",
    "--record-inputs": ".rec",
    "--schema": ".json",
    "--screenshot": ".png",
}
"""How the names of files end that options write, where there is one ending."""
_PIPE_WIDTH = 160
"""Columns where the number is not known."""
_MAX_LINE = 10_000
"""Columns of a table in a pipe or a file: there every row has a line of its own, so that what looks for a word finds all of the row."""
_MIN_WIDTH = 80
"""Columns of a terminal that has fewer: it breaks lines itself, which is easier to read than a table of columns two letters wide."""
_MAX_WORD = 20
"""Characters of a word, or of a number with its unit, that no column of a table breaks: headings give way first."""


class InterruptedRunError(LabError):
    """Ctrl-C ended the run; the message says how far it came. Becomes one line on standard error and status 130."""


class SafeConsole(Console):
    """Shows what would be a command to the terminal, and what cannot be written, escaped: names come from files."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text, in_lines=True), segment.style)


class _PatientConsole(SafeConsole):
    """Leaves a closed pipe to `cli.main`, where Rich would exit with status 1; cuts no words or numbers of a table off."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        usual = self._width
        for item in objects:
            if isinstance(item, Table) and not self.is_terminal:
                self.width = max(self.width, Measurement.get(self, self.options.update(width=_MAX_LINE), item).maximum)
            elif isinstance(item, Table):
                _keep_words(item)
                self.width = next((width for width in range(self.width, _PIPE_WIDTH) if self._fits(item, width)), _PIPE_WIDTH)
        super().print(*objects, **options)
        self._width = usual

    def _fits(self, table: Table, width: int) -> bool:
        lines = Segment.split_lines(self.render(table, self.options.update(width=width)))
        return all(Segment.get_line_length(line) <= width for line in lines)


def _keep_words(table: Table) -> None:
    """Let no column of a table break a number or a word, unless it is very long: headings, and the spaces between words, give way."""
    for column in table.columns:
        column.overflow = "fold"
        texts = [cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain for cell in column.cells]
        words = texts if column.justify == "right" else [max(text.split(), key=len, default="") for text in texts]
        column.min_width = min(max(map(cell_len, words), default=0), _MAX_WORD)


def check_files(reads: Mapping[str, str | None], writes: Mapping[str, str | None]) -> None:
    """Make sure, before any work is done, that results can be written, none over what is read, and no two to one file.

    Parameters
    ----------
    reads, writes : mapping of str to str
        Files by the option or argument that names them; None, and for JSON ``-``, are no file. What is written in a way of its own, as a
        film or the page of a report, is checked where that is known.

    Raises
    ------
    InvalidInputError
        A file cannot be written, or has the wrong ending. Two are one file: it names the option that would write over the other. Or what
        is to be read has no name.
    """
    for option, path in writes.items():
        is_own = option != "--json" and option not in _ENDINGS
        if path is not None and not is_own and (option, path) != ("--json", STANDARD_OUTPUT):
            check_writable(option, path, (_ENDINGS[option],) if option in _ENDINGS else ())
    for name, path in reads.items():
        if path is not None and (not path or "\0" in path):
            raise InvalidInputError(name, "a file name", path)
    names = {_one_name(path): name for name, path in reads.items() if path is not None}
    for option, path in writes.items():
        if path is None or path == STANDARD_OUTPUT:
            continue
        other = names.setdefault(_one_name(path), option)
        if other != option:
            raise InvalidInputError(option, f"another file than {other}", path)


def _one_name(path: str) -> str:
    """Return what two names of one file have in common."""
    return normcase(realpath(path))


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
    console.width = max(console.width, _MIN_WIDTH) if console.is_terminal else _PIPE_WIDTH
    return console


def text_table(*left: str, right: Sequence[str] = (), last: Sequence[str] = ()) -> Table:
    """Return an empty table without lines: columns of words, of numbers, and of words again."""
    table = Table(*left, box=None, header_style="bold", pad_edge=False)
    for title in right:
        table.add_column(title, justify="right")
    for title in last:
        table.add_column(title)
    return table


def print_rows(console: Console, rows: Iterable[tuple[str, object]]) -> None:
    """Print labels, and behind each what it names."""
    for label, text in rows:
        console.print(f"  {label:<10} {text}", markup=False)


@contextlib.contextmanager
def progress(title: str | Callable[[], str], total: int, unit: str = "") -> Iterator[Callable[..., None]]:
    """Show a bar on standard error while the body runs, or `plain_lines` where that is no terminal.

    Yields what counts one step, or says how many are done. A title that changes is asked for at each step.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = SafeConsole(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal) as bar:
        words = title if callable(title) else lambda: title
        task = bar.add_task(escape(words()), total=total)

        def advance(n_done: int | None = None) -> None:
            raise_lost()
            bar.update(task, advance=1 if n_done is None else None, completed=n_done, description=escape(words()))

        with plain_lines(lambda: f"{words()}: {bar.tasks[0].completed:,.0f} of {total:,} {unit}".rstrip()):
            yield advance


@contextlib.contextmanager
def waiting(title: str) -> Iterator[None]:
    """Say on standard error what goes on while the body runs, and for how long already, where it is not known how far it is."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = SafeConsole(stderr=True, highlight=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar, plain_lines(lambda: title):
        bar.add_task(escape(title), total=None)
        yield


def warming() -> contextlib.AbstractContextManager[None]:
    """Say so while kernels are loaded, which are compiled for some seconds, or a minute if it is all of them, at the first start."""
    return waiting(LOADING)


def load_referee(is_whole: bool = False) -> RefereeFactory:
    """Load, or compile, what compares contacts and what demos ask, or all there is, and show how far that is."""
    from engine.app.compiling import EVERYTHING, RUNNING
    from engine.app.warmup import referee_factory
    from engine.common.jit import is_compiling

    names = tuple(EVERYTHING if is_whole and is_compiling() else RUNNING)
    with progress(LOADING, len(names), "parts") as one_loaded:
        return referee_factory(names, one_loaded)


@contextlib.contextmanager
def plain_lines(words: Callable[[], str]) -> Iterator[None]:
    """Write `words()` on standard error after five seconds, and again whenever twice the time has passed, unless it is a terminal.

    A log, or a program that waits for us, then sees that we are at work, and a run of an hour leaves ten lines.
    """
    stream = sys.stderr
    if Console(stderr=True).is_terminal:
        yield
        return
    over = threading.Event()

    def tell() -> None:
        begun = time.monotonic()
        until = PATIENCE
        while not over.wait(begun + until - time.monotonic()):
            with contextlib.suppress(OSError, ValueError):  # closed
                stream.write(f"{shown(words())}, {until:.0f} s so far\n")
                stream.flush()
            until *= 2.0

    teller = threading.Thread(target=tell, name="plain lines", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
