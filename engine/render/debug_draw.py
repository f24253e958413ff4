"""A world as a picture: shapes, boxes, contact points by state, normals, separations, joints, centres of mass, differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.agreement import Difference
from engine.contracts.contact import PointState, StepContacts
from engine.geometry.aabb import AABB
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.packing import PackedShapes, interpolated
from engine.render.palette import Color, mix
from engine.render.views import SceneView, WorldView

__all__ = ["DebugDraw", "Layers"]

_FILL_SHARE = 0.42
"""How much of its outline's colour a fill keeps over the background."""
_TOUCHING_ASLEEP = mix(palette.TOUCHING, palette.SLEEPING, 0.55)
_SAME_DIRECTION = 0.9998
"""Cosine of about a degree: two arrows closer than that would hide each other."""
_DOT_METRES = 0.045
_MOST_LABELS = 160
"""Separations written at once; more would be unreadable. Every point is drawn all the same."""
_MOST_DIFFERENCE_ARROWS = 40
_MOST_DIFFERENCE_LABELS = 8


@dataclass(slots=True)
class Layers:
    """What is shown; the window's toggles 1 to 8 in this order."""

    shapes: bool = True
    aabbs: bool = False
    points: bool = True
    normals: bool = False
    joints: bool = True
    centers: bool = False
    separations: bool = False
    check: bool = True


class DebugDraw:
    """Draws scenes; keeps each world's packed shapes from frame to frame."""

    def __init__(self) -> None:
        self._packed: dict[int, tuple[WorldView, PackedShapes]] = {}

    def packed(self, world: WorldView) -> PackedShapes:
        """Return the world's shapes in columns, read again only after its structure changed."""
        known = self._packed.get(id(world))
        if known is None or known[0] is not world or known[1].version != world.structure_version:
            if known is None and len(self._packed) > 8:
                self._packed.clear()
            known = self._packed[id(world)] = (world, PackedShapes(world))
        return known[1]

    def poses(self, world: WorldView, fraction: float) -> FloatArray:
        """Return the poses drawn at `fraction` of the last step, (b, 3), aligned with `world.body_ids`."""
        return interpolated(world.previous_poses, world.poses, fraction, self.packed(world).local_centers)

    def draw(self, canvas: Canvas, scene: SceneView, layers: Layers, fraction: float = 1.0) -> None:
        """Draw one scene at `fraction` of its last step: 0 as it was before, 1 as it is."""
        canvas = canvas.at(scene.offset)
        world, packed = scene.world, self.packed(scene.world)
        poses = self.poses(world, fraction)
        vertices, centers = packed.world_vertices(poses), packed.world_centers(poses)
        if layers.shapes:
            _draw_shapes(canvas, scene, packed, poses, vertices, centers)
        if layers.aabbs:
            for x0, y0, x1, y1 in packed.boxes(vertices, centers).tolist():
                canvas.aabb(AABB((x0, y0), (x1, y1)), palette.FIXTURE_AABB)
        if layers.joints:
            _draw_joints(canvas, world)
        if layers.centers:
            at = packed.centers_of_mass(poses)[packed.is_moving]
            canvas.points(at, palette.CENTER_OF_MASS, 4.0, ring=True)
            canvas.points(at, palette.CENTER_OF_MASS, 1.5)
        if layers.normals:
            _draw_normals(canvas, world.contacts)
        if layers.points:
            _draw_points(canvas, scene)
        if layers.separations:
            _draw_separations(canvas, world.contacts)
        if layers.check:
            _draw_differences(canvas, scene.agreement.differences)


def _draw_shapes(
    canvas: Canvas, scene: SceneView, packed: PackedShapes, poses: FloatArray, vertices: FloatArray, centers: FloatArray
) -> None:
    outline, fill = _body_colors(scene, packed)
    empty = [body_id in scene.outline_only for body_id in packed.body_ids.tolist()]
    rows = packed.polygon_row.tolist()
    fills = [None if sensor or empty[row] else fill[row] for row, sensor in zip(rows, packed.polygon_sensor, strict=True)]
    outlines = [palette.SENSOR if sensor else outline[row] for row, sensor in zip(rows, packed.polygon_sensor, strict=True)]
    canvas.polygons(vertices, packed.starts, fills, outlines)
    angles = poses[:, 2].tolist()
    circles = zip(centers.tolist(), packed.radii.tolist(), packed.circle_row.tolist(), packed.circle_sensor, strict=True)
    for (x, y), radius, row, sensor in circles:
        inner = None if sensor or empty[row] else fill[row]
        canvas.circle((x, y), radius, inner, palette.SENSOR if sensor else outline[row], angle=angles[row])


def _body_colors(scene: SceneView, packed: PackedShapes) -> tuple[list[Color], list[Color]]:
    """Return outline and fill of every body: its own colour, its kind's, dimmer asleep, red while touching."""
    awake = scene.world.awake
    outlines = packed.colors.copy()
    for row in np.flatnonzero(~awake & packed.is_dynamic).tolist():
        outlines[row] = palette.SLEEPING
    for body_id, color in scene.colors.items():
        row = int(np.searchsorted(packed.body_ids, body_id))
        if row < len(outlines) and packed.body_ids[row] == body_id:
            outlines[row] = color
    if scene.mark_touching:
        contacts = scene.world.contacts
        touching = np.isin(packed.body_ids, np.concatenate((contacts.body_a, contacts.body_b))) & packed.is_moving
        for row in np.flatnonzero(touching & awake).tolist():
            outlines[row] = palette.TOUCHING
        for row in np.flatnonzero(touching & ~awake).tolist():
            outlines[row] = _TOUCHING_ASLEEP
    darkened = {color: mix(palette.BACKGROUND, color, _FILL_SHARE) for color in set(outlines)}
    return outlines, [darkened[color] for color in outlines]


def _draw_points(canvas: Canvas, scene: SceneView) -> None:
    # smaller when zoomed far out, so that a heap of a thousand bodies does not vanish under its points
    dot = min(max(_DOT_METRES * canvas.camera.scale / canvas.ui_scale, 1.1), 2.25)
    for age, positions in scene.trail.removed():
        canvas.points(positions, palette.POINT_REMOVE, dot * (1.4 + 1.2 * age), 0.9 * (1.0 - age), ring=True)
    for age, positions in scene.trail.added():
        canvas.points(positions, palette.POINT_ADD, dot * (1.8 + 2.2 * age), 0.9 * (1.0 - age) ** 2, ring=True)
    contacts = scene.world.contacts
    pairs = contacts.position[contacts.count == 2]
    canvas.segments(pairs[:, 0], pairs[:, 1], palette.CONTACT_SEGMENT)
    canvas.points(contacts.position[contacts.state == PointState.PERSIST], palette.POINT_PERSIST, dot)
    canvas.points(contacts.position[contacts.state == PointState.ADD], palette.POINT_ADD, 1.6 * dot)


def _present(contacts: StepContacts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position (p, 2), normal (p, 2) and separation (p,) of the points that exist."""
    exists = contacts.state >= 0
    rows = np.nonzero(exists)[0]
    return contacts.position[exists], contacts.normal[rows], contacts.separation[exists]


def _draw_normals(canvas: Canvas, contacts: StepContacts) -> None:
    positions, normals, _ = _present(contacts)
    if len(positions) <= 4 * _MOST_LABELS:
        for position, normal in zip(positions.tolist(), normals.tolist(), strict=True):
            canvas.arrow((position[0], position[1]), (normal[0], normal[1]), 18.0, palette.NORMAL)
    else:  # heads cost three times the shaft
        canvas.segments(positions, positions + normals * (14.0 * canvas.ui_scale / canvas.camera.scale), palette.NORMAL)


def _draw_separations(canvas: Canvas, contacts: StepContacts) -> None:
    positions, normals, separations = _present(contacts)
    pixels = canvas.camera.to_screen_array(positions)
    left, top, width, height = canvas.camera.view
    seen = (pixels[:, 0] >= left) & (pixels[:, 0] <= left + width) & (pixels[:, 1] >= top) & (pixels[:, 1] <= top + height)
    middle = np.array((left + 0.5 * width, top + 0.5 * height))
    rows = np.flatnonzero(seen)
    nearest = rows[np.argsort(((pixels[rows] - middle) ** 2).sum(axis=1), kind="stable")[:_MOST_LABELS]]
    for row in nearest.tolist():
        side = 1.0 if normals[row, 0] >= 0.0 else -1.0
        at = (pixels[row, 0] + side * 7.0 * canvas.ui_scale, pixels[row, 1])
        canvas.text_px(at, f"{1000.0 * separations[row]:+.1f} mm", palette.TEXT, 11.0, "left" if side > 0.0 else "right")


def _draw_joints(canvas: Canvas, world: WorldView) -> None:
    for joint_id in world.joint_ids:
        a, b = world.joint_anchors(joint_id)
        canvas.segment(a, b, palette.JOINT, 1.5)
        canvas.point(a, palette.JOINT, 4.0, ring=True)
        canvas.point(b, palette.JOINT, 2.5)


def _draw_differences(canvas: Canvas, differences: tuple[Difference, ...]) -> None:
    """Draw each difference where it is: Box2D's normal in the reason's colour, ours in green where it is another.

    The largest have arrows, and the very largest the reason and the size in words; every one has its ring.
    """
    for color in (palette.EXPLAINED, palette.UNEXPLAINED):
        places = [difference.position for difference in differences if _reason_color(difference) == color]
        canvas.points(np.array(places, dtype=np.float64).reshape(-1, 2), color, 7.0, ring=True)
    for k, difference in enumerate(sorted(differences, key=_weight, reverse=True)[:_MOST_DIFFERENCE_ARROWS]):
        color = _reason_color(difference)
        canvas.arrow(difference.position, difference.box2d_normal, 30.0, color, 2.0)
        ours = difference.ours_normal
        if ours is not None and ours[0] * difference.box2d_normal[0] + ours[1] * difference.box2d_normal[1] < _SAME_DIRECTION:
            canvas.arrow(difference.position, ours, 20.0, palette.AGREE, 2.0)
        if k < _MOST_DIFFERENCE_LABELS:
            x, y = canvas.camera.to_screen(difference.position)
            size = f"{1000.0 * difference.size:.2f} mm" if difference.size >= 1e-4 else f"{1e6 * difference.size:.1f} µm"
            words = f"{difference.reason.replace('_', ' ')}  {size}"
            if np.isfinite((x, y)).all() and max(abs(x), abs(y)) < 1e6:
                canvas.text_px((x + 11.0 * canvas.ui_scale, y - 6.0 * canvas.ui_scale), words, color, 12.0, "bottomleft", True)


def _weight(difference: Difference) -> tuple[bool, float]:
    return difference.reason == "unexplained", difference.size


def _reason_color(difference: Difference) -> Color:
    return palette.UNEXPLAINED if difference.reason == "unexplained" else palette.EXPLAINED
