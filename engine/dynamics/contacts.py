"""The contacts of a step: found, matched with those of the last one, and told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import Automatic
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.contracts import ContactPoint, PairEvent, PointState, StepContacts
from engine.dynamics._contact_kernel import prepare
from engine.dynamics._pairs_kernel import SENSED, SOLID, STILL, classify, found_again
from engine.dynamics.tables import MARGIN, Tables
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.query import batch

__all__ = ["ContactRows", "Found", "Touching", "find_contacts", "key_of", "merged", "no_rows", "pair_events", "told", "touching_pairs"]


@dataclass(frozen=True)
class ContactRows:
    """Pairs of fixtures within reach of each other, in ascending order of ids; see `StepContacts` for the columns of its names.

    Attributes
    ----------
    key : int64 (n,)
        The two ids in one number; see `key_of`.
    touches : bool (n,)
        Whether they touch, or will within the step; the others are known in advance, and may press too.
    feature_id : int64 (n, 2)
        -1 past the count.
    local : float64 (n, 2, 2)
        The points in the frame of body A.
    impulse : float64 (n, 2, 2)
        Of the last sub-step: along the normal, along the tangent. What the next step starts from.
    total : float64 (n, 2, 2)
        Over the step.
    """

    key: IntArray
    fixture_a: IntArray
    fixture_b: IntArray
    body_a: IntArray
    body_b: IntArray
    pose_a: FloatArray
    pose_b: FloatArray
    count: IntArray
    normal: FloatArray
    position: FloatArray
    local: FloatArray
    separation: FloatArray
    feature_id: IntArray
    touches: NDArray[np.bool_]
    evaluated: NDArray[np.bool_]
    impulse: FloatArray
    total: FloatArray

    def chosen(self, which: NDArray[np.bool_] | IntArray) -> ContactRows:
        """Return some of the rows."""
        return ContactRows(**{name: column[which] for name, column in vars(self).items()})


@dataclass(frozen=True)
class Touching:
    """Pairs of fixtures that touch, sensors included, in ascending order of ids, as int64 (n, 4): fixtures A and B, bodies A and B."""

    pairs: IntArray = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))
    is_sensor: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    def without(self, other: Touching, step: int) -> tuple[PairEvent, ...]:
        """Return the pairs that the other has not, as events of `step`."""
        mine, theirs = key_of(*self.pairs[:, :2].T), key_of(*other.pairs[:, :2].T)
        new = ~np.isin(mine, theirs)
        pairs = zip(self.pairs[new].tolist(), self.is_sensor[new].tolist(), strict=True)
        return tuple(PairEvent(step, a, b, body_a, body_b, sensor) for (a, b, body_a, body_b), sensor in pairs)

    def joined(self, other: Touching) -> Touching:
        """Return the pairs of both."""
        new = ~np.isin(key_of(*other.pairs[:, :2].T), key_of(*self.pairs[:, :2].T))
        pairs = np.concatenate((self.pairs, other.pairs[new]))
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        return Touching(pairs[order], np.concatenate((self.is_sensor, other.is_sensor[new]))[order])


_KEY_BITS = 31
"""Of an id of a fixture in a key: two billion may come and go."""


def key_of(fixture_a: IntArray, fixture_b: IntArray) -> IntArray:
    """Return two ids in one number, which sorts as they do."""
    key: IntArray = (fixture_a << _KEY_BITS) + fixture_b
    return key


def no_rows() -> ContactRows:
    """Return the contacts of a world before its first step."""
    none, pose, two = np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 2))
    flags = np.zeros(0, dtype=np.bool_)
    features, four = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2, 2))
    return ContactRows(none, none, none, none, none, pose, pose, none, two, four, four, two, features, flags, flags, four, four)


@dataclass(frozen=True)
class Found:
    """What the broad and the narrow phase have found at the start of a step.

    Attributes
    ----------
    rows : ContactRows
        Of pairs to be solved, with the impulses of the last step.
    still : ContactRows
        Of pairs of which neither side moves, as they were.
    ends, fixtures : int64 (n, 2)
        Rows of the bodies and fixtures of `rows` in the tables.
    arm, radius, gap, mass : as in `Contacts`
    sensed : int64 (m, 2)
        Rows of fixtures that overlap, of which one only senses.
    """

    rows: ContactRows
    still: ContactRows
    ends: IntArray
    fixtures: IntArray
    arm: FloatArray
    radius: FloatArray
    gap: FloatArray
    mass: FloatArray
    sensed: IntArray

    def chosen(self, keep: NDArray[np.bool_]) -> Found:
        """Return what was found with some of the rows."""
        columns = {name: getattr(self, name)[keep] for name in ("ends", "fixtures", "arm", "radius", "gap", "mass")}
        return replace(self, rows=self.rows.chosen(keep), **columns)


def pair_events(rows: ContactRows, step: int) -> list[PairEvent]:
    """Return an event of `step` for each row, in their order."""
    columns = np.column_stack((rows.fixture_a, rows.fixture_b, rows.body_a, rows.body_b)).tolist()
    return [PairEvent(step, a, b, body_a, body_b, False) for a, b, body_a, body_b in columns]


def find_contacts(
    tables: Tables,
    phase: Automatic,
    poses: FloatArray,
    center: FloatArray,
    velocity: FloatArray,
    is_moving: NDArray[np.bool_],
    old: ContactRows,
    dt: float,
) -> Found:
    """Return the contacts at the start of a step.

    Parameters
    ----------
    poses : float64 (n, 3)
        Of bodies' origins.
    center, velocity : float64 (n + 1, 2), (n + 1, 3)
        Of their centres of mass.
    is_moving : bool (n + 1,)
        Bodies that are awake, and not static.
    old : ContactRows
        Of the last step.
    dt : float
        Seconds within which a pair that comes nearer counts as touching.
    """
    from engine.narrowphase import batched

    bodies, fixtures = tables.bodies, tables.fixtures
    grown, true = tables.shapes.grown, tables.shapes.swept
    turned = batched.poses_with_rotation(poses[fixtures.body])
    pairs = phase.pairs(batched.box_rows(grown.packed, fixtures.shape, turned))
    become = classify(pairs, fixtures.body, fixtures.filters, fixtures.is_sensor, bodies.is_dynamic, is_moving, tables.joined)
    solid = pairs[become == SOLID]
    solid, count, normal, position, gap, name = _manifolds(grown, fixtures.shape, turned, solid)
    ends, is_point = fixtures.body[solid], np.arange(2) < count[:, None]
    features = np.where(is_point, name, -1)
    separation = np.where(is_point, gap + (MARGIN * (fixtures.radius[solid] > 0.0)).sum(axis=1)[:, None], 0.0)
    radius = fixtures.radius[solid]
    arm, gap, mass, touches = prepare(ends, count, normal, position, separation, radius, center, velocity, bodies.inverse, dt)
    key = key_of(*fixtures.ids[solid].T)
    local = _in_frame(poses[ends[:, 0]], position)
    impulse = found_again(key, features, local, old.key, old.feature_id, old.local, old.impulse)
    new = ContactRows(
        key=key,
        fixture_a=fixtures.ids[solid[:, 0]],
        fixture_b=fixtures.ids[solid[:, 1]],
        body_a=bodies.ids[ends[:, 0]],
        body_b=bodies.ids[ends[:, 1]],
        pose_a=poses[ends[:, 0]],
        pose_b=poses[ends[:, 1]],
        count=count,
        normal=normal,
        position=position,
        local=local,
        separation=separation,
        feature_id=features,
        touches=touches,
        evaluated=np.ones(len(key), dtype=np.bool_),
        impulse=impulse,
        total=np.zeros_like(impulse),
    )
    sensing = pairs[become == SENSED]
    if len(sensing) > 0:
        sensing = sensing[batched.overlap_rows(true.packed, fixtures.shape[sensing], turned[sensing[:, 0]], turned[sensing[:, 1]])]
    still = old.chosen(np.isin(old.key, key_of(*fixtures.ids[pairs[become == STILL]].T)))
    return Found(new, replace(still, evaluated=np.zeros_like(still.evaluated)), ends, solid, arm, radius, gap, mass, sensing)


class _Manifolds(NamedTuple):
    """Pairs (n, 2) that have a manifold, and its columns; see `engine.query.batch.ManifoldBatch`."""

    pairs: IntArray
    n_points: IntArray
    normal: FloatArray
    position: FloatArray
    separation: FloatArray
    name: IntArray


def _manifolds(shapes: batch.ShapeBatch, which: IntArray, turned: FloatArray, pairs: IntArray) -> _Manifolds:
    """Return the manifolds of pairs.

    The axis is that of least overlap; on a segment that knows its neighbours, a link of a chain, the one that its neighbours leave to it
    (`narrowphase._edge_kernel`): what slides along a chain must not stumble at its joints.
    """
    from engine.narrowphase import batched
    from engine.narrowphase.rules import BOX2D, EXACT

    packed = shapes.packed
    is_link, is_plain = packed.has_ghost.any(axis=1) & (packed.n_vertices > 1), np.isin(packed.kind, (CIRCLE, POLYGON))
    a, b = which[pairs].T
    by_chain = (is_link[a] & is_plain[b]) | (is_plain[a] & is_link[b])
    found = []
    for rule, some in ((EXACT, pairs[~by_chain]), (BOX2D, pairs[by_chain])):
        rows = batched.manifold_rows_of_bodies(packed, which, turned, some, rule)
        meets, of = rows.count > 0, batch.columns_of(rows)
        kept = (of.normal[meets], of.position[meets], of.separation[meets])
        found.append(_Manifolds(some[meets], of.count[meets], *kept, of.feature_id[meets]))
    if len(found[1].pairs) == 0:
        return found[0]
    both: list[Any] = [np.concatenate(columns) for columns in zip(*found, strict=True)]
    order = np.lexsort((both[0][:, 1], both[0][:, 0]))
    return _Manifolds(*(column[order] for column in both))


def _in_frame(poses: FloatArray, points: FloatArray) -> FloatArray:
    """Return points (n, 2, 2) of the world in the frames of bodies that stand at `poses` (n, 3)."""
    x, y = np.moveaxis(points - poses[:, None, :2], 2, 0)
    cosine, sine = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    return np.stack((cosine * x + sine * y, cosine * y - sine * x), axis=2)


def merged(solved: ContactRows, still: ContactRows) -> ContactRows:
    """Return the rows of two sets together, in ascending order of ids."""
    if len(still.key) == 0:
        return solved
    both = ContactRows(**{name: np.concatenate((column, getattr(still, name))) for name, column in vars(solved).items()})
    return both.chosen(np.argsort(both.key, kind="stable"))


def touching_pairs(rows: ContactRows, tables: Tables, sensed: IntArray) -> Touching:
    """Return which pairs touch, sensors included."""
    touch = rows.touches
    solid = np.column_stack((rows.fixture_a[touch], rows.fixture_b[touch], rows.body_a[touch], rows.body_b[touch]))
    fixtures, bodies = tables.fixtures, tables.bodies
    others = np.column_stack((fixtures.ids[sensed], bodies.ids[fixtures.body[sensed]]))
    pairs = np.concatenate((solid, others))
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return Touching(pairs[order], np.repeat((False, True), (len(solid), len(others)))[order])


def told(rows: ContactRows, old: ContactRows, step: int, began: tuple[PairEvent, ...], ended: tuple[PairEvent, ...]) -> StepContacts:
    """Return what the step tells of its contacts: the pairs that touch, and what has come and gone since the last one."""
    now, before = rows.chosen(rows.touches), old.chosen(old.touches)
    at = np.searchsorted(before.key, now.key)
    known = at < len(before.key)
    known[known] = before.key[at[known]] == now.key[known]
    is_point = np.arange(2) < now.count[:, None]
    was_there = np.zeros((len(now.key), 2), dtype=np.bool_)
    was_there[known] = (now.feature_id[known][:, :, None] == before.feature_id[at[known]][:, None, :]).any(axis=2)
    state = np.where(is_point, np.where(was_there, PointState.PERSIST, PointState.ADD), -1).astype(np.int8)
    return StepContacts(
        step=step,
        fixture_a=frozen(now.fixture_a),
        fixture_b=frozen(now.fixture_b),
        body_a=frozen(now.body_a),
        body_b=frozen(now.body_b),
        pose_a=frozen(now.pose_a),
        pose_b=frozen(now.pose_b),
        count=frozen(now.count),
        normal=frozen(now.normal),
        position=frozen(np.where(is_point[:, :, None], now.position, 0.0)),
        separation=frozen(now.separation),
        feature_id=frozen(np.where(is_point, now.feature_id, 0)),
        normal_impulse=frozen(now.total[:, :, 0].copy()),
        tangent_impulse=frozen(now.total[:, :, 1].copy()),
        state=frozen(state),
        evaluated=frozen(now.evaluated),
        in_toi=frozen(np.zeros(len(now.key), dtype=np.bool_)),
        removed=_removed(now, before, step),
        began=began,
        ended=ended,
    )


def _removed(now: ContactRows, before: ContactRows, step: int) -> tuple[ContactPoint, ...]:
    """Return the points of the last step that are no more, as records."""
    at = np.searchsorted(now.key, before.key)
    known = at < len(now.key)
    known[known] = now.key[at[known]] == before.key[known]
    is_there = np.zeros((len(before.key), 2), dtype=np.bool_)
    is_there[known] = (before.feature_id[known][:, :, None] == now.feature_id[at[known]][:, None, :]).any(axis=2)
    gone = ~is_there & (np.arange(2) < before.count[:, None])
    return tuple(
        ContactPoint(
            step=step,
            body_a=int(before.body_a[row]),
            body_b=int(before.body_b[row]),
            fixture_a=int(before.fixture_a[row]),
            fixture_b=int(before.fixture_b[row]),
            position=(float(before.position[row, k, 0]), float(before.position[row, k, 1])),
            normal=(float(before.normal[row, 0]), float(before.normal[row, 1])),
            separation=float(before.separation[row, k]),
            feature_id=int(before.feature_id[row, k]),
            normal_impulse=0.0,
            tangent_impulse=0.0,
            state=PointState.REMOVE,
        )
        for row, k in np.argwhere(gone).tolist()
    )
