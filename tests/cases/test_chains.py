"""Smooth bodies on smooth chains: what slides down is never thrown back, nor given energy, by any of our methods (issue 29, case 10)."""

import math

import numpy as np
import pytest

from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, methods

BEND = ((-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65))
OURS = [name for name in methods() if name != "contact_forces"]


class Slide:
    """A body that moves to the right on a chain, without friction; the scene may be turned, mirrored, the chain read backward.

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
def test_a_smooth_plank_slides_over_a_chain_that_bends_down(solver):
    """No friction: v^2 = 1 + 2 g dh is 10.2 to 10.9 at x = 3 m, less what the blows take as it tips over."""
    slide = Slide(solver, BEND, plank(), 0.05, 1.0, 420, 3.0)
    assert slide.goes_on() and slide.x > 3.0 and 3.0 < slide.speed < 3.2


@pytest.mark.slow
def test_it_does_by_contact_forces_too():
    slide = Slide("contact_forces", BEND, plank(), 0.05, 1.0, 420, 3.0)
    assert slide.goes_on() and slide.x > 3.0 and 3.0 < slide.speed < 3.2


@pytest.mark.parametrize(
    "how", [{"turn": 2.0}, {"mirror": -1.0}, {"is_reversed": True}, {"turn": 0.4, "mirror": -1.0, "is_reversed": True}], ids=str
)
@pytest.mark.parametrize("half", [1.5, 0.5])
def test_so_it_does_turned_mirrored_and_from_the_other_end(how, half):
    """The short plank met the end of the link to come on its way, and stayed there while its speed grew."""
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
def test_on_a_level_chain_of_short_links_nothing_loses_speed_or_way(shape, speed):
    points = [(-5.0 + 0.37 * k, 0.0) for k in range(120)]
    n_steps = round(20.0 / speed) + 30
    slide = Slide("soft_step", points, *SHAPES[shape], speed, n_steps)
    assert slide.slowest == pytest.approx(speed, rel=1e-6) and slide.x == pytest.approx(-3.5 + speed * n_steps / 60.0, abs=1e-4)


def dip(x):
    """A hill's brow and the valley at its foot."""
    return 0.0 if x < 0.0 else math.cos(min(x, 4.0) * math.pi / 4.0) - 1.0


@pytest.mark.parametrize("solver", ["soft_step", "pgs_ngs", "xpbd"])
@pytest.mark.parametrize("how", [{}, {"turn": 1.0, "is_reversed": True}], ids=str)
@pytest.mark.parametrize("shape", ["disc", "plank", "long plank"])
def test_over_a_brow_of_many_links_and_through_the_valley(solver, how, shape):
    """A long plank's ends lie beneath the lines of links further on; at the foot its corner meets joints."""
    points = [(-8.0, 0.0), *((x, dip(x)) for x in np.linspace(-2.0, 6.0, 41).tolist()), (12.0, -2.0)]
    slide = Slide(solver, points, *SHAPES.get(shape, (plank(), 0.05)), 3.0, 300, 6.0, **how)
    assert slide.goes_on(0.15) and slide.x > 6.0


@pytest.mark.parametrize("half", [0.5, 1.5])
def test_penalty_springs_throw_nothing_off_a_chain_of_short_links(half):
    """Many springs share a light body. What parts at the threshold, v^2 / 2 = 0.06 J/kg, is left free."""
    points = [(-8.0, 0.0), *((x, dip(x)) for x in np.linspace(-2.0, 6.0, 41).tolist()), (12.0, -2.0)]
    for speed in (1.0, 3.0, 8.0):
        slide = Slide("penalty", points, plank(half), 0.05, speed, 300, 6.0)
        assert slide.slowest > speed - 0.01 and slide.gained < 0.06
