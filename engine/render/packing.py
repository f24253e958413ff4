"""All shapes of a world in flat arrays, so that one NumPy operation per frame moves every vertex.

Local vertices never change: they are read again only if the world's `structure_version` has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.id_rows import IdRows
from engine.contracts.contact import StepContacts
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.render import palette
from engine.render.interpolation import moved
from engine.render.palette import Color, mix
from engine.render.views import WorldView

__all__ = ["Carry", "PackedShapes", "carried_points"]

Carry = Callable[..., None]
"""The signature of `_carry_kernel.carry_points`."""


class PackedShapes:
    """Columns of one world's shapes. Rows of bodies are positions in `world.body_ids`.

    Attributes
    ----------
    vertices : float64 (v, 2); vertex_row : int64 (v,)
        Local corners of all polygons and edges, and the row of each corner's body.
    starts : int64 (p + 1,); polygon_row : int64 (p,)
    centers : float64 (c, 2); radii : float64 (c,); circle_row : int64 (c,)
    polygon_sensor, circle_sensor : bool (p,), (c,)
    skins : float64 (p,)
        Rounding of each polygon, meters.
    is_moving, is_dynamic : bool (b,); colors : int64 (b,); local_centers : float64 (b, 2)
        Per body: True if not static, True if dynamic, color while awake and not touching, encoded by `palette.packed`, and center of mass.
    """

    def __init__(self, world: WorldView) -> None:
        self.version = world.structure_version, palette.theme_name()
        row_of = {body_id: row for row, body_id in enumerate(world.body_ids)}
        bodies = [world.body(body_id) for body_id in world.body_ids]
        self.body_ids: IntArray = np.array(world.body_ids, dtype=np.int64)
        kinds = [body.spec.type for body in bodies]
        self.is_moving = np.array([kind != "static" for kind in kinds], dtype=np.bool_)
        self.is_dynamic = np.array([kind == "dynamic" for kind in kinds], dtype=np.bool_)
        colors = [palette.packed(_color(body_id, kind)) for body_id, kind in zip(world.body_ids, kinds, strict=True)]
        self.colors: IntArray = np.array(colors, dtype=np.int64)
        self.local_centers = np.array([body.local_center for body in bodies], dtype=np.float64).reshape(-1, 2)
        corners: list[FloatArray] = []
        polygon_row: list[int] = []
        circle_row: list[int] = []
        circle_fixtures: list[int] = []
        centers: list[tuple[float, float]] = []
        radii: list[float] = []
        skins: list[float] = []
        polygon_sensor: list[bool] = []
        circle_sensor: list[bool] = []
        for fixture_id in world.fixture_ids:
            fixture = world.fixture(fixture_id)
            if isinstance(fixture.shape, Circle):
                centers.append(fixture.shape.center)
                radii.append(fixture.shape.radius)
                circle_row.append(row_of[fixture.body])
                circle_fixtures.append(fixture_id)
                circle_sensor.append(fixture.spec.sensor)
            else:
                corners.append(_corners(fixture.shape))
                skins.append(fixture.shape.skin_radius)
                polygon_row.append(row_of[fixture.body])
                polygon_sensor.append(fixture.spec.sensor)
        lengths = np.array([len(part) for part in corners], dtype=np.int64)
        self.vertices = np.concatenate(corners) if corners else np.zeros((0, 2))
        self.starts: IntArray = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
        self.polygon_row: IntArray = np.array(polygon_row, dtype=np.int64)
        self.vertex_row: IntArray = np.repeat(self.polygon_row, lengths)
        self.polygon_sensor = np.array(polygon_sensor, dtype=np.bool_)
        self.circle_sensor = np.array(circle_sensor, dtype=np.bool_)
        self.skins = np.array(skins, dtype=np.float64)
        self.centers = np.array(centers, dtype=np.float64).reshape(-1, 2)
        self.radii = np.array(radii, dtype=np.float64)
        self.circle_row: IntArray = np.array(circle_row, dtype=np.int64)
        self._bodies, self._circles = IdRows(self.body_ids), IdRows(np.array(circle_fixtures, dtype=np.int64))

    def rows_of(self, bodies: IntArray) -> IntArray:
        """Return the row of each body by its id; -1 for a deleted body."""
        return self._bodies.of(bodies)

    def rows_of_contacts(self, contacts: StepContacts) -> IntArray:
        """Return the rows (2, n) of the bodies A and B of each contact; -1 for a deleted body."""
        return self._bodies.of(np.stack((contacts.body_a, contacts.body_b)))

    def is_round(self, fixtures: IntArray) -> NDArray[np.bool_]:
        """Return True for each fixture id that is a circle."""
        return self._circles.of(fixtures) >= 0

    def outline_colors(self, awake: NDArray[np.bool_], colors: Mapping[int, Color], touching: IntArray | None) -> IntArray:
        """Return the color of every body's outline (b,), as `palette.packed` encodes it.

        Parameters
        ----------
        awake : bool (b,)
            Sleeping bodies are dimmed.
        colors : mapping of int to Color
            Colors that replace the defaults of single bodies, by id.
        touching : int64 array or None
            Rows of the bodies that touch another, which are drawn red; negative rows are ignored. None draws no body red.
        """
        outlines = self.colors.copy()
        outlines[~awake & self.is_dynamic] = palette.packed(palette.SLEEPING)
        if colors:
            ids = np.fromiter(colors, dtype=np.int64, count=len(colors))
            for row, color in zip(self.rows_of(ids).tolist(), colors.values(), strict=True):
                if row >= 0:
                    outlines[row] = palette.packed(palette.legible(color))
        if touching is not None:
            is_touching = np.zeros(len(outlines), dtype=np.bool_)
            is_touching[touching[touching >= 0]] = True
            is_touching &= self.is_moving
            outlines[is_touching & awake] = palette.packed(palette.TOUCHING)
            outlines[is_touching & ~awake] = palette.packed(mix(palette.TOUCHING, palette.SLEEPING, 0.55))
        return outlines

    def world_vertices(self, poses: FloatArray) -> FloatArray:
        """Return all polygon vertices at body poses (b, 3)."""
        return moved(self.vertices, poses, self.vertex_row)

    def world_centers(self, poses: FloatArray) -> FloatArray:
        """Return all circle centers at body poses (b, 3)."""
        return moved(self.centers, poses, self.circle_row)

    def centers_of_mass(self, poses: FloatArray) -> FloatArray:
        """Return the bodies' centers of mass at body poses (b, 3)."""
        return moved(self.local_centers, poses)

    def boxes(self, world_vertices: FloatArray, world_centers: FloatArray) -> FloatArray:
        """Return the bounding box x0, y0, x1, y1 of every fixture, skins included: polygons first, then circles."""
        parts = [np.zeros((0, 4))]
        if len(self.polygon_row):
            low = np.minimum.reduceat(world_vertices, self.starts[:-1], axis=0) - self.skins[:, None]
            high = np.maximum.reduceat(world_vertices, self.starts[:-1], axis=0) + self.skins[:, None]
            parts.append(np.hstack((low, high)))
        if len(self.radii):
            parts.append(np.hstack((world_centers - self.radii[:, None], world_centers + self.radii[:, None])))
        return np.concatenate(parts)


def carried_points(
    contacts: StepContacts, packed: PackedShapes, poses: FloatArray, rows: IntArray, carry: Carry | None = None
) -> FloatArray:
    """Return the contact points (n, 2, 2) carried along by the bodies drawn at `poses`; `rows` are the rows of the contacts' bodies.

    Box2D computes a manifold before it moves the bodies: drawn where it was computed, a point would lag behind its body and jump from step
    to step. Here the point moves with the moving body, or with the mean motion if both move. On a disc it does not rotate with the disc, so
    that a wheel's contact point stays under the wheel. `carry` is a kernel with the same function, or None.
    """
    n = len(contacts)
    if n == 0 or len(packed.body_ids) == 0:
        return contacts.position
    carries = (rows >= 0) & packed.is_moving[rows]
    angles = poses[:, 2][rows]
    turn = np.stack((angles[0] - contacts.pose_a[:, 2], angles[1] - contacts.pose_b[:, 2]))
    turn[:, packed.is_round(contacts.fixture_a) | packed.is_round(contacts.fixture_b)] = 0.0
    cos, sin, carried = np.cos(turn), np.sin(turn), np.empty((n, 2, 2))
    if carry is not None:
        position, pose_a, pose_b, drawn = map(_for_reading, (contacts.position, contacts.pose_a, contacts.pose_b, poses))
        carry(position, (pose_a, pose_b), rows, carries, drawn, cos, sin, carried)
        return carried
    (by_a, by_b), at_rows, held_a, held_b = carries, poses[rows], contacts.pose_a.T, contacts.pose_b.T
    by_both = by_a & by_b
    for k in range(2):  # column by column: NumPy is slow with rows of two numbers
        at_x, at_y = contacts.position[:, k, 0], contacts.position[:, k, 1]
        x, y = (np.stack((at - held_a[axis], at - held_b[axis])) for axis, at in enumerate((at_x, at_y)))
        for axis, at, there in ((0, at_x, cos * x - sin * y + at_rows[:, :, 0]), (1, at_y, sin * x + cos * y + at_rows[:, :, 1])):
            single = np.where(by_a, there[0], np.where(by_b, there[1], at))
            carried[:, k, axis] = np.where(by_both, 0.5 * (there[0] + there[1]), single)
    return carried


def _for_reading(array: FloatArray) -> FloatArray:
    """Return a read-only view of an array, for a kernel compiled for read-only arrays."""
    return frozen(np.ascontiguousarray(array).view())


def _corners(shape: Polygon | Capsule | Segment) -> FloatArray:
    if isinstance(shape, Capsule):
        return shape.outline()
    return _there_and_back(shape) if isinstance(shape, Segment) else shape.vertices


def _there_and_back(edge: Segment) -> FloatArray:
    """Return an edge as a polygon without area, which is drawn as a line."""
    return np.array([edge.p1, edge.p2, edge.p1], dtype=np.float64)


def _color(body_id: int, kind: str) -> Color:
    if kind == "dynamic":
        return palette.body_color(body_id)
    return palette.STATIC if kind == "static" else palette.KINEMATIC
