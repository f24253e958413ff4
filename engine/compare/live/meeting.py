"""Selects the fixtures that may touch, by Box2D's rules over columns, and the pairs that these rules have only just allowed.

A rule takes the columns, which fixtures are edges (n,), and pairs (k, 2) of rows, and returns which pairs (k,) it allows. Source: Box2D
2.3.0, b2ContactManager::AddPair (one body), b2Body::ShouldCollide (a dynamic one, joints), b2ContactFilter::ShouldCollide (groups,
categories and masks), b2Contact::Create (two edges have no algorithm).

Removing a joint, changing a filter, or making a body dynamic or active enables pairs between two steps. Box2D creates contacts for new
pairs after it has moved the bodies, and evaluates only existing contacts, so a newly enabled pair may touch for a step or longer without
being reported. These pairs follow from the fixtures alone, and from whether a contact existed after the last step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from engine.common.arrays import IntArray
from engine.compare.queries import Flags
from engine.contracts.pair_keys import pair_key, pair_keys
from engine.world.specs import BODY_TYPES, filters_allow
from engine.world.step_pairs import FixtureColumns, StepPairs

__all__ = [
    "RULES",
    "MeetingRule",
    "NewlyEnabledPairs",
    "filters_agree",
    "has_an_area",
    "is_moved_by_contact",
    "no_joint_forbids",
    "of_two_bodies",
]

# --- The rules

MeetingRule: TypeAlias = Callable[[FixtureColumns, Flags, IntArray], Flags]

_DYNAMIC = BODY_TYPES.index("dynamic")


def of_two_bodies(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Fixtures of one body never collide."""
    body = columns.body_row[pairs]
    passes: Flags = body[:, 0] != body[:, 1]
    return passes


def is_moved_by_contact(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """At least one of two bodies must be dynamic."""
    is_dynamic = columns.body_type[pairs] == _DYNAMIC
    passes: Flags = is_dynamic[:, 0] | is_dynamic[:, 1]
    return passes


def has_an_area(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Two edges do not collide."""
    both = is_edge[pairs]
    return ~np.logical_and(both[:, 0], both[:, 1])


def filters_agree(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Fixtures of one group collide if it is positive; others if each one's mask has a bit of the other's category."""
    return filters_allow(columns.category, columns.mask, columns.group, pairs)


def no_joint_forbids(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Bodies connected by a joint do not collide, unless the joint allows it."""
    if len(columns.joint_filtered) == 0:
        return np.ones(len(pairs), dtype=np.bool_)
    return ~np.isin(pair_keys(columns.body[pairs]), pair_keys(columns.joint_filtered))


RULES: tuple[MeetingRule, ...] = (of_two_bodies, is_moved_by_contact, has_an_area, filters_agree, no_joint_forbids)
"""A pair may touch if every rule allows it."""


# --- Newly allowed pairs


class NewlyEnabledPairs:
    """Past permissions of a world's fixtures, as far as they are still relevant.

    Parameters
    ----------
    rules : sequence of MeetingRule
        A pair may touch if every rule allows it.
    """

    def __init__(self, rules: Sequence[MeetingRule]) -> None:
        self._rules = tuple(rules)
        self._before: tuple[FixtureColumns, Flags] | None = None
        """The columns before the last change, and which of them were edges."""
        self._changed_at = -1
        """The step in which the columns had changed."""
        self._freed: set[int] = set()
        """Pairs of bodies whose collision was disabled by a joint that no longer exists."""
        self._renewed: set[int] = set()
        """Fixtures whose filter, body type or active state has changed, and for which Box2D may lack a contact."""
        self._had_contact: set[int] = set()
        """Pairs among those in `_late` whose boxes overlap and for which Box2D had a contact after the last step."""
        self._late: tuple[set[int], set[int]] = set(), set()
        """Values of `_freed` and `_renewed` after the last step."""

    def change(self, old: FixtureColumns, was_edge: Flags, step: StepPairs) -> None:
        """Record that a step had different columns from the `old` ones; `was_edge` marks those that were edges."""
        new = step.fixtures
        self._before = (old, was_edge)
        self._freed |= set(pair_keys(old.joint_filtered).tolist()) - set(pair_keys(new.joint_filtered).tolist())
        self._renewed |= _refiltered(old, new) | set(new.fixture[np.isin(new.body, sorted(step.renewed))].tolist())
        self._changed_at = step.step

    def note(self, columns: FixtureColumns, pairs: IntArray, has_contact: Callable[[tuple[int, int]], bool]) -> None:
        """Record after a step which newly allowed pairs (n, 2) of rows have a contact: Box2D evaluates only those in the next step."""
        if not (self._freed or self._renewed or any(self._late)):
            return
        late = np.isin(pair_keys(columns.body[pairs]), np.array(sorted(self._freed), dtype=np.int64))
        late |= np.isin(columns.fixture[pairs], np.array(sorted(self._renewed), dtype=np.int64)).any(axis=1)
        named = [(int(a), int(b)) for a, b in columns.fixture[pairs[late]].tolist()]
        self._had_contact = {pair_key(*pair) for pair in named if has_contact(pair)}
        self._late = set(self._freed), set(self._renewed)
        self._renewed &= {fixture for pair in named if pair_key(*pair) not in self._had_contact for fixture in pair}

    def why_not_asked(self, fixtures: tuple[int, int], rows: IntArray, step: StepPairs) -> str | None:
        """Return why Box2D has not evaluated two fixtures, given by their rows (2,), in a step; None if it should have."""
        bodies = step.fixtures.body[rows]
        if not self._might_before(fixtures, bodies, step):
            return "they were allowed to collide only just before this step, and Box2D searches for new pairs at the end of a step"
        if pair_key(*fixtures) in self._had_contact:
            return None
        freed, renewed = self._late
        if pair_key(*bodies.tolist()) in freed:
            return "a joint disabled their collision until it was removed, so Box2D has no contact for them"
        if not renewed.isdisjoint(fixtures):
            return "one of the fixtures was changed so that the two may collide, but Box2D has no contact for them"
        return None

    def _might_before(self, fixtures: tuple[int, int], bodies: IntArray, step: StepPairs) -> bool:
        """Return True if Box2D may have had a contact for two fixtures at the start of the step: they could meet before, or one is new."""
        if not step.renewed.isdisjoint(bodies.tolist()):
            return False
        if self._before is None or self._changed_at != step.step:
            return True
        columns, was_edge = self._before
        rows = np.searchsorted(columns.fixture, np.array(fixtures))
        if (rows >= len(columns.fixture)).any() or (columns.fixture[rows] != fixtures).any():
            return True  # for a new fixture it finds the pairs before it evaluates any
        return all(bool(rule(columns, was_edge, rows[None, :])[0]) for rule in self._rules)


def _refiltered(old: FixtureColumns, new: FixtureColumns) -> set[int]:
    """Return the fixtures whose filter has changed."""
    _, before, now = np.intersect1d(old.fixture, new.fixture, assume_unique=True, return_indices=True)
    other: Flags = np.zeros(len(now), dtype=np.bool_)
    for name in ("category", "mask", "group"):
        other |= getattr(old, name)[before] != getattr(new, name)[now]
    return set(new.fixture[now[other]].tolist())
