"""Geometry that the property tests share."""

from engine.geometry import Polygon, Segment, Transform

__all__ = ["carried", "shifted", "skins"]


def shifted(xf, by):
    """Return a pose moved by a vector."""
    return Transform((xf.position[0] + by[0], xf.position[1] + by[1]), xf.angle)


def carried(xf, motion):
    """Return a pose after a rigid motion."""
    return Transform(motion.apply(xf.position), xf.angle + motion.angle)


def skins(*shapes):
    """Return the sum of the skin radii."""
    return sum(shape.skin_radius for shape in shapes if isinstance(shape, Polygon | Segment))
