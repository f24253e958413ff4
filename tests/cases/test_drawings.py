"""Drawings that were read incorrectly (issue 29), one user unit per meter, y up: size, area and bounds according to the specifications."""

import math
from pathlib import Path

import pytest

from engine.common.errors import InvalidInputError
from engine.decompose.svg import read_drawing

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("name", "size", "area", "bounds"),
    [
        # SVG 2, 8.2: a side that is missing is auto, and follows the ratio of the viewBox
        ("02-svg-width-without-height/in.svg", (400, 200), 10_000, (20, 80, 120, 180)),
        ("02-svg-width-without-height/in_height.svg", (100, 50), 625, (5, 20, 30, 45)),
        # SVG 1.1, 7.10: shares of the viewport's width along x, of its height along y
        ("03-svg-percent-without-viewbox/in.svg", (600, 200), 8_000, (0, 120, 200, 160)),
        ("03-svg-percent-without-viewbox/in_circle.svg", (400, 200), 900 * math.pi, (290, 70, 350, 130)),
        ("03-svg-percent-without-viewbox/in_rect.svg", (400, 200), 20_000, (40, 80, 240, 180)),
        # CSS: medium is 16 px
        ("05-svg-em/in.svg", (16, 16), 144, (2, 2, 14, 14)),
        ("05-svg-em/in_em.svg", (400, 300), 900, (32, 250, 62, 280)),
        # CSS 2.1, 6.4.1: of equal weight the later rule wins, whatever the order in `class`
        ("06-svg-css-cascade/in.svg", (100, 100), 2_900, (0, 20, 80, 100)),
        ("06-svg-css-cascade/in_descendant.svg", (100, 100), 400, (60, 20, 80, 40)),
        ("06-svg-css-cascade/in_important.svg", (100, 100), 400, (60, 20, 80, 40)),
        ("06-svg-css-cascade/in_inherit.svg", (100, 100), 400, (60, 20, 80, 40)),
        ("06-svg-css-cascade/in_two.svg", (100, 100), 400, (60, 20, 80, 40)),
        # CSS Transforms 1, 6: transform-origin moves the center of rotation
        ("07-svg-css-transform/in_attr.svg", (200, 200), 800, (90, 90, 110, 130)),
    ],
)
def test_a_drawing_is_read_according_to_the_specifications(name, size, area, bounds):
    tolerance = 0.001
    drawing = read_drawing(HERE / name, 1.0, tolerance)
    box = drawing.outline.aabb
    assert drawing.size == pytest.approx(size)
    assert (*box.lower, *box.upper) == pytest.approx(bounds, abs=2.0 * tolerance)  # of a circle of chords
    assert drawing.outline.area == pytest.approx(area, abs=tolerance * drawing.outline.as_shapely().length)


@pytest.mark.parametrize(("name", "length"), [("in_rem.svg", "2rem"), ("in_q.svg", "40Q")])
def test_an_unknown_unit_is_refused_by_name(name, length):
    with pytest.raises(InvalidInputError, match=f"x must be a length in px, in, cm, mm, pt, pc, em, ex or %, got '{length}'"):
        read_drawing(HERE / "05-svg-em" / name, 1.0, 0.001)


def test_a_transform_origin_in_css_is_named_in_a_note():
    """CSS Transforms 1, 6: it moves the center of rotation, which usvg does not do in a style."""
    assert "Not applied: transform-origin (1)." in read_drawing(HERE / "07-svg-css-transform" / "in.svg", 1.0, 0.001).notes
