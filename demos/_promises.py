"""What the scenes of the promises have in common: a run that begins again by itself, and a column each for prediction and measurement."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from engine.demo import Demo, StatusLine
from engine.experiments.limitations.finding import Finding
from engine.render import palette
from engine.render.palette import Color
from engine.world import driven_by

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["LONGEST_HEAD", "MEASURED", "Promise", "write"]

MEASURED = "measured"
"""Under this name the numbers of a scene arrive (`Demo.arrive`)."""

LONGEST_HEAD = "predicted"
"""Of the heads of columns that stand beside each other: all have the size in which this one has room."""

Point = tuple[float, float]
_SMALLEST = 7.0
"""Design pixels: words are not made smaller than this."""
_MIN_SHARE = 0.4
"""Of their full size that words have at the least: enlarged to what can be read, smaller ones would lie over each other."""
_SLACK = 1.15
"""By how much the smallest words may be wider than their room: columns are as much apart."""
_FULL = (760.0, 500.0)
"""Design pixels of a picture in which words have their full size: what a window of 1280 x 720 leaves, less a tenth."""


@dataclass(slots=True)
class _ViewState:
    is_small: bool = False
    """Whether the picture last drawn has no room for words: the readout has the numbers then."""


class Promise(Demo):
    """A scene with numbers. What it shows lasts `period` steps; then everything is put back and runs again."""

    view_state: _ViewState
    run_steps: ClassVar[int] = 20
    slow_motion: ClassVar[float] = 1 / 16
    no_edits = "The prediction holds for these bodies only, so nothing can be edited here."

    def build(self) -> None:
        self._runs_since = 0
        self.view_state = self.view_state if self.view_state is not None else _ViewState()
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

    def began_again(self) -> None:
        """Forget what the last run brought."""

    def measured(self) -> tuple[Finding, ...]:
        """Return the numbers for the present parameters, from worlds of their own; kept by `findings`."""
        raise NotImplementedError

    @property
    def period(self) -> int:
        """Steps of a run: `run_steps`, unless the parameters decide."""
        return self.run_steps

    @property
    def age(self) -> int:
        """Steps since the present run began."""
        return self.steps - self._runs_since

    def before_step(self) -> None:
        if self.age < self.period:
            return
        self._runs_since = self.steps
        for stage, body, state in self._at_start:
            stage.world.set_pose(body, state.position, state.angle)
            stage.world.set_velocity(body, state.linear_velocity, state.angular_velocity)
            stage.world.set_awake(body, True)
        self.began_again()
        self.viewer.wanted_speed = self.slow_motion

    def on_parameter(self, name: str) -> None:
        self.ready.discard(MEASURED)  # those were the numbers of other parameters
        super().on_parameter(name)

    def findings(self) -> tuple[Finding, ...]:
        """Return the numbers; measured once for each setting of the parameters, by the solver of the run.

        Where somebody is watching a thread measures, for it takes a second, and there are none until it is done.
        """
        key = (type(self), tuple(sorted(self.values.items())), self.sim.solvers[0])
        if key not in _known and (not self.viewer.interactive or MEASURED in self.ready):
            _measure(key)
        elif key not in _known and not any(thread.is_alive() for thread in _threads):
            _threads[:] = [threading.Thread(target=_measure, args=(key,), name="promises", daemon=True)]
            _threads[0].start()
        return _known.get(key, ())

    def arrivals(self) -> Sequence[str]:
        return (MEASURED,) if self.findings() else ()

    def finding(self, at: int) -> Finding | None:
        """Return one of the numbers; None while they are not measured."""
        found = self.findings()
        return found[at] if found else None

    def status(self) -> Sequence[StatusLine]:
        about = [] if self.sim.is_on_box2d else [f"The predictions are what Box2D does; here {self.sim.solver_title} drives the worlds."]
        return [
            *about,
            *((one.words, palette.TEXT if one.holds else self._color(one)) for one in self.findings() if self.view_state.is_small),
        ]

    def summary(self) -> Sequence[str]:
        otherwise = "   NOT AS PREDICTED" if self.sim.is_on_box2d else f"   {self.sim.solver_title} does otherwise"
        return [one.words + ("" if one.holds else otherwise) for one in self.findings()]

    def _color(self, one: Finding) -> Color:
        """Return the color of a measurement: a fault of the prediction's is marked, another solver's other answer is none."""
        if one.holds:
            return palette.TEXT if one.predicted is None else palette.AGREE
        return palette.UNEXPLAINED if self.sim.is_on_box2d else palette.EXPLAINED

    def write(
        self,
        canvas: Canvas,
        at: Point,
        words: str,
        color: Color,
        width: float,
        size: float = 15.0,
        anchor: str = "left",
        bold: bool = False,
        like: str = "",
    ) -> None:
        """Write a line at most `width` meters wide; in a small picture all lines are smaller by the same share, and so no nearer.

        `like` is another cell of the same table: the size is that in which both have room.
        """
        size = max(size * self._share(canvas), _SMALLEST)
        if self.view_state.is_small:
            return
        while size > _SMALLEST and like and canvas.fonts.width(like, size, bold=bold) > width * canvas.camera.scale:
            size = max(size - 1.0, _SMALLEST)
        write(canvas, at, words, color, width, size, anchor, bold)

    def _share(self, canvas: Canvas) -> float:
        """Return which share of their full size words have in a picture, in twentieths: a font is kept for each."""
        (left, bottom), (right, top) = self.home().lower, self.home().upper
        full = min(_FULL[0] / (right - left), _FULL[1] / (top - bottom))
        share = min(math.floor(20.0 * canvas.camera.scale / canvas.ui_scale / full) / 20.0, 1.0)
        self.view_state.is_small = share < _MIN_SHARE
        return share

    def draw_heads(self, canvas: Canvas, xs: tuple[float, float], y: float, width: float, what: str = "") -> None:
        """Write what the two columns are, and over them of what, to the left of them too where it is long."""
        share, room = max(self._share(canvas), _SMALLEST / 13.0), xs[1] - xs[0] + width
        above = y + 22.0 * share * canvas.ui_scale / canvas.camera.scale
        if what and canvas.fonts.width(what, 13.0 * share) <= room * canvas.camera.scale:
            self.write(canvas, (xs[0], above), what, palette.TEXT, room, 13.0)
        elif what:
            self.write(canvas, (xs[0] + room, above), what, palette.TEXT, 2.0 * room, 13.0, "right")
        for x, words in zip(xs, ("predicted" if self.sim.is_on_box2d else "Box2D", "measured"), strict=True):
            self.write(canvas, (x, y), words, palette.CAPTION, width, like=LONGEST_HEAD)

    def draw_finding(
        self, canvas: Canvas, xs: tuple[float, float], y: float, width: float, one: Finding | None, size: float = 15.0
    ) -> None:
        """Write a finding into the two columns, whose left ends are at `xs` and which are `width` meters wide."""
        if one is None:
            self.write(canvas, (xs[1], y), "...", palette.CAPTION, width, size)
            return
        if one.predicted is not None:
            self.write(canvas, (xs[0], y), one.prediction_words, palette.TEXT, width, size, like=one.measurement_words)
        self.write(canvas, (xs[1], y), one.measurement_words, self._color(one), width, size, like=one.prediction_words)


_Key = tuple[type[Promise], tuple[tuple[str, float], ...], str]

_known: dict[_Key, tuple[Finding, ...]] = {}
"""What this process has measured: the newest `_MAX_KNOWN` settings of scenes."""
_threads: list[threading.Thread] = []
"""The one that measures now, if any."""
_MAX_KNOWN = 256


def _measure(key: _Key) -> None:
    scene, values, solver = key
    with driven_by(solver):
        found = scene(values=dict(values)).measured()
    while len(_known) >= _MAX_KNOWN:
        _known.pop(next(iter(_known)))
    _known[key] = found


def write(
    canvas: Canvas, at: Point, words: str, color: Color, width: float, size: float = 15.0, anchor: str = "left", bold: bool = False
) -> None:
    """Write a line that is at most `width` meters wide: smaller where the view is, and not where it cannot be read."""
    room = width * canvas.camera.scale
    while size > _SMALLEST and canvas.fonts.width(words, size, bold=bold) > room:
        size = max(size - 1.0, _SMALLEST)
    if canvas.fonts.width(words, size, bold=bold) > _SLACK * room:
        return
    canvas.text(at, words, color, size, anchor, bold=bold)
