"""``atlas``: map over two parameters which shots tunnel, with the predicted boundary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.fire import ShotOptions, shot_error, shot_fields
from engine.cli.options import Jobs, command, listed, n_jobs, option
from engine.cli.output import InterruptedRunError, progress, waiting
from engine.common.errors import InvalidInputError
from engine.common.files import write_atomically
from engine.experiments.spec import RULES, ShotSpec
from engine.report import Part, Report, Table

if TYPE_CHECKING:
    from engine.experiments.atlas import Atlas, RuleTiming
    from engine.experiments.atlas_plan import AtlasPlan, Cell, Count

__all__ = ["atlas_command"]

ATLAS, COST = "atlas.json", "cost.json"
_SHOWN_OUTLIERS = 12


@dataclass(frozen=True, kw_only=True)
class AtlasOptions(ShotOptions):
    """Options of ``atlas``; the shot options set the parameters that neither axis varies."""

    x: str = option("PARAM=LO:HI:N", "Horizontal axis; append :log or :linear for the scale.", "speed=4:400:40")
    y: str = option("PARAM=LO:HI:N", "Vertical axis.", "thickness=0.002:2:40")
    rule: str = option("LIST", "Rules, one map per rule: discrete, default, bullet, substeps, swept.", "discrete,default,bullet")
    target: str = option("WORD", "Target: static, kinematic, dynamic, sensor or head_on.", "static")
    solver: str = option("WORD", "Physics solver: box2d, soft_step, or another engine, box2d3 or chipmunk.", "box2d")
    shots: int = option("N", "Shots per cell, at random phases of a step.", 200)
    jobs: Jobs = None
    out: str = option("DIR", "Output folder.", "out/atlas")


@command
def atlas_command(args: AtlasOptions) -> Report:
    """Map the fractions of shots that tunnel and that hit over two parameters, with one map per rule, as PNG, CSV and JSON.

    The maps show the boundary predicted by our analysis. The status is 1 if fewer than 99 % of a map's cells lie within three standard
    errors of the prediction, or if one of the others is unexplained. An interrupted atlas
    writes nothing and starts again.
    """
    plan = _plan(args)
    from engine.app.files.writing import check_directory
    from engine.experiments.atlas import Atlas, measure_costs
    from engine.world import load_solver

    directory = check_directory("--out", args.out)
    version = load_solver(args.solver).capabilities.version
    cells: dict[Cell, Count] = {}
    try:
        _fire(plan, cells, n_jobs(args.jobs))
        atlas = Atlas.of(plan, cells)
        _write(directory, atlas, version)
        with waiting("measuring the cost of a step"):
            costs = measure_costs(plan)
    except KeyboardInterrupt:
        raise InterruptedRunError(f"interrupted after {len(cells):,} of {plan.n_cells:,} cells") from None
    _write_costs(directory, costs)
    return Report({}, _parts(atlas, costs, directory), int(not all(rule_map.agrees for rule_map in atlas.maps)))


def _plan(args: AtlasOptions) -> AtlasPlan:
    from engine.experiments.atlas_plan import AtlasPlan, parse_axis

    axes = parse_axis("--x", args.x), parse_axis("--y", args.y)
    fixed = shot_fields(args)
    for axis in axes:
        if axis.name in fixed:
            raise InvalidInputError(f"--{axis.name.replace('_', '-')}", "omitted if an axis varies it", getattr(args, axis.name))
    target: Any = args.target
    rules: Any = listed("--rule", args.rule, RULES)
    try:
        return AtlasPlan(*axes, rules, ShotSpec(**fixed, target=target, solver=args.solver), args.shots, args.seed)
    except InvalidInputError as error:
        refusal = shot_error(error)
        option = {axis.name: option for option, axis in zip(("--x", "--y"), axes, strict=True)}.get(error.field)
        raise refusal if option is None else InvalidInputError(f"{option}: {error.field}", refusal.requirement, refusal.value) from None


def _fire(plan: AtlasPlan, cells: dict[Cell, Count], n_processes: int) -> None:
    """Fire all shots and add the counts of each cell, with a progress bar on standard error."""
    from engine.experiments.atlas import fire_cells

    fired = fire_cells(plan, n_processes)
    with progress("firing", plan.n_cells, "cells") as advance:
        try:
            for cell, count in fired:
                cells[cell] = count
                advance(len(cells))
        finally:
            fired.close()  # stops the worker processes


def _write(directory: Path, atlas: Atlas, version: str) -> None:
    """Write the files that depend only on the plan. The JSON comes last, because it marks the atlas as finished."""
    from engine.cli.atlas_map import as_csv, draw_map

    for rule_map in atlas.maps:
        write_atomically(directory / f"{rule_map.rule}.png", draw_map(rule_map))
        write_atomically(directory / f"{rule_map.rule}.csv", as_csv(rule_map))
    text = json.dumps(atlas.as_json(version), allow_nan=False, indent=1) + "\n"
    write_atomically(directory / ATLAS, text.encode("utf-8"))


def _write_costs(directory: Path, costs: tuple[RuleTiming, ...]) -> None:
    from engine.experiments.atlas import BULLETS

    rows = [
        {"rule": cost.rule, "ms_per_step": 1e3 * cost.alone, f"ms_per_step_of_{BULLETS}": None if cost.crowd is None else 1e3 * cost.crowd}
        for cost in costs
    ]
    write_atomically(directory / COST, (json.dumps(rows, indent=2) + "\n").encode("utf-8"))


def _parts(atlas: Atlas, costs: Sequence[RuleTiming], directory: Path) -> Iterator[Part]:
    rows = []
    for rule_map, cost in zip(atlas.maps, costs, strict=True):
        reasons = [outlier.reason for outlier in rule_map.outliers]
        rows.append(
            (
                rule_map.rule,
                rule_map.errors.size,
                f"{rule_map.within_share:.2%}",
                *(reasons.count(reason) for reason in ("sampling", "turned", "unexplained")),
                rule_map.errors.size * atlas.plan.n_shots,
                int(rule_map.surprises.sum()),
                f"{rule_map.tunneled.max():.1%}",
                1e3 * cost.alone,
                None if cost.crowd is None else 1e3 * cost.crowd,
            )
        )
    counts = ("cells", "within 3 s.e.", "sampling", "turned", "unexplained", "shots", "contradict law")
    yield Table("", ("rule", *counts, "max. tunneled", "ms per step", "with 100"), tuple(rows))
    yield "The column `within 3 s.e.` counts the cells whose tunneled share is within three standard errors of the law."
    yield "The next three columns give the reasons for the other cells."
    yield "The column `contradict law` counts the shots that contradict the law at their own phase."
    yield "Step times are for the center cell of the map, with one bullet and with 100 bullets at the time of impact."
    for rule_map in atlas.maps:
        for outlier in rule_map.outliers[:_SHOWN_OUTLIERS]:
            yield f"{rule_map.rule}: {outlier.words(atlas.plan)}"
        if len(rule_map.outliers) > _SHOWN_OUTLIERS:
            yield f"{rule_map.rule}: {len(rule_map.outliers) - _SHOWN_OUTLIERS} more in {ATLAS}"
    yield f"written to {directory}: {ATLAS}, {COST}, and a picture (.png) and a table (.csv) for each rule"
