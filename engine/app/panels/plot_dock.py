"""The plots above the timeline: energy and momentum of a world, and the speed of the watched body, over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import pygame

from engine.app.panels.dock import Dock
from engine.app.time_series import QUANTITIES, SUMS, TimeSeries
from engine.common.words import counted
from engine.render import palette
from engine.render.camera import Place
from engine.render.hud import draw_lines, lines_size
from engine.render.palette import Color
from engine.render.plot import Curve, TimeAxis, draw_panes, draw_sample, number_words
from engine.ui.rows import Area, Note, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["PlotDock"]

_WHOLE, _BODY = ("total", "kinetic", "px", "py"), "speed"
"""The quantities plotted: of the world, and of the watched body."""
_SPAN = 20.0
"""Time range shown at first, seconds."""
_MIN_SPAN, _WHEEL = 0.5, 1.25
_AHEAD = 0.3
"""Share of the plot for the future, if the demo was rewound."""
_LEGEND, _SAMPLE = 18.0, 22.0
"""Height of the names of the curves, and width of a sample before each, design pixels."""


class PlotDock(Dock):
    """Curves of a world and of the watched body; a click in them goes to a step."""

    side = "bottom"
    extent = 196.0
    min_extent = 120.0
    worlds = "own"
    gives_way = True
    title = "Plots"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Middle click", "plot the speed of the body under the pointer"),
        ("Click, drag in a plot", "go to that step"),
        ("Wheel in a plot", "show more or less time"),
    )

    def __init__(self) -> None:
        self.seconds = _SPAN
        self._axis: TimeAxis | None = None

    def begin(self, session: Session) -> None:
        self._axis = None

    def rows(self, session: Session) -> Sequence[Row]:
        history, series = session.timeline.history, session.timeline.series
        if history is None or series is None or not session.demo.stages:
            return (Note("This demo has no world, so there is nothing to plot.", 13.0),)
        return (
            Area(
                "plot",
                partial(self._draw_plot, session, history, series),
                shows=(history.now, history.last, session.timeline.watched, self.seconds),
                drag=partial(self._go_to, session, history),
                wheel=self._zoom,
                step=lambda way: session.timeline.seek(history.now + way),
            ),
        )

    # -- inside -------------------------------------------------------------------------------------------------------

    def _go_to(self, session: Session, history: History[Demo], at: tuple[int, int]) -> None:
        if self._axis is not None and at[0] >= self._axis.left:
            session.timeline.seek(min(max(self._axis.step(at[0]), 0), history.last))

    def _zoom(self, notches: float) -> None:
        self.seconds = min(max(self.seconds * _WHEEL**-notches, _MIN_SPAN), 3600.0)

    def _draw_plot(
        self,
        session: Session,
        history: History[Demo],
        series: TimeSeries,
        surface: pygame.Surface,
        rect: pygame.Rect,
        pointer: tuple[int, int] | None,
    ) -> None:
        curves, legend = self._curves(session, history, series), round(_LEGEND * self.fonts.ui_scale)
        room = rect.left, rect.top + legend, rect.width, max(rect.height - legend, 1)
        span = self._span(history, session.demo.step_seconds)
        self._axis = draw_panes(surface, self.fonts, room, curves, span, history.now, session.demo.step_seconds)
        self._draw_legend(surface, rect, curves)
        if pointer is not None:
            self._write_values(surface, session, history, curves, room, pointer)

    def _draw_legend(self, surface: pygame.Surface, rect: pygame.Rect, curves: Sequence[Curve]) -> None:
        """Write the names of the curves that fit into a line, each after a sample."""
        ui, x = self.fonts.ui_scale, rect.left + round(8 * self.fonts.ui_scale)
        middle, sample = rect.top + round(0.5 * _LEGEND * ui), round(_SAMPLE * ui)
        for curve in curves:
            words = self.fonts.render(curve.name, 11.0, palette.TEXT)
            if x + sample + words.get_width() > rect.right:
                return
            draw_sample(surface, ui, (x, middle, sample - round(5 * ui)), curve.style)
            surface.blit(words, words.get_rect(midleft=(x + sample, middle)))
            x += sample + words.get_width() + round(14 * ui)

    def _span(self, history: History[Demo], step_seconds: float) -> tuple[float, float]:
        """Return the first and last step shown: all, or a range around now."""
        steps = max(self.seconds / step_seconds, 2.0)
        if history.last <= steps:
            return 0.0, max(float(history.last), min(steps, 1.0 / step_seconds))
        last = min(float(history.last), max(history.now + _AHEAD * steps, steps))
        return last - steps, last

    def _curves(self, session: Session, history: History[Demo], series: TimeSeries) -> list[Curve]:
        """Return the curves of a world, that of the watched body or the first one, and of the watched body."""
        watched = session.timeline.watched
        stage = watched[0] if watched is not None and watched[0] < len(session.demo.stages) else 0
        fallen, label = series.n_fallen(stage, history.now), session.demo.stages[stage].label
        whose = (f" without {counted(fallen, 'fallen body', 'fallen bodies')}" if fallen else "") + (f", {label}" if label else "")
        curves = [
            Curve(f"{SUMS[name].name}{whose}", SUMS[name].unit, series.sums(stage)[name], style, series.breaks(stage))
            for style, name in enumerate(_WHOLE)
        ]
        if watched is not None:
            quantity, name = QUANTITIES[_BODY], series.name(*watched)
            values = series.curve(*watched, _BODY)
            curves.append(Curve(f"{quantity.name} of {name}", quantity.unit, values, len(_WHOLE), series.breaks(*watched)))
        return curves

    def _write_values(
        self, surface: pygame.Surface, session: Session, history: History[Demo], curves: list[Curve], room: Place, pointer: tuple[int, int]
    ) -> None:
        """Write the curves' values under the pointer."""
        axis = self._axis
        if axis is None or not axis.left <= pointer[0] < axis.left + axis.width:
            return
        step = min(max(axis.step(pointer[0]), 0), history.last)
        x = round(axis.x(step))
        pygame.draw.line(surface, palette.CAPTION, (x, room[1]), (x, room[1] + room[3]))
        lines: list[tuple[str, Color]] = [(f"step {step}, {step * session.demo.step_seconds:.3f} s", palette.TEXT)]
        for curve in curves:
            value = float(curve.values[step]) if step < len(curve.values) else math.nan
            words = "unknown" if math.isnan(value) else f"{number_words(value, 0.001 * max(abs(value), 1.0))} {curve.unit}"
            lines.append((f"{curve.name}: {words}", palette.SERIES[curve.style]))
        if lines_size(self.fonts, lines, 11.5)[0] > 0.6 * room[2]:
            lines = [lines[0], *((words.split(": ", 1)[1], color) for words, color in lines[1:])]
        wide, high = lines_size(self.fonts, lines, 11.5)
        is_left = x - axis.left < axis.width // 2  # at the other end, so that the curves under the pointer stay visible
        left = axis.left + axis.width - wide if is_left else axis.left
        draw_lines(surface, self.fonts, (left, room[1] + max((room[3] - high) // 2, 0)), lines, 11.5, 240)
