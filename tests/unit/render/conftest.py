"""An artificial scene, so that drawing is tested without an engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pygame
import pytest

from engine.contracts import Difference, StepAgreement, StepContacts
from engine.geometry import Circle, Polygon
from engine.render.interpolation import StepImpacts
from engine.render.trail import ContactTrail


def contacts(step=1, points=2, position=(0.0, 0.0)):
    """One pair with 0 to 2 points, the first new, the second persistent."""
    n = 1 if points else 0
    state = np.full((n, 2), -1, dtype=np.int8)
    state[:, :points] = [0, 1][:points]
    where = np.zeros((n, 2, 2))
    where[:] = position
    where[:, 1, 0] += 0.5
    column = np.ones(n, dtype=np.int64)
    return StepContacts(
        step=step,
        fixture_a=column,
        fixture_b=2 * column,
        body_a=column,
        body_b=2 * column,
        pose_a=np.zeros((n, 3)),
        pose_b=np.zeros((n, 3)),
        count=points * column,
        normal=np.tile((0.0, 1.0), (n, 1)),
        position=where,
        separation=np.full((n, 2), -0.004),
        feature_id=np.zeros((n, 2), dtype=np.int64),
        normal_impulse=np.zeros((n, 2)),
        tangent_impulse=np.zeros((n, 2)),
        state=state,
        evaluated=np.ones(n, dtype=np.bool_),
        in_toi=np.zeros(n, dtype=np.bool_),
    )


@dataclass
class FakeWorld:
    """Body 1: a static box; 2: a rotated box; 3: a disc with a sensor."""

    contacts: StepContacts = field(default_factory=contacts)
    structure_version: int = 1
    body_ids: tuple[int, ...] = (1, 2, 3)
    fixture_ids: tuple[int, ...] = (1, 2, 3, 4)
    joint_ids: tuple[int, ...] = (1,)
    previous_poses: np.ndarray = field(default_factory=lambda: np.array([(0, -1, 0), (0, 1, 0.0), (3, 2, 0)], dtype=float))
    poses: np.ndarray = field(default_factory=lambda: np.array([(0, -1, 0), (0, 0.8, 0.4), (3, 2, 0)], dtype=float))
    awake: np.ndarray = field(default_factory=lambda: np.array([True, True, False]))

    def body(self, body_id, /):
        """Kind and center of mass."""
        return SimpleNamespace(spec=SimpleNamespace(type="static" if body_id == 1 else "dynamic"), local_center=(0.1, 0.0))

    def fixture(self, fixture_id, /):
        """Shape and body."""
        shape = {1: Polygon.box(5, 0.5), 2: Polygon.box(0.5, 0.5, skin_radius=0.01), 3: Circle(0.6), 4: Polygon.box(1, 1)}[fixture_id]
        return SimpleNamespace(body=min(fixture_id, 3), shape=shape, spec=SimpleNamespace(sensor=fixture_id == 4))

    def joint_bodies(self, joint_id, /):
        """The box and the disc."""
        return 2, 3

    def joint_anchors(self, joint_id, /):
        """Return the anchors, from the box to the disc."""
        return (0.0, 0.8), (3.0, 2.0)


@dataclass
class FakeScene:
    """The attributes of a scene that `DebugDraw` reads."""

    world: FakeWorld = field(default_factory=FakeWorld)
    offset: tuple[float, float] = (0.0, 0.0)
    label: str = ""
    trail: ContactTrail = field(default_factory=ContactTrail)
    agreement: StepAgreement = field(
        default_factory=lambda: StepAgreement(
            compared=1,
            explained=1,
            differences=(Difference(1, 2, (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), "local_maximum", 0.01, "shallower"),),
        )
    )
    impacts: StepImpacts | None = None
    displaced: frozenset[int] = frozenset()
    mark_touching: bool = True
    colors: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    outline_only: set[int] = field(default_factory=set)


@pytest.fixture
def scene():
    return FakeScene()


@pytest.fixture
def make_contacts():
    return contacts


@pytest.fixture
def surface():
    return pygame.Surface((320, 200))
