"""How the camera moves by itself: after a body, or to another picture.

The camera that follows stands at ``body + offset``. The offset is where it was when it began, and dies away in real time; the body is
where it is drawn. So after the first half second the body is exactly in the middle, while the world runs, stands, or is rewound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.render.camera import Camera, Place

__all__ = ["CameraFollow"]

_SETTLE = 0.12
"""Seconds in which the distance to the followed body falls to a third."""
_GLIDE = 0.3
"""Seconds on the way to another picture."""


@dataclass(slots=True)
class _Glide:
    start: Camera
    end: Camera
    passed: float = 0.0


class CameraFollow:
    """What the camera does by itself.

    Attributes
    ----------
    followed : (stage, body) or None
        The body that it stays with: the stage's place among the demo's, and its id.
    """

    def __init__(self) -> None:
        self.followed: tuple[int, int] | None = None
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

    def centred(self, camera: Camera, body: tuple[float, float]) -> Camera:
        """Return the camera that follows, for a body drawn there, a point of the picture."""
        if self._offset is None:
            self._offset = camera.center[0] - body[0], camera.center[1] - body[1]
        x, y = self._offset
        if math.hypot(x, y) * camera.scale < _CLOSE_ENOUGH:
            x = y = 0.0
        return replace(camera, center=(body[0] + x, body[1] + y))


_CLOSE_ENOUGH = 0.5
"""Pixels from which the rest of the way is not seen."""
