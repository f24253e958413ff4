"""``fire``: the bullet experiment, many shots without a window."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.commands.output import check_json_target, people, progress, warming, write_json
from engine.app.files import check_writable, write_atomically
from engine.common.checks import integer
from engine.common.errors import InvalidInputError

if TYPE_CHECKING:
    from engine.app.demo import Demo
    from engine.experiments import ShotResult, ShotSpec, Volley

__all__ = ["fire_command"]

MOST_SHOTS = 1_000_000
_STEPS_AFTER = 4
"""Steps shown after the bullet should have passed the middle plane."""


def fire_command(
    ccd: Annotated[
        str, typer.Option("--ccd", metavar="LIST", help="off, on, or both: continuous physics and bullet flag together.")
    ] = "both",
    speed: Annotated[float, typer.Option("--speed", metavar="M/S", help="Muzzle speed; Box2D caps it at 2 m a step.")] = 110.0,
    thickness: Annotated[float, typer.Option("--thickness", metavar="M", help="Thickness of the target.")] = 0.05,
    hertz: Annotated[float, typer.Option("--hertz", metavar="HZ", help="Steps a second.")] = 60.0,
    radius: Annotated[float, typer.Option("--radius", metavar="M", help="Radius of the bullet.")] = 0.05,
    target: Annotated[
        str, typer.Option("--target", metavar="LIST", help="static (a wall), dynamic (a plate that nothing holds), or both by a comma.")
    ] = "static,dynamic",
    shots: Annotated[
        int, typer.Option("--shots", metavar="N", help="Shots of each kind, starting at random phases of a step; one: half-way.")
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The phases come from it.")] = 0,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of the first shots.")] = None,
) -> int:
    """Fire bullets at a wall and at a thin plate, without CCD and with it, and say which went through.

    Each shot is predicted by our analysis before it is fired; status 1 if one did something else.
    """
    switches = tuple(word == "on" for word in _words("--ccd", ccd, ("off", "on"), {"both": ("off", "on")}))
    targets = _words("--target", target, ("static", "dynamic"), {})
    integer("--shots", shots, 1, MOST_SHOTS)
    integer("--seed", seed, 0)
    from engine.experiments import ShotSpec, phases, run_volley

    at = phases(seed, shots)
    try:
        specs = [
            ShotSpec(speed, thickness, hertz, radius, switch, kind, at[0])  # type: ignore[arg-type] # a checked word
            for kind in targets
            for switch in switches
        ]
    except InvalidInputError as error:
        raise InvalidInputError(f"--{error.field}", error.requirement, error.value) from None
    check_json_target(json_file)
    picture = None
    if screenshot is not None:
        check_writable("--screenshot", screenshot, (".png",))
        picture = _picture(specs[0], switches, targets)
    with warming():
        from engine import query

        query.warm_up()
    with progress("firing", len(specs) * shots) as advance:
        volleys = [run_volley(spec, at, advance) for spec in specs]
    if screenshot is not None and picture is not None:
        write_atomically(screenshot, _draw(picture, specs[0]))
    _print(volleys, json_file)
    write_json(json_file, _as_json(seed, volleys))
    return 1 if any(volley.surprises for volley in volleys) else 0


def _words(field: str, given: str, allowed: Sequence[str], groups: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words of a comma-separated list, each once, a group's name replaced by its members."""
    found: list[str] = []
    for word in (part.strip() for part in given.split(",")):
        if word not in allowed and word not in groups:
            raise InvalidInputError(field, "a list of " + ", ".join((*allowed, *groups)), given)
        found.extend(groups.get(word, (word,)))
    return tuple(dict.fromkeys(found))


def _as_json(seed: int, volleys: Iterable[Volley]) -> dict[str, Any]:
    from engine.box2d.oracle import BOX2D_VERSION

    return {"seed": seed, "box2d": BOX2D_VERSION, "runs": [_run_json(volley) for volley in volleys]}


def _run_json(volley: Volley) -> dict[str, Any]:
    spec = volley.spec
    return {
        "ccd": "on" if spec.ccd else "off",
        "target": spec.target,
        "hertz": spec.hertz,
        "speed": spec.speed,
        "thickness": spec.thickness,
        "radius": spec.radius,
        "tunneled_share": volley.tunneled_share,
        "shots": [_shot_json(shot) for shot in volley.shots],
    }


def _shot_json(shot: ShotResult) -> dict[str, Any]:
    return {
        "hit": shot.hit,
        "tunneled": shot.tunneled,
        "stopped_at": shot.stopped_at,
        "impact_time_box2d": shot.impact_time_box2d,
        "impact_time_ours": shot.impact_time_ours,
        "impact_point": None if shot.impact_point is None else list(shot.impact_point),
        "predicted_tunnels": shot.predicted_tunnels,
    }


def _print(volleys: Sequence[Volley], json_file: str | None) -> None:
    from rich.table import Table

    out, spec = people(json_file), volleys[0].spec
    out.print(
        f"[bold]{spec.speed:g} m/s[/bold] at {spec.hertz:g} Hz: {spec.travel:.3g} m a step. A bullet of radius {spec.radius:g} m, "
        f"a target {spec.thickness:g} m thick: without CCD, caught where a step ends within {spec.reach:.3g} m before its middle."
    )
    if spec.is_capped:
        out.print(f"[yellow]Box2D moves no body more than 2 m a step: it flies {spec.flown_speed:g} m/s.[/yellow]")
    table = Table("CCD", "target", box=None, header_style="bold", pad_edge=False)
    single = len(volleys[0].shots) == 1
    for title in () if single else ("shots", "hit", "tunneled", "predicted", "law"):
        table.add_column(title, justify="right")
    if single:
        table.add_column("verdict")
    for volley in volleys:
        switch = "on" if volley.spec.ccd else "off"
        if single:
            shot = volley.shots[0]
            color = "red" if shot.tunneled else "green" if shot.stopped_at is not None else "yellow"
            table.add_row(switch, volley.spec.target, f"[{color}]{shot.verdict}[/]")
        else:
            shares = (volley.hit_share, volley.tunneled_share, volley.predicted_share, volley.chance)
            table.add_row(switch, volley.spec.target, str(len(volley.shots)), *(f"{100.0 * share:.1f} %" for share in shares))
    out.print(table)
    if not single:
        out.print("hit: Box2D made a contact; a shot can be hit and tunnel all the same, when a step saw it past the target's middle.")
        out.print("predicted: by our analysis of these very shots; law: the chance at a random phase.")
    n_surprises = sum(len(volley.surprises) for volley in volleys)
    if n_surprises:
        out.print(f"[bold red]{n_surprises} of {sum(len(volley.shots) for volley in volleys)} shots did not do what was predicted.[/]")


def _picture(spec: ShotSpec, switches: Sequence[bool], targets: Sequence[str]) -> Demo:
    """Return the demo `bullet` with this shot in a lane for each target and switch."""
    from engine.app.registry import find_demo

    kind = find_demo("bullet")
    plans = tuple((switch, target) for target in targets for switch in switches)
    lanes: type[Demo] = type("FiredLanes", (kind,), {"plans": plans, "automatic": False})
    names = ("speed", "thickness", "hertz", "radius", "phase")
    try:
        return lanes(values={name: getattr(spec, name) for name in names})
    except InvalidInputError as error:
        raise InvalidInputError(f"--{error.field}", f"{error.requirement} for a picture", error.value) from None


def _draw(demo: Demo, spec: ShotSpec) -> bytes:
    from engine.app.headless import picture_of

    n_steps = math.ceil(abs(spec.muzzle) / spec.travel) + _STEPS_AFTER if spec.travel > 0.0 else 1
    for _ in range(n_steps):
        demo.step()
    return picture_of(demo, paused=True)
