"""Plain float64 specifications of worlds, bodies and fixtures, validated on construction, before they reach a solver.

Each solver decides which shapes it supports, with which skin, and how it rounds numbers (`Solver.accept`). Validation rejects what a bare
Box2D accepts and then fails on: NaN, a negative density, a step of zero length, misspelled settings. Lists and mappings are accepted and
stored as tuples; the annotations name only tuples, which type checkers therefore require.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.common.checks import choice
from engine.common.errors import InvalidInputError
from engine.geometry import AnyShape
from engine.world.fields import Checked, named_values, spec

__all__ = ["BODY_TYPES", "BodySpec", "BodyType", "FixtureSpec", "WorldSettings", "filters_agree", "filters_allow"]

BodyType = Literal["static", "kinematic", "dynamic"]
BODY_TYPES: tuple[BodyType, ...] = ("static", "kinematic", "dynamic")
"""In the order of Box2D's type numbers, 0, 1, 2."""


@spec
class WorldSettings(Checked):
    """Settings of a world.

    Parameters
    ----------
    gravity : pair of float
        m/s^2.
    hertz : float
        Steps per second, 1 to 10,000. Every step advances by ``1 / hertz`` seconds.
    velocity_iterations, position_iterations : int
        Solver iterations per step, 1 to `MAX_ITERATIONS`.
    continuous : bool
        Continuous collision detection (CCD): bullets against all bodies, other dynamic bodies against static ones.
    warm_starting : bool
        Start the solver from the last step's impulses.
    sub_stepping : bool
        Box2D's debugging mode: one time-of-impact event per step.
    sleeping : bool
        Let resting bodies sleep.
    restitution_threshold : float or None
        Approach speed below which bodies do not bounce, m/s, >= 0; None means the solver's default. Box2D supports only 1 m/s. The default
        of the soft step solver is the speed that gravity adds in two steps.
    solver_settings : mapping of str to float or str
        Solver-specific settings by name, stored as pairs sorted by name. The solver defines their names and ranges.
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
        """Duration of a step, seconds."""
        return 1.0 / self.hertz


@spec
class FixtureSpec(Checked):
    """A shape attached to a body, with its material and collision filter.

    Parameters
    ----------
    shape : Circle, Polygon, Capsule or Segment
        Body frame, meters. Supported shapes, extents and skins depend on the solver. A segment is an edge without mass; with ghost vertices
        it is a link of a chain.
    density : float
        >= 0 kg/m^2. A dynamic body needs at least one fixture with a density above 0.
    friction, restitution : float
        >= 0; Box2D mixes friction by the geometric mean, restitution by the maximum.
    sensor : bool
        Report overlaps, without collision response.
    category, mask : int
        16 bits each. Two fixtures collide if each mask contains a bit of the other fixture's category.
    group : int
        Fixtures in the same positive group always collide, those in the same negative group never; otherwise category and mask decide.
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
    """Return whether category, mask and group allow two fixtures to collide, or to overlap if one is a sensor."""
    if a.group == b.group != 0:
        return a.group > 0
    return a.mask & b.category != 0 and b.mask & a.category != 0


def filters_allow(category: IntArray, mask: IntArray, group: IntArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return the same for pairs (k, 2) of rows of columns (n,)."""
    a, b = pairs[:, 0], pairs[:, 1]
    by_bits = (mask[a] & category[b] != 0) & (mask[b] & category[a] != 0)
    return np.where((group[a] == group[b]) & (group[a] != 0), group[a] > 0, by_bits)


@spec
class BodySpec(Checked):
    """A rigid body: initial pose and velocity, body settings, and fixtures.

    Parameters
    ----------
    fixtures : sequence of FixtureSpec
    type : "static", "kinematic" or "dynamic"
    position : pair of float
        World frame, meters, magnitudes up to `MAX_COORDINATE`.
    angle, angular_velocity : float
        Radians and radians per second, counter-clockwise.
    linear_velocity : pair of float
        m/s. Box2D limits the displacement in one step to 2 m.
    linear_damping, angular_damping : float
        >= 0, 1/s.
    gravity_scale : float
        Factor applied to the world's gravity.
    fixed_rotation, allow_sleep, awake : bool
    bullet : bool
        Continuous collision detection against all bodies, not only static ones.
    active : bool
        An inactive body is not simulated and touches nothing.
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
    except Exception:  # an error in a foreign iterator
        raise InvalidInputError("fixtures", requirement, value) from None
    return tuple(fixtures)
