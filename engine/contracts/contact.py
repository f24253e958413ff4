"""The contacts of a world in one step, as plain, copied, immutable data.

Contacts are stored as columns (`StepContacts`), because a thousand touching pairs may be read, compared and drawn sixty times a second.
Records (`ContactPoint`) are created on request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray

__all__ = ["ContactPoint", "LazyContacts", "PairEvent", "PointState", "StepContacts", "no_contacts"]


class PointState(IntEnum):
    """Whether a contact point is new in this step, persists, or was removed."""

    ADD = 0
    PERSIST = 1
    REMOVE = 2


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """One contact point in one step; world frame, meters, newton seconds. `normal` points from fixture A to fixture B.

    A removed point has the position, normal and separation of the last step in which it existed, and zero impulses.
    """

    step: int
    body_a: int
    body_b: int
    fixture_a: int
    fixture_b: int
    position: tuple[float, float]
    normal: tuple[float, float]
    separation: float
    feature_id: int
    normal_impulse: float
    tangent_impulse: float
    state: PointState


@dataclass(frozen=True, slots=True)
class PairEvent:
    """Two fixtures began or stopped touching in `step`; `sensor` is True if one of them is a sensor."""

    step: int
    fixture_a: int
    fixture_b: int
    body_a: int
    body_b: int
    sensor: bool


@dataclass(frozen=True)
class StepContacts:
    """All touching non-sensor pairs after a step, one row per pair, sorted by (fixture_a, fixture_b), plus the contact events.

    Attributes
    ----------
    fixture_a, fixture_b, body_a, body_b : int64 (n,)
        Our ids; A and B in Box2D's order.
    pose_a, pose_b : float64 (n, 3)
        x, y, angle of the two *bodies* at the time when Box2D computed this manifold. This is the start of the step or, for pairs moved by
        continuous collision, an impact within the step. For sleeping pairs, it is the last time when the manifold was computed.
    count : int64 (n,)
        Number of points, 0 to 2. Entries past the count are zero in the (n, 2...) columns.
    normal : float64 (n, 2)
        Unit vector from A to B.
    position : float64 (n, 2, 2); separation : float64 (n, 2)
        Midpoint between the surfaces; gap between the shapes without skins.
    feature_id : int64 (n, 2)
    normal_impulse, tangent_impulse : float64 (n, 2)
        Impulses over the whole step, N s.
    state : int8 (n, 2)
        `PointState` ADD or PERSIST, -1 past the count.
    evaluated : bool (n,)
        False if Box2D did not update the manifold because the pair sleeps.
    in_toi : bool (n,)
        True if the manifold was computed at an impact within the step.
    removed : tuple of ContactPoint
    began, ended : tuple of PairEvent
        In the order in which Box2D reported them; a pair may begin and end within one step.
    """

    step: int
    fixture_a: IntArray
    fixture_b: IntArray
    body_a: IntArray
    body_b: IntArray
    pose_a: FloatArray
    pose_b: FloatArray
    count: IntArray
    normal: FloatArray
    position: FloatArray
    separation: FloatArray
    feature_id: IntArray
    normal_impulse: FloatArray
    tangent_impulse: FloatArray
    state: NDArray[np.int8]
    evaluated: NDArray[np.bool_]
    in_toi: NDArray[np.bool_]
    removed: tuple[ContactPoint, ...] = ()
    began: tuple[PairEvent, ...] = ()
    ended: tuple[PairEvent, ...] = ()

    def __len__(self) -> int:
        return len(self.count)

    @property
    def n_points(self) -> int:
        """Number of contact points that exist after the step."""
        return int(self.count.sum())

    @property
    def deepest_overlap(self) -> float:
        """Overlap of the deepest contact, m; 0 if there is no contact."""
        is_point = np.arange(2) < self.count[:, None]
        return max(0.0, float(-self.separation[is_point].min(initial=0.0)))

    def points(self) -> tuple[ContactPoint, ...]:
        """Return all points as records, first the existing points in row order, then the removed points."""
        records = [self.point(row, k) for row, count in enumerate(self.count.tolist()) for k in range(count)]
        return (*records, *self.removed)

    def point(self, row: int, k: int) -> ContactPoint:
        """Return point `k` of a row as a record."""
        return ContactPoint(
            step=self.step,
            body_a=int(self.body_a[row]),
            body_b=int(self.body_b[row]),
            fixture_a=int(self.fixture_a[row]),
            fixture_b=int(self.fixture_b[row]),
            position=(float(self.position[row, k, 0]), float(self.position[row, k, 1])),
            normal=(float(self.normal[row, 0]), float(self.normal[row, 1])),
            separation=float(self.separation[row, k]),
            feature_id=int(self.feature_id[row, k]),
            normal_impulse=float(self.normal_impulse[row, k]),
            tangent_impulse=float(self.tangent_impulse[row, k]),
            state=PointState(int(self.state[row, k])),
        )


class LazyContacts(StepContacts):
    """Contacts of a step, computed when a column is first read, because most are never read."""

    _columns: Callable[[], Mapping[str, NDArray[Any]]] | None = None
    _removed: Callable[[], tuple[ContactPoint, ...]] | None = None

    @classmethod
    def of(
        cls,
        step: int,
        columns: Callable[[], Mapping[str, NDArray[Any]]],
        removed: Callable[[], tuple[ContactPoint, ...]],
        began: tuple[PairEvent, ...],
        ended: tuple[PairEvent, ...],
    ) -> LazyContacts:
        """Return contacts whose columns are computed on demand by `columns`, and their removed points by `removed`."""
        contacts = object.__new__(cls)
        contacts.__dict__.update(step=step, began=began, ended=ended, _columns=columns, _removed=removed)
        return contacts

    def __getattr__(self, name: str) -> Any:
        columns = self._columns
        if columns is not None and name in StepContacts.__dataclass_fields__:
            self.__dict__.update(columns(), _columns=None)
        if name not in self.__dict__:  # another thread may have computed it in the meantime
            raise AttributeError(name)
        return self.__dict__[name]

    @cached_property
    def removed(self) -> tuple[ContactPoint, ...]:
        """Points of the previous step that no longer exist."""
        removed = self._removed
        if removed is not None:
            self.__dict__.update(removed=removed(), _removed=None)
        points: tuple[ContactPoint, ...] = self.__dict__.get("removed", ())
        return points

    def make(self) -> None:
        """Compute everything and release the source data."""
        self.count, self.removed  # noqa: B018

    def __reduce__(self) -> Any:
        return StepContacts, tuple(getattr(self, field.name) for field in fields(StepContacts))


def no_contacts(step: int) -> StepContacts:
    """Return the contacts of a step in which nothing touches."""
    none = np.zeros(0, dtype=np.int64)
    return StepContacts(
        step=step,
        fixture_a=none,
        fixture_b=none,
        body_a=none,
        body_b=none,
        pose_a=np.zeros((0, 3)),
        pose_b=np.zeros((0, 3)),
        count=none,
        normal=np.zeros((0, 2)),
        position=np.zeros((0, 2, 2)),
        separation=np.zeros((0, 2)),
        feature_id=np.zeros((0, 2), dtype=np.int64),
        normal_impulse=np.zeros((0, 2)),
        tangent_impulse=np.zeros((0, 2)),
        state=np.zeros((0, 2), dtype=np.int8),
        evaluated=np.zeros(0, dtype=np.bool_),
        in_toi=np.zeros(0, dtype=np.bool_),
    )
