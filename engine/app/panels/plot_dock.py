"""The plots above the timeline: quantities of bodies and worlds over time."""

from __future__ import annotations

import math
from collections.abc import Hashable
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
from engine.ui.form import Form
from engine.ui.rows import Area, Button, Buttons, Note, Row

if TYPE_CHECKING:
    from engine.app.session import Session
    from engine.sim.demo import Demo
    from engine.sim.history import History

__all__ = ["PlotDock"]

_CHOOSER = 236.0
_NARROW = 420.0
"""Width below which curves and chooser do not fit side by side, design pixels."""
_MAX_CURVES = 5
"""Maximum number of curves, limited by marks and colors."""
_MAX_UNITS = 3
"""Maximum number of panes; a fourth would be too low to read."""
_SPAN = 20.0
"""Time range shown at first, seconds."""
_MIN_SPAN, _WHEEL = 0.5, 1.25
_AHEAD = 0.3
"""Share of the plot for the future, if the demo was rewound."""

Source = tuple[str, str]
"""("body", name in QUANTITIES) or ("whole", name in SUMS)."""


class PlotDock(Dock):
    """Curves of the quantities chosen on its left; a click in it goes to a step."""

    side = "bottom"
    extent = 196.0
    min_extent = 120.0
    worlds = "own"
    gives_way = True
    title = "Plots"
    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Middle click", "plot and log the body under the pointer"),
        ("Click, drag in a plot", "go to that step"),
        ("Wheel in a plot", "show more or less time"),
    )

    def __init__(self) -> None:
        self.chosen: list[Source] = [("whole", "kinetic"), ("whole", "potential"), ("whole", "total"), ("body", "speed")]
        self.seconds = _SPAN
        self._styles: dict[Source, int] = {source: k for k, source in enumerate(self.chosen)}
        self._axis: TimeAxis | None = None
        self._is_choosing = False
        self._plot: Form | None = None
        """The form of the curves, next to that of the chooser."""

    def begin(self, session: Session) -> None:
        self._axis = None

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        return super().handle(event, session) or (self.size > 0.0 and self._curves_form.handle(event))

    def show(self) -> Hashable:
        return self.form.show(), self._curves_form.show()

    def shows(self, session: Session) -> Hashable:
        is_narrow = self.place[2] < _NARROW * self.fonts.ui_scale
        chooser = self._chooser(session) if not is_narrow or self._is_choosing else []
        plot = [] if is_narrow and self._is_choosing else [self._plot_row(session)]
        if is_narrow:
            words, tip = ("Plots ›", "Show the plots.") if self._is_choosing else ("Choose ›", "Choose what to plot.")
            (chooser if self._is_choosing else plot).insert(0, Buttons((Button(words, self._change_side, tip),), height=20.0))
        self._rows = tuple(chooser), tuple(plot)
        return self._rows

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        chooser, plot = self._rows
        left, top, width, height = self.place
        wide = min(round(_CHOOSER * self.fonts.ui_scale), width) if plot and chooser else width if chooser else 0
        self.form.lay_out(chooser, (left, top, wide, height))
        self._curves_form.lay_out(plot, (left + wide, top, width - wide, height))
        for form in (self.form, self._curves_form):
            form.draw(surface)
        self.draw_edge(surface)

    def toggle(self, source: Source) -> None:
        """Plot a quantity, or stop plotting it; the oldest curve is removed if there are too many curves or units."""
        if source in self.chosen:
            self.chosen.remove(source)
            return
        self.chosen.append(source)
        while len(self.chosen) > _MAX_CURVES or len({_unit(curve) for curve in self.chosen}) > _MAX_UNITS:
            self.chosen.pop(0)
        used = {self._styles[curve] for curve in self.chosen[:-1]}
        self._styles[source] = next(k for k in range(_MAX_CURVES) if k not in used)

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _curves_form(self) -> Form:
        if self._plot is None:
            self._plot = Form(self.form.ui)
        return self._plot

    def _plot_row(self, session: Session) -> Row:
        history, series = session.timeline.history, session.timeline.series
        if history is None or series is None or not session.demo.stages:
            return Note("This demo has no world, so there is nothing to plot.", 13.0)
        if not self.chosen:
            return Note("Choose what to plot on the left.", 13.0)
        shows = history.now, history.last, session.timeline.watched, tuple(self.chosen), self.seconds
        return Area(
            "plot",
            partial(self._draw_plot, session, history, series),
            shows=shows,
            drag=partial(self._go_to, session, history),
            wheel=self._zoom,
            step=lambda way: session.timeline.seek(history.now + way),
        )

    def _go_to(self, session: Session, history: History[Demo], at: tuple[int, int]) -> None:
        if self._axis is not None and at[0] >= self._axis.left:
            session.timeline.seek(min(max(self._axis.step(at[0]), 0), history.last))

    def _zoom(self, notches: float) -> None:
        self.seconds = min(max(self.seconds * _WHEEL**-notches, _MIN_SPAN), 3600.0)

    def _change_side(self) -> None:
        self._is_choosing = not self._is_choosing

    def _draw_plot(
        self,
        session: Session,
        history: History[Demo],
        series: TimeSeries,
        surface: pygame.Surface,
        rect: pygame.Rect,
        pointer: tuple[int, int] | None,
    ) -> None:
        curves, room = self._curves(session, series), (rect.left, rect.top, rect.width, rect.height)
        if not curves:
            return
        span = self._span(history, session.demo.step_seconds)
        self._axis = draw_panes(surface, self.fonts, room, curves, span, history.now, session.demo.step_seconds)
        if pointer is not None:
            self._write_values(surface, session, history, curves, room, pointer)

    def _span(self, history: History[Demo], step_seconds: float) -> tuple[float, float]:
        """Return the first and last step shown: all, or a range around now."""
        steps = max(self.seconds / step_seconds, 2.0)
        if history.last <= steps:
            return 0.0, max(float(history.last), min(steps, 1.0 / step_seconds))
        last = min(float(history.last), max(history.now + _AHEAD * steps, steps))
        return last - steps, last

    def _curves(self, session: Session, series: TimeSeries) -> list[Curve]:
        watched = session.timeline.watched
        stage = watched[0] if watched is not None else 0
        curves = []
        for source in self.chosen:
            kind, name = source
            style = self._styles[source]
            if kind == "whole":
                values = series.sums(stage)[name]
                curves.append(Curve(f"whole: {SUMS[name].name}", SUMS[name].unit, values, style, series.breaks(stage)))
            elif watched is not None:
                values = series.curve(*watched, name)
                words = f"{series.name(*watched)}: {QUANTITIES[name].name}"
                curves.append(Curve(words, QUANTITIES[name].unit, values, style, series.breaks(*watched)))
        return curves

    def _chooser(self, session: Session) -> list[Row]:
        """Return the buttons of the quantities: of the watched body, and of its world."""
        series, history = session.timeline.series, session.timeline.history
        if series is None or history is None or not session.demo.stages:
            return []
        watched = session.timeline.watched
        stage = watched[0] if watched is not None else 0
        label, fallen = session.demo.stages[stage].label, series.n_fallen(stage, history.now)
        bodies_summed = (
            "all bodies" + (f" except {counted(fallen, 'fallen one', 'fallen ones')}" if fallen else "") + (f": {label}" if label else "")
        )
        walk = tuple(
            Button(words, partial(self._walk, session, way), f"Watch the {name} body.")
            for words, way, name in (("‹", -1, "previous"), ("›", 1, "next"))
        )
        rows: list[Row] = [
            Note(series.name(*watched) if watched is not None else "no body (middle-click one)", 12.5, palette.TEXT, bold=True)
        ]
        bodies = tuple(self._button(("body", name)) for name in QUANTITIES) if watched is not None else ()
        rows.append(Buttons((*walk, *bodies), height=19.0))
        rows.append(Note(bodies_summed, 12.5, palette.TEXT, bold=True))
        rows.append(Buttons(tuple(self._button(("whole", name)) for name in SUMS), height=19.0))
        rows.append(Note("Turn the wheel over a curve to zoom the time axis."))
        return rows

    def _button(self, source: Source) -> Button:
        kind, name = source
        is_on = source in self.chosen
        tip = f"Plot the {(QUANTITIES if kind == 'body' else SUMS)[name].name}."
        return Button(
            _short(source), partial(self.toggle, source), tip, is_on=is_on, draw=partial(self._draw_sample, source) if is_on else None
        )

    def _draw_sample(self, source: Source, surface: pygame.Surface, rect: pygame.Rect) -> None:
        draw_sample(surface, self.fonts.ui_scale, (rect.left, rect.centery, rect.width), self._styles[source])

    def _walk(self, session: Session, way: int) -> None:
        """Watch the next or previous movable body."""
        stages = session.demo.stages
        movable = [
            (k, body) for k, stage in enumerate(stages) for body in stage.world.body_ids if stage.world.body(body).spec.type != "static"
        ]
        if movable:
            at = movable.index(session.timeline.watched) if session.timeline.watched in movable else -1 if way > 0 else 0
            session.timeline.watched = movable[(at + way) % len(movable)]

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


_SHORT = {
    "energy": "kinetic",
    "impulse": "impulses",
    "px": "momentum x",
    "py": "momentum y",
    "angular": "angular momentum",
}


def _short(source: Source) -> str:
    """Return the unique label of a curve."""
    kind, name = source
    return _SHORT.get(name, name) if kind == "body" else {"kinetic": "total kinetic"}.get(name, _SHORT.get(name, name))


def _unit(source: Source) -> str:
    kind, name = source
    return (QUANTITIES if kind == "body" else SUMS)[name].unit
