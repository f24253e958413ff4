"""Conversion of Box2D's raw manifolds to world contact points with states, in column arithmetic that is independent of Box2D.

A manifold is stored in local frames (b2Collision.h): a normal and a plane point in the frame of the reference shape's body,
and the clipped points in the other body's frame. At the poses at which it was computed::

      faceA                          A's plane, normal n from A to B
      -------- plane ------->        gap = (clip - plane) . n
           |          | n
           v          v              surface of A at  clip - gap n + rA n
         clip 0     clip 1           surface of B at  clip - rB n
                                     contact point: midway between the two

faceB is the same with the roles exchanged and the normal reversed at the end; for two circles the plane point and
the clip point are the centers. rA and rB are Box2D's radii: a circle's radius, a polygon's skin. `separation` excludes
the skins: gap - rA - rB + skins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.box2d.memory import CIRCLES, MANIFOLD_DTYPE, RawContacts, without_leftovers
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.tolerances import EPS32
from engine.contracts import ContactPoint, LazyContacts, PairEvent, PointState, StepContacts, no_contacts
from engine.world.records import ImpactPose

__all__ = [
    "EvaluatedPairs",
    "FixtureTable",
    "StepInputs",
    "build_step_contacts",
    "fixtures_of",
    "impulses_of",
    "in_world",
    "no_pairs",
    "pairs_of",
]

_FACE_B = 2
_PAIR_BITS = 32
_FIXTURE_MASK = (1 << _PAIR_BITS) - 1
_NONE = ([0.0, 0.0], [0.0, 0.0])


@dataclass(frozen=True, slots=True)
class FixtureTable:
    """All fixtures, one row per fixture, in ascending order of memory address."""

    address: IntArray
    fixture: IntArray
    body: IntArray
    body_row: IntArray
    radius: FloatArray
    skin: FloatArray
    sensor: NDArray[np.bool_]

    def rows_of(self, addresses: IntArray) -> IntArray:
        """Return the row of each address, int64 of the same shape; searching each distinct one once, in order, is four times as fast."""
        distinct, inverse = np.unique(addresses, return_inverse=True)
        return np.searchsorted(self.address, distinct)[inverse].reshape(addresses.shape)


@dataclass(frozen=True, slots=True)
class EvaluatedPairs:
    """Touching non-sensor pairs: their contacts, and the raw manifolds in the same order; the next step uses `rows`."""

    contacts: StepContacts
    keys: IntArray
    manifolds: NDArray[np.void]
    rows: _StepRows | _ContactRows


def pairs_of(contacts: StepContacts, keys: IntArray, manifolds: NDArray[np.void]) -> EvaluatedPairs:
    """Return the pairs of existing contacts, with their keys and manifolds."""
    if isinstance(contacts, LazyContacts):
        contacts.make()  # otherwise each would keep the contacts of the previous step alive
    return EvaluatedPairs(contacts, keys, manifolds, _ContactRows(contacts, keys))


@dataclass(frozen=True, slots=True)
class StepInputs:
    """The inputs from which the contacts of one step are computed.

    `start_poses`, `active` (awake and not static before the step) and `active_after` (the same after it) have one row per body.
    """

    step: int
    raw: RawContacts
    table: FixtureTable
    start_poses: FloatArray
    active: NDArray[np.bool_]
    active_after: NDArray[np.bool_]
    impacts: Mapping[tuple[int, int], ImpactPose]
    impact_impulses: Mapping[tuple[int, int], tuple[list[float], list[float]]]
    began: tuple[PairEvent, ...]
    ended: tuple[PairEvent, ...]


def no_pairs(step: int) -> EvaluatedPairs:
    """Return the empty pairs before the first step."""
    return pairs_of(no_contacts(step), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=MANIFOLD_DTYPE))


def build_step_contacts(inputs: StepInputs, before: EvaluatedPairs) -> EvaluatedPairs:
    """Convert the raw contacts of a step to world points, with states relative to the previous step `before`.

    Most columns are computed when the contacts are first read; until then they reference the previous step, but no earlier one.
    """
    table = inputs.table
    at = table.rows_of(inputs.raw.fixtures)
    # a pair without points was a sensor pair until now, and has not been evaluated since because its bodies sleep
    solid = np.flatnonzero(~(table.sensor[at[:, 0]] | table.sensor[at[:, 1]]) & (inputs.raw.manifolds["count"] > 0))
    keys = (table.fixture[at[:, 0]] << _PAIR_BITS) | table.fixture[at[:, 1]]
    order = solid[np.argsort(keys[solid])]
    keys, at, manifolds = keys[order], at.take(order, axis=0), without_leftovers(_copied(inputs.raw.manifolds, order))
    body_rows = table.body_row.take(at)
    slot, known = _slots(keys, before.keys)

    pose_a, pose_b = (inputs.start_poses.take(body_rows[:, k], axis=0) for k in range(2))
    evaluated = _evaluated(inputs, body_rows[:, 0], body_rows[:, 1], manifolds, before, slot, known)
    if not evaluated.all():
        asleep = ~evaluated
        pose_a[asleep], pose_b[asleep] = before.rows.pose_a[slot[asleep]], before.rows.pose_b[slot[asleep]]
    impulses: dict[int, tuple[list[float], list[float]]] = {}
    for pair, poses in inputs.impacts.items():
        row = _row_of(keys, pair)
        if row is None:
            continue  # touched within the step but separated again by its end
        pose_a[row], pose_b[row] = poses.pose_a, poses.pose_b
        impulses[row] = inputs.impact_impulses.get(pair, _NONE)
        evaluated[row] = True
    rows = _StepRows(table, at, keys, manifolds, pose_a, pose_b, evaluated, impulses)
    contacts = LazyContacts.of(
        inputs.step,
        partial(_columns, rows, before.rows, slot, known),
        partial(_removed, inputs.step, rows, before.rows),
        inputs.began,
        inputs.ended,
    )
    return EvaluatedPairs(contacts, keys, manifolds, rows)


@dataclass(frozen=True, slots=True)
class _StepRows:
    """The inputs from which a step's columns are computed, one row per touching pair.

    `at` (n, 2) are rows of the fixture table. `impulses` has, by row, the normal and tangent impulses of impacts within the step.
    """

    table: FixtureTable
    at: IntArray
    keys: IntArray
    manifolds: NDArray[np.void]
    pose_a: FloatArray
    pose_b: FloatArray
    evaluated: NDArray[np.bool_]
    impulses: Mapping[int, tuple[list[float], list[float]]]

    @property
    def points(self) -> tuple[IntArray, NDArray[np.bool_]]:
        """Feature ids (n, 2), 0 past the point count, and which points exist, bool (n, 2)."""
        exists = np.arange(2) < self.manifolds["count"][:, None]
        return np.where(exists, self.manifolds["points"]["id"].astype(np.int64), 0), exists

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all columns that do not depend on the previous step."""
        table, (row_a, row_b) = self.table, self.at.T
        radii, skins = (table.radius.take(row_a), table.radius.take(row_b)), table.skin.take(row_a) + table.skin.take(row_b)
        columns = _point_columns(self.manifolds, (self.pose_a, self.pose_b), radii, skins)
        exists = np.arange(2) < columns["count"][:, None]
        in_toi = np.zeros(len(self.keys), dtype=np.bool_)
        for row, (normal, tangent) in self.impulses.items():
            in_toi[row] = True
            columns["normal_impulse"][row] += np.where(exists[row], normal, 0.0)
            columns["tangent_impulse"][row] += np.where(exists[row], tangent, 0.0)
        ids = {
            "fixture_a": table.fixture.take(row_a),
            "fixture_b": table.fixture.take(row_b),
            "body_a": table.body.take(row_a),
            "body_b": table.body.take(row_b),
        }
        return columns | ids | {"pose_a": self.pose_a, "pose_b": self.pose_b, "evaluated": self.evaluated, "in_toi": in_toi}

    def columns_of(self, rows: IntArray) -> dict[str, NDArray[Any]]:
        """Return the columns of the given rows, without the impulses of impacts within the step."""
        manifolds, poses = _copied(self.manifolds, rows), (self.pose_a[rows], self.pose_b[rows])
        return _StepRows(self.table, self.at[rows], self.keys[rows], manifolds, *poses, self.evaluated[rows], {}).columns()


@dataclass(frozen=True, slots=True)
class _ContactRows:
    """Existing contacts, of any solver, with the interface of `_StepRows`."""

    contacts: StepContacts
    keys: IntArray

    @property
    def pose_a(self) -> FloatArray:
        return self.contacts.pose_a

    @property
    def pose_b(self) -> FloatArray:
        return self.contacts.pose_b

    @property
    def points(self) -> tuple[IntArray, NDArray[np.bool_]]:
        return self.contacts.feature_id, np.arange(2) < self.contacts.count[:, None]

    def columns_of(self, rows: IntArray) -> dict[str, NDArray[Any]]:
        return {name: getattr(self.contacts, name)[rows] for name in (*_OF_PAIRS, *_OF_POINTS)}


_OF_PAIRS = ("body_a", "body_b", "fixture_a", "fixture_b", "normal")
_OF_POINTS = ("position", "separation", "feature_id")
"""Columns of a removed contact point, per pair and per point."""


def _columns(rows: _StepRows, old: _StepRows | _ContactRows, slot: IntArray, known: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Return the columns of `StepContacts`; `slot` is the row in the previous step of each pair that is `known` there."""
    feature_id, exists = rows.points
    persists = np.zeros_like(exists)
    if len(old.keys):
        old_id, existed = old.points
        persists = _are_among(feature_id, exists, old_id.take(slot, axis=0), known[:, None] & existed.take(slot, axis=0))
    state = np.where(exists, np.where(persists, PointState.PERSIST, PointState.ADD), -1).astype(np.int8)
    return {name: frozen(column) for name, column in (rows.columns() | {"state": state}).items()}


def _point_columns(
    manifolds: NDArray[np.void], poses: tuple[FloatArray, FloatArray], radii: tuple[FloatArray, FloatArray], skins: FloatArray
) -> dict[str, NDArray[Any]]:
    """Return the columns of `StepContacts` that depend only on manifolds, the poses and radii of A and B, and the sums of their skins.

    Impulses are those of the solver, without the impulses of impacts within the step.
    """
    count = manifolds["count"].astype(np.int64)
    exists = np.arange(2) < count[:, None]
    normal, position, gap = world_manifolds(manifolds, *poses, *radii)
    points = manifolds["points"]
    columns = {
        "separation": gap + skins[:, None],
        "feature_id": points["id"].astype(np.int64),
        "normal_impulse": points["normal_impulse"].astype(np.float64),
        "tangent_impulse": points["tangent_impulse"].astype(np.float64),
    }
    if not exists.all():
        is_none = ~exists
        for column in (position, *columns.values()):
            column[is_none] = 0
    return {"count": count, "normal": normal, "position": position, **columns}


def fixtures_of(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the ids of fixtures A and B for keys of `EvaluatedPairs`."""
    return keys >> _PAIR_BITS, keys & _FIXTURE_MASK


def impulses_of(fixtures: IntArray, manifolds: NDArray[np.void], pairs: EvaluatedPairs) -> NDArray[np.float32]:
    """Return the warm-starting impulses, normal and tangent of both points (n, 2, 2), of contacts between `fixtures` (2, n).

    A point gets the impulses of the point with the same feature id in `pairs`, or 0 if there is none, as in `b2Contact::Update`.
    """
    slot, known = _slots((fixtures[0] << _PAIR_BITS) | fixtures[1], pairs.keys)
    impulses = np.zeros((len(manifolds), 2, 2), dtype=np.float32)
    if not known.any():
        return impulses
    old, new = pairs.manifolds["points"][slot], manifolds["points"]
    new_exists = (np.arange(2) < manifolds["count"][:, None]) & known[:, None]
    old_exists = np.arange(2) < pairs.manifolds["count"][slot][:, None]
    for k in range(2):
        for old_k in range(2):
            same = new_exists[:, k] & old_exists[:, old_k] & (new["id"][:, k] == old["id"][:, old_k])
            impulses[same, k, 0] = old["normal_impulse"][same, old_k]
            impulses[same, k, 1] = old["tangent_impulse"][same, old_k]
    return impulses


class WorldManifolds(NamedTuple):
    """Local manifolds in the world frame, before radii are considered; all arrays have one entry per manifold.

    Attributes
    ----------
    is_face_b : bool (n,)
        Manifolds whose reference face belongs to B.
    normal : pair of float64 (n,)
        x and y of the unit normal from the reference shape to the other one.
    clips : list of two triples of float64 (n,)
        x and y of each clipped point, and its height above the plane, meters.
    """

    is_face_b: NDArray[np.bool_]
    normal: tuple[FloatArray, FloatArray]
    clips: list[tuple[FloatArray, FloatArray, FloatArray]]


def in_world(
    kind: NDArray[Any], local_normal: NDArray[Any], local_point: NDArray[Any], clips: NDArray[Any], pose_a: FloatArray, pose_b: FloatArray
) -> WorldManifolds:
    """Transform local manifolds to the world frame; see the module's drawing.

    Parameters
    ----------
    kind : int (n,)
        b2Manifold's type: 0 circles, 1 face of A, 2 face of B.
    local_normal, local_point : float (n, 2)
    clips : float (n, 2, 2)
        Both clipped points, in the frame of the other body, meters.
    pose_a, pose_b : float64 (n, 3)
    """
    # component by component, because NumPy is slow for rows of length 2
    flipped = kind == _FACE_B
    frame_x, frame_y, frame_angle, other_x, other_y, other_angle = (
        np.where(flipped, pose_1[:, k], pose_2[:, k]) for pose_1, pose_2 in ((pose_b, pose_a), (pose_a, pose_b)) for k in range(3)
    )
    turn, other_turn = (np.cos(frame_angle), np.sin(frame_angle)), (np.cos(other_angle), np.sin(other_angle))
    plane_x, plane_y = _turned(turn, local_point)
    plane_x, plane_y = plane_x + frame_x, plane_y + frame_y
    normal_x, normal_y = _turned(turn, local_normal)
    points = []
    for k in range(2):
        clip_x, clip_y = _turned(other_turn, clips[:, k])
        clip_x, clip_y = clip_x + other_x, clip_y + other_y
        points.append((clip_x, clip_y, clip_x - plane_x, clip_y - plane_y))
    circles = kind == CIRCLES
    if circles.any():  # the normal connects the centers; as in Box2D it is (1, 0) if they coincide
        _, _, between_x, between_y = points[0]
        length = np.hypot(between_x, between_y)
        apart = length > EPS32
        length = np.where(apart, length, 1.0)
        normal_x = np.where(circles, np.where(apart, between_x / length, 1.0), normal_x)
        normal_y = np.where(circles, np.where(apart, between_y / length, 0.0), normal_y)
    heights = [(x, y, across_x * normal_x + across_y * normal_y) for x, y, across_x, across_y in points]
    return WorldManifolds(flipped, (normal_x, normal_y), heights)


def world_manifolds(
    manifolds: NDArray[np.void], pose_a: FloatArray, pose_b: FloatArray, radius_a: FloatArray, radius_b: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return unit normals (n, 2), points (n, 2, 2) and gaps between the rounded surfaces (n, 2); see the module's drawing."""
    local = manifolds["local_normal"], manifolds["local_point"], manifolds["points"]["local"]
    flipped, (normal_x, normal_y), clips = in_world(manifolds["type"], *local, pose_a, pose_b)
    radius_frame, radius_other = np.where(flipped, radius_b, radius_a), np.where(flipped, radius_a, radius_b)
    n = len(manifolds)
    normals, points, gaps = np.empty((n, 2)), np.empty((n, 2, 2)), np.empty((n, 2))
    for k, (clip_x, clip_y, height) in enumerate(clips):
        middle = 0.5 * (height - radius_frame + radius_other)
        points[:, k, 0], points[:, k, 1] = clip_x - middle * normal_x, clip_y - middle * normal_y
        gaps[:, k] = height - radius_frame - radius_other
    normals[:, 0], normals[:, 1] = np.where(flipped, -normal_x, normal_x), np.where(flipped, -normal_y, normal_y)
    return normals, points, gaps


def _copied(manifolds: NDArray[np.void], rows: IntArray) -> NDArray[np.void]:
    """Return a copy of the given rows, copied as 64-bit words: NumPy copies nested fields one by one, which is ten times slower."""
    words = np.ascontiguousarray(manifolds).view(np.int64).reshape(len(manifolds), MANIFOLD_DTYPE.itemsize // 8)
    copies: NDArray[np.void] = words.take(rows, axis=0).reshape(-1).view(MANIFOLD_DTYPE)
    return copies


def _turned(turn: tuple[FloatArray, FloatArray], local: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Rotate vectors (n, 2) by cosines and sines (n,); return x and y."""
    (cos, sin), x, y = turn, local[:, 0].astype(np.float64), local[:, 1].astype(np.float64)
    return cos * x - sin * y, sin * x + cos * y


def _slots(keys: IntArray, old_keys: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the index of each key in the sorted `old_keys`, 0 if it is missing, and whether it is present."""
    if len(old_keys) == 0:
        return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.bool_)
    slot = np.minimum(np.searchsorted(old_keys, keys), len(old_keys) - 1)
    known = old_keys[slot] == keys
    return np.where(known, slot, 0), known


def _evaluated(
    inputs: StepInputs,
    body_a: IntArray,
    body_b: IntArray,
    manifolds: NDArray[np.void],
    before: EvaluatedPairs,
    slot: IntArray,
    known: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which manifolds Box2D computed in this step.

    It skips a pair if neither body is active when the pair is processed. This is certain if neither was active before and after the step.
    If one was woken by an earlier contact in the list, that depends on the order; an unchanged manifold is then assigned to the old poses.
    """
    evaluated = inputs.active[body_a] | inputs.active[body_b] | ~known
    doubtful = np.flatnonzero(~evaluated & (inputs.active_after[body_a] | inputs.active_after[body_b]))
    for row in doubtful:
        evaluated[row] = _geometry(manifolds[row]) != _geometry(before.manifolds[slot[row]])
    return evaluated


def _geometry(manifold: Any) -> bytes:
    """Return the bits of a manifold without its impulses."""
    points = manifold["points"]
    parts = (manifold["type"], manifold["count"], manifold["local_normal"], manifold["local_point"], points["local"], points["id"])
    return b"".join(part.tobytes() for part in parts)


def _are_among(ids: IntArray, exist: NDArray[np.bool_], other_ids: IntArray, others_exist: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which existing points (n, 2) share their feature id with an existing point of the others (n, 2)."""
    shared = np.zeros_like(exist)
    for k in range(2):
        for other in range(2):
            shared[:, k] |= exist[:, k] & others_exist[:, other] & (ids[:, k] == other_ids[:, other])
    return shared


def _removed(step: int, rows: _StepRows, old: _StepRows | _ContactRows) -> tuple[ContactPoint, ...]:
    """Return the points of the previous step whose pair or feature id no longer exists."""
    if len(old.keys) == 0:
        return ()
    (feature_id, exists), (old_id, existed) = rows.points, old.points
    slot, known = _slots(old.keys, rows.keys)
    gone = existed if len(rows.keys) == 0 else existed & ~_are_among(old_id, existed, feature_id[slot], known[:, None] & exists[slot])
    if not gone.any():
        return ()
    row, k = np.nonzero(gone)
    values = old.columns_of(row)
    point = np.arange(len(row)), k
    columns = (values[name][point if name in _OF_POINTS else point[0]] for name in (*_OF_PAIRS, *_OF_POINTS))
    return tuple(
        ContactPoint(step, body_a, body_b, fixture_a, fixture_b, (x, y), (nx, ny), separation, feature, 0.0, 0.0, PointState.REMOVE)
        for body_a, body_b, fixture_a, fixture_b, (nx, ny), (x, y), separation, feature in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )


def _row_of(keys: IntArray, pair: tuple[int, int]) -> int | None:
    key = (pair[0] << _PAIR_BITS) | pair[1]
    row = int(np.searchsorted(keys, key))
    return row if row < len(keys) and int(keys[row]) == key else None
