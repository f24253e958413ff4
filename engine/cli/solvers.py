"""``solvers``: compare solvers on scenes with known outcomes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import FOLDER, option
from engine.cli.output import progress, unfinished
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_ITERATIONS
from engine.common.words import counted
from engine.report import Link, Part, Report

if TYPE_CHECKING:
    from engine.experiments.solvers.bench import Rung
    from engine.experiments.solvers.trial import Cell

__all__ = ["solvers_command"]


@dataclass(frozen=True, kw_only=True)
class SolversOptions:
    """Options of ``solvers``."""

    solvers: str = option("LIST", "Solvers, each NAME[:SETTING=VALUE]..., such as soft_step:sub_steps=4; or all.", options.ALL)
    scenes: str = option("LIST", "Scenes or groups: standing, stack, heavy, all.", options.ALL)
    seconds: float | None = option("S", "Simulated time per scene.", shown="the scene's own", low=0.01, high=3600.0, unit="s")
    hertz: float = option("HZ", "Steps per second.", 60.0, low=1.0, high=10_000.0, unit="Hz")
    efforts: str | None = option("LIST", "Sub-steps or iterations to try with each solver, such as 1,2,4,8.")
    accuracy: float = option("M", "Maximum error for computing the effort that each solver needs.", 0.01, low=0.0, high=1e3, unit="m")
    budget: float = option("S", "Maximum processor time per solver and scene.", 60.0, low=0.0, high=1e6, unit="s")
    jobs: options.Jobs = None
    report: options.ReportFolder = None
    write: str | None = option("DIR", "Only write the scenes as scene files into this folder.", writes=(FOLDER,))
    json: options.JsonFile = None


@options.command
def solvers_command(args: SolversOptions) -> Report:
    """Run solvers on scenes and report which remain standing, how accurately, and at what cost.

    All solvers are measured in the same way, from poses. If a solver rejects a scene, stops or explodes, the table shows the reason.
    --efforts varies the work per step to find the least effort that reaches --accuracy. docs/solvers.md explains the columns. Costs are
    CPU times from interleaved runs; compare the ratios to the soft-step solver.
    """
    from engine.cli.solvers_page import measures_table, needs_table, solvers_page
    from engine.experiments.solvers.bench import Plan, needs, tried
    from engine.experiments.solvers.scenes import chosen_scenes, write_scenes
    from engine.experiments.solvers.trial import chosen_variants

    variants, scenes = chosen_variants("--solvers", args.solvers), chosen_scenes("--scenes", args.scenes)
    plan = Plan(tuple(variants), args.seconds, args.hertz, _efforts(args.efforts), args.budget)
    if args.write is not None:
        return Report({}, [f"scene: {path}" for path in write_scenes(Path(args.write), scenes)])
    results: dict[str, tuple[list[Cell], list[Rung]]] = {}
    answers = tried(plan, scenes, options.n_jobs(args.jobs))
    with progress("running", len(scenes), "scenes") as advance, contextlib.suppress(KeyboardInterrupt), contextlib.closing(answers):
        for answer in answers:
            results[answer.scene] = answer.cells, answer.ladder
            advance()
    done = [scene for scene in scenes if scene.name in results]
    cells = [cell for scene in done for cell in results[scene.name][0]]
    ladder = [rung for scene in done for rung in results[scene.name][1]]
    needed = needs(ladder, args.accuracy)
    plain: dict[str, Any] = {"hertz": plan.hertz, "results": [cell.as_json() for cell in cells]}
    if plan.efforts:
        plain |= {"ladder": [rung.as_json() for rung in ladder], "needs": [need.as_json() for need in needed]}

    def parts() -> Iterator[Part]:
        yield measures_table(cells)
        for variant in variants:
            own = [cell for cell in cells if cell.variant == variant]
            yield f"{variant.label} stands in {sum(cell.stands is True for cell in own)} of {counted(len(own), 'scene')}"
        if needed:
            yield needs_table(done, needed)
        yield Link("Cost: ratio to the soft step.", "caption")

    page = partial(solvers_page, args.report or "", plan, done, cells, ladder, needed, args.accuracy) if done else None
    return Report(plain, parts(), 0, page, unfinished(len(done), len(scenes), "scene"))


def _efforts(given: str | None) -> tuple[int, ...]:
    """Parse a comma-separated list of whole numbers and remove duplicates."""
    words: Sequence[str] = [] if given is None else [part.strip() for part in given.split(",")]
    for word in words:
        if not word.isdecimal() or not 1 <= int(word) <= MAX_ITERATIONS:
            raise InvalidInputError("--efforts", f"a list of whole numbers from 1 to {MAX_ITERATIONS}, such as 1,2,4,8", word)
    return tuple(dict.fromkeys(map(int, words)))
