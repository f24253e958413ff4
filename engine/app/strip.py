"""The status strip at the foot of the window: what a frame costs, how time passes, and how often the live check agrees.

What there is to be said of the demo (`engine.app.notes`) has its place here too, before the figures: nothing lies over the picture.
"""

from __future__ import annotations

import pygame

from engine.app.check_note import CheckNote
from engine.app.frame import FramePainter
from engine.app.notes import Note
from engine.demo.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.render.hud import draw_status
from engine.render.palette import Color

__all__ = ["draw_strip"]

Cell = tuple[str, str, Color]


def draw_strip(
    surface: pygame.Surface, painter: FramePainter, place: Place, session: Session, check: CheckNote, is_preview: bool, note: Note | None
) -> None:
    """Draw the strip of a session, with the note before the figures; of a preview there is no talk of a check that will not come."""
    draw_status(surface, painter.fonts, place, _cells(session, painter.n_asleep(session)), _check(session, check, is_preview), note)


def _cells(session: Session, n_asleep: int) -> list[Cell]:
    times, stages = session.costs.shown, session.demo.stages
    rate = f"{1000.0 / times.frame:.0f}/s" if times.frame > 0.0 else "-"
    frame: Cell = ("frame", f"{times.frame:.1f} ms {rate}", palette.TEXT)
    draw: Cell = ("draw", f"{times.draw:.1f} ms", palette.TEXT)
    if not stages:
        return [frame, draw]
    speed = f"{session.clock.pace} ({session.clock.share_of_speed})" if session.clock.is_slow else session.clock.pace
    bodies = str(sum(len(stage.world.body_ids) for stage in stages))
    return [
        frame,
        ("step", f"{times.step:.2f} ms", palette.TEXT),
        ("check", f"{times.check:.2f} ms", palette.TEXT),
        draw,
        ("speed", speed, palette.WARNING if session.clock.paused or session.clock.is_slow else palette.TEXT),
        ("t", session.timeline.moment, palette.TEXT),
        ("bodies", f"{bodies}, {n_asleep} asleep (dim)" if n_asleep else bodies, palette.TEXT),
        ("contacts", str(sum(len(stage.world.contacts) for stage in stages)), palette.TEXT),
    ]


def _check(session: Session, check: CheckNote, is_preview: bool) -> list[tuple[str, Color]]:
    """Return what stands at the right: how the check agrees, or why there is none."""
    stages = session.demo.stages
    until = [(check.short, palette.WARNING)] if check.short and (check.is_warming_up or not is_preview) else []
    if until and (is_preview or not check.meanwhile):
        return until
    if is_preview:
        return [("preview", palette.CAPTION)]
    if not stages:
        return []
    agree, explained = sum(stage.total.agree for stage in stages), sum(stage.total.explained for stage in stages)
    unexplained = sum(stage.total.unexplained + stage.pair_total.unexplained for stage in stages)
    counts = [*until, (f"agree {agree:,}", palette.AGREE)]
    if explained:
        counts.append((f"explained {explained:,}", palette.EXPLAINED))
    return [*counts, (f"unexplained {unexplained:,}", palette.UNEXPLAINED if unexplained else palette.CAPTION)]
