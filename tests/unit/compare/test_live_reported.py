"""The referee of worlds that Box2D does not drive: contacts reported by the solver, recomputed by the library and by Box2D."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.compare.live.pairs import LivePairs
from engine.compare.live.referee import LiveReferee
from engine.contracts import StepAgreement
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World
from engine.world.step_pairs import PairRecord
from tests.unit.compare.test_live_pairs import Forgetful, watched

KINDS = (
    Polygon.box(0.3, 0.3),
    Circle(0.3),
    Polygon.regular(5, 0.35),
    Polygon.regular(20, 0.3),
    Capsule((-0.2, 0.0), (0.2, 0.0), 0.15),
    Polygon.box(0.5, 0.125),
)


def pile(n_bodies=48, kinds=KINDS):
    """Shapes that fall on a floor made of a chain, plain segments and a box; every twelfth is a sensor."""
    world = World(solver="soft_step")
    points = [(-8.0, 0.5), (-3.0, -0.1), (0.0, -0.2), (3.0, -0.2), (4.0, -0.2), (8.0, 0.5)]
    chain = [FixtureSpec(Segment(*points[k : k + 2], ghost1=points[k - 1], ghost2=points[k + 2])) for k in (1, 2)]
    world.create_body(BodySpec((*chain, *(FixtureSpec(Segment(*points[k : k + 2])) for k in (0, 3, 4))), "static"))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.2)),), "static", (-5.0, 1.0)))
    for k in range(n_bodies):
        fixture = FixtureSpec(kinds[k % len(kinds)], sensor=k % 12 == 7, restitution=0.2)
        world.create_body(BodySpec((fixture,), position=(-3.9 + 0.85 * (k % 10), 0.8 + 0.8 * (k // 10)), angle=0.3 * (k % 7)))
    return world


def n_evaluated(contacts):
    return int((contacts.evaluated & (contacts.count > 0)).sum())


def test_every_contact_of_a_pile_is_accounted_for():
    world = pile()
    referee = LiveReferee(world)
    for _ in range(150):
        contacts = world.step()
        agreement = referee.check(contacts)
        assert agreement.compared + sum(agreement.not_comparable.values()) == n_evaluated(contacts)
        assert agreement.compared == agreement.agree + agreement.explained + agreement.unexplained
        assert agreement.unexplained == 0, [difference for difference in agreement.differences if difference.reason == "unexplained"]
    total = referee.total
    assert total.compared > 2000 and total.agree > 0.7 * total.compared
    assert set(total.not_comparable) == {"capsule", "shape"} and min(total.not_comparable.values()) > 100
    assert 0.0 < total.max_point_error < 1e-4


def test_box2d_is_not_called_beyond_float32():
    world = World(solver="soft_step")
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static", (1e5, -0.5)))
    world.create_body(BodySpec((FixtureSpec(KINDS[0]),), position=(1e5, 0.3)))
    agreement = LiveReferee(world).check(world.step())
    assert agreement.compared == 0 and agreement.not_comparable == {"far": 1}


def test_two_segments_are_not_sent_to_box2d():
    world = World(solver="soft_step")
    world.create_body(BodySpec((FixtureSpec(Segment((-2.0, 0.0), (2.0, 0.0))),), "static"))
    bar = (FixtureSpec(Segment((-0.5, 0.0), (0.5, 0.1))), FixtureSpec(Circle(0.1, (0.0, 1.0))))
    world.create_body(BodySpec(bar, position=(0.0, 0.005), linear_velocity=(0.0, -1.0)))
    check = LivePairs(world)
    contacts = world.step()
    assert LiveReferee(world).check(contacts).not_comparable == {"two_edges": 1} and len(contacts) == 1
    assert check.check(contacts).agree == 1


FAULTS = {
    "a point moved by a micrometer": lambda contacts: {"position": contacts.position + 1e-6},
    "a gap of a nanometer more": lambda contacts: {
        "separation": np.where(np.arange(2) < contacts.count[:, None], contacts.separation + 1e-9, 0.0)
    },
    "a normal turned round": lambda contacts: {"normal": -contacts.normal},
    "the two poses exchanged": lambda contacts: {"pose_a": contacts.pose_b, "pose_b": contacts.pose_a},
    "the poses of the end": lambda contacts: {"pose_a": contacts.pose_a + 1e-6},
    "the second point lost": lambda contacts: {
        "count": np.minimum(contacts.count, 1),
        "position": contacts.position * [[[1.0], [0.0]]],
        "separation": contacts.separation * [1.0, 0.0],
    },
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_solver_with_wrong_reports_is_detected(fault):
    world = pile()
    referee = LiveReferee(world)
    for _ in range(60):
        contacts = world.step()
        assert referee.check(contacts).unexplained == 0
    agreement = referee.check(replace(contacts, **FAULTS[fault](contacts)))
    at_stake = contacts.count == 2 if "second" in fault else contacts.evaluated & (contacts.count > 0)
    assert agreement.unexplained >= 0.9 * at_stake.sum() > 10
    assert agreement.compared + sum(agreement.not_comparable.values()) == n_evaluated(contacts)
    assert agreement.differences[0].fixture_a in world.fixture_ids


def test_a_fault_of_the_library_is_detected_by_box2d(monkeypatch):
    """A wrong axis, the same in both of our computations: Box2D is the witness."""
    from engine.compare.live import manifolds as live
    from engine.compare.questions import manifolds as judge

    ours = live.our_manifolds

    def wrong(posed, exact=True):
        rows = ours(posed, exact)
        return replace(rows, points=rows.points + np.array([0.0, 0.0, 1e-3]) * (rows.points != 0.0)) if exact else rows

    world = pile(kinds=KINDS[:3])
    for _ in range(60):
        contacts = world.step()
    monkeypatch.setattr(judge, "our_manifolds", wrong)
    agreement = LiveReferee(world).check(contacts)
    assert agreement.unexplained > 0.5 * agreement.compared > 10


def test_every_pair_is_found_until_it_sleeps_and_after():
    world = pile(24)
    check = LivePairs(world)
    assert watched(world, 420, check) == Counter()
    assert not world.awake[2:].all() and check.total.agree > 5000
    before = check.total
    world.set_velocity(world.body_ids[5], (0.0, 6.0))
    assert watched(world, 60, check) == Counter() and check.total.agree > before.agree


def test_a_pair_lost_by_one_side_is_detected():
    world = pile(24)
    assert watched(world, 40, LivePairs(world, Forgetful()))["unexplained"] > 0
    check = LivePairs(world)
    contacts = world.step()
    record = world.pair_record()
    assert isinstance(record, PairRecord) and record.last is not None
    record.last = replace(record.last, touching=record.last.touching[1:])
    agreement = check.check(contacts)
    assert agreement.unexplained == 1 and agreement.box2d == agreement.ours - 1


def test_a_fast_body_that_passes_a_sensor_is_no_difference():
    world = World(solver="soft_step")
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.05, 1.0), sensor=True),), "static"))
    world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(-1.0, 0.0), linear_velocity=(200.0, 0.0)))
    check = LivePairs(world)
    contacts = world.step()
    assert len(contacts.began) == 1 and contacts.began[0].sensor
    assert check.check(contacts).agree == 1 and watched(world, 3, check) == Counter()


def test_totals_add_up_by_reason():
    first, other = StepAgreement(3, 3, not_comparable={"capsule": 2}), StepAgreement(1, 0, 1, not_comparable={"capsule": 1, "far": 4})
    assert (first + other).not_comparable == {"capsule": 3, "far": 4} and (first + other).compared == 4


def test_an_invalid_chain_normal_of_box2d_is_proved(monkeypatch):
    """A plank above a chain that bends down is behind it by Box2D's rule (issue 29); a reversed axis of ours is a fault, not a reason."""
    from engine.compare.questions import manifolds as judge

    points = [(-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65)]
    ends = [None, *points, None]
    links = [FixtureSpec(Segment(ends[k], ends[k + 1], ghost1=ends[k - 1], ghost2=ends[k + 2])) for k in (1, 2, 3)]
    world = World(solver="soft_step")
    world.create_body(BodySpec(tuple(links), "static"))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.5, 0.05)),), position=(-1.4, 0.05)))
    contacts = world.step()
    agreement = LiveReferee(world).check(contacts)
    assert agreement.unexplained == 0 and agreement.reasons == ("chain_normal",)
    assert agreement.differences[0].box2d_normal[1] < -0.9 and "m to our side and 0 m to Box2D" in agreement.differences[0].evidence

    explain = judge.explain_link

    def turned(row, ours, box2d, excess):
        return explain(row, box2d, ours, excess)

    monkeypatch.setattr(judge, "explain_link", turned)
    assert "chain_normal" not in LiveReferee(world).check(contacts).reasons
