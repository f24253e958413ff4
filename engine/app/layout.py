"""Layout of the window: arithmetic on sizes in pixels."""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.checks import finite
from engine.common.errors import InvalidInputError
from engine.render.camera import Place

__all__ = [
    "MAX_UI_SCALE",
    "MIN_SIZE",
    "MIN_UI_SCALE",
    "Layout",
    "check_ui_scale",
    "fitting_scale",
    "is_inside",
    "lay_out",
    "ui_scale_for",
]

MIN_UI_SCALE, MAX_UI_SCALE = 0.75, 4.0

_PANEL_WIDTH = 276
_STRIP_HEIGHT = 30
_DESIGN_HEIGHT = 1080
"""Height of a display on which a design pixel is a screen pixel."""

_SMALLEST = (240, 160)
MIN_SIZE = (480, 320)
"""Minimum size of a window, design pixels; the buttons do not fit in less."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Places as (left, top, width, height): the panel on the left, the view, and the status strip below both."""

    size: tuple[int, int]
    ui_scale: float
    panel: Place
    view: Place
    strip: Place


def ui_scale_for(display_size: tuple[int, int]) -> float:
    """Return the UI scale for a display: 1 up to 1080 lines, 2 at 2160, in steps of 0.25.

    Examples
    --------
    >>> ui_scale_for((1920, 1080)), ui_scale_for((2560, 1440)), ui_scale_for((3840, 2160))
    (1.0, 1.25, 2.0)
    """
    return min(max(int(4.0 * display_size[1] / _DESIGN_HEIGHT) / 4.0, 1.0), MAX_UI_SCALE)


def fitting_scale(size: tuple[int, int], wanted: float) -> float:
    """Return the UI scale of a window of `size` pixels: the requested one, or the largest that leaves room for everything, in eighths.

    Examples
    --------
    >>> fitting_scale((1280, 720), 2.0), fitting_scale((800, 600), 4.0), fitting_scale((300, 200), 1.0)
    (2.0, 1.625, 0.75)
    """
    room = min(size[0] / MIN_SIZE[0], size[1] / MIN_SIZE[1])
    return max(min(wanted, int(8.0 * room) / 8.0), MIN_UI_SCALE)


def lay_out(size: tuple[int, int], ui_scale: float) -> Layout:
    """Divide a window of `size` pixels; the panel takes at most 45% of the width, so that a view always remains.

    A window smaller than 240 x 160 is cropped instead of squeezed, because widgets have a minimum size.
    """
    width, height = max(size[0], _SMALLEST[0]), max(size[1], _SMALLEST[1])
    strip = min(round(_STRIP_HEIGHT * ui_scale), height // 2)
    panel = min(round(_PANEL_WIDTH * ui_scale), int(0.45 * width))
    return Layout(
        size=(width, height),
        ui_scale=ui_scale,
        panel=(0, 0, panel, height - strip),
        view=(panel, 0, width - panel, max(height - strip, 1)),
        strip=(0, height - strip, width, strip),
    )


def is_inside(pixel: tuple[float, float], place: Place) -> bool:
    """Return True if a pixel lies in a place.

    Examples
    --------
    >>> is_inside((0, 0), (0, 0, 4, 3)), is_inside((4, 0), (0, 0, 4, 3))
    (True, False)
    """
    return place[0] <= pixel[0] < place[0] + place[2] and place[1] <= pixel[1] < place[1] + place[3]


def check_ui_scale(field: str, ui_scale: float | None) -> None:
    """Raise `InvalidInputError` unless the scale is None or valid for a window."""
    if ui_scale is not None and not MIN_UI_SCALE <= finite(field, ui_scale) <= MAX_UI_SCALE:
        raise InvalidInputError(field, f"from {MIN_UI_SCALE:g} to {MAX_UI_SCALE:g}", ui_scale)
