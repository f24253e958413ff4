"""The commands of ``python main.py``, or of ``collision-lab`` where it is installed, and what becomes of their errors.

Exit status: 0 done and agreeing; 1 the run found a disagreement, a divergence or a failed check; 2 the caller's mistake,
with one line on standard error; 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.exceptions import TyperException

from engine.cli.output import InterruptedRunError
from engine.cli.start import start
from engine.common.compile_notice import wait_in_silence
from engine.common.errors import InvalidInputError, LabError
from engine.common.installation import program
from engine.common.interrupts import forget_interrupts, interrupt, raise_lost
from engine.common.words import shown

__all__ = ["main", "terminating_as_interrupting"]

COMMANDS = (
    "list", "run", "replay", "host", "join", "fire", "atlas", "compare", "check", "motion", "step", "trace", "scene", "references",
    "solvers", "studies", "netlab", "bench", "doctor",
)  # fmt: skip
"""Modules beside this one, in the order of ``--help``; in NAME the function NAME_command is the command, its docstring the help."""


def _app(words: Sequence[str]) -> typer.Typer:
    """Return the program with the command that the words name; with all of them where they name none."""
    app = typer.Typer(
        name=program(),
        help="A 2D collision laboratory on Box2D. Without a command: the window with all demos; off-screen, a tour of them.",
        epilog="Exit status: 0 done and agreeing, 1 a disagreement or a failed check, 2 a mistake in what was asked, 130 interrupted.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(start)
    for name in [word for word in words if word in COMMANDS][:1] or COMMANDS:
        app.command(name)(getattr(importlib.import_module(f"engine.cli.{name}"), f"{name}_command"))
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; the caller's mistakes are one line on standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; None takes those of the process.
    """
    _open_streams()
    wait_in_silence()  # each command says itself what it waits for
    try:
        with terminating_as_interrupting():
            raise_lost()  # while all this was imported
            words = sys.argv[1:] if arguments is None else arguments
            status = _app(words)(args=words, prog_name=program(), standalone_mode=False)
        sys.stdout.flush()
        return _interrupted() if status == 130 else int(status or 0)
    except KeyboardInterrupt:
        return _interrupted()
    except SystemExit as stop:
        if stop.code != 1:
            raise
        return _reader_gone()  # the one thing for which typer leaves this way: a pipe closed while it printed
    except TyperException as error:
        return _mistake(_usage(error))
    except InterruptedRunError as stop:
        return _interrupted(str(stop))
    except LabError as error:
        return _mistake(str(error))
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        return _mistake(_refused(error))


@contextlib.contextmanager
def terminating_as_interrupting() -> Iterator[None]:
    """Let a request to terminate, or a terminal that is closed, end the run as Ctrl-C does.

    So other processes end too, nothing found is lost, and no half-written file stays. A signal that the parent process wants ignored
    (``nohup``) stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):  # Windows has no terminals to hang up
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, interrupt) for number, handler in usual.items() if signal.getsignal(number) is handler}
    try:
        yield
    finally:
        forget_interrupts()
        for number, handler in before.items():
            signal.signal(number, handler)


def _open_streams() -> None:
    """Open standard input, output and error where the parent process has closed them; what they cannot spell becomes ``?``.

    A closed one would be given to the next file that is opened, and what is printed would go there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process lives
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _refused(error: OSError) -> str:
    """Say what the system has refused. What names no file is, if it is about writing, about standard output."""
    words = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {words}"
    if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT):
        return f"the system refuses: {words}"
    _discard_output()
    return f"standard output cannot be written: {words}"


def _reader_gone() -> int:
    """Return the status where the reader, such as `head`, has had enough: no mistake."""
    _discard_output()
    return 0


def _discard_output() -> None:
    """Let what is still buffered go nowhere: the interpreter would try to write it again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _usage(error: TyperException) -> str:
    message = error.format_message().strip().removesuffix(".")
    unknown = re.match(r"No such command '(\w+)'", message)
    if unknown is not None:
        from engine.sim.registry import all_demos

        if unknown[1] in {demo.id for demo in all_demos()}:
            return f"{unknown[1]} is a demo, not a command: {program()} run {unknown[1]}"
    message = _number_message(error) or message
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else program()
    return f"{message} (see {where} --help)"


def _number_message(error: TyperException) -> str | None:
    """Return the message for an option whose text is not a number; None for any other mistake."""
    option, faults = getattr(error, "param", None), getattr(error.__cause__, "errors", None)
    if option is None or faults is None:
        return None
    fault = faults()[0]
    requirement = {"float": "a number", "int": "a whole number"}.get(fault["type"].partition("_")[0])
    return None if requirement is None else str(InvalidInputError(option.opts[0], requirement, fault["input"]))


def _mistake(message: str) -> int:
    one_line = shown(" ".join(message.split()))
    typer.echo(f"error: {one_line}", err=True)
    return 2


def _interrupted(words: str = "interrupted") -> int:
    typer.echo(shown(words), err=True)
    return 130
