"""Copies of bodies with their joints, to be pasted elsewhere, in this demo or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.app.editor.editor import Chosen, Copied, Editor
from engine.common.errors import LabError
from engine.sim.actions import CreateJoint
from engine.sim.stage import body_box, stage_under, union
from engine.world import BodySpec, JointSpec, MouseJointSpec, World
from engine.world.joints.interface import bodies_of, joints_of, renumbered

__all__ = ["copy_of", "put_at", "put_down"]

Point = tuple[float, float]

_PLACES = ("anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b")


def copy_of(editor: Editor, chosen: Sequence[Chosen]) -> Copied | None:
    """Return a copy of the bodies in the same stage as the first one; None without bodies."""
    if not chosen:
        return None
    stage = chosen[0].stage
    world = editor.world(stage)
    bodies = [item.body for item in chosen if item.stage == stage]
    joints: dict[int, None] = {}
    for body in bodies:
        joints.update(dict.fromkeys(world.body(body).joints))
    place = {body: k for k, body in enumerate(bodies)}
    specs: list[JointSpec] = []
    copied: dict[int, int] = {}
    for joint in sorted(joints):
        spec = world.joint(joint).spec
        if isinstance(spec, MouseJointSpec) or not (place.keys() >= {*bodies_of(spec)} and copied.keys() >= {*joints_of(spec)}):
            continue
        try:
            now = world.joint_now(joint)
        except LabError:  # such as a rod whose ends coincide, which cannot be created again
            continue
        copied[joint] = len(specs)
        specs.append(renumbered(now, place.__getitem__, copied.__getitem__))
    box = union([item for item in (body_box(world, body) for body in bodies) if item is not None])
    middle = world.state(bodies[0]).position if box is None else tuple(0.5 * (box.lower[k] + box.upper[k]) for k in (0, 1))
    return Copied(tuple(_as_it_is(world, body) for body in bodies), tuple(specs), (middle[0], middle[1]))


def put_at(editor: Editor, copied: Copied, point: Point) -> list[Chosen]:
    """Create the bodies and joints with their center at a point of the picture, as `put_down`."""
    into = stage_under(editor.stages, point)
    at = editor.stages[into].local(point)
    return put_down(editor, copied, into, (at[0] - copied.middle[0], at[1] - copied.middle[1]))


def put_down(editor: Editor, copied: Copied, into: int, offset: Point) -> list[Chosen]:
    """Create the bodies and joints in a stage, shifted by `offset`; return the bodies.

    Raises
    ------
    LabError
        The world rejects it.
    """
    gesture = editor.gesture()
    made: list[int] = []
    bodies = [replace(spec, position=_moved(spec.position, offset)) for spec in copied.bodies]  # reject before creating any
    for spec in bodies:
        made.append(gesture.create(into, spec))
    joints: list[int] = []
    for joint in copied.joints:
        joints.append(gesture.edit(CreateJoint.of(into, _elsewhere(joint, offset, made, joints))))
    return [Chosen(into, body) for body in made]


def _as_it_is(world: World, body: int) -> BodySpec:
    state = world.state(body)
    spec = replace(world.body(body).spec, position=state.position, angle=state.angle, awake=True)
    if spec.type == "static":
        return spec
    return replace(spec, linear_velocity=state.linear_velocity, angular_velocity=state.angular_velocity)


def _elsewhere(joint: JointSpec, offset: Point, bodies: Sequence[int], joints: Sequence[int]) -> JointSpec:
    places: dict[str, Any] = {name: _moved(point, offset) for name in _PLACES if (point := getattr(joint, name, None)) is not None}
    return replace(renumbered(joint, bodies.__getitem__, joints.__getitem__), **places)


def _moved(point: Point, offset: Point) -> Point:
    return point[0] + offset[0], point[1] + offset[1]
