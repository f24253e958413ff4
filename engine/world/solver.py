"""The protocol of a solver, which drives a world, and the table of solvers.

A solver is a class in a package of its own, loaded by name when a world needs it (`load_solver`). The world holds the model, checks
and orders commands, and calls its solver::

    accept(spec)                        for each new specification: round it to the solver's numbers, or refuse it
    check(command)                      refuse a command that is invalid in the present state, before anything changes
    apply(command, becomes)             make the change; the model follows
    step(number)                        one step, hooks included; then `motion`, `contacts`
    save(), load(state)                 everything that the next step depends on
    carried(snapshot), state_of(...)    what one solver leaves to another, and the state from which the other starts
    canonicalize()                      take the form that `load` would give
    mark(command), go_back(mark)        around each change and each step: roll back after a failure

The world decides which bodies a command wakes (`engine.world.waking`), and sends `SetAwake` after it. Optional methods have a default here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.common.words import meant
from engine.contracts import StepContacts, no_contacts
from engine.geometry import FixtureShape
from engine.world.commands import Command
from engine.world.hooks import StepHooks
from engine.world.joint_specs import JointSpec
from engine.world.joints import ResolvedJoint
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, ImpactMoment, StepCost
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = [
    "DEFAULT",
    "Becomes",
    "Capabilities",
    "Carried",
    "NamedValues",
    "Solver",
    "accept",
    "default_settings",
    "default_solver",
    "driven_by",
    "load_solver",
    "solver_name",
    "solvers",
]

_T = TypeVar("_T")

DEFAULT = "box2d"
"""Solver of a world that is made without a solver's name, outside of `driven_by`."""

_ENTRIES = {"box2d": "engine.box2d.solver:Box2DSolver"}
"""Module and class of each solver that is a package of its own, by the solver's name."""
_METHODS = Path(__file__).resolve().parent.parent / "dynamics" / "solvers"
"""Folder in which each file is a method of our own solver, named like the file."""
_NO_METHODS = ("__init__", "protocol")

NamedValues: TypeAlias = tuple[tuple[str, float | str], ...]
"""Settings of a solver's own, as `WorldSettings.solver_settings` has them."""

_DRIVEN_BY: ContextVar[tuple[str, NamedValues] | None] = ContextVar("driven_by", default=None)
"""Solver and settings set by `driven_by`."""

Becomes: TypeAlias = BodySpec | FixtureSpec | ResolvedJoint | WorldSettings | None
"""The complete new specification of the thing that a command creates or changes; None if it does neither."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of a solver.

    Attributes
    ----------
    name, title : str
        For programs, and for people.
    shapes : tuple of type
        Shapes of `engine.geometry` that a fixture may have.
    joints : tuple of type
        Joint specifications.
    max_vertices : int or None
        Of a polygon.
    precision : type
        `numpy.float32` or `numpy.float64`: how it holds its numbers.
    skin_radius : float
        Meters that it puts around polygons and segments.
    margin : float
        Distance around each shape, beyond skins, within which it reports contacts ahead, meters.
    version : str
        Of the library behind it, as reports name it.
    sweeps_all : bool
        Whether continuous physics looks between steps at every body that is fast for its size, bullet or not.
    """

    name: str
    title: str
    shapes: tuple[type, ...]
    joints: tuple[type, ...]
    max_vertices: int | None
    precision: type[np.floating[Any]]
    skin_radius: float
    margin: float = 0.0
    version: str = ""
    sweeps_all: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """State that one solver can leave to any other beside the motion of the bodies.

    Attributes
    ----------
    force : float64 (n, 3)
        Force and torque on each body, to be applied in the next step, N and N m.
    resting : float64 (n,)
        Time that each body has been slow, seconds.
    touching : frozenset of (fixture id, fixture id)
        Pairs that have begun to touch and not ended, the lower id first, sensors included.
    """

    force: FloatArray
    resting: FloatArray
    touching: frozenset[tuple[int, int]]


class Solver(ABC):
    """Drives one world.

    Parameters
    ----------
    model : WorldModel
        Read only; empty, or about to be followed by `load`.

    Attributes
    ----------
    hooks : StepHooks or None
        Callables for the middle of a step. An exception in one is kept for `take_error`, and the step goes on.
    """

    capabilities: ClassVar[Capabilities]

    def __init__(self, model: WorldModel) -> None:
        self.model = model
        self.hooks: StepHooks | None = None

    # -- before any world ---------------------------------------------------------------------------------------------

    @classmethod
    def accept(cls, spec: _T) -> _T:
        """Return the specification of a body, a fixture or a joint with the numbers that the solver will hold.

        This one changes none, and refuses the shapes and joints that are not among `capabilities`.

        Raises
        ------
        InvalidInputError
            The solver cannot take it; names field, value and range.
        """
        can = cls.capabilities
        fixtures = spec.fixtures if isinstance(spec, BodySpec) else (spec,) if isinstance(spec, FixtureSpec) else ()
        for fixture in fixtures:
            if not isinstance(fixture.shape, can.shapes):
                raise InvalidInputError("shape", f"one that {can.title} takes ({_names(can.shapes)})", fixture.shape)
        if isinstance(spec, JointSpec) and not isinstance(spec, can.joints):
            raise InvalidInputError("joint", f"one that {can.title} takes ({_names(can.joints)})", spec)
        return spec

    @classmethod
    def own_settings(cls, settings: WorldSettings) -> dict[str, float | str]:
        """Return every setting of the solver itself, by name, with its value in a world of such settings, or its default.

        Raises
        ------
        InvalidInputError
            As `accept` does.
        """
        cls.accept(settings)
        return {}

    @classmethod
    def prepare(cls) -> str | None:
        """Load or compile everything for speed and complete states, once a process; return why states are incomplete, or None."""
        return None

    @classmethod
    def has_whole_states(cls) -> bool:
        """Return whether `save` can reach everything that the next step depends on; see `prepare`."""
        return True

    # -- changes ------------------------------------------------------------------------------------------------------

    def check(self, command: Command) -> None:
        """Refuse a command that is invalid in the present state, before anything changes.

        Raises
        ------
        InvalidInputError
            Names field, requirement and value.
        """
        return None

    @abstractmethod
    def apply(self, command: Command, becomes: Becomes) -> None:
        """Follow a checked command, before the model does. After any exception `go_back` follows.

        Joints of a body, or gear joints on a joint, have been destroyed by commands of their own before.
        """

    def can_hold(self, joint: ResolvedJoint) -> bool:
        """Return whether a joint can stay with its bodies as they are now; one without a dynamic body is always removed."""
        return True

    # -- time ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def step(self, number: int) -> list[int]:
        """Advance by one step, the `number`-th; return the bodies that have left the finite numbers, after which `go_back` follows."""

    def take_error(self) -> BaseException | None:
        """Return and clear the first exception of a hook since the last call."""
        return None

    @property
    def cost(self) -> StepCost:
        """Cost of the last step."""
        return StepCost()

    # -- reading ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def motion(self) -> BodyMotion:
        """Return the motion of all bodies, a row each in the order of `WorldModel.body_ids`; the arrays never change."""

    def motion_of(self, body: int) -> tuple[float, ...]:
        """Return x, y, angle, vx, vy, omega of one body."""
        return tuple(self.motion().values[self.model.rows[body]].tolist())

    @property
    @abstractmethod
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""

    @abstractmethod
    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return local center of mass, m, mass, kg, and inertia about it, kg m^2."""

    @abstractmethod
    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Return whether a fixture's shape contains a world point."""

    def shape_of(self, fixture: int) -> FixtureShape:
        """Return a fixture's shape exactly as the solver holds it: its numbers, its order of vertices, its skin."""
        return self.model.fixtures[fixture].spec.shape

    @abstractmethod
    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return both anchors of a joint, world frame, meters."""

    @abstractmethod
    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        """Return the force, N, world frame, and the torque, N m, that a joint put on body B in the last step."""

    # -- keeping ------------------------------------------------------------------------------------------------------

    is_always_canonical: ClassVar[bool] = True
    """True if `canonicalize` changes nothing: then `load` is exact for a state saved at any moment."""

    @property
    def keeps_state(self) -> bool:
        """True if `save`, `load` and `canonicalize` keep everything in reach, and not only the state of the public interface."""
        return True

    @keeps_state.setter
    def keeps_state(self, value: bool) -> None:
        return None

    @abstractmethod
    def save(self) -> SolverState:
        """Return everything that the next step depends on beside the model."""

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        """Refuse a foreign snapshot, valid otherwise, whose solver state `save` could not have returned.

        Raises
        ------
        InvalidInputError
            `SolverState.memory` or `SolverState.touching` belongs to another solver, or is out of range.
        """
        if snapshot.state.memory is not None:
            raise InvalidInputError("memory", "None", Described(type(snapshot.state.memory).__name__))

    @abstractmethod
    def load(self, state: SolverState) -> None:
        """Take a saved state for the present model. If it raises, nothing has changed."""

    def canonicalize(self) -> None:
        """Take the form that `load` gives to the result of `save`, to the last bit. If it raises, nothing has changed."""
        return None

    @abstractmethod
    def mark(self, command: Command | None = None) -> object:
        """Return what `go_back` needs to restore the present state if the command, or the step where it is None, fails."""

    @abstractmethod
    def go_back(self, mark: object) -> None:
        """Restore the state at a mark; the model is restored already."""

    @classmethod
    def carried(cls, snapshot: WorldSnapshot) -> Carried:
        """Return what a snapshot of this solver leaves to another: here only the touching pairs."""
        n, living = len(snapshot.bodies), {fixture for fixture, _, _ in snapshot.fixtures}
        pairs = frozenset((min(pair), max(pair)) for pair in snapshot.state.touching if living.issuperset(pair))
        return Carried(np.zeros((n, 3)), np.zeros(n), pairs)

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        """Return the state from which this solver goes on after another one.

        Here that is the motion of the bodies, without contacts.

        Parameters
        ----------
        snapshot : WorldSnapshot
            The other solver's; its specifications are accepted by this one already.
        settings : WorldSettings
            Settings with which this solver goes on.
        """
        # a body that was taken out may lie beyond what float32 holds
        values = np.clip(snapshot.motion.values, -MAX_NUMBER, MAX_NUMBER).astype(cls.capabilities.precision)
        motion = replace(snapshot.motion, values=values)
        touching = load_solver(snapshot.solver).carried(snapshot).touching
        return SolverState(motion, no_contacts(snapshot.step_index), touching, ((), ()), None)

    # -- for its judges -----------------------------------------------------------------------------------------------

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """Every impact inside the last step, in the order in which they were solved."""
        return ()

    def pair_record(self) -> object:
        """Return a live record of which pairs touch, and why, in the solver's own terms; None if it keeps none."""
        return None


def _names(kinds: tuple[type, ...]) -> str:
    return ", ".join(kind.__name__ for kind in kinds) or "none"


def solvers() -> tuple[str, ...]:
    """Return the names of the solvers there are.

    Examples
    --------
    >>> solvers()[:2]
    ('box2d', 'soft_step')
    """
    return (*_ENTRIES, *_methods_in(_METHODS))


@cache
def _methods_in(folder: Path) -> tuple[str, ...]:
    names = sorted(path.stem for path in folder.glob("[!_]*.py") if path.stem not in _NO_METHODS)
    return tuple(sorted(names, key=lambda name: name != "soft_step"))


def solver_name(field: str, value: object) -> str:
    """Return the name of a solver, checked.

    Raises
    ------
    InvalidInputError
        There is none of that name.
    """
    name = str.__str__(value) if isinstance(value, str) else ""
    if name not in solvers():
        raise InvalidInputError(field, "one of " + ", ".join(solvers()) + meant(name, solvers()), value)
    return name


def default_solver() -> str:
    """Return the solver of a world that is made here without a solver's name."""
    return (_DRIVEN_BY.get() or (DEFAULT,))[0]


def default_settings() -> NamedValues:
    """Return the solver settings of such a world if it gives none."""
    return (_DRIVEN_BY.get() or (DEFAULT, ()))[1]


@contextmanager
def driven_by(solver: str | None, solver_settings: NamedValues = ()) -> Iterator[None]:
    """Set the solver of worlds that are made inside without a solver's name; None changes nothing.

    Such a world has these `solver_settings` unless it gives its own. Other threads are not affected.

    Raises
    ------
    InvalidInputError
        There is none of that name.

    Examples
    --------
    >>> with driven_by("soft_step"):
    ...     default_solver()
    'soft_step'
    >>> default_solver()
    'box2d'
    """
    if solver is None:
        yield
        return
    token = _DRIVEN_BY.set((solver_name("solver", solver), solver_settings))
    try:
        yield
    finally:
        _DRIVEN_BY.reset(token)


def load_solver(name: str = DEFAULT) -> type[Solver]:
    """Load the class of a solver.

    Raises
    ------
    InvalidInputError
        There is none of that name.
    """
    if solver_name("solver", name) in _ENTRIES:
        module, _, kind = _ENTRIES[name].partition(":")
        return cast(type[Solver], getattr(import_module(module), kind))
    return cast(type[Solver], import_module("engine.dynamics.solver").solver_of(name))


def accept(spec: _T, solver: str = DEFAULT) -> _T:
    """Return a specification as a solver holds it, with rounded numbers, as a world does with every new one.

    Raises
    ------
    InvalidInputError
        The solver cannot take it.
    """
    return load_solver(solver).accept(spec)
