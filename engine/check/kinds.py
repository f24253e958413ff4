"""The kinds of wrong answers, each with its name, its usual cause, and the page that explains it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS", "QUERIES", "Kind"]

QUERIES = ("manifold", "overlap", "distance")
"""Queries that a function can answer; ``collide`` answers the first."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of wrong answer: its name, what usually causes it, a page of `docs/`, and the unit of a fault's size, if it has one."""

    name: str
    hint: str
    page: str
    unit: str = ""


KINDS: dict[str, Kind] = {
    "missed_overlap": Kind(
        "missed overlap",
        "Only a gap along an outward edge normal ((y, -x) of an edge, for counter-clockwise corners) or from a corner to a circle's center "
        "proves that they are apart. Shapes can cross, or one can contain the other, even if no corner of one is inside the other.",
        "algorithms/sat.md",
        "m deep",
    ),
    "false_overlap": Kind(
        "false overlap",
        "A line separates the shapes. Try the outward normals of all edges of both polygons ((y, -x) of an edge, for "
        "counter-clockwise corners) and, if there is a circle, the directions from its center to the corners.",
        "algorithms/sat.md",
        "m apart",
    ),
    "reversed_normal": Kind(
        "reversed normal",
        "The normal is reversed: it must point from A to B even if the best axis is an edge of B.",
        "algorithms/manifold.md",
        "m deep",
    ),
    "wrong_normal": Kind(
        "wrong normal",
        "A shorter movement separates the shapes. Use the axis with the smallest overlap; overlaps can be compared only "
        "along axes of length 1.",
        "algorithms/epa.md",
        "° off",
    ),
    "not_unit_normal": Kind(
        "normal not of unit length",
        "Divide the axis by its length before projecting onto it: depths along axes of different lengths cannot be compared.",
        "algorithms/sat.md",
        "off 1",
    ),
    "wrong_depth": Kind(
        "wrong depth",
        "The depth is how far B must move along the normal until the shapes just touch. It is positive and in meters, even for "
        "containment.",
        "algorithms/epa.md",
        "m off",
    ),
    "wrong_points": Kind(
        "wrong points",
        "A contact point lies inside both shapes, or between their surfaces along the normal. Clip the incident edge to the "
        "reference edge's two side planes.",
        "algorithms/manifold.md",
        "",
    ),
    "wrong_distance": Kind(
        "wrong distance",
        "The nearest points may lie inside an edge and need not be corners. Include the radii.",
        "algorithms/gjk.md",
        "m off",
    ),
    "raised": Kind("raised", "The function raised an exception.", "check.md"),
    "wrong_type": Kind("wrong type", "The returned value is not an answer to this query.", "check.md"),
    "too_slow": Kind("too slow", "The call took longer than the time limit; does its loop terminate for every pair?", "check.md"),
    "crashed": Kind("ended its process", "The function's process ended during the call.", "check.md"),
    "not_repeatable": Kind(
        "not repeatable", "The same pair gave two different answers: the function keeps state between calls or is random.", "check.md"
    ),
}
"""Kinds in the order of display."""
