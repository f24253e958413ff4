"""Base class of the scenes about Box2D's limitations: they repeat themselves and have a table of predicted and measured numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from engine.demo import Demo, StatusLine
from engine.experiments.limitations.finding import Finding
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color
from engine.world import driven_by

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Limitation"]

Point = tuple[float, float]
_MIN_SHARE = 0.5
"""Smallest reduction of a view with text."""
_SMALL_TABLE = 0.75
"""Reduction of a view below which the readout has the numbers in place of the table."""
_TITLE = 12.0
"""Design pixels of a lane's title in a view without a table."""
_OF_VIEW = 0.9
"""Share of a view that a picture takes without its margin."""
_FULL = (760.0, 500.0)
"""Size of a view with text of full size, design pixels: 90 % of the view in a window of 1280 x 720."""


class Limitation(Demo):
    """A scene whose bodies return to their start after `period` steps."""

    run_steps: ClassVar[int] = 20
    slow_motion: ClassVar[float] = 1 / 16
    pitch: ClassVar[Point] = (1e3, 1e3)
    """Distances of the titles, across and down, meters; large where there is one only."""
    view_state: bool | None
    """True if the view is too small for the table: it shows the scene with the titles of its lanes, and the readout has the numbers."""
    no_edits = "The prediction holds only for these bodies, so this scene cannot be edited."

    def build(self) -> None:
        self._began = 0
        self.setup()
        self._at_start = [
            (stage, body, stage.world.state(body))
            for stage in self.stages
            for body in stage.world.body_ids
            if stage.world.body(body).spec.type != "static"
        ]
        self.viewer.wanted_speed = self.slow_motion

    def setup(self) -> None:
        """Create the worlds."""
        raise NotImplementedError

    def reset(self) -> None:
        """Discard the results of the last run."""

    def measured(self) -> tuple[Finding, ...]:
        """Return the numbers for the current parameters, measured in separate worlds."""
        raise NotImplementedError

    @property
    def period(self) -> int:
        """Steps of a run."""
        return self.run_steps

    @property
    def age(self) -> int:
        """Steps since the current run began."""
        return self.steps - self._began

    def before_step(self) -> None:
        if self.age < self.period:
            return
        self._began = self.steps
        for stage, body, state in self._at_start:
            stage.world.set_pose(body, state.position, state.angle)
            stage.world.set_velocity(body, state.linear_velocity, state.angular_velocity)
            stage.world.set_awake(body, True)
        self.reset()
        self.viewer.wanted_speed = self.slow_motion

    def findings(self) -> tuple[Finding, ...]:
        """Return the numbers, measured once for each solver and each set of parameters; empty until the solver is compiled."""
        key = (type(self), tuple(sorted(self.values.items())), self.sim.solvers[0])
        if key not in _known and self.sim.has_kernels:
            _measure(key)
        return _known.get(key, ())

    def finding(self, k: int) -> Finding | None:
        """Return a number by its index; None while it is not measured."""
        findings = self.findings()
        return findings[k] if findings else None

    def frame(self, has_table: bool) -> AABB:
        """Return the box of the scene, with or without its table."""
        raise NotImplementedError

    def home(self) -> AABB:
        return self.frame(not self.view_state)

    def arrange(self, width: float, height: float) -> bool:
        box = self.frame(has_table=True)
        across, up = box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]
        self.view_state = _OF_VIEW * min(width / across, height / up) < _SMALL_TABLE * min(_FULL[0] / across, _FULL[1] / up)
        return False

    def status(self) -> Sequence[StatusLine]:
        """Write whether another solver runs, and the predictions in a view without the table."""
        lines: list[StatusLine] = [
            (f"{finding.what}: {finding.measurement_words} (predicted {finding.prediction_words})", self._color(finding))
            for finding in (self.findings() if self.view_state else ())
            if finding.predicted is not None
        ]
        return lines if self.sim.is_on_box2d else [f"The predictions are for Box2D, but the solver is {self.sim.solver_title}.", *lines]

    def summary(self) -> Sequence[str]:
        otherwise = "   NOT AS PREDICTED" if self.sim.is_on_box2d else f"   {self.sim.solver_title} differs"
        return [finding.words + ("" if finding.holds else otherwise) for finding in self.findings()]

    def _color(self, finding: Finding) -> Color:
        if finding.holds:
            return palette.TEXT if finding.predicted is None else palette.AGREE
        return palette.UNEXPLAINED if self.sim.is_on_box2d else palette.EXPLAINED

    def write(
        self, canvas: Canvas, at: Point, words: str, color: Color, size: float = 15.0, anchor: str = "left", bold: bool = False
    ) -> None:
        """Write a line whose size is proportional to that of the view; in a view without the table only if it is a title, in bold."""
        share = self._share(canvas)
        if not self.view_state and share >= _MIN_SHARE:
            canvas.text(at, words, color, size * share, anchor, bold=bold)
        elif self.view_state and bold and self.pitch[1] * canvas.camera.scale > 2.0 * _TITLE * canvas.ui_scale:
            left, _, width, _ = canvas.camera.view
            room = min(left + width - canvas.camera.to_screen(at)[0], 0.95 * self.pitch[0] * canvas.camera.scale)
            canvas.text(at, canvas.fonts.shortened(words, _TITLE, max(round(room), 1), True), color, _TITLE, anchor, bold=True)

    def _share(self, canvas: Canvas) -> float:
        """Return the size of text as a fraction of the full size, in twentieths, because fonts are kept for each size."""
        (left, bottom), (right, top) = self.home().lower, self.home().upper
        full = min(_FULL[0] / (right - left), _FULL[1] / (top - bottom))
        return min(math.floor(20.0 * canvas.camera.scale / canvas.ui_scale / full) / 20.0, 1.0)

    def draw_heads(self, canvas: Canvas, xs: Point, y: float, what: str = "") -> None:
        """Write the heads of the two columns and, above them, their common title."""
        above = y + 22.0 * self._share(canvas) * canvas.ui_scale / canvas.camera.scale
        self.write(canvas, (xs[0], above), what, palette.TEXT, 13.0)
        for x, words in zip(xs, ("predicted" if self.sim.is_on_box2d else "Box2D", "measured"), strict=True):
            self.write(canvas, (x, y), words, palette.CAPTION, 14.0)

    def draw_finding(self, canvas: Canvas, xs: Point, y: float, finding: Finding | None, size: float = 15.0) -> None:
        """Write a number into the two columns, which begin at `xs`."""
        if finding is None:
            self.write(canvas, (xs[1], y), "...", palette.CAPTION, size)
            return
        if finding.predicted is not None:
            self.write(canvas, (xs[0], y), finding.prediction_words, palette.TEXT, size)
        self.write(canvas, (xs[1], y), finding.measurement_words, self._color(finding), size)


_Key = tuple[type[Limitation], tuple[tuple[str, float], ...], str]

_known: dict[_Key, tuple[Finding, ...]] = {}
"""The numbers measured by this process: the newest `_MAX_KNOWN` sets."""
_MAX_KNOWN = 256


def _measure(key: _Key) -> None:
    scene, values, solver = key
    with driven_by(solver):
        findings = scene(values=dict(values)).measured()
    while len(_known) >= _MAX_KNOWN:
        _known.pop(next(iter(_known)))
    _known[key] = findings
