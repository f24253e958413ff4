"""Loads the kernels before the first query, part by part; the parts share few kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import get_args

import numpy as np

from engine.broadphase import (
    automatic,
)
from engine.common.interrupts import DeferredInterrupt
from engine.common.jit import mark_cache_warm
from engine.decompose import keil
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.narrowphase import alternating_projections, batched, sat
from engine.query import batch, batch_frame, casts, pairs

__all__ = ["LIBRARY", "SANDBOX", "boxes", "gaps", "manifolds", "overlaps", "warm_up"]

_HERE, _THERE, _AWAY = Transform(), Transform((0.75, 0.1), 0.3), Transform((3.0, 0.0))
_BOX = Polygon.box(0.5, 0.5)
_SHAPES: tuple[AnyShape, ...] = (Circle(0.5), _BOX, Polygon.box(0.5, 0.5, skin_radius=0.01))

_Question = Callable[[], object]


def warm_up(everything: bool) -> None:
    """Run each query once for every combination of shapes: the queries of the live check and of shots, or all.

    Ctrl-C takes effect after the query that is being compiled.
    """
    for part in (*SANDBOX.values(), _marked, *(LIBRARY.values() if everything else ())):
        for question in part():
            with DeferredInterrupt():
                question()


def _marked() -> Iterator[_Question]:
    yield mark_cache_warm


# Of a running world, and of shots


def manifolds() -> Iterator[_Question]:
    """Circles and polygons, pair by pair."""
    for a, b in product(_SHAPES, _SHAPES):
        yield partial(pairs.manifold, a, _HERE, b, _THERE, "exact")
        yield partial(pairs.manifold, a, _HERE, b, _THERE, "box2d")


def boxes() -> Iterator[_Question]:
    """Tight boxes of bodies."""
    which, poses = np.zeros(2, dtype=np.int64), np.array([(0.0, 0.0, 1.0, 0.0), (0.25, 0.0, 1.0, 0.0)])
    packed = batch.ShapeBatch(_SHAPES).packed
    yield partial(batched.poses_with_rotation, np.zeros((2, 3)))
    yield partial(batched.box_rows, packed, which, poses)


def overlaps() -> Iterator[_Question]:
    """Circles and polygons, few at a time."""
    for a, b in product(_SHAPES, _SHAPES):
        yield partial(pairs.overlap, a, _HERE, b, _THERE)
    yield partial(batch.overlap, batch.ShapeBatch(_SHAPES), *_asked())


def gaps() -> Iterator[_Question]:
    """Gaps along a direction, which are used to explain differences."""
    pairs, poses, _ = _asked()
    turned = batched.poses_with_rotation(np.array(poses))
    along = np.array([(1.0, 0.0), (0.0, 1.0)])
    yield partial(batched.gap_rows, batch.ShapeBatch(_SHAPES).packed, np.array(pairs), turned, turned, along)


def _edges() -> Iterator[_Question]:
    """Queries of a floor made of segments."""
    segment = Segment((-1.0, 0.0), (1.0, 0.0))
    for other in (_BOX, Circle(0.5)):
        yield partial(pairs.manifold, segment, _HERE, other, _THERE, "box2d")


def _simple_overlaps() -> Iterator[_Question]:
    yield partial(sat.overlap_polygons, _BOX, _HERE, _BOX, _THERE, "plain")
    yield partial(sat.overlap_polygons, _BOX, _HERE, _BOX, _THERE, "improved")


def _distances() -> Iterator[_Question]:
    """Distances between a bullet and a target, for our rules that stop it."""
    for a, b in product(_SHAPES, _SHAPES):
        yield partial(pairs.distance, a, _HERE, b, _THERE)


def _impacts() -> Iterator[_Question]:
    """Sweeps with which such a rule looks ahead."""
    for a, b in product(_SHAPES, _SHAPES):
        yield partial(casts.time_of_impact, a, Sweep(_HERE, _THERE), b, Sweep(_AWAY, _HERE))


def _sweeps() -> Iterator[_Question]:
    for a, b in product(_SHAPES, _SHAPES):
        yield partial(casts.swept_contact, a, _HERE, (1.0, 0.0), b, _AWAY, (0.0, 0.0), 5.0)


def _scenes() -> Iterator[_Question]:
    yield partial(batch_frame.collide, batch.ShapeBatch([Circle(0.5), _BOX]), [0, 1], [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)])
    yield automatic.warm


def _outlines() -> Iterator[_Question]:
    """Outlines, because a picture may be dropped on the window."""
    yield keil.warm


SANDBOX: dict[str, Callable[[], Iterator[_Question]]] = {
    "manifolds": manifolds,
    "boxes": boxes,
    "overlaps": overlaps,
    "gaps": gaps,
    "manifolds with edges": _edges,
    "distances": _distances,
    "sweeps": _sweeps,
    "times of impact": _impacts,
    "simple overlaps": _simple_overlaps,
    "pairs of a scene": _scenes,
    "outlines of pictures": _outlines,
}
"""Queries of a running world and of the bullet experiments, by likely use: edges first, then a few pairs, then many."""


# Of the library


def _distances_and_depths() -> Iterator[_Question]:
    """Distances with EPA, for many pairs, and by alternating projections."""
    shapes: tuple[AnyShape, ...] = (_BOX, Circle(0.5), Capsule((0, 0), (1, 0), 0.1), Segment((0, 0), (1, 0)))
    questions: tuple[Callable[..., object], ...] = (pairs.distance, pairs.penetration, alternating_projections.distance)
    for question, b in product(questions, shapes):
        yield partial(question, _BOX, _HERE, b, _THERE)
    yield partial(batch.distance, batch.ShapeBatch(shapes), [(0, 1)], [(0.0, 0.0, 0.0)], [(0.0, 0.0, 0.0)])


def _contact_sets() -> Iterator[_Question]:
    """Contact sets, and manifolds and overlaps of capsules and segments."""
    segment = Segment((-1.0, 0.0), (1.0, 0.0))
    for a, b in ((_BOX, Capsule((0.0, 0.0), (1.0, 0.0), 0.5)), (segment, Circle(0.5))):
        for question in (pairs.contact_set, pairs.overlap, pairs.manifold):
            yield partial(question, a, _HERE, b, _THERE)
    yield partial(sat.overlap_cached, _BOX, _HERE, _BOX, _THERE)
    yield partial(sat.overlap_plain_form, _BOX, _HERE, _BOX, _THERE)
    yield from _edges()


def _casts() -> Iterator[_Question]:
    disc = Circle(0.5)
    yield partial(casts.contains, disc, _HERE, (0.0, 0.0))
    yield partial(casts.ray_cast, disc, _HERE, (2.0, 0.0), (-4.0, 0.0))
    yield partial(casts.shape_cast, disc, _AWAY, (-4.0, 0.0), _BOX, _HERE)
    yield partial(casts.swept_contact, _BOX, _HERE, (1.0, 0.0), disc, _AWAY, (0.0, 0.0), 5.0)
    for method in get_args(casts.Method):
        yield partial(casts.time_of_impact, _BOX, Sweep(_HERE, _HERE), disc, Sweep(_AWAY, _HERE), method=method)


LIBRARY: dict[str, Callable[[], Iterator[_Question]]] = {
    "distances and depths": _distances_and_depths,
    "contact sets": _contact_sets,
    "casts": _casts,
}
"""All remaining queries."""


def _asked() -> tuple[list[tuple[int, int]], list[tuple[float, float, float]], list[tuple[float, float, float]]]:
    poses = [(0.0, 0.0, 0.0), (0.25, 0.25, 0.5)]
    return [(0, 1), (1, 2)], poses, poses
