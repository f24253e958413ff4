"""``run --pair FILE``: one pair, both answers, in the window or headless."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.app.files import write_atomically
from engine.cli.output import load_referee, people, warming, write_json
from engine.common.errors import LabError
from engine.compare.pair.file import Pair, pair_as_json

if TYPE_CHECKING:
    from engine.compare.pair.answers import PairAnswers
    from engine.sim.demo import Demo

__all__ = ["answers_as_json", "run_pair_headless"]


def run_pair_headless(pair: Pair, kind: type[Demo], values: dict[str, float], screenshot: str | None, json_file: str | None) -> int:
    """Ask both once, print and write what was asked for; 1 if the difference stays unexplained."""
    from engine.app.headless import picture_of
    from engine.compare.pair.answers import ask

    referee = load_referee()
    with warming():
        try:
            answers = ask(pair)
        except LabError as error:
            raise LabError(f"the pair cannot be computed: {error}") from None
    if screenshot is not None:
        write_atomically(screenshot, picture_of(kind(0, values, referee)))
    write_json(json_file, answers_as_json(pair, answers))
    out = people(json_file)
    out.print(f"[bold]{pair.query}[/bold]: {answers.verdict}" + (f", {answers.reason}" if answers.reason else ""))
    out.print(f"  ours   {answers.ours.words}")
    out.print(f"  Box2D  {answers.box2d.words if answers.box2d is not None else 'not asked'}")
    if answers.evidence:
        out.print(f"  {answers.evidence}", markup=False)
    return 1 if answers.verdict == "unexplained" else 0


def answers_as_json(pair: Pair, answers: PairAnswers) -> dict[str, Any]:
    """Return both answers as plain data, with the pair as it was given."""
    return {
        "pair": pair_as_json(pair),
        "verdict": answers.verdict,
        "reason": answers.reason,
        "size": answers.size,
        "evidence": answers.evidence,
        "ours": asdict(answers.ours),
        "box2d": asdict(answers.box2d) if answers.box2d is not None else None,
    }
