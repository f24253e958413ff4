"""Baraff's method: exact between collisions, which are handled in order; forces at rest, and what sequential impulses solve."""

import math

import numpy as np
import pytest

from engine.dynamics.integrators import INTEGRATORS, rk4
from engine.dynamics.methods import _dantzig, contact_forces
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

UNIT = Polygon.box(0.5, 0.5)
STEP = 1.0 / 60.0


def _world(gravity=(0.0, -10.0), **settings):
    return World(WorldSettings(gravity=gravity, sleeping=False, continuous=False, solver_settings=settings), solver="contact_forces")


def _ground(world, **material):
    world.create_body(BodySpec((FixtureSpec(Segment((-50.0, 0.0), (50.0, 0.0)), **material),), "static"))


def _put(world, shape, at, velocity=(0.0, 0.0), **material):
    return world.create_body(BodySpec((FixtureSpec(shape, **material),), position=at, linear_velocity=velocity))


def _run(world, n_steps):
    for _ in range(n_steps):
        world.step()


def test_a_ball_bounces_on_exact_parabolas():
    """From 5 m, it touches after 1 s, between two steps or within one, and rises to 0.64 of the height."""
    world = _world()
    _ground(world, restitution=0.8)
    ball = _put(world, Circle(0.5), (0.0, 5.5), restitution=0.8)
    _run(world, 75)
    after = 75.0 / 60.0 - 1.0
    assert world.state(ball).position[1] - 0.5 == pytest.approx(8.0 * after - 5.0 * after**2, abs=1e-3)  # met within the tolerance, 0.1 mm
    world = _world(tolerance=1e-7)
    _ground(world, restitution=0.8)
    ball = _put(world, Circle(0.5), (0.0, 5.503), restitution=0.8)
    _run(world, 75)
    falls = math.sqrt(2.0 * 5.003 / 10.0)
    after = 75.0 / 60.0 - falls
    assert world.state(ball).position[1] - 0.5 == pytest.approx(8.0 * falls * after - 5.0 * after**2, abs=1e-6)


def test_two_collisions_in_one_step_are_handled_in_order():
    """A ball between two others hits the near one first; the far one gets all of its speed, as for elastic balls."""
    world = _world((0.0, 0.0))
    speeds = [0.0, 6.0, 0.0]
    balls = [_put(world, Circle(0.5), (x, 0.0), (v, 0.0), restitution=1.0) for x, v in zip((0.0, 1.02, 2.06), speeds, strict=True)]
    _put(world, Circle(0.5), (3.08, 0.0), restitution=1.0)
    _run(world, 1)
    assert world.velocities[:, 0].tolist() == pytest.approx([0.0, 0.0, 0.0, 6.0]) and len(balls) == 3


def test_a_cradle_of_touching_balls_transmits_the_speed():
    world = _world((0.0, 0.0))
    for k in range(5):
        _put(world, Circle(0.5), (k - (1.0 if k == 0 else 0.0), 0.0), (4.0 if k == 0 else 0.0, 0.0), restitution=1.0)
    _run(world, 40)
    assert world.velocities[:, 0].tolist() == pytest.approx([0.0, 0.0, 0.0, 0.0, 4.0], abs=1e-9)


@pytest.mark.parametrize(("friction", "acceleration"), [(0.3, 10.0 * (math.sin(0.5) - 0.3 * math.cos(0.5))), (0.6, 0.0)])
def test_a_box_on_a_slope_slides_or_holds(friction, acceleration):
    world = _world((10.0 * math.sin(0.5), -10.0 * math.cos(0.5)))
    _ground(world, friction=friction)
    box = _put(world, UNIT, (0.0, 0.5), friction=friction)
    _run(world, 30)
    assert world.state(box).linear_velocity[0] == pytest.approx(0.5 * acceleration, abs=1e-12)
    assert world.contacts.normal_impulse.sum() / STEP == pytest.approx(10.0 * math.cos(0.5))


def test_a_disc_rolls_down_and_around():
    """Down a slope with 2/3 g sin a. On a fixed disc, it falls off where the force vanishes: cos a = 4/7 of the starting height for
    rolling.
    """
    world = _world((10.0 * math.sin(0.3), -10.0 * math.cos(0.3)))
    _ground(world, friction=1.0)
    disc = _put(world, Circle(0.5), (0.0, 0.5), friction=1.0)
    _run(world, 30)
    assert world.state(disc).linear_velocity[0] == pytest.approx(0.5 * 2.0 / 3.0 * 10.0 * math.sin(0.3), rel=1e-9)
    world = _world()
    world.create_body(BodySpec((FixtureSpec(Circle(1.0), friction=5.0),), "static"))
    start = 0.1
    disc = _put(world, Circle(0.25), (1.25 * math.sin(start), 1.25 * math.cos(start)), friction=5.0)
    world.step()
    while world.contacts.normal_impulse.sum() > 0.0:
        x, y = world.state(disc).position
        world.step()
    assert y / math.hypot(x, y) == pytest.approx(4.0 / 7.0 * math.cos(start), abs=0.02)  # a step at that speed


def test_a_jamming_rod_stops_without_an_error():
    """Painleve's rod: with full friction against the motion, no force keeps its tip from sinking; the tip jams."""
    world = _world()
    _ground(world, friction=2.0)
    angle = 1.0
    rod = world.create_body(
        BodySpec(
            (FixtureSpec(Polygon.box(1.0, 0.01), friction=2.0),),
            position=(math.cos(angle) - 0.01 * math.sin(angle), math.sin(angle) + 0.01 * math.cos(angle)),
            angle=angle,
            linear_velocity=(-3.0, 0.0),
        )
    )
    for _ in range(60):
        world.step()
        assert np.isfinite(world.velocities).all() and np.abs(world.velocities).max() < 30.0
    assert world.state(rod).position[1] < 2.0


def test_sequential_impulses_solve_islands_with_joints():
    """A rod on a hinge and the box that leans on it are solved by impulses, with a note; the tower beside them stays exact."""
    world = _world()
    _ground(world)
    tower = [_put(world, UNIT, (-10.0 + 0.1 * k, 0.5 + k)) for k in range(3)]
    rod, leaning = _put(world, Polygon.box(1.0, 0.1), (0.0, 0.1)), _put(world, UNIT, (0.0, 0.7))
    world.create_joint(RevoluteJointSpec(world.create_body(BodySpec((), "static")), rod, anchor=(-1.0, 0.1)))
    _run(world, 30)
    assert world.step_notes == ("Islands with joints are solved by sequential impulses.",)
    assert [world.state(box).position[1] for box in tower] == pytest.approx([0.5, 1.5, 2.5], abs=1e-9)
    assert world.state(leaning).position == pytest.approx((0.0, 0.7), abs=0.01)
    weights = dict(zip(world.contacts.body_b.tolist(), (world.contacts.normal_impulse.sum(axis=1) / STEP).tolist(), strict=True))
    assert [weights[box] for box in tower] == pytest.approx([30.0, 20.0, 10.0], abs=1e-9)
    assert weights[leaning] == pytest.approx(10.0, rel=0.02)


@pytest.mark.parametrize("integrator", ["explicit_euler", "semi_implicit_euler", "midpoint", "velocity_verlet", "rk4"])
def test_a_stack_stands_with_every_integrator(integrator):
    world = _world(integrator=integrator)
    _ground(world)
    for k in range(3):
        _put(world, UNIT, (0.1 * k, 0.5 + k))
    _run(world, 10)
    assert (world.contacts.normal_impulse.sum(axis=1) / STEP).tolist() == pytest.approx([30.0, 20.0, 10.0], abs=1e-9)


@pytest.mark.slow  # compiles sequential impulses, if nothing else has
def test_large_steps_use_sequential_impulses():
    errors = []
    for largest in (100, 5):
        world = _world(largest=largest)
        _ground(world)
        for k in range(3):
            _put(world, UNIT, (0.0, 0.5 + k))
        _run(world, 60)
        errors.append(world.state(world.body_ids[-1]).position[1] - 2.5)
    assert abs(errors[0]) < 1e-9 and 1e-5 < -errors[1] < 0.05


def test_bisection_stops_above_rounding_for_compressed_bodies(monkeypatch):
    """Issue 29: if nothing new touched, each of eight collisions of a step was bisected forty times; a step took four seconds."""
    n_tried = [0]

    def counted(*arguments):
        n_tried[0] += 1
        return rk4(*arguments)

    monkeypatch.setitem(INTEGRATORS, "rk4", counted)
    world = _world()
    _ground(world)
    disc = _put(world, Circle(0.5), (0.0, 0.5))
    press = BodySpec((FixtureSpec(UNIT),), "kinematic", position=(0.0, 1.5), linear_velocity=(0.0, -1.0))
    world.create_body(press)
    world.step()
    assert 8 < n_tried[0] <= 130  # eight collisions of some 14 halves
    assert abs(world.state(disc).position[0]) < 1e-6


@pytest.mark.parametrize("half", [1.5, 0.5])
def test_swapped_edge_points_throw_no_body_up(half):
    """Issue 29, case 10: when its middle passes the bend, a plank's two points swap, and its end was thrown up at 5.8 m/s."""
    world = _world()
    corners = ((-8.0, 0.0), (0.0, 0.0), (2.0, -0.35), (4.0, -0.65))
    links = (Segment(corners[0], corners[1], ghost2=corners[2]), Segment(corners[1], corners[2], ghost1=corners[0], ghost2=corners[3]))
    world.create_body(BodySpec(tuple(FixtureSpec(link, friction=0.0) for link in links), "static"))
    plank = _put(world, Polygon.box(half, 0.05), (-0.03, 0.05), (1.0, 0.0), friction=0.0)
    _run(world, 12)
    state = world.state(plank)
    inertia = (half**2 + 0.05**2) / 3.0
    energy = 0.5 * math.hypot(*state.linear_velocity) ** 2 + 0.5 * inertia * state.angular_velocity**2 + 10.0 * (state.position[1] - 0.05)
    assert energy == pytest.approx(0.5, abs=1e-3)
    assert state.linear_velocity[0] >= 1.0 and state.angular_velocity <= 0.0


def test_a_step_beyond_the_limit_reports_that_sequential_impulses_solve_it():
    """Issue 34: another method solved it silently."""
    world = _world(largest=3)
    _ground(world)
    for x in (0.0, 3.0):
        _put(world, UNIT, (x, 0.5))
    world.step()
    assert world.step_notes == ("The step has over 3 contact points, so sequential impulses solve it.",)
    world.destroy_body(world.body_ids[-1])
    world.step()
    assert world.step_notes == ()


def test_a_step_without_exact_forces_reports_it(monkeypatch):
    solve = _dantzig.solve
    monkeypatch.setattr(_dantzig, "solve", lambda *arguments: solve(*arguments)._replace(is_exact=False))
    world = _world()
    _ground(world)
    _put(world, UNIT, (0.0, 0.5))
    world.step()
    assert len(world.step_notes) == 1 and world.step_notes[0].startswith("No exact contact forces")


CORNER = math.sqrt(0.5)
TOUCHING = {
    "two discs": (Circle(0.5), (0.0, 0.0, 0.0), Circle(0.3), (0.8, 0.0, 0.0)),
    "a disc on a face": (UNIT, (0.0, 0.0, 0.0), Circle(0.3), (0.2, 0.8, 0.0)),
    "a face on a disc": (Circle(0.3), (0.2, 0.8, 0.3), UNIT, (0.0, 0.0, 0.0)),
    "a disc beside a corner": (UNIT, (0.0, 0.0, 0.0), Circle(0.3), (0.5 + 0.3 * math.cos(0.7), 0.5 + 0.3 * math.sin(0.7), 0.0)),
    "a corner on a face": (UNIT, (0.1, 0.5 + CORNER * math.cos(0.2), math.pi / 4 + 0.2), UNIT, (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("case", TOUCHING)
def test_the_derivative_of_a_jacobian_matches_contacts_detected_slightly_later(case, monkeypatch):
    """Issue 34: J' v in closed form. The velocities neither separate the bodies nor press them together."""
    scenes = []
    begin = contact_forces._Scene.__init__
    monkeypatch.setattr(contact_forces._Scene, "__init__", lambda self, *more: (scenes.append(self), begin(self, *more))[1])
    world = _world((0.0, 0.0))
    a, (ax, ay, angle_a), b, (bx, by, angle_b) = TOUCHING[case]
    for shape, at, angle in ((a, (ax, ay), angle_a), (b, (bx, by), angle_b)):
        world.create_body(BodySpec((FixtureSpec(shape, density=1.0),), position=at, angle=angle))
    world.step()
    scene, velocity, h = scenes[0], np.array((0.3, -1.2, 0.7, 0.8, 0.5, -1.9, 0.0, 0.0, 0.0)), 1e-5
    points = scene._points_at(0.0 * velocity)
    (normal,), _ = points.lines
    velocity -= normal * (normal @ velocity) / (normal @ normal)
    before, after = (scene._points_at(sign * h * velocity).lines for sign in (-1.0, 1.0))
    for change, first, last in zip(points.bends(velocity), before, after, strict=True):
        assert change == pytest.approx((last - first) @ velocity / (2.0 * h), abs=1e-6)
