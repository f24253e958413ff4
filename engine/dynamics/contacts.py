"""The contacts of a step: finding them, matching them with those of the last step, and reporting them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import Automatic
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.errors import Described, InvalidInputError
from engine.contracts import ContactPoint, LazyContacts, PairEvent, PointState
from engine.dynamics import model as r
from engine.dynamics._crowd_kernel import MOST_PAIRS, crowding
from engine.dynamics._pairs_kernel import SENSED, fatten, neighbors
from engine.dynamics.tables import Tables
from engine.narrowphase import batched
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.rules import EXACT

__all__ = [
    "ContactRows",
    "Nearby",
    "empty_rows",
    "features_of",
    "fill_manifolds",
    "ids_of",
    "key_of",
    "pair_events",
    "places_of",
    "reported_contacts",
    "rows_without_points",
    "sensed_pairs",
    "touching_pairs",
    "without",
]


@dataclass(frozen=True)
class ContactRows:
    """Pairs of fixtures within reach of each other, in ascending order of ids; the arrays never change.

    Attributes
    ----------
    ints : int64 (n, N_INTS)
    floats : float64 (n, N_FLOATS)
        Records, with the columns of `model`. The properties are named as the columns of `StepContacts`.
    """

    ints: IntArray
    floats: FloatArray

    def __len__(self) -> int:
        return len(self.ints)

    @property
    def key(self) -> IntArray:
        """The two ids in one number; see `key_of`."""
        return self.ints[:, r.KEY]

    @property
    def fixture_a(self) -> IntArray:
        return _first(self.key)

    @property
    def fixture_b(self) -> IntArray:
        return _second(self.key)

    @property
    def ids(self) -> IntArray:
        """Fixtures A and B, bodies A and B, int64 (n, 4)."""
        return self.ids_of(slice(None))

    def ids_of(self, which: IntArray | slice) -> IntArray:
        """Return the same of some rows."""
        keys, bodies = self.ints[which, r.KEY], self.ints[which, r.BODIES]
        return np.column_stack((_first(keys), _second(keys), _first(bodies), _second(bodies)))

    @property
    def count(self) -> IntArray:
        return self.ints[:, r.FLAGS] & r.COUNT

    @property
    def touches(self) -> NDArray[np.bool_]:
        """True for pairs that touch, or will within the step; the others are speculative, and may push too."""
        flags: NDArray[np.bool_] = self.ints[:, r.FLAGS] & r.TOUCHES != 0
        return flags

    @property
    def pose_a(self) -> FloatArray:
        return self.floats[:, r.POSES : r.POSES + 3]

    @property
    def position(self) -> FloatArray:
        return self.floats[:, r.POSITION : r.POSITION + 4].reshape(-1, 2, 2)

    @property
    def separation(self) -> FloatArray:
        return self.floats[:, r.SEPARATION : r.SEPARATION + 2]

    @property
    def total(self) -> FloatArray:
        """Normal and tangential impulses of each point over the step."""
        return self.floats[:, r.TOTAL : r.TOTAL + 4].reshape(-1, 2, 2)

    def with_impulse(self, impulse: FloatArray) -> ContactRows:
        """Return the rows with other impulses (n, 2, 2) for the next step to start from."""
        floats = self.floats.copy()
        floats[:, r.IMPULSE : r.IMPULSE + 4] = impulse.reshape(-1, 4)
        return ContactRows(self.ints, floats)


def key_of(fixture_a: IntArray, fixture_b: IntArray) -> IntArray:
    """Combine two ids in one number, in the same order."""
    key: IntArray = (fixture_a << r.KEY_BITS) + fixture_b
    return key


def places_of(keys: IntArray, known: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the place of each key among the ascending `known` ones, and whether it is there."""
    at = np.searchsorted(known, keys)
    is_there = at < len(known)
    is_there[is_there] = known[at[is_there]] == keys[is_there]
    return at, is_there


def _first(key: IntArray) -> IntArray:
    return key >> r.KEY_BITS


def _second(key: IntArray) -> IntArray:
    return key & ((1 << r.KEY_BITS) - 1)


def rows_without_points(pairs: IntArray) -> ContactRows:
    """Return rows of pairs (n, 4) of fixtures and bodies of which nothing is known but that they touch."""
    rows = ContactRows(np.zeros((len(pairs), r.N_INTS), dtype=np.int64), np.zeros((len(pairs), r.N_FLOATS)))
    rows.ints[:, r.KEY], rows.ints[:, r.BODIES] = key_of(*pairs[:, :2].T), key_of(*pairs[:, 2:].T)
    rows.ints[:, r.FLAGS] = r.TOUCHES
    return rows


def empty_rows(n: int) -> tuple[IntArray, FloatArray]:
    """Return integers and floats of rows to be filled."""
    return np.empty((n, r.N_INTS), dtype=np.int64), np.empty((n, r.N_FLOATS))


def touching_pairs(rows: ContactRows, sensed: IntArray) -> IntArray:
    """Return the touching rows merged with those in which one side is a sensor (m, 4), in ascending order of the fixtures."""
    pairs = np.concatenate((rows.ids_of(np.flatnonzero(rows.touches)), sensed))
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def without(pairs: IntArray, others: IntArray) -> IntArray:
    """Return the pairs (n, 4) of fixtures and bodies that are not among `others`."""
    if len(pairs) == 0 or len(others) == 0:
        return pairs
    return pairs[~np.isin(key_of(*pairs[:, :2].T), key_of(*others[:, :2].T))]


def pair_events(ids: IntArray, step: int, is_sensor: bool = False) -> list[PairEvent]:
    """Return an event of `step` for each of the rows (n, 4) of fixtures and bodies, in their order."""
    return [PairEvent(step, a, b, body_a, body_b, is_sensor) for a, b, body_a, body_b in ids.tolist()]


_MANY = 20_000
"""Number of pairs of fixtures of a world above which a broad phase is faster than comparing all boxes."""


class Nearby:
    """The pairs of fixtures whose fat boxes overlap (`_pairs_kernel`), of each world by itself.

    Attributes
    ----------
    pairs : int64 (k, 2)
        Rows of fixtures, in ascending order.
    """

    def __init__(self) -> None:
        self._tables: Tables | None = None
        self._fat: FloatArray = np.zeros((0, 4))
        self._phases: list[Automatic] = []
        self._known: list[IntArray] = []
        self.pairs: IntArray = np.zeros((0, 2), dtype=np.int64)

    def follow(self, tables: Tables) -> None:
        """Discard everything if fixtures have been added, removed or changed."""
        if tables is not self._tables:
            self._tables, self._fat = tables, np.full((len(tables.fixtures.ids), 4), np.nan)
            self.pairs = np.zeros((0, 2), dtype=np.int64)

    def update(self, boxes: FloatArray) -> None:
        """Find the pairs of boxes (n, 4) again in each world where a shape has left its fat box.

        Raises
        ------
        InvalidInputError
            There are more than `MOST_PAIRS` of them.
        """
        assert self._tables is not None
        body, is_static = self._tables.fixtures.body, self._tables.bodies.is_static
        size = len(self._tables.one_world.fixtures.ids)
        if size * (size - 1) // 2 > _MANY:
            parts = [slice(first, first + size) for first in range(0, len(boxes), size)]
            self._phases += [Automatic() for _ in parts[len(self._phases) :]]
            self._known += [self.pairs] * (len(parts) - len(self._known))
            for number, part in enumerate(parts):
                self._update_world(number, boxes[part], self._fat[part])
            pairs = [known + number * size for number, known in enumerate(self._known[: len(parts)])]
            self.pairs = np.concatenate(pairs) if len(pairs) > 1 else self._known[0]
        else:
            self.pairs = neighbors(boxes, body, is_static, size, self._fat, self.pairs)

    def _update_world(self, number: int, boxes: FloatArray, fat: FloatArray) -> None:
        """Find the pairs of one world with many fixtures by a broad phase."""
        assert self._tables is not None
        single = self._tables.one_world
        n_pairs = crowding(boxes)
        if n_pairs > MOST_PAIRS:
            raise InvalidInputError("bodies", f"less crowded: of at most {MOST_PAIRS:,} pairs that overlap", Described(f"{n_pairs:,}"))
        if fatten(boxes, single.fixtures.body, single.bodies.is_static, fat):
            self._known[number] = self._phases[number].pairs(fat)


def fill_manifolds(tables: Tables, shapes: IntArray, poses_a: FloatArray, poses_b: FloatArray, rows: ManifoldRows) -> None:
    """Fill the manifolds of pairs (n, 2) of packed shapes at poses (n, 4): the axis is that of least overlap, on a link of a chain among
    those that its neighbors leave to it.
    """
    batched.fill_manifolds(tables.shapes.grown.packed, shapes, poses_a, poses_b, EXACT, rows)


def sensed_pairs(tables: Tables, pairs: IntArray, kinds: NDArray[np.int8], poses: FloatArray) -> IntArray:
    """Return the pairs that overlap of which one side only senses, as fixtures and bodies (n, 4)."""
    some = pairs[kinds == SENSED]
    fixtures = tables.fixtures
    some = some[batched.overlap_rows(tables.shapes.swept.packed, fixtures.shape[some], poses[some[:, 0]], poses[some[:, 1]])]
    return ids_of(tables, some)


def ids_of(tables: Tables, pairs: IntArray) -> IntArray:
    """Return pairs of rows of fixtures as the ids of fixtures and bodies (n, 4)."""
    fixtures = tables.fixtures
    ids: IntArray = np.concatenate((fixtures.ids[pairs], tables.bodies.ids[fixtures.body[pairs]]), axis=1)
    return ids


def reported_contacts(
    step: int, rows: ContactRows, old: ContactRows | None, began: tuple[PairEvent, ...], ended: tuple[PairEvent, ...]
) -> LazyContacts:
    """Return the report of a step on its rows; `old` are those of the previous step, or None if nothing ended since."""
    return LazyContacts.of(step, partial(_columns, rows), partial(_removed, rows, old, step), began, ended)


def features_of(ints: IntArray) -> IntArray:
    """Return the features of the points (n, 2), -1 past the count."""
    features = ints[:, r.FEATURES]
    return np.column_stack(((features & 0xFFFF_FFFF) - 1, (features >> 32) - 1))


def _reported_rows(rows: ContactRows) -> NDArray[np.bool_]:
    is_touching: NDArray[np.bool_] = rows.ints[:, r.FLAGS] & (r.TOUCHES | r.PASSES) == r.TOUCHES
    return is_touching


def _columns(rows: ContactRows) -> dict[str, NDArray[Any]]:
    """Return the columns of `StepContacts` of the rows that touch."""
    touching = _reported_rows(rows)
    rows = ContactRows(rows.ints[touching], rows.floats[touching])
    flags = rows.ints[:, r.FLAGS]
    is_point = np.arange(2) < rows.count[:, None]
    fixture_a, fixture_b, body_a, body_b = rows.ids.T
    was_there = flags[:, None] & (r.WAS_THERE, r.WAS_THERE << 1) != 0
    columns = {
        "fixture_a": fixture_a,
        "fixture_b": fixture_b,
        "body_a": body_a,
        "body_b": body_b,
        "pose_a": rows.pose_a,
        "pose_b": rows.floats[:, r.POSES + 3 : r.POSES + 6],
        "count": rows.count,
        "normal": rows.floats[:, r.NORMAL : r.NORMAL + 2],
        "position": rows.position,
        "separation": rows.separation,
        "feature_id": np.where(is_point, features_of(rows.ints), 0),
        "normal_impulse": rows.total[:, :, 0],
        "tangent_impulse": rows.total[:, :, 1],
        "state": np.where(is_point, np.where(was_there, PointState.PERSIST, PointState.ADD), -1).astype(np.int8),
        "evaluated": flags & r.EVALUATED != 0,
        "in_toi": np.zeros(len(flags), dtype=np.bool_),
    }
    return {name: frozen(np.ascontiguousarray(column)) for name, column in columns.items()}


def _removed(rows: ContactRows, old: ContactRows | None, step: int) -> tuple[ContactPoint, ...]:
    """Return the points of the last step that are no more, as records."""
    if old is None:
        return ()
    now, before = ContactRows(rows.ints[_reported_rows(rows)], rows.floats[:0]), _reported_rows(old)
    integers, floats = old.ints[before], old.floats[before]
    at, known = places_of(integers[:, r.KEY], now.key)
    features, kept, ids = features_of(integers), features_of(now.ints), ContactRows(integers, floats).ids
    is_there = np.zeros((len(integers), 2), dtype=np.bool_)
    is_there[known] = (features[known][:, :, None] == kept[at[known]][:, None, :]).any(axis=2)
    gone = ~is_there & (np.arange(2) < (integers[:, r.FLAGS] & r.COUNT)[:, None])
    points: list[ContactPoint] = []
    for row, k in np.argwhere(gone).tolist():
        fixture_a, fixture_b, body_a, body_b = ids[row].tolist()
        values = floats[row].tolist()
        points.append(
            ContactPoint(
                step=step,
                body_a=body_a,
                body_b=body_b,
                fixture_a=fixture_a,
                fixture_b=fixture_b,
                position=(values[r.POSITION + 2 * k], values[r.POSITION + 2 * k + 1]),
                normal=(values[r.NORMAL], values[r.NORMAL + 1]),
                separation=values[r.SEPARATION + k],
                feature_id=int(features[row, k]),
                normal_impulse=0.0,
                tangent_impulse=0.0,
                state=PointState.REMOVE,
            )
        )
    return tuple(points)
