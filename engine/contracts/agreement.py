"""What the live referee says of one step."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Difference", "StepAgreement"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One pair on which Box2D and we differ, as a viewer needs it: where, how much, why.

    `reason` is one of the referee's reasons, or "unexplained"; `size` is the largest difference of a point or, where
    the axes differ, Box2D's excess depth, metres; `evidence` says in one sentence what was shown.
    """

    fixture_a: int
    fixture_b: int
    position: tuple[float, float]
    box2d_normal: tuple[float, float]
    ours_normal: tuple[float, float] | None
    reason: str
    size: float
    evidence: str


@dataclass(frozen=True, slots=True)
class StepAgreement:
    """Counts of one step's manifolds: compared = agree + explained + unexplained."""

    compared: int = 0
    agree: int = 0
    explained: int = 0
    unexplained: int = 0
    max_point_error: float = 0.0
    differences: tuple[Difference, ...] = ()
