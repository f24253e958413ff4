"""One suite for all structures: pairs, regions and rays equal those of brute force, whatever boxes came before."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broadphase import STRUCTURES, BruteForce
from engine.broadphase.sketch import AxisSketch, CellSketch, PlainSketch, TreeSketch
from engine.common.errors import InvalidInputError
from tests.unit.broadphase.scenes import SCENES, around, check_questions, scene

EACH = pytest.mark.parametrize("structure", STRUCTURES, ids=lambda structure: structure.__name__)
FAST = pytest.mark.parametrize("structure", STRUCTURES[1:], ids=lambda structure: structure.__name__)
N_QUESTIONS = 24


@pytest.fixture(autouse=True)
def _no_word_of_overflow():
    """NumPy warns about numbers near the limit of float64 if kernels are not compiled."""
    with np.errstate(all="ignore"):
        yield


def test_every_structure_has_a_name_of_its_own():
    assert len({structure.name for structure in STRUCTURES}) == len(STRUCTURES)
    assert all(structure.name for structure in STRUCTURES)


@FAST
@pytest.mark.parametrize("name", SCENES)
def test_every_scene(structure, name):
    """First all boxes, then all slightly moved, then entirely different ones: cached data must not affect later results."""
    rng = np.random.default_rng(1)
    broad_phase, truth = structure(), BruteForce()
    boxes = scene(name, 1)
    for current in (boxes, np.nextafter(boxes, np.inf), boxes[::-1].copy(), scene("random", 2), boxes):
        np.testing.assert_array_equal(broad_phase.pairs(current), truth.pairs(current))
        check_questions(broad_phase, truth, rng, N_QUESTIONS)


coordinates = st.floats(-1e3, 1e3) | st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-4, 4).map(float)
extents = st.floats(0.0, 1e3) | st.integers(0, 2).map(float)


@given(st.lists(st.tuples(coordinates, coordinates, extents, extents), max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_boxes(rows):
    """Against the definition: closed boxes whose projections on both axes overlap."""
    boxes = [(x, y, x + width, y + height) for x, y, width, height in rows]
    expected = [
        [i, j]
        for (i, p), (j, q) in itertools.combinations(enumerate(boxes), 2)
        if p[0] <= q[2] and q[0] <= p[2] and p[1] <= q[3] and q[1] <= p[3]
    ]
    for structure in STRUCTURES:
        assert structure().pairs(boxes).tolist() == expected, structure.__name__


@FAST
@pytest.mark.parametrize(("reach", "share"), [(1e-9, 1.0), (0.05, 1.0), (0.3, 0.05), (30.0, 0.02), (30.0, 1.0)])
def test_small_motions_and_teleports(structure, reach, share):
    rng = np.random.default_rng(4)
    broad_phase, truth = structure(), BruteForce()
    boxes = scene("random", 4)
    broad_phase.update(boxes)
    truth.update(boxes)
    for _ in range(12):
        moved = np.flatnonzero(rng.random(len(boxes)) < share) if share < 1.0 else rng.permutation(len(boxes))
        ways = reach * rng.uniform(-1.0, 1.0, (len(moved), 2))
        boxes[moved] += np.tile(ways, 2)
        broad_phase.update(boxes)
        truth.update(boxes)
        check_questions(broad_phase, truth, rng, 6)


@EACH
def test_answers_are_sorted_and_new_each_time(structure):
    broad_phase = structure()
    boxes = scene("random", 5)
    pairs = broad_phase.pairs(boxes)
    assert pairs.dtype == np.int64 and (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.tolist() == sorted(pairs.tolist())
    kept = pairs.copy()
    pairs[:] = -1
    assert np.array_equal(broad_phase.pairs(), kept)
    overlaps = broad_phase.regions(boxes[:5])
    assert overlaps.tolist() == sorted(overlaps.tolist())
    boxes[:] = 0.0  # the caller's array is not the structure's own
    assert np.array_equal(broad_phase.pairs(), kept)


@EACH
def test_read_only_and_integer_boxes(structure):
    boxes = np.array([(0, 0, 2, 2), (1, 1, 3, 3), (9, 9, 9, 9)])
    locked = boxes.astype(float)
    locked.flags.writeable = False
    broad_phase = structure()
    for accepted in (boxes, locked, boxes.tolist(), np.asfortranarray(boxes), boxes.astype(np.float32)):
        assert broad_phase.pairs(accepted).tolist() == [[0, 1]]
    assert broad_phase.regions(locked).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]
    origins = locked[:, :2]
    assert broad_phase.rays(origins, origins).tolist() == [[0, 0], [1, 0], [1, 1], [2, 2]]


@EACH
def test_segments(structure):
    """Along a side, into a corner, from inside, ending just before the box, of zero length, and vertical."""
    broad_phase = structure()
    broad_phase.update([(0.0, 0.0, 2.0, 1.0)])
    cases = [
        ((-1.0, 1.0), (5.0, 0.0), True),  # along the upper side
        ((-1.0, 2.0), (1.0, -1.0), True),  # ends in the upper left corner
        ((-1.0, 2.0), (1.0, -np.nextafter(1.0, 0.0)), False),  # ends a hair above it
        ((1.0, 0.5), (0.1, 0.0), True),  # inside all the way
        ((1.0, 0.5), (9.0, 9.0), True),  # from inside
        ((-1.0, 0.5), (np.nextafter(1.0, 0.0), 0.0), False),  # ends a hair to the left
        ((-1.0, 0.5), (1.0, 0.0), True),  # ends on the left side
        ((2.0, 0.0), (0.0, 0.0), True),  # a point on a corner
        ((3.0, 0.0), (0.0, 0.0), False),  # a point outside
        ((1.0, -3.0), (0.0, 9.0), True),  # straight up through it
        ((2.1, -3.0), (0.0, 9.0), False),  # straight up past it
        ((1.0, 3.0), (0.0, -9.0), True),  # straight down
        ((3.0, 0.5), (1.0, 0.0), False),  # away from it
        ((1e308, 0.5), (-1.5e308, 0.0), True),  # from the end of float64
        ((-1.0, 0.5), (5e-324, 0.0), False),  # as short as a way can be, outside
        ((0.0, 0.5), (-5e-324, 0.0), True),  # and from the side outwards
    ]
    hits = broad_phase.rays([case[0] for case in cases], [case[1] for case in cases])
    assert hits.tolist() == [[row, 0] for row, case in enumerate(cases) if case[2]]


integers = st.integers(-20, 20)
real = st.floats(-1e3, 1e3) | integers.map(float) | st.sampled_from((0.0, 1e-300, 5e-324, -5e-324, 0.1, 1 / 3))


@given(st.tuples(real, real), st.tuples(real, real), st.tuples(real, real), st.tuples(real, real))
@settings(max_examples=400, deadline=None)
def test_no_segment_that_touches_a_box_exactly_is_missed(origin, way, corner, other):
    """Compared with rational arithmetic: every hit is found, and everything found is within the predicate's allowance of a hit."""
    box = [min(corner[0], other[0]), min(corner[1], other[1]), max(corner[0], other[0]), max(corner[1], other[1])]
    near, far, is_in = Fraction(0), Fraction(1), True
    for axis in (0, 1):
        o, d = Fraction(origin[axis]), Fraction(way[axis])
        low, high = Fraction(box[axis]), Fraction(box[axis + 2])
        if d == 0:
            is_in = is_in and low <= o <= high
        else:
            near, far = max(near, min((low - o) / d, (high - o) / d)), min(far, max((low - o) / d, (high - o) / d))
    broad_phase = BruteForce()
    broad_phase.update([box])
    is_found = len(broad_phase.rays([origin], [way])) == 1
    if is_in and near <= far:
        assert is_found
    if is_found:
        slack = Fraction(1, 2**48)
        assert is_in and near <= far * (1 + slack) + Fraction(1, 2**1000)


def test_a_box_around_a_hit_box_is_hit():
    """The predicate never rejects a box and accepts a smaller one inside it: trees rely on this to the last bit."""
    from engine.broadphase._brute_force_kernel import met_boxes

    rng = np.random.default_rng(6)
    n = 40
    boxes = np.concatenate(
        [scene(name, 6)[:n] for name in ("random", "tenths", "denormals", "a million meters away", "as wide as float64")]
    )
    grown = np.array([np.nextafter(boxes[:, k], -np.inf if k < 2 else np.inf) for k in range(4)]).T
    grown = np.clip(np.where(rng.random(grown.shape) < 0.5, grown, boxes), -1.7e308, 1.7e308)
    origins = np.concatenate((boxes[:, :2], boxes[:, 2:], rng.uniform(-9.0, 9.0, (n, 2))))[rng.permutation(2 * len(boxes) + n)[:n]]
    ways = np.concatenate((rng.uniform(-9.0, 9.0, (n // 2, 2)), boxes[rng.integers(0, len(boxes), n // 2), :2] - origins[: n // 2]))
    met, met_grown = (set(met_boxes(of, np.stack((origins, ways), axis=1)).tolist()) for of in (boxes, grown))
    assert met <= met_grown
    assert len(met) > n


@EACH
def test_a_sketch_shows_the_structure(structure):
    broad_phase = structure()
    boxes = scene("random", 7)
    for stored in (boxes, boxes[:1], boxes[:0]):
        broad_phase.update(stored)
        shown = broad_phase.sketch()
        assert isinstance(shown, PlainSketch | CellSketch | AxisSketch | TreeSketch)
        if isinstance(shown, AxisSketch):
            for axis, proxies, lower, upper in zip(shown.axes, shown.proxies, shown.lower, shown.upper, strict=True):
                assert sorted(proxies.tolist()) == list(range(len(stored)))
                assert np.array_equal(lower, np.sort(stored[:, axis])) and np.array_equal(upper, stored[proxies, axis + 2])
        elif isinstance(shown, CellSketch):
            assert len(shown.cells) == len(shown.counts) == len(shown.is_oversize)
            assert shown.counts.sum() >= len(stored) and (shown.counts > 0).all()
        elif isinstance(shown, TreeSketch):
            leaves = shown.proxies[shown.proxies >= 0]
            assert sorted(leaves.tolist()) == list(range(len(stored)))
            held = shown.boxes[shown.proxies >= 0]
            assert (held[:, :2] <= stored[leaves, :2]).all() and (held[:, 2:] >= stored[leaves, 2:]).all()


NAN = float("nan")


REFUSED = (
    (lambda broad_phase: broad_phase.pairs([(0, 0, 1)]), "aabbs must be a .n, 4. array"),
    (lambda broad_phase: broad_phase.update([(0, 0, 1, NAN)]), r"aabbs\[0\] must be finite"),
    (lambda broad_phase: broad_phase.update([(0, 0, 1, 1), (2, 0, 1, 1)]), r"aabbs\[1\] must be lower <= upper, got \[2"),
    (lambda broad_phase: broad_phase.update("boxes"), "aabbs must be a .n, 4. array"),
    (lambda broad_phase: broad_phase.regions([(1, 0, 0, 1)]), r"aabbs\[0\] must be lower <= upper"),
    (lambda broad_phase: broad_phase.rays([(0, NAN)], [(1, 1)]), r"origins\[0\] must be finite"),
    (lambda broad_phase: broad_phase.rays([(0, 0)], [(1, float("inf"))]), r"translations\[0\] must be finite"),
    (lambda broad_phase: broad_phase.rays([(0, 0)], [(1, 1), (2, 2)]), r"translations must be a .1, 2. array"),
    (lambda broad_phase: broad_phase.rays([(0, 0)], []), r"translations must be a .1, 2. array"),
    (lambda broad_phase: broad_phase.rays([(0, 0, 0)], [(1, 1)]), r"origins must be a .n, 2. array"),
    (lambda broad_phase: broad_phase.update([(0, 0, 1, 1), (2, 2)]), "aabbs must be a .n, 4. array"),
    (lambda broad_phase: broad_phase.rays([(0, 0), (1,)], [(1, 1), (1, 1)]), r"origins must be a .n, 2. array"),
)
"""Questions with what their error says."""


@EACH
def test_bad_input_is_rejected_and_changes_nothing(structure):
    broad_phase = structure()
    broad_phase.update([(0, 0, 2, 2), (1, 1, 3, 3)])
    for ask, message in REFUSED:
        with pytest.raises(InvalidInputError, match=message):
            ask(broad_phase)
        assert len(broad_phase) == 2 and broad_phase.pairs().tolist() == [[0, 1]], message
        assert broad_phase.regions([(0, 0, 9, 9)]).tolist() == [[0, 0], [0, 1]], message


@EACH
def test_empty_queries_of_empty_structures(structure):
    broad_phase = structure()
    for fill in ([], around(np.zeros((1, 2)), np.ones((1, 2)))):
        broad_phase.update(fill)
        assert broad_phase.pairs().shape == (0, 2)
        assert broad_phase.regions([]).shape == broad_phase.rays([], []).shape == (0, 2)
        assert len(broad_phase) == len(fill)
