"""Which fixtures may touch at all: Box2D's rules, once more, over pairs of columns.

A rule takes the columns, which fixtures are edges (n,), and pairs (k, 2) of rows, and says (k,) which pairs it lets pass. Source: Box2D
2.3.0, b2ContactManager::AddPair (one body), b2Body::ShouldCollide (a dynamic one, joints), b2ContactFilter::ShouldCollide (groups,
categories and masks), b2Contact::Create (two edges have no algorithm).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.compare.live.pair_keys import pair_keys
from engine.world.specs import BODY_TYPES
from engine.world.step_pairs import FixtureColumns

__all__ = ["RULES", "MeetingRule", "filters_agree", "has_an_area", "is_moved_by_contact", "no_joint_forbids", "of_two_bodies"]

Flags: TypeAlias = NDArray[np.bool_]
MeetingRule: TypeAlias = Callable[[FixtureColumns, Flags, IntArray], Flags]

_DYNAMIC = BODY_TYPES.index("dynamic")


def of_two_bodies(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Fixtures of one body never meet."""
    body = columns.body_row[pairs]
    passes: Flags = body[:, 0] != body[:, 1]
    return passes


def is_moved_by_contact(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """One of two bodies must be dynamic, or nothing could move."""
    is_dynamic = columns.body_type[pairs] == _DYNAMIC
    passes: Flags = is_dynamic[:, 0] | is_dynamic[:, 1]
    return passes


def has_an_area(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Two edges pass through each other."""
    both = is_edge[pairs]
    return ~np.logical_and(both[:, 0], both[:, 1])


def filters_agree(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Fixtures of one group meet if it is positive; others if each one's mask has a bit of the other's category."""
    a, b = pairs[:, 0], pairs[:, 1]
    category, mask, group = columns.category, columns.mask, columns.group
    wanted = ((mask[a] & category[b]) != 0) & ((category[a] & mask[b]) != 0)
    is_one_group = (group[a] == group[b]) & (group[a] != 0)
    return np.where(is_one_group, group[a] > 0, wanted)


def no_joint_forbids(columns: FixtureColumns, is_edge: Flags, pairs: IntArray) -> Flags:
    """Bodies that a joint holds together do not collide, unless it says so."""
    if len(columns.joint_filtered) == 0:
        return np.ones(len(pairs), dtype=np.bool_)
    return ~np.isin(pair_keys(columns.body[pairs]), pair_keys(columns.joint_filtered))


RULES: tuple[MeetingRule, ...] = (of_two_bodies, is_moved_by_contact, has_an_area, filters_agree, no_joint_forbids)
"""All must let a pair pass."""
