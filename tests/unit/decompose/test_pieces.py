"""Exact pieces are complete, convex, disjoint, few, and accepted by Box2D, for the whole set of outlines."""

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.common.limits import MAX_POLYGON_VERTICES
from engine.decompose.decompose import EXACT_SHARE, decompose
from engine.decompose.grid import GridPart, on_grid
from engine.decompose.hertel_mehlhorn import merged, triangulate
from engine.decompose.outline import Outline, Part
from engine.geometry import Circle, Polygon
from engine.geometry.predicates import exact_turn
from engine.world import BodySpec, FixtureSpec, World
from tests.outlines import KEPT, OUTLINES, REFUSED, outline_of, shapes
from tests.outlines.referee import fewest_pieces_by_trial

OVERLAP = 1e-9
"""Overlap of two neighbors over the area: shapely's rounding, and a corner that float32 could not distinguish from a line."""


def check_limits(pieces):
    for piece in pieces:
        if isinstance(piece, Circle):
            continue
        corners = piece.vertices.tolist()
        n = len(corners)
        assert 3 <= n <= MAX_POLYGON_VERTICES
        assert all(exact_turn(corners[k - 2], corners[k - 1], corners[k]) > 0 for k in range(n)), "not strictly convex"


def check_exact(result):
    assert result.cover.area_error <= EXACT_SHARE
    check_limits(result.pieces)
    # the union loses what overlaps: no area twice means that interiors are disjoint
    total = sum(shapely.Polygon(piece.vertices).area for piece in result.pieces if isinstance(piece, Polygon))
    assert abs(total - result.cover.covered) <= OVERLAP * result.outline.area
    world = World()
    world.create_body(BodySpec(tuple(FixtureSpec(piece) for piece in result.pieces)))
    world.step()


def moved(outline, angle, is_mirrored):
    turn = np.array([(math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))])
    flip = np.array([-1.0 if is_mirrored else 1.0, 1.0])
    return Outline(Part(part.outer * flip @ turn, [hole * flip @ turn for hole in part.holes]) for part in outline.parts)


def test_the_test_set_is_large_enough():
    assert len(OUTLINES) >= 60
    assert 500 <= max(outline_of(name).n_vertices for name in KEPT) < 10_000


@pytest.mark.parametrize("name", KEPT)
def test_exact_pieces_cover_the_outline_exactly(name):
    check_exact(decompose(outline_of(name)))


@pytest.mark.parametrize("name", KEPT[::3])
def test_a_turned_and_mirrored_outline_is_cut_as_well(name):
    outline = outline_of(name)
    far = math.hypot(*np.abs([outline.aabb.lower, outline.aabb.upper]).max(axis=0)) > 10.0 * math.sqrt(outline.area)
    result = decompose(moved(outline, 0.0 if far else 0.7, True))
    check_exact(result)


@pytest.mark.parametrize("name", REFUSED)
def test_an_impossible_body_is_rejected_by_name(name):
    with pytest.raises(InvalidShapeError, match=OUTLINES[name].refusal):
        decompose(OUTLINES[name].build())


# --- the least number


def _small_polygon(n, seed):
    """A random simple polygon on a small lattice, so that many corners are collinear; None if it is degenerate."""
    draw = np.random.default_rng([n, seed])
    cells = draw.choice(49, n, replace=False)
    ring = [(int(cell) % 7, int(cell) // 7) for cell in cells]
    for _ in range(50):  # undo crossings
        for i in range(n):
            for j in range(i + 2, n - (i == 0)):
                if shapely.LineString([ring[i], ring[i + 1]]).crosses(shapely.LineString([ring[j], ring[(j + 1) % n]])):
                    ring[i + 1 : j + 1] = ring[i + 1 : j + 1][::-1]
                    break
            else:
                continue
            break
        else:
            break
    polygon = shapely.Polygon(ring)
    if not polygon.is_valid or polygon.area == 0.0:
        return None
    return ring if shapely.LinearRing(ring).is_ccw else ring[::-1]


def _part(*rings):
    points = [corner for ring in rings for corner in ring]
    index = {corner: k for k, corner in enumerate(points)}
    return GridPart(points, [[index[corner] for corner in ring] for ring in rings], np.array(points, dtype=float))


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9])
def test_four_times_the_least_number_of_pieces_at_most(n):
    compared = 0
    for seed in range(12):
        ring = _small_polygon(n, seed)
        if ring is None:
            continue
        part = _part(ring)
        assert len(merged(part, triangulate(part))) <= 4 * fewest_pieces_by_trial([ring]), ring
        compared += 1
    assert compared >= 3


def test_comb_and_window_are_cut_along_their_lines():
    assert len(decompose(outline_of("comb of 16")).pieces) == 17  # the teeth and the back
    assert len(decompose(outline_of("corners on a line")).pieces) == 1


# --- the steps


@pytest.mark.parametrize("name", ["letter B", "window of 5", "grown 150"])
def test_triangles_use_the_corners_and_have_the_required_number(name):
    [part] = on_grid(outline_of(name))
    triangles = triangulate(part)
    area = sum(abs(Fraction(exact_turn(*(part.points[k] for k in corner)))) for corner in triangles)
    rings = [[part.points[k] for k in ring] for ring in part.rings]
    assert area == sum(p[0] * q[1] - p[1] * q[0] for ring in rings for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))
    n = sum(len(ring) for ring in part.rings)
    assert len(triangles) == n + 2 * (len(part.rings) - 1) - 2


def test_no_two_of_hertel_and_mehlhorns_pieces_can_be_joined():
    [part] = on_grid(outline_of("grown 60"))
    pieces = merged(part, triangulate(part))
    assert len(merged(part, pieces)) == len(pieces) < len(triangulate(part))


def test_corners_per_piece_are_a_parameter():
    for most, pieces in ((16, 5), (8, 10), (4, 29)):  # ceil((60 - 2) / (most - 2))
        result = decompose(outline_of("sixty corners"), max_vertices=most)
        assert len(result.pieces) == pieces
        assert max(len(piece.vertices) for piece in result.pieces if isinstance(piece, Polygon)) <= most
        check_exact(result)


def test_the_same_outline_gives_the_same_pieces():
    first, second = decompose(outline_of("cheese of 3")), decompose(outline_of("cheese of 3"))
    assert first.pieces == second.pieces


def test_dropped_pieces_are_counted():
    outline = Outline((Part(shapes.box(0, 0, 1, 1)), Part(shapes.box(2, 2, 2.001, 2.0015))))
    result = decompose(outline, max_lost=0.01)
    assert (len(result.pieces), result.n_dropped) == (1, 1)
    assert result.cover.missed == pytest.approx(1.5e-6, rel=1e-6) and result.cover.excess == 0.0
    speck, parts = Part(shapes.box(9, 9, 9.001, 9.0015)), [Part(shapes.box(2 * k, 0, 2 * k + 1, 1)) for k in range(4)]
    for k in (1, 3, 5, 9):  # parts that are put together, and parts that are left as they are: neither was dropped
        assert decompose(Outline([*parts, speck]), "hull", k).n_dropped == 1
        assert decompose(Outline(parts), "hull", k).n_dropped == 0


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"method": "magic"}, "method"),
        ({"max_pieces": 0}, "max_pieces"),
        ({"max_pieces": True}, "max_pieces"),
        ({"max_vertices": 17}, "max_vertices"),
        ({"max_lost": math.nan}, "max_lost"),
        ({"max_lost": 2.0}, "max_lost"),
    ],
)
def test_wrong_arguments_are_named(more, field):
    with pytest.raises(InvalidInputError, match=field):
        decompose(outline_of("ell"), **more)
    with pytest.raises(InvalidInputError, match="outline"):
        decompose([(0, 0), (1, 0), (0, 1)])
