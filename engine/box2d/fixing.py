"""Fixing a shape to a body without losing it.

In pybox2d ``definition.shape = shape`` gives the shape away (SWIG's DISOWN): Python frees it no more. Nobody else does: Box2D copies the
shape into the fixture, and a b2FixtureDef owns nothing. So each shape that was ever fixed would stay: 304 bytes of a polygon, 64 of an
edge, 32 of a disc.
"""

from __future__ import annotations

from typing import Any

__all__ = ["fix"]


def fix(body: Any, definition: Any, shape: Any) -> Any:
    """Return the new b2Fixture of a b2Body: a copy of `shape`, which is Python's own again, with the rest of the b2FixtureDef."""
    definition.shape = shape
    try:
        return body.CreateFixture(definition)
    finally:
        definition.shape = None  # it must not point to what Python may free from now on
        shape.thisown = True
