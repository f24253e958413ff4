"""Both answers to a single pair, in words and points, and the referee's verdict, as `compare` computes for millions.

Box2D computes in float32, so both sides get the pair with its numbers rounded to float32 and with the skins that Box2D adds. A pair that
Box2D cannot represent, or a query that it does not answer, is computed by our algorithms alone, unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.notebook import Shown
from engine.compare.pair.file import Pair
from engine.compare.pair.held import NotForBox2DError, held
from engine.compare.questions.answer import Answer
from engine.compare.questions.registry import QUESTIONS

__all__ = ["Answer", "PairAnswers", "ask"]


@dataclass(frozen=True, slots=True)
class PairAnswers(Shown):
    """Both answers to a pair, which is rounded and has Box2D's skins, and the verdict on their difference.

    `verdict` is "agree", "explained", "unexplained", or "not judged" if there is no answer of Box2D; `evidence` then has the reason.
    """

    pair: Pair
    ours: Answer
    box2d: Answer | None
    verdict: str
    reason: str = ""
    size: float = 0.0
    evidence: str = ""


def ask(pair: Pair) -> PairAnswers:
    """Compute both answers to a pair, and judge them.

    Raises
    ------
    InvalidInputError
        The pair is too far from the origin for both.
    """
    question = QUESTIONS[pair.query]
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
