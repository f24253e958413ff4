"""Simplification: the two boundaries are within the tolerance of each other in both directions, and every ring stays in place."""

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidInputError
from engine.decompose import Outline, Part, simplified
from engine.decompose.measures import boundary_distance

TOLERANCES = (0.001, 0.01, 0.05, 0.3)


def wavy(n, waves, depth, radius=1.0, center=(0.0, 0.0), noise=0.0):
    turn = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    reach = radius * (1.0 + depth * np.cos(waves * turn) + noise * np.random.default_rng(n).uniform(-1.0, 1.0, n))
    return np.column_stack((reach * np.cos(turn), reach * np.sin(turn))) + center


def comb(teeth, gap):
    """A comb whose slots are narrower than most tolerances."""
    points = [(0.0, 0.0), (teeth * (0.1 + gap), 0.0)]
    for k in reversed(range(teeth)):
        left = k * (0.1 + gap)
        points += [(left + 0.1, 1.0 + 0.01 * (k % 2)), (left, 1.0), (left - 0.001, 0.1)] if k else [(0.1, 1.0), (0.0, 1.0)]
        if k:
            points.append((left - gap, 0.1))
    return np.array(points)


OUTLINES = {
    "waves with a hole": Outline.of_polygon(wavy(900, 7, 0.3), [wavy(300, 5, 0.2, 0.4)]),
    "noise": Outline.of_polygon(wavy(600, 3, 0.2, noise=0.01)),
    "a thin ring": Outline.of_polygon(wavy(500, 9, 0.1), [wavy(500, 9, 0.1, 0.985)]),
    "many holes": Outline.of_polygon(
        wavy(400, 2, 0.1, 2.0), [wavy(60, 3, 0.2, 0.12, (x, y)) for x in (-1, -0.5, 0, 0.5, 1) for y in (-0.6, 0, 0.6)]
    ),
    "parts side by side": Outline(Part(wavy(200, 6, 0.2, 0.45, (1.09 * k, 0.0))) for k in range(4)),
    "a comb": Outline.of_polygon(comb(12, 0.02)),
    "one within the other's hole": Outline([Part(wavy(200, 4, 0.1), [wavy(150, 4, 0.1, 0.8)]), Part(wavy(150, 4, 0.1, 0.7))]),
}


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("name", OUTLINES)
def test_boundaries_stay_within_the_tolerance_both_ways(name, tolerance):
    before = OUTLINES[name]
    after = simplified(before, tolerance)
    old, new = before.as_shapely().boundary, after.as_shapely().boundary
    for a, b in ((old, new), (new, old)):  # dense points of one, nearest place on the other
        samples = shapely.points(shapely.get_coordinates(shapely.segmentize(a, 0.01)))
        assert shapely.distance(samples, b).max() <= tolerance * (1.0 + 1e-9)
    assert len(after.parts) == len(before.parts)
    assert [len(part.holes) for part in after.parts] == [len(part.holes) for part in before.parts]
    corners = {tuple(point) for ring in before.rings() for point in ring.tolist()}
    assert all(tuple(point) in corners for ring in after.rings() for point in ring.tolist())
    assert after.as_shapely().is_valid


def test_a_fine_contour_loses_most_of_its_vertices():
    assert simplified(OUTLINES["waves with a hole"], 0.005).n_vertices < 0.15 * OUTLINES["waves with a hole"].n_vertices


def test_a_tolerance_of_zero_changes_nothing():
    assert simplified(OUTLINES["noise"], 0.0) == OUTLINES["noise"]
    with pytest.raises(InvalidInputError, match="tolerance must be >= 0 m"):
        simplified(OUTLINES["noise"], -0.1)


def test_a_ring_on_one_line_within_the_tolerance_keeps_three_corners():
    sliver = Outline.of_polygon([(0, 0), (1, 0.001), (2, 0), (3, 0.001), (4, 0), (2, -0.002)])
    after = simplified(sliver, 10.0)
    assert after.n_vertices >= 3 and after.area > 0.0


def test_the_distance_of_boundaries_equals_shapelys():
    a, b = OUTLINES["waves with a hole"], simplified(OUTLINES["waves with a hole"], 0.02)
    dense = shapely.hausdorff_distance(*(shapely.segmentize(outline.as_shapely().boundary, 0.01) for outline in (a, b)))
    assert boundary_distance(a, b, 0.001) == pytest.approx(dense, abs=0.01)
    square = Outline.of_polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    assert boundary_distance(square, square.translated(0.25, 0.0), 0.01) == 0.25
    assert boundary_distance(square, square, 0.01) == 0.0
