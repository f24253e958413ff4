"""Columns of a world that the kernels read; rebuilt when bodies, fixtures or joints are added, removed or changed."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.dynamics._pairs_kernel import Kept
from engine.geometry import AnyShape, Polygon
from engine.geometry.kinds import POLYGON
from engine.query import batch
from engine.world.body_mass import mass_properties
from engine.world.joints.mouse import MouseJointSpec
from engine.world.model import WorldModel
from engine.world.specs import BodySpec

__all__ = ["MARGIN", "Tables", "repeated"]

_Number = TypeVar("_Number", bound=np.generic)

MARGIN = 0.01
"""Margin around each shape for contact detection, meters: a pair is detected two centimeters before it touches."""

IN_HAND = 1.2
"""Angular damping, 1/s, of a body pulled by a mouse joint, which would otherwise swing for a long time: about Box2D's 2 % per step."""


class Shapes:
    """Shapes packed for the kernels, each only once even if several fixtures share it.

    Attributes
    ----------
    grown : ShapeBatch
        By `MARGIN`, for finding contacts.
    swept : ShapeBatch
        As they are.
    """

    def __init__(self) -> None:
        self._number: dict[AnyShape, int] = {}
        self.grown = batch.ShapeBatch([])
        self.swept = batch.ShapeBatch([])

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, shapes: Iterable[AnyShape]) -> IntArray:
        """Return the number of each shape, packing those that are new."""
        numbers = [self._number.setdefault(shape, len(self._number)) for shape in shapes]
        if len(self._number) > len(self.grown):
            self.swept = batch.ShapeBatch(self._number)
            self.grown = batch.ShapeBatch(shape.with_radius(shape.radius - shape.skin_radius + MARGIN) for shape in self._number)
        return np.array(numbers, dtype=np.int64)


class BodyColumns(NamedTuple):
    """One row per body, in ascending order of id, and a last one for the world's own static body.

    Attributes
    ----------
    ids : int64 (n,)
        Without the last.
    is_dynamic, is_static, is_active : bool (n + 1,)
    inverse : float64 (n + 1, 2)
        1/kg, 1/(kg m^2).
    center : float64 (n + 1, 2)
        Of mass, body frame; the origin of a body that is not dynamic.
    damping : float64 (n + 1, 2)
    gravity_scale : float64 (n + 1,)
    may_sleep : bool (n + 1,)
    """

    ids: IntArray
    is_dynamic: NDArray[np.bool_]
    is_static: NDArray[np.bool_]
    is_active: NDArray[np.bool_]
    inverse: FloatArray
    center: FloatArray
    damping: FloatArray
    gravity_scale: FloatArray
    may_sleep: NDArray[np.bool_]


class FixtureColumns(NamedTuple):
    """One row per fixture of an active body, in ascending order of id.

    Attributes
    ----------
    ids, body : int64 (m,)
        `body` is its row.
    shape : int64 (m,)
        Its number among the packed shapes.
    friction, restitution : float64 (m,)
    filters : int64 (m, 3)
    is_sensor : bool (m,)
    radius : float64 (m,)
        Of the surface around the core, m; a skin is no surface. A grown shape that has one is short of its separation by `MARGIN`.
    inner_radius : float64 (m,)
        The least distance of the shape's edge from its middle, m.
    """

    ids: IntArray
    body: IntArray
    shape: IntArray
    friction: FloatArray
    restitution: FloatArray
    filters: IntArray
    is_sensor: NDArray[np.bool_]
    radius: FloatArray
    inner_radius: FloatArray


class Tables:
    """The columns of a model in its current state, or of many copies of it, one after the other.

    Attributes
    ----------
    one_world : Tables
        The columns of one copy.
    bodies : BodyColumns
    fixtures : FixtureColumns
    kept : Kept
        Subset of these columns, as kernels need them.
    is_round : bool (m,)
        Whether the corners of a fixture are round.
    margin : float64 (m,)
        Amount by which a manifold of a fixture's grown shape underestimates the gap, m.
    joined : int64 (k,)
        Pairs of bodies that a joint keeps from touching; see `_pairs_kernel.classify`.
    shapes : Shapes
    inner_radius, reach : float64 (n,)
        Of each body: the least distance of a shape's edge from the middle of the shape, and the largest of any of its points from the
        center of mass, m.
    """

    def __init__(self, model: WorldModel, before: Tables | None = None) -> None:
        self.structure, self.one_world = model.structure, self
        self.shapes: Shapes = before.shapes if before is not None else Shapes()
        self.bodies = _body_columns(model)
        self.fixtures = _fixture_columns(model, self.shapes)
        self.inner_radius, self.reach = _extents(model, self.bodies)
        rows, n = model.rows, len(self.bodies.is_dynamic)
        pairs = {
            (rows[joint.bodies[0]], rows[joint.bodies[1]])
            for joint in model.joints.values()
            if not joint.spec.collide_connected and joint.bodies[0] is not None
        }
        self.joined = np.array(sorted(min(pair) * n + max(pair) for pair in pairs), dtype=np.int64)
        self._select()

    def _select(self) -> None:
        """Fill the columns that follow from the others."""
        bodies, fixtures, packed = self.bodies, self.fixtures, self.shapes.grown.packed
        self.kept = Kept(fixtures.body, fixtures.shape, fixtures.filters, fixtures.is_sensor, bodies.is_dynamic, self.joined)
        self.is_round = packed.kind[fixtures.shape] != POLYGON
        self.margin = np.where(fixtures.radius > 0.0, MARGIN, 0.0)

    def copies(self, n: int, body_ids: IntArray, fixture_ids: IntArray) -> Tables:
        """Return the columns of `n` copies, one after the other, with these ids; all have the world's own static body in common."""
        bodies, fixtures, k = self.bodies, self.fixtures, len(self.bodies.ids)
        made = copy(self)
        columns = (np.concatenate((repeated(column[:-1], n), column[-1:])) for column in bodies[1:])
        made.bodies = BodyColumns._make((body_ids, *columns))
        made.fixtures = FixtureColumns._make(
            (fixture_ids, repeated(fixtures.body, n, k), *(repeated(column, n) for column in fixtures[2:]))
        )
        made.inner_radius, made.reach = repeated(self.inner_radius, n), repeated(self.reach, n)
        lower, higher = np.divmod(self.joined, k + 1)
        made.joined = repeated(lower, n, k) * (n * k + 1) + repeated(higher, n, k)
        made._select()
        return made


def repeated(column: NDArray[_Number], n: int, step: int = 0) -> NDArray[_Number]:
    """Return a column `n` times, one after the other, each time with `step` added to its numbers once more."""
    rows = np.tile(column, (n, *(1,) * (column.ndim - 1)))
    if step > 0:
        rows += (step * np.arange(n).repeat(len(column))).reshape(-1, *(1,) * (column.ndim - 1))
    return rows


def _extents(model: WorldModel, bodies: BodyColumns) -> tuple[FloatArray, FloatArray]:
    inner_radius, reach = np.full(len(bodies.ids), np.inf), np.zeros(len(bodies.ids))
    for row, body in enumerate(bodies.ids.tolist()):
        for fixture in model.bodies[body].fixtures:
            radius_inside, points, radius = _extent(model.fixtures[fixture].spec.shape)
            inner_radius[row] = min(inner_radius[row], radius_inside)
            reach[row] = max(reach[row], float(np.hypot(*(points - bodies.center[row]).T).max()) + radius)
    return inner_radius, reach


@lru_cache(maxsize=4096)
def _extent(shape: AnyShape) -> tuple[float, FloatArray, float]:
    """Return the minimum distance of a shape's surface from its center, its core's points, and the radius around them, without skins."""
    core, radius = shape.core, shape.radius - shape.skin_radius
    if isinstance(shape, Polygon):
        return float(((core - shape.centroid) * shape.normals).sum(axis=1).min()), core, radius
    return radius, core, radius


def _body_columns(model: WorldModel) -> BodyColumns:
    entries = [model.bodies[body] for body in model.body_ids.tolist()]
    specs: list[BodySpec] = [entry.spec for entry in entries]
    n = len(specs)
    inverse, center = np.zeros((n + 1, 2)), np.zeros((n + 1, 2))
    for row, entry in enumerate(entries):
        if entry.spec.type == "dynamic":  # what is driven turns about its origin
            center[row], mass, inertia = mass_properties([model.fixtures[fixture].spec for fixture in entry.fixtures])
            inverse[row] = 1.0 / mass, 0.0 if inertia == 0.0 or entry.spec.fixed_rotation else 1.0 / inertia
    damping = np.array([(spec.linear_damping, spec.angular_damping) for spec in specs] + [(0.0, 0.0)])
    damping[[model.rows[joint.bodies[1]] for joint in model.joints.values() if isinstance(joint.spec, MouseJointSpec)], 1] += IN_HAND
    return BodyColumns(
        ids=model.body_ids,
        is_dynamic=np.array([spec.type == "dynamic" and spec.active for spec in specs] + [False]),
        is_static=np.array([spec.type == "static" for spec in specs] + [True]),
        is_active=np.array([spec.active for spec in specs] + [True]),
        inverse=inverse,
        center=center,
        damping=damping,
        gravity_scale=np.array([spec.gravity_scale for spec in specs] + [0.0]),
        may_sleep=np.array([spec.allow_sleep for spec in specs] + [True]),
    )


def _fixture_columns(model: WorldModel, shapes: Shapes) -> FixtureColumns:
    listed = [(fixture, entry) for fixture, entry in sorted(model.fixtures.items()) if model.bodies[entry.body].spec.active]
    specs = [entry.spec for _, entry in listed]
    rows = model.rows
    return FixtureColumns(
        ids=np.array([fixture for fixture, _ in listed], dtype=np.int64),
        body=np.array([rows[entry.body] for _, entry in listed], dtype=np.int64),
        shape=shapes.numbers(spec.shape for spec in specs),
        friction=np.array([spec.friction for spec in specs], dtype=np.float64),
        restitution=np.array([spec.restitution for spec in specs], dtype=np.float64),
        filters=np.array([(spec.category, spec.mask, spec.group) for spec in specs], dtype=np.int64).reshape(-1, 3),
        is_sensor=np.array([spec.sensor for spec in specs], dtype=np.bool_),
        radius=np.array([spec.shape.radius - spec.shape.skin_radius for spec in specs], dtype=np.float64),
        inner_radius=np.array([_extent(spec.shape)[0] for spec in specs], dtype=np.float64),
    )
