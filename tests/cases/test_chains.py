"""Frictionless bodies on frictionless chains: none of our methods throws a sliding body back or gives it energy (issue 29, case 10)."""

import math

import numpy as np
import pytest

from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, methods

BEND = ((-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65))
OURS = [name for name in methods() if name != "contact_forces"]


class Slide:
    """A frictionless body that moves to the right on a chain; the scene may be rotated or mirrored, and the chain reversed.

    Attributes
    ----------
    x, speed : float
        Place and speed to the right at the end, m and m/s.
    slowest, gained, least_up : float
        Least speed to the right, m/s; most energy gained, J/kg; least upward component of a normal, from the chain.
    """

    def __init__(self, solver, points, shape, height, speed, n_steps, until=math.inf, turn=0.0, mirror=1.0, is_reversed=False):
        axes = np.array([[mirror * math.cos(turn), mirror * math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        at = [tuple((np.array(point) @ axes).tolist()) for point in (points[::-1] if is_reversed else points)]
        ends, gravity = [None, *at, None], np.array([0.0, -10.0]) @ axes
        links = [Segment(ends[k], ends[k + 1], ghost1=ends[k - 1], ghost2=ends[k + 2]) for k in range(1, len(at))]
        world = World(WorldSettings(sleeping=False, gravity=tuple(gravity.tolist())), solver=solver)
        world.create_body(BodySpec(tuple(FixtureSpec(link, friction=0.0) for link in links), type="static"))
        place, velocity = (tuple((np.array(vector) @ axes).tolist()) for vector in ((-3.5, height), (speed, 0.0)))
        body = world.create_body(BodySpec((FixtureSpec(shape, friction=0.0),), position=place, angle=turn, linear_velocity=velocity))
        inertia = shape.mass().inertia / shape.mass().mass

        def energy():
            state = world.state(body)
            spin = 0.5 * inertia * state.angular_velocity**2
            return 0.5 * math.hypot(*state.linear_velocity) ** 2 + spin - float(gravity @ np.array(state.position))

        first, self.slowest, self.gained, self.least_up = energy(), math.inf, 0.0, 1.0
        for _ in range(n_steps):
            contacts = world.step()
            state = world.state(body)
            self.x, self.speed = float(axes[0] @ np.array(state.position)), float(axes[0] @ np.array(state.linear_velocity))
            self.slowest, self.gained = min(self.slowest, self.speed), max(self.gained, energy() - first)
            self.least_up = min(self.least_up, *(contacts.normal[contacts.count > 0] @ axes[1]).tolist(), 1.0)
            if self.x > until:
                break

    def goes_on(self, gained=0.05):
        return self.slowest >= -1e-9 and self.gained < gained and self.least_up > 0.5


def plank(half=1.5):
    return Polygon.box(half, 0.05)


@pytest.mark.parametrize("solver", OURS)
def test_a_frictionless_plank_slides_over_a_chain_that_bends_down(solver):
    """Without friction, v^2 = 1 + 2 g dh is 10.2 to 10.9 at x = 3 m, minus losses at impacts as it tips over."""
    slide = Slide(solver, BEND, plank(), 0.05, 1.0, 420, 3.0)
    assert slide.goes_on() and slide.x > 3.0 and 3.0 < slide.speed < 3.2


@pytest.mark.slow
def test_contact_forces_slide_it_too():
    slide = Slide("contact_forces", BEND, plank(), 0.05, 1.0, 420, 3.0)
    assert slide.goes_on() and slide.x > 3.0 and 3.0 < slide.speed < 3.2


@pytest.mark.parametrize(
    "how", [{"turn": 2.0}, {"mirror": -1.0}, {"is_reversed": True}, {"turn": 0.4, "mirror": -1.0, "is_reversed": True}], ids=str
)
@pytest.mark.parametrize("half", [1.5, 0.5])
def test_rotated_mirrored_and_reversed_chains_give_the_same_result(how, half):
    """The short plank was caught at the end of the next link, and stayed there while its speed grew."""
    slide = Slide("soft_step", BEND, plank(half), 0.05, 1.0, 420, 3.0, **how)
    assert slide.goes_on() and slide.x > 3.0
    assert slide.speed == pytest.approx(3.1 if half > 1.0 else 3.2, abs=0.05)


SHAPES = {
    "box": (Polygon.box(0.2, 0.2), 0.2),
    "disc": (Circle(0.25), 0.25),
    "capsule": (Capsule((-0.4, 0.0), (0.4, 0.0), 0.1), 0.1),
    "plank": (plank(0.5), 0.05),
}


@pytest.mark.parametrize("speed", [1.0, 8.0, 20.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_body_loses_speed_on_a_level_chain_of_short_links(shape, speed):
    points = [(-5.0 + 0.37 * k, 0.0) for k in range(120)]
    n_steps = round(20.0 / speed) + 30
    slide = Slide("soft_step", points, *SHAPES[shape], speed, n_steps)
    assert slide.slowest == pytest.approx(speed, rel=1e-6) and slide.x == pytest.approx(-3.5 + speed * n_steps / 60.0, abs=1e-4)


def dip(x):
    """A hilltop and the valley below it."""
    return 0.0 if x < 0.0 else math.cos(min(x, 4.0) * math.pi / 4.0) - 1.0


@pytest.mark.parametrize("solver", ["soft_step", "xpbd"])
@pytest.mark.parametrize("how", [{}, {"turn": 1.0, "is_reversed": True}], ids=str)
@pytest.mark.parametrize("shape", ["disc", "plank", "long plank"])
def test_bodies_slide_over_a_hill_of_many_links_and_through_the_valley(solver, how, shape):
    """A long plank's ends lie below the lines of distant links; at the foot, its corner touches joints."""
    points = [(-8.0, 0.0), *((x, dip(x)) for x in np.linspace(-2.0, 6.0, 41).tolist()), (12.0, -2.0)]
    slide = Slide(solver, points, *SHAPES.get(shape, (plank(), 0.05)), 3.0, 300, 6.0, **how)
    assert slide.goes_on(0.15) and slide.x > 6.0


@pytest.mark.parametrize("half", [0.5, 1.5])
def test_penalty_springs_throw_no_body_off_a_chain_of_short_links(half):
    """Many springs act on a light body. A separation speed at the threshold, v^2 / 2 = 0.06 J/kg, is allowed."""
    points = [(-8.0, 0.0), *((x, dip(x)) for x in np.linspace(-2.0, 6.0, 41).tolist()), (12.0, -2.0)]
    for speed in (1.0, 3.0, 8.0):
        slide = Slide("penalty", points, plank(half), 0.05, speed, 300, 6.0)
        assert slide.slowest > speed - 0.01 and slide.gained < 0.06
