"""Any solver can drive a world; this one implements only gravity."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, WorldLostError
from engine.contracts import no_contacts
from engine.geometry import Capsule, Circle, Polygon
from engine.scenes import Scene, build, from_plain, load_scene, save_scene, scene_of, to_plain
from engine.scenes.scene_file import scene_as_json
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, World, WorldSettings, accept, commands, load_solver, solvers
from engine.world import solver as table
from engine.world.records import BodyMotion
from engine.world.snapshot import SolverState
from engine.world.solver import Capabilities, Solver

DISC = FixtureSpec(Circle(0.5))


class Falling(Solver):
    """Bodies that fall through everything."""

    capabilities = Capabilities("falling", "Falling", (Circle,), (), None, np.float64, 0.0)

    def __init__(self, model):
        super().__init__(model)
        self.rows = {}
        self.step_made = 0

    def apply(self, command, becomes):
        match command:
            case commands.CreateBody(body, spec, _):
                self.rows[body] = np.array([*spec.position, spec.angle, *spec.linear_velocity, spec.angular_velocity])
            case commands.DestroyBody(body):
                del self.rows[body]
            case commands.SetVelocity(body, linear, angular):
                self.rows[body] = np.array([*self.rows[body][:3], *linear, angular])
            case commands.SetPose(body, position, angle):
                self.rows[body] = np.array([*position, angle, *self.rows[body][3:]])
            case commands.SetAwake():
                raise ZeroDivisionError("it never sleeps")

    def step(self, number):
        dt = self.model.settings.dt
        for body, row in list(self.rows.items()):
            if self.model.bodies[body].spec.type == "dynamic":
                velocity = row[3:] + dt * np.array([*self.model.settings.gravity, 0.0])
                self.rows[body] = np.concatenate((row[:3] + dt * velocity, velocity))
        self.step_made = number
        return []

    def motion(self):
        values = np.array([self.rows[body] for body in sorted(self.rows)]).reshape(-1, 6)
        return BodyMotion(values, np.ones(len(values), dtype=np.bool_))

    @property
    def contacts(self):
        return no_contacts(self.step_made)

    def mass_data(self, body):
        return (0.0, 0.0), 1.0, 1.0

    def holds_point(self, fixture, point):
        x, y = self.rows[self.model.fixtures[fixture].body][:2]
        return bool(np.hypot(point[0] - x, point[1] - y) <= self.model.fixtures[fixture].spec.shape.radius)

    def joint_anchors(self, joint):
        raise AssertionError("there are no joints")

    def joint_reaction(self, joint):
        raise AssertionError("there are no joints")

    def save(self):
        return SolverState(self.motion(), self.contacts, frozenset(), ((), ()), None)

    def load(self, state):
        self.rows = dict(zip(self.model.rows, state.motion.values.copy(), strict=True))
        self.step_made = state.contacts.step

    def mark(self, command=None):
        return dict(self.rows), self.step_made

    def go_back(self, mark):
        self.rows, self.step_made = dict(mark[0]), mark[1]


@pytest.fixture(autouse=True)
def listed(monkeypatch):
    monkeypatch.setitem(table._ENTRIES, "falling", f"{__name__}:Falling")
    monkeypatch.setattr(table, "import_module", lambda name: _Module if name == __name__ else load(name))


load = table.import_module


@dataclass
class _Module:
    Falling = Falling


def test_solvers_are_listed_and_an_unknown_name_is_rejected():
    assert {"box2d", "falling"} <= set(solvers()) and load_solver("falling") is Falling
    with pytest.raises(InvalidInputError, match=r"solver must be one of box2d, .*falling.*, got 'newton'"):
        World(solver="newton")


def test_a_world_with_another_solver_steps_and_rewinds():
    world = World(WorldSettings(gravity=(0.0, -10.0), hertz=100.0), solver="falling")
    ball, ground = world.create_body(BodySpec((DISC,), position=(0.0, 8.0))), world.create_body(BodySpec((DISC,), "static"))
    assert world.solver == world.capabilities.name == "falling" and world.contacts.step == 0
    for _ in range(100):
        world.step()
    assert world.state(ball).linear_velocity == pytest.approx((0.0, -10.0)) and world.state(ground).position == (0.0, 0.0)
    assert world.state(ball).position[1] == pytest.approx(8.0 - 0.5 * 10.0 - 0.05) and world.time == pytest.approx(1.0)
    assert world.previous_poses[0, 1] == pytest.approx(world.poses[0, 1] + 0.1) and world.poses.dtype == np.float64
    assert world.body_at(world.state(ball).position) == ball
    world.canonicalize()
    snapshot, twin = world.snapshot(), world.clone()
    assert twin.solver == "falling" and snapshot.state.is_whole and twin.contacts.step == world.contacts.step == 100
    for each in (world, twin):
        each.set_velocity(ball, (1.0, 2.0))
        each.step()
    assert world.state_hash() == twin.state_hash()
    world.restore(snapshot)
    assert world.step_index == 100 and world.state_hash() != twin.state_hash()
    world.restore(World().snapshot())
    assert world.solver == "box2d" and world.body_ids == ()


def test_any_solver_can_take_over_a_running_world_and_return_it():
    world = World(WorldSettings(hertz=100.0), solver="soft_step")
    ball = world.create_body(BodySpec((DISC,), position=(0.0, 8.0)))
    for solver in ("falling", "box2d", "falling", "soft_step"):
        world.step()
        world.set_solver(solver)
    world.step()
    assert world.solver == "soft_step" and world.state(ball).linear_velocity[1] == pytest.approx(-0.5)
    box = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 1.0)),)))
    with pytest.raises(InvalidInputError, match=rf"body {box}, fixture 1: shape must be one that Falling supports \(Circle\)"):
        world.set_solver("falling")
    world.destroy_body(box)
    joint = world.create_joint(DistanceJointSpec(ball, world.create_body(BodySpec((DISC,))), (0.0, 8.0), (0.0, 0.0)))
    with pytest.raises(InvalidInputError, match=rf"joint {joint}: joint must be one that Falling supports \(none\)"):
        world.set_solver("falling")
    assert world.solver == "soft_step"


def test_an_unsupported_change_of_solver_leaves_the_world_unchanged():
    world = World(solver="falling")
    ball = world.create_body(BodySpec((DISC,), position=(0.0, 8.0)))
    world.step()
    before = world.state_hash(), world.body_ids
    with pytest.raises(WorldLostError, match="Falling rejected SetAwake: it never sleeps; the world has been rolled back"):
        world.set_awake(ball, False)
    assert (world.state_hash(), world.body_ids) == before
    world.destroy_body(ball)
    assert world.body_ids == () and len(world.step()) == 0


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Capsule((0.0, 0.0), (1.0, 0.0), 0.2), "shape must be one that Box2D supports: a Circle, a Polygon or a Segment, got a Capsule"),
        (Polygon.regular(17, 1.0), "vertices must be at most 16, got 17"),
        (Polygon.box(1.0, 1.0, skin_radius=0.25), r"skin_radius must be 0 or 0.01 m \(Box2D's skin is fixed\)"),
    ],
)
def test_a_specification_accepts_any_shape_and_the_solver_rejects_unsupported_ones(shape, words):
    spec = FixtureSpec(shape)
    assert spec.shape == shape
    assert from_plain(json.loads(json.dumps(to_plain(spec)))).shape == as_float32(shape)
    world = World()
    body = world.create_body(BodySpec())
    for refuse in (lambda: accept(spec), lambda: world.create_body(BodySpec((spec,))), lambda: world.create_fixture(body, spec)):
        with pytest.raises(InvalidInputError, match=words):
            refuse()
    assert world.body_ids == (body,) and world.fixture_ids == ()


def as_float32(shape):
    """The shape in float32 numbers, as in a file."""
    if isinstance(shape, Polygon):
        return Polygon(shape.vertices.astype(np.float32).astype(float), shape.skin_radius)
    assert isinstance(shape, Capsule)
    return Capsule(shape.p1, shape.p2, float(np.float32(shape.radius)))


def test_box2d_uses_float32_numbers_and_a_skin():
    spec = FixtureSpec(Polygon.box(0.1, 1.0 / 3.0))
    held = accept(spec)
    assert isinstance(held.shape, Polygon) and held.shape.skin_radius == 0.01 and spec.shape.skin_radius == 0.0
    assert held.shape.vertices.tolist() == Polygon.box(0.1, 1.0 / 3.0).vertices.astype(np.float32).tolist()
    assert accept(held) is held
    world = World()
    fixture = world.create_fixture(world.create_body(BodySpec()), spec)
    assert world.fixture(fixture).spec == held


def test_a_scene_names_its_solver_and_keeps_its_precision(tmp_path):
    path = tmp_path / "falling.json"
    scene = Scene(bodies=(BodySpec((DISC,), position=(0.1, float(np.float32(0.3)))),), solver="falling")
    save_scene(path, scene)
    again = load_scene(path)
    assert again == scene and again.bodies[0].position == (0.1, float(np.float32(0.3)))
    world = build(again)
    assert world.solver == "falling" and scene_of(world).solver == "falling"
    box = BodySpec((FixtureSpec(Polygon.box(1.0, 1.0)),))
    with pytest.raises(InvalidInputError, match=r"bodies\[0\]\.shape must be one that Falling supports \(Circle\)"):
        Scene(bodies=(box,), solver="falling")
    assert "solver" not in scene_as_json(Scene(bodies=(box,)))["settings"]
    path.write_text(path.read_text(encoding="utf-8").replace('"falling"', '"newton"'), encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"line \d+: settings\.solver must be one of box2d, .*falling.*, got 'newton'"):
        load_scene(path)
