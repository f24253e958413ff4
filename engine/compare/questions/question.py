"""A question that both sides answer: its cases, both answers, the verdicts, and what a row looks like.

    cases ---> box2d ---------------------> judge ---> shown
       \\---> columns ---> ours ------------/

`compare` asks each question about chunks of seeded cases, `engine.compare.pair.answers.ask` about one pair, and the mutation trials of the
tests about batches with a fault planted in our algorithms. A new question is one class in a module of its own, and a row of the registry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from numpy.typing import NDArray

from engine.compare.cases import PAIR_KINDS

if TYPE_CHECKING:
    import numpy as np

    from engine.common.arrays import IntArray
    from engine.compare.bulk.tally import Sketch, Wrong
    from engine.compare.pair.file import Pair
    from engine.compare.questions.answer import Answer
    from engine.compare.questions.chunk import Chunk
    from engine.compare.questions.verdict import Verdicts

__all__ = ["PairQuestion", "Question"]

Cases = TypeVar("Cases")
"""The cases with Box2D's copies of the shapes."""
Columns = TypeVar("Columns")
"""What our algorithms and the judge take: packed shapes, poses, allowances."""
Ours = TypeVar("Ours")
Theirs = TypeVar("Theirs")


class Question(ABC, Generic[Cases, Columns, Ours, Theirs]):
    """A question about n cases.

    Attributes
    ----------
    names : sequence of str
        The kinds of cases by which verdicts are counted.
    wrong : Wrong or None
        The way in which Box2D can be wrong here.
    """

    names: ClassVar[Sequence[str]] = PAIR_KINDS
    wrong: ClassVar[Wrong | None] = None

    @abstractmethod
    def cases(self, work: Chunk) -> Cases:
        """Return the cases of a chunk."""

    @abstractmethod
    def box2d(self, cases: Cases) -> tuple[Theirs, float]:
        """Return Box2D's answers, and the seconds that it took."""

    @abstractmethod
    def columns(self, cases: Cases) -> Columns:
        """Return the cases as our algorithms take them."""

    @abstractmethod
    def ours(self, columns: Columns, /) -> Ours:
        """Return our answers."""

    @abstractmethod
    def judge(self, columns: Columns, box2d: Theirs, ours: Ours, /) -> Verdicts:
        """Return the verdicts on all rows."""

    @abstractmethod
    def kind(self, work: Chunk, cases: Cases) -> IntArray:
        """Return the index (n,) into `names` of each row."""

    @abstractmethod
    def shown(self, work: Chunk, cases: Cases, ours: Ours, box2d: Theirs, row: int) -> Pair | Sketch:
        """Return a row as a pair, or a sketch of a question that is not about a pair."""

    def is_random(self, work: Chunk, cases: Cases) -> NDArray[np.bool_] | None:
        """Return which rows (n,) belong to no adversarial family; None if families are not told apart."""
        return None


class PairQuestion(Question[Cases, Columns, Ours, Theirs]):
    """A question that can be asked about one `Pair`."""

    @abstractmethod
    def from_pair(self, pair: Pair) -> tuple[Cases, Pair]:
        """Return the pair as the only case, and with the shapes as Box2D holds them.

        Raises
        ------
        NotForBox2DError
            Box2D rejects a shape.
        """

    @abstractmethod
    def answers(self, pair: Pair, cases: Cases, ours: Ours, box2d: Theirs) -> tuple[Answer, Answer]:
        """Return our answer to the only case, and Box2D's."""

    @abstractmethod
    def ours_alone(self, pair: Pair) -> Answer:
        """Return our answer to a pair that Box2D cannot hold, by `engine.query`."""
