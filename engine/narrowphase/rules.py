"""The two rules by which a manifold chooses its axis."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.common.checks import choice

__all__ = ["BOX2D", "EXACT", "Rule", "rule_number"]

Rule: TypeAlias = Literal["exact", "box2d"]

EXACT = 0
"""True minimum-penetration axis, as the kernels know it."""

BOX2D = 1
"""The choice of Box2D 2.3.0, as the kernels know it."""


def rule_number(rule: str) -> int:
    """Return the kernel's integer for a rule's name.

    Raises
    ------
    InvalidInputError
        Another name.
    """
    return {"exact": EXACT, "box2d": BOX2D}[choice("rule", rule, ("exact", "box2d"))]
