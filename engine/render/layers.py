"""Which layers of a picture of worlds are shown."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Layers"]


@dataclass(slots=True)
class Layers:
    """What is shown; the window's toggles 1 to 9 in this order."""

    shapes: bool = True
    aabbs: bool = False
    points: bool = True
    normals: bool = False
    joints: bool = True
    centers: bool = False
    separations: bool = False
    check: bool = True
    impulses: bool = False
