"""The contacts of a step as constraints of one hard step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.compare.motion.states import Taken
from engine.contracts import StepContacts
from engine.contracts.pair_keys import pair_key, pair_keys
from engine.dynamics.hard_step import HardContacts

__all__ = ["hard_contacts", "impulses_of"]


def hard_contacts(result: Taken, is_open: bool) -> HardContacts:
    """Return the contacts of a step as constraints; where not `is_open` none may approach, whatever its gap, as Box2D has it."""
    contacts: StepContacts = result.contacts
    fixtures = np.column_stack((contacts.fixture_a, contacts.fixture_b))
    gap = contacts.separation.copy() if is_open else np.zeros_like(contacts.separation)
    hard = HardContacts(fixtures, contacts.count.copy(), contacts.normal.copy(), contacts.position.copy(), gap)
    return hard.chosen(_is_solved(result))


def impulses_of(result: Taken) -> FloatArray:
    """Return the impulses of the points of `hard_contacts`, (n, 2, 2)."""
    contacts = result.contacts
    both = np.stack((contacts.normal_impulse, contacts.tangent_impulse), axis=2)
    return both[_is_solved(result)]


def _is_solved(result: Taken) -> NDArray[np.bool_]:
    """Return which contacts of a step were solved in it: points they have, and no hook let them pass."""
    contacts = result.contacts
    keys = pair_keys(np.column_stack((contacts.fixture_a, contacts.fixture_b)))
    is_solved: NDArray[np.bool_] = contacts.evaluated & (contacts.count > 0) & ~np.isin(keys, [pair_key(*pair) for pair in result.passing])
    return is_solved
