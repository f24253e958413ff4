"""Faults planted in rays and points, of either side, must come out as unexplained."""

import numpy as np
import pytest

from engine.box2d.point_oracle import PointOracle
from engine.common.errors import InvalidInputError
from engine.compare import bulk
from engine.compare.cases import case_chunk, ray_chunk
from engine.compare.rays import Rays, judge_points, judge_rays, our_points, our_rays, posed_rays
from engine.contracts import Status
from engine.geometry import Circle
from engine.narrowphase.packing import pack

SEED, N = 21, 3000
CASES = case_chunk(SEED, 0, N)
RAYS = ray_chunk(CASES, SEED, 0)
ORACLE = PointOracle(CASES.shapes)
POSED = posed_rays(pack(ORACLE.shapes), RAYS)
FOUND = ORACLE.rays(RAYS.indices, RAYS.poses, RAYS.origins, RAYS.ends)
BOX2D = Rays(np.where(FOUND.hit, int(Status.HIT), int(Status.MISS)), FOUND.fraction, FOUND.normal)
OURS = our_rays(POSED)
INSIDE, _ = ORACLE.contains(RAYS.indices, RAYS.poses, RAYS.origins)
VERDICTS = judge_rays(POSED, BOX2D)
# a fifth of the rays start on the surface on purpose, and those may be told either way
STARTS = our_points(POSED)
ON_SURFACE = [one.row for one in judge_points(POSED, ~STARTS, STARTS).differences if one.reason == "float32_tie"]
AGREEING = np.setdiff1d(np.arange(N), [one.row for one in VERDICTS.differences] + ON_SURFACE)
HITS = AGREEING[(BOX2D.status[AGREEING] == Status.HIT) & (BOX2D.fraction[AGREEING] > 0.1)][:300]
MISSES = AGREEING[BOX2D.status[AGREEING] == Status.MISS][:300]


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
    return judge_rays(POSED.take(rows), *((good, bad) if is_ours else (bad, good)))


def test_without_a_fault_there_is_none():
    points = judge_points(POSED, INSIDE)
    assert unexplained(VERDICTS) == unexplained(points) == 0
    assert VERDICTS.n_agree + len(VERDICTS.differences) == N == points.n_agree + len(points.differences)
    assert {one.reason for one in VERDICTS.differences} == {"float32_tie", "starts_inside"}
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
    assert unexplained(judge_rays(POSED.take(MISSES), of(BOX2D, MISSES), bad)) >= 0.97 * len(MISSES)


def test_a_wrong_containment():
    verdicts = judge_points(POSED, ~STARTS, STARTS)
    assert unexplained(verdicts) == N - len(ON_SURFACE) > 0.75 * N


def test_jobs_do_not_change_what_is_found():
    def deterministic(found):
        return {query: {key: value for key, value in one.items() if not key.endswith("_per_s")} for query, one in found["queries"].items()}

    one, two = (deterministic(bulk.compare(10_400, 5, ("ray_cast", "contains"), jobs)) for jobs in (1, 2))
    assert one == two
    assert one["ray_cast"]["unexplained"] == one["contains"]["unexplained"] == 0


def test_the_oracle_takes_float32_numbers_and_known_shapes_only():
    oracle = PointOracle([Circle(1.0)])
    assert oracle.contains([0], [(0.0, 0.0, 0.0)], [(0.5, 0.5)])[0].tolist() == [True]
    with pytest.raises(InvalidInputError, match="points must be numbers that float32 holds"):
        oracle.contains([0], [(0.0, 0.0, 0.0)], [(0.1, 0.0)])
    with pytest.raises(InvalidInputError, match="indices must be indices from 0 to 0, got 1"):
        oracle.rays([1], [(0.0, 0.0, 0.0)], [(0.5, 0.0)], [(1.0, 0.0)])
