"""A world as a case: the input of a solver is the world, its output the next step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engine.common.errors import LabError
from engine.contracts.trace import Mark, Point, Role
from engine.scenes.scene import SceneWorld, build
from engine.trace.cases import Case, shape_mark
from engine.trace.marks import Marks
from engine.world import BodyState, World, WorldSnapshot
from engine.world.conversion import converted

__all__ = ["SceneCase"]


@dataclass(frozen=True, eq=False)
class SceneCase(Case):
    """A world of which a later step may be shown. Bodies are edited in the state before the first step.

    Attributes
    ----------
    start : WorldSnapshot
        Before the first step.
    taken : int
        Number of steps before the one shown.
    """

    start: WorldSnapshot
    taken: int = 0

    @classmethod
    def of_world(cls, world: World) -> SceneCase:
        """Return the next step of a world, which is not changed. The step runs without the world's hooks."""
        return cls(world.snapshot())

    @classmethod
    def of_scene(
        cls, scene: SceneWorld, taken: int = 0, solver: str | None = None, solver_settings: Mapping[str, float | str] | None = None
    ) -> SceneCase:
        """Return the step of a scene's first world after `taken` others; `solver` as in `engine.scenes.scene.build`.

        Raises
        ------
        InvalidInputError
            As `build`.
        """
        settings = None if solver_settings is None else tuple(solver_settings.items())
        return cls(build(scene, solver, settings).snapshot(), taken)

    def before(self, solver: str) -> WorldSnapshot:
        """Return the world before the step shown, driven by `solver`: with its own settings if it drove the world already.

        Raises
        ------
        LabError
            The solver does not support the world.
        """
        if solver not in self._stood:
            snapshot = self.start if self.start.solver == solver else converted(self.start, solver)
            world = World.from_snapshot(snapshot)
            for _ in range(self.taken):
                world.step()
            self._stood[solver] = world.snapshot()
        return self._stood[solver]

    @cached_property
    def _stood(self) -> dict[str, WorldSnapshot]:
        return {}

    def states(self, snapshot: WorldSnapshot) -> dict[int, BodyState]:
        """Return the poses and velocities of bodies in a snapshot, by their ids."""
        rows = zip(snapshot.bodies, snapshot.motion.values.tolist(), snapshot.motion.awake.tolist(), strict=True)
        return {body: BodyState((x, y), r, (vx, vy), w, awake) for (body, _, _), (x, y, r, vx, vy, w), awake in rows}

    @cached_property
    def scenery(self) -> Marks:
        return self.scenery_of(self.start.solver)

    def scenery_of(self, solver: str) -> Marks:
        """Return the bodies before the step, driven by `solver`, with their ids."""
        snapshot = self.before(solver)
        states, types = self.states(snapshot), {body: spec.type for body, spec, _ in snapshot.bodies}
        seen: set[int] = set()
        marks = []
        for _, body, fixture in snapshot.fixtures:
            kind = types[body]
            role: Role = "other" if kind == "static" else "a"
            marks.append(shape_mark(fixture.shape, states[body].xf, role, "" if body in seen else str(body)))
            seen.add(body)
        return tuple(marks) or (Mark("label", "other", ((0.0, 0.0),), text="no shapes"),)

    @property
    def handles(self) -> tuple[tuple[str, Point], ...]:
        """Bodies that can move, by their ids ("3"), at their origins."""
        snapshot = self.before(self.start.solver)
        states = self.states(snapshot)
        return tuple((str(body), states[body].position) for body, spec, _ in snapshot.bodies if spec.type != "static")

    def part_at(self, point: Point, reach: float) -> str | None:
        part = super().part_at(point, reach)
        if part is None:
            world = World.from_snapshot(self.before(self.start.solver))
            body = next((body for body in world.bodies_at(point) if world.body(body).spec.type != "static"), None)
            part = None if body is None else str(body)
        return part

    def moved(self, part: str, dx: float, dy: float) -> SceneCase:
        return self._with_pose(part, lambda x, y, angle: ((x + dx, y + dy), angle))

    def turned(self, part: str, angle: float) -> SceneCase:
        return self._with_pose(part, lambda x, y, before: ((x, y), before + angle))

    def _with_pose(self, part: str, pose: Callable[[float, float, float], tuple[Point, float]]) -> SceneCase:
        world = World.from_snapshot(self.start)
        try:
            body = int(part)
            state = world.state(body)
            world.set_pose(body, *pose(*state.position, state.angle))
            world.set_awake(body, True)
            changed = replace(self, start=world.snapshot())
            changed.before(changed.start.solver)
        except LabError:
            return self
        return changed
