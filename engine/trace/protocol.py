"""The interface of a stepper: an algorithm in a module of `engine/trace/steppers`, and the decoder of what its kernel records."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from textwrap import dedent
from typing import Any, ClassVar, Generic, TypeVar

from engine.common.events import recording
from engine.common.notebook import Shown
from engine.contracts.trace import Mark, Role, TraceStep, View
from engine.trace import given
from engine.trace.cases import Case, PairCase

__all__ = ["PLANE", "Algorithm", "Decoder", "PairAlgorithm", "TraceSteps", "code"]

PLANE = View("plane", "the shapes")

C = TypeVar("C", bound=Case)


def code(text: str, *more: str) -> tuple[str, ...]:
    """Return pseudocode, written as an indented text, as lines, and `more` lines after it.

    Examples
    --------
    >>> code("for each box:\\n  compare it")
    ('for each box:', '  compare it')
    """
    return (*dedent(text).strip().split("\n"), *more)


class TraceSteps(list[TraceStep], Shown):
    """Steps that know their algorithm and its case, so that they can be drawn."""

    def __init__(self, steps: Iterable[TraceStep], algorithm: Algorithm[Any], case: Case) -> None:
        super().__init__(steps)
        self.algorithm, self.case = algorithm, case


def _method_of(event: object) -> str:
    """Return the name of the method that decodes an event: gjk_kept for a `GjkKept`."""
    return _snake_case(type(event).__name__)


@cache
def _snake_case(name: str) -> str:
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower()


class Decoder(Generic[C]):
    """Converts the events of a case into steps: each calls the method of its name, `GjkKept` gjk_kept; events without a method are skipped.

    Attributes
    ----------
    costs : tuple of str
        Names of the counts in `TraceStep.cost`, in addition to that of the steps.
    result : object
        Answer of the query.
    """

    costs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, algorithm: Any, case: C, result: Any) -> None:
        self.algorithm, self.case, self.result = algorithm, case, result
        self.steps: list[TraceStep] = []
        self.counts = dict.fromkeys(self.costs, 0)
        self.events: list[Any] = []
        self._at = 0
        self.set_up()

    def set_up(self) -> None:
        """Prepare what the steps need."""

    def decode(self, events: Sequence[Any]) -> list[TraceStep]:
        """Return the steps; the last has the result."""
        self.events = list(events)
        for at, event in enumerate(self.events):
            self._at = at
            if hasattr(self, _method_of(event)):
                self.decode_event(event)
        self.answer()
        return self.steps

    def decode_event(self, event: Any) -> None:
        """Add the steps of an event."""
        getattr(self, _method_of(event))(event)

    def answer(self) -> None:
        """Add the last step."""
        raise NotImplementedError

    @property
    def ahead(self) -> Iterator[Any]:
        """The events after the current one."""
        return islice(self.events, self._at + 1, None)

    @property
    def cost(self) -> dict[str, int]:
        """Total cost so far."""
        return {"steps": len(self.steps), **self.counts}

    def add(self, kind: str, line: int, sentence: str, *about: Any, marks: Iterable[Mark] = (), **more: Any) -> None:
        """Add a step, with the other fields of `TraceStep` in order or by name."""
        more |= {"marks": tuple(marks), "cost": self.cost}
        self.steps.append(TraceStep(kind, line, sentence, *about, **more))


class Algorithm(ABC, Generic[C]):
    """An algorithm with a stepper.

    Attributes
    ----------
    name, title : str
    page : str
        Page of its derivation: "gjk.md#derivation", in docs/algorithms (with a folder, in docs: "solvers/xpbd.md").
    pseudo_code : tuple of str
        The algorithm, a line each, indented by two spaces; `TraceStep.line` counts these.
    views : tuple of View
        The first is the one that can be edited.
    beside : tuple of str
        Algorithms worth comparing on the same case.
    legend : mapping of role to str
        Meanings of the marks' colors that differ from `engine.render.roles.ROLE_WORDS`.
    only : str
        Requirement on a case beside its kind, for an error message: "of two discs"; empty for none.
    decoder : type of Decoder
    """

    name: str
    title: ClassVar[str]
    page: ClassVar[str]
    pseudo_code: ClassVar[tuple[str, ...]]
    views: ClassVar[tuple[View, ...]] = (PLANE,)
    beside: ClassVar[tuple[str, ...]] = ()
    legend: ClassVar[Mapping[Role, str]] = {}
    only: ClassVar[str] = ""
    decoder: ClassVar[type[Decoder[Any]]]

    @property
    @abstractmethod
    def example(self) -> C:
        """Case at the start."""

    @abstractmethod
    def query(self, case: C) -> Any:
        """Return the production answer: `steps(case)[-1].result` is the same to the bit."""

    def steps(self, case: C) -> TraceSteps:
        """Run the production kernel as plain Python on a case, and return its steps: at least one; only the last has a `result`.

        Raises
        ------
        InvalidInputError
            As the query itself does.
        """
        with recording() as events:
            result = self.query(case)
        return TraceSteps(self.decoder(self, case, result).decode(events), self, case)

    def case_of(self, *arguments: Any, **named: Any) -> Any:
        """Return the case of the arguments that the query takes.

        Raises
        ------
        InvalidInputError
            An argument is not what the query takes.
        """
        return given.maker(self.example)(*arguments, **named)

    def of(self, *arguments: Any, **named: Any) -> TraceSteps:
        """Return the steps for the arguments that the query takes; raises as `case_of` and `steps`."""
        return self.steps(self.case_of(*arguments, **named))

    def scenery(self, case: C) -> tuple[Mark, ...]:
        """Return the marks under those of every step, in all views."""
        return case.scenery

    @property
    def case_kind(self) -> Any:
        """Kind of case that it takes."""
        return type(self.example)

    def takes(self, case: Case) -> bool:
        """Return True if it takes this case."""
        return isinstance(case, self.case_kind) and self.fits(case)

    def fitted(self, case: Case) -> Case | None:
        """Return a case in the form that it takes, or None.

        For shapes at rest that is the start of a motion; for shapes without rotation, or with A moving alone, that motion.
        """
        other = self.example
        offers = case.plainer(other.pair.query) if isinstance(case, PairCase) and isinstance(other, PairCase) else ()
        return next(filter(self.takes, (case, *offers)), None)

    def fits(self, case: C) -> bool:
        """Return True if it takes this case of its kind."""
        return True


class PairAlgorithm(Algorithm[PairCase]):
    """An algorithm on two shapes at rest, or at the start of their motion.

    Attributes
    ----------
    ask : callable
        The query, which takes a, xf_a, b and xf_b.
    """

    ask: ClassVar[Callable[..., Any]]

    def query(self, case: PairCase) -> Any:
        return self.ask(*case.both)

    def fits(self, case: PairCase) -> bool:
        return case.pair.shape_b is not None
