"""While some of its kernels are still being compiled, the live check waits for them."""

from __future__ import annotations

import pytest

from engine.common.jit import EDGES, hold_back, let_go
from engine.compare.live.pairs import LivePairs
from engine.compare.live.referee import LiveReferee
from engine.contracts import PairAgreement
from engine.geometry import Circle, Polygon, Segment
from engine.narrowphase import batched
from engine.world import BodySpec, FixtureSpec, World


@pytest.fixture(autouse=True)
def nothing_held_back_after():
    yield
    let_go(EDGES)


def floor_and_discs():
    """Discs on a box, and one on an edge."""
    world = World()
    world.create_body(BodySpec((FixtureSpec(Segment((4.0, 0.0), (8.0, 0.0))), FixtureSpec(Polygon.box(3.0, 0.5, (0.0, -0.5)))), "static"))
    for x in (-2.0, -1.0, 0.0, 6.0):
        world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(x, 0.3)))
    return world


def test_pairs_with_edges_are_judged_once_their_kernel_is_loaded(monkeypatch):
    world = floor_and_discs()
    check = LiveReferee(world, LivePairs(world))
    hold_back(EDGES)
    with monkeypatch.context() as patched:
        patched.setattr(batched, "manifold_core_pairs", None)  # nobody calls it
        for _ in range(3):
            contacts = world.step()
            assert int((contacts.evaluated & (contacts.count > 0)).sum()) == 4
            assert check.check(contacts).compared == 3
            assert check.pairs is not None and check.pairs.check(contacts) == PairAgreement()
    let_go(EDGES)
    for _ in range(3):
        contacts = world.step()
        assert check.check(contacts).compared == 4
        agreement = check.pairs.check(contacts)
        assert agreement.ours == agreement.box2d == agreement.agree == 4


def test_a_world_without_edges_is_fully_checked():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(3.0, 0.5)),), "static", position=(0.0, -0.5)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 0.3)))
    check = LiveReferee(world, LivePairs(world))
    hold_back(EDGES)
    contacts = world.step()
    assert check.check(contacts).compared == 1
    assert check.pairs is not None and check.pairs.check(contacts).agree == 1
