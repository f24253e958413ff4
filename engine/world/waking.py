"""Waking: which change of a world wakes which bodies, one table for every solver.

A body that sleeps is in balance with what there was when it fell asleep: gravity, what it rests on, what it is joined to. A command that
changes any of that wakes it; the solver wakes the rest of its island, as soon as something awake touches it or hangs on it.

| command | wakes the body itself | and what is near, before and after | and those that hang on it |
|---|---|---|---|
| force, torque, impulse, a velocity other than 0 | yes | | |
| `set_pose` | yes | yes | yes |
| `set_body`: type, active | yes | yes | yes |
| `set_body`: gravity_scale, fixed_rotation, allow_sleep | yes | | |
| `set_fixture`: friction, restitution, sensor, category, mask, group | yes | yes | |
| `set_fixture`: density | yes | | |
| `create_fixture`, `destroy_fixture` | yes | yes | |
| `create_body`, not dynamic | | yes | |
| `destroy_body` | | yes | yes |
| `create_joint`, `set_joint`, `set_mouse_target`, `destroy_joint` | | | yes |
| `set_settings`: gravity; sleeping switched off | everybody | | |
| `set_solver`; `set_settings`: solver_settings | everybody who was not made asleep (`BodySpec.awake`) | | |

What is set to the value that it has, a name, damping (of a body at rest it takes nothing) and `bullet` wake nobody. A dynamic body that is
created awake wakes whom it meets, by touching it; one that is created asleep changes nothing.

*Near* is a body one of whose boxes meets a box of what is changed, with room for skins. It needs no contacts, which are another for each
solver, and finds what did not touch before: the sleeper onto which a wall is set. To wake one too many costs it half a second awake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import AnyShape, Transform
from engine.world import commands as c
from engine.world.joint_specs import GearJointSpec, JointSpec, bodies_of
from engine.world.model import WorldModel
from engine.world.solver import Capabilities

__all__ = ["Concerned", "Sleepers", "concerned", "ends_of"]

_OF_THE_BODY = ("gravity_scale", "fixed_rotation", "allow_sleep")
_OF_ITS_PLACE = ("type", "active")
_OF_ITS_SURFACE = ("friction", "restitution", "sensor", "category", "mask", "group")


class Concerned(NamedTuple):
    """Whom a command wakes: `bodies`, whatever is near `fixtures`, and all that sleep, or all of these that were not made asleep."""

    bodies: tuple[int, ...] = ()
    fixtures: tuple[int, ...] = ()
    others: Literal["nobody", "all", "not made asleep"] = "nobody"


_NOBODY, _ALL_BUT_MADE_ASLEEP = Concerned(), Concerned(others="not made asleep")


def concerned(command: c.Command, model: WorldModel) -> Concerned:
    """Return whom a command wakes, of a model that has not followed it yet; joints that it destroys have `ends_of`."""
    match command:
        case c.CreateBody(_, spec, fixtures) if spec.type != "dynamic":
            return Concerned(fixtures=fixtures)
        case c.DestroyBody(body):
            return Concerned(fixtures=tuple(model.bodies[body].fixtures))
        case c.CreateFixture(fixture, body, _):
            return Concerned((body,), (fixture,))
        case c.DestroyFixture(fixture):
            return Concerned((model.fixtures[fixture].body,), (fixture,))
        case c.CreateJoint(_, spec):
            return Concerned(_bodies_joined_by(spec, model))
        case c.SetJoint(joint, _) | c.SetMouseTarget(joint, _):
            return Concerned(ends_of(model.lost_with([joint]), model))
        case c.SetPose(body, _, _):
            return _with_its_place(body, model)
        case c.SetVelocity(body, linear, angular) if any((*linear, angular)):
            return Concerned((body,))
        case c.ApplyImpulse(body, _, _) | c.ApplyForce(body, _, _) | c.ApplyTorque(body, _) if model.bodies[body].spec.type == "dynamic":
            return Concerned((body,))
        case c.SetBody(body, changes):
            names = _changed(model.bodies[body].spec, changes)
            return _with_its_place(body, model) if names & {*_OF_ITS_PLACE} else Concerned((body,)) if names & {*_OF_THE_BODY} else _NOBODY
        case c.SetFixture(fixture, changes):
            entry = model.fixtures[fixture]
            names = _changed(entry.spec, changes)
            near = (fixture,) if names & {*_OF_ITS_SURFACE} else ()
            return Concerned((entry.body,), near) if near or "density" in names else _NOBODY
        case c.SetSettings(changes):
            names = _changed(model.settings, changes)
            if "gravity" in names or ("sleeping" in names and model.settings.sleeping):
                return Concerned(others="all")
            return _ALL_BUT_MADE_ASLEEP if "solver_settings" in names else _NOBODY
        case c.SetSolver():
            return _ALL_BUT_MADE_ASLEEP
    return _NOBODY


def _changed(spec: object, changes: Iterable[tuple[str, Any]]) -> set[str]:
    """Return the names of what becomes another value."""
    return {name for name, value in changes if getattr(spec, name) != value}


def _with_its_place(body: int, model: WorldModel) -> Concerned:
    entry = model.bodies[body]
    return Concerned((body, *ends_of(entry.joints, model)), tuple(entry.fixtures))


def ends_of(joints: Iterable[int], model: WorldModel) -> tuple[int, ...]:
    """Return the bodies between which joints are, each once; of a gear joint all four."""
    ends: dict[int | None, None] = {}
    for joint in joints:
        resolved = model.joints[joint]
        ends.update(dict.fromkeys((*resolved.bodies, *_bodies_joined_by(resolved.spec, model))))
    return tuple(body for body in ends if body is not None)


def _bodies_joined_by(spec: JointSpec, model: WorldModel) -> tuple[int, ...]:
    if not isinstance(spec, GearJointSpec):
        return bodies_of(spec)
    ends = (model.joints[joint].bodies for joint in (spec.joint_a, spec.joint_b))
    return tuple(body for pair in ends for body in pair if body is not None)


class Sleepers:
    """The bodies that sleep and could move, at one moment, and where they lie: asleep they stay there.

    Parameters
    ----------
    model : WorldModel
    poses : float64 (n, 3)
        Of all bodies, in the order of `WorldModel.body_ids`.
    awake : bool (n,)
    capabilities : Capabilities
        Of the solver, for how far apart it holds what touches.
    """

    def __init__(self, model: WorldModel, poses: FloatArray, awake: NDArray[np.bool_], capabilities: Capabilities) -> None:
        self._model = model
        self._room = 2.0 * (capabilities.skin_radius + capabilities.margin) + LINEAR_SLOP
        specs = ((body, model.bodies[body].spec) for body in model.body_ids[~awake].tolist())
        rows = model.rows
        self.bodies = {body: tuple(poses[rows[body]].tolist()) for body, spec in specs if spec.active and spec.type != "static"}
        """Their poses by id, ascending; who wakes or goes is taken out."""
        self._boxes: tuple[IntArray, FloatArray] | None = None

    def add(self, body: int, pose: tuple[float, ...]) -> None:
        """Take in a body that is created asleep, at its pose: x, y, m, and angle, rad."""
        self.bodies[body], self._boxes = pose, None

    def near(self, fixtures: Iterable[int], pose_of: Callable[[int], Transform]) -> Iterator[int]:
        """Return those that are near solid fixtures, of bodies that stand thus; of an inactive one, nobody."""
        for fixture in fixtures if self.bodies else ():
            entry = self._model.fixtures[fixture]
            if entry.spec.sensor or not self._model.bodies[entry.body].spec.active:
                continue
            box = entry.spec.shape.aabb(pose_of(entry.body))
            lower, upper = np.array(box.lower) - self._room, np.array(box.upper) + self._room
            owners, boxes = self._boxes_of_shapes()
            meets = ((boxes[:, 0] <= upper) & (boxes[:, 1] >= lower)).all(axis=1)
            yield from (body for body in dict.fromkeys(owners[meets].tolist()) if body != entry.body and body in self.bodies)

    def _boxes_of_shapes(self) -> tuple[IntArray, FloatArray]:
        """Return body and box of each shape: ids (n,), lower and upper corner (n, 2, 2)."""
        if self._boxes is None:
            listed = [
                (body, shape.aabb(Transform((x, y), angle))) for body, (x, y, angle) in self.bodies.items() for shape in self._shapes(body)
            ]
            boxes = np.array([(box.lower, box.upper) for _, box in listed]).reshape(-1, 2, 2)
            self._boxes = np.array([body for body, _ in listed], dtype=np.int64), boxes
        return self._boxes

    def _shapes(self, body: int) -> Iterator[AnyShape]:
        """Return the shapes of a body that others rest against."""
        specs = (self._model.fixtures[fixture].spec for fixture in self._model.bodies[body].fixtures)
        return (spec.shape for spec in specs if not spec.sensor)
