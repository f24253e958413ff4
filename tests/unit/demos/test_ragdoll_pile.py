"""Figures appear one by one, stay intact, and stay in the pit."""

import math
from itertools import pairwise

import numpy as np
import pytest
from shapely import Polygon as Area
from shapely.ops import unary_union

from demos._pile_figures import HEADS, LETTERS, LOOSE, RAGDOLL_JOINTS, VESSELS, loose_pieces, outline_of, ragdoll_limbs, scaled
from demos.ragdoll_pile import _AIR, _CLEAR, _PITCH, _SIZES, RagdollPile
from engine.compare.live.referee import live_referee

_LIMBS = 6
_NAMES = (*HEADS, *LETTERS, *VESSELS, "torso", "arm", "leg")


@pytest.mark.parametrize("name", _NAMES)
def test_no_figure_is_convex_and_its_pieces_are_its_outline(name):
    outline = outline_of(name).as_shapely()
    assert outline.area < 0.95 * outline.convex_hull.area
    pieces = loose_pieces(name)
    assert len(pieces) == {"bowl": 9, "car": 12}[name] if name in VESSELS else len(pieces) >= 2
    assert unary_union([Area(piece.vertices) for piece in pieces]).symmetric_difference(outline).area < 1e-6 * outline.area


def test_a_figure_keeps_within_its_place():
    """No figure of the largest size extends farther than half the distance to the next place."""
    for name in (*LOOSE, *VESSELS):
        corners = np.vstack([piece.vertices for piece in scaled(loose_pieces(name), max(_SIZES))])
        assert np.hypot(*corners.T).max() < 0.5 * _PITCH
    for head in HEADS:
        limbs = ragdoll_limbs(head)
        corners = np.vstack([piece.vertices + limb.place for limb in limbs for piece in limb.pieces]) * max(_SIZES)
        assert np.hypot(*corners.T).max() < 0.5 * _PITCH
        reach = max(np.hypot(*piece.vertices.T).max() for limb in limbs for piece in limb.pieces)
        assert reach * max(_SIZES) < _CLEAR - 0.5 * _PITCH


def test_figures_appear_over_time_and_stay_intact():
    demo = RagdollPile(values={"figures": 12, "rate": 6.0})
    world = demo.stage.world
    n_ragdolls = 6
    come = []
    for _ in range(300):
        demo.sim.step()
        come.append(demo.n_come)
        assert _widest_joint(demo) < 0.4, "a limb was torn off: its anchors are a limb's length apart"
    assert _widest_joint(demo) < 0.02, "an impact opens a joint for some steps only"
    assert come[0] == 1 and come[-1] == 12
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(come))
    assert len(world.body_ids) == 1 + 6 + _LIMBS * n_ragdolls
    assert len(world.joint_ids) == len(RAGDOLL_JOINTS) * n_ragdolls
    # nothing outside the pit, nothing faster than its fall
    poses, speeds = world.poses[1:], np.hypot(*world.velocities[1:, :2].T)
    assert np.isfinite(poses).all() and (np.abs(poses[:, 0]) < demo._half_width).all() and (poses[:, 1] > 0.0).all()
    assert speeds.max() < 10.0 / _AIR
    assert demo.status()[0][0].startswith("12 of 12 figures: 42 bodies")


def _widest_joint(demo):
    world = demo.stage.world
    return max((math.dist(*world.joint_anchors(joint)) for joint in world.joint_ids), default=0.0)


def test_bowls_have_nine_fixtures_and_cars_twelve():
    demo = RagdollPile(values={"figures": 4, "rate": 30.0, "kinds": "bowls and cars"})
    for _ in range(120):
        demo.sim.step()
    world = demo.stage.world
    assert sorted(world.body(body).spec.name for body in world.body_ids[1:]) == ["bowl", "bowl", "car", "car"]
    assert sorted(len(world.body(body).fixtures) for body in world.body_ids[1:]) == [9, 9, 12, 12] and not world.joint_ids


def test_the_parts_of_a_ragdoll_never_collide():
    demo = RagdollPile(values={"figures": 8, "rate": 30.0})
    world = demo.stage.world
    groups = {}
    for _ in range(150):
        demo.sim.step()
        for fixture in world.fixture_ids:
            groups[fixture] = world.fixture(fixture).spec.group
        contacts = world.contacts
        for a, b in zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True):
            assert groups[a] == 0 or groups[a] != groups[b]


def test_a_toss_moves_everything_up():
    demo = RagdollPile(3, {"figures": 10, "rate": 10.0})
    for _ in range(60):
        demo.sim.step()
    assert demo.on_key("t") and not demo.on_key("x")
    assert demo.stage.world.velocities[1:, 1].min() >= 5.0


def test_every_contact_is_explained():
    demo = RagdollPile(1, {"figures": 16, "rate": 30.0}, live_referee)
    for _ in range(150):
        demo.sim.step()
    total = demo.agreement()
    assert total.compared > 1_000
    assert total.unexplained == 0
