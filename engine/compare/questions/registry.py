"""All questions by name, in the order in which they are computed and printed: each is about a pair, and its name is the pair's query."""

from __future__ import annotations

from typing import Any

from engine.compare.questions.contact import ManifoldQuestion, OverlapQuestion
from engine.compare.questions.distance import DistanceQuestion
from engine.compare.questions.question import Question
from engine.compare.questions.ray_cast import ContainsQuestion, RayCastQuestion
from engine.compare.questions.time_of_impact import TimeOfImpactQuestion

__all__ = ["QUESTIONS"]

QUESTIONS: dict[str, Question[Any, Any, Any]] = {
    "manifold": ManifoldQuestion(),
    "overlap": OverlapQuestion(),
    "distance": DistanceQuestion(),
    "toi": TimeOfImpactQuestion(),
    "ray_cast": RayCastQuestion(),
    "contains": ContainsQuestion(),
}
