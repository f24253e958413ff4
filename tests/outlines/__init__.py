"""The set of outlines on which every decomposition method is tested, each with its expected result.

python -m tests.outlines             the table: pieces of each method and milliseconds
python -m tests.outlines --random 300    random polygons of up to 500 vertices besides, checked like the others
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from engine.decompose.image import contour_of_opacity
from engine.decompose.outline import Outline, Part
from engine.decompose.simplify import simplified
from tests.outlines import shapes
from tests.outlines.shapes import box, regular

__all__ = ["KEPT", "OUTLINES", "REFUSED", "Specimen", "outline_of"]


@dataclass(frozen=True)
class Specimen:
    """An outline and the expected result of `decompose`: None, to be kept to 1e-6 of its area, or a word of the refusal."""

    build: Callable[[], Outline]
    refusal: str | None = None


def _of(ring, *holes, refusal=None):
    return Specimen(lambda: Outline.of_polygon(ring() if callable(ring) else ring, holes), refusal)


def _traced(size, seed):
    return simplified(contour_of_opacity(shapes.blot(size, seed), 100.0), 0.005)


def _sprite():
    from engine.decompose.image import read_opacity
    from sprites import figure_outline

    picture = figure_outline.__file__.replace("figure_outline.py", "figure.png")
    return simplified(contour_of_opacity(read_opacity(picture).alpha, 100.0), 0.01)


def _on_line(n, sag=0.0):
    """A box of 2 m x 1 m with n additional corners on each long side, on an arc that protrudes by `sag`."""
    x = np.linspace(0.0, 2.0, n + 2)
    arc = sag * (1.0 - (x - 1.0) ** 2)
    return np.concatenate((np.column_stack((x, -arc)), np.column_stack((x, 1.0 + arc))[::-1]))


def _repeated(ring):
    return np.concatenate((np.repeat(ring, 3, axis=0), ring[:1]))


_SQUARE = box(0, 0, 1, 1)
_ELL = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float)
_BOW_TIE = np.array([(0, 0), (2, 2), (2, 0), (0, 1)], dtype=float)
_STAIRS = np.array([(0, 0), (8, 0), *((8 - k // 2, (k + 1) // 2 + (k % 2 == 0) * 0.0) for k in range(1, 16)), (0, 8)], dtype=float) * 0.2


OUTLINES = {
    # plain
    "triangle": _of(regular(3)),
    "square": _of(_SQUARE),
    "ell": _of(_ELL),
    "tee": _of(np.array([(0, 0), (1, 0), (1, 2), (2, 2), (2, 3), (-1, 3), (-1, 2), (0, 2)], dtype=float)),
    "plus": _of(np.array([(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)], dtype=float)),
    "arrow": _of(np.array([(0, 0), (2, 1), (0, 2), (0.6, 1)], dtype=float)),
    "stairs": _of(_STAIRS),
    "sixty corners": _of(regular(60)),
    "five hundred corners": _of(regular(500)),
    "crescent": _of(np.concatenate((regular(40)[8:33], (regular(40, 0.8) + (0.35, 0.0))[32:8:-1]))),
    # stars, gears, combs
    **{f"star of {n}": _of(shapes.star(n)) for n in (3, 4, 5, 7, 12, 24)},
    "sharp star": _of(shapes.star(9, 0.1)),
    "gear of 12": _of(shapes.gear(12)),
    "gear with a hub": _of(shapes.gear(16), regular(12, 0.3)),
    "comb of 4": _of(shapes.comb(4)),
    "comb of 16": _of(shapes.comb(16, 4.0)),
    "comb of 60": _of(shapes.comb(60, 20.0)),
    # spirals, curves
    "spiral": _of(partial(shapes.spiral, 3.0, 60)),
    "tight spiral": _of(partial(shapes.spiral, 6.0, 200)),
    "square spiral": _of(partial(shapes.square_spiral, 4)),
    "Koch curve": _of(partial(shapes.koch, 2)),
    "deep Koch curve": _of(partial(shapes.koch, 3)),
    "Hilbert curve": _of(partial(shapes.hilbert, 3)),
    # holes
    "frame": _of(box(0, 0, 4, 4), box(1, 1, 2, 2)),
    "round ring": _of(regular(32), regular(32, 0.6)),
    "thin ring": _of(regular(64), regular(64, 0.99)),
    "ring in a ring": Specimen(partial(shapes.rings_in_rings, 2)),
    "target": Specimen(partial(shapes.rings_in_rings, 4)),
    "window of 2": Specimen(partial(shapes.window, 2)),
    "window of 5": Specimen(partial(shapes.window, 5)),
    "cheese of 3": Specimen(partial(shapes.cheese, 3, 0)),
    "cheese of 12": Specimen(partial(shapes.cheese, 12, 1)),
    "star in a star": _of(shapes.star(7, 0.6), shapes.star(7, 0.5) * 0.5),
    # letters
    **{f"letter {text}": Specimen(partial(shapes.letter, text)) for text in "ABSXeg8&@%iß"},
    "word": Specimen(partial(shapes.letter, "Box2D")),
    # traced
    "sprite": Specimen(_sprite),
    "blot of 64": Specimen(partial(_traced, 64, 1)),
    "blot of 256": Specimen(partial(_traced, 256, 2)),
    # random
    **{f"grown {n}": _of(partial(shapes.grown, n, 1)) for n in (20, 60, 150, 500)},
    **{f"untangled {n}": _of(partial(shapes.untangled, n, 1)) for n in (15, 40)},
    **{f"jagged {n}": _of(partial(shapes.jagged, n, 1)) for n in (30, 250)},
    # awkward, and to be kept
    "corners on a line": _of(_on_line(40)),
    "corners nearly on a line": _of(_on_line(40, 1e-7)),
    "flat arc": _of(_on_line(40, 1e-3)),
    "repeated corners": _of(_repeated(_ELL)),
    "clockwise": _of(_ELL[::-1], box(0.2, 0.2, 0.4, 0.4)),
    "splinter": _of(np.array([(0, 0), (1, 0), (0, 1e-4)], dtype=float)),
    "splinters on a box": _of(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 1.5), (1 - 1e-5, 1), (0, 1)], dtype=float)),
    "hole that touches a corner": _of(box(0, 0, 4, 4), np.array([(0, 0), (1, 2), (2, 1)], dtype=float)),
    "hole that touches an edge": _of(box(0, 0, 4, 4), np.array([(2, 0), (3, 1), (1, 1)], dtype=float)),
    "holes that touch": _of(
        box(0, 0, 6, 4), np.array([(1, 1), (3, 2), (1, 3)], dtype=float), np.array([(3, 2), (5, 1), (5, 3)], dtype=float)
    ),
    "hole a nanometer off": _of(box(0, 0, 4, 4), np.array([(2, 1e-9), (3, 1), (1, 1)], dtype=float)),
    "parts that touch": Specimen(lambda: Outline((Part(box(0, 0, 1, 1)), Part(box(1, 1, 2, 2))))),
    "kilometer": _of(_ELL * 1000.0),
    "centimeter": _of(_ELL * 0.01),
    "a hundred meters off": _of(_ELL + (100.0, 0.0)),
    # awkward, and to be refused
    "bow tie": _of(_BOW_TIE, refusal="cross"),
    "crossing hole": _of(_SQUARE, box(0.5, 0.5, 1.5, 0.8), refusal="cross"),
    "two points": _of(_SQUARE[:2], refusal="at least 3"),
    "no points": _of(np.zeros((0, 2)), refusal="at least 3"),
    "points on one line": _of(np.array([(0, 0), (1, 1), (2, 2), (3, 3)], dtype=float), refusal="area"),
    "not a number": _of(np.array([(0, 0), (1, 0), (math.nan, 1)]), refusal="finite"),
    "infinite": _of(np.array([(0, 0), (1, 0), (math.inf, 1)]), refusal="finite"),
    "micrometer": _of(_ELL * 1e-6, refusal="large enough"),
    "needle": _of(np.array([(0, 0), (1, 0), (0.5, 1e-10)]), refusal="wider than"),
    "speck beside a box": Specimen(lambda: Outline((Part(_SQUARE), Part(box(2, 2, 2.001, 2.0015)))), refusal="max_lost"),
    "a hundred kilometers off": _of(_ELL + (1e5, 0.0), refusal="close enough to its origin"),
    "a thousand kilometers off": _of(_ELL + (2e6, 0.0), refusal="of the origin"),
}
"""By name; those to be refused are refused by `Outline` or by `decompose`, each as InvalidShapeError."""

KEPT = [name for name, specimen in OUTLINES.items() if specimen.refusal is None]
REFUSED = [name for name, specimen in OUTLINES.items() if specimen.refusal is not None]


@cache
def outline_of(name):
    """Return an outline of the set; cached."""
    return OUTLINES[name].build()
