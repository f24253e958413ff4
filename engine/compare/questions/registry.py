"""All questions by name, in the order in which they are computed and printed."""

from __future__ import annotations

from typing import Any

from engine.compare.questions.aabb import AABBQuestion
from engine.compare.questions.box_pairs import BoxPairsQuestion
from engine.compare.questions.contact import ManifoldQuestion, OverlapQuestion
from engine.compare.questions.distance import DistanceQuestion
from engine.compare.questions.hull import HullQuestion
from engine.compare.questions.mass import MassQuestion
from engine.compare.questions.question import PairQuestion, Question
from engine.compare.questions.ray_cast import ContainsQuestion, RayCastQuestion
from engine.compare.questions.time_of_impact import TimeOfImpactQuestion

__all__ = ["PAIR_QUESTIONS", "QUESTIONS"]

PAIR_QUESTIONS: dict[str, PairQuestion[Any, Any, Any]] = {
    "manifold": ManifoldQuestion(),
    "overlap": OverlapQuestion(),
    "distance": DistanceQuestion(),
    "toi": TimeOfImpactQuestion(),
    "ray_cast": RayCastQuestion(),
    "contains": ContainsQuestion(),
}
"""Questions about a pair, by the query of the pair."""

QUESTIONS: dict[str, Question[Any, Any, Any, Any]] = {
    **PAIR_QUESTIONS,
    "aabb": AABBQuestion(),
    "mass": MassQuestion(),
    "hull": HullQuestion(),
    "pairs": BoxPairsQuestion(),
}
