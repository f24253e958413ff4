"""What a trial found: as JSON, as pair files that can be opened again, and as a report, one HTML file that needs nothing else.

Pictures lie in the report as data, and whatever a function said is escaped.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from engine.check.allowances import DEFAULT_TOLERANCE
from engine.check.kinds import KINDS
from engine.check.plain import shape_of
from engine.check.runner import DEFAULT_TIME_LIMIT
from engine.check.trial import Finding, Tally, Task
from engine.check.verdicts import Reply
from engine.common.installation import program
from engine.compare.pair.file import ANSWERED_BY, Outsider, Pair, Provenance, pair_as_json
from engine.compare.report.page import folded, numbers, page, preformatted, scrolling, table

__all__ = [
    "Pictures",
    "as_json",
    "command_of",
    "html_report",
    "name_of",
    "pair_of",
    "plain_answer",
    "step_command_of",
    "summary_lines",
    "wrong_by_kind",
]


# --- Plain data


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


def step_command_of(task: Task, finding: Finding, pair_file: str | None) -> str | None:
    """Return the command that shows our algorithm step by step on the pair of a file, with the function beside; None without a file."""
    if pair_file is None or not finding.is_alone:
        return None
    return shlex.join([*program().split(), "step", ANSWERED_BY[task.query], "--pair", pair_file, "--own", name_of(task)])


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
        **(dict.fromkeys(("number", "chunk", "row")) if first.place is None else asdict(first.place)),
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


# --- The page


Pictures = Mapping[tuple[int, str], tuple[bytes, str]]
"""By the number of the file and the kind: a PNG, and the name of the pair's file."""


def html_report(tallies: Sequence[Tally], pictures: Pictures) -> str:
    """Return the report on some functions as the text of an HTML file."""
    task = tallies[0].task
    parts = [
        f"<h1>check: {escape(task.query)}</h1>",
        f"<p>{task.pairs:,} pairs of circles and convex polygons, seed {task.seed}; judged by exact arithmetic on the numbers that the "
        f"function got, {task.tolerance:g} m and what float64 loses being allowed; {task.time_limit:g} s a call.</p>",
        _table(tallies),
    ]
    for number, tally in enumerate(tallies):
        parts.append(_file(number, tally, pictures))
    return page(f"check: {task.query}", parts)


def wrong_by_kind(tally: Tally) -> str:
    """Return the wrong answers by kind in one line; a pair can be wrong in several ways."""
    return ", ".join(f"{tally.kinds[kind]:,} {KINDS[kind].name}" for kind in KINDS if tally.kinds[kind])


def summary_lines(tally: Tally) -> list[str]:
    """Return what is to be said of a function beside its counts."""
    lines = []
    if tally.gave_up:
        lines.append(f"gave up after {tally.pairs:,} of {tally.task.pairs:,} pairs: {tally.gave_up}")
    if tally.pairs and tally.never_returned and not tally.refused:
        lines.append(f"never returned, so not judged: {', '.join(tally.never_returned)}")
    if tally.unknown:
        lines.append(f"unknown keys: {', '.join(sorted(tally.unknown))}")
    if tally.printed:
        lines.append(f"printed {tally.printed:,} characters in {tally.printing_calls:,} calls, all thrown away")
    return lines


def _table(tallies: Sequence[Tally]) -> str:
    rows = []
    for number, tally in enumerate(tallies):
        how = tally.refused.message if tally.refused is not None else wrong_by_kind(tally)
        counts = numbers(f"{count:,}" for count in (tally.pairs, tally.touching, tally.right, tally.wrong))
        name = ("name", f'<a href="#f{number}">{escape(name_of(tally.task))}</a>')
        rows.append([name, *counts, ("long", escape(how)), ("right" if tally.is_right else "wrong", tally.verdict)])
    return table(["function", *numbers(("pairs", "touching", "right", "wrong")), "how", "verdict"], rows)


def _file(number: int, tally: Tally, pictures: Pictures) -> str:
    parts = [f'<h2 id="f{number}">{escape(name_of(tally.task))}</h2>']
    if tally.refused is not None:
        parts.append(f'<p class="wrong">{escape(tally.refused.message)}</p>')
        return "\n".join(parts)
    parts.append(f"<p>{tally.right:,} of {tally.pairs:,} pairs right, {tally.wrong:,} wrong; {tally.touching:,} of them touch.</p>")
    parts += [f"<p>{escape(line)}.</p>" for line in summary_lines(tally)]
    if tally.kinds:
        rows = []
        for finding in tally.findings:
            kind, place = KINDS[finding.kind], finding.first.place
            worst = f"{tally.worst[finding.kind]:.4g} {kind.unit}" if kind.unit else ""
            cells = numbers([f"{tally.kinds[finding.kind]:,}", worst, "" if place is None else f"{place.number:,}"])
            rows.append([f'<a href="#f{number}-{finding.kind}">{kind.name}</a>', *cells])
        parts.append(table(["kind", *numbers(("pairs", "worst", "first at pair"))], rows))
    for finding in tally.findings:
        parts.append(_finding(number, tally.task, finding, pictures))
    return "\n".join(parts)


def _finding(number: int, task: Task, finding: Finding, pictures: Pictures) -> str:
    kind, shown = KINDS[finding.kind], finding.shown
    picture, pair_file = pictures.get((number, finding.kind), (b"", ""))
    parts = [f'<h3 id="f{number}-{finding.kind}">{kind.name}</h3>', f"<p>{escape(kind.hint)} More: <code>docs/{kind.page}</code></p>"]
    if not finding.is_alone:
        parts.append(
            "<p>Called on this pair alone, in a fresh process, the function does not fail: something is kept between calls, or "
            "random. The pair is shown as it was met.</p>"
        )
    if picture:
        data = base64.b64encode(picture).decode("ascii")
        told = f"{escape(kind.name)}: {escape(shown.fault.told)}"
        parts.append(scrolling(f'<img alt="{told}" src="data:image/png;base64,{data}">'))
    parts.append(f"<p>{escape(shown.fault.told)}. Box2D, with its skins of 10 mm: {escape(finding.right.box2d)}.</p>")
    commands = [command_of(task, finding, pair_file or None)]
    if pair_file:
        commands.append(shlex.join([*program().split(), "run", "--pair", pair_file]) + "    # our answer and Box2D's, in the window")
        steps = step_command_of(task, finding, pair_file)
        commands += [] if steps is None else [f"{steps}    # our algorithm, step by step, and your answer"]
    parts.append(preformatted("\n".join(commands)))
    parts.append(folded("the pair as JSON", pair_as_json(pair_of(task, finding))))
    first = finding.first
    if first.place is not None:
        where = f"pair {first.place.number:,} (seed {task.seed}, chunk {first.place.chunk}, row {first.place.row})"
        parts.append(f'<p class="caption">First met at {where}: {escape(first.failure.fault.told)}</p>')
    return "\n".join(parts)
