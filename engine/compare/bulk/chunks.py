"""One question about one chunk of cases: the verdicts, counted in all and by kind, with examples."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from engine.compare.bulk.tally import KEPT_UNEXPLAINED, Example, Examples, KindTally, QueryTally, histogram
from engine.compare.questions.chunk import Chunk
from engine.compare.questions.question import Question

__all__ = ["tally_of"]


def tally_of(question: Question[Any, Any, Any, Any], work: Chunk) -> QueryTally:
    """Ask a question about a chunk, judge the answers, and count the verdicts.

    ``seconds`` has what making cases, our answers and Box2D's took; the rest of the time went into judging.
    """
    cases_before, started = work.case_seconds, time.perf_counter()
    cases = work.prepare(lambda: question.cases(work))
    box2d, box2d_seconds = work.prepare(lambda: question.box2d(cases))
    work.case_seconds -= box2d_seconds  # what surrounds Box2D's calls is preparation
    columns = work.prepare(lambda: question.columns(cases))
    asked = time.perf_counter()
    ours = question.ours(columns)
    our_seconds = time.perf_counter() - asked
    verdicts = question.judge(columns, box2d, ours)
    names, kind, is_random = question.names, question.kind(work, cases), question.is_random(work, cases)
    tally = QueryTally(verdicts.n_pairs, verdicts.n_touching)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.maxima, tally.wrong = verdicts.maxima, question.wrong
    counts, touches = np.bincount(kind, minlength=len(names)), np.bincount(kind[verdicts.is_touching], minlength=len(names))
    for name, n, n_touching in zip(names, counts.tolist(), touches.tolist(), strict=True):
        if n:
            tally.kinds[name] = KindTally(n, n_touching)
    if is_random is not None:
        tally.random = KindTally(int(is_random.sum()), int((is_random & verdicts.is_touching).sum()))

    by_reason: dict[str, list[Example]] = {}
    for difference in sorted(verdicts.differences, key=lambda difference: difference.row):
        name, is_plain = names[int(kind[difference.row])], is_random is not None and bool(is_random[difference.row])
        for part in (tally, tally.kinds[name], *([tally.random] if tally.random is not None and is_plain else [])):
            part.note(difference.reason, difference.size)
        example = Example(work.chunk, difference.row, difference.reason, difference.size, difference.evidence, name, is_random=is_plain)
        by_reason.setdefault(difference.reason, []).append(example)

    def shown(example: Example) -> Example:
        return replace(example, shown=question.shown(work, cases, ours, box2d, example.row))

    for reason, examples in by_reason.items():
        tally.examples[reason] = Examples.of([shown(example) for example in Examples.of(examples)])
    errors = {**verdicts.errors, **{reason: np.array([example.size for example in examples]) for reason, examples in by_reason.items()}}
    tally.histograms = {name: histogram(values) for name, values in errors.items()}
    tally.unexplained_pairs = [shown(example) for example in by_reason.get("unexplained", ())[:KEPT_UNEXPLAINED]]
    tally.seconds.update(ours=our_seconds, box2d=box2d_seconds, cases=work.case_seconds - cases_before)
    tally.seconds["judging"] = time.perf_counter() - started - sum(tally.seconds.values())
    return tally
