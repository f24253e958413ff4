"""The panel's part about the live check: the counts, the worst recent error, the cost, and the reasons for differences."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain

import numpy as np
import pygame

from engine.app.panels.dock import WindowActions
from engine.app.session import Session
from engine.app.status_strip import VERDICTS
from engine.common.arrays import FloatArray
from engine.contracts.agreement import REASONS
from engine.render import palette
from engine.render.differences import reason_color
from engine.render.plot import draw_spark
from engine.ui.rows import Area, Button, Buttons, Heading, Line, Note, Row

__all__ = ["error_words", "referee_rows", "worst_errors"]

_SPARK = 22.0
"""Design pixels."""
_SECONDS = 5.0
"""Simulated time that the sparkline shows, seconds."""


def referee_rows(session: Session, missing: str, actions: WindowActions) -> list[Row]:
    """Return the rows of this frame; `missing` says why there is no live check, "" if there is one."""
    rows: list[Row] = [Heading("Contacts, computed twice")]
    if missing:
        return [*rows, Note(missing, 12.5)]
    stages = session.demo.stages
    steps, totals = [stage.agreement for stage in stages], [stage.total for stage in stages]
    rows.append(Line("", "since start", middle="this step"))
    colors = {"agree": palette.AGREE, "explained": palette.EXPLAINED, "unexplained": palette.UNEXPLAINED}
    for name, color in colors.items():
        now, total = (sum(getattr(count, name) for count in counts) for counts in (steps, totals))
        rows.append(Line(name, f"{total:,}", color if total else palette.CAPTION, f"{now:,}", tip=VERDICTS[name]))
    return rows + _pair_rows(session) + _error_rows(session) + _reason_rows(session, actions)


def _pair_rows(session: Session) -> list[Row]:
    """Return the number of touching pairs, computed by us from the bodies alone, and by the solver."""
    stages = session.demo.stages
    referees = [stage.pair_referee for stage in stages if stage.pair_referee is not None]
    if not referees:
        return []
    ours, theirs = (sum(getattr(stage.pairs, name) for stage in stages) for name in ("ours", "box2d"))
    color = palette.UNEXPLAINED if any(referee.total.unexplained for referee in referees) else palette.AGREE
    solvers = {stage.world.solver: stage.world.capabilities for stage in stages}
    whose = "Box2D" if len(solvers) != 1 or "box2d" in solvers else next(iter(solvers.values())).title
    return [Line("touching pairs", f"ours {ours:,}, {whose} {theirs:,}", color)]


def _error_rows(session: Session) -> list[Row]:
    stages, values = session.demo.stages, worst_errors(session)
    asleep = sum(int((~stage.world.contacts.evaluated).sum()) for stage in stages)
    skipped = sum(sum(stage.agreement.not_comparable.values()) for stage in stages)
    pairs_ms = sum(stage.pair_referee.last_ms for stage in stages if stage.pair_referee is not None)
    rows: list[Row] = [
        Line("time per check", f"{session.costs.shown.check:.2f} ms, pairs {pairs_ms:.2f} ms"),
        Line(f"worst error, {_SECONDS:g} s", error_words(float(values.max())) if len(values) else ""),
        Area("worst error", partial(_draw_errors, values), _SPARK, shows=session.demo.steps),
    ]
    rows += [Line("sleeping pairs, not recomputed", f"{asleep:,}")] if asleep else []
    return rows + ([Line("not comparable with Box2D", f"{skipped:,}")] if skipped else [])


def _draw_errors(values: FloatArray, surface: pygame.Surface, rect: pygame.Rect, pointer: tuple[int, int] | None) -> None:
    draw_spark(surface, (rect.left, rect.top, rect.width, rect.height), values, palette.ACCENT)


def _reason_rows(session: Session, actions: WindowActions) -> list[Row]:
    """Return the reasons since the restart, the most frequent first, with their sentences and, if in the last step, buttons."""
    stages = session.demo.stages
    now = Counter(chain.from_iterable(stage.agreement.reasons for stage in stages))
    met = sum((stage.reasons for stage in stages), Counter[str]())
    rows: list[Row] = [Heading("Differences")] if met else []
    for key, _ in sorted(met.items(), key=lambda one: (one[0] != "unexplained", -one[1])):
        reason = REASONS[key]
        rows.append(
            Line(reason.name, f"{now[key]:,} now" if now[key] else "", reason_color(key) if now[key] else None, bold=bool(now[key]))
        )
        rows.append(Note(reason.sentence))
        if now[key]:
            look = Button("Close-up", partial(actions.look_at, key), "Zoom to the largest difference; click again for the next one.")
            step = Button("Step by step", partial(actions.step_through, key), "Step through the algorithms at the largest difference.")
            rows.append(Buttons((look, step), columns=2))
    return rows


def worst_errors(session: Session) -> FloatArray:
    """Return the largest error of an agreeing point over all worlds, meters, for each step of the last seconds; oldest first."""
    n_most = max(1, round(_SECONDS / session.demo.step_seconds))
    histories = [np.array(list(stage.errors)[-n_most:]) for stage in session.demo.stages]
    worst = np.zeros(max((len(history) for history in histories), default=0))
    for history in histories:
        newest = worst[len(worst) - len(history) :]
        np.maximum(newest, history, out=newest)
    return worst


def error_words(meters: float) -> str:
    """Return an error as text.

    Examples
    --------
    >>> error_words(3.2e-7), error_words(0.0), error_words(8.7e-18), error_words(2e-3)
    ('0.32 µm', '0', '< 0.001 µm', '2 mm')
    """
    if meters == 0.0:
        return "0"
    if meters < 1e-9:
        return "< 0.001 µm"
    return f"{1e6 * meters:.2g} µm" if meters < 1e-3 else f"{1e3 * meters:.3g} mm"
