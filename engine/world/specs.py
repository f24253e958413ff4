"""What a world is made of: plain specifications, checked here, once, before anything crosses into Box2D.

They are the truth from which the `b2World` is built and rebuilt. Every number is rounded to float32 on entry, so that
what we compute from is what Box2D computes from. Hazards closed here: PYBOX2D.md 9 (NaN, negative radius, density,
dt, misspelt settings), 10 (density 0), 11 (concave outlines become hulls).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Literal, TypeVar

from engine.common.checks import boolean, choice, integer
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.limits import MAX_COORDINATE, MAX_ITERATIONS, MAX_POLYGON_VERTICES, MAX_REACH, MAX_SPEED
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, FixtureShape, Polygon, Segment
from engine.world._spec import check_names, f32, f32_vec, spec

__all__ = ["BODY_TYPES", "BodySpec", "BodyType", "FixtureSpec", "WorldSettings", "changed"]

BodyType = Literal["static", "kinematic", "dynamic"]
BODY_TYPES: tuple[BodyType, ...] = ("static", "kinematic", "dynamic")
"""In the order of Box2D's own numbers, 0, 1, 2."""

_T = TypeVar("_T")


@spec
class WorldSettings:
    """Settings of a whole world.

    Parameters
    ----------
    gravity : pair of float
        m/s^2.
    hertz : float
        Steps a second, 1 to 10,000. Each step advances by ``1 / hertz`` seconds, always.
    velocity_iterations, position_iterations : int
        Solver sweeps a step, 1 to `MAX_ITERATIONS`.
    continuous : bool
        Continuous collision detection (CCD): bullets against all, other dynamic bodies against static ones.
    warm_starting : bool
        Start the solver from the last step's impulses.
    sub_stepping : bool
        Box2D's debugging mode: one time of impact a step.
    sleeping : bool
        Let resting bodies sleep.
    """

    gravity: tuple[float, float] = (0.0, -10.0)
    hertz: float = 60.0
    velocity_iterations: int = 8
    position_iterations: int = 3
    continuous: bool = True
    warm_starting: bool = True
    sub_stepping: bool = False
    sleeping: bool = True

    def __post_init__(self) -> None:
        _set(self, "gravity", f32_vec("gravity", self.gravity, "m/s^2"))
        _set(self, "hertz", f32("hertz", self.hertz, "Hz", 1.0, 10_000.0))
        for name in ("velocity_iterations", "position_iterations"):
            _set(self, name, integer(name, getattr(self, name), 1, MAX_ITERATIONS))
        for name in ("continuous", "warm_starting", "sub_stepping", "sleeping"):
            boolean(name, getattr(self, name))

    @property
    def dt(self) -> float:
        """Seconds a step."""
        return 1.0 / self.hertz


@spec
class FixtureSpec:
    """A shape with its material and filter, fixed to a body.

    Parameters
    ----------
    shape : Circle, Polygon or Segment
        Body frame, metres, within `MAX_REACH` of its origin. A polygon has at most `MAX_POLYGON_VERTICES`; it and a segment have the skin
        that Box2D gives them. A segment is an edge without mass, and with its ghosts one link of a chain: `b2ChainShape` collides with
        just such edges.
    density : float
        >= 0 kg/m^2. A dynamic body needs one fixture above 0.
    friction, restitution : float
        >= 0; Box2D mixes friction by the geometric mean, restitution by the maximum.
    sensor : bool
        Report touching, never collide.
    category, mask : int
        16 bits each: two fixtures meet when each one's mask has a bit of the other's category.
    group : int
        Fixtures of one positive group always meet, of one negative group never; 0: category and mask decide.
    """

    shape: FixtureShape
    density: float = 1.0
    friction: float = 0.3
    restitution: float = 0.0
    sensor: bool = False
    category: int = 0x0001
    mask: int = 0xFFFF
    group: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        _set(self, "shape", _float32_shape(self.shape))
        _set(self, "density", f32("density", self.density, "kg/m^2", 0.0))
        _set(self, "friction", f32("friction", self.friction, low=0.0))
        _set(self, "restitution", f32("restitution", self.restitution, low=0.0))
        boolean("sensor", self.sensor)
        _set(self, "category", integer("category", self.category, 0, 0xFFFF))
        _set(self, "mask", integer("mask", self.mask, 0, 0xFFFF))
        _set(self, "group", integer("group", self.group, -0x8000, 0x7FFF))
        _text("name", self.name)


@spec
class BodySpec:
    """A rigid body: where it starts, how it moves, and its fixtures.

    Parameters
    ----------
    fixtures : sequence of FixtureSpec
    type : "static", "kinematic" or "dynamic"
    position : pair of float
        World frame, metres, each within `MAX_COORDINATE`.
    angle, angular_velocity : float
        Radians and radians a second, counter-clockwise.
    linear_velocity : pair of float
        m/s. Box2D caps the way of one step at 2 m, whatever the velocity.
    linear_damping, angular_damping : float
        >= 0, 1/s.
    gravity_scale : float
    fixed_rotation, bullet, allow_sleep, awake, active : bool
        `bullet`: checked continuously against all bodies, not only static ones.
    """

    fixtures: tuple[FixtureSpec, ...] = ()
    type: BodyType = "dynamic"
    position: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    linear_velocity: tuple[float, float] = (0.0, 0.0)
    angular_velocity: float = 0.0
    linear_damping: float = 0.0
    angular_damping: float = 0.0
    gravity_scale: float = 1.0
    fixed_rotation: bool = False
    bullet: bool = False
    allow_sleep: bool = True
    awake: bool = True
    active: bool = True
    name: str = ""

    def __post_init__(self) -> None:
        _set(self, "fixtures", _fixtures(self.fixtures))
        choice("type", self.type, BODY_TYPES)
        _set(self, "position", f32_vec("position", self.position, "m", MAX_COORDINATE))
        _set(self, "angle", f32("angle", self.angle, "rad"))
        _set(self, "linear_velocity", f32_vec("linear_velocity", self.linear_velocity, "m/s", MAX_SPEED))
        _set(self, "angular_velocity", f32("angular_velocity", self.angular_velocity, "rad/s", -MAX_SPEED, MAX_SPEED))
        _set(self, "linear_damping", f32("linear_damping", self.linear_damping, "1/s", 0.0))
        _set(self, "angular_damping", f32("angular_damping", self.angular_damping, "1/s", 0.0))
        _set(self, "gravity_scale", f32("gravity_scale", self.gravity_scale))
        for name in ("fixed_rotation", "bullet", "allow_sleep", "awake", "active"):
            boolean(name, getattr(self, name))
        _text("name", self.name)
        if self.type == "static" and (self.linear_velocity != (0.0, 0.0) or self.angular_velocity != 0.0):
            raise InvalidInputError("linear_velocity", "0 m/s for a static body", self.linear_velocity)


def changed(owner: _T, label: str, changes: dict[str, Any], allowed: Iterable[str] | None = None) -> _T:
    """Return a copy of a specification with `changes`, every name and value checked again."""
    names = [field.name for field in fields(owner)] if allowed is None else list(allowed)  # type: ignore[arg-type]
    check_names(label, changes, names)
    return replace(owner, **changes)  # type: ignore[type-var]


def _set(owner: object, name: str, value: object) -> None:
    object.__setattr__(owner, name, value)


def _text(field: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidInputError(field, "text", value)


def _fixtures(value: object) -> tuple[FixtureSpec, ...]:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise InvalidInputError("fixtures", "a sequence of FixtureSpec", value)
    found = tuple(value)
    for index, fixture in enumerate(found):
        if not isinstance(fixture, FixtureSpec):
            raise InvalidInputError(f"fixtures[{index}]", "a FixtureSpec", fixture)
    return found


def _float32_edge(edge: Segment) -> Segment:
    if edge.skin_radius not in (0.0, BOX2D_POLYGON_SKIN):
        raise InvalidShapeError("skin_radius", f"0 or {BOX2D_POLYGON_SKIN} m (Box2D gives every edge its own)", edge.skin_radius)
    ends = {name: f32_vec(name, getattr(edge, name), "m", MAX_REACH) for name in ("p1", "p2")}
    ghosts = {name: f32_vec(name, getattr(edge, name), "m", MAX_REACH) for name in ("ghost1", "ghost2") if getattr(edge, name) is not None}
    return Segment(**ends, skin_radius=BOX2D_POLYGON_SKIN, **ghosts)


def _float32_shape(shape: object) -> FixtureShape:
    if isinstance(shape, Circle):
        radius = f32("radius", shape.radius, "m", 0.0, MAX_REACH)
        if radius == 0.0:
            raise InvalidShapeError("radius", "> 0 m at float32 precision", shape.radius)
        return Circle(radius, f32_vec("center", shape.center, "m", MAX_REACH))
    if isinstance(shape, Segment):
        return _float32_edge(shape)
    if not isinstance(shape, Polygon):
        raise InvalidInputError("shape", "a Circle, a Polygon or a Segment", shape)
    n_vertices = len(shape.vertices)
    if n_vertices > MAX_POLYGON_VERTICES:
        raise InvalidShapeError("vertices", f"at most {MAX_POLYGON_VERTICES}", Described(n_vertices))
    if shape.skin_radius not in (0.0, BOX2D_POLYGON_SKIN):
        raise InvalidShapeError("skin_radius", f"0 or {BOX2D_POLYGON_SKIN} m (Box2D gives every polygon its own)", shape.skin_radius)
    rows = [f32_vec(f"vertices[{i}]", row, "m", MAX_REACH) for i, row in enumerate(shape.vertices.tolist())]
    rounded = Polygon(rows, BOX2D_POLYGON_SKIN)
    if len(rounded.vertices) != n_vertices:
        raise InvalidShapeError("vertices", "strictly convex at float32 precision", shape.vertices.tolist())
    return rounded
