"""One step of an algorithm, any algorithm, as a viewer, a test or a file needs it. World frame, meters, unless a view says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["FORMS", "ROLES", "Feature", "Form", "Mark", "Point", "Question", "Role", "TraceStep", "View"]

Point: TypeAlias = tuple[float, float]

Form: TypeAlias = Literal["point", "path", "polygon", "circle", "arrow", "line", "label"]
FORMS: tuple[Form, ...] = ("point", "path", "polygon", "circle", "arrow", "line", "label")
"""Forms of a mark, by its points: dots; an open path (two points: a segment); a closed polygon; a circle about one point; an arrow from the
first to the second; the whole straight line through two; words at one point."""

Role: TypeAlias = Literal["a", "b", "other", "looked_at", "best", "kept", "dropped", "bound", "new", "result", "ghost", "own"]
ROLES: tuple[Role, ...] = ("a", "b", "other", "looked_at", "best", "kept", "dropped", "bound", "new", "result", "ghost", "own")
"""Roles of a mark, which set its color and weight: part of shape A; of B; of neither; examined in this step; the best so far; kept;
removed; a bound or an axis; added in this step; the result; a past or future place; the answer of a user's own function."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that a step examines: of `whose` ("a", "b", "box", "node", "point", "body", "contact", ...) a `part` ("vertex", "edge",
    ...; empty: the thing itself) and its `index`, from 0."""

    whose: str
    part: str
    index: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to be drawn.

    Attributes
    ----------
    form, role : see `FORMS`, `ROLES`
    points : tuple of point
        In the coordinates of the view.
    view : str
        Name of one of the algorithm's views.
    text : str
        A label beside it; empty: none.
    radius : float
        Of a circle, and of what is grown by a radius (a capsule's core); 0 otherwise.
    """

    form: Form
    role: Role
    points: tuple[Point, ...]
    view: str = "plane"
    text: str = ""
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a student before the step is shown.

    Attributes
    ----------
    prompt : str
    answers : tuple of str
        At least two, all different.
    right : int
        Index of the right one.
    places : tuple of point
        Where each of `answers` can be clicked; empty: they are words only.
    view : str
        The view of the places.
    """

    prompt: str
    answers: tuple[str, ...]
    right: int
    places: tuple[Point, ...] = ()
    view: str = "plane"


@dataclass(frozen=True, slots=True)
class View:
    """One of the pictures of an algorithm.

    Attributes
    ----------
    name, title : str
        "plane" is the world's, with the shapes in it.
    x, y : str
        What the axes are, with units; both empty for places: meters both ways, drawn to one scale. An empty y alone has no numbers.
    """

    name: str
    title: str
    x: str = ""
    y: str = ""

    @property
    def is_plane(self) -> bool:
        """Whether both axes are places of one scale."""
        return not (self.x or self.y)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A step of an algorithm, with its reason.

    Attributes
    ----------
    kind : str
        Kind of step: "support", "axis", "rotation", ...
    line : int
        Of the algorithm's pseudo-code, the line that ran, from 0.
    sentence : str
        What happened and why, with its numbers.
    looked_at : tuple of Feature
    points : tuple of point
        Witness points.
    axis : pair of float, or None
        Unit vector.
    bound : float or None
        What is known of the answer from this step on: no more, or no less, as the sentence says.
    values : mapping of str to float
        The step's numbers by name, units in the algorithm's page.
    marks : tuple of Mark
        The picture, without what the case itself draws under every step.
    cost : mapping of str to int
        Spent up to and with this step: "supports", "nodes visited", ...
    question : Question or None
    result : object
        In the last step what the query returns; None before.
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
