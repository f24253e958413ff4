"""Transformation of Box2D's local manifolds to the world frame, like b2WorldManifold, but in float64 and for all rows at once."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_EPSILON

__all__ = ["clear_beyond", "to_world"]

_CIRCLES, _FACE_A = 0, 1


def to_world(
    numbers: FloatArray, kind: IntArray, radii: FloatArray, round_radii: FloatArray, poses_1: FloatArray, poses_2: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return world normals pointing from the first shape to the second, points midway between the surfaces, and separations.

    For faceA and circles, the plane is in the first shape's frame; for faceB, it is in the second shape's. Clipped points are in the frame
    of the other shape. `radii` (n, 2) are the radii of both shapes, including skins; `round_radii` (n,) are the sums without skins.
    """
    is_face_b = (kind != _CIRCLES) & (kind != _FACE_A)
    plane_pose = np.where(is_face_b[:, None], poses_2, poses_1)
    clip_pose = np.where(is_face_b[:, None], poses_1, poses_2)
    reference, other = np.where(is_face_b, radii[:, 1], radii[:, 0]), np.where(is_face_b, radii[:, 0], radii[:, 1])
    plane_normal = _rotate(plane_pose[:, 2], numbers[:, 0])
    plane_point = _rotate(plane_pose[:, 2], numbers[:, 1]) + plane_pose[:, :2]
    clips = np.stack([_rotate(clip_pose[:, 2], numbers[:, 2 + k]) + clip_pose[:, :2] for k in range(2)], axis=1)

    between = clips[:, 0] - plane_point
    distance = np.hypot(between[:, 0], between[:, 1])
    is_circles, has_direction = kind == _CIRCLES, distance > BOX2D_EPSILON
    toward = np.where(has_direction[:, None], between / np.where(has_direction, distance, 1.0)[:, None], (1.0, 0.0))
    plane_normal = np.where(is_circles[:, None], toward, plane_normal)

    gap = ((clips - plane_point[:, None, :]) * plane_normal[:, None, :]).sum(axis=2)
    shift = 0.5 * (reference[:, None] - other[:, None] - gap)
    position = clips + shift[:, :, None] * plane_normal[:, None, :]
    normal = np.where(is_face_b[:, None], -plane_normal, plane_normal)
    return normal, position, gap - round_radii[:, None]


def clear_beyond(count: IntArray, normal: FloatArray, position: FloatArray, separation: FloatArray) -> None:
    """Zero the entries past each manifold's point count."""
    normal[count == 0] = 0.0
    beyond = np.arange(2)[None, :] >= count[:, None]
    position[beyond] = 0.0
    separation[beyond] = 0.0


def _rotate(angle: FloatArray, local: FloatArray) -> FloatArray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack((cos * local[:, 0] - sin * local[:, 1], sin * local[:, 0] + cos * local[:, 1]))
