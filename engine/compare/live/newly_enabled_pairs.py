"""Pairs that were forbidden to collide and now may: Box2D looks for a contact of theirs only at the end of a step, or not yet.

A joint that is removed, a filter that is changed, a body that becomes dynamic or active sets pairs free between two steps. Box2D makes
contacts for new pairs when it has moved the bodies, and evaluates only those that it has; so a pair set free may touch for a step or longer
without a word from Box2D. Which pairs these are follows from the fixtures alone, and from whether a contact was there after the last step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.compare.live.meeting_rules import MeetingRule
from engine.compare.live.pair_keys import pair_key, pair_keys
from engine.world.step_pairs import FixtureColumns, StepPairs

__all__ = ["NewlyEnabledPairs"]


class NewlyEnabledPairs:
    """What a world's fixtures were allowed before, as far as it still matters.

    Parameters
    ----------
    rules : sequence of MeetingRule
        All must let a pair pass.
    """

    def __init__(self, rules: Sequence[MeetingRule]) -> None:
        self._rules = tuple(rules)
        self._before: tuple[FixtureColumns, NDArray[np.bool_]] | None = None
        """What held until the columns changed: they, and which of them were edges."""
        self._changed_at = -1
        """The step that found the columns changed."""
        self._freed: set[int] = set()
        """Pairs of bodies that a joint, now gone, kept apart."""
        self._renewed: set[int] = set()
        """Fixtures whose body was another kind or inactive, or whose filter was another, and that Box2D may owe a contact."""
        self._had_contact: set[int] = set()
        """Of all those, as `_late` has them, the pairs whose boxes overlap and for which Box2D kept a contact after the last step."""
        self._late: tuple[set[int], set[int]] = set(), set()
        """What `_freed` and `_renewed` were after the last step."""

    def change(self, old: FixtureColumns, was_edge: NDArray[np.bool_], step: StepPairs) -> None:
        """Take in that a step found other columns than the `old` ones, of which some were edges."""
        new = step.fixtures
        self._before = (old, was_edge)
        self._freed |= set(pair_keys(old.joint_filtered).tolist()) - set(pair_keys(new.joint_filtered).tolist())
        self._renewed |= _refiltered(old, new) | set(new.fixture[np.isin(new.body, sorted(step.renewed))].tolist())
        self._changed_at = step.step

    def note(self, columns: FixtureColumns, pairs: IntArray, has_contact: Callable[[tuple[int, int]], bool]) -> None:
        """Note after a step which late ones of the pairs (n, 2) of rows that may meet have a contact: only those are evaluated next."""
        if not (self._freed or self._renewed or any(self._late)):
            return
        late = np.isin(pair_keys(columns.body[pairs]), np.array(sorted(self._freed), dtype=np.int64))
        late |= np.isin(columns.fixture[pairs], np.array(sorted(self._renewed), dtype=np.int64)).any(axis=1)
        named = [(int(a), int(b)) for a, b in columns.fixture[pairs[late]].tolist()]
        self._had_contact = {pair_key(*pair) for pair in named if has_contact(pair)}
        self._late = set(self._freed), set(self._renewed)
        self._renewed &= {fixture for pair in named if pair_key(*pair) not in self._had_contact for fixture in pair}

    def why_not_asked(self, fixtures: tuple[int, int], rows: IntArray, step: StepPairs) -> str | None:
        """Return why Box2D has not looked at two fixtures, whose rows (2,) these are, in a step; None if it should have."""
        bodies = step.fixtures.body[rows]
        if not self._might_before(fixtures, bodies, step):
            return "they were allowed to collide just before this step, and Box2D looks for new pairs at its end"
        if pair_key(*fixtures) in self._had_contact:
            return None
        freed, renewed = self._late
        if pair_key(*bodies.tolist()) in freed:
            return "a joint kept them apart until it was removed, and Box2D had made no contact for them"
        if not renewed.isdisjoint(fixtures):
            return "one of them was set free to collide, and Box2D had made no contact for them"
        return None

    def _might_before(self, fixtures: tuple[int, int], bodies: IntArray, step: StepPairs) -> bool:
        """Tell whether Box2D can have had a contact of two fixtures when the step began: they might meet before, or one of them is new."""
        if not step.renewed.isdisjoint(bodies.tolist()):
            return False
        if self._before is None or self._changed_at != step.step:
            return True
        columns, was_edge = self._before
        rows = np.searchsorted(columns.fixture, np.array(fixtures))
        if (rows >= len(columns.fixture)).any() or (columns.fixture[rows] != fixtures).any():
            return True  # of a new fixture it looks for the pairs before it evaluates any
        return all(bool(rule(columns, was_edge, rows[None, :])[0]) for rule in self._rules)


def _refiltered(old: FixtureColumns, new: FixtureColumns) -> set[int]:
    """Return the fixtures with another filter than before."""
    _, before, now = np.intersect1d(old.fixture, new.fixture, assume_unique=True, return_indices=True)
    other: NDArray[np.bool_] = np.zeros(len(now), dtype=np.bool_)
    for name in ("category", "mask", "group"):
        other |= getattr(old, name)[before] != getattr(new, name)[now]
    return set(new.fixture[now[other]].tolist())
