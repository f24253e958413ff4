"""What a trial found, as plain data: the JSON of the command, and pair files that can be opened again."""

from __future__ import annotations

import shlex
from typing import Any

from engine.check.allowances import DEFAULT_TOLERANCE
from engine.check.kinds import KINDS
from engine.check.plain import shape_of
from engine.check.runner import DEFAULT_TIME_LIMIT
from engine.check.trial import Finding, Tally, Task
from engine.check.verdicts import Reply
from engine.common.installation import program
from engine.compare.pair.file import Outsider, Pair, Provenance, pair_as_json

__all__ = ["as_json", "command_of", "name_of", "pair_of", "plain_answer"]


def as_json(tally: Tally) -> dict[str, Any]:
    """Return what is known of one function."""
    task = tally.task
    return {
        "file": str(task.path),
        "function": task.function,
        "query": task.query,
        "verdict": tally.verdict,
        "reason": tally.refused.message if tally.refused is not None else tally.gave_up,
        "pairs": tally.pairs,
        "touching": tally.touching,
        "right": tally.right,
        "wrong": tally.wrong,
        "kinds": {kind: tally.kinds[kind] for kind in KINDS if tally.kinds[kind]},
        "worst": {kind: tally.worst[kind] for kind in KINDS if tally.worst.get(kind)},
        "never_returned": list(tally.never_returned),
        "unknown_keys": dict(sorted(tally.unknown.items())),
        "printed_characters": tally.printed,
        "first": {finding.kind: _finding_json(task, finding) for finding in tally.findings},
    }


def name_of(task: Task) -> str:
    """Return ``FILE.py:FUNCTION``."""
    return f"{task.path}:{task.function}"


def command_of(task: Task, finding: Finding, pair_file: str | None = None) -> str:
    """Return the command that shows a failure again: on the pair of a file, or on the sequence up to the first failure."""
    words = [*program().split(), "check", name_of(task), "--query", task.query]
    if pair_file is not None and finding.is_alone:
        words += ["--pair", pair_file]
    elif finding.first.place is not None:
        words += ["--seed", str(task.seed), "--pairs", str(finding.first.place.number + 1)]
    if task.tolerance != DEFAULT_TOLERANCE:
        words += ["--tolerance", repr(task.tolerance)]
    if task.time_limit != DEFAULT_TIME_LIMIT:
        words += ["--time-limit", repr(task.time_limit)]
    return shlex.join(words)


def pair_of(task: Task, finding: Finding) -> Pair:
    """Return the small pair of a finding, with the function's answer, as `engine.compare.pair.file` holds it."""
    shown, place = finding.shown, finding.chosen.place
    return Pair(
        task.query,
        shape_of(shown.pair.a),
        shape_b=shape_of(shown.pair.b),
        provenance=None if place is None else Provenance(task.seed, place.chunk, place.row),
        outsider=Outsider(name_of(task), plain_answer(shown.reply), shown.fault.told),
        note=f"{KINDS[finding.kind].name}: the smallest pair found",
    )


def plain_answer(reply: Reply) -> object:
    """Return a reply as the function gave it, None where it gave none."""
    if reply.said != "answer" or not (reply.contact or reply.keys):
        return None
    return dict(reply.keys) if reply.keys else True


def _finding_json(task: Task, finding: Finding) -> dict[str, Any]:
    kind, first = KINDS[finding.kind], finding.first
    return {
        "number": None if first.place is None else first.place.number,
        "chunk": None if first.place is None else first.place.chunk,
        "row": None if first.place is None else first.place.row,
        "told": first.failure.fault.told,
        "a": _listed(first.failure.pair.a),
        "b": _listed(first.failure.pair.b),
        "smallest": {
            "a": _listed(finding.shown.pair.a),
            "b": _listed(finding.shown.pair.b),
            "answer": plain_answer(finding.shown.reply),
            "told": finding.shown.fault.told,
            "right": {
                "separation": finding.right.separation,
                "normal": list(finding.right.normal),
                "points": [list(point) for point in finding.right.points],
            },
            "box2d": finding.right.box2d,
            "fails_alone": finding.is_alone,
            "pair": pair_as_json(pair_of(task, finding)),
        },
        "hint": kind.hint,
        "page": f"docs/{kind.page}",
        "command": command_of(task, finding),
    }


def _listed(value: Any) -> Any:
    return [_listed(part) for part in value] if isinstance(value, tuple) else value
