"""Prints the output of commands as tables or JSON, never both in one stream, and progress on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from os.path import exists, normcase, realpath
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from engine.app.files.writing import check_directory, check_writable
from engine.common.compile_notice import now
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import write_atomically
from engine.common.interrupts import raise_lost
from engine.common.words import counted, shown
from engine.report import Link, Part, Report, Table
from engine.report.tables import STYLES

__all__ = [
    "LOADING",
    "STANDARD_OUTPUT",
    "InterruptedRunError",
    "SafeConsole",
    "check_files",
    "collected",
    "deliver",
    "people",
    "plain_lines",
    "print_part",
    "progress",
    "say",
    "unfinished",
    "waiting",
    "write_json",
]

STANDARD_OUTPUT = "-"
LOADING = "loading the algorithms, which are compiled the first time"
PATIENCE = 5.0
"""Seconds that pass before the first progress line is written."""
_PAGE = "report.html"
_PIPE_WIDTH = 160
"""Line width if standard output is not a terminal."""
_MAX_LINE = 10_000
"""Maximum table width in a pipe or a file, where every row is one line so that it can be searched with tools like grep."""
_MIN_WIDTH = 80
"""Minimum line width. A narrower terminal wraps the lines, which is easier to read than columns two letters wide."""

_T = TypeVar("_T")


class InterruptedRunError(LabError):
    """The run was interrupted by Ctrl-C; the message reports its progress. Reported as one line on standard error with status 130."""


class SafeConsole(Console):
    """Console that escapes control sequences and unprintable characters, because names come from files."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text, in_lines=True), segment.style)


class _PatientConsole(SafeConsole):
    """Console that never breaks words or numbers in tables and raises BrokenPipeError for a closed pipe (Rich would exit with status 1)."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        usual = self._width
        for table in objects:
            if isinstance(table, RichTable):
                for column in table.columns:  # rich would break words longer than a column
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
    """Check before a run that all output files can be written, are distinct, and do not overwrite input files.

    Parameters
    ----------
    reads : sequence of (str, str)
        Option name and path of each input file.
    writes : sequence of (str, str, tuple of str)
        Option name, path, and allowed extensions of each output: empty for any, ``/`` for a folder. The path ``-`` is skipped.

    Raises
    ------
    InvalidInputError
        An output cannot be written, has the wrong extension, or would overwrite another file (the error names the overwriting option);
        or an input path is invalid.
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
            raise InvalidInputError(option, f"a different file from {other}", path)


def write_json(target: str | None, result: Mapping[str, object]) -> None:
    """Write `result` as JSON to `target`, atomically; None writes nothing. Non-finite numbers raise ValueError."""
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
        raise InvalidInputError("--json", f"a writable file ({error.strerror})", target) from None


def say(line: str) -> None:
    """Print a line on standard error."""
    typer.echo(shown(line), err=True)


def people(json_target: str | None = None) -> Console:
    """Return the console for tables and text: standard output, silenced if JSON is written there."""
    console = _PatientConsole(quiet=json_target == STANDARD_OUTPUT, highlight=False)
    console.width = max(console.width, _MIN_WIDTH) if console.is_terminal else _PIPE_WIDTH
    return console


def deliver(report: Report, json_file: str | None, folder: str | None) -> int:
    """Write and print a report; return its exit status.

    Raises
    ------
    InterruptedRunError
        The run was interrupted; its partial results are written and printed first.
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
            raise InvalidInputError("--report", f"a writable folder ({error.strerror})", folder) from None
        print_part(console, f"report: {Path(folder) / _PAGE}")
    if report.interrupted:
        raise InterruptedRunError(report.interrupted)
    return report.status


def print_part(console: Console, part: Part) -> None:
    """Print one part of a report."""
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
def progress(title: str | Callable[[], str], total: int | None, unit: str = "") -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error during the with block, or `plain_lines` if standard error is not a terminal.

    Yields a function that advances the bar by one, or sets it to a given count. A callable `title` is evaluated at every call. With a
    `total` of None the bar only moves.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    class Compiling(ProgressColumn):
        """What the compiler is at."""

        def render(self, task: object) -> Text:
            return Text(now(), style=STYLES["caption"])

    console = SafeConsole(stderr=True, highlight=False)
    count = () if total is None else (MofNCompleteColumn(),)
    left = () if total is None else (TextColumn("left"), TimeRemainingColumn())
    columns = (TextColumn("{task.description}"), BarColumn(), *count, TimeElapsedColumn(), *left, Compiling())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        words = title if callable(title) else lambda: title
        task = bar.add_task(escape(words()), total=total)

        def advance(n_done: int | None = None) -> None:
            raise_lost()
            bar.update(task, advance=1 if n_done is None else None, completed=n_done, description=escape(words()))

        def line() -> str:
            told = words() if total is None else f"{words()}: {bar.tasks[0].completed:,.0f} of {total:,} {unit}".rstrip()
            return f"{told}, {now()}" if now() else told

        with plain_lines(line):
            yield advance


def collected(title: str, answers: Generator[_T, None, None], total: int, unit: str = "") -> list[_T]:
    """Return all answers, computed under a progress bar; after Ctrl-C, only those so far. The generator is then closed."""
    results: list[_T] = []
    with progress(title, total, unit) as advance, contextlib.suppress(KeyboardInterrupt), contextlib.closing(answers):
        for answer in answers:
            results.append(answer)
            advance()
    return results


def unfinished(n_done: int, total: int, noun: str, plural: str = "") -> str:
    """Return the message of an interrupted run, or "" if the run is complete."""
    return "" if n_done == total else f"interrupted after {n_done:,} of {counted(total, noun, plural)}"


def waiting(title: str) -> contextlib.AbstractContextManager[object]:
    """Show a title and the elapsed time on standard error during the with block, for work of unknown length."""
    return progress(title, None)


@contextlib.contextmanager
def plain_lines(words: Callable[[], str]) -> Iterator[None]:
    """Write `words()` to standard error after 5, 10, 20, ... seconds, unless standard error is a terminal.

    The lines show in a log that the program is still working; a run of one hour prints ten of them.
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
