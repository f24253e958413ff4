"""What a history needs of what it keeps the past of: a few members, which every `engine.demo.Demo` has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from engine.sim.input_log import Held
from engine.world import World
from engine.world.solver import NamedValues

__all__ = ["CapturedInPlace", "Subject", "SubjectStage"]


class CapturedInPlace:
    """Base of what stays the object it is when a past state is restored, for others hold it too: its attributes are put back."""

    not_captured: ClassVar[frozenset[str]] = frozenset()
    """Names of attributes that are no part of the past; those of the base classes are left out as well."""


class SubjectStage(Protocol):
    """One world of a subject."""

    offset: tuple[float, float]
    """Where it lies in the picture, metres."""
    checking: bool
    """Whether its steps are checked; not while they are taken again."""

    @property
    def world(self) -> World:
        """It."""


class SubjectSim(Protocol):
    """What steps a subject and acts on it."""

    @property
    def keeps_solver_state(self) -> bool:
        """Whether its worlds keep the whole state of their solver in canonical form."""

    @property
    def solver(self) -> str | None:
        """What drives its worlds in place of what the subject would take."""

    @property
    def solver_settings(self) -> NamedValues | None:
        """Settings of the solver's own, in place of the subject's."""

    @property
    def solvers(self) -> tuple[str, ...]:
        """What drives its worlds, each once."""

    @property
    def waits(self) -> bool | None:
        """Whether it goes without what has not been loaded yet."""

    @property
    def is_shared(self) -> bool:
        """Whether several users can come: its steps are ticks then."""

    @property
    def is_keyframe(self) -> bool:
        """Whether it can be brought back exactly to where it stands."""

    @property
    def held(self) -> Held | None:
        """What the pointer holds, of a body of one of its worlds."""

    def step(self) -> None:
        """Take a step."""

    def act(self, action: str, /, *arguments: Any) -> Any:
        """Do one of `engine.sim.input_log.ACTIONS`."""

    def use_missing_referees(self) -> None:
        """Check worlds again that come from before there was a referee."""


class Subject(Protocol):
    """What is captured and restored."""

    @property
    def id(self) -> str:
        """By which it is found again."""

    @property
    def seed(self) -> int:
        """Of everything random in it."""

    @property
    def stages(self) -> Sequence[SubjectStage]:
        """Its worlds."""

    @property
    def values(self) -> Mapping[str, float]:
        """Its parameters."""

    @property
    def step_seconds(self) -> float:
        """Length of a step."""

    @property
    def grabbing(self) -> bool:
        """Whether the pointer holds something in it."""

    @property
    def sim(self) -> SubjectSim:
        """By which it is stepped and acted on."""

    def beside_worlds(self) -> bytes:
        """Return what else its state consists of."""
