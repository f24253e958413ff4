"""``fire``: run the bullet experiment headless, with many shots."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from engine.cli.capture import write_page
from engine.cli.options import HtmlFile, JsonFile, Screenshot, Seed, command, listed, option
from engine.cli.output import progress
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically
from engine.experiments.spec import MAX_ANGLE, MAX_HEIGHT, MAX_TURN, RULES, TARGETS, ShotSpec, rules_of
from engine.report import Link, Part, Report, Table, Value

if TYPE_CHECKING:
    from engine.experiments.shot import ShotResult, ShotSeries

__all__ = ["ShotOptions", "fire_command", "shot_error", "shot_fields"]

MAX_SHOTS = 1_000_000
_WORDS = {"wall": "static", "moving": "kinematic", "plate": "dynamic", "bullet": "head_on"}
"""Names of targets in the `bullet` demo, where they differ from `TARGETS`."""
_SWITCHES = {"off": "discrete", "on": "bullet"}
"""Rule for each value of `--ccd`."""
_MAX_DEGREES = {"angle": math.degrees(MAX_ANGLE), "turn": math.degrees(MAX_TURN)}
"""Maximum absolute values, degrees, of parameters that `ShotSpec` takes in radians."""
_SPEC = ("speed", "thickness", "hertz", "radius", "angle", "height", "restitution", "target_speed", "turn", "shape")
_RUN_FIELDS = ("solver", "rule", "target", "hertz", "speed", "thickness", "radius", "restitution", "target_speed", "shape")
_AIM_FIELDS = ("angle", "height", "turn")
_SHOT_FIELDS = ("hit", "tunneled", "stopped_at", "impact_time", "impact_point", "impact_normal")


@dataclass(frozen=True, kw_only=True)
class ShotOptions:
    """Options that override the defaults of `ShotSpec`."""

    speed: float | None = option("M/S", "Muzzle speed; Box2D caps it at 2 m per step.", shown="110")
    thickness: float | None = option("M", "Thickness of the target.", shown="0.05")
    radius: float | None = option("M", "Radius of the bullet, or half the side length of the box.", shown="0.05")
    hertz: float | None = option("HZ", "Steps per second.", shown="60")
    angle: float | None = option("DEG", "Angle between the flight direction and the target normal.", shown="0")
    restitution: float | None = option("E", "Restitution, from 0 (no bounce) to 1 (fully elastic).", shown="0")
    target_speed: float | None = option(
        "M/S", "Speed of a kinematic or head_on target toward the bullet, or of the blade's tip.", shown="0"
    )
    shape: str | None = option("WORD", "Bullet shape: disc or box.", shown="disc")
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class FireOptions(ShotOptions):
    """Options of ``fire``."""

    ccd: str | None = option("LIST", "Continuous physics together with the bullet flag: off, on or both. Default: both.")
    rule: str | None = option("LIST", "Collision rules, instead of --ccd: all, or a list of " + ", ".join(RULES) + ".", excludes=("ccd",))
    target: str = option(
        "LIST", f"all, or a list of {', '.join(TARGETS)}; the demo's names are accepted too: {', '.join(_WORDS)}.", "static,dynamic"
    )
    height: float | None = option("M", "Aim point, as height above the target's center.", shown="0")
    turn: float | None = option("DEG", "Blade angle from vertical when the bullet is due to arrive.", shown="0")
    shots: int = option(
        "N", "Shots per combination, at random phases of a step (a single shot is fired at mid-step).", 1, low=1, high=MAX_SHOTS
    )
    jitter_angle: float = option(
        "DEG", "Maximum random change of each shot's angle.", 0.0, low=0.0, high=_MAX_DEGREES["angle"], unit="degrees"
    )
    jitter_height: float = option("M", "Maximum random change of each shot's height.", 0.0, low=0.0, high=MAX_HEIGHT, unit="m")
    jitter_turn: float = option(
        "DEG", "Maximum random change of the blade's angle.", 0.0, low=0.0, high=_MAX_DEGREES["turn"], unit="degrees"
    )
    solver: str = option(
        "LIST", "Physics solvers: box2d, soft_step, both, or a list; rules that a solver does not support are skipped.", "box2d"
    )
    json: JsonFile = None
    html: HtmlFile = None
    screenshot: Screenshot = None


@command
def fire_command(args: FireOptions) -> Report:
    """Fire bullets at walls, plates, blades, sensors and other bullets, and report which tunnel under which rule.

    Each shot is compared with our analytic prediction, if there is one. The status is 1 if a shot contradicts it.
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
    with progress("firing", len(specs) * args.shots) as advance:
        runs = [run_burst(spec, burst, advance) for spec, burst in zip(specs, bursts, strict=True)]
    if args.screenshot is not None:
        from engine.cli.fire_picture import draw_runs

        write_atomically(args.screenshot, draw_runs(runs))
    page: dict[str, Value] = {}
    if args.html is not None:
        from engine.cli.fire_page import packed_shots

        page = write_page(args.html, "Shots at a target", [packed_shots([series.shots[0].spec for series in runs])])
    plain = [_run_json(series) for series in runs]
    result = {"seed": args.seed, "box2d": load_solver("box2d").capabilities.version, "runs": plain}
    return Report(result, chain(_parts(runs), [page]), int(any(series.surprises for series in runs)))


def _rules_of(ccd: str | None, rule: str | None, drivers: Sequence[str]) -> Any:
    if rule is None:
        rules: Any = [_SWITCHES[switch] for switch in listed("--ccd", ccd or "both", tuple(_SWITCHES), {"both": tuple(_SWITCHES)})]
    else:
        rules = listed("--rule", rule, RULES)
    for driver in drivers:
        if not set(rules) & set(rules_of(driver)):
            raise InvalidInputError("--rule", f"one of {', '.join(rules_of(driver))} with --solver {driver}", ",".join(rules))
    return rules


def shot_fields(args: ShotOptions) -> dict[str, Any]:
    """Return the given options as fields of `ShotSpec`, angles in radians."""
    values = {name: getattr(args, name, None) for name in _SPEC}
    return {name: math.radians(value) if name in _MAX_DEGREES else value for name, value in values.items() if value is not None}


def shot_error(error: InvalidInputError, note: str = "") -> InvalidInputError:
    """Convert a `ShotSpec` error to one that names the option, with angles in degrees and `note` after their range."""
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
    return {
        **{name: getattr(shot, name) for name in _SHOT_FIELDS},
        "predicted_tunnels": shot.prediction.tunnels,
        "predicted_hit": shot.prediction.hit,
        "impact_time_box2d": shot.impact_time if shot.spec.is_box2d else None,
        **{name: getattr(shot.spec, name) for name in ("phase", *_AIM_FIELDS)},
    }


def _parts(runs: Sequence[ShotSeries]) -> Iterator[Part]:
    spec, shots = runs[0].spec, [shot for series in runs for shot in series.shots]
    yield (
        f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m per step. Bullet radius {spec.radius:g} m, "
        f"target thickness {spec.thickness:g} m. Without CCD, the target catches the bullet only if a step ends less than "
        f"{spec.reach:.3g} m before the target's center."
    )
    capped = [series.spec.flown_speed for series in runs if series.spec.is_capped]
    if capped:
        yield Link(f"Box2D limits speeds, to 2 m per step in version 2.3, so the bullet flies at {min(capped):g} m/s.", "note")
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
            f"Total: {counts[True, False]} hit and stopped, {counts[True, True]} hit (a contact was made) but tunneled, "
            f"{counts[False, True]} tunneled without a hit, {counts[False, False]} neither."
        )
        yield "`predicted` comes from our analysis of these shots, `law` is the probability over random phases, and `-` means not derived."
        yield "`steps` is the number of solver steps per step of the rule."
    n_surprises = sum(len(series.surprises) for series in runs)
    if n_surprises:
        yield Link(f"{n_surprises} of {len(shots)} shots contradict the prediction.", "wrong")


def _kind(shot: ShotResult) -> str:
    if shot.spec.target == "sensor":
        return "right" if shot.hit else "wrong"
    return "wrong" if shot.tunneled else "right" if shot.stopped_at is not None else "note"
