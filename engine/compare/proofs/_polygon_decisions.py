"""A second implementation of Box2D 2.3.0's polygon rule that exposes every decision.

The rule is a chain of comparisons: which normal points most along the centroids, whether the next edge is better, which face is
preferred, on which side of a plane an end lies. Float32 rounding changes the answer only by reversing some of them. Here each
comparison goes through a `Judge`, which knows the largest margin that rounding can reverse: beyond it, the decision is certain;
within it, either outcome is possible, and `all_outcomes` follows both.

The geometry may be floats, for a quick search, or `fractions.Fraction`, for a proof: the same code then computes exact margins from
the float32 numbers that Box2D got, with its float32 cosines and sines taken as exact. Only unit normals are irrational; they are
rounded to 2**-120 here, twelve orders of magnitude finer than float64.

This file is independent of the compiled kernels, works in the world frame, and shares no line with them, so it also tests them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_RELATIVE_TOLERANCE, EPS64

__all__ = [
    "Bounds",
    "Decision",
    "Judge",
    "Number",
    "Outcome",
    "Vector",
    "WorldPolygon",
    "all_outcomes",
    "clipped_points",
    "cross",
    "dot",
    "minus",
    "onto_face",
    "placed_points",
    "replay_outcome",
    "root",
    "unit",
]

Number: TypeAlias = Any
"""float or Fraction; one run uses one of them throughout."""

Vector: TypeAlias = tuple[Number, Number]

_SQRT_BITS = 120
_MAX_RUNS = 512
"""Outcomes followed before giving up: nine decisions undecided at once, each both ways."""

_MIN_COSINE = 64.0 * EPS64
"""A relative floor for the cosine between incident and reference edge: below it they are perpendicular at float64."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of float32 rounding of a margin: separations and plane distances, meters; normals' products; centroid line, meters."""

    separation: float
    direction: float
    centroid: float


@dataclass(frozen=True, slots=True)
class Decision:
    """A comparison that rounding could have reversed: its name, its margin, the bound on rounding, and the option taken."""

    name: str
    margin: Number
    bound: float
    option: int


@dataclass(frozen=True, slots=True)
class WorldPolygon:
    """Corners and unit normals in the world frame, centroid, skin."""

    vertices: Sequence[Vector]
    normals: Sequence[Vector]
    centroid: Vector
    skin: Number

    @classmethod
    def of(cls, corners: Sequence[Vector], centroid: Vector, skin: Number) -> WorldPolygon:
        """Return the polygon with its normals."""
        along = (unit(start, end) for start, end in zip(corners, (*corners[1:], corners[0]), strict=True))
        return cls(corners, [(y, -x) for x, y in along], centroid, skin)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A manifold, the decisions that rounding could have reversed, and the factor by which clipping amplified errors."""

    normal: Vector | None
    points: tuple[tuple[Number, Number, Number], ...]
    decisions: tuple[Decision, ...]
    amplification: float


class Judge:
    """Decides comparisons. Where rounding leaves a choice, it follows `script`, and after its end the unrounded answer."""

    def __init__(self, bounds: Bounds, script: Sequence[int] = ()) -> None:
        self.bounds, self._script = bounds, list(script)
        self._open: list[Decision] = []

    def is_positive(self, name: str, margin: Number, bound: float | None = None) -> bool:
        """Return True if `margin` > 0; if it is within `bound` of 0 (by default that of a separation), the script decides."""
        return self._choose(name, margin, self.bounds.separation if bound is None else bound, 0 if margin > 0 else 1, 2) == 0

    def extreme(self, name: str, values: Sequence[Number], bound: float) -> int:
        """Return the index of the greatest value; among those within `bound` of it, the script's choice, otherwise the first greatest."""
        greatest = max(values)
        near = [index for index, value in enumerate(values) if greatest - value <= bound]
        for index in near[:-1]:
            rival = max(value for at, value in enumerate(values) if at in near and at > index)
            if not self.is_positive(name, rival - values[index], bound):
                return index
        return near[-1]

    def outcome(
        self, normal: Vector | None = None, points: tuple[tuple[Number, Number, Number], ...] = (), amplification: float = 0.0
    ) -> Outcome:
        """Return the outcome to which the decisions led, no contact by default."""
        return Outcome(normal if points else None, points, tuple(self._open), amplification)

    def side_of_plane(self, margin: Number, bound: float) -> int:
        """Return 0 inside, 1 outside, 2 on the plane, for a distance in front of it."""
        return self._choose("side plane", margin, bound, 1 if margin > 0 else (2 if margin == 0 else 0), 3)

    def _choose(self, name: str, margin: Number, bound: float, plain: int, n_options: int) -> int:
        if abs(margin) > bound:
            return plain
        at = len(self._open)
        option = self._script[at] if at < len(self._script) else plain
        assert option < n_options
        self._open.append(Decision(name, margin, bound, option))
        return option


def all_outcomes(replay: Callable[[Sequence[int]], Outcome]) -> Iterator[tuple[Outcome, tuple[int, ...]]]:
    """Yield every manifold that a rule can give under rounding, the unrounded one first, each with the script that leads to it.

    `replay` follows the rule once and decides open comparisons by the given script.
    """
    waiting: list[tuple[int, ...]] = [()]
    for _ in range(_MAX_RUNS):
        if not waiting:
            return
        script = waiting.pop(0)
        outcome = replay(script)
        options = tuple(decision.option for decision in outcome.decisions)
        yield outcome, options
        for at in range(len(script), len(options)):
            n_options = 3 if outcome.decisions[at].name == "side plane" else 2
            for option in range(n_options):
                if option != options[at]:
                    waiting.append((*options[:at], option))


def replay_outcome(a: WorldPolygon, b: WorldPolygon, bounds: Bounds, script: Sequence[int] = ()) -> Outcome:
    """Follow Box2D's rule once, with open comparisons decided by `script`."""
    judge = Judge(bounds, script)
    total = a.skin + b.skin
    separation_a, edge_a = _climb(judge, a, b)
    if judge.is_positive("early out on A", separation_a - total):
        return judge.outcome()
    separation_b, edge_b = _climb(judge, b, a)
    if judge.is_positive("early out on B", separation_b - total):
        return judge.outcome()
    exact = type(separation_a)
    preferred = exact(BOX2D_RELATIVE_TOLERANCE) * separation_a + exact(BOX2D_ABSOLUTE_TOLERANCE)
    is_on_b = judge.is_positive("face preference", separation_b - preferred, 2.0 * bounds.separation)
    base, other, edge = (b, a, edge_b) if is_on_b else (a, b, edge_a)

    normal = nx, ny = base.normals[edge]
    corners = base.vertices[edge], base.vertices[(edge + 1) % len(base.vertices)]
    sign = -1 if is_on_b else 1
    return judge.outcome((sign * nx, sign * ny), *onto_face(judge, corners, normal, other, total, base.skin))


def onto_face(
    judge: Judge, corners: tuple[Vector, Vector], normal: Vector, poly: WorldPolygon, widening: Number, skin: Number
) -> tuple[tuple[tuple[Number, Number, Number], ...], float]:
    """Clip the polygon's edge that faces a reference edge with these `corners`, this `normal` and this `skin`; see `clipped_points`."""
    products = [dot(normal, direction) for direction in poly.normals]
    incident = judge.extreme("incident edge", [-product for product in products], 2.0 * judge.bounds.direction)
    ends = poly.vertices[incident], poly.vertices[(incident + 1) % len(poly.vertices)]
    return clipped_points(judge, corners, normal, ends, float(products[incident]), widening, skin, poly.skin)


def clipped_points(
    judge: Judge,
    corners: tuple[Vector, Vector],
    normal: Vector,
    ends: tuple[Vector, Vector],
    product: float,
    widening: Number,
    base_skin: Number,
    other_skin: Number,
) -> tuple[tuple[tuple[Number, Number, Number], ...], float]:
    """Clip the incident edge's `ends` between the `corners` of the reference edge, moved apart by `widening`, and keep nearby points.

    `product` is the dot product of the two edges' normals. Returns points x, y, separation, and the factor by which clipping amplified
    errors.
    """
    exact = type(widening)
    (nx, ny), total, bound = normal, base_skin + other_skin, judge.bounds.separation
    factor = 1.0 / max(abs(product), _MIN_COSINE)
    clipped, amplification = list(ends), 0.0
    for corner, outward in zip(corners, (-1, 1), strict=True):
        tangent = -outward * ny, outward * nx
        out = [dot(tangent, minus(point, corner)) - widening for point in clipped]
        sides = [judge.side_of_plane(distance, bound * (1.0 + amplification)) for distance in out]
        if sides.count(1) == 2 or sorted(sides) == [1, 2]:
            return (), 0.0
        if sides.count(1) == 1:
            amplification = 2.0 * factor + amplification
            span = out[0] - out[1]
            share = min(max(out[0] / span, exact(0)), exact(1)) if span != 0 else exact(0)
            (x0, y0), (x1, y1) = clipped
            cut = (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
            clipped = [clipped[sides.index(0)], cut]

    points = []
    half = exact(0.5)
    for x, y in clipped:
        gap = dot(normal, minus((x, y), corners[0]))
        if not judge.is_positive("within the skins", total - gap, bound * (1.0 + 2.0 * amplification)):
            continue
        lift = half * (base_skin - other_skin - gap)
        points.append((x + lift * nx, y + lift * ny, gap))
    return tuple(points), factor if amplification else 0.0


def placed_points(
    local: Sequence[Sequence[float]], position: tuple[float, float], rotation: tuple[float, float], number: Callable[[float], Number]
) -> list[Vector]:
    """Transform points to the world by float32 `position` and `rotation` (cos, sin); `number` is float or Fraction."""
    c, s, x0, y0 = (number(value) for value in (*rotation, *position))
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in ((number(x), number(y)) for x, y in local)]


def _climb(judge: Judge, poly: WorldPolygon, other: WorldPolygon) -> tuple[Number, int]:
    bounds = judge.bounds
    toward = minus(other.centroid, poly.centroid)
    reach = abs(float(toward[0])) + abs(float(toward[1]))
    along = [dot(normal, toward) for normal in poly.normals]
    start = judge.extreme("start of the climb", along, 2.0 * (bounds.centroid + bounds.direction * reach))

    def separation(edge: int) -> Number:
        return min(dot(poly.normals[edge], minus(vertex, poly.vertices[edge])) for vertex in other.vertices)

    def is_better(name: str, value: Number, than: Number) -> bool:
        return judge.is_positive(name, value - than, 2.0 * bounds.separation)

    n = len(poly.vertices)
    before, after = (start - 1) % n, (start + 1) % n
    best, before_value, after_value = separation(start), separation(before), separation(after)
    if is_better("climb back", before_value, best) and is_better("climb back", before_value, after_value):
        step, best, best_edge = -1, before_value, before
    elif is_better("climb on", after_value, best):
        step, best, best_edge = 1, after_value, after
    else:
        return best, start
    for _ in range(n):
        edge = (best_edge + step) % n
        value = separation(edge)
        if not is_better("end of the climb", value, best):
            break
        best, best_edge = value, edge
    return best, best_edge


def root(value: Number) -> Number:
    """Return a square root, of a fraction to 2**-120."""
    if isinstance(value, Fraction):
        shift = 1 << (2 * _SQRT_BITS)
        return Fraction(math.isqrt(value.numerator * shift // value.denominator), 1 << _SQRT_BITS)
    return math.sqrt(value)


# --- Vectors


def minus(first: Vector, other: Vector) -> Vector:
    return first[0] - other[0], first[1] - other[1]


def dot(first: Vector, other: Vector) -> Number:
    return first[0] * other[0] + first[1] * other[1]


def cross(first: Vector, other: Vector) -> Number:
    return first[0] * other[1] - first[1] * other[0]


def unit(start: Vector, end: Vector) -> Vector:
    """Return the unit vector from one point to another."""
    ex, ey = minus(end, start)
    length = root(ex * ex + ey * ey)
    return ex / length, ey / length
