"""The picture of a demo in its view: the same in the window, in a screenshot and in a timing run."""

from __future__ import annotations

import pygame

from engine.app.demo import Demo
from engine.app.session import Session
from engine.render import palette
from engine.render.backdrop import draw_backdrop, draw_scale_bar
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from engine.render.discs import DiscBook
from engine.render.fonts import FontBook
from engine.render.hud import draw_lines, draw_notice
from engine.render.palette import Color

__all__ = ["FramePainter"]

_NOTABLE_LAG = 0.15


class FramePainter:
    """Paints sessions; keeps fonts, discs and packed shapes between frames.

    Parameters
    ----------
    ui_scale : float
        Screen pixels to a design pixel.
    """

    def __init__(self, ui_scale: float = 1.0) -> None:
        self.fonts = FontBook(ui_scale)
        self._discs = DiscBook()
        self._debug = DebugDraw()

    def paint(self, surface: pygame.Surface, session: Session) -> None:
        """Draw the session's view; nothing outside it is touched."""
        demo, fraction = session.demo, session.clock.fraction
        clip = surface.get_clip()
        surface.set_clip(session.camera.view)
        canvas = Canvas(surface, session.camera, self.fonts, self._discs)
        draw_backdrop(canvas)
        for stage in demo.stages:
            stage.drawn_poses = self._debug.poses(stage.world, fraction)
        demo.draw_background(canvas)
        for stage in demo.stages:
            self._debug.draw(canvas, stage, session.layers, fraction)
        demo.draw(canvas)
        self._label_stages(canvas, demo)
        draw_scale_bar(canvas)
        self._readout(surface, session)
        surface.set_clip(clip)

    def _label_stages(self, canvas: Canvas, demo: Demo) -> None:
        for stage in demo.stages:
            if stage.label:
                canvas.text(stage.label_at, stage.label, palette.TEXT, 15.0, "bottom", bold=True)

    def _readout(self, surface: pygame.Surface, session: Session) -> None:
        left, top, width, _ = session.camera.view
        inset = round(12 * self.fonts.ui_scale)
        lines: list[tuple[str, Color]] = []
        for line in session.demo.status():
            text, color = (line, palette.TEXT) if isinstance(line, str) else line
            lines.extend((part, color) for part in self.fonts.wrapped(text, 14.0, max(width - 4 * inset, 1)))
        draw_lines(surface, self.fonts, (left + inset, top + inset), lines)
        if session.failure:
            draw_notice(surface, self.fonts, session.camera.view, f"stopped: {session.failure}  (R restarts)", palette.UNEXPLAINED)
        elif not session.clock.paused and session.clock.lag > _NOTABLE_LAG:
            share = f"{100.0 * (1.0 - session.clock.lag):.0f} %"
            words = f"runs at {share} of the speed asked for: steps take too long"
            draw_notice(surface, self.fonts, session.camera.view, words, palette.WARNING)
