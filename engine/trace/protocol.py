"""What a stepper is: one file `engine/trace/steppers/NAME.py` with an `ALGORITHM`, found by its file name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from engine.contracts.trace import Mark, TraceStep, View
from engine.trace.cases import Case

__all__ = ["PLANE", "Algorithm"]

PLANE = View("plane", "the shapes")

C = TypeVar("C", bound=Case)


class Algorithm(ABC, Generic[C]):
    """An algorithm that can be watched.

    Attributes
    ----------
    name : str
        That of its file.
    title : str
    page : str
        Where it is derived: "gjk.md#derivation", in docs/algorithms (with a folder, in docs: "solvers/xpbd.md").
    pseudo_code : tuple of str
        The algorithm, a line each, indented by two spaces; `TraceStep.line` counts these.
    views : tuple of View
        The first is the one under the hand.
    beside : tuple of str
        Algorithms worth showing beside it on the same case.
    only : str
        What it asks of a case beside its kind, for a refusal: "of two discs"; empty: nothing.
    example : Case
        What it begins with.
    """

    title: ClassVar[str]
    page: ClassVar[str]
    pseudo_code: ClassVar[tuple[str, ...]]
    views: ClassVar[tuple[View, ...]] = (PLANE,)
    beside: ClassVar[tuple[str, ...]] = ()
    only: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """That of its file."""
        return type(self).__module__.rpartition(".")[2]

    @property
    @abstractmethod
    def example(self) -> C:
        """What it begins with."""

    @abstractmethod
    def steps(self, case: C) -> list[TraceStep]:
        """Run the production kernel on a case, and return what it did; at least one step, and the last alone has a `result`.

        Raises
        ------
        InvalidInputError
            As the query itself does.
        """

    @abstractmethod
    def query(self, case: C) -> Any:
        """Ask what production answers, without a trace: `steps(case)[-1].result` is the same to the bit."""

    def scenery(self, case: C) -> tuple[Mark, ...]:
        """Return what lies under the marks of every step, in all views."""
        return case.scenery

    @property
    def case_kind(self) -> type[Case]:
        """What sort of case it takes."""
        return type(self.example)

    def takes(self, case: Case) -> bool:
        """Tell whether it can be asked this case."""
        return isinstance(case, self.case_kind)
