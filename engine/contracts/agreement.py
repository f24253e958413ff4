"""The live referee's results for one step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["REASONS", "Difference", "PairAgreement", "Reason", "StepAgreement", "Verdict"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why Box2D and we differ, with a name and a sentence that says what happened and which answer is right."""

    name: str
    sentence: str


REASONS: dict[str, Reason] = {
    "float32_tie": Reason("float32 tie", "float32 cannot distinguish two answers, and each engine chose a different one. Both are right."),
    "face_preference": Reason("face preference", "Box2D prefers A's face even if B's is slightly better. Our depth is smaller."),
    "local_maximum": Reason("local maximum", "Box2D's search stopped before the best axis. Our depth is smaller."),
    "skin": Reason("skin", "Only the rounded skins touch. Along Box2D's axis the gap looks smaller than it is; our axis is right."),
    "edge_end": Reason("edge's end", "Box2D clips contacts at the edge's end; we clip them one skin beyond it. Both are right."),
    "chain_normal": Reason(
        "chain normal", "Box2D's normal is outside the chain's range there, or belongs to the chain's other side. Our normal is right."
    ),
    "toi_missed": Reason(
        "missed touch", "The shapes touched and separated within the step, and Box2D missed it. Our result is the first contact."
    ),
    "graze": Reason("graze", "The shapes pass each other within Box2D's tolerance for contact. Both are right."),
    "gave_up": Reason(
        "gave up", "b2TimeOfImpact ran out of iterations and reported failure. Our result is the first contact, or correctly reports none."
    ),
    "starts_inside": Reason("starts inside", "The ray starts inside the shape. Box2D reports no hit; we report one at the start."),
    "short_ray": Reason("short ray", "Box2D's circles ignore rays shorter than 0.35 mm. Our hit is right."),
    "local_normal": Reason("local normal", "Box2D gives an edge's normal in the edge's own frame; we give it in the world frame."),
    "fat_box": Reason("fat box", "Box2D's boxes are 0.1 m wider and extended along the motion. The tight boxes are apart."),
    "not_asked": Reason(
        "not asked", "Box2D creates no contact for a pair whose collision was once disabled. The two do touch, as we report."
    ),
    "unexplained": Reason("unexplained", "Neither answer could be proved. This is most likely a bug in our code. Please report it."),
}
"""All reasons of the referee. docs/referee.md has a section on each; `engine.compare.questions` assigns and proves them."""


class Verdict(NamedTuple):
    """Why two answers differ.

    Attributes
    ----------
    reason : str
        One of `REASONS`; for a user's function one of `engine.check.kinds.KINDS`.
    size : float
        How far the answers are apart, meters unless the reason has another unit.
    evidence : str
        One sentence that says what has been proved, or what is wrong.
    """

    reason: str
    size: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One pair on which Box2D and we differ. For a viewer, it records the location, size and reason.

    `reason` is one of the referee's reasons, or "unexplained"; `size`, meters, is the largest difference between corresponding points or,
    if the axes differ, the excess of Box2D's depth; `evidence` states in one sentence what has been proved.
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
    """Counts of the manifolds in one step, where compared = agree + explained + unexplained.

    `not_comparable` counts, by reason, contacts of a world driven by another solver that cannot be compared with Box2D: "capsule", "shape"
    (not representable in Box2D), "two_edges", "far" (float32 is too coarse at their position).
    """

    compared: int = 0
    agree: int = 0
    explained: int = 0
    unexplained: int = 0
    max_point_error: float = 0.0
    differences: tuple[Difference, ...] = ()
    not_comparable: Mapping[str, int] = field(default_factory=dict)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reason of each difference."""
        return tuple(difference.reason for difference in self.differences)

    def __add__(self, later: StepAgreement) -> StepAgreement:
        """Return the counts of both added up, with the differences of `later`."""
        return StepAgreement(
            self.compared + later.compared,
            self.agree + later.agree,
            self.explained + later.explained,
            self.unexplained + later.unexplained,
            max(self.max_point_error, later.max_point_error),
            later.differences,
            Counter(self.not_comparable) + Counter(later.not_comparable),
        )


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Pairs of fixtures that touch after one step, sensors included. `ours` are computed from the bodies alone; `box2d` are reported by
    Box2D.

    `agree` counts the pairs that both report; `explained` and `unexplained` count the pairs that only one reports. `differences` lists the
    pairs that only one reports, without normals.
    """

    ours: int = 0
    box2d: int = 0
    agree: int = 0
    explained: int = 0
    unexplained: int = 0
    differences: tuple[Difference, ...] = ()

    def __add__(self, later: PairAgreement) -> PairAgreement:
        """Return the counts of both added up, with the differences of `later`."""
        return PairAgreement(
            self.ours + later.ours,
            self.box2d + later.box2d,
            self.agree + later.agree,
            self.explained + later.explained,
            self.unexplained + later.unexplained,
            later.differences,
        )
