"""Interfaces that drawing needs of a world: structural types, so that the picture depends on no engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.contracts.agreement import StepAgreement
from engine.contracts.contact import StepContacts
from engine.render.palette import Color
from engine.render.trail import ContactTrail

if TYPE_CHECKING:
    from engine.render.interpolation import StepImpacts, StepPath

__all__ = ["Layers", "SceneView", "WorldView"]


@dataclass(slots=True)
class Layers:
    """Display toggles, in the order of the window's keys 1 to 9 and 0."""

    shapes: bool = True
    aabbs: bool = False
    points: bool = True
    normals: bool = False
    joints: bool = True
    centers: bool = False
    separations: bool = False
    check: bool = True
    impulses: bool = False
    labels: bool = False


class WorldView(Protocol):
    """State of `engine.world.World` between two steps; arrays are aligned with `body_ids`, which ascend."""

    @property
    def structure_version(self) -> int: ...
    @property
    def body_ids(self) -> Sequence[int]: ...
    @property
    def fixture_ids(self) -> Sequence[int]: ...
    @property
    def joint_ids(self) -> Sequence[int]: ...
    @property
    def poses(self) -> FloatArray: ...
    @property
    def previous_poses(self) -> FloatArray: ...
    @property
    def awake(self) -> NDArray[np.bool_]: ...
    @property
    def contacts(self) -> StepContacts: ...
    def body(self, body: int, /) -> Any: ...
    def fixture(self, fixture: int, /) -> Any: ...
    def joint_bodies(self, joint: int, /) -> tuple[int | None, int]: ...
    def joint_anchors(self, joint: int, /) -> tuple[tuple[float, float], tuple[float, float]]: ...


class SceneView(Protocol):
    """A world in the picture, its position, and the annotations on it."""

    @property
    def world(self) -> WorldView:
        """The world."""

    @property
    def offset(self) -> tuple[float, float]:
        """Position of its origin in the picture, meters."""

    @property
    def trail(self) -> ContactTrail:
        """Contact points added and removed in the last steps."""

    @property
    def impacts(self) -> StepImpacts | StepPath | None:
        """Impacts inside the last step, or the pieces that it was taken in; None for none."""

    @property
    def displaced(self) -> Collection[int]:
        """Bodies moved by a command, or destroyed, since the last step, whose contacts no longer hold."""

    @property
    def agreement(self) -> StepAgreement:
        """The referee's verdict on the last step."""

    @property
    def mark_touching(self) -> bool:
        """True if a touching body is drawn red."""

    @property
    def colors(self) -> Mapping[int, Color]:
        """Colors of single bodies, by id."""

    @property
    def outline_only(self) -> Collection[int]:
        """Bodies drawn without a fill, because a picture shows them."""
