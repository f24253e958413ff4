"""Nothing passes through anything under the soft step, whatever Box2D's bullets do."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment
from engine.world import World
from tests.unit.dynamics.scenes import UNIT, body, ground, run, world

WALL = Polygon.box(0.05, 2.0)


def crossed(shape: AnyShape, speed: float, target: AnyShape, continuous: bool = True, spin: float = 0.0, **of_target: Any) -> bool:
    """Fire `shape` at a target at the origin, and tell whether it is past it in the end."""
    one = world(gravity=(0.0, 0.0), continuous=continuous)
    hit = body(one, target, (0.0, 0.0), **({"type": "static"} | of_target))
    bullet = body(one, shape, (-10.0, 0.0), linear_velocity=(speed, 0.0), angular_velocity=spin)
    run(one, 20.0 / speed + 0.5)
    return one.state(bullet).position[0] > one.state(hit).position[0]


@pytest.mark.parametrize("speed", [50.0, 400.0, 6000.0])
@pytest.mark.parametrize(
    ("shape", "target", "more"),
    [
        pytest.param(Circle(0.1), WALL, {}, id="wall"),
        pytest.param(Circle(0.1), Circle(0.05), {}, id="post"),
        pytest.param(Circle(0.1), Segment((0.0, -2.0), (0.0, 2.0)), {}, id="segment"),
        pytest.param(Polygon.box(0.1, 0.01), WALL, {}, id="splinter"),
        pytest.param(Capsule((0.0, -0.2), (0.0, 0.2), 0.01), Polygon.box(0.01, 2.0), {"type": "dynamic"}, id="thin plate that can move"),
        pytest.param(Circle(0.1), Circle(0.1), {"type": "dynamic", "linear_velocity": (-1000.0, 0.0)}, id="bullet against bullet"),
    ],
)
def test_no_bullet_passes(shape: AnyShape, target: AnyShape, more: dict[str, Any], speed: float) -> None:
    assert not crossed(shape, speed, target, **more)


def test_without_continuous_collision_it_does() -> None:
    assert crossed(Circle(0.1), 400.0, WALL, continuous=False)


@pytest.mark.parametrize("speed", [20.0, 150.0])
def test_a_wall_that_comes_along_takes_the_bullet_with_it(speed: float) -> None:
    one = world(gravity=(0.0, 0.0))
    wall = body(one, WALL, (30.0, 0.0), type="kinematic", linear_velocity=(-50.0, 0.0))
    bullet = body(one, Circle(0.1), (-10.0, 0.0), linear_velocity=(speed, 0.0))
    run(one, 2.0)
    assert one.state(wall).position[0] - one.state(bullet).position[0] == pytest.approx(0.15, abs=1e-3)
    assert one.state(bullet).linear_velocity[0] == pytest.approx(-50.0)


def test_a_rod_that_spins_into_a_wall_stays_on_its_side() -> None:
    for spin in (0.0, 5.0, 40.0):
        assert not crossed(Polygon.box(1.0, 0.02), 50.0, Polygon.box(0.02, 2.0), spin=spin)


def test_a_bullet_bounces_off_with_the_speed_that_it_had() -> None:
    one = world(gravity=(0.0, 0.0))
    body(one, WALL, (0.0, 0.0), type="static", restitution=1.0)
    bullet = body(one, Circle(0.1), (-10.0, 0.0), linear_velocity=(500.0, 0.0), restitution=1.0)
    run(one, 0.2)
    assert one.state(bullet).linear_velocity[0] == pytest.approx(-500.0)


def test_a_stone_that_falls_far_has_no_more_energy_than_it_fell() -> None:
    one = world()
    ground(one, restitution=1.0)
    stone = body(one, Circle(0.1), (0.0, 200.1), restitution=1.0)
    for _ in range(1500):
        one.step()
        state = one.state(stone)
        energy = 10.0 * (state.position[1] - 0.1) + 0.5 * state.linear_velocity[1] ** 2
        assert energy == pytest.approx(
            2000.0, rel=2e-3
        )  # a chord in place of the parabola within the step of the impact: g dt^2 / 8 of 200 m


def test_many_bullets_in_a_box_stay_in_it() -> None:
    one = world(gravity=(0.0, 0.0))
    for a, b in (((-5, -5), (5, -5)), ((5, -5), (5, 5)), ((5, 5), (-5, 5)), ((-5, 5), (-5, -5))):
        body(one, Segment((float(a[0]), float(a[1])), (float(b[0]), float(b[1]))), (0.0, 0.0), type="static", restitution=1.0, friction=0.0)
    bullets = [
        body(
            one,
            Circle(0.05),
            (x, y),
            restitution=1.0,
            friction=0.0,
            linear_velocity=(300.0 * math.cos(x + 7 * y), 300.0 * math.sin(x + 7 * y)),
        )
        for x in (-3.0, -1.0, 1.0, 3.0)
        for y in (-3.0, -1.0, 1.0, 3.0)
    ]
    run(one, 4.0)
    assert all(max(map(abs, one.state(bullet).position)) < 5.0 for bullet in bullets)


def test_a_box_that_slides_fast_is_not_held_up() -> None:
    one = world()
    ground(one, friction=0.0)
    box = body(one, UNIT, (-100.0, 0.5), friction=0.0)
    run(one, 0.5)
    one.set_velocity(box, (100.0, 0.0))
    run(one, 1.0)
    assert one.state(box).position[0] == pytest.approx(0.0, abs=0.01)


def test_worlds_with_fast_bodies_repeat_to_the_bit() -> None:
    def made() -> World:
        one = world()
        ground(one, restitution=0.7)
        for k in range(12):
            body(one, UNIT if k % 2 else Circle(0.3), (2.0 * k, 5.0), restitution=0.7, linear_velocity=(100.0 - 20.0 * k, -80.0))
        run(one, 1.0)
        return one

    assert made().state_hash() == made().state_hash()
