"""What the pairs of one kind of wrong answers have in common: tested hypotheses with their shares, the likeliest first.

A hypothesis is about the pair (B is a disc) or about the answer (the depth is off by B's radius). One about the pair says something only if
it is rarer among the pairs that the function gets right; an answer that is off by exactly a radius is no coincidence.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from engine.check.plain import PlainPair, Point, core_of, is_circle
from engine.check.shrink import Failure
from engine.check.truth import support_separation

__all__ = ["Cause", "causes"]

_FEWEST = 3
"""Minimum number of pairs from which something common is concluded."""
_MIN_SHARE = 0.9
"""Minimum share of the wrong pairs for which a hypothesis about the pair must hold."""
_MIN_SCORE = 0.5
_MOST = 3
"""Maximum number of causes."""
_NEAR = 1e-6
"""Relative error within which two lengths are the same."""
_ALWAYS = {"missed_overlap": "it never returns a contact,", "false_overlap": "it always returns a contact,"}
"""Causes of kinds of which no pair is right."""
_SKINS = 0.02
"""Box2D's two polygon skins, meters."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A hypothesis, the numbers of wrong pairs for which it holds and of all, and its share of the right pairs if it is about pairs.

    Examples
    --------
    >>> print(Cause("B is a disc", 260, 260, 0.12))
    B is a disc in all 260, and in 12 % of the right ones
    """

    text: str
    n: int
    of: int
    right_share: float | None = None

    @property
    def score(self) -> float:
        """From 0 to 1."""
        return self.n / self.of * (1.0 - (self.right_share or 0.0))

    def __str__(self) -> str:
        wrong = f"all {self.of:,}" if self.n == self.of else f"{self.n:,} of {self.of:,}"
        if self.right_share is None:
            return f"{self.text} in {wrong}"
        return f"{self.text} in {wrong}, and in {f'{100.0 * self.right_share:.0f} %' if self.right_share else 'none'} of the right ones"


class _Facts:
    """Measures of a pair in float64; separations are negative when overlapping."""

    def __init__(self, pair: PlainPair) -> None:
        (self.a, self.radius_a), (self.b, self.radius_b) = core_of(pair.a), core_of(pair.b)
        self.pair, self.are_discs = pair, (is_circle(pair.a), is_circle(pair.b))

    @cached_property
    def edges(self) -> tuple[list[float], list[float]]:
        """Separations along the outward normals of the edges of A, and along the inward normals of those of B."""
        return self._along(self.a, 1.0), self._along(self.b, -1.0)

    def _along(self, corners: Sequence[Point], sign: float) -> list[float]:
        ends = zip(corners, (*corners[1:], corners[0]), strict=True) if len(corners) > 1 else ()
        return [self.along(sign * (y1 - y0), sign * (x0 - x1)) for (x0, y0), (x1, y1) in ends]

    def along(self, x: float, y: float) -> float:
        """Return the separation along a direction that need not be of unit length."""
        length = math.hypot(x, y)
        return support_separation(self.pair, x / length, y / length) if length > 0.0 else -math.inf

    @cached_property
    def best(self) -> tuple[float, float, float]:
        """The largest separation along an edge of A, along an edge of B, and from a corner or center to another."""
        between = [self.along(bx - ax, by - ay) for ax, ay in self.a for bx, by in self.b]
        return max(self.edges[0], default=-math.inf), max(self.edges[1], default=-math.inf), max(between)

    @property
    def separation(self) -> float:
        a, b, between = self.best
        return max(a, b, between) if any(self.are_discs) or max(a, b) > 0.0 else max(a, b)

    def is_best(self, number: int) -> bool:
        """Return True if a way of `best` beats the others clearly."""
        others = [way for k, way in enumerate(self.best) if k != number and (k < 2 or any(self.are_discs))]
        return self.best[number] > max(others) + _NEAR * self.pair.scale

    @property
    def is_last_edge(self) -> bool:
        """True if the best axis is the edge from a polygon's last corner to its first."""
        return any(len(edges) > 1 and edges[-1] == self.separation > max(edges[:-1]) for edges in self.edges)

    @property
    def has_corner_inside(self) -> bool:
        """True if a corner or center of one is inside the other."""
        return any(_is_inside(p, self.b, self.radius_b) for p in self.a) or any(_is_inside(p, self.a, self.radius_a) for p in self.b)

    @property
    def lengths(self) -> list[float]:
        """Lengths of all edges."""
        closed = [(*corners, corners[0]) for corners in (self.a, self.b) if len(corners) > 1]
        return [math.dist(p, q) for corners in closed for p, q in pairwise(corners)]

    @property
    def between_middles(self) -> Point:
        """From the mean of A's corners to the mean of B's."""
        (ax, ay), (bx, by) = ((sum(x for x, _ in c) / len(c), sum(y for _, y in c) / len(c)) for c in (self.a, self.b))
        return bx - ax, by - ay


def _is_inside(point: Point, corners: Sequence[Point], radius: float) -> bool:
    if len(corners) == 1:
        return math.dist(point, corners[0]) <= radius
    ends = zip(corners, (*corners[1:], corners[0]), strict=True)
    return all((x1 - x0) * (point[1] - y0) >= (y1 - y0) * (point[0] - x0) for (x0, y0), (x1, y1) in ends)


_PAIRS: tuple[tuple[str, str, Callable[[_Facts], bool]], ...] = (
    ("shapes", "A is a disc", lambda f: f.are_discs[0]),
    ("shapes", "B is a disc", lambda f: f.are_discs[1]),
    ("shapes", "one is a disc", lambda f: f.are_discs[0] != f.are_discs[1]),
    ("shapes", "both are discs", lambda f: all(f.are_discs)),
    ("shapes", "both are polygons", lambda f: not any(f.are_discs)),
    ("shapes", "A is a disc, B a polygon", lambda f: f.are_discs == (True, False)),
    ("shapes", "A is a polygon, B a disc", lambda f: f.are_discs == (False, True)),
    ("axis", "the best axis is an edge of A", lambda f: f.is_best(0)),
    ("axis", "the best axis is an edge of B", lambda f: f.is_best(1)),
    ("axis", "the best axis goes from a corner to another or to a center", lambda f: f.is_best(2) and not all(f.are_discs)),
    ("axis", "the best axis is an edge from the last corner to the first", lambda f: f.is_last_edge),
    ("inside", "no corner or center of one is inside the other", lambda f: not f.has_corner_inside),
    ("inside", "a corner or center of one is inside the other", lambda f: f.has_corner_inside),
    ("size", "they overlap by at most 0.02 m (Box2D's skins?)", lambda f: -_SKINS * 1.01 <= f.separation <= 0.0),
    ("size", "the gap is at most 0.02 m (Box2D's skins?)", lambda f: 0.0 < f.separation <= _SKINS * 1.01),
)
"""Hypotheses about a pair; of each group the best one is reported."""


def _off(f: _Facts, given: float, right: float, by: float) -> bool:
    return by > 0.0 and math.isclose(abs(given - right), by, rel_tol=_NEAR, abs_tol=_NEAR * f.pair.scale * 1e-3)


def _is(given: float, other: float) -> bool:
    return math.isclose(given, other, rel_tol=_NEAR, abs_tol=1e-12)


def _answers(failure: Failure, f: _Facts) -> list[str]:
    """Return the hypotheses about an answer that hold."""
    keys, kind = failure.reply.keys, failure.fault.reason
    found: list[tuple[str, bool]] = []
    depth, right = keys.get("depth"), max(0.0, -f.separation)
    nx, ny = keys.get("normal") or (0.0, 0.0)
    length = math.hypot(nx, ny)
    if kind in ("wrong_depth", "wrong_distance"):
        word = "depth" if kind == "wrong_depth" else "distance"
        given = keys[word]
        right = right if word == "depth" else f.separation
        middles = math.hypot(*f.between_middles)
        found += [
            (f"{word} off by A's radius", _off(f, given, right, f.radius_a)),
            (f"{word} off by B's radius", _off(f, given, right, f.radius_b)),
            (f"{word} off by both radii", min(f.radius_a, f.radius_b) > 0.0 and _off(f, given, right, f.radius_a + f.radius_b)),
            (f"{word} negative, its size right", given < 0.0 and _is(-given, right)),
            (f"{word} twice the right one", _is(given, 2.0 * right)),
            (f"{word} half the right one", _is(given, 0.5 * right)),
            (f"{word} 0", given == 0.0),
            (f"{word} is that of the centers", right > 0.0 and _is(given, middles)),
            (f"{word} squared", _is(given, right * right)),
            (f"{word} times the length of an edge", any(_is(given, right * edge) for edge in f.lengths if not _is(edge, 1.0))),
        ]
    if kind == "wrong_depth" and depth is not None and length > 0.0:
        along = -f.along(nx, ny)
        is_own = not _is(along, right)
        found += [
            ("depth right for the given normal, which is not the best", is_own and _is(depth, along)),
            ("depth along the normal is multiplied by its length", not _is(length, 1.0) and _is(depth, along * length)),
        ]
    if kind == "wrong_distance":
        found.append(("distance is the gap along an edge: corners are not tried", _is(keys["distance"], max(f.best[:2]))))
    if kind == "wrong_normal" and length > 0.0:
        along = f.along(nx, ny)
        x, y = f.between_middles
        aligned = abs(x * ny - y * nx) <= _NEAR * math.hypot(x, y) * length
        found += [
            ("normal wrong, depth right", depth is not None and _is(depth, right)),
            ("normal from center to center", aligned),
            (
                "normal turned by 90°",
                max(f.along(-ny, nx), f.along(ny, -nx)) >= f.separation - _NEAR * f.pair.scale,
            ),
            ("normal is A's best edge, B's is better", f.is_best(1) and _is(along, f.best[0])),
            ("normal is B's best edge, A's is better", f.is_best(0) and _is(along, f.best[1])),
        ]
    if kind == "reversed_normal":
        found.append(("depth right", depth is not None and _is(depth, right)))
    if kind == "not_unit_normal":
        found.append(("its length is that of an edge", any(_is(length, edge) for edge in f.lengths)))
    return [text for text, holds in found if holds]


def causes(failures: Sequence[Failure], right: Sequence[PlainPair]) -> list[Cause]:
    """Return what failures of one kind have in common, the likeliest first; empty for fewer than three.

    Parameters
    ----------
    right : sequence of PlainPair
        Pairs that could have failed in the same way, and did not.
    """
    n = len(failures)
    if n < _FEWEST:
        return []
    places = Counter(failure.reply.where for failure in failures if failure.reply.where)
    facts, passed = [_Facts(failure.pair) for failure in failures], [_Facts(pair) for pair in right]
    answers = Counter(text for failure, f in zip(failures, facts, strict=True) for text in _answers(failure, f))
    found = [*(Cause(f"it fails at {where},", k, n) for where, k in places.items()), *(Cause(text, k, n) for text, k in answers.items())]
    found += _constant(failures, facts)
    if not passed and failures[0].fault.reason in _ALWAYS:
        found.append(Cause(_ALWAYS[failures[0].fault.reason], n, n))
    best: dict[str, Cause] = {}
    for group, text, holds in _PAIRS if passed else ():
        k = sum(map(holds, facts))
        if k >= _MIN_SHARE * n:
            cause = Cause(text, k, n, sum(map(holds, passed)) / len(passed))
            if group not in best or cause.score > best[group].score:
                best[group] = cause
    found += best.values()
    return sorted((cause for cause in found if cause.score >= _MIN_SCORE), key=lambda cause: -cause.score)[:_MOST]


def _constant(failures: Sequence[Failure], facts: Sequence[_Facts]) -> list[Cause]:
    """Return the error that most depths or distances share, if it is no radius."""
    kind = failures[0].fault.reason
    if kind not in ("wrong_depth", "wrong_distance"):
        return []
    word, sign = ("depth", -1.0) if kind == "wrong_depth" else ("distance", 1.0)
    errors = Counter(float(f"{failure.reply.keys[word] - sign * f.separation:.3g}") for failure, f in zip(failures, facts, strict=True))
    ((error, k),) = errors.most_common(1)
    if k < _FEWEST:
        return []
    skins = ": Box2D's skins?" if abs(error) in (0.5 * _SKINS, _SKINS) else ""
    return [Cause(f"{word} off by {error:+g} m{skins}", k, len(failures))]
