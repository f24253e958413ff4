"""The camera: frozen numbers and pure functions between the world (meters, y up) and a viewport (pixels, y down).

    pixel_x = view_x + view_width / 2  + (x - center_x) * scale
    pixel_y = view_y + view_height / 2 - (y - center_y) * scale

Outside drawing, no other module uses pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry.aabb import AABB

__all__ = ["MAX_SCALE", "MIN_SCALE", "Camera"]

MIN_SCALE = 0.02
"""Minimum scale, pixels per meter: 50 m per pixel shows a world of 60 km."""
MAX_SCALE = 50_000.0
"""Maximum scale, pixels per meter: 0.02 mm per pixel, finer than Box2D's float32 resolves at 200 m from the origin."""
_FAR = 20_000.0
"""Maximum coordinate of a rectangle, pixels; pygame's rectangles hold 32-bit integers, so larger ones are clipped."""

Place = tuple[int, int, int, int]
"""Left, top, width and height, pixels."""


@dataclass(frozen=True, slots=True)
class Camera:
    """The visible part of the world and its viewport on the surface.

    Parameters
    ----------
    center : pair of float
        World point in the middle of the view, meters.
    scale : float
        Pixels per meter.
    view : (left, top, width, height)
        The viewport on the surface, pixels.
    """

    center: tuple[float, float] = (0.0, 0.0)
    scale: float = 40.0
    view: tuple[int, int, int, int] = (0, 0, 1280, 720)

    def to_screen(self, point: tuple[float, float]) -> tuple[float, float]:
        """Return the pixel of a world point."""
        left, top, width, height = self.view
        return left + 0.5 * width + (point[0] - self.center[0]) * self.scale, top + 0.5 * height - (point[1] - self.center[1]) * self.scale

    def to_screen_array(self, points: FloatArray) -> FloatArray:
        """Return the pixels of world points, float64 (..., 2)."""
        left, top, width, height = self.view
        pixels: FloatArray = np.empty(points.shape)
        # column by column, because NumPy takes six times as long for rows of two numbers
        np.multiply(points[..., 0], self.scale, out=pixels[..., 0])
        np.multiply(points[..., 1], -self.scale, out=pixels[..., 1])
        pixels[..., 0] += left + 0.5 * width - self.center[0] * self.scale
        pixels[..., 1] += top + 0.5 * height + self.center[1] * self.scale
        return pixels

    def rectangles(self, boxes: FloatArray) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.bool_]], list[list[int]]]:
        """Return which boxes of the world, (n, 4) x0, y0, x1, y1, are in view, and their left, top, width and height in pixels."""
        left, top, width, height = self.view
        pixels = self.to_screen_array(boxes.reshape(-1, 2, 2))
        low, high = pixels.min(axis=1), pixels.max(axis=1)
        is_seen = (
            np.isfinite(pixels).all(axis=(1, 2)) & (high >= (left, top)).all(axis=1) & (low <= (left + width, top + height)).all(axis=1)
        )
        low, high = (np.rint(np.clip(corner[is_seen], -_FAR, _FAR)).astype(np.int64) for corner in (low, high))
        places: list[list[int]] = np.hstack((low, np.maximum(high - low + 1, 1))).tolist()
        return is_seen, places

    def to_world(self, pixel: tuple[float, float]) -> tuple[float, float]:
        """Return the world point under a pixel."""
        left, top, width, height = self.view
        x = self.center[0] + (pixel[0] - left - 0.5 * width) / self.scale
        y = self.center[1] - (pixel[1] - top - 0.5 * height) / self.scale
        return x, y

    def zoomed(self, pixel: tuple[float, float], factor: float) -> Camera:
        """Return the camera `factor` times closer, with the same world point under `pixel`."""
        scale = min(max(self.scale * factor, MIN_SCALE), MAX_SCALE)
        fixed = self.to_world(pixel)
        moved = replace(self, scale=scale).to_world(pixel)
        center = (self.center[0] + fixed[0] - moved[0], self.center[1] + fixed[1] - moved[1])
        return replace(self, scale=scale, center=center)

    def panned(self, dx: float, dy: float) -> Camera:
        """Return the camera moved so that the world follows a drag of (dx, dy) pixels."""
        return replace(self, center=(self.center[0] - dx / self.scale, self.center[1] + dy / self.scale))

    def fitted(self, box: AABB, margin: float = 0.05, kept: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)) -> Camera:
        """Return the camera that centers `box`, with a margin of the share `margin` of the view on each side.

        `kept` are the margins at the left, top, right and bottom of the view that something else covers, pixels; the picture avoids them.
        """
        width = max(box.upper[0] - box.lower[0], 1e-6)
        height = max(box.upper[1] - box.lower[1], 1e-6)
        left, top, right, bottom = kept
        room = max(1.0 - 2.0 * margin, 0.1)
        scale = room * min(max(self.view[2] - left - right, 1) / width, max(self.view[3] - top - bottom, 1) / height)
        scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        middle = (0.5 * (box.lower[0] + box.upper[0]), 0.5 * (box.lower[1] + box.upper[1]))
        center = (middle[0] + 0.5 * (right - left) / scale, middle[1] + 0.5 * (top - bottom) / scale)
        return replace(self, center=center, scale=scale)

    def framed(self, margin: float = 0.05, kept: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)) -> AABB:
        """Return the box of the world inside the margins of the view, the inverse of `fitted` with the same arguments."""
        left, top, right, bottom = kept
        room = max(1.0 - 2.0 * margin, 0.1)
        half = [0.5 * room * max(side, 1.0) / self.scale for side in (self.view[2] - left - right, self.view[3] - top - bottom)]
        x, y = self.center[0] - 0.5 * (right - left) / self.scale, self.center[1] - 0.5 * (top - bottom) / self.scale
        return AABB((x - half[0], y - half[1]), (x + half[0], y + half[1]))

    def resized(self, view: tuple[int, int, int, int]) -> Camera:
        """Return the camera for another viewport, with the same center; the scale follows the smaller side."""
        before = min(self.view[2], self.view[3])
        after = min(view[2], view[3])
        ratio = after / before if before > 0 and after > 0 else 1.0
        return replace(self, view=view, scale=min(max(self.scale * ratio, MIN_SCALE), MAX_SCALE))

    def cut(self, view: tuple[int, int, int, int]) -> Camera:
        """Return the camera for a larger or smaller part of the same surface; everything visible keeps its pixels."""
        left, top, width, height = view
        return replace(self, view=view, center=self.to_world((left + 0.5 * width, top + 0.5 * height)))

    def shifted(self, offset: tuple[float, float]) -> Camera:
        """Return the camera for drawing a world whose origin lies at `offset` of this one."""
        return replace(self, center=(self.center[0] - offset[0], self.center[1] - offset[1]))

    @property
    def visible(self) -> AABB:
        """The visible rectangle of the world."""
        left, top, width, height = self.view
        x0, y0 = self.to_world((left, top + height))
        x1, y1 = self.to_world((left + width, top))
        return AABB((x0, y0), (x1, y1))
