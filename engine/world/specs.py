"""What a world is made of: plain specifications, checked here, once, before anything crosses into a solver.

They are the truth that a solver follows. Every number is rounded to float32 on entry, so that files hold it in few digits and what one
solver computes from is what the other does; which shapes can be taken, and with what skin, each solver says for itself
(`Solver.accept`). Hazards closed here: PYBOX2D.md 9 (NaN, density, dt, misspelt settings).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Literal, TypeVar

import numpy as np

from engine.common.checks import boolean, choice, integer
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.common.limits import MAX_COORDINATE, MAX_ITERATIONS, MAX_SPEED
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment
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
    shape : Circle, Polygon, Capsule or Segment
        Body frame, metres. Which of them it can take, how far they may reach and what skin they have is the solver's. A segment is an edge
        without mass, and with its ghosts one link of a chain.
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

    shape: AnyShape
    density: float = 1.0
    friction: float = 0.3
    restitution: float = 0.0
    sensor: bool = False
    category: int = 0x0001
    mask: int = 0xFFFF
    group: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.shape, AnyShape):
            raise InvalidInputError("shape", "a Circle, a Polygon, a Capsule or a Segment", self.shape)
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


def _float32_shape(shape: AnyShape) -> AnyShape:
    """Return a shape with the numbers of float32; the shape itself where they would make another one of it, or none."""
    with np.errstate(over="ignore"), contextlib.suppress(InvalidShapeError):
        match shape:
            case Circle():
                rounded: AnyShape = Circle(_float32(shape.radius), _float32_point(shape.center))
            case Capsule():
                rounded = Capsule(_float32_point(shape.p1), _float32_point(shape.p2), _float32(shape.radius))
            case Segment():
                ghosts = (None if ghost is None else _float32_point(ghost) for ghost in (shape.ghost1, shape.ghost2))
                rounded = Segment(_float32_point(shape.p1), _float32_point(shape.p2), shape.skin_radius, *ghosts)
            case Polygon():
                rounded = Polygon(shape.vertices.astype(np.float32).astype(np.float64), shape.skin_radius)
                if len(rounded.vertices) != len(shape.vertices):
                    return shape
        return shape if rounded == shape else rounded
    return shape


def _float32(number: float) -> float:
    return float(np.float32(number))


def _float32_point(point: tuple[float, float]) -> tuple[float, float]:
    return _float32(point[0]), _float32(point[1])
