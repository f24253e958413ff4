"""What the clipboard holds."""

from __future__ import annotations

from dataclasses import dataclass

from engine.world import BodySpec
from engine.world.joint_specs import JointSpec

__all__ = ["Copied"]


@dataclass(frozen=True, slots=True)
class Copied:
    """Bodies as they stood, about `middle`; in `joints` the numbers of bodies are places in `bodies`, of joints places in `joints`."""

    bodies: tuple[BodySpec, ...]
    joints: tuple[JointSpec, ...]
    middle: tuple[float, float]
