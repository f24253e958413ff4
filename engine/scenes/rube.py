"""Import of scenes from R.U.B.E., an editor for Box2D. This reads the JSON that the editor exports, not its own .rube files.

    {"gravity": {"x": 0, "y": -10}, "stepsPerSecond": 60, "velocityIterations": 8, "positionIterations": 3, "allowSleep": true,
     "body": [{"type": 2, "position": {"x": 1, "y": 2}, "angle": 0.1, "awake": true,
               "fixture": [{"density": 1, "circle": {"center": 0, "radius": 0.5}},
                           {"polygon": {"vertices": {"x": [0, 1, 0], "y": [0, 0, 1]}}}, {"chain": {...}}]}],
     "joint": [{"type": "revolute", "bodyA": 0, "bodyB": 1, "anchorA": {"x": 1, "y": 0}, "anchorB": 0, "refAngle": 0}]}

A missing value is 0, false or empty, apart from some defaults given here. A vector may be the number 0, and a number may be a string of the
eight hexadecimal digits of its float32. Anchors and axes are in the frames of their bodies.

Our scenes have no custom properties, no image files, and no mass other than what follows from the densities. Everything omitted or changed
is listed in the scene's notes, except redundant values, such as a joint's speed, which follows from its bodies. An invalid value is
rejected with an error that names its path.

Source: iforce2d.net/rube/json-structure and, for what it does not specify (defaults, names of old versions), the loader b2dJson by the same
author.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.common.checks import integer
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.json_file import read_json
from engine.common.limits import MAX_NUMBER, MAX_POLYGON_VERTICES
from engine.common.tolerances import BOX2D_EPSILON
from engine.common.words import brief, counted, path_below
from engine.geometry import AnyShape, Circle, Polygon, Segment, convex_hull
from engine.geometry.flat_corners import corners_left_out, without_flat_corners
from engine.scenes._rube_joints import RefusedJointError, check_kind, gear, joint_of
from engine.scenes._rube_mass import with_mass
from engine.scenes._rube_object import RubeObject
from engine.scenes.scene import MAX_TEXT, Scene, as_notes, build
from engine.scenes.scene_file import MAX_FILE_BYTES, with_line
from engine.world import BodySpec, FixtureSpec, JointSpec, World, WorldSettings, accept

__all__ = ["is_rube", "load_rube", "scene_of_rube"]

Point = tuple[float, float]

_TYPES = ("static", "kinematic", "dynamic")
_KNOWN = {
    "world": "gravity allowSleep autoClearForces positionIterations velocityIterations stepsPerSecond warmStarting continuousPhysics "
    "subStepping body joint",
    "body": "name type angle angularDamping angularVelocity awake bullet fixedRotation linearDamping linearVelocity massData-mass "
    "massData-center massData-I position fixture gravityScale allowSleep active path",
    "fixture": "name density filter-categoryBits filter-maskBits filter-groupIndex friction restitution sensor circle polygon chain edge "
    "loop path",
    "joint": "name type bodyA bodyB anchorA anchorB collideConnected refAngle referenceAngle enableLimit lowerLimit upperLimit enableMotor "
    "motorSpeed maxMotorTorque maxMotorForce localAxisA localAxis1 length frequency dampingRatio springFrequency springDampingRatio "
    "maxLength groundAnchorA groundAnchorB lengthA lengthB ratio target maxForce maxTorque linearOffset correctionFactor joint1 joint2 "
    "jointSpeed path",
}
_NAMES = {kind: frozenset(names.split()) for kind, names in _KNOWN.items()}
_PLURAL = {"world": "the world", "body": "bodies", "fixture": "fixtures", "joint": "joints"}


def is_rube(plain: object) -> bool:
    """Return whether plain data look like an export from R.U.B.E."""
    return isinstance(plain, Mapping) and "format" not in plain and isinstance(plain.get("body"), list) and "gravity" in plain


def load_rube(path: str | os.PathLike[str]) -> Scene:
    """Read an exported file as a scene that can be built.

    Raises
    ------
    InvalidInputError
        The file is missing or not JSON, or a value in it is invalid; the message names the line and the field.
    """
    plain = read_json(path, "R.U.B.E. file", MAX_FILE_BYTES)
    name = os.fspath(path)
    with renamed(partial(with_line, name)):
        return scene_of_rube(plain, Path(name).stem[:MAX_TEXT])


def scene_of_rube(plain: object, title: str = "") -> Scene:
    """Return the scene described by the plain data of an exported file.

    Raises
    ------
    InvalidInputError
        The data are not such an export, or a value in it is invalid; the field is its path.
    """
    if not is_rube(plain):
        raise InvalidInputError("the file", 'an export of R.U.B.E., with "gravity" and a list "body"', Described("something else"))
    return _Import(RubeObject(plain, "", "world"), title).scene()


class _Import:
    def __init__(self, world: RubeObject, title: str) -> None:
        self._world = world
        self._title = title
        self._notes: list[str] = []
        self._ignored: Counter[tuple[str, str]] = Counter()
        self._places: dict[int, int] = {}
        self._bodies: list[BodySpec] = []

    def scene(self) -> Scene:
        world = self._world
        self._count_unknown_names(world)
        if "image" in world:
            self._notes.append(f"Left out: {counted(len(world.objects('image', 'image')), 'image')}. Scenes have no images.")
        if not world.flag("autoClearForces", True):
            self._notes.append("Changed: forces act for one step; in the file they act until they are cleared.")
        with _placed(world):
            settings = self._settings()
        for k, body in enumerate(world.objects("body", "body")):
            self._count_unknown_names(body)
            made = self._body(body)
            if made is not None:
                self._places[k] = len(self._bodies)
                self._bodies.append(made)
        joints = self._joints(build(Scene(settings, tuple(self._bodies))))
        for (kind, name), count in sorted(self._ignored.items()):
            where = f"{count} of the {_PLURAL[kind]}" if kind != "world" else _PLURAL[kind]
            self._notes.append(f"Ignored: {name} of {where}.")
        return Scene(settings, tuple(self._bodies), tuple(joints), title=self._title, notes=as_notes(self._notes))

    def _count_unknown_names(self, given: RubeObject) -> None:
        names = [name for name in given.plain if name not in _NAMES[given.kind] and name != "image"]
        self._ignored.update((given.kind, brief(str(name), 40)) for name in names)

    def _settings(self) -> WorldSettings:
        world = self._world
        return WorldSettings(
            world.vector("gravity"),
            world.number("stepsPerSecond", 60.0) or 60.0,
            max(world.whole("velocityIterations", 8), 1),
            max(world.whole("positionIterations", 3), 1),
            world.flag("continuousPhysics", True),
            world.flag("warmStarting", True),
            world.flag("subStepping"),
            world.flag("allowSleep", True),
        )

    # -- bodies -------------------------------------------------------------------------------------------------------

    def _body(self, body: RubeObject) -> BodySpec | None:
        kind = body.whole("type")
        if not 0 <= kind <= 2:
            raise InvalidInputError(body.place("type"), "0 static, 1 kinematic or 2 dynamic", kind)
        fixtures: list[FixtureSpec] = []
        parts = body.objects("fixture", "fixture")
        for fixture in parts:
            self._count_unknown_names(fixture)
            fixtures += self._fixtures(fixture)
        if parts and not fixtures:
            self._notes.append(f"Left out: {body.path}, because none of its shapes could be imported.")
            return None
        if _TYPES[kind] == "dynamic":
            fixtures = with_mass(body, fixtures, self._notes)
        moving = kind != 0
        settings: dict[str, Any] = {
            "type": _TYPES[kind],
            "position": body.vector("position"),
            "angle": body.number("angle"),
            "linear_velocity": body.vector("linearVelocity") if moving else (0.0, 0.0),
            "angular_velocity": body.number("angularVelocity") if moving else 0.0,
            "linear_damping": body.number("linearDamping"),
            "angular_damping": body.number("angularDamping"),
            "gravity_scale": body.number("gravityScale", 1.0),
            "fixed_rotation": body.flag("fixedRotation"),
            "bullet": body.flag("bullet"),
            "allow_sleep": body.flag("allowSleep", True),
            "awake": body.flag("awake"),
            "active": body.flag("active", True),
            "name": body.text("name"),
        }
        with _placed(body):
            plain = BodySpec(**settings)
        try:
            return accept(replace(plain, fixtures=tuple(fixtures)))
        except InvalidInputError as error:  # invalid mass: the editor allows a dynamic body that has only edges
            self._notes.append(f"Left out: {body.path} ({error}).")
            return None

    def _fixtures(self, fixture: RubeObject) -> list[FixtureSpec]:
        kinds = [name for name in ("circle", "edge", "loop", "chain", "polygon") if name in fixture]
        if not kinds:
            self._notes.append(f"Left out: {fixture.path}, which has no shape.")
            return []
        shapes = {"circle": self._circle, "edge": self._edge, "loop": self._loop, "chain": self._chain, "polygon": self._polygon}[kinds[0]](
            fixture.inner(kinds[0])
        )
        settings: dict[str, Any] = {
            "density": fixture.number("density"),
            "friction": fixture.number("friction"),
            "restitution": fixture.number("restitution"),
            "sensor": fixture.flag("sensor"),
            "category": fixture.whole("filter-categoryBits", 0x0001) & 0xFFFF,
            "mask": fixture.whole("filter-maskBits", 0xFFFF) & 0xFFFF,
            "group": fixture.whole("filter-groupIndex"),
            "name": fixture.text("name"),
        }
        made = []
        for shape in shapes:
            try:
                accept(FixtureSpec(shape))
            except InvalidInputError as error:
                self._notes.append(f"Left out: {fixture.path} ({error}).")
                continue
            with _placed(fixture):
                made.append(FixtureSpec(shape, **settings))
        return made

    def _circle(self, circle: RubeObject) -> list[AnyShape]:
        radius, center = circle.number("radius"), circle.vector("center")
        return self._made(circle, lambda: accept(FixtureSpec(Circle(radius, center))).shape)

    def _polygon(self, polygon: RubeObject) -> list[AnyShape]:
        corners = _as_held(polygon.vectors("vertices"))
        if len(corners) == 2:
            return self._made(polygon, lambda: _link(corners[0], corners[1], None, None))
        given_corners = np.array(corners, dtype=np.float64).reshape(-1, 2)
        try:
            made = [without_flat_corners(given_corners, lambda rows: accept(FixtureSpec(Polygon(rows))).shape)]
        except InvalidInputError as refused:
            if len(corners) > MAX_POLYGON_VERTICES or len(corners) < 3:
                self._notes.append(f"Left out: {polygon.path} ({refused}).")
                return []
            self._notes.append(f"Changed: {polygon.path} ({refused}); its convex hull is used, as in Box2D's loader.")
            made = self._made(polygon, lambda: accept(FixtureSpec(Polygon(convex_hull(corners)))).shape)
        for shape in made:
            self._notes += [f"Left out: {polygon.path}.{corner.words}." for corner in corners_left_out(given_corners, shape.core)]
        return made

    def _edge(self, edge: RubeObject) -> list[AnyShape]:
        ghosts = [edge.vector(f"vertex{k}") if edge.flag(f"hasVertex{k}") else None for k in (0, 3)]
        return self._made(edge, lambda: _link(edge.vector("vertex1"), edge.vector("vertex2"), *ghosts))

    def _loop(self, loop: RubeObject) -> list[AnyShape]:
        corners = _distinct(loop.vectors("vertices"))
        if len(corners) > 1 and corners[0] == corners[-1]:
            del corners[-1]
        if len(corners) < 3:
            self._notes.append(f"Left out: {loop.path}, a loop of fewer than 3 points.")
            return []
        return self._links(loop, [*corners, corners[0]], corners[-1], corners[1])

    def _chain(self, chain: RubeObject) -> list[AnyShape]:
        corners = _distinct(chain.vectors("vertices"))
        if len(corners) < 2:
            self._notes.append(f"Left out: {chain.path}, a chain of fewer than 2 points.")
            return []
        before, after = (chain.vector(f"{which}Vertex") if chain.flag(f"has{which.title()}Vertex") else None for which in ("prev", "next"))
        return self._links(chain, corners, before, after)

    def _links(self, chain: RubeObject, corners: Sequence[Point], before: Point | None, after: Point | None) -> list[AnyShape]:
        beyond = [before, *corners, after]
        links: list[AnyShape] = []
        for k in range(len(corners) - 1):
            ghosts = beyond[k], beyond[k + 3]
            links += self._made(chain, partial(_link, corners[k], corners[k + 1], *ghosts))
        return links

    def _made(self, given: RubeObject, make: Callable[[], AnyShape]) -> list[AnyShape]:
        try:
            return [make()]
        except InvalidInputError as error:
            self._notes.append(f"Left out: {given.path} ({error}).")
            return []

    # -- joints -------------------------------------------------------------------------------------------------------

    def _joints(self, world: World) -> list[JointSpec]:
        """Return the joints that a world with the bodies accepts, gears last: in the file they may precede the joints that they couple."""
        joints: list[JointSpec] = []
        places: dict[int, int] = {}
        numbered = list(enumerate(self._world.objects("joint", "joint")))
        for is_gear in (False, True):
            for k, joint in numbered:
                if (joint.text("type") == "gear") != is_gear:
                    continue
                self._count_unknown_names(joint)
                with self._refusing(joint):
                    made = gear(joint, places) if is_gear else self._joint(joint)
                    world.create_joint(made)
                    places[k] = len(joints)
                    joints.append(made)
        return joints

    @contextmanager
    def _refusing(self, joint: RubeObject) -> Iterator[None]:
        """Omit a joint that a world rejects, with a note."""
        try:
            yield
        except RefusedJointError as refused:
            self._notes.append(f"Left out: {joint.path} ({refused}).")
        except InvalidInputError as error:
            if error.field.startswith(joint.path):  # an invalid value in the file
                raise
            self._notes.append(f"Left out: {joint.path} ({error}).")

    def _joint(self, joint: RubeObject) -> JointSpec:
        check_kind(joint)
        ends = [joint.whole(name) for name in ("bodyA", "bodyB")]
        n_bodies = len(self._world.plain["body"])
        for name, end in zip(("bodyA", "bodyB"), ends, strict=True):
            integer(joint.place(name), end, 0, n_bodies - 1)
        if any(end not in self._places for end in ends):
            raise RefusedJointError("its body is left out")
        a, b = (self._places[end] for end in ends)
        return joint_of(joint, a, b, self._bodies)


def _link(p1: Point, p2: Point, before: Point | None, after: Point | None) -> AnyShape:
    return accept(FixtureSpec(Segment(p1, p2, ghost1=_beyond(before, p1), ghost2=_beyond(after, p2)))).shape


def _beyond(ghost: Point | None, end: Point) -> Point | None:
    """Return the ghost vertex, or None if it coincides with its end."""
    return ghost if ghost is not None and math.dist(*_as_held([ghost, end])) > BOX2D_EPSILON else None


def _distinct(points: Sequence[Point]) -> list[Point]:
    """Return the points without any that coincide with the previous point, because Box2D would make edges of length zero from them."""
    kept: list[Point] = []
    for point in _as_held(points):
        if not kept or math.dist(kept[-1], point) > BOX2D_EPSILON:
            kept.append(point)
    return kept


def _as_held(points: Sequence[Point]) -> list[Point]:
    """Return the points rounded to float32; points beyond `MAX_NUMBER` are left for the check that follows."""
    return [(float(np.float32(x)), float(np.float32(y))) if max(abs(x), abs(y)) <= MAX_NUMBER else (x, y) for x, y in points]


def _placed(given: RubeObject) -> AbstractContextManager[None]:
    """Prefix the field of a specification's error with the path of the object in the file."""
    return renamed(lambda field: field if given.path and field.startswith(given.path) else path_below(given.path, field))
