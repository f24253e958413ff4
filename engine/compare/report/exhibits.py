"""Prepares the examples of a run for its report: each is recomputed alone, drawn and given a file name; unexplained pairs are shrunk.

An example shows the result of `ask` for the pair alone, so that `run --pair FILE` shows the same.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.common.errors import LabError
from engine.common.installation import program
from engine.compare.bulk.comparison import QUERIES, Tally
from engine.compare.bulk.tally import Example
from engine.compare.cases import PAIR_KINDS
from engine.compare.pair.answers import PairAnswers, ask
from engine.compare.pair.file import Pair, Provenance
from engine.compare.pair.shrink import Shrunk, corner_count, shrink
from engine.contracts.agreement import REASONS

__all__ = ["Exhibit", "Run", "exhibits"]

SHRINK_SECONDS = 60.0
"""Time limit for shrinking all unexplained pairs of a run; each pair gets at most a tenth of it."""

_VISIBLE = 0.1
"""Minimum share of the size of the difference that the small pair keeps, so that it does not end in a tie of size 0."""


@dataclass(frozen=True, slots=True)
class Run:
    """Request of a run: pairs for each query, the seed, queries, kinds of pairs."""

    pairs: int
    seed: int
    queries: tuple[str, ...] = QUERIES
    kinds: tuple[str, ...] = PAIR_KINDS

    def command(self, query: str | None = None, place: Provenance | None = None) -> str:
        """Return the command that repeats the run, or one query up to a place in the sequence."""
        pairs, queries = self.pairs, self.queries if query is None else (query,)
        if place is not None:
            pairs = min(self.pairs, place.number + 1)
        words = [*program().split(), "compare", "--pairs", str(pairs), "--seed", str(self.seed)]
        if queries != QUERIES:
            words += ["--queries", ",".join(queries)]
        if self.kinds != PAIR_KINDS:
            words += ["--kinds", ",".join(self.kinds)]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A prepared example.

    `role` says what it is an example of; `name` is that of its files, without an extension. `pair` is the pair to save; `answers` are the
    answers for it alone. For a shrunk unexplained pair, `shrunk` is the result of shrinking and `pair` the shrunk pair. `drawings` are SVG;
    `remark` is an additional note, such as that the pair alone does not differ; `command` reproduces the example from the sequence.
    """

    query: str
    role: str
    name: str
    example: Example
    pair: Pair | None
    answers: PairAnswers | None
    drawings: tuple[str, ...]
    shrunk: Shrunk | None
    remark: str
    command: str


def exhibits(total: Tally, run: Run, seconds: float = SHRINK_SECONDS) -> Iterator[Exhibit]:
    """Yield the examples of each query, with its reasons by frequency; unexplained pairs come first, shrunk.

    Ctrl-C ends the shrinking but not the report: the remaining pairs are shown unshrunk.
    """
    shrinker = _Shrinker(seconds)
    for query, tally in total.queries.items():
        for number, example in enumerate(tally.unexplained_pairs, 1):
            yield _exhibit(query, example, f"unexplained pair {number}", f"{query}-unexplained-{number}", run, shrinker)
        for reason, _ in sorted(tally.explained.items(), key=lambda item: (-item[1], item[0])):
            chosen = tally.examples[reason]
            for number, example in enumerate(chosen, 1):
                yield _exhibit(query, example, chosen.role(example), f"{query}-{reason}-{number}", run, None)


def _exhibit(query: str, example: Example, role: str, name: str, run: Run, shrinker: _Shrinker | None) -> Exhibit:
    from engine.compare.report.picture import pair_svgs

    shown, title = example.shown, f"{query}, {REASONS[example.verdict.reason].name}: {role}"
    command = run.command(query, example.place)
    if shown is None:
        return Exhibit(query, role, name, example, None, None, (), None, "", command)
    pair, shrunk, remark = replace(shown, provenance=example.place), None, ""
    answers = _answers_alone(pair)
    if shrinker is not None and answers is not None:
        shrunk, remark = shrinker.shrunk(pair, answers)
        if shrunk is not None:
            pair = replace(shrunk.pair, provenance=example.place)
            answers = _answers_alone(pair)
    if answers is not None and answers.reason != example.verdict.reason and not remark:
        remark = f"Tested alone, this pair has the verdict: {answers.reason or answers.verdict}."
    note = f"{title}{'; shrunk' if shrunk is not None else ''}; found by: {command}"
    drawings = tuple(pair_svgs(answers, title)) if answers is not None else ()
    return Exhibit(query, role, name, example, replace(pair, note=note), answers, drawings, shrunk, remark, command)


class _Shrinker:
    """Shrinks pairs until the total time limit or Ctrl-C."""

    def __init__(self, seconds: float) -> None:
        self._each, self._end = 0.1 * seconds, time.monotonic() + seconds

    def shrunk(self, pair: Pair, answers: PairAnswers) -> tuple[Shrunk | None, str]:
        """Return the shrunk pair, or None and the reason."""
        if answers.verdict != "unexplained":
            note = answers.reason or answers.verdict
            return None, f"Tested alone, this pair is not unexplained but {note}: its result depends on the rest of the run."
        left = min(self._each, self._end - time.monotonic())
        if left <= 0.0:
            return None, "Not shrunk, because there was no time left."

        def differs(other: Pair) -> bool:
            other_answers = _answers_alone(other)
            return other_answers is not None and other_answers.verdict == "unexplained" and other_answers.size >= _VISIBLE * answers.size

        def first_differing(pairs: list[Pair]) -> Pair | None:
            return next(filter(differs, pairs), None)

        try:
            shrunk = shrink(pair, first_differing, left)
        except KeyboardInterrupt:
            self._end = 0.0
            return None, "Not shrunk, because the run was interrupted."
        note = f"Shrunk from {corner_count(pair)} corners to {corner_count(shrunk.pair)}, in {shrunk.n_tries:,} tries"
        return shrunk, note + ("." if shrunk.is_whole else ", when the time ran out.")


def _answers_alone(pair: Pair) -> PairAnswers | None:
    try:
        return ask(pair)
    except LabError:  # too far from the origin for both
        return None
