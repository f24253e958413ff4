"""Test scenes for broad phases, by name, and functions that compare a structure with brute force."""

import itertools

import numpy as np

from engine.common.jit import is_compiling

__all__ = ["SCENES", "around", "check_questions", "questions", "scene"]

N = 120 if is_compiling() else 45
"""Boxes of a scene: enough for several levels of a tree and for crowded cells; fewer where kernels are not compiled."""


def around(centers, half):
    return np.column_stack((centers - half, centers + half))


def _random(rng):
    return around(rng.uniform(-8.0, 8.0, (N, 2)), rng.uniform(0.1, 1.0, (N, 2)))


def _clustered(rng):
    return around(rng.normal(0.0, 0.5, (N, 2)) + 1e4 * rng.integers(0, 4, (N, 1)), rng.uniform(0.05, 0.2, (N, 2)))


def _column(rng):
    return around(rng.uniform((-0.1, 0.0), (0.1, 60.0), (N, 2)), rng.uniform(0.3, 0.6, (N, 2)))


def _identical(rng):
    return np.tile((1.0, 2.0, 3.0, 4.0), (N // 3, 1))


def _touching(rng):
    corners = np.array(list(itertools.product(range(11), range(11))), dtype=float)
    return np.column_stack((corners, corners + 1.0))[rng.permutation(len(corners))]


def _points(rng):
    return around(rng.integers(0, 7, (N, 2)).astype(float), np.zeros((N, 2)))


def _giant(rng):
    return around(rng.uniform(-5.0, 5.0, (N, 2)), np.where(np.arange(N)[:, None] == 7, 100.0, 0.2))


def _sizes(rng):
    return around(rng.uniform(-30.0, 30.0, (N, 2)), 10.0 ** rng.uniform(-2.0, 1.0, (N, 2)))


def _far(rng):
    return around(1e6 + rng.uniform(-8.0, 8.0, (N, 2)), rng.uniform(0.1, 1.0, (N, 2)))


def _collinear(rng):
    return around(np.column_stack((rng.uniform(0.0, 1e5, N), np.zeros(N))), np.column_stack((rng.uniform(10.0, 2e3, N), np.zeros(N))))


def _denormals(rng):
    return np.sort(rng.integers(-6, 7, (N, 2, 2)) * 5e-324, axis=1).reshape(N, 4)


def _tenths(rng):
    corners = 0.1 * rng.integers(-6, 7, (N, 2))
    return np.column_stack((corners, corners + 0.1))


def _wide(rng):
    return np.sort(rng.choice((-1.7e308, -1e308, -1.0, 0.0, -0.0, 2.0, 1e300, 1e308, 1.7e308), (N // 3, 2, 2)), axis=1).reshape(-1, 4)


def _walls(rng):
    return around(rng.uniform(-5.0, 5.0, (N, 2)), np.where(rng.random((N, 1)) < 0.5, (9.0, 0.01), (0.01, 9.0)))


def _all_levels(rng):
    crowding = 2.0 ** rng.uniform(-40.0, 0.0, (N, 1))
    return around(1e6 * crowding * rng.uniform(-1.0, 1.0, (N, 2)), np.tile(2.0 ** rng.uniform(-25.0, 20.0, (N, 1)), 2))


def _floor(rng):
    resting = around(rng.uniform(-90.0, 90.0, (N, 2)) * (1.0, 0.001), np.full((N, 2), 0.1))
    return np.concatenate(([(-1e3, -1.0, 1e3, 0.1)], resting))


def _one(rng):
    return np.array([(0.0, 0.0, 1.0, 2.0)])


def _none(rng):
    return np.zeros((0, 4))


SCENES = {
    "random": _random,
    "clustered": _clustered,
    "a column": _column,
    "all identical": _identical,
    "all touching": _touching,
    "points": _points,
    "one giant": _giant,
    "sizes 1:1000": _sizes,
    "a million meters away": _far,
    "on a line": _collinear,
    "denormals": _denormals,
    "tenths": _tenths,
    "as wide as float64": _wide,
    "walls": _walls,
    "all levels": _all_levels,
    "a floor": _floor,
    "one": _one,
    "none": _none,
}


def scene(name, seed):
    return SCENES[name](np.random.default_rng(seed))


def questions(boxes, rng, n):
    """Return regions (n, 4), and origins and translations (n, 2) of segments, many of them along sides and through corners of `boxes`."""
    places = boxes.reshape(-1, 2) if len(boxes) else np.array([(0.0, 0.0), (1.0, 1.0)])
    ends = places[rng.integers(0, len(places), (2, n))]
    regions = np.hstack((np.minimum(*ends), np.maximum(*ends)))
    origins = places[rng.integers(0, len(places), n)]
    with np.errstate(over="ignore"):
        ways = places[rng.integers(0, len(places), n)] - origins
    ways = np.clip(ways, -1.7e308, 1.7e308) * rng.choice((0.0, 0.5, 1.0, 1.0, 1.0), (n, 1))
    ways[rng.random(n) < 0.2, 0] = 0.0
    ways[rng.random(n) < 0.2, 1] = 0.0
    return regions, origins, ways


def check_questions(broad_phase, truth, rng, n):
    """Check that a structure's pairs, regions and rays equal those of brute force."""
    inputs = questions(truth._boxes, rng, n)
    np.testing.assert_array_equal(broad_phase.pairs(), truth.pairs())
    np.testing.assert_array_equal(broad_phase.regions(inputs[0]), truth.regions(inputs[0]))
    np.testing.assert_array_equal(broad_phase.rays(*inputs[1:]), truth.rays(*inputs[1:]))
