"""The inverse of an input: what takes back what one of several users did, while the others go on.

Where one person plays, `undo` goes back in time. In a shared world that would take back what the others did since; so an action is taken
back by another, its inverse, which is told when it is carried out: of what is created that it is destroyed, of what is destroyed that it is
created again with its joints, of what is set the values before. (T. Berlage, A Selective Undo Mechanism for Graphical User Interfaces Based
on Command Objects, ACM TOCHI 1, 1994.)

What is created again has other ids. Inverses that were told before name the old ones: `Inverse.renumbered` gives them the new.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Protocol

from engine.common.errors import LabError
from engine.geometry import Transform
from engine.sim.dropping import DroppedBody, forget_gone
from engine.sim.grip import Grip
from engine.sim.ids import called
from engine.sim.input_log import EDITS, Input
from engine.sim.stage import Stage
from engine.world import GearJointSpec, MouseJointSpec, World
from engine.world.joint_specs import bodies_of, body_fields, joint_fields
from engine.world.joints import changeable

__all__ = ["Inverse", "NewIds", "Part", "inverse_after", "inverse_before", "take_back"]

_MOST_PARTS = 1000
"""Of one inverse: of a gesture that has more, what it began with stays."""
_KINDS = {
    **dict.fromkeys(("destroy_body", "create_fixture", "set_pose", "set_velocity", "set_awake", "set_body"), "body"),
    **dict.fromkeys(("destroy_fixture", "set_fixture"), "fixture"),
    **dict.fromkeys(("destroy_joint", "set_joint"), "joint"),
}
"""Of what the first argument of an edit is the id."""
_UNMADE = {"create_body": "destroy_body", "create_fixture": "destroy_fixture", "create_joint": "destroy_joint"}
_WORDS = {
    "create_body": "the making of a body",
    "create_fixture": "the making of a shape",
    "create_joint": "the making of a joint",
    "destroy_body": "the deletion of {0}",
    "destroy_fixture": "the deletion of {0}",
    "destroy_joint": "the deletion of {0}",
    "set_settings": "the change of the world's settings",
    "set_pose": "the move of {0}",
    "apply_impulse": "the push at {0}",
}
Point = tuple[float, float]
Pose = tuple[float, float, float]
NewIds = dict[tuple[int, str, int], int]
"""By stage, kind ("body", "fixture", "joint") and the id that it had, the id that it has."""


class _Demo(Protocol):
    """What is needed of a demo here."""

    stages: list[Stage]
    values: dict[str, float]
    dropped: list[DroppedBody]
    _grip: Grip | None


@dataclass(frozen=True, slots=True)
class Part:
    """An input of an inverse.

    Attributes
    ----------
    one : Input
    old : tuple of int
        The ids that what it creates had before: of a body its own and those of its fixtures.
    poses : tuple of (x, y, angle)
        How the bodies of a joint that it creates lay when its anchors were where they are said to be, metres and radians.
    """

    one: Input
    old: tuple[int, ...] = ()
    poses: tuple[Pose, ...] = ()


@dataclass(frozen=True, slots=True)
class Inverse:
    """What takes an action back: inputs, in order; none where nothing can. `words` say what it takes back."""

    words: str
    parts: tuple[Part, ...] = ()

    def and_before(self, other: Inverse) -> Inverse:
        """Return the inverse of two actions of one gesture, of which this was the first: what the second has set, the first had set."""
        known = {key for part in self.parts if (key := _key(part.one)) is not None}
        new = tuple(part for part in other.parts if _key(part.one) not in known)
        return Inverse(self.words, (*new, *self.parts)[-_MOST_PARTS:])

    @property
    def is_of_a_world(self) -> bool:
        """Whether it means nothing in another world."""
        return any(part.one.action in ("edit", "release", "drive") for part in self.parts)

    def renumbered(self, new: NewIds) -> Inverse:
        """Return it with the ids of what was created again."""
        return Inverse(self.words, tuple(replace(part, one=_renumbered(part.one, new)) for part in self.parts))


# -- telling ----------------------------------------------------------------------------------------------------------


def inverse_before(demo: _Demo, one: Input) -> Inverse | None:
    """Return what takes an input back that is carried out next, as far as that is known before; None of one that cannot be carried out, or
    is told by `inverse_after`."""
    with contextlib.suppress(LabError, LookupError, TypeError, ValueError, AttributeError):  # it will be refused for that itself
        if one.action in ("edit", "amend_edit"):
            return _of_an_edit(demo, *one.arguments)
        if one.action == "set_parameter":
            name = one.arguments[0]
            return Inverse(f"the change of {name}", (Part(Input("set_parameter", (name, demo.values[name]))),))
        if one.action in ("set_solver", "amend_solver"):
            return _of_a_solver(demo)
    return None


def inverse_after(demo: _Demo, one: Input, result: Any, before: Inverse | None) -> Inverse | None:
    """Return what takes an input back that was just carried out, with what came of it and what was known before; None where that is
    nothing."""
    if one.action in ("grab", "hold"):
        return _of_a_grip(demo)
    if one.action == "drop":
        return Inverse("what was dropped", (_edit(demo.stages.index(result.stage), "destroy_body", result.body),))
    if one.action == "restart":
        return Inverse("a restart")
    if one.action in ("edit", "amend_edit"):
        stage, method = one.arguments[:2]
        if method in _UNMADE:
            before = Inverse(_WORDS[method], (_edit(stage, _UNMADE[method], result),))
        world = demo.stages[stage].world
        if before is not None:  # most joints have stayed
            parts = tuple(part for part in before.parts if not (_makes_joint(part) and world.is_joint(part.old[0])))
            return replace(before, parts=parts)
    if one.action == "set_parameter" and before is not None and before.parts[0].one.arguments[1] == demo.values[one.arguments[0]]:
        return None
    return before


def _of_an_edit(demo: _Demo, stage: int, method: str, arguments: tuple[Any, ...] = (), changes: Any = ()) -> Inverse | None:
    given = _signature(method).bind(None, *arguments, **dict(changes)).arguments
    world = demo.stages[stage].world
    match method:
        case "set_settings":
            old = [(name, getattr(world.settings, name)) for name in sorted(given["changes"])]
            return Inverse(_WORDS[method], (_edit(stage, method, changes=tuple(old)),))
        case "destroy_joint" | "set_joint":
            return _of_a_joint(world, stage, method, given)
        case "destroy_fixture" | "set_fixture":
            fixture = given["fixture"]
            of = world.fixture(fixture)
            joints = _joints(world, stage, world.body(of.body).joints)
            if method == "destroy_fixture":
                first = replace(_edit(stage, "create_fixture", of.body, of.spec), old=(fixture,))
            else:
                first = _edit(stage, method, fixture, changes=_old(of.spec, given))
            return Inverse(_words(method, "shape", fixture), (first, *joints))
    body = given["body"]
    spec, state = world.body(body).spec, world.state(body)
    back = _edit(stage, "set_velocity", body, state.linear_velocity, state.angular_velocity)
    parts: tuple[Part, ...] = ()
    match method:
        case "destroy_body":
            record = world.body(body)
            spec = replace(spec, position=state.position, angle=state.angle, awake=state.awake)
            if spec.type != "static":
                spec = replace(spec, linear_velocity=state.linear_velocity, angular_velocity=state.angular_velocity)
            parts = (replace(_edit(stage, "create_body", spec), old=(body, *record.fixtures)), *_joints(world, stage, record.joints))
        case "set_body":
            parts = (_edit(stage, method, body, changes=_old(spec, given)), *_joints(world, stage, world.body(body).joints))
            parts = (parts[0], back, *parts[1:]) if spec.type != "static" and "type" in given["changes"] else parts
        case "set_pose":
            parts = (_edit(stage, method, body, state.position, state.angle),)
        case "set_velocity" | "apply_impulse":
            parts = (back,)
        case "set_awake":
            parts = (_edit(stage, method, body, state.awake),)
    return Inverse(_words(method, "body", body), parts)


def _of_a_joint(world: World, stage: int, method: str, given: Mapping[str, Any]) -> Inverse:
    joint = given["joint"]
    if method == "destroy_joint":
        return Inverse(_words(method, "joint", joint), _joints(world, stage, (joint,)))
    spec, now = world.joint(joint).spec, world.joint_now(joint)
    old = tuple((name, getattr(now, name)) for name in sorted(given["changes"]) if name in changeable(spec))
    return Inverse(_words(method, "joint", joint), (_edit(stage, method, joint, changes=old),))


def _of_a_solver(demo: _Demo) -> Inverse:
    solvers = {(stage.world.solver, stage.world.settings.solver_settings) for stage in demo.stages}
    words = "the change of the solver"
    return Inverse(words, tuple(Part(Input("set_solver", one)) for one in solvers) if len(solvers) == 1 else ())


def _of_a_grip(demo: _Demo) -> Inverse | None:
    """Let go, and put the body back to where it was taken: what moved with it comes after."""
    grip = demo._grip
    if grip is None:
        return None
    stage, body, state = demo.stages.index(grip.stage), grip.body, grip.stage.world.state(grip.body)
    place = _edit(stage, "set_pose", body, state.position, state.angle)
    motion = _edit(stage, "set_velocity", body, state.linear_velocity, state.angular_velocity)
    return Inverse(f"the grip at {called('body', body)}", (Part(Input("release", ())), place, motion))


def _joints(world: World, stage: int, joints: Iterable[int]) -> tuple[Part, ...]:
    """Return what makes joints anew, and the gear joints that stand on them, but for what hands hold."""
    wanted = dict.fromkeys(joints)
    for joint in tuple(wanted):
        for body in world.joint_bodies(joint):
            for other in world.body(body).joints if body is not None else ():
                spec = world.joint(other).spec
                if isinstance(spec, GearJointSpec) and joint in (spec.joint_a, spec.joint_b):
                    wanted[other] = None
    parts = []
    for joint in sorted(wanted):
        with contextlib.suppress(LabError):  # such as a rod whose ends have come together: it cannot be made anew
            spec = world.joint_now(joint)
            if not isinstance(spec, MouseJointSpec):
                poses = tuple(_pose(world, body) for body in bodies_of(spec))
                parts.append(replace(_edit(stage, "create_joint", spec), old=(joint,), poses=poses))
    return tuple(sorted(parts, key=lambda part: isinstance(part.one.arguments[2][0], GearJointSpec)))


# -- taking back ------------------------------------------------------------------------------------------------------


def take_back(demo: _Demo, inverse: Inverse, act: Callable[[Input], Any]) -> NewIds:
    """Let `act` carry out what takes an action back; return the ids of what was created again.

    What of it cannot be done any more, for others have destroyed what it is about, is left out.

    Raises
    ------
    LabError
        None of it can be done.
    """
    new: NewIds = {}
    why, is_done = "", False
    for part in inverse.parts:
        try:
            one = _renumbered(part.one, new)
            if part.old and one.arguments[1] != "create_fixture":
                one = _placed(demo, inverse, part, one)
            result = act(one)
        except LabError as error:
            why = why or str(error)
            continue
        is_done |= part.one.action != "release"
        if part.old:
            _note_new(demo, part, result, new)
    if not is_done:
        raise LabError(f"{inverse.words} cannot be taken back" + (f": {why}" if why else ""))
    return new


def _note_new(demo: _Demo, part: Part, made: int, new: NewIds) -> None:
    stage, method = part.one.arguments[:2]
    new[stage, method.removeprefix("create_"), part.old[0]] = made
    if method != "create_body":
        return
    one = demo.stages[stage]
    for old, fixture in zip(part.old[1:], one.world.fixtures_of(made), strict=True):
        new[stage, "fixture", old] = fixture
    if part.old[0] in one.colors:
        one.colors[made] = one.colors[part.old[0]]
    if part.old[0] in one.outline_only:
        one.outline_only.add(made)
    for dropped in tuple(demo.dropped):
        if dropped.world is one.world and dropped.body == part.old[0]:
            demo.dropped.append(replace(dropped, body=made))
            forget_gone(demo.dropped)


def _placed(demo: _Demo, inverse: Inverse, part: Part, one: Input) -> Input:
    """Return what creates a body or a joint where it belongs now: bodies that it is joined to may have moved meanwhile."""
    stage, method, (spec,) = one.arguments[:3]
    world = demo.stages[stage].world
    if method == "create_joint":
        if len(part.poses) != 2:
            return one
        on_a, on_b = (_carried(world, body, pose) for body, pose in zip(bodies_of(spec), part.poses, strict=True))
        places = {"anchor": on_a, "anchor_a": on_a, "anchor_b": on_b}
        known = {field.name for field in fields(spec)}
        changes = {name: moved(value) for name, moved in places.items() if name in known and (value := getattr(spec, name)) is not None}
        if "axis" in known:
            start, end = on_a((0.0, 0.0)), on_a(spec.axis)
            changes["axis"] = end[0] - start[0], end[1] - start[1]
        return replace(one, arguments=(stage, method, (replace(spec, **changes),), ()))
    for other in inverse.parts:
        if _makes_joint(other) and len(other.poses) == 2:
            bodies = bodies_of(other.one.arguments[2][0])
            partner = bodies[1 - bodies.index(part.old[0])] if part.old[0] in bodies else None
            if partner is not None and world.is_body(partner):
                pose = other.poses[bodies.index(partner)]
                turned = world.state(partner).angle - pose[2]
                position = _carried(world, partner, pose)(spec.position)
                return replace(one, arguments=(stage, method, (replace(spec, position=position, angle=spec.angle + turned),), ()))
    return one


def _carried(world: World, body: int, pose: Pose) -> Callable[[Point], Point]:
    """Return what takes a world point to where a body has carried it that lay otherwise; exactly the same point if it lies as it did."""
    if not world.is_body(body) or _pose(world, body) == pose:
        return lambda point: point
    before, now = Transform(pose[:2], pose[2]), world.state(body).xf
    return lambda point: now.apply(before.apply_inverse(point))


def _renumbered(one: Input, new: NewIds) -> Input:
    if not new:
        return one
    if one.action == "drive":
        stage, body = one.arguments
        return replace(one, arguments=(stage, new.get((stage, "body", body), body)))
    if one.action != "edit":
        return one
    stage, method, arguments, changes = one.arguments
    if method == "create_joint":
        (spec,) = arguments
        ids = {name: new.get((stage, "body", getattr(spec, name)), getattr(spec, name)) for name in body_fields(spec)}
        ids |= {name: new.get((stage, "joint", getattr(spec, name)), getattr(spec, name)) for name in joint_fields(spec)}
        arguments = (replace(spec, **ids),)
    elif arguments and (kind := _KINDS.get(method)) is not None:
        arguments = (new.get((stage, kind, arguments[0]), arguments[0]), *arguments[1:])
    return replace(one, arguments=(stage, method, arguments, changes))


# -- inside -----------------------------------------------------------------------------------------------------------


@cache
def _signature(method: str) -> inspect.Signature:
    if method not in EDITS:
        raise LookupError(method)
    return inspect.signature(getattr(World, method))


def _edit(stage: int, method: str, *arguments: Any, changes: tuple[tuple[str, Any], ...] = ()) -> Part:
    return Part(Input("edit", (stage, method, arguments, changes)))


def _old(spec: Any, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, getattr(spec, name)) for name in sorted(given["changes"]))


def _words(method: str, kind: str, number: int) -> str:
    return _WORDS.get(method, "the change of {0}").format(called(kind, number))


def _makes_joint(part: Part) -> bool:
    return part.one.action == "edit" and part.one.arguments[1] == "create_joint"


def _key(one: Input) -> tuple[Any, ...] | None:
    """Return what an input sets; None of one that does something else."""
    if one.action != "edit":
        return (one.action, *one.arguments[:1]) if one.action in ("set_parameter", "set_solver") else None
    stage, method, arguments, changes = one.arguments
    return (stage, method, arguments[:1], tuple(name for name, _ in changes)) if method.startswith("set_") else None


def _pose(world: World, body: int) -> Pose:
    state = world.state(body)
    return (*state.position, state.angle)
