"""The commands of ``python main.py``, or of ``collision-lab`` where it is installed, and what becomes of their errors.

Exit status: 0 done and agreeing; 1 the run found a disagreement, a divergence or a failed check; 2 the caller's mistake,
with one line on standard error; 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import typer
from typer.exceptions import TyperException

from engine.cli.atlas import atlas_command
from engine.cli.bench import bench_command
from engine.cli.check import check_command
from engine.cli.compare import compare_command
from engine.cli.doctor import doctor_command
from engine.cli.fire import fire_command
from engine.cli.host import host_command
from engine.cli.join import join_command
from engine.cli.list import list_command
from engine.cli.motion import motion_command
from engine.cli.netlab import netlab_command
from engine.cli.output import InterruptedRunError
from engine.cli.references import references_command
from engine.cli.replay import replay_command
from engine.cli.run import run_command
from engine.cli.scene import scene_command
from engine.cli.solvers import solvers_command
from engine.cli.start import start
from engine.cli.step import step_command
from engine.cli.studies import studies_command
from engine.cli.trace import trace_command
from engine.common.checks import integer
from engine.common.compile_notice import wait_in_silence
from engine.common.errors import InvalidInputError, LabError
from engine.common.installation import program
from engine.common.interrupts import forget_interrupts, interrupt, raise_lost
from engine.common.words import shown

__all__ = ["main", "terminating_as_interrupting"]

_app = typer.Typer(
    name=program(),
    help="A 2D collision laboratory on Box2D. Without a command: the window with all demos; off-screen, a tour of them.",
    epilog="Exit status: 0 done and agreeing, 1 a disagreement or a failed check, 2 a mistake in what was asked, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
_app.callback(invoke_without_command=True)(start)
_COMMANDS: tuple[tuple[str, Callable[..., Any], str], ...] = (
    ("list", list_command, "All demos: id, category, title."),
    ("run", run_command, "One demo: in the window, or headless."),
    ("replay", replay_command, "A recording: play it, verify it, film it."),
    ("host", host_command, "A demo or a scene that others join: one world, many hands."),
    ("join", join_command, "What somebody hosts: in the window, or headless."),
    ("fire", fire_command, "The bullet experiment: which shots go through a wall, without CCD and with it."),
    ("atlas", atlas_command, "A map of which shots go through, with the border that our analysis predicts."),
    ("compare", compare_command, "Our answers against Box2D's, in bulk."),
    ("check", check_command, "Your collision function against exact arithmetic, with Box2D's answers beside."),
    ("motion", motion_command, "Why bodies move otherwise in Box2D than in ours, counted over demos."),
    ("step", step_command, "An algorithm, step by step: in the window, or as sentences, JSON, pictures, a film."),
    ("trace", trace_command, "The outline of a picture or an SVG, cut into convex fixtures."),
    ("scene", scene_command, "What is in a scene file; levels of R.U.B.E. and drawings to scene files."),
    ("references", references_command, "Solvers against exact solutions, and in scenes that are hard for them."),
    ("solvers", solvers_command, "Methods of simulation by scene, judged by exact answers: who stands, how exactly, at what cost."),
    ("studies", studies_command, "Comparisons that others have made, made again: what they found, and what is true here."),
    ("netlab", netlab_command, "An experiment on a shared world: server and clients behind bad links, and whether all agree."),
    ("bench", bench_command, "Our speed against that of others, measured in turn."),
    ("doctor", doctor_command, "Look at what this program needs, and say what to do about what is missing."),
)
"""Names, functions and one-line help of the commands, in the order of ``--help``."""

for _name, _run, _help in _COMMANDS:
    _app.command(_name, help=_help)(_run)


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
            status = _app(args=arguments, prog_name=program(), standalone_mode=False)
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
    """The reader, such as `head`, has had enough: no mistake, and nothing left to say."""
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
    """Return the message for an option whose text is not a number, or out of its range; None for any other mistake."""
    option, faults = getattr(error, "param", None), getattr(error.__cause__, "errors", None)
    if option is None or faults is None:
        return None
    fault = faults()[0]
    if fault["type"] in ("greater_than_equal", "less_than_equal"):
        try:
            integer(option.opts[0], int(fault["input"]), option.min, option.max)
        except InvalidInputError as refusal:
            return str(refusal)
    requirement = {"float": "a number", "int": "a whole number"}.get(fault["type"].partition("_")[0])
    return None if requirement is None else str(InvalidInputError(option.opts[0], requirement, fault["input"]))


def _mistake(message: str) -> int:
    one_line = shown(" ".join(message.split()))
    typer.echo(f"error: {one_line}", err=True)
    return 2


def _interrupted(words: str = "interrupted") -> int:
    typer.echo(shown(words), err=True)
    return 130
