"""``motion``: count the causes of different motion in Box2D and in our solvers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import FOLDER, argument, option
from engine.cli.output import progress
from engine.common.checks import choice, integer
from engine.common.errors import InvalidInputError
from engine.report import Part, Report, Table

if TYPE_CHECKING:
    from engine.compare.motion.verdict import MotionTally
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["motion_command"]

_MAX_STEPS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """Options of ``motion``."""

    ids: list[str] | None = argument("[ID]...", "Ids of demos; by default, all demos are used.", None)
    steps: int = option("N", "Number of steps per demo.", 300, low=1, high=_MAX_STEPS)
    every: int = option("K", "Compare every K-th step.", 30)
    seed: options.Seed = 0
    solver: options.SolverName = None
    method: str | None = option("NAME", "Our solver to compare with Box2D.")
    save: str | None = option("DIR", "Write the state before each unexplained step as a scene file.", writes=(FOLDER,))
    json: options.JsonFile = None


@options.command
def motion_command(args: MotionOptions) -> Report:
    """Count the causes of velocity differences between Box2D and our solver over the steps of demos.

    Both engines take each compared step from the same state; causes are removed one after another until the difference vanishes. Any
    difference that remains is counted as unexplained; the exit status is then 1. docs/motion.md explains each cause and how it is detected.
    """
    from engine.compare.motion.verdict import MotionTally
    from engine.sim.registry import all_demos, find_demo
    from engine.world.solver import methods

    integer("--every", args.every, 1, args.steps)
    method = args.method or (args.solver if args.solver not in (None, "box2d") else "soft_step")
    choice("--method", method, methods())
    kinds = [find_demo(name) for name in dict.fromkeys(args.ids)] if args.ids else list(all_demos())
    tallies: dict[str, MotionTally] = {}
    saved: list[str] = []
    is_whole = _judge_all(kinds, args, method, tallies, saved)
    total = MotionTally()
    for tally in tallies.values():
        total += tally
    head = {"every": args.every, "seed": args.seed, "solver": args.solver or "box2d", "method": method, "demo_steps": args.steps}
    rows = [{"demo": name, **tally.as_json()} for name, tally in tallies.items()]
    result: dict[str, Any] = {**head, "demos": rows, "total": total.as_json(), "unexplained_total": total.unexplained, "saved": saved}
    interrupted = "" if is_whole else f"interrupted after {total.steps:,} judged steps"
    return Report(result, _parts(tallies, total, saved), int(total.unexplained > 0), interrupted=interrupted)


def _judge_all(kinds: Sequence[type[Demo]], args: MotionOptions, method: str, tallies: dict[str, MotionTally], saved: list[str]) -> bool:
    """Judge the steps of all demos and fill `tallies` and `saved`; return False if interrupted."""
    from engine.compare.motion.verdict import MotionTally

    name = ""
    try:
        with progress(lambda: name or "judging", len(kinds) * args.steps, "steps") as advance:
            for kind in kinds:
                name, tally = kind.id, MotionTally()
                tallies[name] = tally
                demo = kind(args.seed, solver=args.solver)
                for step in range(1, args.steps + 1):
                    if step % args.every == 0:
                        for number, stage in enumerate(demo.stages):
                            where = f"{name}-{step}" + (f"-{number}" if number else "")
                            saved += _judge(stage.world, method, tally, where, args.save)
                    demo.sim.step()
                    advance()
    except KeyboardInterrupt:
        return False
    return True


def _judge(world: World, method: str, tally: MotionTally, where: str, folder: str | None) -> list[str]:
    """Judge the next step of a world and add it to `tally`; return the path of the state if it was saved to `folder`."""
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

    path = Path(folder) / f"{where}.json"
    words = ", ".join(f"body {body.body}: {body.evidence}" for body in verdict.bodies if body.cause == "unexplained") or "poses"
    save_scene(path, scene_of(world, title=where, watch=words[:1000]))
    return [str(path)]


def _parts(tallies: dict[str, MotionTally], total: MotionTally, saved: Sequence[str]) -> Iterator[Part]:
    from engine.compare.motion import CAUSES

    seen = [name for name in CAUSES if total.causes[name]]
    rows = [*tallies.items()] if len(tallies) == 1 else [*tallies.items(), ("all", total)]
    counts = [(name, tally.steps, tally.compared, tally.agree, *(tally.causes[cause] or None for cause in seen)) for name, tally in rows]
    yield Table("", ("demo", "steps", "bodies", "agree", *(name.replace("_", " ") for name in seen)), tuple(counts))
    for title, counter in (("poses", total.ways), ("different contacts", total.reasons), ("not judged", total.not_judged)):
        if counter:
            yield f"{title}: " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counter.most_common())
    if total.worst is not None:
        yield f"worst: step {total.worst_step}, body {total.worst.body}, {total.worst.cause}: {total.worst.evidence}"
    yield f"unexplained: {total.unexplained:,}"
    yield from (f"state: {path}" for path in saved)
