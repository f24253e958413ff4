"""The commands of ``python main.py``, and what becomes of their errors.

Exit status: 0 done and agreeing; 1 the run found a disagreement, a divergence or a failed check; 2 the caller's mistake,
with one line on standard error; 130 interrupted.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from engine.app.commands.compare import compare_command
from engine.app.commands.doctor import doctor_command
from engine.app.commands.fire import fire_command
from engine.app.commands.list import list_command
from engine.app.commands.run import run_command
from engine.app.commands.start import start
from engine.common.errors import LabError

__all__ = ["main"]

_NAME = "python main.py"

_app = typer.Typer(
    name=_NAME,
    help="A 2D collision laboratory on Box2D. Without a command: the window with all demos; off-screen, a tour of them.",
    epilog="Exit status: 0 done and agreeing, 1 a disagreement or a failed check, 2 a mistake in what was asked, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
_app.callback(invoke_without_command=True)(start)
_app.command("list", help="All demos: id, category, title.")(list_command)
_app.command("run", help="One demo: in the window, or headless.")(run_command)
_app.command("fire", help="The bullet experiment: which shots go through a wall, without CCD and with it.")(fire_command)
_app.command("compare", help="Our answers against Box2D's, in bulk.")(compare_command)
_app.command("doctor", help="Look at what this program needs, and say what to do about what is missing.")(doctor_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; the caller's mistakes are one line on standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; None takes those of the process.
    """
    try:
        status = _app(args=arguments, prog_name=_NAME, standalone_mode=False)
        sys.stdout.flush()
        return _interrupted() if status == 130 else int(status or 0)
    except KeyboardInterrupt:
        return _interrupted()
    except TyperException as error:
        return _mistake(_usage(error))
    except LabError as error:
        return _mistake(str(error))
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is None:
            raise
        return _mistake(f"{error.filename}: {error.strerror}")


def _usage(error: TyperException) -> str:
    message = error.format_message().strip().removesuffix(".")
    unknown = re.match(r"No such command '(\w+)'", message)
    if unknown is not None:
        from engine.app.registry import all_demos

        if unknown[1] in {demo.id for demo in all_demos()}:
            return f"{unknown[1]} is a demo, not a command: {_NAME} run {unknown[1]}"
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else _NAME
    return f"{message} (see {where} --help)"


def _mistake(message: str) -> int:
    one_line = " ".join(message.split())
    typer.echo(f"error: {one_line}", err=True)
    return 2


def _interrupted() -> int:
    typer.echo("interrupted", err=True)
    return 130
