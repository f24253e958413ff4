"""Output of commands: tables for people, JSON for machines, never both in one stream; progress on standard error."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import exists, normcase, realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from engine.app.files import check_directory, check_writable, write_atomically
from engine.common.errors import InvalidInputError, LabError
from engine.common.interrupts import raise_lost
from engine.common.words import counted, shown
from engine.report import Link, Part, Report, Table
from engine.report.tables import STYLES

if TYPE_CHECKING:
    from engine.sim.stage import RefereeFactory

__all__ = [
    "LOADING",
    "STANDARD_OUTPUT",
    "InterruptedRunError",
    "SafeConsole",
    "check_files",
    "csv_of",
    "deliver",
    "each",
    "load_referee",
    "people",
    "plain_lines",
    "print_part",
    "progress",
    "unfinished",
    "waiting",
    "warming",
    "write_json",
]

STANDARD_OUTPUT = "-"
LOADING = "loading the algorithms (compiling them, the first time only)"
PATIENCE = 5.0
"""Seconds after which a user wonders whether a program that says nothing still works."""
_PAGE = "report.html"
_PIPE_WIDTH = 160
"""Columns where the number is not known."""
_MAX_LINE = 10_000
"""Columns of a table in a pipe or a file: there every row has a line of its own, so that what looks for a word finds all of the row."""
_MIN_WIDTH = 80
"""Columns of a terminal that has fewer: it breaks lines itself, which is easier to read than a table of columns two letters wide."""

_T = TypeVar("_T")
_S = TypeVar("_S")


class InterruptedRunError(LabError):
    """Ctrl-C ended the run; the message says how far it came. Becomes one line on standard error and status 130."""


class SafeConsole(Console):
    """Shows what would be a command to the terminal, and what cannot be written, escaped: names come from files."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text, in_lines=True), segment.style)


class _PatientConsole(SafeConsole):
    """Leaves a closed pipe to `cli.main`, where Rich would exit with status 1; cuts no word and no number of a table off."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        usual = self._width
        for table in objects:
            if isinstance(table, RichTable):
                for column in table.columns:  # rich would break words that are longer than a column
                    texts = [str(cell) for cell in column.cells]
                    words = [word for text in texts for word in ([text] if column.justify == "right" else text.split())]
                    column.min_width = max(map(cell_len, words), default=0)
                widest = Measurement.get(self, self.options.update(width=_MAX_LINE), table).maximum
                widths = range(self.width, widest) if self.is_terminal else ()
                self.width = next((width for width in widths if self._fits(table, width)), max(self.width, widest))
        super().print(*objects, **options)
        self._width = usual

    def _fits(self, table: RichTable, width: int) -> bool:
        lines = Segment.split_lines(self.render(table, self.options.update(width=width)))
        return all(Segment.get_line_length(line) <= width for line in lines)


def check_files(reads: Sequence[tuple[str, str]], writes: Sequence[tuple[str, str, tuple[str, ...]]]) -> None:
    """Make sure, before any work is done, that results can be written, none over what is read, and no two to one file.

    Parameters
    ----------
    reads : sequence of (str, str)
        Names of options, and files.
    writes : sequence of (str, str, tuple of str)
        Names of options, files, and endings that they may have: none if any will do, ``/`` for a folder. ``-`` is no file.

    Raises
    ------
    InvalidInputError
        A file cannot be written, or has the wrong ending. Two are one file: it names the option that would write over the other. Or what
        is to be read has no name.
    """
    names: dict[str, str] = {}
    for option, path in reads:
        if not path or "\0" in path:
            raise InvalidInputError(option, "a file name", path)
        if exists(path):
            names[normcase(realpath(path))] = option
    for option, path, endings in writes:
        if path == STANDARD_OUTPUT:
            continue
        if endings == ("/",):
            file = check_directory(option, path) / _PAGE
        else:
            file = check_writable(option, path, endings)
        other = names.setdefault(normcase(realpath(file)), option)
        if other != option:
            raise InvalidInputError(option, f"another file than {other}", path)


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


def csv_of(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return rows with the same names as a CSV file; None is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def people(json_target: str | None = None) -> Console:
    """Return where tables and sentences go: standard output, or nowhere if that is taken by JSON."""
    console = _PatientConsole(quiet=json_target == STANDARD_OUTPUT, highlight=False)
    console.width = max(console.width, _MIN_WIDTH) if console.is_terminal else _PIPE_WIDTH
    return console


def deliver(report: Report, json_file: str | None, folder: str | None) -> int:
    """Write and print a report, and return its status.

    Raises
    ------
    InterruptedRunError
        The run was interrupted; what it did is written and printed.
    """
    write_json(json_file, {**report.json, "interrupted": True} if report.interrupted else report.json)
    console = people(json_file)
    for part in report.parts:
        print_part(console, part)
    if folder is not None and report.page is not None:
        page, files = report.page()
        try:
            for name, content in {**files, _PAGE: shown(page, in_lines=True).encode()}.items():
                write_atomically(Path(folder) / name, content)
        except OSError as error:
            raise InvalidInputError("--report", f"a folder that takes the report ({error.strerror})", folder) from None
        print_part(console, f"report: {Path(folder) / _PAGE}")
    if report.interrupted:
        raise InterruptedRunError(report.interrupted)
    return report.status


def print_part(console: Console, part: Part) -> None:
    """Print a part of a report."""
    if isinstance(part, Table):
        if part.title:
            print_part(console, f"\n{part.title}")
        console.print(part.as_rich())
    elif isinstance(part, Mapping):
        width = max(map(len, part), default=0)
        for label, text in part.items():
            print_part(console, f"  {label:<{width}}  {text}")
    else:
        text, kind = (part.text, part.kind) if isinstance(part, Link) else (part, "")
        console.print(Text(text), style=STYLES.get(kind), soft_wrap=True)


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


def each(title: str, items: Sequence[_T], work: Callable[[_T], _S]) -> list[_S]:
    """Return the results of `work` in order, with a bar; fewer than items if Ctrl-C ended it."""
    results: list[_S] = []
    with progress(title, len(items)) as advance, contextlib.suppress(KeyboardInterrupt):
        for item in items:
            results.append(work(item))
            advance()
    return results


def unfinished(n_done: int, total: int, noun: str, plural: str = "") -> str:
    """Return how far a run came that was interrupted, nothing if it was not."""
    return "" if n_done == total else f"interrupted after {n_done:,} of {counted(total, noun, plural)}"


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
    with progress(LOADING, len(names), "parts") as advance:
        return referee_factory(names, advance)


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

    def report() -> None:
        begun = time.monotonic()
        until = PATIENCE
        while not over.wait(begun + until - time.monotonic()):
            with contextlib.suppress(OSError, ValueError):  # closed
                stream.write(f"{shown(words())}, {until:.0f} s so far\n")
                stream.flush()
            until *= 2.0

    thread = threading.Thread(target=report, name="plain lines", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
