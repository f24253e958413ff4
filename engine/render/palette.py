"""The colours, in one place: a dark theme in which every meaning also differs in lightness or form, not in hue alone.

The signal colours follow Okabe and Ito's palette for all kinds of colour vision (jfly.uni-koeln.de/color), lightened for a
dark ground. A new contact point is a filled cyan dot inside a ring, a persisting one a small white dot, a removed one a
fading hollow ring, so that they can be told apart in grey.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = [
    "ACCENT",
    "AGREE",
    "BACKGROUND",
    "BODY_COLORS",
    "CAPTION",
    "CENTER_OF_MASS",
    "CONTACT_SEGMENT",
    "EXPLAINED",
    "FIXTURE_AABB",
    "GRID",
    "GRID_AXIS",
    "JOINT",
    "KINEMATIC",
    "NORMAL",
    "PANEL",
    "PANEL_EDGE",
    "PANEL_RAISED",
    "POINT_ADD",
    "POINT_PERSIST",
    "POINT_REMOVE",
    "SENSOR",
    "SLEEPING",
    "STATIC",
    "TEXT",
    "TOUCHING",
    "UNEXPLAINED",
    "WARNING",
    "Color",
    "mix",
]

Color: TypeAlias = tuple[int, int, int]

BACKGROUND: Color = (13, 17, 23)
GRID: Color = (22, 28, 37)
GRID_AXIS: Color = (34, 43, 56)

PANEL: Color = (18, 23, 31)
PANEL_RAISED: Color = (28, 36, 48)
PANEL_EDGE: Color = (44, 55, 70)
TEXT: Color = (222, 229, 238)
CAPTION: Color = (139, 153, 171)
ACCENT: Color = (86, 180, 233)
WARNING: Color = (240, 180, 60)

BODY_COLORS: tuple[Color, ...] = ((86, 156, 214), (64, 178, 150), (176, 140, 214), (208, 168, 88), (122, 142, 220), (96, 184, 196))
"""Dynamic bodies take turns; the outline has the colour itself, the fill a darkened one."""
STATIC: Color = (110, 122, 138)
KINEMATIC: Color = (190, 170, 120)
SENSOR: Color = (150, 130, 190)
SLEEPING: Color = (84, 94, 108)
TOUCHING: Color = (232, 84, 68)

POINT_ADD: Color = (64, 224, 255)
POINT_PERSIST: Color = (255, 255, 255)
POINT_REMOVE: Color = (236, 150, 200)
CONTACT_SEGMENT: Color = (236, 214, 208)
NORMAL: Color = (250, 214, 90)
FIXTURE_AABB: Color = (118, 126, 138)
JOINT: Color = (120, 220, 190)
CENTER_OF_MASS: Color = (245, 200, 110)

AGREE: Color = (70, 201, 138)
EXPLAINED: Color = (240, 180, 60)
UNEXPLAINED: Color = (255, 92, 92)


def mix(a: Color, b: Color, share: float) -> Color:
    """Return `a` with `share` of it replaced by `b`; 0 gives a, 1 gives b.

    Examples
    --------
    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    keep = 1.0 - share
    return round(a[0] * keep + b[0] * share), round(a[1] * keep + b[1] * share), round(a[2] * keep + b[2] * share)
