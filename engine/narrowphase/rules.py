"""The two rules by which a manifold chooses its axis."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from engine.common.arrays import IntArray
from engine.common.checks import choice
from engine.common.errors import InvalidInputError
from engine.geometry.kinds import CAPSULE, SEGMENT
from engine.narrowphase.packing import PackedShapes

__all__ = ["BOX2D", "EXACT", "Rule", "check_rule", "rule_number"]

Rule: TypeAlias = Literal["exact", "box2d"]

EXACT = 0
"""The kernels' integer for the true minimum-penetration axis."""

BOX2D = 1
"""The kernels' integer for the choice of Box2D 2.3.0."""


def rule_number(rule: str) -> int:
    """Return the kernel's integer for a rule's name.

    Raises
    ------
    InvalidInputError
        There is no such rule.
    """
    return {"exact": EXACT, "box2d": BOX2D}[choice("rule", rule, ("exact", "box2d"))]


def check_rule(rule: str, shapes: PackedShapes, pairs: IntArray) -> int:
    """Return the kernel's integer for a rule's name, if the rule supports all `pairs` (n, 2) of shapes.

    Raises
    ------
    InvalidInputError
        The name is unknown, or "box2d" for pairs that Box2D 2.3.0 does not collide: with capsules, two segments, or a segment of zero
        length.
    """
    number = rule_number(rule)
    if number == BOX2D:
        is_capsule, is_segment = shapes.kind == CAPSULE, shapes.kind == SEGMENT
        unknown = (
            (is_capsule[pairs].any(axis=1), "for a pair with a capsule, which Box2D does not have"),
            (is_segment[pairs].all(axis=1), "for two segments, which Box2D does not collide"),
            ((is_segment & (shapes.n_vertices == 1))[pairs].any(axis=1), "for a segment of zero length, by which Box2D divides"),
        )
        for rows, why in unknown:
            if rows.any():
                at = "" if len(pairs) == 1 else f" (pairs[{int(np.flatnonzero(rows)[0])}])"
                raise InvalidInputError("rule", f"'exact' {why}{at}", rule)
    return number
