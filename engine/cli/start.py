"""Runs the program without a command: opens a window with all demos, or tours them if there is no display."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine import __version__
from engine.cli.options import Theme, UiScale, command, open_window, option
from engine.cli.output import load_referee, people, progress
from engine.common.errors import InvalidInputError
from engine.report import Report, Table

if TYPE_CHECKING:
    from engine.sim.demo import Demo

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
    from engine.common.jit import cache_is_warm, is_compiling
    from engine.sim.registry import all_demos

    check_directory("out", OUT)
    demos = all_demos()
    steps = sum(max(1, round(TOUR_SECONDS / demo().step_seconds)) for demo in demos)
    now = ""

    def on_step(demo: Demo) -> None:
        nonlocal now
        now = demo.id
        advance()

    if is_compiling() and not cache_is_warm():
        people().print("Compiling the algorithms. This happens only once and takes a minute or two, or longer on a busy computer.")
    referee = load_referee(is_whole=True)
    with progress(lambda: f"tour: {now}" if now else "tour", steps) as advance:
        stops = run_tour(demos, OUT, TOUR_SECONDS, referee=referee, on_step=on_step)
    rows = []
    for stop in stops:
        report = stop.report
        counts = (report.bodies, report.counts.begun, report.contacts.agree, report.contacts.explained, report.contacts.unexplained)
        rows.append((report.demo, stop.seconds, *counts, report.ms_median, str(stop.picture)))
    heads = ("demo", "seconds", "bodies", "contacts", "agree", "explained", "unexplained", "ms per step", "picture")
    return Report({}, (Table("", heads, tuple(rows), (0, 8)),), int(any(not stop.report.is_clean for stop in stops)))
