"""A world restored to a keyframe continues exactly like the original, bit for bit."""

import pickle

import numpy as np
import pytest

from engine.box2d import memory
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, MouseJointSpec, RevoluteJointSpec, StepHooks, World

EVERY = 40
N_STEPS = 150
FLOOR = BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), type="static", position=(0.0, -0.5))
SHAPES = (Polygon.box(0.3, 0.3), Circle(0.3), Polygon.regular(5, 0.35), Polygon.regular(3, 0.4))


def new_world():
    world = World()
    world.create_body(FLOOR)
    return world


def stack():
    world = new_world()
    for i in range(10):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.01 * (i % 2), 0.52 + 1.02 * i)))
    return world


def pile():
    world = new_world()
    rng = np.random.default_rng(3)
    for x in (-3.0, 3.0):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 6.0)),), type="static", position=(x, 6.0)))
    for i in range(40):
        place = float(rng.uniform(-2.0, 2.0)), 1.0 + 0.3 * i
        world.create_body(BodySpec((FixtureSpec(SHAPES[i % 4]),), position=place, angle=float(rng.uniform(-3.0, 3.0)), bullet=i % 5 == 0))
    return world


def chain():
    """Return a bridge hung at both ends, with limits on every second joint, discs on it and a sensor through which it swings."""
    world = new_world()
    post = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 0.2)),), type="static", position=(-5.0, 6.0)))
    before = post
    for i in range(10):
        link = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.45, 0.1), density=5.0),), position=(-4.5 + 0.95 * i, 6.0)))
        limit = {"enable_limit": True, "lower_angle": -0.15, "upper_angle": 0.15} if i % 2 else {}
        world.create_joint(RevoluteJointSpec(before, link, (-5.0 + 0.95 * i, 6.0), **limit))
        before = link
    end = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 0.2)),), type="static", position=(4.5, 6.0)))
    world.create_joint(RevoluteJointSpec(before, end, (4.5, 6.0)))
    world.create_body(BodySpec((FixtureSpec(Circle(0.8), sensor=True),), type="static", position=(0.0, 5.0)))
    for i in range(3):
        world.create_body(BodySpec((FixtureSpec(Circle(0.4)),), position=(-2.0 + 1.6 * i, 7.5)))
    return world


SCENES = {"stack": stack, "pile": pile, "chain": chain}


def disturb(world, step):
    """Push, grab, create and destroy, depending only on the step number."""
    bodies = [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]
    if step % 17 == 3:
        world.apply_impulse(bodies[step % len(bodies)], (0.4, 1.5))
    if step % 40 == 7:
        body = bodies[-1]
        joint = world.create_joint(MouseJointSpec(body, world.state(body).position, max_force=300.0))
        world.set_mouse_target(joint, (1.0, 5.0))
    if step % 40 == 30:
        for joint in [joint for joint in world.joint_ids if isinstance(world.joint(joint).spec, MouseJointSpec)]:
            world.destroy_joint(joint)
    if step % 60 == 44:
        world.create_body(BodySpec((FixtureSpec(SHAPES[step % 4], restitution=0.4),), position=(0.3, 9.0)))
    if step == 90:
        world.destroy_body(bodies[0])
    if step == 110:
        world.set_settings(gravity=(2.0, -9.0))
        world.set_body(bodies[2], fixed_rotation=True)


def run(world, until=N_STEPS):
    """Step to `until`; return the hash after each step, the snapshot at each keyframe, and the events as reported."""
    hashes, kept, events = {}, {}, []
    world.hooks = StepHooks(begin=lambda event: events.append((1, event)), end=lambda event: events.append((0, event)))
    while world.step_index < until:
        if world.step_index % EVERY == 0:
            world.canonicalize()
            kept[world.step_index] = world.snapshot()
        disturb(world, world.step_index)
        world.step()
        hashes[world.step_index] = world.state_hash()
    return hashes, kept, events


@pytest.mark.parametrize("name", SCENES)
def test_a_restored_world_continues_like_the_original(name):
    memory.load()
    hashes, kept, all_events = run(SCENES[name]())
    for step, snapshot in kept.items():
        again, _, events = run(World.from_snapshot(pickle.loads(pickle.dumps(snapshot))))
        assert again == {at: digest for at, digest in hashes.items() if at > step}, (name, step)
        assert events == [entry for entry in all_events if entry[1].step > step], (name, step)


def test_the_same_without_writable_memory(monkeypatch):
    monkeypatch.setattr("engine.box2d.solver.best_internal_memory", lambda: None)
    hashes, kept, _ = run(chain())
    for step in (40, 120):
        again = run(World.from_snapshot(kept[step]))[0]
        assert again == {at: digest for at, digest in hashes.items() if at > step}


@pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")
@pytest.mark.parametrize("name", ["stack", "chain"])
@pytest.mark.parametrize("step", [10, 60, 150])
def test_a_rebuild_is_invisible(name, step):
    """If the order of contacts does not matter, a world restored at any step continues exactly; joints need their internal impulses for
    this.
    """
    world = SCENES[name]()
    for _ in range(step):
        world.step()
    other = world.clone()
    assert other.state_hash() == world.state_hash()
    worst = 0.0
    for _ in range(120):
        world.step()
        other.step()
        worst = max(worst, float(np.abs(world.poses - other.poses).max()))
    assert worst == 0.0 if name == "stack" else worst < 0.02  # discs rolling over links: the order of their contacts


def test_keyframes_report_every_contact_once():
    """A contact that is reevaluated at a keyframe may begin or end there: the next step reports it, and no event is reported twice."""
    _, _, events = run(pile())
    touching = set()
    for begins, event in events:
        pair = event.fixture_a, event.fixture_b
        assert (pair not in touching) == bool(begins), event
        touching ^= {pair}
    assert len(events) > 100


def test_a_rebuild_keeps_the_poses_before_the_step():
    """Drawing between two steps needs them, also at a keyframe."""
    world, plain = stack(), stack()
    for _ in range(EVERY):
        world.step()
        plain.step()
    world.canonicalize()
    assert world.previous_poses.tobytes() == plain.previous_poses.tobytes() != world.poses.tobytes()
