"""Outlines of `bounding_volumes`: long, round, hollow and notched ones.

Their smallest circle is 2 m wide, with its center at the origin.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from demos._pile_figures import VESSELS, outline_of
from engine.bounding import smallest_circle
from engine.common.arrays import FloatArray, frozen
from sprites.figure_outline import OUTLINE

__all__ = ["OUTLINES", "outline_named"]

OUTLINES: tuple[str, ...] = ("figure", "star", "letter", "rod", "comb", "boomerang", "disc", "ring", "box", "triangle", *VESSELS)

Rings = tuple[FloatArray, ...]


@cache
def outline_named(name: str) -> Rings:
    """Return the rings of an outline, the outer one first, read-only."""
    rings = _drawn(name)
    circle = smallest_circle(rings[0])
    return tuple(frozen(np.ascontiguousarray(1.0 / circle.radius * (ring - circle.core[0]))) for ring in rings)


def _drawn(name: str) -> Rings:
    if name in VESSELS:
        return (outline_of(name).parts[0].outer,)
    if name == "figure":
        return (OUTLINE,)
    if name == "star":
        return (_polar([1.0 if k % 2 == 0 else 0.4 for k in range(10)], 0.5 * math.pi),)
    if name == "letter":  # an R with a hole
        bowl = [(0.95 + 0.55 * math.cos(t), 1.5 + 0.5 * math.sin(t)) for t in np.linspace(-0.5, 0.5, 9) * math.pi]
        eye = [(0.9 + 0.28 * math.cos(t), 1.5 + 0.22 * math.sin(t)) for t in np.linspace(-0.5, 0.5, 7) * math.pi]
        outer = [(0.0, 0.0), (0.35, 0.0), (0.35, 0.85), (0.6, 0.85), (1.15, 0.0), (1.6, 0.0), (1.0, 0.95), *bowl, (0.0, 2.0)]
        return np.array(outer), np.array([(0.35, 1.28), *eye, (0.35, 1.72)])
    if name == "rod":
        return (np.array([(-1.0, -0.03), (1.0, -0.03), (1.0, 0.03), (-1.0, 0.03)]),)
    if name == "comb":
        teeth = [(x + dx, y) for x in np.arange(0.0, 2.0, 0.25) for dx, y in ((0.0, 0.9), (0.0, 0.0), (0.1, 0.0), (0.1, 0.9))][1:]
        return (np.array([*teeth[:-1], (1.85, 1.1), (0.0, 1.1)]),)
    if name == "boomerang":
        return (np.array([(0.0, 0.0), (0.35, 0.05), (0.45, 0.85), (1.25, 0.95), (1.3, 1.3), (0.2, 1.1)]),)
    if name == "disc":
        return (_polar([1.0] * 48, 0.0),)
    if name == "ring":
        return _polar([1.0] * 36, 0.0), _polar([0.72] * 36, 0.0)
    if name == "box":
        return (np.array([(-0.9, -0.55), (0.9, -0.55), (0.9, 0.55), (-0.9, 0.55)]),)
    return (_polar([1.0] * 3, 0.5 * math.pi),)


def _polar(radii: list[float], start: float) -> FloatArray:
    turn = start + 2.0 * math.pi * np.arange(len(radii)) / len(radii)
    return np.array(radii)[:, None] * np.column_stack((np.cos(turn), np.sin(turn)))
