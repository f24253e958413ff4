"""Faults planted in rays and points, of either side, must come out as unexplained."""

import numpy as np
import pytest

from engine.box2d.oracle.points import PointOracle
from engine.common.errors import InvalidInputError
from engine.compare.cases import RayChunk, case_chunk, ray_chunk
from engine.compare.queries import Rays, our_points, our_rays, posed_rays
from engine.compare.questions.ray_cast import judge_points, judge_rays
from engine.contracts import Status
from engine.geometry import Circle, Segment
from engine.narrowphase.packing import pack
from tests.unit.compare.columns import take

SEED, N = 21, 5000
CASES = case_chunk(SEED, 0, N)
RAYS = ray_chunk(CASES, SEED, 0)
ORACLE = PointOracle(CASES.shapes)
POSED = posed_rays(pack(ORACLE.shapes), RAYS)
FOUND = ORACLE.rays(RAYS.indices, RAYS.poses, RAYS.origins, RAYS.ends)
BOX2D = Rays.of(FOUND)
OURS = our_rays(POSED)
INSIDE, _ = ORACLE.contains(RAYS.indices, RAYS.poses, RAYS.origins)
VERDICTS = judge_rays(POSED, BOX2D, OURS)
# a fifth of the rays start on the surface on purpose, and those may be told either way
STARTS = our_points(POSED)
ON_SURFACE = [one.row for one in judge_points(POSED, ~STARTS, STARTS).differences if one.reason == "float32_tie"]
AGREEING = np.setdiff1d(np.arange(N), [one.row for one in VERDICTS.differences] + ON_SURFACE)
AT_RANDOM = (CASES.family < 0) & (RAYS.family < 0)  # near the origin, at no limit
HITS = AGREEING[AT_RANDOM[AGREEING] & (BOX2D.status[AGREEING] == Status.HIT) & (BOX2D.fraction[AGREEING] > 0.1)][:300]
MISSES = AGREEING[AT_RANDOM[AGREEING] & (BOX2D.status[AGREEING] == Status.MISS)][:300]


def unexplained(verdicts):
    return sum(one.reason == "unexplained" for one in verdicts.differences)


def of(rays, rows, status=None, fraction=None, normal=None):
    return Rays(
        rays.status[rows] if status is None else np.full(len(rows), int(status)),
        rays.fraction[rows] if fraction is None else fraction,
        rays.normal[rows] if normal is None else normal,
    )


def planted(is_ours, rows, **fault):
    bad = of(OURS if is_ours else BOX2D, rows, **fault)
    good = of(BOX2D if is_ours else OURS, rows)
    return judge_rays(take(POSED, rows), *((good, bad) if is_ours else (bad, good)))


def test_without_a_fault_there_is_none():
    points = judge_points(POSED, INSIDE, our_points(POSED))
    assert unexplained(VERDICTS) == unexplained(points) == 0
    assert VERDICTS.n_agree + len(VERDICTS.differences) == N == points.n_agree + len(points.differences)
    assert {"float32_tie", "starts_inside"} <= {one.reason for one in VERDICTS.differences} <= {"float32_tie", "starts_inside", "short_ray"}
    assert {one.reason for one in points.differences} == {"float32_tie"}
    assert len(HITS) == 300 and len(MISSES) == 300


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_hit_left_out(is_ours):
    # a ray that ends on the surface may well miss it
    verdicts = planted(is_ours, HITS, status=Status.MISS)
    ending = BOX2D.fraction[HITS] > 0.999
    assert unexplained(verdicts) >= (~ending).sum() - 0.02 * len(HITS)
    assert (~ending).sum() > 100


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_hit_where_nothing_is(is_ours):
    verdicts = planted(is_ours, MISSES, status=Status.HIT, fraction=np.full(len(MISSES), 0.5), normal=np.tile((1.0, 0.0), (len(MISSES), 1)))
    assert unexplained(verdicts) == len(MISSES)


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("shift", [0.02, -0.02])
def test_a_hit_at_a_wrong_place(is_ours, shift):
    verdicts = planted(is_ours, HITS, fraction=(OURS if is_ours else BOX2D).fraction[HITS] + shift)
    assert unexplained(verdicts) >= 0.97 * len(HITS)  # the others run along an edge, or are very short


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_wrong_normal(is_ours):
    verdicts = planted(is_ours, HITS, normal=-(OURS if is_ours else BOX2D).normal[HITS])
    polygons = np.array([not isinstance(ORACLE.shapes[shape], Circle) for shape in RAYS.indices[HITS]])
    assert unexplained(verdicts) >= 0.97 * polygons.sum()


def test_a_start_inside_that_is_not():
    bad = of(OURS, MISSES, status=Status.OVERLAPPING, fraction=np.zeros(len(MISSES)))
    assert unexplained(judge_rays(take(POSED, MISSES), of(BOX2D, MISSES), bad)) >= 0.97 * len(MISSES)


def test_a_wrong_containment():
    verdicts = judge_points(POSED, ~STARTS, STARTS)
    assert unexplained(verdicts) == N - len(ON_SURFACE) > 0.7 * N


EDGE = Segment((-1.0, 0.0), (1.0, 0.0))


def at_edge(pose, origin, end, normal=None, fraction=None):
    """Judge Box2D's answer at one edge, or another in its place, against ours."""
    oracle = PointOracle([EDGE, Circle(0.5)])
    rays = RayChunk(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), *(np.array([row]) for row in (pose, origin, end)))
    found = oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    told = Rays(
        np.where(found.hit, int(Status.HIT), int(Status.MISS)),
        found.fraction if fraction is None else np.array([fraction]),
        found.normal if normal is None else np.array([normal]),
    )
    posed = posed_rays(pack(oracle.shapes), rays)
    verdicts = judge_rays(posed, told, our_rays(posed))
    return [one.reason for one in verdicts.differences]


def test_an_edge_answers_its_normal_in_its_own_frame():
    turned, origin, end = (0.0, 0.0, 0.5), (0.25, 1.0), (0.0, -1.0)
    assert at_edge((0.0, 0.0, 0.0), origin, end) == []
    assert at_edge(turned, origin, end) == ["local_normal"]
    assert at_edge(turned, origin, end, normal=(0.0, -1.0)) == ["unexplained"]  # the other side, whichever frame
    assert at_edge(turned, origin, end, fraction=0.25) == ["unexplained"]


def test_rays_along_an_edge_and_through_its_ends_are_ties():
    here = (0.0, 0.0, 0.0)
    for origin, end in (((-2.0, 0.0), (2.0, 0.0)), ((1.0, 1.0), (1.0, -1.0)), ((0.5, 1.0), (0.5, 0.0)), ((1.0, 0.0), (1.0, 0.0))):
        assert set(at_edge(here, origin, end)) <= {"float32_tie"}
    assert at_edge(here, (-2.0, 0.0), (2.0, 0.0)) == ["float32_tie"]
    assert at_edge(here, (1.5, 1.0), (1.5, -1.0)) == []  # past the end


@pytest.mark.parametrize(("length", "reason"), [(2.0**-12, "short_ray"), (2.0**-10, None)])
def test_circles_answer_no_short_ray(length, reason):
    oracle = PointOracle([Circle(0.5)])
    rays = RayChunk(
        np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros((1, 3)), np.array([[0.5 + length / 2, 0.0]]),
        np.array([[0.5 - length / 2, 0.0]]),
    )  # fmt: skip
    found = oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    told = Rays(np.where(found.hit, int(Status.HIT), int(Status.MISS)), found.fraction, found.normal)
    posed = posed_rays(pack(oracle.shapes), rays)
    differences = judge_rays(posed, told, our_rays(posed)).differences
    assert [one.reason for one in differences] == ([] if reason is None else [reason])


def test_the_oracle_takes_float32_numbers_and_known_shapes_only():
    oracle = PointOracle([Circle(1.0)])
    assert oracle.contains([0], [(0.0, 0.0, 0.0)], [(0.5, 0.5)])[0].tolist() == [True]
    assert PointOracle([EDGE]).contains([0], [(0.0, 0.0, 0.0)], [(0.5, 0.0)])[0].tolist() == [False]  # an edge has no inside
    with pytest.raises(InvalidInputError, match="points must be numbers representable in float32"):
        oracle.contains([0], [(0.0, 0.0, 0.0)], [(0.1, 0.0)])
    with pytest.raises(InvalidInputError, match="indices must be indices from 0 to 0, got 1"):
        oracle.rays([1], [(0.0, 0.0, 0.0)], [(0.5, 0.0)], [(1.0, 0.0)])


def test_a_start_inside_that_neither_tells():
    deep = np.array([one.row for one in VERDICTS.differences if one.reason == "starts_inside" and AT_RANDOM[one.row] and one.size > 1e-3])
    missed = of(OURS, deep, Status.MISS)
    assert unexplained(judge_rays(take(POSED, deep), of(BOX2D, deep), missed)) == len(deep) > 100


def test_a_grazing_hit_has_to_have_a_normal_of_its_place():
    grazing = [one.row for one in VERDICTS.differences if one.reason == "float32_tie"]
    rows = np.array([row for row in grazing if OURS.status[row] == Status.HIT and BOX2D.status[row] == Status.MISS])
    assert len(rows) > 5
    assert unexplained(planted(True, rows)) == 0
    assert unexplained(planted(True, rows, normal=3.0 * OURS.normal[rows])) == len(rows)
