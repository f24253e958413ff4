"""Draws one wrong answer with matplotlib: on the left the function's answer, on the right the correct one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.check.kinds import KINDS
from engine.check.plain import pair_of
from engine.check.trial import Finding
from engine.compare.pair.answers import Answer
from engine.compare.pair.file import Point
from engine.report.charts import COLORS, as_png, styled

__all__ = ["SIZE", "draw_finding"]

SIZE = (1280, 740)
"""Width and height of the picture, pixels."""
_DPI = 100
_WIDTH = 72
"""Maximum number of characters per line under a panel."""
_NEAR = 2.5
"""Maximum extent of the picture, in extents of the pair; parts of an answer that are farther away are omitted."""
_ARROW = 62.0
"""Length of a normal, points."""


@styled
def draw_finding(finding: Finding, function: str) -> bytes:
    """Return the picture of a finding as a PNG of `SIZE`; `function` is the name of the called function."""
    from matplotlib.figure import Figure

    from engine.compare.questions.answer import outline
    from engine.compare.report.panel import Panel, middle_of, size_of
    from engine.compare.report.picture import draw_answers, moved_out

    pair, right, keys = pair_of(finding.shown.pair), finding.right, finding.shown.reply.keys
    assert pair.shape_b is not None
    figure = Figure(figsize=(SIZE[0] / _DPI, SIZE[1] / _DPI), dpi=_DPI)
    figure.subplots_adjust(left=0.02, right=0.98, top=0.78, bottom=0.17, wspace=0.04)
    figure.text(0.02, 0.93, KINDS[finding.kind].name, fontsize=17, fontweight="bold")
    figure.text(0.98, 0.94, _plain(function), fontsize=11, color=COLORS["soft"], ha="right", parse_math=False)
    figure.text(0.02, 0.91, textwrap.fill(KINDS[finding.kind].hint, 150), fontsize=11, color=COLORS["soft"], va="top")

    shapes = [*outline(pair.shape_a, pair.pose_a), *outline(pair.shape_b, pair.pose_b)]
    size = size_of(shapes)

    def is_near(points: Sequence[Point]) -> bool:
        return size_of([*shapes, *points]) < _NEAR * size

    theirs = _their_answer(keys)
    ends = theirs.witnesses if theirs.witnesses is not None and is_near(theirs.witnesses) else None
    theirs = replace(theirs, points=tuple(point for point in theirs.points if is_near([point])), witnesses=ends)
    if not is_near(moved_out(pair, theirs)):
        theirs = replace(theirs, separations=())
    truth = Answer("", right.normal, right.points, (right.separation,)) if right.separation < 0.0 else Answer("", witnesses=right.nearest)
    both = (theirs, "wrong"), (truth, "ours")
    seen = [*shapes, *(at for answer, _ in both for at in (*answer.points, *(answer.witnesses or ()), *moved_out(pair, answer)))]
    words = _their_words(finding), _right_words(finding)
    for axes, name, (answer, color), lines in zip(figure.subplots(1, 2), ("your answer", "correct answer"), both, words, strict=True):
        panel = Panel(axes, seen)
        draw_answers(panel, pair, [(answer, color)])
        if answer.normal is not None and not answer.points:
            panel.arrow(middle_of(right.points or shapes), answer.normal, _ARROW, color)
        if answer is truth and right.nearest is not None and "distance" not in keys:
            (x, y), (u, v) = middle_of(right.nearest), right.normal
            panel.closed([(x - size * v, y + size * u), (x + size * v, y - size * u)], color, 1.5, dashed=True)
        is_moved = len(moved_out(pair, answer)) > 0
        _finish(axes, name, COLORS[color], [*lines, *["dashed: B moved by the depth along the normal"] * is_moved])
    return as_png(figure, _DPI)


def _their_answer(keys: dict[str, Any]) -> Answer:
    """Return the parts of a reply that can be drawn."""
    u, v = keys.get("normal", (0.0, 0.0))
    ends = [(x, y) for name in ("point_a", "point_b") if name in keys for x, y in (keys[name],)]
    return Answer(
        "",
        (u, v) if u or v else None,
        tuple((x, y) for x, y in keys.get("points", [])),
        (-keys["depth"],) if "depth" in keys else (),
        (ends[0], ends[1]) if len(ends) == 2 else None,
    )


def _finish(axes: Any, name: str, color: str, lines: Sequence[str]) -> None:
    axes.set_title(name, color=color, fontsize=13, fontweight="bold", loc="left")
    axes.set(xticks=[], yticks=[])
    shown = "\n".join(textwrap.fill(_plain(line), _WIDTH) for line in lines)
    axes.text(0.0, -0.03, shown, color=color, fontsize=12, va="top", transform=axes.transAxes, parse_math=False)


def _their_words(finding: Finding) -> list[str]:
    reply: Any = finding.shown.reply
    if reply.said != "answer":
        return [finding.shown.fault.evidence]
    parts = [f"distance {reply.keys['distance']:.4g} m" if "distance" in reply.keys else "contact" if reply.contact else "no contact"]
    if "normal" in reply.keys:
        parts.append("normal ({:.4g}, {:.4g})".format(*(value + 0.0 for value in reply.keys["normal"])))
    if "depth" in reply.keys:
        parts.append(f"depth {reply.keys['depth']:.4g} m")
    if "points" in reply.keys:
        n_points = len(reply.keys["points"])
        parts.append(f"{n_points} point{'s' * (n_points != 1)}")
    has_more = finding.kind in ("wrong_points", "wrong_normal", "not_repeatable")
    return [", ".join(parts), *([finding.shown.fault.evidence] if has_more else [])]


def _right_words(finding: Finding) -> list[str]:
    right = finding.right
    if right.separation > 0.0:
        words = f"{'distance' if 'distance' in finding.shown.reply.keys else 'no contact, gap'} {right.separation:.4g} m"
    else:
        words = f"contact, normal ({right.normal[0]:.4g}, {right.normal[1]:.4g}), depth {-right.separation:.4g} m"
    return [words, f"Box2D: {right.box2d}"]


def _plain(words: str) -> str:
    """Return text without characters that the font may lack."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
