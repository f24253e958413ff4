"""Swept volumes contain the moving shape at every moment that is looked at, and are no wider than the derivation says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.bounding import cloud_of, fitted_box, smallest_circle, swept_box, swept_circle, swept_hull
from engine.common.errors import InvalidInputError
from engine.common.tolerances import SWEPT_PIECE
from engine.geometry import Capsule, Circle, Polygon, Sweep, Transform
from tests.unit.bounding.clouds import exact_world, holds

SHAPES = {
    "triangle": (Polygon([(0, 0), (2, 0.3), (1, 1.7)], 0.01), 0.01),
    "rod": (Polygon([(-3, -0.01), (3, -0.01), (3, 0.01), (-3, 0.01)]), 0.0),
    "disc": (Circle(0.4, (2.0, 0.5)), 0.4),
    "capsule": (Capsule((-1.0, 0.2), (0.5, 1.0), 0.3), 0.3),
}
MOTIONS = {
    "rest": (Transform((1.0, 2.0), 0.3), Transform((1.0, 2.0), 0.3)),
    "flight": (Transform((1.0, 2.0), 0.3), Transform((-7.0, 5.0), 0.3)),
    "small turn": (Transform(), Transform((0.1, 0.0), 0.01)),
    "quarter": (Transform(), Transform((2.0, -1.0), math.pi / 2)),
    "almost once round": (Transform((5.0, 0.0), 1.0), Transform((5.5, 0.0), 1.0 - 6.2)),
    "seven times round": (Transform(), Transform((3.0, 1.0), 45.0)),
    "far away": (Transform((2e6, -3e6), 1e3), Transform((2e6 + 1.0, -3e6), 1e3 + 1.1)),
}


@pytest.mark.parametrize("center", [(0.0, 0.0), (-2.0, 1.0)])
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_contains_the_shape_all_the_way(name: str, motion: str, center: tuple[float, float]) -> None:
    shape, radius = SHAPES[name]
    sweep = Sweep(*MOTIONS[motion], local_center=center)
    volumes = swept_box(shape, sweep), swept_circle(shape, sweep), swept_hull(shape, sweep)
    for fraction in np.linspace(0.0, 1.0, 41):
        xf = sweep.at(float(fraction))
        for point in cloud_of(shape).points:
            assert all(holds(volume, exact_world(point, xf), radius) for volume in volumes), fraction


def test_of_a_translation_they_are_exact() -> None:
    shape, sweep = SHAPES["triangle"][0], Sweep(Transform(), Transform((5.0, 1.0)))
    ends = [fitted_box(shape, xf) for xf in (sweep.start, sweep.end)]
    box = swept_box(shape, sweep)
    assert box.lower == pytest.approx(np.minimum(ends[0].lower, ends[1].lower)) and box.upper == pytest.approx(
        np.maximum(ends[0].upper, ends[1].upper)
    )
    assert swept_circle(shape, sweep).radius == pytest.approx(smallest_circle(shape).radius)
    assert swept_hull(shape, sweep).radius == pytest.approx(0.01)


def test_the_bound_of_a_turn_is_nearly_reached() -> None:
    """A point at distance 1 turned by D leaves its chord by 1 - cos(D / 2), and D^2 / 8 is at most 0.6 % more for a half radian."""
    turn = SWEPT_PIECE
    hull = swept_hull([(1.0, 0.0)], Sweep(Transform(), Transform(angle=turn)))
    assert 1.0 - math.cos(turn / 2) < hull.radius < 1.006 * (1.0 - math.cos(turn / 2))


def test_whatever_turns_once_round_is_held_by_its_disc() -> None:
    rod, sweep = SHAPES["rod"][0], Sweep(Transform(), Transform((4.0, 0.0), 7.0))
    assert swept_circle(rod, sweep).radius == pytest.approx(math.hypot(3.0, 0.01))
    assert swept_box(rod, sweep).upper == pytest.approx((4.0 + math.hypot(3.0, 0.01), math.hypot(3.0, 0.01)))


def test_a_sweep_is_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="sweep must be a Sweep"):
        swept_box([(0.0, 0.0)], Transform())  # type: ignore[arg-type]
