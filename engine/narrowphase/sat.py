"""Overlap of two shapes by the separating axis test."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.common.checks import choice
from engine.geometry import Polygon, Shape, Transform
from engine.narrowphase._manifold_kernel import rounding_of
from engine.narrowphase._overlap_kernel import overlap_pair
from engine.narrowphase._sat_kernel import move_to_frame, overlap_improved, overlap_plain
from engine.narrowphase.packing import pack
from engine.narrowphase.scratch import pose_row

__all__ = ["overlap", "overlap_polygons"]


def overlap(a: Shape, xf_a: Transform, b: Shape, xf_b: Transform) -> bool:
    """Tell whether two shapes share a point, their radii and skins included.

    Shapes are closed and solid: touching within rounding (`SAT_ROUNDING`) counts, and so does one inside the other.

    Raises
    ------
    InvalidInputError
        `a` or `b` is not a Circle or Polygon.
    """
    shapes = pack((a, b))
    n_a = int(shapes.n_vertices[0])
    scratch = np.empty((2, int(shapes.n_vertices.max()) + 1, 2))
    return bool(
        overlap_pair(
            shapes.kind[0], shapes.vertices[:n_a], shapes.normals[:n_a], shapes.radius[0], shapes.extent[0], pose_row(xf_a),
            shapes.kind[1], shapes.vertices[n_a:], shapes.normals[n_a:], shapes.radius[1], shapes.extent[1], pose_row(xf_b), scratch,
        )
    )  # fmt: skip


def overlap_polygons(a: Polygon, xf_a: Transform, b: Polygon, xf_b: Transform, form: Literal["plain", "improved"] = "improved") -> bool:
    """Tell whether the cores of two polygons share a point, by either form of the test; they always agree up to rounding.

    ``plain`` projects both polygons on every normal; ``improved`` asks each edge for its one-sided separation and leaves at the
    first that parts them.
    """
    choice("form", form, ("plain", "improved"))
    shapes = pack((a, b))
    n_a = int(shapes.n_vertices[0])
    pose_a, pose_b = pose_row(xf_a), pose_row(xf_b)
    moved, moved_normals = np.empty((len(b.vertices), 2)), np.empty((len(b.vertices), 2))
    move_to_frame(pose_a, pose_b, shapes.vertices[n_a:], moved, False)
    move_to_frame(pose_a, pose_b, shapes.normals[n_a:], moved_normals, True)
    touch = rounding_of(pose_a, shapes.extent[0], pose_b, shapes.extent[1])
    test = overlap_plain if form == "plain" else overlap_improved
    return bool(test(shapes.vertices[:n_a], shapes.normals[:n_a], moved, moved_normals, touch))
