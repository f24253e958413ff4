"""What drives a world: the protocol of a solver, and the table of those there are.

A solver is a class of its own package, found by name and loaded when a world wants it (`load_solver`). The world holds the model, checks
and orders what is asked of it, and tells its solver::

    accept(spec)                        each specification, as it comes: the solver rounds it to its numbers, or refuses it
    check(command)                      refuse what it could not bear as things stand, before anything changes
    apply(command, becomes), followed() make the change; the model follows in between, and is asked for all the rest
    step(number)                        one step, hooks included; then `motion`, `contacts`
    save(), load(state)                 all that the next step depends on
    carried(snapshot), state_of(...)    what it can leave to any other solver, and what it begins with where another has driven
    canonicalize(), build_ahead(n)      bring itself into the form that `load` would give it; a slice of that in advance
    mark(command), go_back(mark)        around each change and each step: where it broke off, the world is put back as it stood

Whom a command wakes the world says (`engine.world.waking`), by `SetAwake` after it. What a solver need not care for has a default here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError
from engine.common.words import meant
from engine.contracts import StepContacts, no_contacts
from engine.geometry import FixtureShape
from engine.world.commands import Command
from engine.world.hooks import StepHooks
from engine.world.joint_specs import JointSpec
from engine.world.joints import ResolvedJoint
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, ImpactMoment, JointState, StepCost
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
"""What drives a world that is made without a solver's name, outside of `driven_by`."""

_ENTRIES = {"box2d": "engine.box2d.solver:Box2DSolver"}
"""Module and class of each solver that is a package of its own, by the solver's name."""
_METHODS = Path(__file__).resolve().parent.parent / "dynamics" / "solvers"
"""Where each file is a method by which our own rigid bodies are solved, named as the file is."""
_NO_METHODS = ("__init__", "protocol")
_LONGEST_NAME = 64
_FOUND: set[tuple[Path, str]] = set()
"""Folders and methods in them that have been seen: a demo asks for its solver at every step and at everything that is done."""

NamedValues: TypeAlias = tuple[tuple[str, float | str], ...]
"""Settings of a solver's own, as `WorldSettings.solver_settings` has them."""

_DRIVEN_BY: ContextVar[tuple[str, NamedValues] | None] = ContextVar("driven_by", default=None)
"""What `driven_by` has set."""

Becomes: TypeAlias = BodySpec | FixtureSpec | ResolvedJoint | WorldSettings | None
"""What a command makes of the one thing that it creates or changes, as a whole; None where it does neither."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a solver can do.

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
        Metres that it puts around polygons and segments.
    margin : float
        Metres around each shape within which it tells of contacts that are to come, beside skins.
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
    """What one solver can leave to any other beside the motion of the bodies.

    Attributes
    ----------
    force : float64 (n, 3)
        On each body, waiting for the next step, N and N m.
    resting : float64 (n,)
        Seconds that each body has been slow.
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
        Read only: what the world is made of. Nothing, or what `load` will follow.

    Attributes
    ----------
    hooks : StepHooks or None
        What to call in the middle of a step. An exception in one is kept for `take_error`, and the step goes on.
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
            It cannot take it; names field, value and what it can take.
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
        """Return every setting of the solver's own by name, with its value in a world of such settings: what is not given, its default.

        Raises
        ------
        InvalidInputError
            As `accept` does.
        """
        cls.accept(settings)
        return {}

    @classmethod
    def prepare(cls) -> str | None:
        """Load or compile what makes it fast and its states whole, once a process; return why a state is not whole, or None."""
        return None

    @classmethod
    def compile_rest(cls) -> None:
        """Compile what `prepare` does not: what only its judges run. Asked for where everything is compiled ahead."""
        return None

    @classmethod
    def has_whole_states(cls) -> bool:
        """Tell whether `save` has all within its reach by now that the next step depends on; see `prepare`."""
        return True

    # -- changes ------------------------------------------------------------------------------------------------------

    def check(self, command: Command) -> None:
        """Refuse a command that could not be borne as things stand, before anything changes.

        Raises
        ------
        InvalidInputError
            As said.
        """
        return None

    @abstractmethod
    def apply(self, command: Command, becomes: Becomes) -> None:
        """Follow a checked command, before the model does. Whatever escapes from here is a breakdown: `go_back` follows.

        What falls with a body or a joint, its joints or the gear joints on it, has been destroyed by commands of its own before.
        """

    def followed(self) -> None:
        """Do what can only be done when the model has followed the command too."""
        return None

    def can_hold(self, joint: ResolvedJoint) -> bool:
        """Tell whether a joint can stay, as its bodies are now; one without any dynamic body goes in any case."""
        return True

    # -- time ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def step(self, number: int) -> list[int]:
        """Advance by one step, the `number`-th; return the bodies that have left the finite numbers, after which `go_back` follows."""

    def take_error(self) -> BaseException | None:
        """Return the first thing a hook raised since the last call, and forget it."""
        return None

    @property
    def cost(self) -> StepCost:
        """What the last step cost."""
        return StepCost()

    # -- reading ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def motion(self) -> BodyMotion:
        """Return how all bodies stand and move, a row each in the order of `WorldModel.body_ids`; arrays that change no more."""

    def motion_of(self, body: int) -> tuple[float, ...]:
        """Return x, y, angle, vx, vy, omega of one body."""
        return tuple(self.motion().values[self.model.rows[body]].tolist())

    @property
    @abstractmethod
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""

    @abstractmethod
    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return local centre of mass, m, mass, kg, and inertia about it, kg m^2."""

    @abstractmethod
    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Tell whether a fixture's shape contains a world point."""

    def shape_of(self, fixture: int) -> FixtureShape:
        """Return a fixture's shape exactly as the solver holds it: its numbers, its order of vertices, its skin."""
        return self.model.fixtures[fixture].spec.shape

    @abstractmethod
    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return both anchors of a joint, world frame, metres."""

    @abstractmethod
    def joint_state(self, joint: int) -> JointState:
        """Return how a joint stands and moves, and what it bore in the last step."""

    # -- keeping ------------------------------------------------------------------------------------------------------

    is_always_canonical: ClassVar[bool] = True
    """Whether `canonicalize` changes nothing: then one can come back exactly to whatever was saved, wherever that was."""

    @property
    def keeps_state(self) -> bool:
        """Whether `save`, `load` and `canonicalize` keep all that is in reach, and not only what its public interface tells."""
        return True

    @keeps_state.setter
    def keeps_state(self, value: bool) -> None:
        return None

    @abstractmethod
    def save(self) -> SolverState:
        """Return all that the next step depends on beside the model."""

    @classmethod
    def check_memory(cls, snapshot: WorldSnapshot) -> None:
        """Refuse what `save` could not have given, of a snapshot that came from elsewhere and is right in all else.

        Raises
        ------
        InvalidInputError
            `SolverState.memory` or `SolverState.touching` is of another solver, or has what this one could not bear.
        """
        if snapshot.state.memory is not None:
            raise InvalidInputError("memory", "None", Described(type(snapshot.state.memory).__name__))

    @abstractmethod
    def load(self, state: SolverState) -> None:
        """Become what was saved of a solver with the model as it is now. Where it raises, nothing has changed."""

    def canonicalize(self) -> None:
        """Become what `load` would make of `save`, to the last bit. Where it raises, nothing has changed."""
        return None

    def build_ahead(self, n_slices: int) -> None:
        """Do one of so many slices of what the next `canonicalize` can do in advance."""
        return None

    @abstractmethod
    def mark(self, command: Command | None = None) -> object:
        """Return what `go_back` needs to stand as it stands now, if the command, or the step where it is None, breaks off."""

    @abstractmethod
    def go_back(self, mark: object) -> None:
        """Stand as at a mark; the model does so already."""

    @classmethod
    def carried(cls, snapshot: WorldSnapshot) -> Carried:
        """Return what a snapshot of this solver's leaves to another. This one tells which pairs touch, and nothing else."""
        n, living = len(snapshot.bodies), {fixture for fixture, _, _ in snapshot.fixtures}
        pairs = frozenset((min(pair), max(pair)) for pair in snapshot.state.touching if living.issuperset(pair))
        return Carried(np.zeros((n, 3)), np.zeros(n), pairs)

    @classmethod
    def state_of(cls, snapshot: WorldSnapshot, settings: WorldSettings) -> SolverState:
        """Return what this solver begins with where another has driven the world as far as a snapshot of it.

        This one begins with the motion of the bodies, and knows of no contact.

        Parameters
        ----------
        snapshot : WorldSnapshot
            The other's; its specifications are accepted by this one already.
        settings : WorldSettings
            Those with which this one goes on.
        """
        motion = replace(snapshot.motion, values=snapshot.motion.values.astype(cls.capabilities.precision))
        touching = load_solver(snapshot.solver).carried(snapshot).touching
        return SolverState(motion, no_contacts(snapshot.step_index), touching, ((), ()), None)

    # -- for its judges -----------------------------------------------------------------------------------------------

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """Every impact inside the last step, in the order in which they were solved."""
        return ()

    def pair_record(self) -> object:
        """Return what tells from now on, in the solver's own terms, which pairs touch and what decided it; None where it tells nothing."""
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
    found = sorted(path.stem for path in _METHODS.glob("[!_]*.py") if path.stem not in _NO_METHODS)
    return (*_ENTRIES, *sorted(found, key=lambda name: name != "soft_step"))


def solver_name(field: str, value: object) -> str:
    """Return the name of a solver, checked.

    Raises
    ------
    InvalidInputError
        There is none of that name.
    """
    name = str.__str__(value) if isinstance(value, str) else ""
    if not (name in _ENTRIES or _is_method(name)):
        raise InvalidInputError(field, "one of " + ", ".join(solvers()) + meant(name, solvers()), value)
    return name


def _is_method(name: str) -> bool:
    if (_METHODS, name) not in _FOUND:
        is_plain = len(name) <= _LONGEST_NAME and name.isidentifier() and not name.startswith("_") and name not in _NO_METHODS
        if not is_plain or not (_METHODS / f"{name}.py").is_file():
            return False
        _FOUND.add((_METHODS, name))
    return True


def default_solver() -> str:
    """Return the name of what drives a world that is made here without a solver's name."""
    return (_DRIVEN_BY.get() or (DEFAULT,))[0]


def default_settings() -> NamedValues:
    """Return the settings of its own that such a solver has in a world that gives it none."""
    return (_DRIVEN_BY.get() or (DEFAULT, ()))[1]


@contextmanager
def driven_by(solver: str | None, solver_settings: NamedValues = ()) -> Iterator[None]:
    """Let worlds that are made within, without a solver's name, be driven by `solver`; None changes nothing.

    Where such a world gives no `solver_settings` of its own, it has these. It holds for the thread that enters it, and no other.

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
    """Return a specification as a solver holds it, its numbers rounded to the solver's; a world does so with all that it is given.

    Raises
    ------
    InvalidInputError
        The solver cannot take it.
    """
    return load_solver(solver).accept(spec)
