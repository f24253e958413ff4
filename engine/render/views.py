"""Interfaces of a world for drawing, as structural types, so that drawing depends on no engine."""

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


@dataclass(frozen=True, slots=True)
class SceneView:
    """A world in the picture, its position, meters, and its annotations.

    Attributes
    ----------
    trail : ContactTrail
        Contact points added and removed in the last steps.
    impacts : StepImpacts, StepPath or None
        Impacts within the last step, or the sub-steps of which it consists.
    displaced : collection of int
        Bodies moved by a command, or destroyed, since the last step, whose contacts no longer hold.
    agreement : StepAgreement
        The referee's verdict on the last step.
    mark_touching : bool
        True if a touching body is drawn red.
    colors : mapping of int to Color
        Colors that replace the defaults of single bodies, by id.
    outline_only : collection of int
        Bodies drawn without a fill, because a picture shows them.
    """

    world: WorldView
    offset: tuple[float, float]
    trail: ContactTrail
    impacts: StepImpacts | StepPath | None
    displaced: Collection[int]
    agreement: StepAgreement
    mark_touching: bool
    colors: Mapping[int, Color]
    outline_only: Collection[int]
