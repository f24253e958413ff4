"""Answers of Box2D 2.3.0 that mislead a checker: facts that the referee and the demos rely on."""

import Box2D
import pytest

from engine.common.limits import MAX_POLYGON_VERTICES, MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP, VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_POLYGON_SKIN, LINEAR_SLOP
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

FREE = WorldSettings(gravity=(0.0, 0.0))


def test_documented_constants_are_correct():
    assert Box2D.b2_maxPolygonVertices == MAX_POLYGON_VERTICES
    assert Box2D.b2_polygonRadius == pytest.approx(BOX2D_POLYGON_SKIN)
    assert Box2D.b2_linearSlop == pytest.approx(LINEAR_SLOP)
    assert Box2D.b2_maxTranslation == MAX_TRANSLATION_PER_STEP
    assert Box2D.b2_maxRotation == pytest.approx(MAX_ROTATION_PER_STEP)
    assert Box2D.b2_velocityThreshold == VELOCITY_THRESHOLD


def sweep(x0, x1):
    made = Box2D.b2Sweep()
    made.localCenter, made.c0, made.c, made.a0, made.a, made.alpha0 = (0, 0), (x0, 0), (x1, 0), 0.0, 0.0, 0.0
    return made


def test_time_of_impact_needs_its_interval():
    shapes = {"shapeA": Box2D.b2PolygonShape(box=(0.1, 5)), "shapeB": Box2D.b2CircleShape(radius=0.1), "idxA": 0, "idxB": 0}
    sweeps = {"sweepA": sweep(0, 0), "sweepB": sweep(-2, 2)}
    assert Box2D.b2TimeOfImpact(**shapes, **sweeps) == (Box2D.b2TOIOutput.e_separated, 0.0)
    state, fraction = Box2D.b2TimeOfImpact(**shapes, **sweeps, tMax=1.0)
    assert state == Box2D.b2TOIOutput.e_touching
    target = 0.1 + BOX2D_POLYGON_SKIN - 3 * 0.005
    assert 4.0 * fraction == pytest.approx(2.0 - 0.1 - target, abs=0.25 * 0.005)


def test_a_world_manifold_always_stores_two_points():
    world = Box2D.b2World(gravity=(0, 0))
    for y in (0.0, 0.9):
        world.CreateDynamicBody(position=(0, y)).CreateCircleFixture(radius=0.5, density=1)
    world.Step(1 / 60, 8, 3)
    contact = world.contacts[0]
    assert contact.manifold.pointCount == 1
    assert len(contact.worldManifold.points) == 2


def test_distance_counts_skins_and_stops_at_zero():
    box = Box2D.b2PolygonShape(box=(0.5, 0.5))
    poses = []
    for x in (0.0, 1.5, 0.5):
        pose = Box2D.b2Transform()
        pose.Set((x, 0), 0.0)
        poses.append(pose)
    common = {"shapeA": box, "idxA": 0, "shapeB": box, "idxB": 0, "transformA": poses[0]}
    assert Box2D.b2Distance(**common, transformB=poses[1]).distance == pytest.approx(0.5 - 2 * BOX2D_POLYGON_SKIN, abs=1e-6)
    assert Box2D.b2Distance(**common, transformB=poses[1], useRadii=False).distance == pytest.approx(0.5, abs=1e-6)
    assert Box2D.b2Distance(**common, transformB=poses[2]).distance == 0.0


def test_a_body_moves_two_meters_and_a_quarter_turn_a_step_at_most():
    world = World(FREE)
    fast = world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), linear_velocity=(500.0, 0.0)))
    spinning = world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(0.0, 50.0), angular_velocity=500.0))
    world.step()
    assert world.state(fast).position[0] == pytest.approx(MAX_TRANSLATION_PER_STEP, rel=1e-6)
    assert world.state(spinning).angle == pytest.approx(MAX_ROTATION_PER_STEP, rel=1e-6)


def shot(continuous, bullet, target, sensor=False, start=-1.0, width=0.05):
    """Fire a disc of 0.1 m at 110 m/s at a plate; return whether it ended behind the plate and whether it touched it."""
    world = World(WorldSettings(gravity=(0.0, 0.0), continuous=continuous))
    plate = FixtureSpec(Polygon.box(width / 2.0, 5.0), density=20.0, sensor=sensor)
    wall = world.create_body(BodySpec((plate,), type=target))
    spec = BodySpec((FixtureSpec(Circle(0.1)),), position=(start, 0.0), linear_velocity=(110.0, 0.0), bullet=bullet)
    ball = world.create_body(spec)
    touched = False
    for _ in range(4):
        touched |= bool(world.step().began)
    return world.state(ball).position[0] > world.state(wall).position[0], touched


@pytest.mark.parametrize(
    ("continuous", "bullet", "target", "passes"),
    [
        (False, False, "static", True),
        (False, True, "static", True),  # without continuous physics the flag does nothing
        (True, False, "static", False),
        (True, True, "static", False),
        (True, False, "dynamic", True),  # without the flag, thin dynamic bodies are not seen
        (True, True, "dynamic", False),
    ],
)
def test_each_switch_stops_the_documented_bullets(continuous, bullet, target, passes):
    assert shot(continuous, bullet, target)[0] is passes


def test_bullets_miss_thin_sensors():
    touches = [shot(True, True, "static", sensor=True, start=start, width=0.1)[1] for start in (-0.5, -1.0, -1.5, -1.75)]
    assert touches.count(False) == 3


def bounce(speed):
    world = World(FREE)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5), restitution=1.0),), type="static", position=(0.0, -0.5)))
    spec = BodySpec((FixtureSpec(Circle(0.5), restitution=1.0),), position=(0.0, 0.6), linear_velocity=(0.0, -speed))
    ball = world.create_body(spec)
    for _ in range(60):
        world.step()
    return world.state(ball).linear_velocity[1]


def test_slow_balls_do_not_bounce():
    assert bounce(0.9 * VELOCITY_THRESHOLD) == pytest.approx(0.0, abs=0.02)
    assert bounce(1.1 * VELOCITY_THRESHOLD) == pytest.approx(1.1 * VELOCITY_THRESHOLD, rel=1e-3)


def slide(n_tiles):
    """Slide a frictionless box of 0.5 m at 8 m/s over 60 m of floor made of `n_tiles` boxes; return its speed after 4 s."""
    world = World()
    half = 30.0 / n_tiles
    for i in range(n_tiles):
        tile = FixtureSpec(Polygon.box(half, 0.5), friction=0.0)
        world.create_body(BodySpec((tile,), type="static", position=(half * (2 * i + 1) - 0.5, -0.5)))
    box = FixtureSpec(Polygon.box(0.25, 0.25), friction=0.0)
    body = world.create_body(BodySpec((box,), position=(1.3, 0.255), linear_velocity=(8.0, 0.0)))
    for _ in range(240):
        world.step()
    return world.state(body).linear_velocity[0]


def test_seams_between_boxes_cost_speed():
    assert slide(1) == pytest.approx(8.0, abs=1e-3)
    assert slide(60) < 4.0
