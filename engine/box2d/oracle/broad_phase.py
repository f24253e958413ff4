"""Box2D's own broad phase: the boxes in its tree, and the pairs of bodies between which a b2World keeps a contact.

The bodies are sensors without gravity: nothing pushes them, so that after a step each is where its velocity took it, and a pair has a
contact exactly while its boxes in the tree overlap. Those boxes are larger than the shapes: see `engine.compare.verdicts.boxes`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import Box2D
import numpy as np
from numpy.typing import ArrayLike

from engine.box2d.convert import fix, to_box2d
from engine.box2d.oracle.held import held_poses
from engine.common.arrays import FloatArray, IntArray, finite_rows, frozen
from engine.common.errors import InvalidInputError, LabError
from engine.geometry import Shape

__all__ = ["FARTHEST_STEP", "OracleScene", "box2d_scene"]

FARTHEST_STEP = 2.0
"""Meters that a body moves in one step at most (b2_maxTranslation)."""

_HERTZ = 60.0


@dataclass(frozen=True, slots=True)
class OracleScene:
    """A scene before and after one step: poses (n, 3), the boxes in the tree (n, 4), the pairs in contact (k, 2), sorted; seconds.

    Without velocities nothing is stepped, and both are the same.
    """

    poses_before: FloatArray
    poses: FloatArray
    boxes_before: FloatArray
    boxes: FloatArray
    pairs: IntArray
    seconds: float


def box2d_scene(shapes: Sequence[Shape], poses: ArrayLike, moves: ArrayLike | None = None) -> OracleScene:
    """Put one body for each shape at its pose (n, 3) and let it move by about `moves` (n, 2) meters in one step.

    Raises
    ------
    InvalidInputError
        A pose that float32 does not hold, lengths that differ, or a move beyond `FARTHEST_STEP`.
    InvalidShapeError
        Box2D refuses a polygon, or would change it.
    """
    places = held_poses("poses", poses, len(shapes))
    velocities = None if moves is None else _HERTZ * _checked_moves(moves, len(shapes))
    world = Box2D.b2World(gravity=(0.0, 0.0))
    definition = Box2D.b2FixtureDef()
    definition.density, definition.isSensor = 1.0, True
    bodies, fixtures = [], []
    for shape, (x, y, angle) in zip(shapes, places.tolist(), strict=True):
        body = world.CreateDynamicBody(position=(x, y), angle=angle, allowSleep=False)
        fixtures.append(fix(body, definition, to_box2d(shape)[0]))
        bodies.append(body)
    manager = world.contactManager
    started = time.perf_counter()
    manager.FindNewContacts()
    seconds = time.perf_counter() - started
    boxes_before = boxes = _tree_boxes(manager.broadPhase, fixtures)
    after = places
    if velocities is not None:
        for body, (vx, vy) in zip(bodies, velocities.tolist(), strict=True):
            body.linearVelocity = (vx, vy)
        started = time.perf_counter()
        world.Step(1.0 / _HERTZ, 1, 1)
        manager.Collide()  # lets go of the contacts whose boxes parted
        seconds = time.perf_counter() - started
        boxes = _tree_boxes(manager.broadPhase, fixtures)
        after = np.array([(body.position.x, body.position.y, body.angle) for body in bodies], dtype=np.float64).reshape(-1, 3)
    number = {hash(fixture): at for at, fixture in enumerate(fixtures)}
    started = time.perf_counter()
    touching = [(number[hash(contact.fixtureA)], number[hash(contact.fixtureB)]) for contact in world.contacts]
    seconds += time.perf_counter() - started
    pairs = np.sort(np.array(touching, dtype=np.int64).reshape(-1, 2), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return OracleScene(places, frozen(after), frozen(boxes_before), frozen(boxes), frozen(pairs), seconds)


def _checked_moves(moves: ArrayLike, length: int) -> FloatArray:
    checked = finite_rows("moves", moves, 2, length)
    farthest = float(np.hypot(checked[:, 0], checked[:, 1]).max(initial=0.0))
    if farthest >= FARTHEST_STEP:
        raise InvalidInputError("moves", f"shorter than {FARTHEST_STEP} m", farthest)
    return checked


def _tree_boxes(broad_phase: Any, fixtures: Sequence[Any]) -> FloatArray:
    """Return the box in the tree of each fixture.

    pybox2d does not expose the id of a proxy; but a tree that only gained leaves gives the first the node 0, and each further one the next
    two: 2 k - 1 for the leaf k and 2 k for the node above it. A leaf keeps its node when it moves. Each box is held against the
    fixture's own, which must lie inside, so that another numbering would be noticed.
    """
    rows = []
    for at, fixture in enumerate(fixtures):
        fat, own = broad_phase.GetFatAABB(max(0, 2 * at - 1)), fixture.GetAABB(0)
        low, high, own_low, own_high = fat.lowerBound, fat.upperBound, own.lowerBound, own.upperBound
        if not (low.x <= own_low.x and low.y <= own_low.y and own_high.x <= high.x and own_high.y <= high.y):
            raise LabError("this Box2D numbers the leaves of its tree otherwise than Box2D 2.3.0")
        rows.append((low.x, low.y, high.x, high.y))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
