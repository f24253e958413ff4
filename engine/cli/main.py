"""Command-line entry point (``python main.py``, or ``collision-lab`` if installed) and error handling.

Exit status: 0 success; 1 a disagreement, a divergence or a failed check; 2 a usage error, reported as one line on standard error;
130 interrupted.
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

from engine.cli.output import InterruptedRunError, say
from engine.cli.start import start
from engine.common.compile_notice import wait_in_silence
from engine.common.errors import InvalidInputError, LabError
from engine.common.installation import program
from engine.common.interrupts import ending_with_compiler, forget_interrupts, interrupt, raise_lost

__all__ = ["main", "terminating_as_interrupting"]

COMMANDS = (
    "list", "run", "replay", "host", "join", "fire", "atlas", "compare", "check", "motion", "step", "trace", "scene", "references",
    "solvers", "engines", "studies", "netlab", "bench", "doctor",
)  # fmt: skip
"""Command modules in this package, in the order of ``--help``. Module NAME defines NAME_command; its docstring is the help text."""


def _app(words: Sequence[str]) -> typer.Typer:
    """Build the typer app with only the command named in `words`, or with all commands if none is named."""
    app = typer.Typer(
        name=program(),
        help="2D collision laboratory built on Box2D. With no command, it opens a window; without a display, it runs a tour of the demos.",
        epilog="The exit status is 0 for success, 1 for a disagreement or failed check, 2 for a usage error, and 130 if interrupted.",
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
    """Run a command line and return its exit status; usage errors are reported as one line on standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments without the program name; None means ``sys.argv[1:]``.
    """
    _open_streams()
    wait_in_silence()  # commands show their own progress
    try:
        with terminating_as_interrupting():
            raise_lost()  # an interrupt during the imports
            words = sys.argv[1:] if arguments is None else arguments
            status = _app(words)(args=words, prog_name=program(), standalone_mode=False)
        sys.stdout.flush()
        return _interrupted() if status == 130 else int(status or 0)
    except KeyboardInterrupt:
        return _interrupted()
    except SystemExit as stop:
        if stop.code != 1:
            raise
        return _reader_gone()  # typer only exits with 1 if the pipe closed while it printed
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
    """Handle SIGTERM and SIGHUP like Ctrl-C during the with block.

    Worker processes then end too, results so far are reported, and no partially written files remain. Signals that the parent process
    ignores (``nohup``) stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):  # not on Windows
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, interrupt) for number, handler in usual.items() if signal.getsignal(number) is handler}
    try:
        with ending_with_compiler():
            yield
    finally:
        forget_interrupts()
        for number, handler in before.items():
            signal.signal(number, handler)


def _open_streams() -> None:
    """Reopen closed standard streams on the null device, and replace characters that cannot be encoded with ``?``.

    Otherwise the next opened file would get the closed stream's descriptor, and printed text would end up in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process exits
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _refused(error: OSError) -> str:
    """Return the message for an `OSError`. A write error without a file name is attributed to standard output."""
    words = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {words}"
    if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT):
        return f"system error: {words}"
    _discard_output()
    return f"cannot write to standard output: {words}"


def _reader_gone() -> int:
    """Return status 0: a reader such as ``head`` closed the pipe, which is not an error."""
    _discard_output()
    return 0


def _discard_output() -> None:
    """Redirect standard output to the null device, or the interpreter would try to flush its buffer again at exit."""
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
    """Return the message for an option value that is not a number; None for any other error."""
    option, faults = getattr(error, "param", None), getattr(error.__cause__, "errors", None)
    if option is None or faults is None:
        return None
    fault = faults()[0]
    requirement = {"float": "a number", "int": "a whole number"}.get(fault["type"].partition("_")[0])
    return None if requirement is None else str(InvalidInputError(option.opts[0], requirement, fault["input"]))


def _mistake(message: str) -> int:
    say("error: " + " ".join(message.split()))
    return 2


def _interrupted(words: str = "interrupted") -> int:
    say(words)
    return 130
