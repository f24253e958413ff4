import numpy as np
import pytest

from demos.simple_shapes import KINDS, SimpleShapes, make_shape
from engine.geometry import Circle, Transform
from engine.world import BodySpec, FixtureSpec


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_fit_into_their_circles(kind):
    shape = make_shape(kind, 0.5)
    reach = shape.radius if isinstance(shape, Circle) else float(np.hypot(*shape.vertices.T).max())
    assert 0.2 < reach <= 0.5 + 1e-12


@pytest.mark.parametrize("count", [1, 13, 40, 300])
def test_shapes_start_apart_and_stay_in_the_pit(count):
    demo = SimpleShapes(seed=5, values={"count": count})
    assert len(demo.stage.world.body_ids) == count + 1
    assert len(demo.stage.world.step()) == 0
    for _ in range(200):
        demo.sim.step()
    home = demo.home()
    poses = demo.stage.world.poses[1:]
    assert (poses[:, 0] > home.lower[0]).all() and (poses[:, 0] < home.upper[0]).all() and (poses[:, 1] > 0.0).all()


def test_the_rain_keeps_the_heap_awake_until_it_is_stopped():
    demo = SimpleShapes(values={"count": 20})
    world = demo.stage.world
    for _ in range(900):
        demo.sim.step()
    assert world.awake[1:].any() and world.poses[1:, 1].max() > 2.0
    demo.set_parameter("rain", 0.0)
    for _ in range(400):
        demo.sim.step()
    assert not world.awake[1:].any()


def test_the_rain_moves_neither_held_nor_hand_built_bodies():
    demo = SimpleShapes(values={"count": 3, "rain": 5})
    world = demo.stage.world
    own, held = world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 0.5))), 2
    top = demo.home().upper[1]

    def highest(body, steps):
        height = -1.0
        for _ in range(steps):
            demo.sim.step()
            height = max(height, world.state(body).position[1])
        return height

    highest(1, 230)
    assert highest(own, 150) < 0.7 * top < highest(1, 60)
    demo.set_parameter("rain", 0.0)
    highest(1, 200)
    assert demo.grab(world.state(held).position) and demo.grip is not None
    demo.set_parameter("rain", 5.0)
    assert highest(held, 150) < 0.7 * top < highest(3, 60), "the others go on falling"


def test_all_kinds_fall_in_an_order_set_by_the_seed():
    first, same, other = (SimpleShapes(seed=seed) for seed in (1, 1, 2))
    names = [first.stage.world.body(body).spec.name for body in first.stage.world.body_ids]
    assert set(KINDS) <= set(names)
    assert first.stage.world.state_hash() == same.stage.world.state_hash() != other.stage.world.state_hash()


def test_material_and_gravity_change_at_once():
    demo = SimpleShapes()
    demo.sim.step()
    world = demo.stage.world
    demo.set_parameter("friction", 0.9)
    demo.set_parameter("gravity", 1.0)
    assert demo.stage.world is world, "no restart"
    assert all(world.fixture(fixture).spec.friction == pytest.approx(0.9) for fixture in world.fixture_ids)
    assert world.settings.gravity == (0.0, -1.0)


def test_t_tosses_everything_up():
    demo = SimpleShapes()
    for _ in range(120):
        demo.sim.step()
    assert demo.on_key("t") and not demo.on_key("x")
    demo.sim.step()
    assert (demo.stage.world.velocities[1:, 1] > 3.0).mean() > 0.5


def test_no_shape_passes_the_wall():
    demo = SimpleShapes()
    box = demo.stage.world.fixture(demo.stage.world.fixture_ids[1]).shape
    assert box.aabb(Transform()).upper[1] > 20.0
