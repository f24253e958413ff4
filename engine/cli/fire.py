"""``fire``: the bullet experiment, many shots without a window."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import write_atomically
from engine.cli.options import JsonFile, Seed, listed, takes_options
from engine.cli.output import check_files, people, progress, text_table, warming, write_json
from engine.common.checks import choice, within
from engine.common.errors import InvalidInputError
from engine.experiments.spec import BULLET_SHAPES, MOST_ANGLE, MOST_HEIGHT, MOST_TURN, RULES, TARGETS, ShotSpec, rules_of

if TYPE_CHECKING:
    from engine.experiments.shot import ShotResult, ShotSeries

__all__ = ["fire_command", "shot_error"]

MAX_SHOTS = 1_000_000
_WORDS = {"wall": "static", "moving": "kinematic", "plate": "dynamic", "bullet": "head_on"}
"""Words of the demo `bullet` for targets that have another name here."""
_SWITCHES = {"off": "discrete", "on": "bullet"}
"""The rules that `--ccd` names."""
_MAX_DEGREES = {"angle": math.degrees(MOST_ANGLE), "turn": math.degrees(MOST_TURN)}
"""To either side, of what the command takes in degrees, and `ShotSpec` in radians."""


def _named_targets() -> str:
    """Return the targets, each with the demo's word for it where that is another one."""
    words = {target: word for word, target in _WORDS.items()}
    return ", ".join(f"{target} (or {words[target]})" if target in words else target for target in TARGETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FireOptions:
    """Options of ``fire``."""

    ccd: Annotated[
        str | None,
        typer.Option("--ccd", metavar="LIST", help="off, on, or both: continuous physics and bullet flag together. Default: both."),
    ] = None
    speed: Annotated[float, typer.Option("--speed", metavar="M/S", help="Muzzle speed; Box2D caps it at 2 m a step.")] = 110.0
    thickness: Annotated[float, typer.Option("--thickness", metavar="M", help="Thickness of the target.")] = 0.05
    hertz: Annotated[float, typer.Option("--hertz", metavar="HZ", help="Steps a second.")] = 60.0
    radius: Annotated[float, typer.Option("--radius", metavar="M", help="Radius of the bullet, or half the side of the box.")] = 0.05
    target: Annotated[str, typer.Option("--target", metavar="LIST", help=f"all, or a list of {_named_targets()}.")] = "static,dynamic"
    rule: Annotated[
        str | None,
        typer.Option("--rule", metavar="LIST", help="Instead of --ccd: all, or a list of " + ", ".join(RULES) + "."),
    ] = None
    angle: Annotated[float, typer.Option("--angle", metavar="DEG", help="Of the flight against the target's normal.")] = 0.0
    height: Annotated[float, typer.Option("--height", metavar="M", help="Above the target's middle, aimed at.")] = 0.0
    restitution: Annotated[float, typer.Option("--restitution", metavar="E", help="0: no bounce, 1: as fast as before.")] = 0.0
    target_speed: Annotated[
        float,
        typer.Option("--target-speed", metavar="M/S", help="Towards the bullet, of kinematic and head_on; of the blade's tip."),
    ] = 0.0
    turn: Annotated[float, typer.Option("--turn", metavar="DEG", help="The blade, from upright, when the bullet should be there.")] = 0.0
    shape: Annotated[str, typer.Option("--shape", metavar="WORD", help="disc, or box.")] = "disc"
    shots: Annotated[
        int,
        typer.Option(
            "--shots", metavar="N", min=1, max=MAX_SHOTS, help="Shots of each kind, starting at random phases of a step; one: half-way."
        ),
    ] = 1
    seed: Seed = 0
    jitter_angle: Annotated[float, typer.Option("--jitter-angle", metavar="DEG", help="Each shot's angle is off by up to this.")] = 0.0
    jitter_height: Annotated[float, typer.Option("--jitter-height", metavar="M", help="Each shot's height is off by up to this.")] = 0.0
    jitter_turn: Annotated[float, typer.Option("--jitter-turn", metavar="DEG", help="The blade's turn is off by up to this.")] = 0.0
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="LIST",
            help="What drives the world: box2d, soft_step, both, or others; what rule has no use there is left out.",
        ),
    ] = "box2d"
    json_file: JsonFile = None
    csv_file: Annotated[str | None, typer.Option("--csv", metavar="FILE", help="Write a row for each shot.")] = None
    screenshot: Annotated[str | None, typer.Option("--screenshot", metavar="F.png", help="Write a picture of all shots.")] = None


@takes_options
def fire_command(args: FireOptions) -> int:
    """Fire bullets at walls, plates, blades, sensors, other bullets, and say which went through under which rule.

    Each shot is predicted by our analysis where it has a law; status 1 if one did something else.
    """
    from engine.world.solver import DEFAULT, solvers

    drivers = listed("--solver", args.solver, solvers(), {"both": (DEFAULT, "soft_step")})
    rules = _rules_of(args.ccd, args.rule, drivers)
    targets = listed("--target", args.target, TARGETS, {"all": TARGETS, **{word: (kind,) for word, kind in _WORDS.items()}})
    choice("--shape", args.shape, BULLET_SHAPES)
    from engine.experiments.shot import Jitter, run_burst, scatter

    jitter = Jitter(
        math.radians(within("--jitter-angle", args.jitter_angle, 0.0, _MAX_DEGREES["angle"], "degrees")),
        within("--jitter-height", args.jitter_height, 0.0, MOST_HEIGHT, "m"),
        math.radians(within("--jitter-turn", args.jitter_turn, 0.0, _MAX_DEGREES["turn"], "degrees")),
    )
    fields: dict[str, Any] = {
        "speed": args.speed,
        "thickness": args.thickness,
        "hertz": args.hertz,
        "radius": args.radius,
        "restitution": args.restitution,
    }
    fields |= {"angle": _radians("angle", args.angle), "turn": _radians("turn", args.turn), "height": args.height}
    fields |= {"target_speed": args.target_speed, "shape": args.shape}
    try:
        specs = [
            ShotSpec(**fields, target=kind, rule=word, solver=driver)  # type: ignore[arg-type] # checked words
            for kind in targets
            for driver in drivers
            for word in rules
            if word in rules_of(driver)
        ]
        bursts = [scatter(spec, args.shots, args.seed, jitter) for spec in specs]
    except InvalidInputError as error:
        raise shot_error(error, ", jitter included") from None
    check_files({}, {"--json": args.json_file, "--csv": args.csv_file, "--screenshot": args.screenshot})
    with warming():
        from engine import query

        query.warm_up()
    with progress("firing", len(specs) * args.shots) as advance:
        runs = [run_burst(spec, burst, advance) for spec, burst in zip(specs, bursts, strict=True)]
    if args.screenshot is not None:
        from engine.app.pictures.fire_picture import draw_runs

        write_atomically(args.screenshot, draw_runs(runs))
    if args.csv_file is not None:
        write_atomically(args.csv_file, _as_csv(runs))
    write_json(args.json_file, _as_json(args.seed, runs))
    _print(runs, args.json_file)
    return 1 if any(series.surprises for series in runs) else 0


def _rules_of(ccd: str | None, rule: str | None, drivers: Sequence[str]) -> tuple[str, ...]:
    rules = _named_rules(ccd, rule)
    for driver in drivers:
        if not set(rules) & set(rules_of(driver)):
            raise InvalidInputError("--rule", f"one of {', '.join(rules_of(driver))} where --solver has {driver}", ",".join(rules))
    return rules


def _named_rules(ccd: str | None, rule: str | None) -> tuple[str, ...]:
    if rule is None:
        switches = listed("--ccd", "both" if ccd is None else ccd, tuple(_SWITCHES), {"both": tuple(_SWITCHES)})
        return tuple(_SWITCHES[switch] for switch in switches)
    if ccd is not None:
        raise InvalidInputError("--ccd", "left out where --rule is given", ccd)
    return listed("--rule", rule, RULES)


def _radians(name: str, degrees: float) -> float:
    most = _MAX_DEGREES[name]
    return math.radians(within(f"--{name}", degrees, -most, most, "degrees"))


def shot_error(error: InvalidInputError, note: str = "") -> InvalidInputError:
    """Return an error of a shot under the name of the option, and, with a note, in degrees for radians."""
    name, requirement, value = error.field, error.requirement, error.value
    if name in _MAX_DEGREES and isinstance(value, float):
        requirement, value = f"from {-_MAX_DEGREES[name]:g} to {_MAX_DEGREES[name]:g} degrees{note}", math.degrees(value)
    return InvalidInputError(name if name.startswith("--") else f"--{name.replace('_', '-')}", requirement, value)


_RUN_FIELDS = (
    "solver",
    "rule",
    "target",
    "hertz",
    "speed",
    "thickness",
    "radius",
    "angle",
    "height",
    "restitution",
    "target_speed",
    "turn",
    "shape",
)
_SHOT_FIELDS = (
    "hit",
    "tunneled",
    "stopped_at",
    "impact_time",
    "impact_time_ours",
    "impact_point",
    "predicted_tunnels",
    "predicted_hit",
    "impact_normal",
    "stop_time_ours",
)
_AIM_FIELDS = ("phase", "angle", "height", "turn")
_CSV_RUN = ("solver", "rule", "target", "hertz", "speed", "thickness", "radius", "restitution", "target_speed", "shape")
_CSV_PAIRS = {"impact_point": ("impact_x", "impact_y"), "impact_normal": ("normal_x", "normal_y"), "stop_window": ("earliest", "latest")}


def _as_json(seed: int, runs: Iterable[ShotSeries]) -> dict[str, Any]:
    from engine.world import load_solver

    return {"seed": seed, "box2d": load_solver("box2d").capabilities.version, "runs": [_run_json(series) for series in runs]}


def _run_json(series: ShotSeries) -> dict[str, Any]:
    return {
        "ccd": "on" if series.spec.rule == "bullet" or (series.spec.rule == "default" and not series.spec.is_box2d) else "off",
        **{name: getattr(series.spec, name) for name in _RUN_FIELDS},
        "tunneled_share": series.tunneled_share,
        "hit_share": series.hit_share,
        "predicted_share": series.predicted_share,
        "law": series.chance,
        "world_steps_per_step": series.world_steps,
        "shots": [_shot_json(shot) for shot in series.shots],
    }


def _shot_json(shot: ShotResult) -> dict[str, Any]:
    window = (None, None) if shot.stop_window is None else shot.stop_window
    return {
        **{name: getattr(shot, name) for name in _SHOT_FIELDS},
        "impact_time_box2d": shot.impact_time if shot.spec.is_box2d else None,
        "stop_window": [time if time is not None and math.isfinite(time) else None for time in window],
        "in_window": shot.is_in_time,
        **{name: getattr(shot.spec, name) for name in _AIM_FIELDS},
    }


def _as_csv(runs: Iterable[ShotSeries]) -> bytes:
    """Return a table with a row for each shot: what the run has in common, then what the shot has in JSON; empty is null."""
    rows = list(_csv_rows(runs))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _csv_rows(runs: Iterable[ShotSeries]) -> Iterator[dict[str, Any]]:
    for series in runs:
        run = _run_json(series)
        for shot in run["shots"]:
            row = {name: run[name] for name in _CSV_RUN}
            for name, value in shot.items():
                pair = _CSV_PAIRS.get(name)
                if pair is None:
                    row[name] = value
                else:
                    row.update(zip(pair, (None, None) if value is None else value, strict=True))
            yield row


def _print(runs: Sequence[ShotSeries], json_file: str | None) -> None:
    out, spec = people(json_file), runs[0].spec
    out.print(
        f"[bold]{spec.speed:g} m/s[/bold] at {spec.hertz:g} Hz: {spec.travel:.3g} m a step. A bullet of radius {spec.radius:g} m, "
        f"a target {spec.thickness:g} m thick: without CCD, caught where a step ends within {spec.reach:.3g} m before its middle."
    )
    capped = [series.spec.flown_speed for series in runs if series.spec.is_capped]
    if capped:
        slowest = min(capped)
        out.print(f"[yellow]Box2D moves no body more than 2 m a step: it flies {slowest:g} m/s.[/yellow]")
    single = len(runs[0].shots) == 1
    numbers = ("shots", "hit", "tunneled", "predicted", "law", "steps")
    names = ("solver",) if any(not series.spec.is_box2d for series in runs) else ()
    table = text_table(*names, "rule", "target", "verdict") if single else text_table(*names, "rule", "target", right=numbers)
    for series in runs:
        own = [getattr(series.spec, name) for name in names]
        if single:
            shot = series.shots[0]
            table.add_row(*own, series.spec.rule, series.spec.target, f"[{_color(shot)}]{shot.verdict}[/]")
        else:
            shares = (series.hit_share, series.tunneled_share, series.predicted_share, series.chance)
            cells = ("-" if share is None else f"{100.0 * share:.1f} %" for share in shares)
            table.add_row(*own, series.spec.rule, series.spec.target, str(len(series.shots)), *cells, f"{series.world_steps:.3g}")
    out.print(table)
    if not single:
        out.print(_added_up(runs))
        out.print("predicted: by our analysis of these very shots; law: the chance at a random phase; -: not derived.")
        out.print("steps: of the solver's for one step of the rule.")
    n_shots = sum(len(series.shots) for series in runs)
    n_surprises = sum(len(series.surprises) for series in runs)
    if n_surprises:
        out.print(f"[bold red]{n_surprises} of {n_shots} shots did not do what was predicted.[/]")
    n_late = sum(not shot.is_in_time for series in runs for shot in series.shots)
    if n_late:
        out.print(f"[yellow]{n_late} of {n_shots} first contacts were reported outside the time that our analysis allows.[/]")


def _added_up(runs: Iterable[ShotSeries]) -> str:
    """Return how the columns hit and tunneled add up to all shots."""
    counts = Counter((shot.hit, shot.tunneled) for series in runs for shot in series.shots)
    return (
        f"Together: {counts[True, False]} hit and not through, {counts[True, True]} hit (a contact was made) and through all the same, "
        f"{counts[False, True]} through and never hit, {counts[False, False]} neither."
    )


def _color(shot: ShotResult) -> str:
    if shot.spec.target == "sensor":
        return "green" if shot.hit else "red"
    return "red" if shot.tunneled else "green" if shot.stopped_at is not None else "yellow"
