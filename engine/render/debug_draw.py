"""Draws a world: shapes, boxes, contact points by state, normals, separations, joints, centers of mass, differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.contracts.agreement import Difference
from engine.contracts.contact import PointState, StepContacts
from engine.geometry import Transform
from engine.render import palette
from engine.render.backdrop import ImpulseScale, draw_impulses
from engine.render.canvas import Canvas, Dots
from engine.render.differences import PlacedDifferences, draw_differences, placed
from engine.render.interpolation import StepImpacts, StepPath, interpolated
from engine.render.packing import PackedShapes, carried_points
from engine.render.palette import Color, mix
from engine.render.still import StillPicture
from engine.render.trail import flagged
from engine.render.views import Layers, SceneView, WorldView

__all__ = ["DebugDraw"]

_DOT_METERS = 0.045
_MAX_LABELS = 160
"""Maximum number of separations written; more would be unreadable. All points are drawn."""


class Drawn(NamedTuple):
    """Drawn items that the pointer can select: differences, and contact points (n, 2, 2), a row per contact, NaN where there is none."""

    differences: PlacedDifferences
    points: FloatArray


class DebugDraw:
    """Draws scenes; caches each world's packed shapes between frames, until `keep_only` drops them."""

    def __init__(self) -> None:
        self._packed: dict[int, tuple[WorldView, PackedShapes]] = {}
        self._impulses = ImpulseScale()
        self._still = StillPicture()

    @property
    def longest_impulse(self) -> float:
        """Impulse of the longest arrow, newton seconds; 0 if none has been drawn."""
        return self._impulses.value

    def keep_only(self, worlds: Iterable[WorldView]) -> None:
        """Drop the cached shapes and impulse scales of all worlds except those that the next picture shows."""
        gone = self._packed.keys() - {id(world) for world in worlds}
        for number in gone:
            del self._packed[number]
            self._impulses.forget(number)
        if gone:
            self._still = StillPicture()

    def packed(self, world: WorldView) -> PackedShapes:
        """Return the world's shapes in columns; they are read again only if its structure has changed."""
        known = self._packed.get(id(world))
        if known is None or known[0] is not world or known[1].version != (world.structure_version, palette.theme_name()):
            known = self._packed[id(world)] = (world, PackedShapes(world))
        return known[1]

    def poses(self, world: WorldView, impacts: StepImpacts | StepPath | None, fraction: float) -> FloatArray:
        """Return the poses drawn at `fraction` of the last step, (b, 3), aligned with `world.body_ids`."""
        packed = self.packed(world)
        if impacts is None:
            return interpolated(world.previous_poses, world.poses, fraction, packed.local_centers)
        return impacts.between(world.previous_poses, world.poses, fraction, packed.local_centers, packed.body_ids)

    def n_asleep(self, world: WorldView) -> int:
        """Return the number of dynamic bodies that sleep."""
        return int((~world.awake & self.packed(world).is_dynamic).sum())

    def is_in_view(self, canvas: Canvas, world: WorldView) -> bool:
        """Return True if the bounding box of any fixture overlaps the view of a canvas in the world's frame."""
        packed, seen, poses = self.packed(world), canvas.camera.visible, world.poses
        boxes = packed.boxes(packed.world_vertices(poses), packed.world_centers(poses))
        low, high = (boxes[:, :2] <= np.array(seen.upper)).all(axis=1), (boxes[:, 2:] >= np.array(seen.lower)).all(axis=1)
        return bool((low & high).any())

    def draw(
        self,
        canvas: Canvas,
        scene: SceneView,
        layers: Layers,
        fraction: float = 1.0,
        poses: FloatArray | None = None,
        ground: Callable[[], None] | None = None,
    ) -> Drawn:
        """Draw one scene at `fraction` of its last step: 0 is before it, 1 after it. Return the drawn differences and points.

        `poses` are the result of the method of that name, if the caller already has it. `ground`, which draws a constant background,
        implies that no other scene is in the view: the picture is then cached, and copied while nothing in it moves.
        """
        canvas = canvas.at(scene.offset)
        world, packed = scene.world, self.packed(scene.world)
        poses = self.poses(world, scene.impacts, fraction) if poses is None else poses
        rows = packed.rows_of_contacts(world.contacts)
        if scene.displaced:
            rows[np.isin(rows, packed.rows_of(np.array(sorted(scene.displaced), dtype=np.int64)))] = -1
        contacts, differences = _so_far(scene, rows, fraction)
        points = None
        if ground is not None:
            parts = _parts(canvas, scene, layers, fraction, packed, poses, contacts, self.longest_impulse)
            points = self._still.show(canvas, parts)
        if points is None:
            points = carried_points(contacts, packed, poses, rows, canvas.raster.carry if canvas.raster is not None else None)
            contacts = replace(contacts, position=points)
            if ground is not None:
                ground()
            self._draw_scene(canvas, scene, layers, fraction, packed, poses, contacts, rows)
            if ground is not None:
                self._still.keep(canvas, points)
        else:
            contacts = replace(contacts, position=points)
        shown = placed(differences if layers.check else (), contacts)
        draw_differences(canvas, shown, layers.labels)
        if layers.separations:
            _draw_separations(canvas, contacts)
        is_point = contacts.state >= 0 if layers.points else np.zeros(contacts.state.shape, dtype=np.bool_)
        return Drawn(shown, np.where(is_point[:, :, None], contacts.position, np.nan))

    def _draw_scene(
        self,
        canvas: Canvas,
        scene: SceneView,
        layers: Layers,
        fraction: float,
        packed: PackedShapes,
        poses: FloatArray,
        contacts: StepContacts,
        rows: IntArray,
    ) -> None:
        """Draw everything without text; `rows` are the rows of the contacts' bodies."""
        world = scene.world
        vertices, centers = packed.world_vertices(poses), packed.world_centers(poses)
        if layers.shapes:
            _draw_shapes(canvas, scene, packed, poses, vertices, centers, rows)
        if layers.aabbs:
            canvas.boxes(packed.boxes(vertices, centers), palette.FIXTURE_AABB)
        if layers.joints:
            _draw_joints(canvas, world, packed, poses)
        if layers.centers:
            at = packed.centers_of_mass(poses)[packed.is_moving]
            canvas.points(at, palette.CENTER_OF_MASS, 4.0, ring=True)
            canvas.points(at, palette.CENTER_OF_MASS, 1.5)
        if layers.normals:
            _draw_normals(canvas, contacts)
        if layers.impulses:
            draw_impulses(canvas, contacts, self._impulses, id(world))
        if layers.points:
            _draw_points(canvas, scene, contacts, fraction)


def _parts(
    canvas: Canvas,
    scene: SceneView,
    layers: Layers,
    fraction: float,
    packed: PackedShapes,
    poses: FloatArray,
    contacts: StepContacts,
    longest_impulse: float,
) -> Iterator[object]:
    """Return everything that the picture of a scene without text depends on; values that change with every step come first."""
    yield poses
    yield packed, canvas.camera, canvas.surface.get_size(), canvas.surface.get_clip(), canvas.fonts, canvas.can_paint
    yield replace(layers, check=False, separations=False)
    yield scene.world.awake
    yield scene.mark_touching, dict(scene.colors), set(scene.outline_only)
    for name in ("body_a", "body_b", "pose_a", "pose_b", "fixture_a", "fixture_b", "position", "count", "state"):
        yield getattr(contacts, name)
    yield contacts.normal if layers.normals or layers.impulses else None
    yield contacts.normal_impulse if layers.impulses else None
    yield contacts.tangent_impulse if layers.impulses else None
    yield longest_impulse if layers.impulses else None
    now = scene.world.contacts.step
    for age, positions in (*scene.trail.removed(now), *scene.trail.added(now, fraction)) if layers.points else ():
        yield age
        yield positions
    yield [scene.world.joint_anchors(joint) for joint in scene.world.joint_ids] if layers.joints else None


def _so_far(scene: SceneView, rows: IntArray, fraction: float) -> tuple[StepContacts, Sequence[Difference]]:
    """Return the contacts of the step and the referee's differences, without those of impacts after `fraction`.

    Contacts of bodies that were moved by a command or destroyed since then, whose `rows` are negative, are also omitted.
    """
    contacts, differences, impacts = scene.world.contacts, scene.agreement.differences, scene.impacts
    left_out = (rows[0] < 0) | (rows[1] < 0)
    if impacts is not None and len(impacts.contact_moments) == len(contacts):
        left_out |= impacts.contact_moments > fraction
    if not left_out.any():
        return contacts, differences
    shown = replace(contacts, state=np.where(left_out[:, None], np.int8(-1), contacts.state), count=np.where(left_out, 0, contacts.count))
    pairs = set(zip(contacts.fixture_a[left_out].tolist(), contacts.fixture_b[left_out].tolist(), strict=True))
    return shown, [difference for difference in differences if (difference.fixture_a, difference.fixture_b) not in pairs]


def _draw_shapes(
    canvas: Canvas, scene: SceneView, packed: PackedShapes, poses: FloatArray, vertices: FloatArray, centers: FloatArray, touching: IntArray
) -> None:
    colors = packed.outline_colors(scene.world.awake, scene.colors, touching if scene.mark_touching else None)
    outlines, look = np.unique(colors, return_inverse=True)
    shades = [palette.unpacked(number) for number in outlines.tolist()]
    fills = [mix(palette.BACKGROUND, shade, palette.FILL_SHARE) for shade in shades]
    empty = packed.rows_of(np.fromiter(scene.outline_only, dtype=np.int64, count=len(scene.outline_only)))
    look[empty[empty >= 0]] += len(shades)  # the same outlines without a fill; the last entry is for sensors
    looks: list[tuple[Color | None, Color]] = [
        *zip(fills, shades, strict=True),
        *((None, shade) for shade in shades),
        (None, palette.SENSOR),
    ]
    of_polygons = np.where(packed.polygon_sensor, len(looks) - 1, look[packed.polygon_row])
    inner, edge = (canvas.mapped(column) for column in zip(*looks, strict=True))
    canvas.polygons(vertices, packed.starts, inner[of_polygons], edge[of_polygons])
    if len(packed.radii):
        of_circles = np.where(packed.circle_sensor, len(looks) - 1, look[packed.circle_row])
        canvas.circles(centers, packed.radii, poses[packed.circle_row, 2], of_circles, looks)


def _draw_points(canvas: Canvas, scene: SceneView, contacts: StepContacts, fraction: float) -> None:
    # smaller when zoomed far out, so that the points do not cover a heap of a thousand bodies
    dot = min(max(_DOT_METERS * canvas.camera.scale / canvas.ui_scale, 1.1), 2.25)
    now = scene.world.contacts.step
    trail = [Dots(at, palette.POINT_REMOVE, dot * (1.4 + 1.2 * age), 0.9 * (1.0 - age), True) for age, at in scene.trail.removed(now)]
    added = scene.trail.added(now, fraction)
    trail += [Dots(at, palette.POINT_ADD, dot * (1.8 + 2.2 * age), 0.9 * (1.0 - age) ** 2, True) for age, at in added]
    canvas.dots(trail)
    pairs = np.compress(contacts.count == 2, contacts.position, axis=0)
    canvas.segments(pairs[:, 0], pairs[:, 1], palette.CONTACT_SEGMENT)
    lasting, new = (flagged(contacts.position, contacts.state == state) for state in (PointState.PERSIST, PointState.ADD))
    canvas.dots([Dots(lasting, palette.POINT_PERSIST, dot), Dots(new, palette.POINT_ADD, 1.6 * dot)])


def _present(contacts: StepContacts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position (p, 2), normal (p, 2) and separation (p,) of the points that exist."""
    exists = contacts.state >= 0
    rows = np.nonzero(exists)[0]
    return contacts.position[exists], contacts.normal[rows], contacts.separation[exists]


def _draw_normals(canvas: Canvas, contacts: StepContacts) -> None:
    positions, normals, _ = _present(contacts)
    if len(positions) <= 4 * _MAX_LABELS:
        canvas.arrows(positions, normals, 18.0, palette.NORMAL)
    else:  # a head costs three times as much as a shaft
        canvas.segments(positions, positions + normals * (14.0 * canvas.ui_scale / canvas.camera.scale), palette.NORMAL)


def _draw_separations(canvas: Canvas, contacts: StepContacts) -> None:
    """Write the separation next to each point, starting in the middle of the view, as far as there is room."""
    positions, _, separations = _present(contacts)
    pixels = canvas.camera.to_screen_array(positions)
    left, top, width, height = canvas.camera.view
    seen = (pixels[:, 0] >= left) & (pixels[:, 0] <= left + width) & (pixels[:, 1] >= top) & (pixels[:, 1] <= top + height)
    middle = np.array((left + 0.5 * width, top + 0.5 * height))
    rows = np.flatnonzero(seen)
    nearest = rows[np.argsort(((pixels[rows] - middle) ** 2).sum(axis=1), kind="stable")[:_MAX_LABELS]]
    canvas.keep_clear(pixels[nearest], 5.0)
    for row in nearest.tolist():
        words = f"{1000.0 * separations[row]:+.1f} mm"
        canvas.label_last((float(pixels[row, 0]), float(pixels[row, 1])), words, palette.TEXT, 11.0, 5.0, plate=True)


def _draw_joints(canvas: Canvas, world: WorldView, packed: PackedShapes, poses: FloatArray) -> None:
    """Draw each joint between its anchors on the drawn bodies."""
    moves = poses is not world.poses
    for joint_id in world.joint_ids:
        a, b = world.joint_anchors(joint_id)
        if moves:
            body_a, body_b = world.joint_bodies(joint_id)
            a, b = (a if body_a is None else _carried(a, body_a, world, packed, poses)), _carried(b, body_b, world, packed, poses)
        canvas.segment(a, b, palette.JOINT, 1.5)
        canvas.point(a, palette.JOINT, 4.0, ring=True)
        canvas.point(b, palette.JOINT, 2.5)


def _carried(point: tuple[float, float], body: int, world: WorldView, packed: PackedShapes, poses: FloatArray) -> tuple[float, float]:
    """Return the position of a body's point at the body's drawn pose."""
    row = int(np.searchsorted(packed.body_ids, body))
    (x, y, angle), (drawn_x, drawn_y, drawn_angle) = world.poses[row].tolist(), poses[row].tolist()
    return Transform((drawn_x, drawn_y), drawn_angle).apply(Transform((x, y), angle).apply_inverse(point))
