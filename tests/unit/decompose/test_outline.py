"""Parts and outlines: their contents, and rejected input."""

import math

import numpy as np
import pytest

from engine.common.errors import InvalidShapeError
from engine.decompose import Outline, Part, signed_area

SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
HOLE = [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)]


def test_windings_are_set_and_repeats_dropped():
    part = Part([*SQUARE[::-1], SQUARE[::-1][0]], [HOLE])
    assert signed_area(part.outer) == 16.0 and signed_area(part.holes[0]) == -1.0
    assert part.area == 15.0 and part.n_vertices == 8
    assert not part.outer.flags.writeable and not part.holes[0].flags.writeable
    assert (part.aabb.lower, part.aabb.upper) == ((0.0, 0.0), (4.0, 4.0))


def test_vertices_on_a_line_are_kept():
    assert Part([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)]).n_vertices == 5


def test_moved_and_scaled():
    outline = Outline([Part(SQUARE, [HOLE]), Part(np.add(SQUARE, (10, 0)))])
    assert outline.area == 31.0 and len(list(outline.rings())) == 3
    assert outline.translated(1.0, -2.0).aabb.lower == (1.0, -2.0)
    assert outline.scaled(0.5).area == 0.25 * 31.0
    assert Outline.from_shapely(outline.as_shapely()).area == 31.0
    assert outline == Outline([Part(SQUARE, [HOLE]), Part(np.add(SQUARE, (10, 0)))]) != outline.scaled(2.0)
    assert len({outline, Outline(outline.parts)}) == 1


def test_a_hole_may_touch_its_edge_in_a_corner():
    assert Part(SQUARE, [[(0, 0), (2, 1), (1, 2)]]).area == 16.0 - 1.5


@pytest.mark.parametrize(
    ("outer", "holes", "words"),
    [
        ([(0, 0), (1, 0)], [], "outer must be a ring of at least 3 distinct vertices, got 2"),
        ([(0, 0), (1, 0), (2, 0)], [], "outer must be a ring that encloses an area"),
        ([(0, 0), (2, 2), (2, 0), (0, 1)], [], "cross neither themselves nor each other, got Self-intersection"),
        (SQUARE, [[(5, 5), (6, 5), (5, 6)]], "cross neither themselves nor each other"),
        (SQUARE, [[(3, 3), (6, 3), (3, 6)]], "cross neither themselves nor each other"),
        (SQUARE, [[(1, 1), (2, 1)]], r"holes\[0\] must be a ring of at least 3"),
        (SQUARE, 3, "holes must be a list"),
        ([(0, 0), (1, 0), (math.inf, 1)], [], r"outer\[2\] must be finite"),
        ([(0, 0), (2e6, 0), (0, 1)], [], r"outer must be within 1e\+06 m"),
        ("abc", [], "outer must be"),
    ],
)
def test_an_invalid_part_is_rejected(outer, holes, words):
    with pytest.raises(InvalidShapeError, match=words):
        Part(outer, holes)


def test_parts_may_not_overlap():
    with pytest.raises(InvalidShapeError, match="parts must be rings that cross neither"):
        Outline([Part(SQUARE), Part(np.add(SQUARE, (3, 3)))])
    with pytest.raises(InvalidShapeError, match="at least one part"):
        Outline([])
    with pytest.raises(InvalidShapeError, match=r"parts\[0\] must be a Part"):
        Outline([SQUARE])
