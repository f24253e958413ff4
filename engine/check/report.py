"""The report: one HTML file that needs nothing else. Pictures lie in it as data, and whatever a function said is escaped."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Mapping, Sequence
from html import escape

from engine.check.kinds import KINDS
from engine.check.result import command_of, name_of, pair_of
from engine.check.trial import Finding, Tally, Task
from engine.common.installation import program
from engine.compare.pair.file import pair_as_json
from engine.compare.report.page import folded, numbers, page, preformatted, scrolling, table

__all__ = ["Pictures", "html_report", "summary_lines", "wrong_by_kind"]

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
        lines.append(f"keys that nobody knows: {', '.join(sorted(tally.unknown))}")
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
    parts.append(preformatted("\n".join(commands)))
    parts.append(folded("the pair as JSON", pair_as_json(pair_of(task, finding))))
    first = finding.first
    if first.place is not None:
        where = f"pair {first.place.number:,} (seed {task.seed}, chunk {first.place.chunk}, row {first.place.row})"
        parts.append(f'<p class="caption">First met at {where}: {escape(first.failure.fault.told)}</p>')
    return "\n".join(parts)
