"""One step of any algorithm, for viewers, tests and files. World frame, meters, unless a view says otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from engine.common.arrays import Point

__all__ = ["ANSWER_KEYS", "FORMS", "ROLES", "Feature", "Form", "Mark", "Point", "Question", "Role", "TraceStep", "View"]

ANSWER_KEYS = (*"0123456789", *(f"answer {number}" for number in range(10, 65)))
"""Keys of the answers to questions; those after "9" are on no keyboard, but pressed by clicks."""

Form: TypeAlias = Literal["point", "path", "polygon", "circle", "arrow", "line", "label"]
FORMS: tuple[Form, ...] = ("point", "path", "polygon", "circle", "arrow", "line", "label")
"""Forms of a mark. In this order, their points are: dots; an open path (a segment if there are two points); a closed polygon; the center of
a circle; the start and end of an arrow; two points on an infinite line; the position of a text."""

Role: TypeAlias = Literal["a", "b", "other", "looked_at", "best", "kept", "dropped", "bound", "new", "result", "ghost", "own"]
ROLES: tuple[Role, ...] = ("a", "b", "other", "looked_at", "best", "kept", "dropped", "bound", "new", "result", "ghost", "own")
"""Roles of a mark, which determine its color and line width. In this order, a mark is: part of shape A; part of shape B; part of neither;
examined in this step; the best so far; kept; removed; a bound or an axis; added in this step; the result; a past or future position; the
result of a user's own function."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that a step examines, given by its owner `whose` ("a", "b", "box", "node", "point", "body", "contact", ...), its `part`
    ("vertex", "edge", ...; empty for the owner itself) and its `index`, from 0."""

    whose: str
    part: str
    index: int


@dataclass(frozen=True, slots=True)
class Mark:
    """One drawn element of a step.

    Attributes
    ----------
    form, role : see `FORMS`, `ROLES`
    points : tuple of point
        In the coordinates of the view.
    view : str
        Name of one of the algorithm's views.
    text : str
        Label next to the mark, or empty.
    radius : float
        Radius of a circle, or of a shape around its core, such as a capsule; 0 otherwise.
    """

    form: Form
    role: Role
    points: tuple[Point, ...]
    view: str = "plane"
    text: str = ""
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question for a student, asked before the step is shown.

    Attributes
    ----------
    prompt : str
    answers : tuple of str
        At least two, all different.
    right : int
        Index of the correct answer.
    places : tuple of point
        Where each of `answers` can be clicked; empty if they are only text.
    view : str
        The view in which `places` are.
    """

    prompt: str
    answers: tuple[str, ...]
    right: int
    places: tuple[Point, ...] = ()
    view: str = "plane"

    @property
    def keys(self) -> tuple[str, ...]:
        """Key of each answer: the number in its name, "3" for "A3", if each has one of its own, otherwise its place from 1.

        Those beyond have none, "".

        Examples
        --------
        >>> Question("Which edge?", ("A0", "A1", "A2"), 0).keys, Question("Which one?", ("A0", "B0"), 0).keys
        (('0', '1', '2'), ('1', '2'))
        """
        numbers = self._numbers or range(1, len(self.answers) + 1)
        return tuple(ANSWER_KEYS[number] if number < len(ANSWER_KEYS) else "" for number in numbers)

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers with their keys before them, unless an answer has its key in its name.

        Examples
        --------
        >>> Question("Which edge?", ("A0", "A1"), 0).labels, Question("Is it?", ("yes", "no"), 0).labels
        (('A0', 'A1'), ('1  yes', '2  no'))
        """
        if self._numbers:
            return self.answers
        return tuple(f"{key}  {answer}" if len(key) == 1 else answer for key, answer in zip(self.keys, self.answers, strict=True))

    @property
    def _numbers(self) -> tuple[int, ...]:
        """The only number in each answer, if these are different and have keys; otherwise empty."""
        found = [re.findall(r"\d+", answer) for answer in self.answers]
        numbers = tuple(int(each[0]) for each in found if len(each) == 1)
        is_numbered = len(set(numbers)) == len(self.answers) and max(numbers, default=0) < len(ANSWER_KEYS)
        return numbers if is_numbered else ()


@dataclass(frozen=True, slots=True)
class View:
    """One of the views of an algorithm.

    Attributes
    ----------
    name, title : str
        The view "plane" shows the world and its shapes.
    x, y : str
        Axis labels, with units. If both are empty, the axes are positions in meters, drawn to the same scale. If only
        `y` is empty, the y axis has no numbers.
    """

    name: str
    title: str
    x: str = ""
    y: str = ""

    @property
    def is_plane(self) -> bool:
        """True if both axes are positions, drawn to the same scale."""
        return not (self.x or self.y)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A step of an algorithm, with the reason for it.

    Attributes
    ----------
    kind : str
        Kind of step: "support", "axis", "rotation", ...
    line : int
        Line of the algorithm's pseudocode that was executed, from 0.
    sentence : str
        What happened and why, with the numbers.
    looked_at : tuple of Feature
    points : tuple of point
        Witness points.
    axis : pair of float, or None
        Unit vector.
    bound : float or None
        Bound on the result that is known from this step on; `sentence` says whether it is an upper or a lower bound.
    values : mapping of str to float
        Numbers of the step by name; the algorithm's page gives their units.
    marks : tuple of Mark
        The drawing of this step. It does not include the shapes, which are drawn below the marks in every step.
    cost : mapping of str to int
        Total cost up to and including this step: "supports", "nodes visited", ...
    question : Question or None
    result : object
        Result of the query in the last step; None in earlier steps.
    """

    kind: str
    line: int
    sentence: str
    looked_at: tuple[Feature, ...] = ()
    points: tuple[Point, ...] = ()
    axis: Point | None = None
    bound: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    cost: Mapping[str, int] = field(default_factory=dict)
    question: Question | None = None
    result: Any = None
