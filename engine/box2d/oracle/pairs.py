"""Box2D's results for pairs of shapes at given poses, as a second reference for the referee: manifolds, overlaps, distances, impacts.

One manifold and two transforms are reused for all calls. Box2D computes in float32, so poses must be representable in float32.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import Box2D
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.box2d.contacts import in_world
from engine.box2d.oracle.held import HeldShapes
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.errors import Described, InvalidInputError
from engine.contracts import Status
from engine.geometry import Circle, FixtureShape, Polygon, Segment

__all__ = ["OracleDistances", "OracleImpacts", "OracleManifolds", "PairOracle"]

_EDGE, _POLYGON, _CIRCLE = 0, 1, 2
_ORDER = {Segment: _EDGE, Polygon: _POLYGON, Circle: _CIRCLE}
"""Order in which Box2D's functions take shape types."""

_COLLIDERS: dict[tuple[int, int], Any] = {
    (_EDGE, _POLYGON): Box2D._Box2D.b2CollideEdgeAndPolygon,
    (_EDGE, _CIRCLE): Box2D._Box2D.b2CollideEdgeAndCircle,
    (_POLYGON, _POLYGON): Box2D._Box2D.b2CollidePolygons,
    (_POLYGON, _CIRCLE): Box2D._Box2D.b2CollidePolygonAndCircle,
    (_CIRCLE, _CIRCLE): Box2D._Box2D.b2CollideCircles,
}
"""Functions of the extension module, without their Python wrappers."""


@dataclass(frozen=True, slots=True)
class OracleManifolds:
    """Box2D's manifolds in columns, as in `StepContacts`; `seconds` is the duration of the calls and the copying."""

    count: IntArray
    normal: FloatArray
    position: FloatArray
    separation: FloatArray
    feature_id: IntArray
    seconds: float


@dataclass(frozen=True, slots=True)
class OracleImpacts:
    """Box2D's times of impact in columns: our `Status` (HIT for Box2D's touching), fraction of the sweep; and the duration, seconds."""

    status: IntArray
    fraction: FloatArray
    seconds: float


@dataclass(frozen=True, slots=True)
class OracleDistances:
    """Box2D's distances in columns, 0 if the shapes overlap, the closest points (n, 2), iterations, and the duration, seconds."""

    distance: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    iterations: IntArray
    seconds: float


class PairOracle(HeldShapes):
    """Box2D's narrow phase over a fixed set of shapes."""

    def __init__(self, shapes: Iterable[FixtureShape]) -> None:
        super().__init__(shapes)
        self._order = np.array([_ORDER[type(shape)] for shape in self.shapes], dtype=np.int64)
        self._radius = np.array([shape.radius if isinstance(shape, Circle) else shape.skin_radius for shape in self.shapes])
        self._skin = np.array([0.0 if isinstance(shape, Circle) else shape.skin_radius for shape in self.shapes])

    def manifolds(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> OracleManifolds:
        """Return Box2D's manifold of each pair (n, 2) at poses (n, 3) x, y, angle; normals point from A to B.

        Box2D supports edge, polygon, circle only in that order; otherwise the arguments are swapped and the normal is reversed, but not the
        feature ids.

        Raises
        ------
        InvalidInputError
            An index is out of range, lengths differ, a pose is not representable in float32, or both shapes are edges, which Box2D does
            not collide.
        """
        checked, poses_a, poses_b = self._posed_pairs(pairs, xf_a, xf_b)
        ranks = self._order[checked]
        if (ranks == _EDGE).all(axis=1).any():
            raise InvalidInputError("pairs", "pairs that Box2D collides", Described("two edges"))
        turned_round = ranks[:, 0] > ranks[:, 1]
        order = np.where(turned_round[:, None], checked[:, ::-1], checked)
        first = np.where(turned_round[:, None], poses_b, poses_a)
        second = np.where(turned_round[:, None], poses_a, poses_b)

        local, point_0, point_1 = _reused_manifold()
        xf_1, xf_2 = Box2D.b2Transform(), Box2D.b2Transform()
        plane_normal, plane_point = local.localNormal, local.localPoint
        clip_0, clip_1 = point_0.localPoint, point_1.localPoint
        made, place = self._made, Box2D._Box2D.b2Transform_Set
        colliders = [_COLLIDERS[rank_1, rank_2] for rank_1, rank_2 in self._order[order].tolist()]
        numbers: list[tuple[float, ...]] = []
        ids: list[tuple[int, int, int, int]] = []
        rows = zip(order.tolist(), first.tolist(), second.tolist(), colliders, strict=True)
        started = time.perf_counter()
        for (a, b), (x1, y1, angle_1), (x2, y2, angle_2), collide in rows:
            place(xf_1, (x1, y1), angle_1)
            place(xf_2, (x2, y2), angle_2)
            local.pointCount = 0
            collide(local, made[a], xf_1, made[b], xf_2)
            count = local.pointCount
            if count == 0:
                numbers.append(_NO_NUMBERS)
                ids.append(_NO_IDS)
            elif count == 1:
                numbers.append((plane_normal.x, plane_normal.y, plane_point.x, plane_point.y, clip_0.x, clip_0.y, 0.0, 0.0))
                ids.append((1, local.type_, point_0.id.key, 0))
            else:
                numbers.append((plane_normal.x, plane_normal.y, plane_point.x, plane_point.y, clip_0.x, clip_0.y, clip_1.x, clip_1.y))
                ids.append((2, local.type_, point_0.id.key, point_1.id.key))
        seconds = time.perf_counter() - started

        table = np.array(ids, dtype=np.int64).reshape(-1, 4)
        count_column, kind = table[:, 0], table[:, 1]
        round_radii = (self._radius - self._skin)[order].sum(axis=1)
        radii = self._radius[order]
        local_normal, local_point, clips = np.split(np.array(numbers).reshape(-1, 4, 2), (1, 2), axis=1)
        is_face_b, components, points = in_world(kind, local_normal[:, 0], local_point[:, 0], clips, first, second)
        reference, other = np.where(is_face_b, radii[:, ::-1].T, radii.T)
        normal, count = np.column_stack(components), count_column[:, None]
        position, separation = np.zeros((len(table), 2, 2)), np.zeros((len(table), 2))
        for k, (x, y, height) in enumerate(points):
            exists = count_column > k
            shift = 0.5 * (reference - other - height)
            position[exists, k] = (np.column_stack((x, y)) + shift[:, None] * normal)[exists]
            separation[exists, k] = (height - round_radii)[exists]
        normal = np.where(count > 0, np.where((is_face_b != turned_round)[:, None], -normal, normal), 0.0)
        names = np.ascontiguousarray(table[:, 2:])
        return OracleManifolds(
            frozen(np.ascontiguousarray(count_column)), frozen(normal), frozen(position), frozen(separation), frozen(names), seconds
        )

    def overlaps(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> tuple[NDArray[np.bool_], float]:
        """Return b2TestOverlap of each pair, which includes skins, and the duration, seconds. Errors are those of `manifolds`."""
        posed = self._posed_pairs(pairs, xf_a, xf_b)
        test, started = Box2D._Box2D.b2TestOverlap, time.perf_counter()
        answers = [bool(test(*placed)) for placed in self._placed(*posed)]
        return frozen(np.array(answers, dtype=np.bool_)), time.perf_counter() - started

    def times_of_impact(
        self, pairs: ArrayLike, start_a: ArrayLike, end_a: ArrayLike, start_b: ArrayLike, end_b: ArrayLike
    ) -> OracleImpacts:
        """Return b2TimeOfImpact of each pair whose shapes move from start to end poses (n, 3), rotating about their local origins.

        The interval is passed explicitly because its default in pybox2d is 0. Box2D's failed becomes OUT_OF_ITERATIONS. Errors are those of
        `manifolds`.
        """
        checked, starts_a, starts_b = self._posed_pairs(pairs, start_a, start_b)
        _, ends_a, ends_b = self._posed_pairs(pairs, end_a, end_b)
        made, impact, sweep_a, sweep_b = self._made, Box2D._Box2D._b2TimeOfImpact, Box2D.b2Sweep(), Box2D.b2Sweep()
        for sweep in (sweep_a, sweep_b):
            sweep.localCenter = (0.0, 0.0)
            sweep.alpha0 = 0.0
        answers: list[tuple[int, float]] = []
        rows = zip(checked.tolist(), starts_a.tolist(), ends_a.tolist(), starts_b.tolist(), ends_b.tolist(), strict=True)
        started = time.perf_counter()
        for (a, b), (xa0, ya0, a0), (xa, ya, a1), (xb0, yb0, b0), (xb, yb, b1) in rows:
            sweep_a.c0, sweep_a.c, sweep_a.a0, sweep_a.a = (xa0, ya0), (xa, ya), a0, a1
            sweep_b.c0, sweep_b.c, sweep_b.a0, sweep_b.a = (xb0, yb0), (xb, yb), b0, b1
            out = impact(made[a], 0, made[b], 0, sweep_a, sweep_b, 1.0)
            answers.append((out.state, out.t))
        seconds = time.perf_counter() - started
        table = np.array(answers, dtype=np.float64).reshape(-1, 2)
        return OracleImpacts(frozen(_IMPACT_STATUS[table[:, 0].astype(np.int64)]), frozen(table[:, 1].copy()), seconds)

    def distances(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, use_radii: bool = True) -> OracleDistances:
        """Return b2Distance of each pair (n, 2) at poses (n, 3), with or without radii and skins.

        If the shapes overlap, both points are Box2D's estimate of a common point. Errors are those of `manifolds`.
        """
        posed = self._posed_pairs(pairs, xf_a, xf_b)
        measure, started = Box2D._Box2D._b2Distance, time.perf_counter()
        answers: list[tuple[float, ...]] = []
        for placed in self._placed(*posed):
            out = measure(*placed, use_radii)
            at_a, at_b = out.pointA, out.pointB
            answers.append((at_a.x, at_a.y, at_b.x, at_b.y, out.distance, out.iterations))
        seconds = time.perf_counter() - started
        table = np.array(answers, dtype=np.float64).reshape(-1, 6)
        points_a, points_b, gap = (np.ascontiguousarray(part) for part in (table[:, :2], table[:, 2:4], table[:, 4]))
        return OracleDistances(frozen(gap), frozen(points_a), frozen(points_b), frozen(table[:, 5].astype(np.int64)), seconds)

    def gaps(self, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> tuple[FloatArray, float]:
        """Return only the distances, with radii, and the duration, seconds; faster than `distances`. Errors are those of `manifolds`."""
        posed = self._posed_pairs(pairs, xf_a, xf_b)
        measure, started = Box2D._Box2D._b2Distance, time.perf_counter()
        answers = [measure(*placed, True).distance for placed in self._placed(*posed)]
        return frozen(np.array(answers, dtype=np.float64)), time.perf_counter() - started

    def _placed(self, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> Iterator[tuple[Any, int, Any, int, Any, Any]]:
        """Yield checked pairs as Box2D's functions take them: shape and child of both, then both transforms, which are reused.

        Those functions are the ones of the extension module: their Python wrappers take twice as long.
        """
        made, place = self._made, Box2D._Box2D.b2Transform_Set
        xf_1, xf_2 = Box2D.b2Transform(), Box2D.b2Transform()
        for (a, b), (x1, y1, angle_1), (x2, y2, angle_2) in zip(pairs.tolist(), poses_a.tolist(), poses_b.tolist(), strict=True):
            place(xf_1, (x1, y1), angle_1)
            place(xf_2, (x2, y2), angle_2)
            yield made[a], 0, made[b], 0, xf_1, xf_2

    def made(self) -> list[tuple[Any, bool]]:
        """Return the Box2D shapes, each with a flag that is True for circles."""
        return list(zip(self._made, (self._order == _CIRCLE).tolist(), strict=True))


_IMPACT_STATUS = np.array([Status.DEGENERATE, Status.OUT_OF_ITERATIONS, Status.OVERLAPPING, Status.HIT, Status.MISS], dtype=np.int64)
"""Our `Status` for b2TOIOutput's states 0 to 4: unknown, failed, overlapped, touching, separated."""

_NO_NUMBERS = (0.0,) * 8
_NO_IDS = (0, 0, 0, 0)


def _reused_manifold() -> tuple[Any, Any, Any]:
    """Return a manifold and views of its two points; pybox2d returns only existing points, so the manifold is computed with two."""
    local, xf_1, xf_2 = Box2D.b2Manifold(), Box2D.b2Transform(), Box2D.b2Transform()
    box = Box2D.b2PolygonShape(box=(1.0, 1.0))
    xf_1.SetIdentity()
    xf_2.Set((0.0, 1.5), 0.0)
    Box2D.b2CollidePolygons(local, box, xf_1, box, xf_2)
    point_0, point_1 = local.points
    return local, point_0, point_1
