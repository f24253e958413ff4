"""The interface of a stepper: a file `engine/trace/steppers/NAME.py` with an `ALGORITHM`, found by its file name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ClassVar, Generic, TypeVar

from engine.common.notebook import Shown
from engine.contracts.trace import Mark, Role, TraceStep, View
from engine.trace.cases import Case

__all__ = ["PLANE", "Algorithm", "TraceSteps"]

PLANE = View("plane", "the shapes")

C = TypeVar("C", bound=Case)


class TraceSteps(list[TraceStep], Shown):
    """Steps that know their algorithm and its case, so that they can be drawn."""

    def __init__(self, steps: Iterable[TraceStep], algorithm: Algorithm[Any], case: Case) -> None:
        super().__init__(steps)
        self.algorithm, self.case = algorithm, case


def _with_case(steps: Callable[..., list[TraceStep]]) -> Callable[..., TraceSteps]:
    """Return a method `steps` whose result knows algorithm and case."""

    @wraps(steps)
    def method(self: Algorithm[Any], case: Case) -> TraceSteps:
        return TraceSteps(steps(self, case), self, case)

    return method


class Algorithm(ABC, Generic[C]):
    """An algorithm with a stepper.

    Attributes
    ----------
    name : str
        Name of its file.
    case_of : callable
        Makes a case of the arguments that the query takes (`engine.trace.given`).
    title : str
    page : str
        Page of its derivation: "gjk.md#derivation", in docs/algorithms (with a folder, in docs: "solvers/xpbd.md").
    pseudo_code : tuple of str
        The algorithm, a line each, indented by two spaces; `TraceStep.line` counts these.
    views : tuple of View
        The first is the one that can be edited.
    beside : tuple of str
        Algorithms worth showing beside it on the same case.
    legend : mapping of role to str
        Meanings of the marks' colors that differ from `engine.render.roles.ROLE_WORDS`.
    only : str
        Requirement on a case beside its kind, for an error message: "of two discs"; empty for none.
    example : Case
        Case at the start.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "steps" in cls.__dict__:
            cls.steps = _with_case(cls.steps)  # type: ignore[method-assign]

    case_of: ClassVar[Callable[..., Any]]
    title: ClassVar[str]
    page: ClassVar[str]
    pseudo_code: ClassVar[tuple[str, ...]]
    views: ClassVar[tuple[View, ...]] = (PLANE,)
    beside: ClassVar[tuple[str, ...]] = ()
    legend: ClassVar[Mapping[Role, str]] = {}
    only: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """Name of its file."""
        return type(self).__module__.rpartition(".")[2]

    @property
    @abstractmethod
    def example(self) -> C:
        """Case at the start."""

    @abstractmethod
    def steps(self, case: C) -> list[TraceStep]:
        """Run the production kernel on a case, and return its steps: at least one; only the last has a `result`.

        Raises
        ------
        InvalidInputError
            As the query itself does.
        """

    def of(self, *arguments: Any, **named: Any) -> TraceSteps:
        """Return the steps for the arguments that the query takes.

        Raises
        ------
        InvalidInputError
            An argument is not what the query takes.
        """
        case = self.case_of(*arguments, **named)
        return TraceSteps(self.steps(case), self, case)

    @abstractmethod
    def query(self, case: C) -> Any:
        """Return the production answer, without a trace: `steps(case)[-1].result` is the same to the bit."""

    def scenery(self, case: C) -> tuple[Mark, ...]:
        """Return the marks under those of every step, in all views."""
        return case.scenery

    @property
    def case_kind(self) -> type[Case]:
        """Kind of case that it takes."""
        return type(self.example)

    def takes(self, case: Case) -> bool:
        """Return True if it takes this case."""
        return isinstance(case, self.case_kind)
