"""Boxes, masses and hulls: what Box2D says agrees or is explained; faults planted on either side come out as unexplained."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import Box2D
import numpy as np
import pytest

from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.properties import ShapeOracle
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.compare.cases import PAIR_KINDS, case_chunk
from engine.compare.cases.properties import HULL_FAMILIES, MASS_FAMILIES, box_rows, mass_chunk, point_sets
from engine.compare.proofs.mass_rounding import replayed_kept_centroid, replayed_mass
from engine.compare.questions.aabb import exact_box, judge_boxes, our_boxes, posed_boxes
from engine.compare.questions.hull import judge_hulls, our_hulls
from engine.compare.questions.mass import box2d_masses, judge_masses, our_masses
from engine.exact.masses import exact_mass
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.narrowphase.packing import pack

SEED, N = 17, 2000
CASES = case_chunk(SEED, 0, N, PAIR_KINDS)


def reasons(verdicts):
    return Counter(one.reason for one in verdicts.differences)


# boxes

SHAPES = ShapeOracle(CASES.shapes)
INDICES = box_rows(CASES, SEED, 0)
BOXES = posed_boxes(pack(SHAPES.shapes), INDICES, CASES.poses_a)
BOX2D_BOXES, _ = SHAPES.boxes(INDICES, CASES.poses_a)


def test_boxes_agree_for_every_kind_of_shape():
    kinds = Counter(type(SHAPES.shapes[at]) for at in INDICES.tolist())
    assert min(kinds[kind] for kind in (Circle, Polygon, Segment)) > 200
    verdicts = judge_boxes(BOXES, BOX2D_BOXES, our_boxes(BOXES))
    assert verdicts.n_agree == N
    assert 0.0 < verdicts.max_point_error < 0.01


def test_each_shape_has_the_box_that_the_batch_has():
    for row in range(500):
        x, y, angle = CASES.poses_a[row].tolist()
        box = SHAPES.shapes[INDICES[row]].aabb(Transform((x, y), angle))
        np.testing.assert_allclose((*box.lower, *box.upper), our_boxes(BOXES)[row], rtol=0.0, atol=1e-6 * BOXES.allowed[row])


def test_the_exact_box_lies_between():
    for row in range(200):
        exact = [float(side) for side in exact_box(BOXES, row)]
        assert np.abs(exact - BOX2D_BOXES[row]).max() <= BOXES.allowed[row]


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_side_that_is_off(side, is_ours):
    bad = (our_boxes(BOXES) if is_ours else BOX2D_BOXES).copy()
    bad[:, side] += 2.5 * BOXES.allowed
    verdicts = judge_boxes(BOXES, BOX2D_BOXES, bad) if is_ours else judge_boxes(BOXES, bad, our_boxes(BOXES))
    assert reasons(verdicts) == {"unexplained": N}
    assert verdicts.differences[0].evidence.startswith("ours is" if is_ours else "Box2D's is")


def test_a_skin_left_out():
    bare = BOX2D_BOXES + 0.01 * np.array((1.0, 1.0, -1.0, -1.0))
    is_skinned = np.array([not isinstance(SHAPES.shapes[at], Circle) for at in INDICES.tolist()])
    is_near = BOXES.allowed < 0.001
    missed = {one.row for one in judge_boxes(BOXES, bare, our_boxes(BOXES)).differences}
    assert set(np.flatnonzero(is_skinned & is_near).tolist()) <= missed
    assert (is_skinned & is_near).sum() > 1000


# masses

CHUNK = mass_chunk(CASES, SEED, 0, N)
BODIES = ShapeOracle(CHUNK.shapes, CHUNK.otherwise)
DENSITY = CHUNK.density
FOUND = BODIES.masses(DENSITY)
BOX2D_MASSES = box2d_masses(FOUND, BODIES.centroids)
OURS = our_masses(BODIES.shapes, DENSITY)
VERDICTS = judge_masses(BODIES.shapes, DENSITY, BOX2D_MASSES, OURS)
CALM = np.setdiff1d(np.arange(N), [one.row for one in VERDICTS.differences])


def only(masses, rows):
    return type(masses)(*(getattr(masses, name)[rows] for name in ("mass", "centroid", "inertia", "kept", "is_refused")))


def test_masses_agree_or_are_lost_by_cancellation():
    found = reasons(VERDICTS)
    assert set(found) <= {"cancellation", "too_small"}
    assert found["cancellation"] > 300
    assert VERDICTS.n_agree == len(CALM) > 1000
    assert VERDICTS.maxima["max_relative_error"] < 1e-4
    families = Counter(MASS_FAMILIES[CHUNK.family[one.row]] for one in VERDICTS.differences)
    assert families["far"] + families["far_needle"] > 0.5 * len(VERDICTS.differences)


def test_box2d_s_sums_repeated_in_float32_end_at_its_bits():
    for row, shape in enumerate(BODIES.shapes):
        if isinstance(shape, Polygon) and not FOUND.is_refused[row]:
            center, inertia = replayed_mass(shape.vertices, float(DENSITY[row]))
            assert (*center, inertia) == (*FOUND.center[row], FOUND.inertia[row])
            assert replayed_kept_centroid(shape.vertices) == tuple(BODIES.centroids[row])


def test_a_wrong_centroid_where_no_bound_holds():
    undetermined = [one.row for one in VERDICTS.differences if "half of the area" in one.evidence]
    assert len(undetermined) > 10
    shapes, density = [BODIES.shapes[row] for row in undetermined], DENSITY[undetermined]
    ours, theirs = only(OURS, undetermined), only(BOX2D_MASSES, undetermined)
    assert set(reasons(judge_masses(shapes, density, theirs, ours))) == {"cancellation"}
    wrong = replace(theirs, kept=np.nextafter(theirs.kept.astype(np.float32), np.float32(np.inf)).astype(np.float64))
    wrong = replace(wrong, centroid=np.nextafter(theirs.centroid.astype(np.float32), np.float32(np.inf)).astype(np.float64))
    assert reasons(judge_masses(shapes, density, wrong, ours))["unexplained"] == len(undetermined)


def test_our_masses_are_the_exact_ones():
    for row in range(0, N, 7):
        mass, center, inertia = exact_mass(BODIES.shapes[row], float(DENSITY[row]))
        reach = max(abs(float(x)) for x in center) + math.sqrt(float(inertia / mass))
        assert abs(float(Fraction(OURS.mass[row]) / mass - 1)) < 1e-10
        assert max(abs(float(Fraction(OURS.centroid[row, k]) - center[k])) for k in range(2)) < 1e-10 * reach
        assert abs(float(Fraction(OURS.inertia[row]) / inertia - 1)) < 1e-8


def test_a_fixture_has_the_mass_of_its_shape():
    world = Box2D.b2World()
    for shape, density in zip(CHUNK.shapes[:200], DENSITY[:200].tolist(), strict=True):
        try:
            oracle = ShapeOracle([shape])
        except InvalidShapeError:
            continue
        found = oracle.masses([density])
        made = Box2D.b2CircleShape(pos=shape.center, radius=shape.radius) if isinstance(shape, Circle) else None
        made = made or Box2D.b2PolygonShape(vertices=shape.vertices.tolist())
        data = world.CreateStaticBody().CreateFixture(shape=made, density=density).massData
        if not found.is_refused[0]:
            assert (data.mass, data.center.x, data.center.y, data.I) == (found.mass[0], *found.center[0], found.inertia[0])


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("column", ["mass", "centroid", "inertia", "kept"])
def test_a_wrong_mass(column, is_ours):
    rows = CALM[:500]
    shapes, density = [BODIES.shapes[row] for row in rows], DENSITY[rows]
    ours, theirs = only(OURS, rows), only(BOX2D_MASSES, rows)
    good = ours if is_ours else theirs
    change = 1e-3 if column in ("mass", "inertia") else 0.0
    # in place of the centroid some other point of the shape: a thousandth of its size away
    shift = 1e-3 * np.sqrt(np.abs(good.inertia / good.mass))
    values = getattr(good, column)
    bad = replace(good, **{column: values * (1.0 + change) if change else values + shift[:, None]})
    verdicts = judge_masses(shapes, density, theirs, bad) if is_ours else judge_masses(shapes, density, bad, ours)
    assert reasons(verdicts)["unexplained"] >= 0.97 * len(rows)  # float32 knows needles, and shapes far off, no better


def test_inertia_about_the_wrong_point():
    rows = CALM[np.hypot(*OURS.centroid[CALM].T) > 0.2][:200]
    about_origin = replace(only(OURS, rows), inertia=FOUND.inertia[rows])
    shapes = [BODIES.shapes[row] for row in rows]
    verdicts = judge_masses(shapes, DENSITY[rows], only(BOX2D_MASSES, rows), about_origin)
    assert reasons(verdicts) == {"unexplained": len(rows)}
    assert len(rows) > 100


def test_a_mass_that_box2d_refuses():
    shapes = [Polygon([(0.0, 0.0), (2.0**-11, 0.0), (0.0, 2.0**-11)]), Polygon.box(0.5, 0.5)]
    ours = our_masses(shapes, np.ones(2))
    refused = replace(ours, is_refused=np.ones(2, dtype=np.bool_))
    small, ordinary = judge_masses(shapes, np.ones(2), refused, ours).differences
    assert small.reason == "too_small"
    assert ordinary.reason == "unexplained"


# hulls

SETS = point_sets(SEED, 0, N)
HULLS = box2d_hulls(SETS)
OUR_HULLS = our_hulls(SETS)


def test_hulls_agree_or_are_explained():
    verdicts = judge_hulls(SETS, HULLS, OUR_HULLS)
    found = reasons(verdicts)
    assert set(found) == {"float32_tie", "too_small", "cancellation", "endless"}
    assert verdicts.n_agree + len(verdicts.differences) == N
    assert verdicts.n_agree > 0.85 * N
    assert 0.0 < verdicts.maxima["max_tie"] < 1e-5
    tied = {HULL_FAMILIES[one.row % len(HULL_FAMILIES)] for one in verdicts.differences if one.reason == "float32_tie"}
    assert tied <= {"nearly_on_line", "edge_points", "far"}


def test_box2d_follows_the_rule_that_is_repeated():
    for points, corners, order, n in zip(SETS, HULLS.corners, HULLS.wrapped, HULLS.n_wrapped, strict=True):
        if corners is not None:
            assert np.array_equal(corners, points[order[:n]])


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("fault", ["drop", "repeat", "reverse", "none"])
def test_a_wrong_hull(fault, is_ours):
    rows = [row for row in range(0, N, 8) if len(OUR_HULLS[row]) > 4]  # uniform points: no ties
    change = {
        "drop": lambda hull: hull[1:],
        "repeat": lambda hull: np.vstack((hull, hull[:1])),
        "reverse": lambda hull: hull[::-1],
        "none": lambda hull: None,
    }[fault]
    sets = [SETS[row] for row in rows]
    ours = [OUR_HULLS[row] for row in rows]
    theirs = box2d_hulls(sets)
    if is_ours:
        ours = [change(hull) for hull in ours]
    else:
        theirs = replace(theirs, corners=tuple(change(hull) for hull in theirs.corners))
    assert reasons(judge_hulls(sets, theirs, ours)) == {"unexplained": len(rows)}
    assert len(rows) > 100


def test_a_hull_that_box2d_would_not_end():
    # four points that would end the process: found by `compare --queries hull`
    points = np.array([(-3.0564534664154053, 0.7739543318748474), (-2.7416062355041504, 0.9171338081359863),
                       (-2.504412889480591, 1.0249994993209839), (-4.1764020919799805, 0.2646484076976776)])  # fmt: skip
    found = box2d_hulls([points])
    assert found.n_wrapped.tolist() == [-1]
    assert found.corners == (None,)
    (one,) = judge_hulls([points], found, our_hulls([points])).differences
    assert one.reason == "endless"
    assert "never lead back to the first" in one.evidence


def test_what_the_oracles_refuse():
    with pytest.raises(InvalidInputError, match=r"sets\[0\] must be 3 to 16 points, got 2"):
        box2d_hulls([np.zeros((2, 2))])
    with pytest.raises(InvalidInputError, match=r"sets\[0\] must be numbers representable in float32"):
        box2d_hulls([np.full((3, 2), 0.1)])
    with pytest.raises(InvalidInputError, match="density must be numbers representable in float32"):
        ShapeOracle([Circle(1.0)]).masses([0.1])
    with pytest.raises(InvalidInputError, match="indices must be indices from 0 to 0, got 3"):
        ShapeOracle([Circle(1.0)]).boxes([3], [(0.0, 0.0, 0.0)])
