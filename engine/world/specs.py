"""Plain specifications of a world, its bodies and fixtures, checked here, once, before anything crosses into a solver.

They are the model that a solver follows, in float64; each solver decides which shapes it takes, with what skin, and how it rounds their
numbers (`Solver.accept`). Hazards closed here: PYBOX2D.md 9 (NaN, density, dt, misspelled settings).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Literal

from engine.common.checks import choice
from engine.common.errors import InvalidInputError
from engine.geometry import AnyShape
from engine.world.fields import Checked, named_values, spec

__all__ = ["BODY_TYPES", "BodySpec", "BodyType", "FixtureSpec", "WorldSettings", "filters_agree"]

BodyType = Literal["static", "kinematic", "dynamic"]
BODY_TYPES: tuple[BodyType, ...] = ("static", "kinematic", "dynamic")
"""In the order of Box2D's own numbers, 0, 1, 2."""


@spec
class WorldSettings(Checked):
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
    restitution_threshold : float or None
        m/s, >= 0: what approaches more slowly does not bounce. None: as the solver has it by itself. The soft step takes any, and by itself
        what gravity adds in two steps; Box2D has 1 m/s for good and refuses another.
    solver_settings : mapping of str to float or str
        Settings of the solver's own, by name, kept as pairs in their order. Which there are, and their ranges, the solver says.
    """

    gravity: tuple[float, float] = (0.0, -10.0)
    hertz: float = 60.0
    velocity_iterations: int = 8
    position_iterations: int = 3
    continuous: bool = True
    warm_starting: bool = True
    sub_stepping: bool = False
    sleeping: bool = True
    restitution_threshold: float | None = None
    solver_settings: tuple[tuple[str, float | str], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "solver_settings", named_values("solver_settings", self.solver_settings))

    @property
    def dt(self) -> float:
        """Seconds a step."""
        return 1.0 / self.hertz


@spec
class FixtureSpec(Checked):
    """A shape with its material and filter, fixed to a body.

    Parameters
    ----------
    shape : Circle, Polygon, Capsule or Segment
        Body frame, meters. Which of them it can take, how far they may reach and what skin they have is the solver's. A segment is an edge
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
        super().__post_init__()


def filters_agree(a: FixtureSpec, b: FixtureSpec) -> bool:
    """Return whether two fixtures may meet by category, mask and group: touch, or be sensed if one of them is a sensor."""
    if a.group == b.group != 0:
        return a.group > 0
    return a.mask & b.category != 0 and b.mask & a.category != 0


@spec
class BodySpec(Checked):
    """A rigid body: where it starts, how it moves, and its fixtures.

    Parameters
    ----------
    fixtures : sequence of FixtureSpec
    type : "static", "kinematic" or "dynamic"
    position : pair of float
        World frame, meters, each within `MAX_COORDINATE`.
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
        object.__setattr__(self, "fixtures", _fixtures(self.fixtures))
        object.__setattr__(self, "type", choice("type", self.type, BODY_TYPES))
        super().__post_init__()
        if self.type == "static" and (self.linear_velocity != (0.0, 0.0) or self.angular_velocity != 0.0):
            raise InvalidInputError("linear_velocity", "0 m/s for a static body", self.linear_velocity)


def _fixtures(value: object) -> tuple[FixtureSpec, ...]:
    requirement = "a sequence of FixtureSpec"
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Set | Mapping):
        raise InvalidInputError("fixtures", requirement, value)
    fixtures: list[FixtureSpec] = []
    try:
        for fixture in value:
            if not isinstance(fixture, FixtureSpec):
                raise InvalidInputError(f"fixtures[{len(fixtures)}]", "a FixtureSpec", fixture)
            fixtures.append(fixture)
    except InvalidInputError:
        raise
    except Exception:  # raised by a foreign iterator
        raise InvalidInputError("fixtures", requirement, value) from None
    return tuple(fixtures)
