"""Building a `b2World` from the model, much of it in advance: a body takes some 10 us, and a thousand of them in one frame are visible.

    in advance   bodies, inactive, with their fixture: nothing of that depends on where they are; some in each step
    at the end   poses, then all made active in order; velocities; joints; contacts and their impulses; sleep; internal state

Inactive bodies have no proxies in the broad phase. They get them at the end, in the order of the bodies and their fixtures, whatever was
made in advance: the order of contacts follows from that of the proxies. A body of several fixtures has none before the end either: made
active with them, it would hand them to the broad phase from last to first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.box2d._cache import Box2DCache
from engine.box2d.contacts import EvaluatedPairs
from engine.box2d.internal_state import InternalMemory, InternalState
from engine.box2d.memory import best_reader
from engine.common.arrays import FloatArray, frozen
from engine.geometry import FixtureShape
from engine.world.model import WorldModel
from engine.world.records import BodyMotion
from engine.world.specs import BodySpec, FixtureSpec

__all__ = ["BodyReading", "Building", "HeldShape"]


class HeldShape(NamedTuple):
    """The Box2D shape that a fixture was created from, for the next time, and our shape as Box2D holds it."""

    original: FixtureShape
    made: Any
    held: FixtureShape


ShapeOf: TypeAlias = Callable[[int], HeldShape]


class BodyReading(NamedTuple):
    """All bodies as read at one moment, and the row of each."""

    rows: dict[int, int]
    raw: BodyMotion
    internal: InternalState | None

    @property
    def poses(self) -> FloatArray:
        """Float64 (n, 3), to be read only."""
        return frozen(np.ascontiguousarray(self.raw.values[:, :3], dtype=np.float64))


class _Parts(NamedTuple):
    """The parts of a body that are built in advance: with its fixture if it has exactly one."""

    spec: BodySpec
    fixture: int
    fixture_spec: FixtureSpec | None
    shape: HeldShape | None


class Building:
    """A new world, partly built from the model.

    `shape_of` returns the shapes of a fixture, the same tuple as long as it has that shape. It is a method of the solver and is not kept
    here, which would be a reference cycle: a world without references would wait for the garbage collector.
    """

    def __init__(self, model: WorldModel) -> None:
        self._model = model
        self._settings, self._structure = model.settings, model.structure
        self._made: dict[int, _Parts] = {}
        self._cache = Box2DCache(model.settings, best_reader(), None)
        self._cache.prime()  # before anything else, so that impulses are not scaled by a step ratio of 0

    def is_of_now(self, shape_of: ShapeOf) -> bool:
        """Return whether everything built in advance still agrees with the model; bodies may have been added since."""
        model = self._model
        if model.settings is not self._settings:
            return False
        if model.structure is not self._structure:
            first = model.body_ids[: len(self._made)].tolist()
            if first != list(self._made) or any(self._parts(body, shape_of) != made for body, made in self._made.items()):
                return False
            self._structure = model.structure
        return True

    def go_on(self, n_slices: int, shape_of: ShapeOf) -> None:
        """Build the first of `n_slices` slices of the remaining work that can be done in advance."""
        ids, n_made = self._model.body_ids, len(self._made)
        for body in ids[n_made : n_made + math.ceil((len(ids) - n_made) / n_slices)].tolist():
            made = self._made[body] = self._parts(body, shape_of)
            self._cache.add_body(body, made.spec, made.spec.position, made.spec.angle, awake=True, is_active=False)
            if made.shape is not None:
                self._add_fixture(made.fixture, body, made.shape, is_weighed=True)

    def finish(self, read: BodyReading, internal: InternalMemory | None, pairs: EvaluatedPairs, shape_of: ShapeOf) -> Box2DCache:
        """Build the rest; return the world with the bodies as they were read, without its listener attached.

        The order matters: velocities after fixtures; all contacts made without moving before their impulses are written; sleepers put to
        sleep after that; what is internal over it all.
        """
        self.go_on(1, shape_of)
        model, cache, values = self._model, self._cache, read.raw.values.astype(np.float64).tolist()
        cache.internal = internal
        motion = {body: values[read.rows[body]] for body in self._made}
        for body, (x, y, angle, _, _, _) in motion.items():  # all before any is active: Box2D looks for contacts each time
            cache.set_pose(body, (x, y), angle)
        for body, (_, _, _, vx, vy, omega) in motion.items():
            spec, shape = self._made[body].spec, self._made[body].shape
            cache.set_active(body, spec.active)
            if shape is None:
                fixtures = model.bodies[body].fixtures
                for fixture in fixtures:
                    self._add_fixture(fixture, body, shape_of(fixture), is_weighed=False)
                if fixtures:
                    cache.weigh(body, {fixture: model.fixtures[fixture].spec.density for fixture in fixtures})
            if spec.type != "static":
                cache.set_velocity(body, (vx, vy), omega)
        for joint in sorted(model.joints):
            cache.add_joint(joint, model.joints[joint])
        cache.make_contacts()
        cache.write_impulses(pairs)
        awake = read.raw.awake
        for body in self._made:
            if not awake[read.rows[body]]:  # static ones too: an island sleeps with its ground
                cache.set_awake(body, False)
        if read.internal is not None:
            cache.write_internal(read.internal)
        return cache

    def close(self) -> None:
        """Discard the world."""
        self._cache.close()

    def _parts(self, body: int, shape_of: ShapeOf) -> _Parts:
        entry = self._model.bodies[body]
        if len(entry.fixtures) != 1:
            return _Parts(entry.spec, 0, None, None)
        (fixture,) = entry.fixtures
        return _Parts(entry.spec, fixture, self._model.fixtures[fixture].spec, shape_of(fixture))

    def _add_fixture(self, fixture: int, body: int, shape: HeldShape, is_weighed: bool) -> None:
        self._cache.add_fixture(fixture, body, self._model.fixtures[fixture].spec, shape.made, shape.held, is_weighed)
