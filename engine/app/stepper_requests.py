"""Finds what can be watched step by step: the algorithm behind a contact, a difference, two bodies or a world's step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.common.errors import InvalidInputError
from engine.contracts.agreement import Difference
from engine.sim.demo import Demo
from engine.sim.ids import IDS_OF_A_USER, called
from engine.sim.stage import Stage

if TYPE_CHECKING:
    from engine.common.arrays import IntArray
    from engine.compare.pair.file import Pair
    from engine.trace.cases import Case
    from engine.world import World

__all__ = [
    "StepperRequest",
    "door_of_bodies",
    "door_of_body",
    "door_of_contact",
    "door_of_demo",
    "door_of_difference",
    "door_of_fixtures",
    "door_of_pair",
    "door_of_solver",
]

_IN_MOTION = frozenset({"toi_missed", "graze", "gave_up"})
"""Reasons of the referee about motion rather than about shapes at rest."""
_BOX2D_RULE = "manifold_box2d"
_MAX_CONTACTS = 250
"""Maximum number of contacts; each takes about 25 steps, and describing a hundred takes a second."""
_LIKE_BOX2D = "sequential_impulses"
"""The method closest to Box2D, which does not report its impulses itself."""


@dataclass(frozen=True, slots=True)
class StepperRequest:
    """An algorithm, its input, a title with its origin, and optionally a second algorithm for comparison."""

    algorithm: str
    case: Case
    title: str
    beside: str | None = None


def door_of_demo(demo: Demo) -> StepperRequest | None:
    """Return a demo's own stepper, otherwise that of its deepest contact."""
    if type(demo).door is not Demo.door:
        door: StepperRequest | None = demo.door()
        return door
    return next((door for stage in demo.stages if (door := door_of_body(stage)) is not None), None)


def door_of_contact(stage: Stage, row: int) -> StepperRequest:
    """Return the manifold of a contact of the last step, with the shapes and poses that the solver used."""
    from engine.trace.from_world import case_of_contact

    contacts = stage.world.contacts
    words = _both(stage.world, int(contacts.body_a[row]), int(contacts.body_b[row]))
    return StepperRequest("manifold", case_of_contact(stage.world, row), f"The contact between {words}")


def door_of_difference(stage: Stage, difference: Difference) -> StepperRequest:
    """Return the stepper of a difference: the time of impact, or the manifold next to Box2D's."""
    from engine.trace.from_world import case_of_fixtures

    a, b = difference.fixture_a, difference.fixture_b
    if difference.reason not in _IN_MOTION:
        return _with_box2d_rule(door_of_fixtures(stage, a, b))
    words = _both(stage.world, stage.world.fixture(a).body, stage.world.fixture(b).body)
    return StepperRequest("conservative_advancement", case_of_fixtures(stage.world, a, b, "toi"), f"The motion of {words}")


def door_of_fixtures(stage: Stage, a: int, b: int) -> StepperRequest:
    """Return the manifold of two fixtures: of their contact, or without one at their poses before the step.

    Raises
    ------
    LabError
        One of them no longer exists.
    """
    from engine.trace.from_world import case_of_fixtures

    world, contacts = stage.world, stage.world.contacts
    rows = np.flatnonzero((contacts.fixture_a == a) & (contacts.fixture_b == b))
    if len(rows):
        return door_of_contact(stage, int(rows[0]))
    words = _both(world, world.fixture(a).body, world.fixture(b).body)
    return StepperRequest("manifold", case_of_fixtures(world, a, b, "manifold"), f"The manifold of {words}")


def door_of_bodies(stage: Stage, body_a: int, body_b: int, query: str = "") -> StepperRequest:
    """Return the query of two bodies' nearest fixtures; without a query, their contact, otherwise their distance.

    Raises
    ------
    LabError
        One of them no longer exists or has no fixture, or the query has no stepper.
    """
    from engine.trace.from_world import nearest_of_bodies

    contacts = stage.world.contacts
    is_theirs = ((contacts.body_a == body_a) & (contacts.body_b == body_b)) | ((contacts.body_a == body_b) & (contacts.body_b == body_a))
    if is_theirs.any() and query in ("", "manifold"):
        return door_of_contact(stage, _deepest(stage.world, np.flatnonzero(is_theirs)))
    query = query or "distance"
    case = nearest_of_bodies(stage.world, body_a, body_b, query)
    door = door_of_pair(case.pair, f"The {query} between {_both(stage.world, body_a, body_b)}")
    if door is None:
        raise InvalidInputError("query", "a query whose algorithm can be stepped through", query)
    return door


def door_of_body(stage: Stage, body: int | None = None) -> StepperRequest | None:
    """Return the deepest contact of a body or of the whole world, otherwise its nearest pair, by boxes; None without a pair."""
    contacts = stage.world.contacts
    rows = np.arange(len(contacts)) if body is None else np.flatnonzero((contacts.body_a == body) | (contacts.body_b == body))
    if len(rows):
        return door_of_contact(stage, _deepest(stage.world, rows))
    from engine.trace.from_world import nearest_by_boxes

    nearest = nearest_by_boxes(stage.world, body)
    return None if nearest is None else StepperRequest("gjk", nearest[0], f"The distance between {_both(stage.world, *nearest[1:])}")


def door_of_solver(stage: Stage) -> StepperRequest:
    """Return the next step of a world, by its own method or by the one closest to Box2D.

    Raises
    ------
    InvalidInputError
        It has so many contacts that the window would freeze for seconds.
    LabError
        As `case_of_step`.
    """
    n_contacts = len(stage.world.contacts)
    if n_contacts > _MAX_CONTACTS:
        raise InvalidInputError("the world", f"a world of at most {_MAX_CONTACTS} contacts to step through its solver", n_contacts)
    from engine.trace import algorithms
    from engine.trace.from_world import case_of_step

    solver = stage.world.solver
    name = solver if solver in algorithms() else _LIKE_BOX2D
    how = "" if name == solver else f", as computed by {name}"
    return StepperRequest(name, case_of_step(stage.world, name), f"The next step of this world{how}")


def door_of_pair(pair: Pair, title: str) -> StepperRequest | None:
    """Return the stepper of a pair's query, of a manifold next to Box2D's; None if the query has no stepper."""
    from engine.compare.pair.file import ANSWERED_BY
    from engine.trace.cases import PairCase

    name = ANSWERED_BY.get(pair.query)
    door = None if name is None else StepperRequest(name, PairCase(pair), title)
    return _with_box2d_rule(door) if door is not None and pair.query == "manifold" else door


def _with_box2d_rule(door: StepperRequest) -> StepperRequest:
    from engine.trace import algorithm

    return replace(door, beside=_BOX2D_RULE) if algorithm(_BOX2D_RULE).takes(door.case) else door


def _deepest(world: World, rows: IntArray) -> int:
    contacts = world.contacts
    is_point = np.arange(2) < contacts.count[rows, None]
    depths = np.where(is_point, contacts.separation[rows], math.inf).min(axis=1)
    return int(rows[int(np.argmin(depths))])


def _both(world: World, body_a: int, body_b: int) -> str:
    a, b = (world.body(body).spec.name for body in (body_a, body_b))
    if not a and not b and max(body_a, body_b) < IDS_OF_A_USER:
        return f"bodies {body_a} and {body_b}"
    if a == b:
        return f"{called(a or 'body', body_a)} and {called(b or 'body', body_b)}"
    return f"{a or called('body', body_a)} and {b or called('body', body_b)}"
