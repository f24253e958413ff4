"""One pair asked of both sides, each answer in words and points, and the referee's verdict: what `compare` does with millions.

Box2D computes in float32, so both sides are asked about the pair with its numbers rounded to float32, and with the skins that Box2D adds.
What Box2D cannot hold, or does not answer, is asked of our algorithms alone, unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.notebook import Shown
from engine.compare.pair.file import Pair
from engine.compare.pair.held import NotForBox2DError, held
from engine.compare.questions.answer import Answer
from engine.compare.questions.registry import PAIR_QUESTIONS

__all__ = ["Answer", "PairAnswers", "ask"]


@dataclass(frozen=True, slots=True)
class PairAnswers(Shown):
    """Both answers to a pair as both were asked, rounded and with Box2D's skins, and the verdict on a difference.

    `verdict` is "agree", "explained", "unexplained" or "not judged": then Box2D was not asked, `box2d` is None, and `evidence` says why.
    """

    pair: Pair
    ours: Answer
    box2d: Answer | None
    verdict: str
    reason: str = ""
    size: float = 0.0
    evidence: str = ""


def ask(pair: Pair) -> PairAnswers:
    """Ask both, and judge.

    Raises
    ------
    InvalidInputError
        The pair lies farther out than either can compute.
    """
    question = PAIR_QUESTIONS[pair.query]
    try:
        cases, rounded = question.from_pair(held(pair))
    except NotForBox2DError as refusal:
        return PairAnswers(pair, question.ours_alone(pair), None, "not judged", evidence=refusal.why)
    columns, (box2d, _) = question.columns(cases), question.box2d(cases)
    ours = question.ours(columns)
    both = question.answers(rounded, cases, ours, box2d)
    differences = question.judge(columns, box2d, ours).differences
    if not differences:
        return PairAnswers(rounded, *both, "agree")
    reason, size, evidence = differences[0]
    return PairAnswers(rounded, *both, "unexplained" if reason == "unexplained" else "explained", reason, size, evidence)
