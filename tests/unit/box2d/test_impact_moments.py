"""`World.impact_moments`: every impact inside a step, in order, whereas `contacts` keeps only a pair's last one."""

import pytest

from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings


def test_a_spinning_blade_meets_a_bullet_several_times_in_a_step():
    """The blade rotates uniformly, so its angle gives the time of each impact."""
    spin = 25.0
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    blade = BodySpec((FixtureSpec(Polygon.box(0.01, 0.8)),), type="kinematic", position=(0.0, -0.5), angle=-0.35, angular_velocity=spin)
    blade_id = world.create_body(blade)
    ball = BodySpec((FixtureSpec(Circle(0.02)),), position=(-0.2, 0.0), linear_velocity=(74.0, 0.0), bullet=True)
    ball_id = world.create_body(ball)
    contacts = world.step()
    moments = world.impact_moments
    assert len(moments) >= 2
    poses = [
        (moment.pose_a, moment.pose_b) if world.fixture(moment.fixture_a).body == blade_id else (moment.pose_b, moment.pose_a)
        for moment in moments
    ]
    angles = [of_blade[2] for of_blade, _ in poses]
    assert angles == sorted(angles) and -0.35 < angles[0] < angles[-1] < -0.35 + spin / 60.0
    first = (angles[0] + 0.35) / spin
    assert poses[0][1][0] == pytest.approx(-0.2 + 74.0 * first, abs=1e-5)  # until then the bullet flew straight on
    rows = [k for k in range(len(contacts)) if contacts.in_toi[k]]
    assert rows, "they still touch"
    k = rows[0]
    last = contacts.pose_a[k] if int(contacts.body_a[k]) == blade_id else contacts.pose_b[k]
    assert {int(contacts.body_a[k]), int(contacts.body_b[k])} == {blade_id, ball_id}
    assert last[2] == angles[-1]


def heap(n_bullets):
    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for i in range(n_bullets):
        at, speed = (0.2 * (i % 5), 0.2 * (i // 5)), (40.0 - 9.0 * (i % 7), 9.0 * (i % 5) - 20.0)
        world.create_body(BodySpec((FixtureSpec(Polygon.regular(8, 2.0 + i)),), position=at, linear_velocity=speed, bullet=True))
    return world


def test_a_step_looks_at_no_more_impacts_than_the_limit(monkeypatch):
    """Each reevaluates all contacts of the two bodies: 33,000 impacts of fifty bullets in one heap took a second and more."""
    free, limited, again = heap(25), heap(25), heap(25)
    free.step()
    limit = 20
    monkeypatch.setattr("engine.box2d.listener.MAX_IMPACTS_PER_STEP", limit)
    limited.step()
    again.step()
    assert limit < len(limited.impact_moments) < 0.7 * len(free.impact_moments)
    for _ in range(3):
        limited.step()
        again.step()
    assert limited.state_hash() == again.state_hash()
