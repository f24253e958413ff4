"""``run``: one demo, in the window or headless."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from engine.app.commands.output import check_json_target, people, progress, warming, write_json
from engine.app.files import check_writable, write_atomically
from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, LabError

if TYPE_CHECKING:
    from engine.app.demo import Demo
    from engine.app.headless import RunReport

__all__ = ["run_command"]

DEFAULT_STEPS = 600
MOST_STEPS = 10_000_000


def run_command(
    demo: Annotated[str | None, typer.Argument(metavar="[ID]", help="Which demo; see the command list.", show_default=False)] = None,
    headless: Annotated[bool, typer.Option("--headless", help="No window. Implied by --steps, --json and --screenshot.")] = False,
    steps: Annotated[int | None, typer.Option("--steps", metavar="N", help="Steps to take.", show_default=str(DEFAULT_STEPS))] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Everything random comes from it.")] = 0,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the demo; repeatable.")] = None,
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of the end.")] = None,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
    pair_file: Annotated[str | None, typer.Option("--pair", metavar="FILE", help="Open a pair of shapes, in place of a demo.")] = None,
    drops: Annotated[list[str] | None, typer.Option("--drop", metavar="FILE", help="A picture or body that falls in; repeatable.")] = None,
    ui_scale: Annotated[float | None, typer.Option("--ui-scale", metavar="X", help="Size of text in the window, 0.75 to 4.")] = None,
) -> int:
    """Run one demo.

    In the window it goes on until you close it. Headless it takes N steps, compares every contact with our own algorithms, and
    prints what happened; status 1 if a difference stays unexplained. --pair opens a pair file: both answers, ours and Box2D's. --drop lets
    a picture (PNG, JPEG, ...), an SVG or a body file of the command trace fall into the demo, as if it were dropped on the window.
    """
    integer("--seed", seed, 0)
    if steps is not None:
        integer("--steps", steps, 1, MOST_STEPS)
    check_json_target(json_file)
    if screenshot is not None:
        check_writable("--screenshot", screenshot, (".png",))
        if json_file is not None and os.path.realpath(json_file) == os.path.realpath(screenshot):
            raise InvalidInputError("--screenshot", "another file than --json", screenshot)
    if pair_file is not None:
        if drops:
            raise InvalidInputError("--drop", "left out with --pair, which has no world", drops[0])
        return _run_pair(demo, pair_file, headless, steps, settings or [], screenshot, json_file, ui_scale)
    if demo is None:
        raise InvalidInputError("ID", "a demo (see the command list), or --pair FILE", Described("nothing"))
    kind = _find(demo)
    values = _values(kind, settings or [])
    if headless or steps is not None or screenshot is not None or json_file is not None:
        if ui_scale is not None:
            raise InvalidInputError("--ui-scale", "left out of a headless run", ui_scale)
        return _headless(kind, DEFAULT_STEPS if steps is None else steps, seed, values, screenshot, json_file, drops or [])

    _open_window(kind, seed, values, ui_scale, drops or [])
    return 0


def _run_pair(
    demo: str | None,
    file: str,
    headless: bool,
    steps: int | None,
    settings: Sequence[str],
    screenshot: str | None,
    json_file: str | None,
    ui_scale: float | None,
) -> int:
    from engine.app.commands.run_pair import inspector_of, run_pair_headless

    if demo not in (None, "pair"):
        raise InvalidInputError("--pair", "without another demo", demo)
    if steps is not None:
        raise InvalidInputError("--steps", "left out with --pair, which does not move", steps)
    pair, kind = inspector_of(file)
    values = _values(kind, settings)
    if headless or screenshot is not None or json_file is not None:
        if ui_scale is not None:
            raise InvalidInputError("--ui-scale", "left out of a headless run", ui_scale)
        return run_pair_headless(pair, kind, values, screenshot, json_file)
    _open_window(kind, 0, values, ui_scale)
    return 0


def _open_window(kind: type[Demo], seed: int, values: dict[str, float], ui_scale: float | None, drops: Sequence[str] = ()) -> None:
    from engine.app.display import display_problem

    problem = display_problem()
    from engine.app.loop import DisplayError, run_window

    if problem is not None:
        raise DisplayError(f"no window can be opened here ({problem}); --headless runs without one")
    run_window(kind, seed, values, ui_scale, prepare=partial(_drop, files=drops))


def _drop(demo: Demo, files: Sequence[str]) -> None:
    """Let the files fall into a demo, side by side."""
    from engine.app.dropping import drop_places, drop_size, load_dropped

    for file, point in zip(files, drop_places(demo, len(files)), strict=True):
        try:
            demo.drop(load_dropped(file, drop_size(demo)), point)
        except LabError as error:
            raise InvalidInputError("--drop", f"a picture, an SVG or a body file ({error})", file) from None


def _find(demo_id: str) -> type[Demo]:
    from engine.app.registry import all_demos

    known = {demo.id: demo for demo in all_demos()}
    if demo_id in known:
        return known[demo_id]
    near = difflib.get_close_matches(demo_id.lower().replace("-", "_"), known, n=1, cutoff=0.5)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InvalidInputError("demo", "one of " + ", ".join(known) + hint, demo_id)


def _values(kind: type[Demo], settings: Sequence[str]) -> dict[str, float]:
    from engine.app.parameters import parameter_values

    given: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidInputError("--set", "NAME=VALUE, such as speed=2", setting)
        given[name.strip()] = value.strip()
    try:
        return parameter_values(kind.parameters, given)
    except InvalidInputError as error:
        raise InvalidInputError(f"--set: {error.field}", error.requirement, error.value) from None


def _headless(
    kind: type[Demo],
    steps: int,
    seed: int,
    values: dict[str, float],
    screenshot: str | None,
    json_file: str | None,
    drops: Sequence[str],
) -> int:
    from engine.app.headless import picture_of, run_headless
    from engine.app.warmup import referee_factory

    with warming():
        referee = referee_factory()
    with progress(kind.title, steps) as advance:
        report, demo = run_headless(kind, steps, seed, values, referee, lambda _: advance(), partial(_drop, files=drops))
    if screenshot is not None:
        write_atomically(screenshot, picture_of(demo))
    _print(report, demo, json_file)
    write_json(json_file, report.as_json())
    return 0 if report.is_clean else 1


def _pair_words(report: RunReport) -> str:
    pairs = report.pairs
    words = f"pairs, summed over the steps: ours {pairs.ours}, Box2D {pairs.box2d}"
    return f"{words}, {pairs.explained} explained, {pairs.unexplained} unexplained" if pairs.explained or pairs.unexplained else words


def _print(report: RunReport, demo: Demo, json_file: str | None) -> None:
    out = people(json_file)
    out.print(f"[bold]{demo.title}[/bold], {report.steps} steps, seed {report.seed}")
    for label, text in (
        ("bodies", f"{report.bodies}"),
        ("contacts", f"{report.contacts_begun} begun, {report.contacts_ended} ended"),
        ("points", f"{report.points_add} added, {report.points_persist} persisting, {report.points_remove} removed"),
        ("compared", f"{report.compared}: {report.agree} agree, {report.explained} explained, {report.unexplained} unexplained"),
        ("touching", _pair_words(report)),
        ("a step", f"{report.ms_median:.2f} ms median, {report.ms_max:.2f} ms at most"),
        ("state", report.state_hash),
    ):
        out.print(f"  {label:<10} {text}")
    for line in demo.summary():
        out.print(f"  {line}", markup=False)
