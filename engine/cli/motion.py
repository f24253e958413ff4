"""``motion``: why bodies move otherwise in Box2D than in ours, counted over demos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import check_directory
from engine.cli import options
from engine.cli.output import InterruptedRunError, check_files, people, progress, text_table, warming, write_json
from engine.common.checks import integer
from engine.common.errors import InvalidInputError

if TYPE_CHECKING:
    from rich.console import Console

    from engine.compare.motion.tally import MotionTally
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["motion_command"]

DEFAULT_STEPS, DEFAULT_EVERY = 300, 30
_MAX_STEPS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionOptions:
    """Options of ``motion``."""

    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Demos; all of them where none is named.")] = None
    steps: Annotated[int, typer.Option("--steps", metavar="N", min=1, max=_MAX_STEPS, help="Steps of each demo.")] = DEFAULT_STEPS
    every: Annotated[int, typer.Option("--every", metavar="K", help="Judge each K-th step.")] = DEFAULT_EVERY
    seed: options.Seed = 0
    solver: options.SolverName = None
    method: options.MethodName = None
    save: Annotated[str | None, typer.Option("--save", metavar="DIR", help="Write a scene file of each unexplained step's state.")] = None
    json_file: options.JsonFile = None


@options.takes_options
def motion_command(args: MotionOptions) -> int:
    """Count why Box2D's bodies and ours leave a step with different velocities, over the steps of demos.

    From the state before each judged step both engines take it once; causes are taken away one after the other until the difference is
    gone. What stays is unexplained; status 1 if there is any. docs/motion.md explains each cause and how it is shown.
    """
    steps, seed = args.steps, args.seed
    every = integer("--every", args.every, 1, steps)
    if args.method == "box2d":
        raise InvalidInputError("--method", "one of our solvers", args.method)
    method = args.method or (args.solver if args.solver not in (None, "box2d") else "soft_step")
    kinds = _demos(args.ids or [])
    check_files({}, {"--json": args.json_file})
    folder = None if args.save is None else check_directory("--save", args.save)
    with warming():
        options.prepare_solvers("box2d", method)
    tallies: dict[str, MotionTally] = {}
    saved: list[str] = []
    is_whole = _judge_all(kinds, steps, every, seed, args.solver, method, folder, tallies, saved)
    total = _sum(tallies)
    head = {"every": every, "seed": seed, "solver": args.solver or "box2d", "method": method, "demo_steps": steps}
    rows = [{"demo": name, **tally.as_json()} for name, tally in tallies.items()]
    result: dict[str, Any] = {**head, "demos": rows, "total": total.as_json(), "unexplained_total": total.unexplained, "saved": saved}
    write_json(args.json_file, result if is_whole else {**result, "interrupted": True})
    console = people(args.json_file)
    _print(console, tallies, total, saved)
    if not is_whole:
        raise InterruptedRunError(f"interrupted after {total.steps:,} judged steps")
    return 1 if total.unexplained else 0


def _demos(ids: Sequence[str]) -> list[type[Demo]]:
    from engine.sim.registry import all_demos, find_demo

    return [find_demo(name) for name in dict.fromkeys(ids)] if ids else list(all_demos())


def _judge_all(
    kinds: Sequence[type[Demo]],
    steps: int,
    every: int,
    seed: int,
    solver: str | None,
    method: str,
    folder: Path | None,
    tallies: dict[str, MotionTally],
    saved: list[str],
) -> bool:
    """Judge the steps of all demos; return whether that was not interrupted."""
    from engine.compare.motion.tally import MotionTally

    name = ""
    try:
        with progress(lambda: name or "judging", len(kinds) * steps, "steps") as advance:
            for kind in kinds:
                name, tally = kind.id, MotionTally()
                tallies[name] = tally
                demo = kind(seed, solver=solver)
                for step in range(1, steps + 1):
                    if step % every == 0:
                        for number, stage in enumerate(demo.stages):
                            where = f"{name}-{step}" + (f"-{number}" if number else "")
                            saved += _judge(stage.world, method, tally, where, folder)
                    demo.sim.step()
                    advance()
    except KeyboardInterrupt:
        return False
    return True


def _judge(world: World, method: str, tally: MotionTally, where: str, folder: Path | None) -> list[str]:
    """Judge the next step of a world; return the file of its state where that is wanted and something stays unexplained."""
    from engine.compare.motion import judge_step

    try:
        verdict = judge_step(world, solver=method)
    except InvalidInputError as error:
        tally.not_judged[f"{error.field}: {error.requirement}"] += 1
        return []
    tally.add(verdict)
    if folder is None or not verdict.unexplained:
        return []
    from engine.scenes import save_scene, scene_of

    path = folder / f"{where}.json"
    words = ", ".join(f"body {body.body}: {body.told}" for body in verdict.bodies if body.cause == "unexplained") or "poses"
    save_scene(path, scene_of(world, title=where, watch=words[:1000]))
    return [str(path)]


def _sum(tallies: dict[str, MotionTally]) -> MotionTally:
    from engine.compare.motion.tally import MotionTally

    total = MotionTally()
    for tally in tallies.values():
        total += tally
    return total


def _print(console: Console, tallies: dict[str, MotionTally], total: MotionTally, saved: Sequence[str]) -> None:
    from engine.compare.motion import CAUSES

    seen = [name for name in CAUSES if total.causes[name]]
    table = text_table("demo", right=("steps", "bodies", "agree", *(name.replace("_", " ") for name in seen)))
    rows = [*tallies.items()] if len(tallies) == 1 else [*tallies.items(), ("all", total)]
    for name, tally in rows:
        counts = (tally.steps, tally.compared, tally.agree, *(tally.causes[cause] for cause in seen))
        table.add_row(name, *(f"{count:,}" if count else "" for count in counts))
    console.print(table)
    for title, counter in (("poses", total.ways), ("other contacts", total.reasons), ("not judged", total.not_judged)):
        if counter:
            words = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counter.most_common())
            console.print(f"{title}: {words}", markup=False)
    if total.worst is not None:
        console.print(f"worst: step {total.worst_step}, body {total.worst.body}, {total.worst.cause}: {total.worst.told}", markup=False)
    console.print(f"unexplained: {total.unexplained:,}", markup=False)
    for path in saved:
        console.print(f"state: {path}", markup=False)
