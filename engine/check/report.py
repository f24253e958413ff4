"""The result of a trial: as JSON, as pair files that can be opened again, as tables, and as a page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.check.allowances import DEFAULT_TOLERANCE
from engine.check.kinds import KINDS
from engine.check.plain import shape_of
from engine.check.runner import DEFAULT_TIME_LIMIT
from engine.check.trial import Finding, Tally, Task
from engine.check.verdicts import Reply
from engine.common.files import relative_path
from engine.common.installation import PAGES, program
from engine.compare.pair.file import ANSWERED_BY, Outsider, Pair, pair_as_json
from engine.report import Link, Table
from engine.report.page import render_page

__all__ = [
    "Pictures",
    "as_json",
    "command_of",
    "functions_table",
    "html_report",
    "kinds_table",
    "name_of",
    "page_path",
    "pair_of",
    "plain_answer",
    "step_command_of",
    "summary_lines",
    "wrong_by_kind",
]


# --- Plain data


def as_json(tally: Tally) -> dict[str, Any]:
    """Return the results of one function as plain data."""
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
    """Return the command that reproduces a failure, for a pair file or for the sequence up to the first failure."""
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


def page_path(page: str, folder: Path) -> str:
    """Return the path from a folder to a page of `docs`, for a link that opens; its name alone if pages are not installed."""
    file = PAGES / page
    return relative_path(str(file), str(folder)) if file.is_file() else f"docs/{page}"


def step_command_of(task: Task, finding: Finding, pair_file: str | None) -> str | None:
    """Return the command that steps through our algorithm on a pair file; None without a file."""
    if pair_file is None or not finding.is_alone:
        return None
    return shlex.join([*program().split(), "step", ANSWERED_BY[task.query], "--pair", pair_file])


def pair_of(task: Task, finding: Finding) -> Pair:
    """Return the small pair of a finding, with the function's answer, in the format of `engine.compare.pair.file`."""
    shown = finding.shown
    return Pair(
        task.query,
        shape_of(shown.pair.a),
        shape_b=shape_of(shown.pair.b),
        provenance=shown.place,
        outsider=Outsider(name_of(task), plain_answer(shown.reply), shown.fault.evidence),
        note=f"{KINDS[finding.kind].name}: the smallest pair found",
    )


def plain_answer(reply: Reply) -> object:
    """Return the function's original answer in a reply, or None if it has none."""
    if reply.said != "answer" or not (reply.contact or reply.keys):
        return None
    return dict(reply.keys) if reply.keys else True


def _finding_json(task: Task, finding: Finding) -> dict[str, Any]:
    kind, first, place = KINDS[finding.kind], finding.first, finding.first.place
    return {
        **{name: None if place is None else getattr(place, name) for name in ("number", "chunk", "row")},
        "told": first.fault.evidence,
        "a": _listed(first.pair.a),
        "b": _listed(first.pair.b),
        "smallest": {
            "a": _listed(finding.shown.pair.a),
            "b": _listed(finding.shown.pair.b),
            "answer": plain_answer(finding.shown.reply),
            "told": finding.shown.fault.evidence,
            "right": {
                "separation": finding.right.separation,
                "normal": list(finding.right.normal),
                "points": [list(point) for point in finding.right.points],
            },
            "box2d": finding.right.box2d,
            "fails_alone": finding.is_alone,
            "pair": pair_as_json(pair_of(task, finding)),
        },
        "causes": [{"text": cause.text, "pairs": cause.n, "of": cause.of, "right_share": cause.right_share} for cause in finding.causes],
        "hint": kind.hint,
        "page": f"docs/{kind.page}",
        "command": command_of(task, finding),
    }


def _listed(value: Any) -> Any:
    return [_listed(part) for part in value] if isinstance(value, tuple) else value


# --- The page


Pictures = Mapping[tuple[int, str], tuple[bytes, str, str]]
"""PNG, name of the pair file, and name of the player's page, by number of the function and kind; empty if there is none."""


def html_report(tallies: Sequence[Tally], pictures: Pictures) -> str:
    """Return the report on some functions as the text of an HTML file."""
    task = tallies[0].task
    functions = [_function(number, tally, pictures) for number, tally in enumerate(tallies)]
    return render_page("check.html", title=f"check: {task.query}", task=task, summary=functions_table(tallies), functions=functions)


def functions_table(tallies: Sequence[Tally]) -> Table:
    """Return a row for each function: its counts, its wrong answers by kind, and the verdict."""
    rows = []
    for number, tally in enumerate(tallies):
        how = tally.refused.message if tally.refused is not None else tally.gave_up or wrong_by_kind(tally)
        name = Link(name_of(tally.task), "name", href=f"#f{number}")
        counts = (tally.pairs, tally.touching, tally.right, tally.wrong)
        rows.append((name, *counts, Link(how, "long"), Link(tally.verdict, "right" if tally.is_right else "wrong")))
    return Table("", ("function", "pairs", "touching", "right", "wrong", "how", "verdict"), tuple(rows), (0, 5, 6))


def kinds_table(tally: Tally, number: int = 0) -> Table:
    """Return a row for each kind of wrong answer of a function, including those of an interrupted run, which have no finding to link to."""
    shown = {finding.kind for finding in tally.findings}
    rows = []
    for name, kind in KINDS.items():
        if tally.kinds[name]:
            place = tally.failures[name][0].place
            worst = f"{tally.worst[name]:.3g} {kind.unit}" if kind.unit else ""
            link = Link(kind.name, href=f"#f{number}-{name}") if name in shown else kind.name
            rows.append((link, tally.kinds[name], worst, "" if place is None else f"{place.number:,}"))
    return Table("", ("kind", "pairs", "worst", "first pair"), tuple(rows))


def wrong_by_kind(tally: Tally) -> str:
    """Return the wrong answers by kind in one line; a pair can be wrong in several ways."""
    return ", ".join(f"{tally.kinds[kind]:,} {KINDS[kind].name}" for kind in KINDS if tally.kinds[kind])


def summary_lines(tally: Tally) -> list[str]:
    """Return the remarks on a function, shown next to its counts."""
    lines = []
    if tally.gave_up:
        lines.append(f"gave up after {tally.pairs:,} of {tally.task.pairs:,} pairs: {tally.gave_up}")
    if tally.pairs and tally.never_returned and not tally.refused:
        lines.append(f"never returned and therefore not judged: {', '.join(tally.never_returned)}")
    if tally.unknown:
        lines.append(f"unknown keys: {', '.join(sorted(tally.unknown))}")
    if tally.printed:
        lines.append(f"printed {tally.printed:,} characters in {tally.printing_calls:,} calls, all discarded")
    return lines


def _function(number: int, tally: Tally, pictures: Pictures) -> dict[str, Any]:
    """Return the data of a function for the page."""
    return {
        "name": name_of(tally.task),
        "refused": "" if tally.refused is None else tally.refused.message,
        "counts": f"{tally.right:,} of {tally.pairs:,} pairs right, {tally.wrong:,} wrong; {tally.touching:,} of them touch.",
        "remarks": summary_lines(tally),
        "kinds": kinds_table(tally, number),
        "exhibits": [_exhibit(number, tally.task, finding, pictures) for finding in tally.findings],
    }


def _exhibit(number: int, task: Task, finding: Finding, pictures: Pictures) -> dict[str, Any]:
    picture, pair_file, player = pictures.get((number, finding.kind), (b"", "", ""))
    commands = [command_of(task, finding, pair_file or None)]
    if pair_file:
        commands.append(shlex.join([*program().split(), "run", "--pair", pair_file]) + "    # our answer and Box2D's, in the window")
        steps = step_command_of(task, finding, pair_file)
        commands += [] if steps is None else [f"{steps}    # our algorithm, step by step, and your answer"]
    place = finding.first.place
    return {
        "id": f"f{number}-{finding.kind}",
        "kind": KINDS[finding.kind],
        "page": page_path(KINDS[finding.kind].page, Path(pair_file).parent),
        "finding": finding,
        "picture": picture,
        "player": player,
        "commands": commands,
        "pair": json.dumps(pair_as_json(pair_of(task, finding)), allow_nan=False),
        "first": "" if place is None else f"pair {place.number:,} (seed {task.seed}, chunk {place.chunk}, row {place.row})",
    }
