"""Scenes, which hold the specifications of a world as a plain value, with a title and notes.

A world can be built from a scene, and a scene can be made from a world.

A scene of a running world does not contain the impulses of contacts and joints, sleep times, the order of contacts, pending forces, the
number of steps, ids, or the rules of the demo. So a world built from it continues from the saved state, but not bit for bit as the original
world would; use a recording to reproduce a run exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import numpy as np

from engine.common.errors import Described, InvalidInputError, LabError, renamed
from engine.common.words import brief, path_below
from engine.geometry import AABB, Transform
from engine.scenes.pictures import MAX_ALL_PICTURE_BYTES, MAX_PICTURED_BODIES, MAX_PICTURES, BodyPicture
from engine.world import BodySpec, JointSpec, World, WorldSettings, WorldSnapshot, accept
from engine.world.fields import named_values
from engine.world.joints.interface import as_it_stands, joints_of, renumbered
from engine.world.solver import DEFAULT, NamedValues
from engine.world.specs import filters_agree

__all__ = [
    "MAX_BODIES",
    "MAX_JOINTS",
    "MAX_NOTES",
    "MAX_TEXT",
    "MAX_VALUES",
    "MAX_WORLDS",
    "Scene",
    "SceneWorld",
    "as_notes",
    "build",
    "build_all",
    "scene_of",
    "scene_of_snapshot",
]

MAX_BODIES = 20_000
MAX_JOINTS = 20_000
MAX_OVERLAPS = 100_000
"""Maximum number of pairs of fixtures whose bounding boxes overlap when a world is built: some 450 boxes in one place. Every pair costs
Box2D a contact of its own, so twenty thousand bodies in one place would take hours and all of the memory."""
MAX_TEXT = 1_000
MAX_NOTES = 1_000
MAX_WORLDS = 64
MAX_VALUES = 1_000

_T = TypeVar("_T")
BodyColor: TypeAlias = tuple[int, tuple[int, int, int]]

_DEFAULT = WorldSettings()


@dataclass(frozen=True)
class SceneWorld:
    """Settings, bodies and joints of a world; the worlds of a scene do not interact.

    Parameters
    ----------
    settings : WorldSettings
    bodies : sequence of BodySpec
    joints : sequence of JointSpec
        They refer to bodies by index in `bodies`, from 0; a gear joint refers to earlier joints by index in `joints`.
    offset : pair of float
        Position of the world's origin in the view, meters.
    label : str
        Name, for scenes of several worlds.
    pictures : sequence of BodyPicture
        Images of bodies; they refer to bodies by index in `bodies`.
    colors : sequence of (int, (red, green, blue))
        Colors of the bodies, by index in `bodies`, that are not drawn in the default color of that index; components 0 to 255.
    solver : str
        Solver that simulates the world, one of `engine.world.solvers`; all specifications are converted to its precision.

    Raises
    ------
    InvalidInputError
        A joint refers to a missing body, a body has two pictures, or the solver does not support a specification. Counts and lengths of
        texts are limited only in files (`engine.scenes.models`).
    """

    settings: WorldSettings = _DEFAULT
    bodies: tuple[BodySpec, ...] = ()
    joints: tuple[JointSpec, ...] = ()
    offset: tuple[float, float] = (0.0, 0.0)
    label: str = ""
    pictures: tuple[BodyPicture, ...] = ()
    colors: tuple[BodyColor, ...] = ()
    solver: str = DEFAULT

    def __post_init__(self) -> None:
        _check_world(self)


def as_notes(sentences: Sequence[str], most: int = MAX_NOTES) -> tuple[str, ...]:
    """Return the messages of an import as a scene's notes, each truncated to `MAX_TEXT`. If there are more than `most`, the last note gives
    the number of those omitted.

    Examples
    --------
    >>> as_notes(["a", "b", "c"], 2), as_notes(["a"], 0)
    (('a', 'And 2 more notes.'), ())
    """
    if len(sentences) > most:
        sentences = [*sentences[: most - 1], f"And {len(sentences) - most + 1} more notes."] if most > 0 else []
    return tuple(brief(sentence, MAX_TEXT) for sentence in sentences)


@dataclass(frozen=True)
class Scene(SceneWorld):
    """One world, or several side by side. It raises the same errors as `SceneWorld`.

    Parameters
    ----------
    title, watch : str
        Title, and a sentence on what to watch.
    camera : AABB, optional
        Area shown at first, meters; None shows everything.
    paused : bool
        Whether the window opens it paused.
    notes : sequence of str
        What an import omitted or changed, one sentence each.
    worlds : sequence of SceneWorld
        All worlds except the first.
    demo : str
        Id of the demo with whose keys and parameters it opens; "" for none. `engine.sim.scene_demo` checks it.
    values : mapping of str to float or str
        The demo's parameters, by name; kept as pairs.
    """

    title: str = ""
    watch: str = ""
    camera: AABB | None = None
    paused: bool = False
    notes: tuple[str, ...] = ()
    worlds: tuple[SceneWorld, ...] = ()
    demo: str = ""
    values: NamedValues = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "values", named_values("values", self.values))
        for name in ("notes", "worlds"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        pictures = [picture for world in self.all_worlds for picture in world.pictures]
        for number, most, what in (
            (len(pictures), MAX_PICTURES, "pictures"),
            (sum(len(picture.bodies) for picture in pictures), MAX_PICTURED_BODIES, "bodies with a picture"),
            (sum(len(picture.png) for picture in pictures), MAX_ALL_PICTURE_BYTES, "bytes"),
        ):
            if number > most:
                raise InvalidInputError("pictures", f"at most {most} {what} in all worlds together", Described(str(number)))

    @property
    def all_worlds(self) -> tuple[SceneWorld, ...]:
        """All worlds, including the first."""
        return (self, *self.worlds)


def build_all(scene: Scene, solver: str | None = None, solver_settings: NamedValues | None = None) -> list[World]:
    """Return a new world for each world of a scene, built as in `build`."""
    worlds = []
    for k, part in enumerate(scene.all_worlds):
        with renamed(partial(path_below, f"worlds[{k - 1}]" if k else "")):  # paths in the first world have no prefix
            worlds.append(build(part, solver, solver_settings))
    return worlds


def build(scene: SceneWorld, solver: str | None = None, solver_settings: NamedValues | None = None) -> World:
    """Build a scene's world, or the first if there are several; the ids of bodies and joints are their indices in the scene.

    `solver` replaces the scene's solver, whose settings are then dropped; `solver_settings` replace those settings.

    Raises
    ------
    InvalidInputError
        The solver does not support a shape or a joint; the message names the path: ``bodies[3]``. Or too many bodies lie in one place.
    """
    _check_overlaps(scene.bodies)
    driver, settings = scene.solver if solver is None else solver, scene.settings
    if solver_settings is not None or driver != scene.solver:
        settings = replace(settings, solver_settings=solver_settings or ())
    world = World(settings, driver)
    for k, body in enumerate(scene.bodies):
        with _at_place(f"bodies[{k}]"):
            world.create_body(body)
    for k, joint in enumerate(scene.joints):
        with _at_place(f"joints[{k}]"):
            world.create_joint(joint)
    for k, body in enumerate(scene.bodies):  # creating a joint wakes its bodies
        if not body.awake and world.state(k).awake:
            world.set_awake(k, False)
    return world


def scene_of(world: World, title: str = "", watch: str = "", camera: AABB | None = None) -> Scene:
    """Return a world's current state, between two steps, as a scene with its poses, velocities, sleep states and joints in mid-motion.

    Parameters
    ----------
    world : World
    title, watch, camera
        As in `Scene`.

    Notes
    -----
    The module's docstring lists what is not kept. Bodies outside the wrapper's range are omitted, together with their joints, and a note is
    added to the scene.
    """
    return scene_of_snapshot(world.snapshot(), title, watch, camera)


def scene_of_snapshot(
    snapshot: WorldSnapshot,
    title: str = "",
    watch: str = "",
    camera: AABB | None = None,
    without_joints: Collection[int] = (),
    pictures: Collection[BodyPicture] = (),
    colors: Mapping[int, tuple[int, int, int]] = MappingProxyType({}),
) -> Scene:
    """Return a world's snapshot as a scene, like `scene_of`; unlike `scene_of`, it may run on a thread other than the world's.

    `pictures` and `colors` refer to bodies by id; `without_joints` are ids of joints to omit, such as the one that drags a body.
    """
    notes: list[str] = []
    places: dict[int, int] = {}
    bodies: list[BodySpec] = []
    poses: dict[int, Transform] = {}
    fixtures = {fixture: spec for fixture, _, spec in snapshot.fixtures}
    moving = zip(snapshot.bodies, snapshot.motion.values.astype(float).tolist(), snapshot.motion.awake.tolist(), strict=True)
    for (body, spec, parts), (x, y, angle, vx, vy, omega), awake in moving:
        try:
            here = replace(
                spec,
                fixtures=tuple(fixtures[part] for part in parts),
                position=(x, y),
                angle=angle,
                linear_velocity=(vx, vy),
                angular_velocity=omega,
                awake=awake,
            )
        except InvalidInputError as error:
            notes.append(f"Left out: body {body} ({error}).")
            continue
        places[body] = len(bodies)
        bodies.append(here)
        poses[body] = Transform((x, y), angle)
    joints: list[JointSpec] = []
    joint_places: dict[int, int] = {}
    for joint, resolved in snapshot.joints:
        if joint in without_joints:
            continue
        if any(body not in places for body in resolved.bodies if body is not None):
            notes.append(f"Left out: joint {joint}, whose body is left out.")
            continue
        if any(other not in joint_places for other in joints_of(resolved.spec)):
            notes.append(f"Left out: joint {joint}, which couples a joint that is left out.")
            continue
        try:
            standing = as_it_stands(resolved, poses.__getitem__)
        except InvalidInputError as error:
            notes.append(f"Left out: joint {joint} ({error}).")
            continue
        joint_places[joint] = len(joints)
        joints.append(renumbered(standing, places.__getitem__, joint_places.__getitem__))
    seen = [replace(picture, bodies=left) for picture in pictures if (left := tuple(places[k] for k in picture.bodies if k in places))]
    kept, solver = tuple(notes[:MAX_NOTES]), snapshot.solver
    painted = tuple((places[body], color) for body, color in colors.items() if body in places)
    return Scene(
        snapshot.settings,
        tuple(bodies),
        tuple(joints),
        pictures=tuple(seen),
        colors=painted,
        solver=solver,
        title=title,
        watch=watch,
        camera=camera,
        notes=kept,
    )


def _check_world(world: SceneWorld) -> None:
    """Convert the parts of a world to tuples and to its solver's precision, and check their references."""
    for name in ("bodies", "joints", "pictures", "colors"):
        object.__setattr__(world, name, tuple(getattr(world, name)))
    object.__setattr__(world, "settings", _accepted(world.settings, "settings", world.solver))
    for name in ("bodies", "joints"):
        held = tuple(_accepted(spec, f"{name}[{k}]", world.solver) for k, spec in enumerate(getattr(world, name)))
        object.__setattr__(world, name, held)
    x, y = world.offset
    object.__setattr__(world, "offset", (x + 0.0, y + 0.0))  # -0 becomes 0, which files omit
    for k, picture in enumerate(world.pictures):
        if max(picture.bodies) >= len(world.bodies):
            raise InvalidInputError(f"pictures[{k}].bodies", f"indices of {len(world.bodies)} bodies, from 0", picture.bodies)
    for body, _ in world.colors:
        if not isinstance(body, int) or isinstance(body, bool) or not 0 <= body < len(world.bodies):
            raise InvalidInputError("colors", f"indices of {len(world.bodies)} bodies, from 0", body)
    pictured = [body for picture in world.pictures for body in picture.bodies]
    if len(set(pictured)) < len(pictured):
        twice = next(body for body, times in Counter(pictured).items() if times > 1)
        raise InvalidInputError("pictures", "at most one per body", Described(f"several for bodies[{twice}]"))
    for k, joint in enumerate(world.joints):
        for name in joint.body_fields:
            if getattr(joint, name) >= len(world.bodies):
                raise InvalidInputError(f"joints[{k}].{name}", f"one of {len(world.bodies)} bodies, from 0", getattr(joint, name))
        for name in joint.joint_fields:
            if getattr(joint, name) >= k:
                raise InvalidInputError(f"joints[{k}].{name}", f"one of the {k} joints before it, from 0", getattr(joint, name))


def _check_overlaps(bodies: Sequence[BodySpec]) -> None:
    """Raise an error if more than `MAX_OVERLAPS` pairs of fixtures overlap, counting those that collide with others of their own filter."""
    boxes, owners, movable = [], [], []
    for k, body in enumerate(bodies):
        pose = Transform(body.position, body.angle)
        for fixture in body.fixtures if body.active else ():
            if filters_agree(fixture, fixture):
                box = fixture.shape.aabb(pose)
                boxes.append((*box.lower, *box.upper))
                owners.append(k)
                movable.append(body.type != "static")
    if len(boxes) ** 2 <= 2 * MAX_OVERLAPS:
        return
    left, bottom, right, top = np.array(boxes).T
    order = np.argsort(left)
    bottom, top, owner, moves = bottom[order], top[order], np.array(owners)[order], np.array(movable)[order]
    ends = np.searchsorted(left[order], right[order], side="right")  # boxes before these begin left of the right side
    count = 0
    for i, end in enumerate(ends.tolist()):
        others = slice(i + 1, end)
        is_pair = (bottom[others] <= top[i]) & (top[others] >= bottom[i]) & (owner[others] != owner[i]) & (moves[others] | moves[i])
        count += int(np.count_nonzero(is_pair))
        if count > MAX_OVERLAPS:
            raise InvalidInputError("bodies", f"spread out: at most {MAX_OVERLAPS:,} pairs of fixtures may overlap", Described("more"))


def _accepted(spec: _T, path: str, solver: str) -> _T:
    """Return a specification converted to the solver's precision, so that saving and loading does not change a scene."""
    with renamed(partial(path_below, path)):
        return accept(spec, solver)


@contextmanager
def _at_place(path: str) -> Iterator[None]:
    try:
        with renamed(partial(path_below, path)):
            yield
    except InvalidInputError:
        raise
    except LabError as error:
        raise InvalidInputError(path, f"valid in a world ({error})", Described("this")) from None
