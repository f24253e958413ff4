"""Loading the kernels ahead of the first question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from engine.common.interrupts import DeferredInterrupt
from engine.common.jit import mark_cache_warm
from engine.continuous.swept import swept_contact
from engine.decompose import keil
from engine.geometry import Circle, Polygon, Sweep, Transform
from engine.narrowphase import batched, manifold, sat
from engine.query import batch, batch_frame, casts, contact_sets, distances

__all__ = ["warm_up"]

_PAIRS_FOR_LANES = 64
"""Of each combination of sizes; more than any class needs to go through the lanes form."""


def warm_up(everything: bool) -> None:
    """Ask the questions once for each combination of shapes: those of the live check and of shots, or all.

    Ctrl-C waits for the question that is being compiled, not for the rest.
    """
    for question in (*_of_the_sandbox(), mark_cache_warm, *(_of_the_library() if everything else ())):
        with DeferredInterrupt():
            question()


def _of_the_library() -> Iterator[Callable[[], object]]:
    box = Polygon.box(0.5, 0.5)
    yield partial(manifold.manifold, box, Transform(), box, Transform(), trace=manifold.new_trace(1))
    yield partial(sat.overlap_polygons, box, Transform(), box, Transform(), trace=sat.new_trace(1))
    for chapter in (distances, contact_sets, casts):
        yield chapter.warm


def _of_the_sandbox() -> Iterator[Callable[[], object]]:
    here, there = Transform(), Transform((0.75, 0.1), 0.3)
    box = Polygon.box(0.5, 0.5)
    shapes = (Circle(0.5), box, Polygon.box(0.5, 0.5, skin_radius=0.01))
    for a in shapes:
        for b in shapes:
            yield partial(sat.overlap, a, here, b, there)
            yield partial(distances.distance, a, here, b, there)  # of bullet and target, where one of our rules stops it
            # by which such a rule looks ahead
            yield partial(casts.time_of_impact, a, Sweep(here, there), b, Sweep(Transform((3.0, 0.0)), here))
            yield partial(manifold.manifold, a, here, b, there, "exact")
            yield partial(manifold.manifold, a, here, b, there, "box2d")
            yield partial(swept_contact, a, here, (1.0, 0.0), b, Transform((3.0, 0.0)), (0.0, 0.0), 5.0)
    yield partial(sat.overlap_polygons, box, here, box, there, "plain")
    yield partial(sat.overlap_polygons, box, here, box, there, "improved")
    packed = batch.ShapeBatch(shapes)
    pairs, poses = [(0, 1), (1, 2)], [(0.0, 0.0, 0.0), (0.25, 0.25, 0.5)]
    yield partial(batch.overlap, packed, pairs, poses, poses)
    yield partial(batch.manifold, packed, pairs, poses, poses)
    turned = batched.poses_with_rotation(np.array(poses))
    yield partial(batched.gap_rows, packed.packed, np.array(pairs), turned, turned, np.array([(1.0, 0.0), (0.0, 1.0)]))
    yield partial(_ask_many, batch.manifold)
    yield partial(_ask_many, batch.overlap)
    yield batch_frame.warm
    yield keil.warm  # a picture may be dropped on the window


def _ask_many(question: Callable[..., object]) -> None:
    """Ask of enough pairs of every size that the lanes form answers: a world of fifty contacts does, from one step to the next."""
    shapes = batch.ShapeBatch([Circle(0.5), *(Polygon.regular(n_sides, 0.5) for n_sides in (4, 8, 12, 16))])
    pairs = [(a, b) for a in range(len(shapes)) for b in range(len(shapes)) for _ in range(_PAIRS_FOR_LANES)]
    here, there = np.zeros((len(pairs), 3)), np.tile((0.75, 0.1, 0.3), (len(pairs), 1))
    question(shapes, pairs, here, there)
