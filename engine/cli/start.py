"""No command: the window with all demos, or the tour where there is no display."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine import __version__
from engine.cli.options import Theme, UiScale, left_out
from engine.cli.output import load_referee, people, progress

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["start"]

TOUR_SECONDS = 5.0
OUT = Path("out")


def start(
    context: typer.Context,
    ui_scale: UiScale = None,
    theme: Theme = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end; doctor prints all others.")] = False,
) -> int:
    """Open the window; without a display, say so and tour the demos off-screen."""
    if version:
        people().print(f"collision laboratory {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        left_out(f"behind the command ({context.invoked_subcommand}), if that takes it", {"--ui-scale": ui_scale, "--theme": theme})
        return 0

    from engine.app.display import display_problem
    from engine.app.layout import check_ui_scale

    check_ui_scale("--ui-scale", ui_scale)
    problem = display_problem()
    if problem is None:
        from engine.app.loop import open_window

        with open_window(ui_scale=ui_scale, theme=theme) as loop:
            loop.run()
        return 0
    people().print(f"No display ({problem}): running every demo off-screen for {TOUR_SECONDS:.0f} s instead, pictures go to {OUT}/.")
    return _tour()


def _tour() -> int:
    from rich.table import Table

    from engine.app.files import check_directory
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
        people().print("First the algorithms are compiled, once: a minute or two, longer on a busy computer.")
    referee = load_referee(is_whole=True)
    with progress(lambda: f"tour: {now}" if now else "tour", steps) as advance:
        stops = run_tour(demos, OUT, TOUR_SECONDS, referee=referee, on_step=on_step)
    heads = ("demo", "seconds", "bodies", "contacts", "agree", "explained", "unexplained", "ms a step", "picture")
    table = Table(*heads, box=None, header_style="bold")
    for stop in stops:
        report = stop.report
        counts = (report.contacts.agree, report.contacts.explained, report.contacts.unexplained)
        before = (report.demo, f"{stop.seconds:.3g}", str(report.bodies), str(report.counts.begun))
        table.add_row(*before, *map(str, counts), f"{report.ms_median:.2f}", str(stop.picture))
    people().print(table)
    return 1 if any(not stop.report.is_clean for stop in stops) else 0
