"""Shapes and poses: plain immutable values, float64, metres and radians. No algorithm of collision lives here."""

from engine.geometry.aabb import AABB
from engine.geometry.circle import Circle
from engine.geometry.mass import MassProperties
from engine.geometry.polygon import Polygon
from engine.geometry.sweep import Sweep
from engine.geometry.transform import Transform

Shape = Circle | Polygon
"""Any shape the queries take."""

__all__ = ["AABB", "Circle", "MassProperties", "Polygon", "Shape", "Sweep", "Transform"]
