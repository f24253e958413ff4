"""A world as a case: the input of a solver is the world, its output the next step.

Box2D keeps resting bodies apart by its skins (12 to 15 mm), so for our solvers, which have none, they would hang in the air. A world of
Box2D is therefore stepped by the solver that shows it until the contacts push that rest in Box2D, before its step is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.common.errors import LabError
from engine.contracts.trace import Mark, Point, Role
from engine.scenes.scene import SceneWorld, build
from engine.trace.cases import Case, shape_mark
from engine.trace.marks import Marks
from engine.world import BodyState, World, WorldSnapshot, load_solver
from engine.world.conversion import converted

__all__ = ["SceneCase"]

_MAX_SETTLING = 120
"""Maximum number of steps until bodies that Box2D holds apart by its skins push on each other."""
_RESTING = 0.1
"""Maximum speed at which the bodies of a resting contact approach or separate, m/s."""
_STILL = 0.01
"""Speed that bodies may gain by settling, m/s and rad/s."""
_BESIDE = 0.025
"""Maximum distance between the boxes of two resting shapes, m: twice Box2D's skin, and its slop."""


@dataclass(frozen=True, eq=False)
class SceneCase(Case):
    """A world of which a later step may be shown. Bodies are edited in the state before the first step.

    Attributes
    ----------
    start : WorldSnapshot
        Before the first step.
    taken : int
        Number of steps before the one shown.
    note : str
        How the start was brought to rest, a sentence; empty if it was not changed.
    """

    start: WorldSnapshot
    taken: int = 0
    note: str = ""

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
            The solver does not support the world, or does not let its bodies rest.
        """
        return self._stood_by(solver)[0]

    def settled(self, solver: str) -> SceneCase:
        """Return the case whose start is the world that `solver` shows; raises as `before`."""
        stood, note = self._stood_by(solver)
        return replace(self, start=stood, taken=0, note=note) if note else self

    def _stood_by(self, solver: str) -> tuple[WorldSnapshot, str]:
        if solver not in self._stood:
            snapshot = self.start if self.start.solver == solver else converted(self.start, solver)
            world = World.from_snapshot(snapshot)
            for _ in range(self.taken):
                world.step()
            note = ""
            if not self.taken and _skin_radius(solver) < _skin_radius(self.start.solver):
                note = _settle(world, self.start)
            self._stood[solver] = world.snapshot(), note
        return self._stood[solver]

    @cached_property
    def _stood(self) -> dict[str, tuple[WorldSnapshot, str]]:
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
            changed = replace(self, start=world.snapshot(), note="")
            changed.before(changed.start.solver)
        except LabError:
            return self
        return changed


def _skin_radius(solver: str) -> float:
    return load_solver(solver).capabilities.skin_radius


def _settle(world: World, start: WorldSnapshot) -> str:
    """Step a world until all bodies that rest on others in `start` are pushed and slow; return how, a sentence, or "" if none rests.

    Raises
    ------
    LabError
        No contact pushes.
    """
    resting = _resting_bodies(world, start)
    if not resting:
        return ""
    rows = [world.row_of(body) for body in resting]
    n_steps, pushed, slow = 0, set[int](), float(np.abs(world.velocities[rows]).max()) + _STILL
    while n_steps < _MAX_SETTLING and not (resting <= pushed and np.abs(world.velocities[rows]).max() <= slow):
        contacts = world.step()
        pushes = contacts.normal_impulse.any(axis=1)
        pushed = {*contacts.body_a[pushes].tolist(), *contacts.body_b[pushes].tolist()}
        n_steps += 1
    if not resting & pushed:
        raise LabError(
            f"no step to show: bodies that rest on each other in {start.solver} do not push within {n_steps} steps of {world.solver}"
        )
    for body, is_awake in zip(world.body_ids, world.awake.tolist(), strict=True):
        if not is_awake and world.body(body).spec.type == "dynamic":
            world.set_awake(body, True)
    return f"{world.solver} ran {n_steps} steps first, until the bodies rest on each other: {start.solver} keeps a gap between them."


def _resting_bodies(world: World, start: WorldSnapshot) -> set[int]:
    """Return the dynamic bodies that touch others in `start` and neither approach them nor separate."""
    resting, contacts = set[int](), start.contacts
    for row in np.flatnonzero(contacts.count > 0).tolist():
        a, b = int(contacts.body_a[row]), int(contacts.body_b[row])
        points = contacts.position[row, : contacts.count[row]]
        velocities = [world.velocities[world.row_of(body)] for body in (a, b)]
        centers = [np.array(world.state(body).xf.apply(world.body(body).local_center)) for body in (a, b)]
        at_a, at_b = (
            v[:2] + v[2] * np.column_stack((center[1] - points[:, 1], points[:, 0] - center[0]))
            for v, center in zip(velocities, centers, strict=True)
        )
        rates = (at_b - at_a) @ contacts.normal[row]
        if np.abs(rates).max() <= _RESTING and _are_close(world, int(contacts.fixture_a[row]), int(contacts.fixture_b[row])):
            resting |= {body for body in (a, b) if world.body(body).spec.type == "dynamic"}
    return resting


def _are_close(world: World, fixture_a: int, fixture_b: int) -> bool:
    a, b = (world.fixture(fixture).shape.aabb(world.state(world.fixture(fixture).body).xf) for fixture in (fixture_a, fixture_b))
    return all(max(p, q) <= min(r, s) + _BESIDE for p, q, r, s in zip(a.lower, b.lower, a.upper, b.upper, strict=True))
