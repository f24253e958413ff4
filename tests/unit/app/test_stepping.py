"""Input of the stepper: the shapes of a contact, a difference, two bodies or a world, and the demo that starts with them."""

from pathlib import Path

import pytest

from engine import query, trace
from engine.app.case_demos import stepper_of
from engine.app.stepper_requests import door_of_bodies, door_of_body, door_of_contact, door_of_difference, door_of_solver
from engine.contracts.agreement import Difference
from engine.geometry import Circle, Polygon
from engine.sim.stage import Stage
from engine.trace.case_file import load_case
from engine.trace.cases import PairCase
from engine.trace.scene_case import SceneCase
from engine.world import BodySpec, FixtureSpec, World

BOX = Polygon.box(0.5, 0.5)


@pytest.fixture
def stage():
    """A floor, a box named crate deep in it, another less deep, and a disc that falls between them."""
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static", position=(0.0, -0.5), name="floor"))
    for shape, at, name in ((BOX, (-3.0, 0.45), "crate"), (BOX, (3.0, 0.49), ""), (Circle(0.25), (0.0, 3.0), "")):
        world.create_body(BodySpec((FixtureSpec(shape),), position=at, name=name))
    world.step()
    return Stage(world)


def pair_of(case):
    assert isinstance(case, PairCase)
    return case.pair


def test_a_contact_opens_the_manifold_of_its_shapes_at_the_solvers_poses(stage):
    contacts = stage.world.contacts
    for row in range(len(contacts)):
        door = door_of_contact(stage, row)
        pair = pair_of(door.case)
        assert door.algorithm == "manifold"
        contact = query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        assert min(point.separation for point in contact.points) == pytest.approx(contacts.separation[row].min(), abs=1e-6)
    assert door_of_contact(stage, 0).title == "The contact between floor and crate"
    assert door_of_contact(stage, 1).title == "The contact between floor and body 2"


def test_the_deepest_contact_of_a_body_or_a_world_is_used(stage):
    deepest, second, none = (door_of_body(stage, body) for body in (None, 2, 3))
    assert deepest is not None and second is not None and none is not None
    assert pair_of(deepest.case).pose_b.position[0] == -3.0 and pair_of(second.case).pose_b.position[0] == 3.0
    assert none.algorithm == "gjk"
    assert door_of_body(Stage(World())) is None


def test_two_bodies_open_their_contact_or_their_distance(stage):
    assert door_of_bodies(stage, 2, 0).algorithm == "manifold"
    door = door_of_bodies(stage, 1, 3)
    assert door.algorithm == "gjk" and isinstance(pair_of(door.case).shape_b, Circle)
    assert door.title == "The distance between crate and body 3"


@pytest.mark.parametrize(
    ("fixtures", "reason", "algorithm"),
    [((0, 1), "local_maximum", "manifold"), ((0, 3), "float32_tie", "manifold"), ((0, 3), "toi_missed", "conservative_advancement")],
)
def test_a_difference_opens_the_algorithm_that_computed_it(stage, fixtures, reason, algorithm):
    door = door_of_difference(stage, Difference(*fixtures, (0.0, 0.0), (0.0, 1.0), None, reason, 0.1, ""))
    pair = pair_of(door.case)
    assert (door.algorithm, pair.query) == (algorithm, "toi" if algorithm == "conservative_advancement" else "manifold")
    moved = stage.world.row_of(stage.world.fixture(fixtures[1]).body)
    assert (*pair.pose_b.position, pair.pose_b.angle) == tuple(stage.world.previous_poses[moved])
    assert door.beside == (None if pair.query == "toi" else "manifold_box2d")
    if pair.query == "toi":
        assert pair.end_b.position == stage.world.state(3).position != pair.pose_b.position


def test_the_solver_of_a_world_opens_its_next_step(stage):
    door = door_of_solver(stage)
    assert isinstance(door.case, SceneCase) and trace.algorithm(door.algorithm).takes(door.case)
    assert door.title == f"The next step of this world, as computed by {door.algorithm}"  # Box2D tells no impulses
    stage.world.set_awake(3, False)
    assert door_of_solver(stage).case.start.motion.awake[3] and not stage.world.state(3).awake  # of a sleeper there is nothing to see
    own = Stage(World(solver="sequential_impulses"))
    assert (door_of_solver(own).algorithm, door_of_solver(own).title) == ("sequential_impulses", "The next step of this world")


def test_the_demo_begins_with_the_case_and_saves_it(stage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    door = door_of_bodies(stage, 1, 3)
    demo = stepper_of("gjk", door.case, door.title, "epa")(0)
    assert (demo.title, demo.names, demo.case) == (door.title, ("gjk", "epa"), door.case)
    for _ in range(2):
        assert not demo.on_key("s"), "which is no part of the past"
    assert demo.status()[-1][0] == f"saved as {Path('out') / 'gjk_2.json'}"
    saved = load_case(Path("out") / "gjk_1.json")
    assert saved.algorithm == "gjk" and saved.case.scenery == door.case.scenery
