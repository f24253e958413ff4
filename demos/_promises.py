"""What the scenes of the promises have in common: a run that begins again by itself, and a column each for prediction and measurement."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from engine.app.demo import Demo
from engine.experiments.promises.finding import Finding
from engine.render import palette
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["MEASURED", "Promise", "write"]

MEASURED = "measured"
"""Under this name the numbers of a scene arrive (`Demo.arrive`)."""

Point = tuple[float, float]
_SMALLEST = 7.0
"""Design pixels: words are not made smaller than this."""


class Promise(Demo):
    """A scene with numbers. What it shows lasts `period` steps; then everything is put back and runs again."""

    run_steps: ClassVar[int] = 20
    slow_motion: ClassVar[float] = 1 / 16
    no_edits = "what this scene measures was predicted for its bodies as they are: nothing can be changed by hand here"

    def build(self) -> None:
        self._runs_since = 0
        self.setup()
        self._at_start = [
            (stage, body, stage.world.state(body))
            for stage in self.stages
            for body in stage.world.body_ids
            if stage.world.body(body).spec.type != "static"
        ]
        self.wanted_speed = self.slow_motion

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
        self.wanted_speed = self.slow_motion

    def findings(self) -> tuple[Finding, ...]:
        """Return the numbers; measured once for each setting of the parameters.

        Where somebody is watching a thread measures, for it takes a second, and there are none until it is done.
        """
        key = (type(self), tuple(sorted(self.values.items())))
        if key not in _known and (not self.interactive or MEASURED in self.arrived):
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

    def summary(self) -> Sequence[str]:
        return [one.words + ("" if one.holds else "   NOT AS PREDICTED") for one in self.findings()]

    def draw_heads(self, canvas: Canvas, xs: tuple[float, float], y: float, width: float, what: str = "") -> None:
        """Write what the two columns are, and over them of what."""
        if what:
            above = y + 22.0 * canvas.ui_scale / canvas.camera.scale
            write(canvas, (xs[0], above), what, palette.TEXT, xs[1] - xs[0] + width, 13.0)
        write(canvas, (xs[0], y), "predicted", palette.CAPTION, width)
        write(canvas, (xs[1], y), "measured", palette.CAPTION, width)

    def draw_finding(
        self, canvas: Canvas, xs: tuple[float, float], y: float, width: float, one: Finding | None, size: float = 15.0
    ) -> None:
        """Write a finding into the two columns, whose left ends are at `xs` and which are `width` metres wide."""
        if one is None:
            write(canvas, (xs[1], y), "...", palette.CAPTION, width, size)
            return
        color = palette.TEXT if one.predicted is None else palette.AGREE if one.holds else palette.UNEXPLAINED
        if one.predicted is not None:
            write(canvas, (xs[0], y), one.prediction_words, palette.TEXT, width, size)
        write(canvas, (xs[1], y), one.measurement_words, color, width, size)


_Key = tuple[type[Promise], tuple[tuple[str, float], ...]]

_known: dict[_Key, tuple[Finding, ...]] = {}
"""What this process has measured: the newest `_MOST_KNOWN` settings of scenes."""
_threads: list[threading.Thread] = []
"""The one that measures now, if any."""
_MOST_KNOWN = 256


def _measure(key: _Key) -> None:
    scene, values = key
    found = scene(values=dict(values)).measured()
    while len(_known) >= _MOST_KNOWN:
        _known.pop(next(iter(_known)))
    _known[key] = found


def write(
    canvas: Canvas, at: Point, words: str, color: Color, width: float, size: float = 15.0, anchor: str = "left", bold: bool = False
) -> None:
    """Write a line that is at most `width` metres wide: smaller where the view is."""
    while size > _SMALLEST and canvas.fonts.width(words, size, bold=bold) > width * canvas.camera.scale:
        size -= 1.0
    canvas.text(at, words, color, size, anchor, bold=bold)
