"""The interface of a solver, which simulates a world, and the table of solvers.

A solver is a class in its own package, loaded by name when a world needs it (`load_solver`). The world owns the model, validates and orders
commands, and calls its solver::

    accept(spec)                        for each new specification: round it to the solver's numbers, or reject it
    check(command)                      reject a command that is invalid in the current state, before anything changes
    apply(command, becomes)             apply the change; the model is updated afterwards
    step(number)                        advance one step, hooks included; then `motion`, `contacts`
    save(), load(state)                 everything that affects the next step
    carried(snapshot), state_of(...)    state that another solver can use, and the state from which the other one starts
    copies(n)                           copies of the world that are stepped together
    canonicalize()                      bring the solver into the state that `load` would produce
    mark(command), go_back(mark)        around each change and each step: roll back after a failure

The world decides which bodies a command wakes (`engine.world.waking`), and sends `SetAwake` after it. Optional methods have defaults here.
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
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import Described, InvalidInputError
from engine.common.installation import MissingPartError, is_installed
from engine.common.limits import MAX_NUMBER
from engine.common.words import meant
from engine.contracts import StepContacts, no_contacts
from engine.geometry import FixtureShape
from engine.world.commands import Command
from engine.world.hooks import StepHooks
from engine.world.joints.interface import JointSpec, ResolvedJoint
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, ImpactMoment, StepCost
from engine.world.setting import Setting, chosen_settings
from engine.world.snapshot import SolverState, WorldSnapshot
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = [
    "DEFAULT",
    "Becomes",
    "Capabilities",
    "Carried",
    "Copies",
    "NamedValues",
    "Solver",
    "accept",
    "default_settings",
    "default_solver",
    "driven_by",
    "load_solver",
    "methods",
    "solver_name",
    "solvers",
]

_T = TypeVar("_T")

DEFAULT = "box2d"
"""Solver of a world that is created without a solver name and outside `driven_by`."""

_ENTRIES = {
    "box2d": "engine.box2d.solver:Box2DSolver",
    "chipmunk": "engine.chipmunk.solver:ChipmunkSolver",
    "box2d3": "engine.box2d3.solver:Box2D3Solver",
}
"""Module and class, by solver name, of each solver with its own package."""
_OPTIONAL = {"box2d3": "pyb2d3", "chipmunk": "pymunk"}
"""Module that must be installed, by solver name, for each solver that is optional."""
_METHODS = Path(__file__).resolve().parent.parent / "dynamics" / "methods"
"""Folder of our own solver's methods. Each method has its own file and is named after that file."""
_NO_METHODS = ("__init__", "protocol")

NamedValues: TypeAlias = tuple[tuple[str, float | str], ...]
"""Solver-specific settings, as in `WorldSettings.solver_settings`."""

_DRIVEN_BY: ContextVar[tuple[str, NamedValues] | None] = ContextVar("driven_by", default=None)
"""Solver and settings set by `driven_by`."""

Becomes: TypeAlias = BodySpec | FixtureSpec | ResolvedJoint | WorldSettings | None
"""Complete new specification of the object that a command creates or changes; None if it does neither."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of a solver.

    Attributes
    ----------
    name, title : str
        Identifier and display name.
    shapes : tuple of type
        Shapes of `engine.geometry` that a fixture may have.
    joints : tuple of type
        Supported joint specifications.
    max_vertices : int or None
        Maximum number of vertices of a polygon; None means no limit.
    precision : type
        Type of the solver's numbers, `numpy.float32` or `numpy.float64`.
    skin_radius : float
        Thickness of the skin around polygons and segments, meters.
    margin : float
        Distance around each shape, beyond skins, within which speculative contacts are reported, meters.
    version : str
        Version of the underlying library, for reports.
    sweeps_all : bool
        True if continuous physics sweeps every body that is fast for its size, bullet or not.
    is_refereed : bool
        True if the referee knows how the solver computes contacts, so that it can judge them.
    replays : bool
        True if the solver has no snapshots of its own: `load` repeats all commands and steps from the beginning.
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
    is_refereed: bool = True
    replays: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """State, in addition to the bodies' motion, from which any other solver can continue.

    Attributes
    ----------
    force : float64 (n, 3)
        Pending force and torque on each body, applied in the next step, N and N m.
    resting : float64 (n,)
        Sleep time of each body, seconds.
    touching : frozenset of (fixture id, fixture id)
        Touching pairs, the lower id first, sensors included.
    """

    force: FloatArray
    resting: FloatArray
    touching: frozenset[tuple[int, int]]


class Copies(Protocol):
    """Copies of one world that are stepped together; see `engine.world.worlds.Worlds`. Rows of bodies are as in `WorldModel.rows`.

    Attributes
    ----------
    values : float64 (n, bodies, 6)
        x, y, angle, vx, vy, omega; never changes.
    awake : bool (n, bodies)
    is_lost : bool (n,)
        Worlds that are no longer stepped because a body has left the supported range or its motion is not finite.
    """

    is_lost: NDArray[np.bool_]

    @property
    def values(self) -> FloatArray: ...
    @property
    def awake(self) -> NDArray[np.bool_]: ...

    def step(self) -> None:
        """Advance all worlds by one step, except those that are lost."""

    def push(self, worlds: IntArray, bodies: IntArray, force: FloatArray) -> None:
        """Add forces and torques (w, k, 3), N and N m, on bodies (k,) of worlds (w,) during the next step, and wake these bodies."""

    def set_velocities(self, worlds: IntArray, bodies: IntArray, velocities: FloatArray) -> None:
        """Set velocities (w, k, 3), m/s and rad/s, of bodies (k,) of worlds (w,), and wake those whose velocity is not 0."""

    def reset(self, worlds: NDArray[np.bool_]) -> None:
        """Reset the marked worlds, bool (n,), to their first state."""


class Solver(ABC):
    """Base class of solvers. An instance simulates one world.

    Parameters
    ----------
    model : WorldModel
        Read-only. If it is not empty, `load` must be called next.

    Attributes
    ----------
    settings : tuple of Setting
        The solver's own settings, in addition to those of the world.
    hooks : StepHooks or None
        Callables to be called during a step. If one raises an exception, it is stored for `take_error`, and the step continues.
    """

    capabilities: ClassVar[Capabilities]
    settings: ClassVar[tuple[Setting, ...]] = ()

    def __init__(self, model: WorldModel) -> None:
        self.model = model
        self.hooks: StepHooks | None = None

    # -- without a world ----------------------------------------------------------------------------------------------

    @classmethod
    def accept(cls, spec: _T) -> _T:
        """Return the specification of a body, fixture or joint with its numbers rounded to the solver's precision.

        The default implementation rounds nothing, and rejects shapes and joints that are not in `capabilities`, and values of settings that
        are out of range.

        Raises
        ------
        InvalidInputError
            The solver does not support the specification; the message names field, value and range.
        """
        can = cls.capabilities
        fixtures = spec.fixtures if isinstance(spec, BodySpec) else (spec,) if isinstance(spec, FixtureSpec) else ()
        for fixture in fixtures:
            if not isinstance(fixture.shape, can.shapes):
                raise InvalidInputError("shape", f"one that {can.title} supports ({_names(can.shapes)})", fixture.shape)
        cls.check_kind(spec)
        if isinstance(spec, WorldSettings):
            chosen_settings(can.title, cls.settings, spec.solver_settings)
        return spec

    @classmethod
    def check_kind(cls, spec: object) -> None:
        """Check that the solver supports this kind of joint, if `spec` is a joint.

        Raises
        ------
        InvalidInputError
            It does not; the message names the kinds that it supports.
        """
        joint, can = spec.spec if isinstance(spec, ResolvedJoint) else spec, cls.capabilities
        if isinstance(joint, JointSpec) and type(joint) not in can.joints:
            raise InvalidInputError("joint", f"one that {can.title} supports ({_names(can.joints)})", joint)

    @classmethod
    def own_settings(cls, settings: WorldSettings) -> dict[str, float | str]:
        """Return all solver-specific settings by name, with their values from `settings` where given, otherwise their defaults.

        Raises
        ------
        InvalidInputError
            `accept` rejects the settings.
        """
        cls.accept(settings)
        return chosen_settings(cls.capabilities.title, cls.settings, settings.solver_settings)

    @classmethod
    def prepare(cls) -> str | None:
        """Load or compile everything needed for speed and complete states, once per process; return why states are incomplete, or None."""
        return None

    @classmethod
    def has_whole_states(cls) -> bool:
        """Return whether `save` captures everything that affects the next step; see `prepare`."""
        return True

    # -- changes ------------------------------------------------------------------------------------------------------

    def check(self, command: Command) -> None:
        """Check that a command is valid in the current state, before anything changes.

        Raises
        ------
        InvalidInputError
            The command is invalid; the message names field, requirement and value.
        """
        return None

    @abstractmethod
    def apply(self, command: Command, becomes: Becomes) -> None:
        """Apply a checked command; the model is updated afterwards. After an exception `go_back` is called.

        Before a body is destroyed, separate commands destroy its joints; before a joint is destroyed, they destroy the gear joints that
        depend on it.
        """

    def can_hold(self, joint: ResolvedJoint) -> bool:
        """Return whether the solver supports a joint, given its bodies as they are now. One without a dynamic body is always removed."""
        return True

    # -- time ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def step(self, number: int) -> list[int]:
        """Advance to step `number`; return the bodies whose pose or velocity is not finite, in which case `go_back` is called next."""

    def take_error(self) -> BaseException | None:
        """Return and clear the first exception that a hook has raised since the last call."""
        return None

    @property
    def cost(self) -> StepCost:
        """Cost of the last step."""
        return StepCost()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for users about limits that the last step met, such as a method that another one replaced; usually empty."""
        return ()

    # -- reading ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def motion(self) -> BodyMotion:
        """Return the motion of all bodies, one row per body in the order of `WorldModel.body_ids`; the arrays never change."""

    def motion_of(self, body: int) -> tuple[float, ...]:
        """Return x, y, angle, vx, vy, omega of one body."""
        return tuple(self.motion().values[self.model.rows[body]].tolist())

    @property
    @abstractmethod
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""

    @abstractmethod
    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return a body's local center of mass (m), its mass (kg), and its rotational inertia about that center (kg m^2)."""

    @abstractmethod
    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Return whether a fixture's shape contains a world point."""

    def shape_of(self, fixture: int) -> FixtureShape:
        """Return a fixture's shape exactly as the solver uses it, with the solver's rounding, vertex order and skin."""
        return self.model.fixtures[fixture].spec.shape

    @abstractmethod
    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return both anchors of a joint, world frame, meters."""

    @abstractmethod
    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        """Return the force (N, world frame) and the torque (N m) that a joint exerted on body B in the last step."""

    # -- many worlds --------------------------------------------------------------------------------------------------

    def copies(self, n: int) -> Copies:
        """Return `n` copies of the world in its present state, without hooks, to be stepped together.

        Raises
        ------
        InvalidInputError
            The solver, or one of its settings, does not allow it.
        """
        raise InvalidInputError("world", 'one with solver="soft_step"', Described(f"a world of {self.capabilities.title}"))

    # -- state --------------------------------------------------------------------------------------------------------

    is_always_canonical: ClassVar[bool] = True
    """True if `canonicalize` has no effect, so that `load` is exact for a state saved at any time."""

    @property
    def keeps_state(self) -> bool:
        """True if `save`, `load` and `canonicalize` include as much of the internal state as possible, not only the public state."""
        return True

    @keeps_state.setter
    def keeps_state(self, value: bool) -> None:
        return None

    @abstractmethod
    def save(self) -> SolverState:
        """Return everything besides the model that affects the next step."""

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        """Check that `save` could have returned the solver state in a foreign snapshot; the rest of the snapshot has been checked.

        Raises
        ------
        InvalidInputError
            `SolverState.memory` or `SolverState.touching` belongs to another solver, or is out of range.
        """
        if snapshot.state.memory is not None:
            raise InvalidInputError("memory", "None", Described(type(snapshot.state.memory).__name__))

    @abstractmethod
    def load(self, state: SolverState) -> None:
        """Load a state saved with the current model. If this raises, nothing has changed."""

    def canonicalize(self) -> None:
        """Bring the solver into the state that `load` produces from `save`, bit for bit. If this raises, nothing has changed."""
        return None

    @abstractmethod
    def mark(self, command: Command | None = None) -> object:
        """Return a mark with which `go_back` can restore the current state if `command` (or the next step, if None) fails."""

    @abstractmethod
    def go_back(self, mark: object) -> None:
        """Restore the state at the time of a mark; the model has already been restored."""

    @classmethod
    def carried(cls, snapshot: WorldSnapshot) -> Carried:
        """Return the part of a snapshot's state that other solvers can use; by default only the touching pairs."""
        n, living = len(snapshot.bodies), {fixture for fixture, _, _ in snapshot.fixtures}
        pairs = frozenset((min(pair), max(pair)) for pair in snapshot.state.touching if living.issuperset(pair))
        return Carried(np.zeros((n, 3)), np.zeros(n), pairs)

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        """Return the state in which this solver continues a snapshot of another solver.

        By default this is the motion and the touching pairs, without contacts.

        Parameters
        ----------
        snapshot : WorldSnapshot
            Snapshot of the other solver, with specifications that this one has accepted.
        settings : WorldSettings
            Settings for this solver.
        """
        # a deactivated body may be beyond the range of float32
        values = np.clip(snapshot.motion.values, -MAX_NUMBER, MAX_NUMBER).astype(cls.capabilities.precision)
        motion = replace(snapshot.motion, values=values)
        touching = load_solver(snapshot.solver).carried(snapshot).touching
        return SolverState(motion, no_contacts(snapshot.step_index), touching, ((), ()), None)

    # -- for independent checks ---------------------------------------------------------------------------------------

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """All impacts within the last step, in the order in which they were solved."""
        return ()

    def pair_record(self) -> object:
        """Return the solver's own record of which pairs touch and why; None if the solver keeps no such record."""
        return None


def _names(kinds: tuple[type, ...]) -> str:
    return ", ".join(kind.__name__ for kind in kinds) or "none"


def solvers() -> tuple[str, ...]:
    """Return the names of all solvers whose libraries are installed; Box2D, without which the laboratory does not run, is always listed.

    Examples
    --------
    >>> solvers()[:2]
    ('box2d', 'soft_step')
    """
    packages = tuple(name for name in _ENTRIES if name not in _OPTIONAL)
    return (*packages, *methods(), *(name for name, module in _OPTIONAL.items() if is_installed(module)))


def methods() -> tuple[str, ...]:
    """Return the names of the solvers that are methods for our own rigid bodies."""
    return _methods_in(_METHODS)


@cache
def _methods_in(folder: Path) -> tuple[str, ...]:
    names = sorted(path.stem for path in folder.glob("[!_]*.py") if path.stem not in _NO_METHODS)
    return tuple(sorted(names, key=lambda name: name != "soft_step"))


def solver_name(field: str, value: object) -> str:
    """Return `value` after checking that it is the name of a solver.

    Raises
    ------
    InvalidInputError
        There is no such solver. The name of an optional solver is valid even if its library is missing, which `load_solver` reports.
    """
    name = str.__str__(value) if isinstance(value, str) else ""
    if name not in solvers() and name not in _OPTIONAL:
        raise InvalidInputError(field, "one of " + ", ".join(solvers()) + meant(name, solvers()), value)
    return name


def default_solver() -> str:
    """Return the solver of worlds created here without a solver name."""
    return (_DRIVEN_BY.get() or (DEFAULT,))[0]


def default_settings() -> NamedValues:
    """Return the solver settings of worlds created here without a solver name and settings."""
    return (_DRIVEN_BY.get() or (DEFAULT, ()))[1]


@contextmanager
def driven_by(solver: str | None, solver_settings: NamedValues = ()) -> Iterator[None]:
    """Set the solver of worlds that are created without a solver name in the with block; None changes nothing.

    Such a world has these `solver_settings` unless it specifies its own. Other threads are not affected.

    Raises
    ------
    InvalidInputError
        There is no such solver.

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
    """Import and return the class of a solver.

    Raises
    ------
    InvalidInputError
        There is no such solver.
    MissingPartError
        The library of the solver is not installed.
    """
    if solver_name("solver", name) in _ENTRIES:
        module, _, kind = _ENTRIES[name].partition(":")
        try:
            return cast(type[Solver], getattr(import_module(module), kind))
        except MissingPartError as error:
            raise MissingPartError(f'{error}; World(solver="soft_step") needs no library', name=error.name) from None
    return cast(type[Solver], import_module("engine.dynamics.solver").solver_of(name))


def accept(spec: _T, solver: str = DEFAULT) -> _T:
    """Return a specification with its numbers rounded to a solver's precision, as a world does with every new specification.

    Raises
    ------
    InvalidInputError
        The solver does not support the specification.
    """
    return load_solver(solver).accept(spec)
