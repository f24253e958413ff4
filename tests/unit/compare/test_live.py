"""The live referee on a small world, and on one that changes."""

from dataclasses import replace

import numpy as np
import pytest

from engine.compare.live.referee import LiveReferee
from engine.contracts import StepAgreement
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World


def pile(n_bodies=60):
    world = World()
    world.create_body(BodySpec(fixtures=(FixtureSpec(Polygon.box(10.0, 0.5)),), type="static", position=(0.0, -0.5)))
    kinds = (Polygon.box(0.3, 0.3), Circle(0.3), Polygon.regular(5, 0.35), Polygon.box(0.5, 0.125))
    for i in range(n_bodies):
        spec = FixtureSpec(kinds[i % 4], density=1.0)
        world.create_body(BodySpec(fixtures=(spec,), position=(-4.0 + 0.8 * (i % 10), 0.5 + 0.8 * (i // 10)), angle=0.1 * (i % 3)))
    return world


def test_every_contact_of_a_pile_is_accounted_for():
    world = pile()
    referee = LiveReferee(world)
    compared = 0
    for _ in range(150):
        contacts = world.step()
        agreement = referee.check(contacts)
        assert (
            agreement.compared
            == agreement.agree + agreement.explained + agreement.unexplained
            == int((contacts.evaluated & (contacts.count > 0)).sum())
        )
        assert agreement.unexplained == 0, [difference for difference in agreement.differences if difference.reason == "unexplained"]
        compared += agreement.compared
    assert compared == referee.total.compared > 1000
    assert referee.total.agree > 0.9 * compared
    assert 0.0 < referee.total.max_point_error < 1e-4
    assert referee.last_ms > 0.0
    referee.reset()
    assert referee.total == StepAgreement()


def test_a_world_that_changes():
    world = pile(20)
    referee = LiveReferee(world)
    for step in range(60):
        if step == 20:
            world.destroy_body(world.body_ids[3])
        if step == 40:
            world.create_body(BodySpec(fixtures=(FixtureSpec(Polygon.box(0.4, 0.4), density=1.0),), position=(0.0, 3.0)))
        assert referee.check(world.step()).unexplained == 0
    assert referee.total.compared > 100


def test_a_fault_is_detected_and_named():
    world = pile(20)
    referee = LiveReferee(world)
    for _ in range(90):
        contacts = world.step()
        referee.check(contacts)
    assert contacts.n_points
    wrong = replace(contacts, position=contacts.position + np.array([0.05, 0.0]))
    agreement = referee.check(wrong)
    assert agreement.unexplained == agreement.compared > 0
    difference = agreement.differences[0]
    assert difference.reason == "unexplained"
    assert difference.fixture_a in world.fixture_ids
    assert difference.box2d_normal == pytest.approx(tuple(contacts.normal[contacts.evaluated & (contacts.count > 0)][0]))


@pytest.mark.parametrize("switch", ["ready", "enabled"])
def test_the_disabled_check_counts_nothing(switch):
    world = pile(8)
    referee = LiveReferee(world)
    setattr(referee, switch, False)
    for _ in range(60):
        assert referee.check(world.step()) == StepAgreement()
    assert referee.total == StepAgreement()
