"""Contacts without what follows from the rest come back to the last bit, whatever the bodies do."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from engine.box2d.solver import Box2DSolver
from engine.contracts import StepContacts
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World
from engine.world.snapshot import WorldSnapshot

FOLLOW = {"fixture_a", "fixture_b", "body_a", "body_b", "pose_a", "pose_b", "count", "normal", "position", "separation", "feature_id"}


def crowd() -> World:
    """Boxes and discs that fall on a floor and come to rest, one of two fixtures, and a bullet that hits a wall within a step."""
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(6.0, 0.5)),), type="static"))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 3.0)),), type="static", position=(6.0, 3.0)))
    for k in range(6):
        shape = Circle(0.3, (0.1, 0.0)) if k % 2 else Polygon.box(0.3, 0.2)
        world.create_body(BodySpec((FixtureSpec(shape),), position=(-3.0 + 0.4 * k, 1.0 + 0.7 * k), angle=0.3 * k))
    world.create_body(BodySpec((FixtureSpec(Circle(0.2)), FixtureSpec(Polygon.box(0.5, 0.1))), position=(3.0, 0.9)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(0.0, 4.0), linear_velocity=(110.0, 0.0), bullet=True))
    return world


def again(snapshot: WorldSnapshot) -> tuple[StepContacts, set[str]]:
    """Return the contacts put together again, and the names of what was kept of them."""
    left = Box2DSolver.packed_contacts(snapshot)
    return Box2DSolver.unpacked_contacts(left, snapshot.state.memory, snapshot.fixtures), set(left)


def assert_same(found: StepContacts, wanted: StepContacts) -> None:
    for name in (one.name for one in fields(StepContacts)):
        column, other = getattr(wanted, name), getattr(found, name)
        if isinstance(column, np.ndarray):
            assert (other.dtype, other.shape, other.strides) == (column.dtype, column.shape, column.strides), name
            assert other.tobytes() == column.tobytes() and other.flags.writeable == column.flags.writeable, name
        else:
            assert other is column, name


def test_contacts_come_back_to_the_last_bit() -> None:
    world = crowd()
    hit = asleep = 0
    kept: list[set[str]] = []
    for _ in range(400):
        world.step()
        contacts = world.snapshot().contacts
        found, names = again(world.snapshot())
        assert_same(found, contacts)
        hit += bool(contacts.in_toi.any())
        asleep += not contacts.evaluated.all()
        kept.append(names)
    assert hit > 0 and asleep > 0 and len(contacts) > 5
    usual = {"poses", "step", "state", "evaluated", "in_toi", "removed", "began", "ended"}
    assert sum(names <= usual for names in kept) > 300
    assert any("normal_impulse" in names for names in kept), "what an impact inside a step adds is in no manifold"


def test_what_does_not_follow_is_kept() -> None:
    world = crowd()
    for _ in range(90):
        world.step()
    before = world.snapshot()
    contacts = before.contacts
    world.destroy_body(int(contacts.body_b[0]))
    after = world.snapshot()
    assert len(after.contacts) and not {*contacts.fixture_b.tolist()} <= {fixture for fixture, _, _ in after.fixtures}
    found, names = again(after)
    assert_same(found, after.contacts)
    assert names >= FOLLOW


def test_none_touch() -> None:
    world = World()
    found, _ = again(world.snapshot())
    assert_same(found, world.snapshot().contacts)
