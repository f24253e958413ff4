"""Plan of an atlas: two parameters along its axes, the others fixed, a rule for each map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import choice, finite, integer, seed_number
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.experiments.spec import Rule, ShotSpec, Target, rules_of

__all__ = [
    "MAX_CELLS",
    "MAX_SHOTS",
    "PARAMETERS",
    "TARGETS",
    "AtlasPlan",
    "Axis",
    "Cell",
    "Count",
    "Parameter",
    "parse_axis",
]

Scale = Literal["log", "linear"]

MAX_CELLS, MAX_SHOTS = 1000, 100_000
"""Maximum number of cells along an axis, and of shots of a cell."""
TARGETS: tuple[Target, ...] = ("static", "kinematic", "dynamic", "sensor", "head_on")
"""Targets with a derived law."""
_MOVING: tuple[Target, ...] = ("kinematic", "head_on")

_ENDS = {"low": "LO", "high": "HI", "n": "N"}
"""Scales of an axis, as written on the command line."""
_GIVEN_DIGITS = 12
"""Significant digits of the inner values of an axis: as a person would type them, and independent of the platform's logarithm."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a shot that an axis can vary: its name, title and unit, and its default scale."""

    name: str
    title: str
    unit: str
    scale: Scale
    factor: float = 1.0
    """Factor from this unit to the unit of the shot."""

    @property
    def label(self) -> str:
        """Title with unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter("speed", "bullet speed", "m/s", "log"),
        Parameter("thickness", "target thickness", "m", "log"),
        Parameter("radius", "bullet radius", "m", "log"),
        Parameter("hertz", "step rate", "Hz", "log"),
        Parameter("angle", "angle from the normal", "\N{DEGREE SIGN}", "linear", math.radians(1.0)),
        Parameter("restitution", "restitution", "", "linear"),
        Parameter("target_speed", "target speed toward the bullet", "m/s", "linear"),
    )
}


@dataclass(frozen=True, slots=True)
class Axis:
    """`n` values of a parameter from `low` to `high`, inclusive, evenly spaced in value or logarithm.

    Raises
    ------
    InvalidInputError
        There is no such parameter, an end is not finite, the ends are not ascending, or not positive on a logarithmic scale, or there are
        fewer than 2 values.
    """

    name: str
    low: float
    high: float
    n: int
    scale: Scale

    def __post_init__(self) -> None:
        choice("parameter", self.name, tuple(PARAMETERS))
        choice("scale", self.scale, ("log", "linear"))
        low, high = finite("low", self.low), finite("high", self.high)
        if not low < high:
            raise InvalidInputError("high", f"greater than {low:g}", high)
        if self.scale == "log" and low <= 0.0:
            raise InvalidInputError("low", "> 0 on a logarithmic axis", low)
        integer("n", self.n, 2, MAX_CELLS)

    @property
    def parameter(self) -> Parameter:
        """The varied parameter."""
        return PARAMETERS[self.name]

    @property
    def values(self) -> tuple[float, ...]:
        """Value of the parameter at each cell's center."""
        return tuple(float(f"{value:.{_GIVEN_DIGITS}g}") for value in self.spread(self.n))

    @property
    def edges(self) -> FloatArray:
        """The n + 1 borders of the cells."""
        if self.scale == "log":
            half = 0.5 * math.log(self.high / self.low) / (self.n - 1)
            return np.geomspace(self.low * math.exp(-half), self.high * math.exp(half), self.n + 1)
        half = 0.5 * (self.high - self.low) / (self.n - 1)
        return np.linspace(self.low - half, self.high + half, self.n + 1)

    def spread(self, n: int) -> list[float]:
        """Return `n` values from end to end."""
        values: FloatArray = (np.geomspace if self.scale == "log" else np.linspace)(self.low, self.high, n)
        return list(values.tolist())

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"parameter": self.name, "unit": self.parameter.unit, "scale": self.scale, "values": list(self.values)}


def parse_axis(option: str, text: str) -> Axis:
    """Read ``PARAM=LO:HI:N``, ``PARAM=LO:HI:N:log`` or ``...:linear``.

    Raises
    ------
    InvalidInputError
        The text is not an axis; the message names `option`.
    """
    name, equals, rest = text.partition("=")
    parts = rest.split(":")
    expected = "PARAM=LO:HI:N, such as speed=10:400:40, with :log or :linear appended if needed"
    if not equals or len(parts) not in (3, 4):
        raise InvalidInputError(option, expected, text)
    if name.strip() not in PARAMETERS:
        raise InvalidInputError(option, "one of " + ", ".join(PARAMETERS), name.strip())
    try:
        low, high, n = float(parts[0]), float(parts[1]), int(parts[2])
    except ValueError:
        raise InvalidInputError(option, expected, text) from None
    scale = parts[3].strip() if len(parts) == 4 else PARAMETERS[name.strip()].scale
    try:
        return Axis(name.strip(), low, high, n, scale)  # type: ignore[arg-type] # checked there
    except InvalidInputError as error:
        raise InvalidInputError(f"{option}: {_ENDS.get(error.field, error.field)}", error.requirement, error.value) from None


class Cell(NamedTuple):
    """A cell of a map: its rule, column and row."""

    rule: Rule
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class AtlasPlan:
    """The complete input of an atlas, with a map for each rule; `base` has the parameters that no axis varies, and the target.

    Raises
    ------
    InvalidInputError
        Both axes vary the same parameter, a rule is unknown or repeated, or a cell is not a valid shot.
    """

    x: Axis
    y: Axis
    rules: tuple[Rule, ...]
    base: ShotSpec = field(default_factory=ShotSpec)
    n_shots: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if self.x.name == self.y.name:
            raise InvalidInputError("--y", "a parameter other than that of --x", self.y.name)
        choice("--target", self.base.target, TARGETS)
        for option, axis in (("--x", self.x), ("--y", self.y)):
            if not self.has(axis.name):
                raise InvalidInputError(option, f"a parameter that {self.base.target} targets have", axis.name)
        for rule in self.rules:
            choice("--rule", rule, rules_of(self.base.solver))
        if not self.rules or len(set(self.rules)) < len(self.rules):
            raise InvalidInputError("--rule", "at least one rule, without repetition", ",".join(self.rules))
        integer("--shots", self.n_shots, 1, MAX_SHOTS)
        seed_number("--seed", self.seed)
        for column, row in ((0, 0), (self.x.n - 1, self.y.n - 1)):
            self.spec(Cell(self.rules[0], column, row))

    def spec(self, cell: Cell) -> ShotSpec:
        """Return the shots of a cell."""
        return self._spec(cell.rule, self.x.values[cell.column], self.y.values[cell.row])

    def over(self, x: Sequence[float], y: Sequence[float], rule: Rule, quantity: Callable[[ShotSpec], object]) -> FloatArray:
        """Return a quantity of the shots at each pair of values of the axes, in their units: float64 (len(y), len(x), ...)."""
        return np.array([[quantity(self._spec(rule, column, row)) for column in x] for row in y], np.float64)

    def _spec(self, rule: Rule, x: float, y: float) -> ShotSpec:
        changes = {axis.name: axis.parameter.factor * value for axis, value in ((self.x, x), (self.y, y))}
        return replace(self.base, rule=rule, **changes)  # type: ignore[arg-type] # names of parameters

    def phases(self, cell: Cell) -> tuple[float, ...]:
        """Return the phases of a cell's shots: uniform, and the same under every rule, so that maps differ only by the rule."""
        return tuple(stream(self.seed, "atlas", "phase", cell.column, cell.row).random(self.n_shots).tolist())

    def cells(self) -> Iterator[Cell]:
        """Yield all cells, map by map, row by row."""
        for rule in self.rules:
            for row in range(self.y.n):
                for column in range(self.x.n):
                    yield Cell(rule, column, row)

    @property
    def n_cells(self) -> int:
        """Cells of all maps."""
        return len(self.rules) * self.x.n * self.y.n

    @property
    def fixed(self) -> dict[str, float]:
        """The parameters that no axis varies, by name, in their own units, except those that this target does not have."""
        return {
            name: float(f"{getattr(self.base, name) / parameter.factor:.{_GIVEN_DIGITS}g}")
            for name, parameter in PARAMETERS.items()
            if name not in (self.x.name, self.y.name) and self.has(name)
        }

    def has(self, name: str) -> bool:
        """Return True if a parameter affects the target."""
        if name == "target_speed":
            return self.base.target in _MOVING
        return name != "thickness" or self.base.target != "head_on"

    def as_json(self) -> dict[str, Any]:
        """Return the plan as at the head of an atlas's JSON; equal plans have equal results."""
        return {
            "seed": self.seed,
            "solver": self.base.solver,
            "shots": self.n_shots,
            "target": self.base.target,
            "shape": self.base.shape,
            "rules": list(self.rules),
            "x": self.x.as_json(),
            "y": self.y.as_json(),
            "fixed": self.fixed,
        }


class Count(NamedTuple):
    """Numbers of a cell's shots that hit, that tunneled, and that contradict the law for their phase; and how many of the latter had no
    rotation that would explain it.
    """

    hit: int
    tunneled: int
    surprises: int
    inexcusable: int
