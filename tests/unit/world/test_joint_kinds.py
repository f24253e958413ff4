"""Every kind of joint, found by its file: rules, labels, rows, and the ways in which a joint leaves a world and comes back."""

from dataclasses import fields

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Polygon
from engine.scenes import load_scene, save_scene
from engine.scenes.scene import build, scene_of
from engine.sim.action_codec import decode_action, encode_action
from engine.sim.actions import CreateJoint
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings, accept, load_solver, methods
from engine.world.fields import rule_of
from engine.world.joints import JOINT_SPECS
from engine.world.joints.interface import changeable
from tests.joint_samples import arguments

BOX = (FixtureSpec(Polygon.box(0.4, 0.2)),)

pytestmark = pytest.mark.parametrize("kind", JOINT_SPECS)


def joined(kind, solver="soft_step"):
    """Return a world with a joint of this kind, and the joint: bodies 0 to 2, of which 0 is static, with hinges 0 and 1 for a gear."""
    world = World(WorldSettings(gravity=(0.3, -9.0)), solver)
    for k in range(3):
        world.create_body(BodySpec(BOX, "dynamic" if k else "static", position=(float(k), 0.0)))
    for k in (1, 2) if kind.joint_fields else ():
        world.create_joint(RevoluteJointSpec(0, k, (float(k), 0.0)))
    return world, world.create_joint(kind(**arguments(kind)))


def test_it_has_rules_and_labels(kind):
    assert [field.name for field in fields(kind) if rule_of(kind, field.name) is None] == []
    names = changeable(kind(**arguments(kind)))
    without = [name for name in names if name not in kind.labels]
    assert without == [], f"{kind.__name__}.labels has no label of {', '.join(without)}"
    for label in map(kind.labels.get, names):
        assert label.name and label.help.endswith(".")
    assert [other for other in JOINT_SPECS if other.title == kind.title] == [kind]


@pytest.mark.parametrize("solver", methods())
def test_every_method_solves_its_rows(kind, solver):
    world, joint = joined(kind, solver)
    resolved = dict(world.snapshot().joints)
    assert list(resolved[joint].spec.rows(resolved[joint]))
    for _ in range(30):
        world.step()
    state = world.joint_state(joint)
    assert np.isfinite((*state.force, state.torque, state.travel, state.speed)).all()


def test_it_comes_back_from_a_snapshot_a_file_and_an_action(kind, tmp_path):
    world, joint = joined(kind)
    world.step()
    copy = World(solver="soft_step")
    copy.restore(world.snapshot())
    assert copy.joint(joint) == world.joint(joint)
    scene = scene_of(world)
    save_scene(tmp_path / "scene.json", scene)
    assert load_scene(tmp_path / "scene.json").joints == scene.joints
    assert type(build(scene).joint(joint).spec) is kind
    spec = world.joint_now(joint)
    assert decode_action(encode_action(CreateJoint.of(0, spec))).joint_spec == spec


@pytest.mark.parametrize("solver", ["box2d", "box2d3", "chipmunk"])
def test_a_solver_takes_it_or_names_the_kinds_that_it_takes(kind, solver):
    pytest.importorskip({"box2d": "Box2D", "box2d3": "pyb2d3", "chipmunk": "pymunk"}[solver])
    can, spec = load_solver(solver).capabilities, kind(**arguments(kind))
    if kind in can.joints:
        assert accept(spec, solver) is not None
    else:
        with pytest.raises(InvalidInputError, match=rf"^joint must be one that {can.title} supports \(\w+JointSpec, .*got {kind.__name__}"):
            accept(spec, solver)
