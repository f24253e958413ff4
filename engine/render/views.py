"""What drawing needs to know of a world: structural types, so that the picture depends on no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.contracts.agreement import StepAgreement
from engine.contracts.contact import StepContacts
from engine.geometry import FixtureShape
from engine.render.palette import Color
from engine.render.trail import ContactTrail

if TYPE_CHECKING:
    from engine.render.interpolation import StepImpacts, StepPath

__all__ = ["BodySpecView", "BodyView", "FixtureSpecView", "FixtureView", "Layers", "SceneView", "WorldView"]


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


class FixtureSpecView(Protocol):
    """The part of a fixture's specification that shows."""

    @property
    def sensor(self) -> bool:
        """Whether it only senses."""


class FixtureView(Protocol):
    """A fixture: its shape in its body's frame."""

    @property
    def body(self) -> int:
        """Id of its body."""

    @property
    def shape(self) -> FixtureShape:
        """Body frame, metres."""

    @property
    def spec(self) -> FixtureSpecView:
        """What it was made from."""


class BodySpecView(Protocol):
    """The part of a body's specification that shows."""

    @property
    def type(self) -> str:
        """static, kinematic or dynamic."""


class BodyView(Protocol):
    """A body: kind and centre of mass."""

    @property
    def spec(self) -> BodySpecView:
        """What it was made from."""

    @property
    def local_center(self) -> tuple[float, float]:
        """Centre of mass, body frame, metres."""


class WorldView(Protocol):
    """A world between two steps; arrays are aligned with `body_ids`, which ascend."""

    @property
    def structure_version(self) -> int:
        """Changes whenever a body, fixture or joint comes or goes."""

    @property
    def body_ids(self) -> Sequence[int]:
        """Alive, ascending."""

    @property
    def fixture_ids(self) -> Sequence[int]:
        """Alive."""

    @property
    def joint_ids(self) -> Sequence[int]:
        """Alive."""

    @property
    def poses(self) -> FloatArray:
        """x, y, angle, (n, 3)."""

    @property
    def previous_poses(self) -> FloatArray:
        """The same before the last step."""

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Per body."""

    @property
    def contacts(self) -> StepContacts:
        """Of the last step."""

    def body(self, body_id: int, /) -> BodyView:
        """The body of that id."""

    def fixture(self, fixture_id: int, /) -> FixtureView:
        """The fixture of that id."""

    def joint_bodies(self, joint_id: int, /) -> tuple[int | None, int]:
        """Ids of the bodies that it joins; the first is None where it pulls towards a point of the world."""

    def joint_anchors(self, joint_id: int, /) -> tuple[tuple[float, float], tuple[float, float]]:
        """World points the joint holds together."""


class SceneView(Protocol):
    """One world in the picture, where it lies, and what is said about it."""

    @property
    def world(self) -> WorldView:
        """The world."""

    @property
    def offset(self) -> tuple[float, float]:
        """Where its origin lies in the picture, metres."""

    @property
    def label(self) -> str:
        """Its name, where several stand side by side."""

    @property
    def trail(self) -> ContactTrail:
        """Contact points that came and went lately."""

    @property
    def impacts(self) -> StepImpacts | StepPath | None:
        """Impacts inside the last step, or the pieces that it was taken in; None for none."""

    @property
    def agreement(self) -> StepAgreement:
        """What the referee said of the last step."""

    @property
    def mark_touching(self) -> bool:
        """Whether a touching body is drawn red."""

    @property
    def colors(self) -> Mapping[int, Color]:
        """Colours of single bodies, by id."""

    @property
    def outline_only(self) -> Set[int]:
        """Bodies drawn without a fill, because a picture shows them."""
