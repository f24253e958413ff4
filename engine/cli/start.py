"""Runs the program without a command: opens a window with all demos, or tours them if there is no display."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import typer

from engine import __version__
from engine.cli.options import Theme, UiScale, command, open_window, option
from engine.cli.output import people, progress
from engine.common.errors import InvalidInputError
from engine.common.words import counted
from engine.report import Report

__all__ = ["start"]

TOUR_SECONDS = 5.0
OUT = Path("out")


@dataclass(frozen=True, kw_only=True)
class StartOptions:
    """Options accepted without a command."""

    ui_scale: UiScale = None
    theme: Theme = None
    version: bool = option("", "Print the version and exit; doctor prints those of dependencies.", False)


@command
def start(args: StartOptions, context: typer.Context) -> Report | None:
    """Open a window with all demos, or tour them off-screen if there is no display."""
    if args.version:
        people().print(f"collision laboratory {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        for name, value in (("--ui-scale", args.ui_scale), ("--theme", args.theme)):
            if value is not None:
                raise InvalidInputError(name, f"given after the command ({context.invoked_subcommand}), if it has that option", value)
        return None

    from engine.app.display import display_problem

    problem = display_problem()
    if problem is None:
        open_window("", None, ui_scale=args.ui_scale, theme=args.theme)
        return None
    people().print(
        f"No display ({problem}): running every demo off-screen for {TOUR_SECONDS:.0f} s instead; pictures are written to {OUT}/."
    )
    return _tour()


def _tour() -> Report:
    from engine.app.files.writing import check_directory
    from engine.app.tour import run_tour
    from engine.common.machine import n_cores
    from engine.sim.registry import all_demos

    check_directory("out", OUT)
    demos, n_contacts, n_unexplained = all_demos(), 0, 0
    with progress("tour", len(demos), "demos") as advance, contextlib.closing(run_tour(demos, OUT, TOUR_SECONDS, n_jobs=n_cores())) as tour:
        for stop in tour:
            report = stop.report
            bad = report.contacts.unexplained + report.pairs.unexplained
            n_contacts, n_unexplained = n_contacts + report.contacts.compared, n_unexplained + bad
            checked = f"{counted(report.contacts.compared, 'contact')} checked" + (f", {bad} UNEXPLAINED" if bad else "")
            people().print(f"{stop.picture}: {stop.seconds:.1f} s, {counted(report.bodies, 'body', 'bodies')}, {checked}")
            advance()
    return Report({}, (f"{counted(n_contacts, 'contact')} checked, {n_unexplained} unexplained",), int(n_unexplained > 0))
