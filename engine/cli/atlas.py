"""``atlas``: a map of which shots go through, fired by Box2D, with the law's border over it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import check_directory, write_atomically
from engine.cli.fire import shot_error
from engine.cli.options import Jobs, Seed, listed, n_jobs, takes_options
from engine.cli.output import InterruptedRunError, people, progress, text_table, waiting
from engine.common.checks import choice
from engine.common.errors import InvalidInputError
from engine.common.locks import held
from engine.experiments.spec import BULLET_SHAPES, RULES, ShotSpec

if TYPE_CHECKING:
    from engine.experiments.atlas import Atlas, RuleTiming
    from engine.experiments.atlas_plan import AtlasJournal, AtlasPlan

__all__ = ["atlas_command"]

ATLAS, COST, _LOCK = "atlas.json", "cost.json", ".atlas.lock"
_SHOWN_OUTLIERS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasOptions:
    """Options of ``atlas``."""

    x: Annotated[str, typer.Option("--x", metavar="PARAM=LO:HI:N", help="Across; :log or :linear may follow.")] = "speed=4:400:40"
    y: Annotated[str, typer.Option("--y", metavar="PARAM=LO:HI:N", help="Upwards.")] = "thickness=0.002:2:40"
    rule: Annotated[str, typer.Option("--rule", metavar="LIST", help="A map for each: discrete, default, bullet, substeps, swept.")] = (
        "discrete,default,bullet"
    )
    target: Annotated[str, typer.Option("--target", metavar="WORD", help="static, kinematic, dynamic, sensor or head_on.")] = "static"
    shape: Annotated[str, typer.Option("--shape", metavar="WORD", help="Of the bullet: disc, or box.")] = "disc"
    solver: Annotated[str, typer.Option("--solver", metavar="WORD", help="What drives the worlds: box2d, or soft_step.")] = "box2d"
    shots: Annotated[int, typer.Option("--shots", metavar="N", help="Shots of each cell, at random phases of a step.")] = 200
    speed: Annotated[float | None, typer.Option("--speed", metavar="M/S", help="Where no axis varies it, as those that follow.")] = None
    thickness: Annotated[float | None, typer.Option("--thickness", metavar="M", help="Of the target.")] = None
    radius: Annotated[float | None, typer.Option("--radius", metavar="M", help="Of the bullet, or half its side.")] = None
    hertz: Annotated[float | None, typer.Option("--hertz", metavar="HZ", help="Steps a second.")] = None
    angle: Annotated[float | None, typer.Option("--angle", metavar="DEGREES", help="Of the flight against the wall's normal.")] = None
    restitution: Annotated[float | None, typer.Option("--restitution", metavar="E", help="Of the bullet, 0 to 1.")] = None
    target_speed: Annotated[float | None, typer.Option("--target-speed", metavar="M/S", help="Of a moving target, towards the bullet.")] = (
        None
    )
    seed: Seed = 0
    jobs: Jobs = None
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Where the files go, and where an interrupted atlas goes on.")] = (
        "out/atlas"
    )


@takes_options
def atlas_command(args: AtlasOptions, context: typer.Context) -> int:
    """Map the share of shots that tunnel, and that hit, over two parameters; one map for each rule, as PNG, CSV and JSON.

    Over it lies the border that our analysis predicts. Status 1 if fewer than 99 % of a map's cells lie within three standard errors of
    it, or if one of the others is unexplained. Interrupted, by whatever, the same command goes on from there and writes the same files.
    """
    n_processes = n_jobs(args.jobs)
    from engine.experiments.atlas_plan import PARAMETERS

    fixed = {name: context.params[name] for name in PARAMETERS if context.params[name] is not None}
    plan = _plan(
        args.x, args.y, args.rule, {"target": args.target, "shape": args.shape, "solver": args.solver}, args.shots, args.seed, fixed
    )
    directory = check_directory("--out", args.out)
    from engine.experiments.atlas import Atlas, measure_costs
    from engine.experiments.atlas_plan import AtlasJournal
    from engine.world import load_solver

    version = load_solver(args.solver).capabilities.version
    with held(directory / _LOCK) as is_mine:
        if not is_mine:
            raise InvalidInputError("--out", "a directory where no other atlas is being made", args.out)
        journal = AtlasJournal(directory, plan, version)
        _take_finished(directory, plan, version, journal)
        try:
            _fire(plan, journal, n_processes)
            atlas = Atlas.of(plan, journal.cells)
            _write(directory, atlas, version)
            journal.remove()
            with waiting("measuring what a step costs"):
                costs = measure_costs(plan)
        except KeyboardInterrupt:
            total = plan.n_cells
            raise InterruptedRunError(f"interrupted after {len(journal.cells):,} of {total:,} cells; the same command goes on") from None
        _write_costs(directory, costs)
    _print(atlas, costs, directory)
    return 0 if all(rule_map.agrees for rule_map in atlas.maps) else 1


def _plan(x: str, y: str, rules: str, kind: dict[str, str], shots: int, seed: int, fixed: dict[str, float]) -> AtlasPlan:
    from engine.experiments.atlas_plan import PARAMETERS, TARGETS, AtlasPlan, parse_axis

    axes = parse_axis("--x", x), parse_axis("--y", y)
    for axis in axes:
        if axis.name in fixed:
            raise InvalidInputError(f"--{axis.name.replace('_', '-')}", "left out where an axis varies it", fixed[axis.name])
    from engine.world.solver import solvers

    choice("--solver", kind["solver"], solvers())
    words: Any = listed("--rule", rules, RULES)
    choice("--target", kind["target"], TARGETS)
    choice("--shape", kind["shape"], BULLET_SHAPES)
    fields: dict[str, Any] = kind | {name: PARAMETERS[name].factor * value for name, value in fixed.items()}
    try:
        return AtlasPlan(*axes, words, ShotSpec(**fields), shots, seed)
    except InvalidInputError as error:
        refusal = shot_error(error)
        option = {axis.name: option for option, axis in zip(("--x", "--y"), axes, strict=True)}.get(error.field)
        raise refusal if option is None else InvalidInputError(f"{option}: {error.field}", refusal.requirement, refusal.value) from None


def _take_finished(directory: Path, plan: AtlasPlan, version: str, journal: AtlasJournal) -> None:
    """Take over the cells of the same atlas where it is finished there already; anything else there is left alone, or replaced."""
    from engine.experiments.atlas import finished_cells

    try:
        content: Any = json.loads((directory / ATLAS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    journal.cells.update(finished_cells(plan, version, content))


def _fire(plan: AtlasPlan, journal: AtlasJournal, n_processes: int) -> None:
    """Fire what is missing, with a bar on standard error."""
    from engine.experiments.atlas import fire_missing

    done = fire_missing(plan, journal, n_processes)
    with progress("firing", plan.n_cells, "cells") as advance:
        try:
            for n_done in done:
                advance(n_done)
        finally:
            done.close()  # ends the other processes


def _write(directory: Path, atlas: Atlas, version: str) -> None:
    """Write the files that depend on nothing but the plan; the JSON, by which an atlas is known to be finished, last."""
    from engine.cli.atlas_map import as_csv, draw_map

    for rule_map in atlas.maps:
        write_atomically(directory / f"{rule_map.rule}.png", draw_map(rule_map))
        write_atomically(directory / f"{rule_map.rule}.csv", as_csv(rule_map).encode("utf-8"))
    text = json.dumps(atlas.as_json(version), allow_nan=False, indent=1) + "\n"
    write_atomically(directory / ATLAS, text.encode("utf-8"))


def _write_costs(directory: Path, costs: tuple[RuleTiming, ...]) -> None:
    from engine.experiments.atlas import BULLETS

    rows = [
        {"rule": cost.rule, "ms_per_step": 1e3 * cost.alone, f"ms_per_step_of_{BULLETS}": None if cost.crowd is None else 1e3 * cost.crowd}
        for cost in costs
    ]
    write_atomically(directory / COST, (json.dumps(rows, indent=2) + "\n").encode("utf-8"))


def _print(atlas: Atlas, costs: tuple[RuleTiming, ...], directory: Path) -> None:
    console = people()
    counts = ("cells", "within 3 s.e.", "sampling", "turned", "unexplained", "shots", "not by the law")
    table = text_table("rule", right=(*counts, "tunneled most", "ms a step", "with 100"))
    for rule_map, cost in zip(atlas.maps, costs, strict=True):
        reasons = [outlier.reason for outlier in rule_map.outliers]
        table.add_row(
            rule_map.rule,
            f"{rule_map.errors.size:,}",
            f"{100.0 * rule_map.within_share:.2f} %",
            *(str(reasons.count(reason)) for reason in ("sampling", "turned", "unexplained")),
            f"{rule_map.errors.size * atlas.plan.n_shots:,}",
            f"{rule_map.surprises.sum():,}",
            f"{100.0 * rule_map.tunneled.max():.1f} %",
            f"{1e3 * cost.alone:.3f}",
            "-" if cost.crowd is None else f"{1e3 * cost.crowd:.3f}",
        )
    console.print(table)
    console.print(
        "within 3 s.e.: cells whose tunneled share is that near to the law's; then why the others are not, and how many shots in all"
    )
    console.print("did something else than the law says of their very phase.")
    console.print("ms a step: with one bullet, and with 100 at once around the impact, in the cell in the map's middle.")
    for rule_map in atlas.maps:
        for outlier in rule_map.outliers[:_SHOWN_OUTLIERS]:
            console.print(f"{rule_map.rule}: {outlier.words(atlas.plan)}", markup=False)
        if len(rule_map.outliers) > _SHOWN_OUTLIERS:
            console.print(f"{rule_map.rule}: {len(rule_map.outliers) - _SHOWN_OUTLIERS} more in {ATLAS}")
    names = ", ".join(f"{rule_map.rule}.png, {rule_map.rule}.csv" for rule_map in atlas.maps)
    console.print(f"written to {directory}: {ATLAS}, {names}, {COST}", markup=False)
