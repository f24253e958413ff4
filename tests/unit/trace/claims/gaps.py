"""Brute-force distances, independent of the kernels: of points from a convex core, and of two cores."""

from __future__ import annotations

import numpy as np


def gap_of_points(core, points):
    """Return the distances (n,) of points from a core (m, 2); inside a polygon, minus the smallest distance to an edge."""
    a, e = core[None], (np.roll(core, -1, axis=0) - core)[None]
    to = points[:, None] - a
    length_sq = (e * e).sum(axis=2)
    share = np.clip((to * e).sum(axis=2) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    away = np.linalg.norm(to - share[..., None] * e, axis=2).min(axis=1)
    if len(core) < 3:
        return away
    is_in = ((e[..., 0] * to[..., 1] - e[..., 1] * to[..., 0]) >= 0.0).all(axis=1)
    return np.where(is_in, -away, away)


def gap_of_cores(p, q):
    """Return the distance of two cores in the plane; if they overlap, the (negative) greatest separation along an edge normal."""
    apart = float(min(np.abs(gap_of_points(p, q)).min(), np.abs(gap_of_points(q, p)).min()))
    deep = max(separation(p, q), separation(q, p))
    scale = float(np.abs(p - p[0]).max() + np.abs(q - p[0]).max())
    if len(p) > 2 or len(q) > 2:
        return deep if deep <= 0.0 else apart
    return deep if len(p) == len(q) == 2 and deep < -1e-12 * scale else apart


def separation(p, q):
    """Return the greatest separation along the outward normals of p's edges; -inf if it has none."""
    if len(p) < 2:
        return -np.inf
    e = np.roll(p, -1, axis=0) - p
    normals = np.stack((e[:, 1], -e[:, 0]), axis=1) / np.linalg.norm(e, axis=1)[:, None]
    return float((((q[None] - p[:, None]) * normals[:, None]).sum(axis=2)).min(axis=1).max())


def is_counter_clockwise_normal(core, edge, n):
    """Return whether n is the unit outward normal of an edge."""
    e = core[(edge + 1) % len(core)] - core[edge]
    length = np.linalg.norm(e)
    rounding = 1e-9 + 4e-15 * float(np.abs(core).max()) / length
    return abs(n @ e) <= rounding * length and abs(np.linalg.norm(n) - 1.0) < 1e-9 and e[0] * n[1] - e[1] * n[0] < 0.0
