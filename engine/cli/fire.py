"""``fire``: the bullet experiment, many shots without a window."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.app.files import write_atomically
from engine.cli.options import JsonFile, Screenshot, Seed, command, listed, option
from engine.cli.output import csv_of, progress, warming
from engine.common.errors import InvalidInputError
from engine.experiments.spec import MOST_ANGLE, MOST_HEIGHT, MOST_TURN, RULES, TARGETS, ShotSpec, rules_of
from engine.report import Link, Part, Report, Table

if TYPE_CHECKING:
    from engine.experiments.shot import ShotResult, ShotSeries

__all__ = ["ShotOptions", "fire_command", "shot_error", "shot_fields"]

MAX_SHOTS = 1_000_000
_WORDS = {"wall": "static", "moving": "kinematic", "plate": "dynamic", "bullet": "head_on"}
"""Words of the demo `bullet` for targets that have another name here."""
_SWITCHES = {"off": "discrete", "on": "bullet"}
"""The rules that `--ccd` names."""
_MAX_DEGREES = {"angle": math.degrees(MOST_ANGLE), "turn": math.degrees(MOST_TURN)}
"""To either side, of what commands take in degrees, and `ShotSpec` in radians."""
_SPEC = ("speed", "thickness", "hertz", "radius", "angle", "height", "restitution", "target_speed", "turn", "shape")
_RUN_FIELDS = ("solver", "rule", "target", "hertz", "speed", "thickness", "radius", "restitution", "target_speed", "shape")
_AIM_FIELDS = ("angle", "height", "turn")
_SHOT_FIELDS = (
    "hit", "tunneled", "stopped_at", "impact_time", "impact_time_ours", "impact_point", "predicted_tunnels", "predicted_hit",
    "impact_normal", "stop_time_ours",
)  # fmt: skip
_CSV_PAIRS = {"impact_point": ("impact_x", "impact_y"), "impact_normal": ("normal_x", "normal_y"), "stop_window": ("earliest", "latest")}


@dataclass(frozen=True, kw_only=True)
class ShotOptions:
    """Parameters of a shot that differ from the defaults of `ShotSpec`."""

    speed: float | None = option("M/S", "Muzzle speed; Box2D caps it at 2 m a step.", shown="110")
    thickness: float | None = option("M", "Thickness of the target.", shown="0.05")
    radius: float | None = option("M", "Radius of the bullet, or half the side of the box.", shown="0.05")
    hertz: float | None = option("HZ", "Steps a second.", shown="60")
    angle: float | None = option("DEG", "Of the flight against the target's normal.", shown="0")
    restitution: float | None = option("E", "0: no bounce, 1: as fast as before.", shown="0")
    target_speed: float | None = option("M/S", "Towards the bullet, of kinematic and head_on; of the blade's tip.", shown="0")
    shape: str | None = option("WORD", "disc, or box.", shown="disc")
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class FireOptions(ShotOptions):
    """Options of ``fire``."""

    ccd: str | None = option("LIST", "off, on, or both: continuous physics and bullet flag together. Default: both.")
    rule: str | None = option("LIST", "Instead of --ccd: all, or a list of " + ", ".join(RULES) + ".", excludes=("ccd",))
    target: str = option("LIST", f"all, or a list of {', '.join(TARGETS)}; also {', '.join(_WORDS)}, as the demo says.", "static,dynamic")
    height: float | None = option("M", "Above the target's middle, aimed at.", shown="0")
    turn: float | None = option("DEG", "The blade, from upright, when the bullet should be there.", shown="0")
    shots: int = option("N", "Shots of each kind, at random phases of a step; one: half-way.", 1, low=1, high=MAX_SHOTS)
    jitter_angle: float = option("DEG", "Each shot's angle is off by up to this.", 0.0, low=0.0, high=_MAX_DEGREES["angle"], unit="degrees")
    jitter_height: float = option("M", "Each shot's height is off by up to this.", 0.0, low=0.0, high=MOST_HEIGHT, unit="m")
    jitter_turn: float = option("DEG", "The blade's turn is off by up to this.", 0.0, low=0.0, high=_MAX_DEGREES["turn"], unit="degrees")
    solver: str = option(
        "LIST", "What drives the world: box2d, soft_step, both, or others; what rule has no use there is left out.", "box2d"
    )
    json: JsonFile = None
    csv: str | None = option("FILE", "Write a row for each shot.", writes=(".csv",))
    screenshot: Screenshot = None


@command
def fire_command(args: FireOptions) -> Report:
    """Fire bullets at walls, plates, blades, sensors, other bullets, and say which went through under which rule.

    Each shot is predicted by our analysis where it has a law; status 1 if one did something else.
    """
    from engine.experiments.shot import Jitter, run_burst, scatter
    from engine.world import load_solver
    from engine.world.solver import DEFAULT, solvers

    drivers = listed("--solver", args.solver, solvers(), {"both": (DEFAULT, "soft_step")})
    rules = _rules_of(args.ccd, args.rule, drivers)
    targets: Any = listed("--target", args.target, TARGETS, {"all": TARGETS, **{word: (kind,) for word, kind in _WORDS.items()}})
    jitter = Jitter(math.radians(args.jitter_angle), args.jitter_height, math.radians(args.jitter_turn))
    note = ""
    try:
        specs = [
            ShotSpec(**shot_fields(args), target=kind, rule=word, solver=driver)
            for kind in targets
            for driver in drivers
            for word in rules
            if word in rules_of(driver)
        ]
        note = ", jitter included"
        bursts = [scatter(spec, args.shots, args.seed, jitter) for spec in specs]
    except InvalidInputError as error:
        raise shot_error(error, note) from None
    with warming():
        from engine import query

        query.warm_up()
    with progress("firing", len(specs) * args.shots) as advance:
        runs = [run_burst(spec, burst, advance) for spec, burst in zip(specs, bursts, strict=True)]
    if args.screenshot is not None:
        from engine.app.pictures.fire_picture import draw_runs

        write_atomically(args.screenshot, draw_runs(runs))
    plain = [_run_json(series) for series in runs]
    if args.csv is not None:
        write_atomically(args.csv, csv_of(list(_csv_rows(plain))))
    result = {"seed": args.seed, "box2d": load_solver("box2d").capabilities.version, "runs": plain}
    return Report(result, _parts(runs), int(any(series.surprises for series in runs)))


def _rules_of(ccd: str | None, rule: str | None, drivers: Sequence[str]) -> Any:
    if rule is None:
        rules: Any = [_SWITCHES[switch] for switch in listed("--ccd", ccd or "both", tuple(_SWITCHES), {"both": tuple(_SWITCHES)})]
    else:
        rules = listed("--rule", rule, RULES)
    for driver in drivers:
        if not set(rules) & set(rules_of(driver)):
            raise InvalidInputError("--rule", f"one of {', '.join(rules_of(driver))} where --solver has {driver}", ",".join(rules))
    return rules


def shot_fields(args: ShotOptions) -> dict[str, Any]:
    """Return the fields of `ShotSpec` that were given, angles in radians."""
    values = {name: getattr(args, name, None) for name in _SPEC}
    return {name: math.radians(value) if name in _MAX_DEGREES else value for name, value in values.items() if value is not None}


def shot_error(error: InvalidInputError, note: str = "") -> InvalidInputError:
    """Return an error of a shot under the name of the option, and, with a note, in degrees for radians."""
    name, requirement, value = error.field, error.requirement, error.value
    if name in _MAX_DEGREES and isinstance(value, float):
        requirement, value = f"from {-_MAX_DEGREES[name]:g} to {_MAX_DEGREES[name]:g} degrees{note}", math.degrees(value)
    return InvalidInputError(name if name.startswith("--") else f"--{name.replace('_', '-')}", requirement, value)


def _run_json(series: ShotSeries) -> dict[str, Any]:
    spec = series.spec
    return {
        "ccd": "on" if spec.rule == "bullet" or (spec.rule == "default" and not spec.is_box2d) else "off",
        **{name: getattr(spec, name) for name in (*_RUN_FIELDS, *_AIM_FIELDS)},
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
        **{name: getattr(shot.spec, name) for name in ("phase", *_AIM_FIELDS)},
    }


def _csv_rows(runs: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each shot: what the run has in common, then what the shot has in JSON, pairs as two columns."""
    for run in runs:
        for shot in run["shots"]:
            row = {name: run[name] for name in _RUN_FIELDS}
            for name, value in shot.items():
                names = _CSV_PAIRS.get(name, (name,))
                row |= dict(zip(names, (value or (None, None)) if len(names) > 1 else (value,), strict=True))
            yield row


def _parts(runs: Sequence[ShotSeries]) -> Iterator[Part]:
    spec, shots = runs[0].spec, [shot for series in runs for shot in series.shots]
    yield (
        f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m a step. A bullet of radius {spec.radius:g} m, "
        f"a target {spec.thickness:g} m thick: without CCD, caught where a step ends within {spec.reach:.3g} m before its middle."
    )
    capped = [series.spec.flown_speed for series in runs if series.spec.is_capped]
    if capped:
        yield Link(f"Box2D moves no body more than 2 m a step: it flies {min(capped):g} m/s.", "note")
    words = ("solver", "rule", "target")
    names = [[getattr(series.spec, word) for word in words] for series in runs]
    if len(runs[0].shots) == 1:
        verdicts = [Link(series.shots[0].verdict, _kind(series.shots[0])) for series in runs]
        yield Table("", (*words, "verdict"), tuple((*own, verdict) for own, verdict in zip(names, verdicts, strict=True)), (0, 1, 2, 3))
    else:
        rows = []
        for own, series in zip(names, runs, strict=True):
            shares = (series.hit_share, series.tunneled_share, series.predicted_share, series.chance)
            rows.append((*own, len(series.shots), *(None if share is None else f"{share:.1%}" for share in shares), series.world_steps))
        yield Table("", (*words, "shots", "hit", "tunneled", "predicted", "law", "steps"), tuple(rows), (0, 1, 2))
        counts = Counter((shot.hit, shot.tunneled) for shot in shots)
        yield (
            f"Together: {counts[True, False]} hit and not through, {counts[True, True]} hit (a contact was made) and through all the same, "
            f"{counts[False, True]} through and never hit, {counts[False, False]} neither."
        )
        yield "predicted: by our analysis of these very shots; law: the chance at a random phase; -: not derived."
        yield "steps: of the solver's for one step of the rule."
    n_surprises = sum(len(series.surprises) for series in runs)
    if n_surprises:
        yield Link(f"{n_surprises} of {len(shots)} shots did not do what was predicted.", "wrong")
    n_late = sum(not shot.is_in_time for shot in shots)
    if n_late:
        yield Link(f"{n_late} of {len(shots)} first contacts were reported outside the time that our analysis allows.", "note")


def _kind(shot: ShotResult) -> str:
    if shot.spec.target == "sensor":
        return "right" if shot.hit else "wrong"
    return "wrong" if shot.tunneled else "right" if shot.stopped_at is not None else "note"
