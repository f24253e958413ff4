"""Decides whether an answer is correct, and if not, how it is wrong.

Most answers are right, and our float64 answer proves that quickly, because its error is less than the allowed one. Otherwise
`engine.check.truth` judges the answer, so that only exact arithmetic rejects an answer.

    contact         missed if there is none although the shapes overlap by more than allowed; false if they are farther apart
    normal          right if the separation along it is the largest within the allowed error; several directions can be
                    equally good, and any of them is right
    depth           the magnitude of the largest separation
    points          common points of both shapes, or points between the two surfaces along a right normal
    distance        the largest separation; from -depth to 0 if the shapes overlap
    point_a, _b     on A and on B, and the distance apart
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from engine.check.allowances import SURE_ROUNDING, UNIT_LENGTH, rounding
from engine.check.plain import PlainPair, core_of
from engine.check.truth import Direction, Truth, direction_of, is_between, is_in, support_separation, unit
from engine.contracts.agreement import Verdict

__all__ = ["Reply", "Settled", "judge"]


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply to a call: `said` is ``answer``, or a kind of fault: ``wrong_type``, ``raised``, ``too_slow``, ``crashed``.

    An answer has `contact` (for a distance, True if it is 0 or less), the `keys` that are judged, and `unknown` other keys. A fault has a
    `message`, and for an exception `where`, the line of the function's file. `printed` counts characters. `is_repeatable` is False if the
    same call gave a different answer the second time.
    """

    said: str
    contact: bool = False
    keys: dict[str, Any] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    message: str = ""
    where: str = ""
    seconds: float = 0.0
    printed: int = 0
    is_repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """Our own float64 answer: signed separation, and a unit normal or None."""

    separation: float
    normal: tuple[float, float] | None


def judge(query: str, pair: PlainPair, reply: Reply, tolerance: float, ours: Settled | None = None) -> list[Verdict]:
    """Return a verdict on each fault of a reply: its kind, its size (0 if it has none), and the given and the right value in words; empty
    if the reply is right.

    Parameters
    ----------
    query : str
        One of `engine.check.kinds.QUERIES`.
    tolerance : float
        Meters, added to the rounding of float64.
    ours : Settled, optional
        Avoids exact arithmetic if an answer is right.
    """
    if reply.said != "answer":
        return [Verdict(reply.said, 0.0, reply.message + (f" ({reply.where})" if reply.where else ""))]
    faults = [] if reply.is_repeatable else [Verdict("not_repeatable", 0.0, "the same pair gave a different answer the second time")]
    if ours is not None and _is_surely_right(query, pair, reply, tolerance + SURE_ROUNDING * rounding(pair.scale), ours):
        return faults
    allowed = tolerance + rounding(pair.scale)
    return faults + (_distance_faults if query == "distance" else _contact_faults)(pair, reply, allowed)


# --- by our own answer, which can only confirm an answer


def _is_surely_right(query: str, pair: PlainPair, reply: Reply, slack: float, ours: Settled) -> bool:
    separation, keys = ours.separation, reply.keys
    if query == "distance":
        distance = keys["distance"]
        if separation > slack:
            is_right = abs(distance - separation) <= slack
        else:
            is_right = separation - slack <= distance <= slack
        if not is_right or len(keys) == 1:
            return bool(is_right)
        return separation <= -slack  # nothing more is judged if they overlap; otherwise exactly
    if (separation < -slack and not reply.contact) or (separation > slack and reply.contact):
        return False
    if not reply.contact or not keys:
        return True
    if "depth" in keys and abs(keys["depth"] - max(0.0, -separation)) > slack:
        return False
    normal = keys.get("normal")
    if normal is not None:
        length = math.hypot(*normal)
        if abs(length - 1.0) > UNIT_LENGTH:
            return False
        normal = normal[0] / length, normal[1] / length
        if support_separation(pair, *normal) < separation - slack:
            return False
    if "points" in keys:
        along = normal if normal is not None else ours.normal
        points = keys["points"]
        return along is not None and bool(points) and all(is_between(pair, x, y, along[0], along[1], slack) for x, y in points)
    return True


# --- by exact arithmetic


def _contact_faults(pair: PlainPair, reply: Reply, allowed: float) -> list[Verdict]:
    truth = Truth(pair)
    separation = float(truth.separation)
    if not reply.contact:
        if truth.separation >= -Fraction(allowed):
            return []
        return [Verdict("missed_overlap", -separation, f"no contact, but they overlap by {_m(-separation)}")]
    if truth.separation > Fraction(allowed):
        return [Verdict("false_overlap", separation, f"contact, but there is a gap of {_m(separation)}")]
    faults: list[Verdict] = []
    directions = truth.best(allowed)
    normal = reply.keys.get("normal")
    if normal is not None:
        normal_faults, is_right = _normal_fault(truth, normal, allowed, directions)
        faults += normal_faults
        direction = direction_of(*normal)
        if is_right and direction is not None:
            directions = [direction, *directions]
    depth = reply.keys.get("depth")
    right_depth = max(0.0, -separation)
    if depth is not None and abs(Fraction(depth) - max(Fraction(0), -truth.separation)) > Fraction(allowed):
        more = " (it must not be negative)" if depth < 0.0 else ""
        faults.append(
            Verdict("wrong_depth", abs(depth - right_depth), f"depth {_m(depth)}, but the correct depth is {_m(right_depth)}{more}")
        )
    if "points" in reply.keys:
        faults += _point_faults(pair, reply.keys["points"], directions, allowed)
    return faults


def _normal_fault(truth: Truth, normal: list[float], allowed: float, directions: list[Direction]) -> tuple[list[Verdict], bool]:
    """Return the fault of a normal, if any, and whether its direction is right."""
    length = math.hypot(*normal)
    direction = direction_of(*normal)
    if direction is None:
        return [Verdict("not_unit_normal", 1.0, "normal (0, 0)")], False
    faults = []
    if not abs(length - 1.0) <= UNIT_LENGTH:
        faults.append(Verdict("not_unit_normal", min(abs(length - 1.0), 1e300), f"the normal's length is {length:.6g}"))
    least = truth.separation - Fraction(allowed)
    if truth.along(direction) >= least:
        return faults, True
    if truth.along((-direction[0], -direction[1])) >= least:
        turned = _v(unit((-direction[0], -direction[1])))
        faults.append(
            Verdict("reversed_normal", max(0.0, -float(truth.separation)), f"normal {_v(normal)}, but the correct normal is {turned}")
        )
        return faults, False
    theirs = unit(direction)
    angle, nearest = min((_angle(theirs, unit(candidate)), unit(candidate)) for candidate in directions)
    depth, least_depth = -float(truth.along(direction)), -float(truth.separation)
    message = f"normal {_v(normal)} is {math.degrees(angle):.3g}° off {_v(nearest)}: "
    message += f"along it they overlap by {_m(depth)}, but the smallest overlap is {_m(least_depth)}"
    faults.append(Verdict("wrong_normal", math.degrees(angle), message))
    return faults, False


def _point_faults(pair: PlainPair, points: list[list[float]], directions: list[Direction], allowed: float) -> list[Verdict]:
    if not points:
        return [Verdict("wrong_points", 0.0, "contact, but no points")]
    slack = Fraction(allowed)
    (core_a, _), (core_b, _) = core_of(pair.a), core_of(pair.b)
    is_concentric = len(core_a) == len(core_b) == 1 and math.dist(core_a[0], core_b[0]) <= allowed
    for x, y in points:
        fx, fy = Fraction(x), Fraction(y)
        tried = directions
        if is_concentric:  # any direction is right, so use the one through the point
            through = direction_of(x - core_a[0][0], y - core_a[0][1])
            tried = [*directions, *([] if through is None else [through, (-through[0], -through[1])])]
        if not any(is_between(pair, fx, fy, dx, dy, slack, Fraction) for dx, dy in tried):
            return [
                Verdict("wrong_points", 0.0, f"point {_v((x, y))} is neither in both shapes nor between their surfaces along the normal")
            ]
    return []


def _distance_faults(pair: PlainPair, reply: Reply, allowed: float) -> list[Verdict]:
    truth = Truth(pair, with_corners=True)
    separation, slack = float(truth.separation), Fraction(allowed)
    distance = reply.keys["distance"]
    if truth.separation < -slack:
        if distance > allowed:
            return [Verdict("missed_overlap", -separation, f"distance {_m(distance)}, but they overlap by {_m(-separation)}")]
        if Fraction(distance) < truth.separation - slack:
            message = f"distance {_m(distance)}, but they overlap, so it must be from {_m(separation)} to 0"
            return [Verdict("wrong_distance", separation - distance, message)]
        return []
    if truth.separation > slack and distance <= 0.0:
        return [Verdict("false_overlap", separation, f"distance {_m(distance)}, but there is a gap of {_m(separation)}")]
    faults = []
    if abs(Fraction(distance) - truth.separation) > slack:
        faults.append(
            Verdict("wrong_distance", abs(distance - separation), f"distance {_m(distance)}, but the correct distance is {_m(separation)}")
        )
    if truth.separation <= slack:
        return faults  # at a touch, points and normal depend on rounding
    normal = reply.keys.get("normal")
    if normal is not None:
        faults += _normal_fault(truth, normal, allowed, truth.best(allowed))[0]
    ends = [reply.keys.get("point_a"), reply.keys.get("point_b")]
    for name, end, shape in zip(("point_a", "point_b"), ends, (pair.a, pair.b), strict=True):
        if end is not None and not is_in(shape, end, slack):
            faults.append(Verdict("wrong_points", 0.0, f"{name} {_v(end)} is not on {name[-1].upper()}"))
            return faults
    if ends[0] is not None and ends[1] is not None and math.dist(ends[0], ends[1]) > separation + 2.0 * allowed:
        message = f"point_a and point_b are {_m(math.dist(ends[0], ends[1]))} apart, but the nearest points are {_m(separation)} apart"
        faults.append(Verdict("wrong_points", 0.0, message))
    return faults


def _angle(a: tuple[float, float], b: tuple[float, float]) -> float:
    return abs(math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]))


def _m(value: float) -> str:
    return f"{value:.4g} m"


def _v(vector: Any) -> str:
    return f"({vector[0] + 0.0:.4g}, {vector[1] + 0.0:.4g})"  # avoid -0
