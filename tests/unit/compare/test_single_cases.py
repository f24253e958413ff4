"""Known single cases of the queries, Box2D's results, and inputs that its oracles reject."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import Box2D
import numpy as np
import pytest

from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.points import PointOracle
from engine.box2d.oracle.properties import ShapeOracle
from engine.common.errors import InvalidInputError
from engine.compare.cases import PAIR_KINDS
from engine.compare.pair.file import Pair
from engine.compare.pair.held import held
from engine.compare.proofs.mass_rounding import replayed_kept_centroid, replayed_mass
from engine.compare.questions.aabb import exact_box
from engine.compare.questions.hull import judge_hulls, our_hulls
from engine.compare.questions.mass import MassCases, judge_masses, our_masses
from engine.compare.questions.registry import QUESTIONS
from engine.contracts import Status
from engine.exact.masses import exact_mass
from engine.geometry import Circle, Polygon, Segment, Transform
from tests.unit.compare.asked import Asked, reasons

BOXES, MASSES, HULLS = (Asked(name, 1000, 17, PAIR_KINDS) for name in ("aabb", "mass", "hull"))
EDGE = Segment((-1.0, 0.0), (1.0, 0.0))
HERE, DISC = [(0.0, 0.0, 0.0)], [Circle(1.0)]


def verdict(pair, **changes):
    """Return the reasons of the only row, with Box2D's answer or a replacement."""
    question = QUESTIONS[pair.query]
    cases, _ = question.from_pair(held(pair))
    columns, (box2d, _) = question.columns(cases), question.box2d(cases)
    changed = replace(box2d, **{name: np.array([value]) for name, value in changes.items()})
    return list(reasons(question.judge(columns, changed, question.ours(columns)))), box2d


def pose(x, y, angle):
    return Transform((x, y), angle)


# --- Pairs


def test_box2d_gives_up_on_a_spin_and_says_so():
    shapes = Polygon.box(0.86059177, 0.59905213), Polygon.box(0.66287559, 0.6689862)
    start_a, end_a = (
        pose(-6.90324592590332, -2.6846764087677, 5.511681079864502),
        pose(-6.314976692199707, -0.5768146514892578, -17.071619033813477),
    )
    start_b, end_b = (
        pose(-9.055325508117676, -1.9328974485397339, 11.399102210998535),
        pose(-11.418701171875, -4.277660846710205, -29.572479248046875),
    )
    reasons_given, box2d = verdict(Pair("toi", shapes[0], start_a, shapes[1], start_b, end_a, end_b))
    assert box2d.status.tolist() == [Status.OUT_OF_ITERATIONS] and reasons_given in (["gave_up"], ["toi_missed"])


def test_a_circle_between_an_edge_and_its_corner():
    # Box2D took the direction from the corner, 6 cm away, which float32 knows to 1e-5 only; ours is the edge's
    circle = Circle(0.2146996557712555, (0.04516003280878067, -0.19965966045856476))
    box = Polygon.box(1.246233224868774, 0.009396977722644806)
    reasons_seen = set()
    for step in range(-40, 41):
        pair = Pair("manifold", circle, pose(-4.01622343, 6.82024574, 0.0), box, pose(-5.27561808 + 1e-6 * step, 6.62998295, 0.0))
        seen, box2d = verdict(pair)
        reasons_seen |= set(seen)
        assert verdict(pair, normal=box2d.normal[0] + np.array([0.0, 1e-3]))[0] == ["unexplained"]
    assert reasons_seen == {"float32_tie"}


@pytest.mark.parametrize(
    ("angle", "origin", "end", "changes", "expected"),
    [
        (0.0, (0.25, 1.0), (0.0, -1.0), {}, []),
        (0.5, (0.25, 1.0), (0.0, -1.0), {}, ["local_normal"]),
        (0.5, (0.25, 1.0), (0.0, -1.0), {"normal": (0.0, -1.0)}, ["unexplained"]),  # the other side, whichever frame
        (0.5, (0.25, 1.0), (0.0, -1.0), {"fraction": 0.25}, ["unexplained"]),
        (0.0, (-2.0, 0.0), (2.0, 0.0), {}, ["float32_tie"]),  # along it
        (0.0, (1.5, 1.0), (1.5, -1.0), {}, []),  # past its end
    ],
)
def test_rays_at_an_edge(angle, origin, end, changes, expected):
    assert verdict(Pair("ray_cast", EDGE, pose(0.0, 0.0, angle), ray=(origin, end)), **changes)[0] == expected


@pytest.mark.parametrize("ray", [((1.0, 1.0), (1.0, -1.0)), ((0.5, 1.0), (0.5, 0.0)), ((1.0, 0.0), (1.0, 0.0))])
def test_rays_through_the_ends_of_an_edge_are_ties_at_most(ray):
    assert set(verdict(Pair("ray_cast", EDGE, ray=ray))[0]) <= {"float32_tie"}


@pytest.mark.parametrize(("length", "expected"), [(2.0**-12, ["short_ray"]), (2.0**-10, [])])
def test_circles_ignore_short_rays(length, expected):
    assert verdict(Pair("ray_cast", Circle(0.5), ray=((0.5 + length / 2, 0.0), (0.5 - length / 2, 0.0))))[0] == expected


# --- Boxes


def test_each_shape_has_the_box_that_the_batch_has():
    for row in range(500):
        box = BOXES.cases.oracle.shapes[BOXES.cases.indices[row]].aabb(pose(*BOXES.cases.poses[row].tolist()))
        np.testing.assert_allclose((*box.lower, *box.upper), BOXES.ours[row], rtol=0.0, atol=1e-6 * BOXES.columns.allowed[row])


def test_the_exact_box_lies_between_the_bounds():
    for row in range(200):
        exact = [float(side) for side in exact_box(BOXES.columns, row)]
        assert np.abs(exact - BOXES.box2d[row]).max() <= BOXES.columns.allowed[row]


# --- Masses


def test_box2d_s_sums_repeated_in_float32_give_the_same_bits():
    cases = MASSES.cases
    masses = cases.oracle.masses(cases.density)
    for row, shape in enumerate(cases.shapes):
        if isinstance(shape, Polygon) and not masses.is_refused[row]:
            center, inertia = replayed_mass(shape.vertices, float(cases.density[row]))
            assert (*center, inertia) == (*masses.center[row], masses.inertia[row])
            assert replayed_kept_centroid(shape.vertices) == tuple(cases.oracle.centroids[row])


def test_our_masses_are_exact():
    ours = MASSES.ours
    for row in range(0, MASSES.n, 4):
        mass, center, inertia = exact_mass(MASSES.cases.shapes[row], float(MASSES.cases.density[row]))
        reach = max(abs(float(x)) for x in center) + math.sqrt(float(inertia / mass))
        assert abs(float(Fraction(ours.mass[row]) / mass - 1)) < 1e-10
        assert max(abs(float(Fraction(ours.centroid[row, k]) - center[k])) for k in range(2)) < 1e-10 * reach
        assert abs(float(Fraction(ours.inertia[row]) / inertia - 1)) < 1e-8


def test_a_fixture_has_the_mass_of_its_shape():
    world, cases = Box2D.b2World(), MASSES.cases
    masses = cases.oracle.masses(cases.density)
    for row, (shape, density) in enumerate(zip(cases.shapes[:200], cases.density.tolist(), strict=False)):
        made = Box2D.b2CircleShape(pos=shape.center, radius=shape.radius) if isinstance(shape, Circle) else None
        made = made or Box2D.b2PolygonShape(vertices=shape.vertices.tolist())
        data = world.CreateStaticBody().CreateFixture(shape=made, density=density).massData
        if not masses.is_refused[row]:
            assert (data.mass, data.center.x, data.center.y, data.I) == (masses.mass[row], *masses.center[row], masses.inertia[row])


def test_a_mass_that_box2d_rejects():
    shapes = [Polygon([(0.0, 0.0), (2.0**-11, 0.0), (0.0, 2.0**-11)]), Polygon.box(0.5, 0.5)]
    cases = MassCases(ShapeOracle(DISC), shapes, np.ones(2), np.zeros(2, dtype=np.int64))
    ours = our_masses(cases)
    refused = replace(ours, is_refused=np.ones(2, dtype=np.bool_))
    assert [verdict.reason for verdict in judge_masses(cases, refused, ours).differences.values()] == ["too_small", "unexplained"]


# --- Hulls


def test_box2d_follows_the_replayed_rule():
    hulls = HULLS.box2d
    for points, corners, order, n in zip(HULLS.cases, hulls.corners, hulls.wrapped, hulls.n_wrapped, strict=True):
        assert corners is None or np.array_equal(corners, points[order[:n]])


def test_a_hull_for_which_box2d_would_not_terminate():
    # four points that would end the process: found by `compare --queries hull`
    points = np.array([(-3.0564534664154053, 0.7739543318748474), (-2.7416062355041504, 0.9171338081359863),
                       (-2.504412889480591, 1.0249994993209839), (-4.1764020919799805, 0.2646484076976776)])  # fmt: skip
    hulls = box2d_hulls([points])
    assert hulls.n_wrapped.tolist() == [-1] and hulls.corners == (None,)
    (difference,) = judge_hulls([points], hulls, our_hulls([points])).differences.values()
    assert difference.reason == "endless" and "never return to the first" in difference.evidence


# --- What the oracles reject


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: box2d_hulls([np.zeros((2, 2))]), r"sets\[0\] must be 3 to 16 points, got 2"),
        (lambda: box2d_hulls([np.full((3, 2), 0.1)]), r"sets\[0\] must be numbers representable in float32"),
        (lambda: ShapeOracle(DISC).masses([0.1]), "density must be numbers representable in float32"),
        (lambda: ShapeOracle(DISC).boxes([3], HERE), "indices must be indices from 0 to 0, got 3"),
        (lambda: PointOracle(DISC).contains([0], HERE, [(0.1, 0.0)]), "points must be numbers representable in float32"),
        (lambda: PointOracle(DISC).rays([1], HERE, [(0.5, 0.0)], [(1.0, 0.0)]), "indices must be indices from 0 to 0, got 1"),
    ],
)
def test_the_oracles_accept_only_float32_numbers_and_known_shapes(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_an_edge_has_no_inside():
    assert PointOracle(DISC).contains([0], HERE, [(0.5, 0.5)])[0].tolist() == [True]
    assert PointOracle([EDGE]).contains([0], HERE, [(0.5, 0.0)])[0].tolist() == [False]
