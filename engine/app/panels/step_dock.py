"""What each of the last frames took, in layers: the solver's phases, reading, our check, the past, drawing."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pygame

from engine.app.panels.dock import Dock
from engine.render import palette
from engine.render.palette import Color, mix
from engine.ui.rows import Area, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["PHASES", "StepDock"]

_HEIGHT = 92.0
_LEGEND = 236.0
_NARROW = 420.0
"""Design pixels of width below which there are bars only."""
_BAR = 3.0
"""Design pixels of a frame's bar, the gap included."""
_FRAME = 1000.0 / 60.0
_SCALES = (1.25 * _FRAME, 2.0 * _FRAME, 3.0 * _FRAME)
"""Milliseconds at the top of the bars, the first that holds them all: one long frame must not make all others flat."""
_KEPT = 600
_ROWS = 5
"""Of the legend."""

PHASES: tuple[tuple[str, str], ...] = (
    ("collide", "finding contacts, including callbacks"),
    ("solve", "islands, constraints, new pairs"),
    ("TOI", "impacts within the step"),
    ("reading", "reading bodies and contacts from the solver"),
    ("check", "our manifolds and pairs"),
    ("beside", "the same step in the comparison worlds"),
    ("past", "keyframes, hashes, plots and the log"),
    ("drawing", "the whole window"),
)
"""From below. All steps of a frame together."""


class StepDock(Dock):
    """Stacked bars, a frame each, the newest at the right, under the line of sixty frames a second."""

    side = "bottom"
    worlds = "own"
    folds = True
    title = "Step times"

    def __init__(self) -> None:
        self.shown = False
        self.frames: deque[tuple[float, ...]] = deque(maxlen=_KEPT)
        """Milliseconds of each of `PHASES`, the newest frame last."""
        self._phases = [0.0] * 4
        self._checks = 0.0
        self._history: History[Demo] | None = None
        self._has_frame = False
        self._bars = pygame.Surface((1, 1))
        self._bars_of: tuple[tuple[int, int, int], float, str] | None = None
        self._taken = self._drawn = 0
        """Frames since the window opened, and those of them that are in the picture of the bars."""

    @property
    def size(self) -> float:
        return _HEIGHT if self.shown else 0.0

    def begin(self, session: Session) -> None:
        self._history = session.timeline.history
        if self._history is not None and self._watch not in self._history.watchers:
            self._history.watchers.append(self._watch)
        self.frames.clear()
        self._bars_of = None
        self._has_frame = False

    def toggle_shown(self) -> None:
        """Show or hide it."""
        self.shown = not self.shown
        self.frames.clear()
        self._bars_of = None
        self._has_frame = False

    def update(self, session: Session, elapsed: float) -> None:
        if self.shown and self._has_frame:  # the frame before this one, now that it is drawn
            times = session.costs.latest
            beside = times.steps * times.beside
            known = sum(self._phases) + self._checks + beside
            past = max(times.advance - known, 0.0) if times.steps else 0.0
            self.frames.append((*self._phases, self._checks, beside, past, times.draw))
            self._taken += 1
        self._phases, self._checks = [0.0] * 4, 0.0
        self._has_frame = True

    def rows(self, session: Session) -> Sequence[Row]:
        return (Area("step times", self._draw, shows=self._taken),)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _draw(self, surface: pygame.Surface, rect: pygame.Rect, pointer: tuple[int, int] | None) -> None:
        ui, (left, top, width, height) = self.fonts.ui_scale, rect
        legend = round(_LEGEND * ui) if width > _NARROW * ui else round(8 * ui)
        pitch = max(2, round(_BAR * ui))
        n_bars = max((width - legend - round(16 * ui)) // pitch, 1)
        shown = list(self.frames)[-n_bars:]
        if width > _NARROW * ui:
            self._draw_legend(surface, rect, legend, shown)
        highest = max((sum(frame) for frame in shown), default=0.0)
        full = next((scale for scale in _SCALES if highest <= scale), _SCALES[-1])  # a longer bar is cut off
        bottom, room = top + height - round(6 * ui), height - round(14 * ui)
        right = left + width - round(8 * ui)
        self._draw_bars(shown, (n_bars, pitch, room), full)
        surface.blit(self._bars, (right - n_bars * pitch, bottom - room))
        line = round(bottom - _FRAME / full * room)
        pygame.draw.line(surface, palette.TEXT, (left + legend, line), (right, line))
        words = self.fonts.render("16.7 ms", 10.5, palette.TEXT, True)
        plate = words.get_rect(bottomleft=(left + legend + round(2 * ui), line))
        pygame.draw.rect(surface, palette.PANEL, plate)
        surface.blit(words, plate)

    def _watch(self, history: History[Demo]) -> None:
        if not self.shown:
            return
        for stage in history.demo.stages:
            cost, times = stage.world.last_cost, stage.times
            parts = cost.collide, cost.solve, cost.toi
            for k, part in enumerate(parts):
                self._phases[k] += part
            self._phases[3] += max(times.step - sum(parts), 0.0)
            self._checks += times.check

    def _draw_bars(self, shown: list[tuple[float, ...]], size: tuple[int, int, int], full: float) -> None:
        """Bring the picture of the bars up to date: moved on by the frames that are new, or drawn anew."""
        n_bars, pitch, room = size
        known = (size, full, palette.theme_name())
        fresh = self._taken - self._drawn
        if known != self._bars_of or fresh > len(shown):
            self._bars = pygame.Surface((n_bars * pitch, room))
            self._bars.fill(palette.PANEL)
            self._bars_of, fresh = known, len(shown)
        elif fresh:
            self._bars.scroll(-fresh * pitch, 0)
            self._bars.fill(palette.PANEL, (self._bars.get_width() - fresh * pitch, 0, fresh * pitch, room))
        self._drawn = self._taken
        colors = layer_colors()
        for k, frame in enumerate(reversed(shown[len(shown) - fresh :])):
            x, y = self._bars.get_width() - (k + 1) * pitch, float(room)
            for cost, color in zip(frame, colors, strict=True):
                high = cost / full * room
                if round(y) > round(y - high):
                    pygame.draw.rect(self._bars, color, (x, round(y - high), pitch - 1, round(y) - round(y - high)))
                y -= high

    def _draw_legend(self, surface: pygame.Surface, rect: pygame.Rect, width: int, shown: list[tuple[float, ...]]) -> None:
        """Write the phases from the uppermost layer down, with their medians over the frames shown."""
        ui, (left, top, _, height) = self.fonts.ui_scale, rect
        medians = np.median(np.array(shown), axis=0).tolist() if shown else [0.0] * len(PHASES)
        half = (width - round(16 * ui)) // 2
        row = (height - round(8 * ui)) // _ROWS
        colors = layer_colors()
        entries = [(name, medians[k], colors[k]) for k, (name, _) in enumerate(PHASES)]
        entries.append(("all", sum(medians), palette.PANEL))
        for k, (name, cost, color) in enumerate(entries):
            x, y = left + round(8 * ui) + (k // _ROWS) * half, top + round(5 * ui) + (k % _ROWS) * row
            box = pygame.Rect(x, y + (row - round(9 * ui)) // 2, round(9 * ui), round(9 * ui))
            pygame.draw.rect(surface, color, box)
            words = self.fonts.render(name, 11.5, palette.TEXT)
            surface.blit(words, words.get_rect(midleft=(box.right + round(5 * ui), box.centery)))
            figure = self.fonts.render(f"{cost:.2f}" if cost < 100.0 else f"{cost:.0f}", 11.5, palette.CAPTION)
            surface.blit(figure, figure.get_rect(midright=(x + half - round(10 * ui), box.centery)))


def layer_colors() -> list[Color]:
    """Return the colors of the layers, from below: neighbors differ in lightness, and all stand in the order of the legend."""
    series, ground = palette.SERIES, palette.PANEL
    shades = [series[0], mix(ground, series[0], 0.55), series[1], mix(ground, series[1], 0.55), series[2]]
    return [*shades, palette.BESIDES[0], series[3], palette.CAPTION]
