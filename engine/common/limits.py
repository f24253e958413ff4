"""Limits compiled into Box2D 2.3 (`b2Settings.h`), as measured through the wheel."""

from __future__ import annotations

import math

__all__ = [
    "LOOSE_SPRING",
    "MAX_COORDINATE",
    "MAX_ITERATIONS",
    "MAX_MASS",
    "MAX_NUMBER",
    "MAX_POLYGON_VERTICES",
    "MAX_ROTATION_PER_STEP",
    "MAX_SPEED",
    "MAX_TRANSLATION_PER_STEP",
    "MIN_MASS",
    "MIN_MOUSE_STIFFNESS",
    "VELOCITY_THRESHOLD",
]

MAX_POLYGON_VERTICES = 16
"""Vertices of one polygon. The wheel is built with 16; plain Box2D 2.3 has 8."""

MAX_TRANSLATION_PER_STEP = 2.0
"""Metres a body moves in one step at the most, `b2_maxTranslation`: 120 m/s at 60 Hz."""

MAX_ROTATION_PER_STEP = math.pi / 2.0
"""Radians a body turns in one step at the most, `b2_maxRotation`."""

VELOCITY_THRESHOLD = 1.0
"""Metres a second of approach below which nothing bounces, `b2_velocityThreshold`."""

MAX_COORDINATE = 1.0e6
"""Metres from the origin that the wrapper lets a body be placed at: float32 is spaced 6 cm apart there already."""

MAX_NUMBER = 1.0e9
"""Largest magnitude of any number handed to Box2D: its square times a mass stays far inside float32."""

MAX_ITERATIONS = 1000
"""Solver iterations a step that the wrapper lets through; Box2D itself has no limit, and 10 is usual."""

MAX_SPEED = 1.0e6
"""Metres or radians a second that the wrapper hands over, and that a body may reach before it is taken out. Box2D moves nothing
farther than 2 m a step in any case; faster bodies only push its solver over the edge of float32."""

MIN_MASS = 1.0e-9
"""Kilograms of a dynamic body, a cube of water of a tenth of a millimetre: below, impulses underflow and inverses overflow float32."""

MAX_MASS = 1.0e12
"""Kilograms of a dynamic body, a mountain: above, an impulse's square leaves float32."""

LOOSE_SPRING = 1.0e-6
"""Hertz handed to Box2D for a wheel joint's spring of frequency 0. With 0 itself `b2WheelJoint` never computes the spring's two arms and
multiplies whatever memory held by 0, so that now and then a body becomes NaN. At this frequency a wheel a metre off is drawn back by
4e-11 m/s^2, which float32 does not see."""

MIN_MOUSE_STIFFNESS = 1.0e-6
"""Newton seconds a metre. Box2D asserts, in the middle of a step, that a mouse joint's ``d + h k`` exceeds 1.2e-7."""
