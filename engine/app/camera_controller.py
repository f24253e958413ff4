"""Place of the camera of a session: at home, moved by hand, after a body, close to a difference.

Until the user moves it the camera shows everything, whatever becomes of the window: a resize, a longer readout. A panel that opens or
closes beside the view lies over the picture, and moves nothing under a pointer that is in the view; without one `refit` moves an untouched
camera to what is left, and `home` does so in any case. The room for a picture is what the readout leaves of the view, beside it or under
it, above the foot that the scale bar or the demo takes::

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

from engine.common.arrays import FloatArray
from engine.common.errors import LabError
from engine.contracts.agreement import Difference
from engine.geometry import AABB, Transform
from engine.render.camera import Camera, Place
from engine.sim.demo import Demo
from engine.sim.stage import Stage

__all__ = ["CameraController", "CameraFollow", "Focus"]

_FARTHEST = 12.0
"""How many times smaller than at first the picture may become: farther out a demo is a dot that cannot be found again."""
_NOTCH = 1.15
"""Larger by so much with each notch of the wheel; at most `_MAX_NOTCHES` are taken at once."""
_MAX_NOTCHES = 8.0
_CLOSE = 1.2
"""How far around a difference the picture reaches, in sizes of the smaller shape."""
_GRAIN = 40.0
"""Design pixels to which the readout's room is rounded up: a word more or less must not move the picture."""
_FOOT = 16.0
"""Design pixels at the bottom of the view that the scale bar takes beyond the margin of a view of the usual height."""
_SCALE_BAR, _MARGIN = 38.0, 0.05
"""Design pixels that the scale bar takes, and the share of the view's height that is margin (`Camera.fitted`)."""

_SETTLE = 0.12
"""Seconds in which the distance to the followed body falls to a third."""
_GLIDE = 0.3
"""Seconds on the way to another picture."""
_CLOSE_ENOUGH = 0.5
"""Pixels from which the rest of the way to the followed body is not seen."""

_Margins = tuple[float, float, float, float]
"""Pixels at left, top, right and bottom of the view that the picture leaves free."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A difference that is looked at closely: its world and its two fixtures."""

    stage: Stage
    fixture_a: int
    fixture_b: int

    def is_of(self, stage: Stage, difference: Difference) -> bool:
        """Return True if a difference is that one, in this step or another."""
        return stage is self.stage and (difference.fixture_a, difference.fixture_b) == (self.fixture_a, self.fixture_b)


@dataclass(slots=True)
class _Glide:
    start: Camera
    end: Camera
    passed: float = 0.0


class CameraFollow:
    """Motion of the camera by itself."""

    def __init__(self) -> None:
        self.followed: tuple[int, int] | None = None
        """The body that it stays with: the stage's place among the demo's, and its id."""
        self._offset: tuple[float, float] | None = None
        self._glide: _Glide | None = None

    def follow(self, followed: tuple[int, int]) -> None:
        """Stay with a body from now on."""
        self.followed, self._offset, self._glide = followed, None, None

    def glide(self, start: Camera, end: Camera) -> None:
        """Go from one picture to another."""
        self.followed, self._glide = None, _Glide(start, end)

    def stop(self) -> None:
        """Leave the camera where it is."""
        self.followed = self._glide = None

    def interrupt(self) -> None:
        """Give up the way to another picture: the user moves the camera."""
        self._glide = None

    def cut(self, view: Place) -> None:
        """Take note that a panel beside the picture has come or gone: nothing jumps, what is followed goes gently to the middle."""
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
        """Return the camera that follows, for a body drawn there, a point of the picture."""
        if self._offset is None:
            self._offset = camera.center[0] - body[0], camera.center[1] - body[1]
        x, y = self._offset
        if math.hypot(x, y) * camera.scale < _CLOSE_ENOUGH:
            x = y = 0.0
        return replace(camera, center=(body[0] + x, body[1] + y))


class CameraController:
    """The camera on a demo, which is drawn at `view`: left, top, width, height, pixels.

    `following` is what the camera does by itself, `focus` the difference that is looked at closely, `lanes` where worlds beside the first
    are drawn as the same camera sees them, pixels; none where they have no places of their own. `besides` are the demos of those worlds, to
    be laid out as this one is.
    """

    def __init__(self, demo: Demo, view: Place) -> None:
        self.demo = demo
        self.camera = Camera(view=view)
        self.lanes: tuple[Place, ...] = ()
        self.besides: tuple[Demo, ...] = ()
        self.following = CameraFollow()
        self.focus: Focus | None = None
        self._before: tuple[Camera, bool] | None = None
        """The camera before a close look, and whether it was untouched then."""
        self._readout = (0.0, 0.0)
        self._foot = 0.0
        self._ui_scale = 1.0
        self._is_held = False
        """True if the picture stays as it was though the view has been cut, until all of it is asked for."""
        self.home()

    @property
    def is_untouched(self) -> bool:
        """True if the camera has not been moved since it showed everything."""
        return self._is_untouched

    @property
    def seen(self) -> AABB:
        """Box that is looked at, in the picture's frame: a demo whose `home` it is begins with this picture in a view as large."""
        camera, is_untouched = self._before if self._before is not None else (self.camera, self._is_untouched)
        if is_untouched:
            return self.demo.home()
        beside, under = self._rooms()
        width, height, foot = beside[0], under[1], under[3]
        is_beside = width * (camera.view[3] - foot) < height * camera.view[2]  # what leaves more of the view
        return camera.framed(kept=beside if is_beside else under)

    def home(self) -> None:
        """Show everything, beside the readout or under it, whichever leaves the picture larger; follow nothing."""
        self.following.stop()
        (_, top, _, foot), (across, down) = self._rooms()[1], self.camera.view[2:]
        room = across / self._ui_scale, max(down - top - foot, 1.0) / self._ui_scale
        is_arranged = self.demo.arrange(*room)
        for beside in self.besides:
            beside.arrange(*room)
        box = self.demo.home()
        self.camera = self.camera.fitted(box, kept=self._rooms()[1]) if is_arranged else self._fitted(box)
        self._home_scale = self.camera.scale
        self._is_untouched, self._is_held = True, False
        self._home_view = self.camera.view
        self.focus = self._before = None

    def refit(self) -> None:
        """Go gently to where an untouched camera shows everything in what panels have left of the view."""
        if self._is_untouched and self._is_held:
            start = self.camera
            self.home()
            self.following.glide(start, self.camera)
            self.camera = start

    def fit_anew(self) -> None:
        """Show everything of a picture that is another one now: the room that its readout had is given back."""
        self._readout = (0.0, 0.0)
        self.home()

    @property
    def whole(self) -> Place:
        """The view and the lanes, pixels."""
        (left, top, _, _), places = self.camera.view, (self.camera.view, *self.lanes)
        right, bottom = max(x + width for x, _, width, _ in places), max(y + height for _, y, _, height in places)
        return left, top, right - left, bottom - top

    def holds(self, pixel: tuple[float, float]) -> bool:
        """Return True if a pixel lies in the view or in a lane."""
        return _is_in(pixel, self.camera.view) or self.lane_at(pixel) is not None

    def lane_at(self, pixel: tuple[float, float]) -> int | None:
        """Return in which lane a pixel lies, from 0; None outside of them."""
        return next((k for k, lane in enumerate(self.lanes) if _is_in(pixel, lane)), None)

    def in_view(self, pixel: tuple[float, float]) -> tuple[float, float]:
        """Return the pixel of the view that shows the same point of the world as one of a lane; any other as it is."""
        k = self.lane_at(pixel)
        if k is None:
            return pixel
        return pixel[0] - self.lanes[k][0] + self.camera.view[0], pixel[1] - self.lanes[k][1] + self.camera.view[1]

    def to_world(self, pixel: tuple[float, float]) -> tuple[float, float]:
        """Return the point of the world under a pixel of the view or of a lane."""
        return self.camera.to_world(self.in_view(pixel))

    def place(self, view: Place, is_cut: bool = False, lanes: tuple[Place, ...] = ()) -> None:
        """Take another viewport, and lanes as large; an untouched camera shows everything there too.

        One that is cut, or grows, because a panel beside it has come or gone, shows what it showed on the same pixels.
        """
        self.lanes = lanes
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
        """Let real seconds pass for a camera that moves by itself."""
        self.camera = self.following.advance(self.camera, elapsed)

    def keep_clear(self, readout: tuple[int, int], ui_scale: float) -> None:
        """Leave room for a readout of (width, height) pixels in the upper left corner; an untouched camera makes it at once.

        A readout that shrinks keeps its room, so that the picture does not move with every word.
        """
        if self._is_untouched and self._is_held:  # when the panel goes, nothing has changed
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
        """Zoom by wheel notches, the point under the cursor staying where it is; not so far out that the demo is lost."""
        self.following.interrupt()
        factor = _NOTCH ** max(-_MAX_NOTCHES, min(_MAX_NOTCHES, notches))
        farthest = min(self._home_scale / _FARTHEST / self.camera.scale, 1.0)
        self.camera = self.camera.zoomed(self.in_view(pixel), max(factor, farthest))
        self._is_untouched = False

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by a drag in pixels; a camera that followed something stays behind."""
        self.following.stop()
        self.camera = self.camera.panned(dx, dy)
        self._is_untouched = False

    def follow(self, body: tuple[int, int]) -> None:
        """Keep a body, of a stage and an id, in the middle of the view."""
        self.following.follow(body)
        self._is_untouched = False

    def stop_if_gone(self) -> None:
        """Follow no body whose making was undone: its number is the next one's."""
        if self.following.followed is not None and not self.demo.sim.has_body(*self.following.followed):
            self.following.stop()

    def center_followed(self, poses: Callable[[Stage], FloatArray]) -> None:
        """Let the camera stand where the followed body is drawn; `poses` are those of a stage in the picture."""
        if self.following.followed is None:
            return
        index, body = self.following.followed
        if index < len(self.demo.stages) and self.demo.stages[index].world.is_body(body):
            stage = self.demo.stages[index]
            x, y, angle = poses(stage)[stage.world.row_of(body)].tolist()
            at = Transform((x + stage.offset[0], y + stage.offset[1]), angle).apply(stage.world.body(body).local_center)
            self.camera = self.following.centered(self.camera, at)

    def go_close(self, stage: Stage, difference: Difference, at: tuple[float, float]) -> None:
        """Go close to a difference at a point of the picture; `come_back` returns."""
        self.following.stop()
        if self._before is None:
            self._before = (self.camera, self._is_untouched)
        self.focus = Focus(stage, difference.fixture_a, difference.fixture_b)
        reach = _CLOSE * min(_size(stage, fixture) for fixture in (difference.fixture_a, difference.fixture_b))
        self.camera = self.camera.fitted(AABB((at[0] - reach, at[1] - reach), (at[0] + reach, at[1] + reach)))
        self._is_untouched = False

    def come_back(self) -> bool:
        """Return to what was seen before `go_close`; False if nothing is looked at closely."""
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
        """Return what a picture beside the readout, and one under it, leaves free."""
        (width, height), (top, right, foot) = self._readout, self.demo.margins(*self.camera.view[2:], self._ui_scale)
        foot += self._foot
        return (width, top, right, foot), (0.0, max(height, top), right, foot)

    def _fitted(self, box: AABB) -> Camera:
        """Return the camera that shows a box, in the room that leaves it larger."""
        beside, under = self._rooms()
        return max((self.camera.fitted(box, kept=under), self.camera.fitted(box, kept=beside)), key=lambda camera: camera.scale)


def _is_in(pixel: tuple[float, float], place: Place) -> bool:
    return place[0] <= pixel[0] < place[0] + place[2] and place[1] <= pixel[1] < place[1] + place[3]


def _size(stage: Stage, fixture: int) -> float:
    """Return the larger side of a fixture's box, meters; of one that has gone, a meter."""
    try:
        box = stage.world.fixture(fixture).shape.aabb(Transform())
    except LabError:
        return 1.0
    return max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
