"""The touching pairs of running worlds, computed twice: no difference is unexplained, and planted faults are detected."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.broadphase import UniformGrid
from engine.compare.live.meeting import RULES
from engine.compare.live.pairs import LivePairs
from engine.contracts import PairAgreement
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings
from engine.world.joints.mouse import MouseJointSpec
from engine.world.step_pairs import PairRecord
from tests.unit.compare import live_pairs_fuzz


def pile(n_bodies=24):
    """Boxes and discs that fall on a floor of edges; every eighth is a sensor, and every sixth has its own category."""
    world = World()
    points = [(-6.0, 0.0), (-2.0, -0.2), (2.0, -0.2), (6.0, 0.0)]
    edges = [FixtureSpec(Segment(*points[k : k + 2])) for k in range(3)]
    world.create_body(BodySpec((*edges, FixtureSpec(Polygon.box(8.0, 0.2, (0.0, -1.0)))), "static"))
    for k in range(n_bodies):
        shape = (Polygon.box(0.3, 0.2), Circle(0.3), Polygon.regular(5, 0.35))[k % 3]
        settings = {"sensor": k % 8 == 3, "category": 2 if k % 6 == 5 else 1, "mask": 0xFFFD if k % 6 == 4 else 0xFFFF}
        fixtures = (FixtureSpec(shape, **settings), FixtureSpec(Circle(0.2, (0.25, 0.0)), **settings))
        world.create_body(BodySpec(fixtures, position=(-2.4 + 0.8 * (k % 6), 0.6 + 0.8 * (k // 6)), angle=0.3 * k))
    for k in (1, 7, 13):
        world.create_joint(RevoluteJointSpec(world.body_ids[k], world.body_ids[k + 1], (-2.0 + 0.8 * (k % 6), 1.0)))
    return world


def watched(world, n_steps, check):
    reasons = Counter()
    for _ in range(n_steps):
        agreement = check.check(world.step())
        assert agreement.ours + agreement.box2d == 2 * agreement.agree + agreement.explained + agreement.unexplained
        assert len(agreement.differences) == agreement.explained + agreement.unexplained
        reasons.update(difference.reason for difference in agreement.differences)
    return reasons


def test_every_pair_of_a_pile_is_found_until_it_sleeps_and_after():
    world = pile()
    check = LivePairs(world)
    reasons = watched(world, 420, check)
    assert reasons["unexplained"] == 0
    assert not world.awake[1:].all() and check.total.agree > 5000
    before = check.total
    world.set_velocity(world.body_ids[4], (0.0, 6.0))  # some wake up, some sleep on
    assert watched(world, 60, check)["unexplained"] == 0
    assert check.total.agree > before.agree and check.last_ms > 0.0


class Forgetful(UniformGrid):
    """Loses one pair."""

    def pairs(self, aabbs=None):
        pairs = super().pairs(aabbs)
        return pairs[np.arange(len(pairs)) != len(pairs) // 2]


def test_a_broad_phase_that_loses_a_pair_is_detected():
    world = pile()
    check = LivePairs(world, Forgetful())
    evidence = []
    for _ in range(40):
        evidence += [difference.evidence for difference in check.check(world.step()).differences if difference.reason == "unexplained"]
    assert evidence and all("our broad phase missed the pair" in words for words in evidence)


@pytest.mark.parametrize("forgotten", RULES, ids=lambda rule: rule.__name__)
def test_a_missing_filter_rule_is_detected(forgotten):
    world = pile()
    bar = (FixtureSpec(Segment((-0.5, -1.0), (0.5, 1.0))), FixtureSpec(Circle(0.1, (0.0, 2.0))))
    world.create_body(BodySpec(bar, position=(4.0, -0.1)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.2)),), "kinematic", (5.0, -0.9)))  # in the floor
    check = LivePairs(world, rules=[rule for rule in RULES if rule is not forgotten])
    assert any(check.check(world.step()).unexplained for _ in range(90))


def test_edges_pass_through_each_other_and_that_is_no_difference():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Segment((-2.0, 0.0), (2.0, 0.0))),), "static"))
    bar = (FixtureSpec(Segment((0.0, -1.0), (0.0, 1.0))), FixtureSpec(Circle(0.1, (0.0, 3.0))))
    world.create_body(BodySpec(bar, angular_velocity=0.5))
    assert watched(world, 30, LivePairs(world)) == Counter()


def recorded(world):
    """Return Box2D's record of the pairs of its last step."""
    record = world.pair_record()
    assert isinstance(record, PairRecord)
    return record


def test_a_wrong_contact_of_box2d_would_be_detected():
    """Box2D's list is read, not recomputed: a pair missing there is only ours."""
    world = pile()
    check = LivePairs(world)
    for _ in range(90):
        contacts = world.step()
        check.check(contacts)
    contacts = world.step()
    record = recorded(world)
    step = record.last
    assert step is not None
    record.last = replace(step, touching=step.touching[1:])
    agreement = check.check(contacts)
    assert agreement.unexplained == 1 and agreement.box2d == agreement.ours - 1
    assert {agreement.differences[0].fixture_a, agreement.differences[0].fixture_b} == set(step.touching[0].tolist())


def test_bullets_are_judged_where_the_impact_found_them():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.05, 3.0)),), "static", (5.0, 0.0)))
    disc = FixtureSpec(Circle(0.1), restitution=0.5)
    for k in range(5):
        world.create_body(BodySpec((disc,), position=(0.0, -2.0 + k), linear_velocity=(90.0 + k, 0.0), bullet=True))
    check = LivePairs(world)
    settled = 0
    for _ in range(12):
        assert check.check(world.step()).unexplained == 0
        step = recorded(world).last
        assert step is not None
        settled += len(step.moments)
    assert settled >= 5 and check.total.agree >= 5


def test_a_newly_allowed_pair_is_explained_and_then_agrees():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    a, b = (world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.2 * k, 0.0), allow_sleep=False)) for k in range(2))
    joint = world.create_joint(RevoluteJointSpec(a, b, (0.0, 0.0)))
    check = LivePairs(world)
    assert watched(world, 3, check) == Counter() and check.total == PairAgreement()
    world.destroy_joint(joint)
    assert watched(world, 4, check) == Counter(not_asked=4)  # the boxes in Box2D's tree have not moved
    world.set_velocity(b, (30.0, 0.0))
    assert watched(world, 1, check) == Counter(not_asked=1)
    assert watched(world, 1, check) == Counter() and check.total.explained == 5
    world.set_fixture(world.body(a).fixtures[0], mask=0)
    assert watched(world, 1, check) == Counter()
    world.set_pose(b, (0.2, 0.0), 0.0)
    world.set_fixture(world.body(a).fixtures[0], mask=0xFFFF)
    assert watched(world, 1, check)["unexplained"] == 0


def test_a_grabbed_body_is_handled():
    world = pile(16)
    world.create_joint(MouseJointSpec(world.body_ids[1], world.state(world.body_ids[1]).position, 500.0))
    check = LivePairs(world)
    assert watched(world, 30, check)["unexplained"] == 0 and check.total.agree > 0


def test_a_pause_in_checking_is_harmless():
    world = pile()
    check = LivePairs(world)
    for step in range(200):
        contacts = world.step()
        if step % 50 < 25:
            assert check.check(contacts).unexplained == 0
    assert check.total.agree > 500


@pytest.mark.parametrize("seed", range(4))
def test_worlds_of_everything(seed):
    check, _, unexplained = live_pairs_fuzz.run(seed, 100)
    assert not unexplained
    assert check.total.ours > 50


def change_mask(world, random):
    world.set_fixture(int(random.choice(world.fixture_ids)), mask=int(random.choice([0xFFFF, 0])))


def change_type(world, random):
    body = int(random.choice(world.body_ids[1:]))
    world.set_body(body, type="static" if world.body(body).spec.type == "dynamic" else "dynamic")


@pytest.mark.parametrize("change", [change_mask, change_type])
def test_between_sub_steps_box2d_owes_a_contact_to_newly_allowed_pairs_for_longer_than_a_step(change):
    """Box2D searches for new pairs when it completes a step, which takes several calls with sub-stepping (issue 30)."""
    world = pile()
    world.set_settings(sub_stepping=True)
    check, random, evidence = LivePairs(world), np.random.default_rng(21), ""
    for step in range(40):
        change(world, random)
        if step % 10 == 0:
            velocity = float(random.uniform(-40.0, 40.0)), float(random.uniform(0.0, 40.0))
            world.set_velocity(int(random.choice([body for body in world.body_ids if world.body(body).spec.type == "dynamic"])), velocity)
        agreement = check.check(world.step())
        assert agreement.unexplained == 0
        evidence += "".join(difference.evidence for difference in agreement.differences)
    assert "just before this step" in evidence and "has no contact" in evidence


def test_a_contact_that_box2d_loses_is_not_excused_by_an_earlier_change_of_the_filter():
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for k in range(2):
        world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.2 * k, 0.0), allow_sleep=False))
    check, record = LivePairs(world), recorded(world)
    assert watched(world, 3, check) == Counter()
    world.set_fixture(0, mask=0x7FFF)
    assert watched(world, 2, check) == Counter() and check.total.agree == 5
    record.contact_between = lambda a, b: None
    for _ in range(3):
        contacts = world.step()
        assert record.last is not None
        record.last = replace(record.last, touching=record.last.touching[:0])
        assert check.check(contacts).unexplained == 1
