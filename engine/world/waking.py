"""Determines which bodies each command wakes; the rules are the same for every solver.

A sleeping body is in equilibrium with gravity, its contacts and its joints. A command that changes any of these wakes it; the solver wakes
the rest of its island once an awake body touches it or is joined to it.

| command | wakes the body itself | bodies near it, before and after | bodies joined to it |
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
| `set_settings`: gravity; sleeping disabled | all bodies | | |
| `set_solver`; `set_settings`: solver_settings | all bodies that were not created asleep (`BodySpec.awake`) | | |

Unchanged values, a name, damping (without effect on a body at rest) and `bullet` wake no body. A dynamic body created awake wakes the
bodies that it touches, through its contacts; a body created asleep wakes none.

A body is *near* if a bounding box of its shapes overlaps one of the changed shapes, with a margin for skins. This does not depend on the
solver's contacts, and includes bodies that did not touch before, such as a sleeping body onto which a wall is placed. Sensors count: Box2D
evaluates only pairs with an awake body, so a sensor placed over a sleeping body would report nothing. A body woken unnecessarily falls
asleep again after half a second.
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
from engine.world.joints.interface import linked_bodies
from engine.world.model import WorldModel
from engine.world.solver import Capabilities

__all__ = ["Concerned", "Sleepers", "concerned", "ends_of"]

_OF_THE_BODY = ("gravity_scale", "fixed_rotation", "allow_sleep")
_OF_ITS_PLACE = ("type", "active")
_OF_ITS_SURFACE = ("friction", "restitution", "sensor", "category", "mask", "group")


class Concerned(NamedTuple):
    """The bodies that a command wakes: `bodies`, bodies near `fixtures`, and, depending on `others`, all sleeping bodies or all that were
    not created asleep."""

    bodies: tuple[int, ...] = ()
    fixtures: tuple[int, ...] = ()
    others: Literal["nobody", "all", "not made asleep"] = "nobody"


_NOBODY, _ALL_BUT_MADE_ASLEEP = Concerned(), Concerned(others="not made asleep")


def concerned(command: c.Command, model: WorldModel) -> Concerned:
    """Return the bodies that a command wakes, given the model before the command; `ends_of` returns the bodies of destroyed joints."""
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
            return Concerned(linked_bodies(spec, model.joints))
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
    """Return the names of the fields whose values change."""
    return {name for name, value in changes if getattr(spec, name) != value}


def _with_its_place(body: int, model: WorldModel) -> Concerned:
    entry = model.bodies[body]
    return Concerned((body, *ends_of(entry.joints, model)), tuple(entry.fixtures))


def ends_of(joints: Iterable[int], model: WorldModel) -> tuple[int, ...]:
    """Return the bodies of the given joints, without duplicates; a gear joint has four."""
    return tuple(dict.fromkeys(body for joint in joints for body in linked_bodies(model.joints[joint].spec, model.joints)))


class Sleepers:
    """Snapshot of the sleeping movable bodies and their poses, which do not change while they sleep.

    Parameters
    ----------
    model : WorldModel
    poses : float64 (n, 3)
        Poses of all bodies, in the order of `WorldModel.body_ids`.
    awake : bool (n,)
    capabilities : Capabilities
        Capabilities of the solver, for its skin radius and margin.
    """

    def __init__(self, model: WorldModel, poses: FloatArray, awake: NDArray[np.bool_], capabilities: Capabilities) -> None:
        self._model = model
        self._room = 2.0 * (capabilities.skin_radius + capabilities.margin) + LINEAR_SLOP
        specs = ((body, model.bodies[body].spec) for body in model.body_ids[~awake].tolist())
        rows = model.rows
        self.bodies = {body: tuple(poses[rows[body]].tolist()) for body, spec in specs if spec.active and spec.type != "static"}
        """Poses by id, ascending; bodies that wake or are destroyed are removed."""
        self._boxes: tuple[IntArray, FloatArray] | None = None

    def add(self, body: int, pose: tuple[float, ...]) -> None:
        """Add a body that is created asleep, with its pose: x, y, m, and angle, rad."""
        self.bodies[body], self._boxes = pose, None

    def near(self, fixtures: Iterable[int], pose_of: Callable[[int], Transform]) -> Iterator[int]:
        """Yield the sleeping bodies near the given fixtures at the poses of `pose_of`; inactive bodies are ignored."""
        for fixture in fixtures if self.bodies else ():
            entry = self._model.fixtures[fixture]
            if not self._model.bodies[entry.body].spec.active:
                continue
            box = entry.spec.shape.aabb(pose_of(entry.body))
            lower, upper = np.array(box.lower) - self._room, np.array(box.upper) + self._room
            owners, boxes = self._boxes_of_shapes()
            meets = ((boxes[:, 0] <= upper) & (boxes[:, 1] >= lower)).all(axis=1)
            yield from (body for body in dict.fromkeys(owners[meets].tolist()) if body != entry.body and body in self.bodies)

    def _boxes_of_shapes(self) -> tuple[IntArray, FloatArray]:
        """Return the body id of each shape, (n,), and the lower and upper corner of its bounding box, (n, 2, 2)."""
        if self._boxes is None:
            listed = [
                (body, shape.aabb(Transform((x, y), angle))) for body, (x, y, angle) in self.bodies.items() for shape in self._shapes(body)
            ]
            boxes = np.array([(box.lower, box.upper) for _, box in listed]).reshape(-1, 2, 2)
            self._boxes = np.array([body for body, _ in listed], dtype=np.int64), boxes
        return self._boxes

    def _shapes(self, body: int) -> Iterator[AnyShape]:
        """Return the shapes of a body's fixtures."""
        return (self._model.fixtures[fixture].spec.shape for fixture in self._model.bodies[body].fixtures)
