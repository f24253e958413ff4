"""The camera of a session: at its home view, moved by hand, following a body, or zoomed in on a difference.

Until the user moves the camera, it shows everything, even after a resize or with a longer readout. A panel that the user opens or closes
moves an untouched camera to the remaining area (`refit`); one that a selection opens covers the picture without moving it while the
pointer is in the view. The picture uses the area beside or below the readout, above the foot, which contains the scale bar or the demo's
own drawing::

    +---------+-----------+      +---------------------+
    | readout |           |      | readout             |
    +---------+  beside   |      +---------------------+
    |         |           |      |        under        |
    +---------+-----------+      +---------------------+
    | foot                |      | foot                |
    +---------------------+      +---------------------+
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.app.layout import is_inside
from engine.common.arrays import FloatArray
from engine.common.errors import LabError
from engine.contracts.agreement import Difference
from engine.geometry import AABB, Transform
from engine.render.camera import Camera, Place
from engine.sim.demo import Demo
from engine.sim.stage import Stage

__all__ = ["CameraController", "CameraFollow", "Focus"]

_FARTHEST = 12.0
"""Maximum zoom-out factor; farther out, a demo is a dot that the user cannot find."""
_NOTCH = 1.15
"""Zoom factor per notch of the wheel; at most `_MAX_NOTCHES` are applied at once."""
_MAX_NOTCHES = 8.0
_CLOSE = 1.2
"""Size of the view around a difference, in sizes of the smaller shape."""
_GRAIN = 40.0
"""Step to which the readout's size is rounded up, design pixels, so that one more word does not move the picture."""
_FOOT = 16.0
"""Height of the scale bar beyond the margin of a view of normal height, design pixels."""
_SCALE_BAR, _MARGIN = 38.0, 0.05
"""Height of the scale bar, design pixels, and margin as a share of the view's height (`Camera.fitted`)."""

_SETTLE = 0.12
"""Time constant with which the camera approaches a followed body, seconds."""
_GLIDE = 0.3
"""Duration of a camera transition, seconds."""
_CLOSE_ENOUGH = 0.5
"""Remaining distance to a followed body that is invisible, pixels."""

_Margins = tuple[float, float, float, float]
"""Margins of the picture at the left, top, right and bottom of the view, pixels."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A difference that the camera is zoomed in on: its world and its two fixtures."""

    stage: Stage
    fixture_a: int
    fixture_b: int

    def is_of(self, stage: Stage, difference: Difference) -> bool:
        """Return True if a difference is the same one, in this step or another."""
        return stage is self.stage and (difference.fixture_a, difference.fixture_b) == (self.fixture_a, self.fixture_b)


@dataclass(slots=True)
class _Glide:
    start: Camera
    end: Camera
    passed: float = 0.0


class CameraFollow:
    """Automatic camera motion."""

    def __init__(self) -> None:
        self.followed: tuple[int, int] | None = None
        """The followed body: its stage's index in the demo, and its id."""
        self._offset: tuple[float, float] | None = None
        self._glide: _Glide | None = None

    def follow(self, followed: tuple[int, int]) -> None:
        """Start following a body."""
        self.followed, self._offset, self._glide = followed, None, None

    def glide(self, start: Camera, end: Camera) -> None:
        """Start a transition from one picture to another."""
        self.followed, self._glide = None, _Glide(start, end)

    def stop(self) -> None:
        """Stop all automatic motion."""
        self.followed = self._glide = None

    def interrupt(self) -> None:
        """Cancel the transition, because the user moves the camera."""
        self._glide = None

    def cut(self, view: Place) -> None:
        """Handle a resized view: approach the new middle smoothly instead of jumping."""
        self._offset = None
        if self._glide is not None:
            self._glide.start, self._glide.end = self._glide.start.cut(view), self._glide.end.cut(view)

    def advance(self, camera: Camera, elapsed: float) -> Camera:
        """Return the camera after `elapsed` real seconds."""
        if self._offset is not None:
            left = math.exp(-elapsed / _SETTLE)
            self._offset = self._offset[0] * left, self._offset[1] * left
        glide = self._glide
        if glide is None:
            return camera
        glide.passed += elapsed
        share = min(glide.passed / _GLIDE, 1.0)
        if share == 1.0:
            self._glide = None
        share *= share * (3.0 - 2.0 * share)  # starts and stops gently
        (x0, y0), (x1, y1) = glide.start.center, glide.end.center
        scale = glide.start.scale * (glide.end.scale / glide.start.scale) ** share
        return replace(camera, center=(x0 + share * (x1 - x0), y0 + share * (y1 - y0)), scale=scale)

    def centered(self, camera: Camera, body: tuple[float, float]) -> Camera:
        """Return the camera that follows a body drawn at a point of the picture."""
        if self._offset is None:
            self._offset = camera.center[0] - body[0], camera.center[1] - body[1]
        x, y = self._offset
        if math.hypot(x, y) * camera.scale < _CLOSE_ENOUGH:
            x = y = 0.0
        return replace(camera, center=(body[0] + x, body[1] + y))


class CameraController:
    """The camera on a demo, which is drawn at `view`: left, top, width, height, pixels.

    `following` is the automatic motion, `focus` the difference that is zoomed in on, and `beside` the demo of a comparison, which gets the
    same layout.
    """

    def __init__(self, demo: Demo, view: Place) -> None:
        self.demo = demo
        self.camera = Camera(view=view)
        self.beside: Demo | None = None
        self.following = CameraFollow()
        self.focus: Focus | None = None
        self._before: tuple[Camera, bool] | None = None
        """The camera before a close-up, and whether it was untouched."""
        self._readout = (0.0, 0.0)
        self._foot = 0.0
        self._ui_scale = 1.0
        self._is_held = False
        """True if a resize of the view does not move the picture until the home view is requested."""
        self.home()

    @property
    def is_untouched(self) -> bool:
        """True if the user has not moved the camera since the home view."""
        return self._is_untouched

    @property
    def seen(self) -> AABB:
        """The demo's home box in the picture's frame. A demo shows it first in a view of the same size."""
        camera, is_untouched = self._before if self._before is not None else (self.camera, self._is_untouched)
        if is_untouched:
            return self.demo.home()
        beside, under = self._rooms()
        width, height, foot = beside[0], under[1], under[3]
        is_beside = width * (camera.view[3] - foot) < height * camera.view[2]  # the alternative that leaves the larger area
        return camera.framed(kept=beside if is_beside else under)

    def home(self) -> None:
        """Show the home view, beside the readout or below it, whichever is larger; stop following."""
        self.following.stop()
        (_, top, _, foot), (across, down) = self._rooms()[1], self.camera.view[2:]
        room = across / self._ui_scale, max(down - top - foot, 1.0) / self._ui_scale
        is_arranged = self.demo.arrange(*room)
        if self.beside is not None:
            self.beside.arrange(*room)
        box = self.demo.home()
        self.camera = self.camera.fitted(box, kept=self._rooms()[1]) if is_arranged else self._fitted(box)
        self._home_scale = self.camera.scale
        self._is_untouched, self._is_held = True, False
        self._home_view = self.camera.view
        self.focus = self._before = None

    def refit(self) -> None:
        """Move an untouched camera smoothly to the home view in the part of the view that panels leave free."""
        if self._is_untouched and self._is_held:
            start = self.camera
            self.home()
            self.following.glide(start, self.camera)
            self.camera = start

    def fit_anew(self) -> None:
        """Show the home view of a new picture, without the space that the previous readout reserved."""
        self._readout = (0.0, 0.0)
        self.home()

    def holds(self, pixel: tuple[float, float]) -> bool:
        """Return True if a pixel is inside the view."""
        return is_inside(pixel, self.camera.view)

    def to_world(self, pixel: tuple[float, float]) -> tuple[float, float]:
        """Return the world point at a pixel of the view."""
        return self.camera.to_world(pixel)

    def place(self, view: Place, is_cut: bool = False) -> None:
        """Set the viewport; an untouched camera shows the home view there.

        If a panel beside the view appears or disappears, each remaining pixel shows the same point as before.
        """
        if view != self.camera.view and is_cut:
            self.camera = self.camera.cut(view)
            self.following.cut(view)
            if self._before is not None:
                self._before = (self._before[0].cut(view), self._before[1])
            self._is_held = view != self._home_view
        elif view != self.camera.view:
            self._is_held = False
            self.camera = self.camera.resized(view)
            if self._before is not None:
                self._before = (self._before[0].resized(view), self._before[1])
            self._readout = (0.0, 0.0)
            if self._is_untouched:
                self.home()

    def advance(self, elapsed: float) -> None:
        """Advance automatic camera motion by `elapsed` real seconds."""
        self.camera = self.following.advance(self.camera, elapsed)

    def keep_clear(self, readout: tuple[int, int], ui_scale: float) -> None:
        """Reserve space for a readout of (width, height) pixels in the upper left corner; an untouched camera adapts at once.

        A readout that shrinks keeps its reserved space, so that the picture does not move with every word.
        """
        if self._is_untouched and self._is_held:  # nothing moves when the panel closes
            return
        grain = _GRAIN * ui_scale
        width, height = (grain * math.ceil(length / grain) for length in readout)
        grown = (max(self._readout[0], width), max(self._readout[1], height))
        foot = max(_FOOT * ui_scale, _SCALE_BAR * ui_scale - _MARGIN * self.camera.view[3])
        if grown != self._readout or self._foot != foot:
            self._readout, self._foot, self._ui_scale = grown, foot, ui_scale
            if self._is_untouched:
                self.home()

    def zoom(self, pixel: tuple[float, float], notches: float) -> None:
        """Zoom by wheel notches around the cursor, within a limit."""
        self.following.interrupt()
        factor = _NOTCH ** max(-_MAX_NOTCHES, min(_MAX_NOTCHES, notches))
        farthest = min(self._home_scale / _FARTHEST / self.camera.scale, 1.0)
        self.camera = self.camera.zoomed(pixel, max(factor, farthest))
        self._is_untouched = False

    def pan(self, dx: float, dy: float) -> None:
        """Pan by a drag in pixels; this stops following."""
        self.following.stop()
        self.camera = self.camera.panned(dx, dy)
        self._is_untouched = False

    def follow(self, body: tuple[int, int]) -> None:
        """Keep a body, given as stage and id, in the middle of the view."""
        self.following.follow(body)
        self._is_untouched = False

    def stop_if_gone(self) -> None:
        """Stop following a body whose creation was undone, because a new body may get its id."""
        if self.following.followed is not None and not self.demo.sim.has_body(*self.following.followed):
            self.following.stop()

    def center_followed(self, poses: Callable[[Stage], FloatArray]) -> None:
        """Move the camera to the drawn position of the followed body; `poses` are the drawn poses of a stage."""
        if self.following.followed is None:
            return
        index, body = self.following.followed
        if index < len(self.demo.stages) and self.demo.stages[index].world.is_body(body):
            stage = self.demo.stages[index]
            x, y, angle = poses(stage)[stage.world.row_of(body)].tolist()
            at = Transform((x + stage.offset[0], y + stage.offset[1]), angle).apply(stage.world.body(body).local_center)
            self.camera = self.following.centered(self.camera, at)

    def go_close(self, stage: Stage, difference: Difference, at: tuple[float, float]) -> None:
        """Zoom in on a difference at a point of the picture; `come_back` returns."""
        self.following.stop()
        if self._before is None:
            self._before = (self.camera, self._is_untouched)
        self.focus = Focus(stage, difference.fixture_a, difference.fixture_b)
        reach = _CLOSE * min(_size(stage, fixture) for fixture in (difference.fixture_a, difference.fixture_b))
        self.camera = self.camera.fitted(AABB((at[0] - reach, at[1] - reach), (at[0] + reach, at[1] + reach)))
        self._is_untouched = False

    def come_back(self) -> bool:
        """Return to the view before `go_close`; return False if there was none."""
        if self._before is None:
            return False
        camera, is_untouched = self._before
        self.focus = self._before = None
        if is_untouched and not self._is_held:
            self.home()
        else:
            self.camera, self._is_untouched = camera, is_untouched
        return True

    # Inside

    def _rooms(self) -> tuple[_Margins, _Margins]:
        """Return the free areas beside the readout and below it."""
        (width, height), (top, right, foot) = self._readout, self.demo.margins(*self.camera.view[2:], self._ui_scale)
        foot += self._foot
        return (width, top, right, foot), (0.0, max(height, top), right, foot)

    def _fitted(self, box: AABB) -> Camera:
        """Return the camera that shows a box in the area in which it is larger."""
        beside, under = self._rooms()
        return max((self.camera.fitted(box, kept=under), self.camera.fitted(box, kept=beside)), key=lambda camera: camera.scale)


def _size(stage: Stage, fixture: int) -> float:
    """Return the longer side of a fixture's bounding box, meters; 1 if the fixture no longer exists."""
    try:
        box = stage.world.fixture(fixture).shape.aabb(Transform())
    except LabError:
        return 1.0
    return max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
