"""Box2D's broad phase: the boxes in its tree, and the pairs of bodies for which a b2World has a contact.

The bodies are sensors without gravity. No force acts on them, so each moves by its velocity alone, and a pair has a contact exactly while
its boxes in the tree overlap. These boxes are larger than the shapes: see `engine.compare.questions.box_pairs`.
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
"""Maximum displacement of a body in one step, meters (b2_maxTranslation)."""

_HERTZ = 60.0


@dataclass(frozen=True, slots=True)
class OracleScene:
    """A scene before and after one step: poses (n, 3), boxes in the tree (n, 4), sorted pairs in contact (k, 2), and the duration, seconds.

    Without velocities there is no step, and both states are the same.
    """

    poses_before: FloatArray
    poses: FloatArray
    boxes_before: FloatArray
    boxes: FloatArray
    pairs: IntArray
    seconds: float


def box2d_scene(shapes: Sequence[Shape], poses: ArrayLike, moves: ArrayLike | None = None) -> OracleScene:
    """Create one body per shape at its pose (n, 3), and move each by about `moves` (n, 2), meters, in one step.

    Raises
    ------
    InvalidInputError
        A pose is not representable in float32, lengths differ, or a move is longer than `FARTHEST_STEP`.
    InvalidShapeError
        Box2D rejects a polygon, or would change it.
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
        manager.Collide()  # destroys contacts whose boxes no longer overlap
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
    """Return the tree box of each fixture.

    pybox2d does not expose proxy ids. In a tree to which leaves were only added, the first leaf is node 0, and leaf k is node 2 k - 1, with
    parent 2 k. A leaf keeps its node when it moves. A check that each box contains the fixture's own bounding box detects a
    different numbering.
    """
    rows = []
    for at, fixture in enumerate(fixtures):
        fat, own = broad_phase.GetFatAABB(max(0, 2 * at - 1)), fixture.GetAABB(0)
        low, high, own_low, own_high = fat.lowerBound, fat.upperBound, own.lowerBound, own.upperBound
        if not (low.x <= own_low.x and low.y <= own_low.y and own_high.x <= high.x and own_high.y <= high.y):
            raise LabError("this Box2D numbers the leaves of its tree differently from Box2D 2.3.0")
        rows.append((low.x, low.y, high.x, high.y))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
