"""Faults planted in distances and times of impact, of either side, must come out as unexplained."""

import numpy as np
import pytest

from engine.box2d.oracle.held import round_pose, round_shape
from engine.box2d.oracle.pairs import PairOracle
from engine.compare.cases import MotionChunk, case_chunk, motion_chunk
from engine.compare.queries import Impacts, moving_pairs, our_distances, our_impacts, posed_pairs
from engine.compare.questions.distance import judge_distances
from engine.compare.questions.time_of_impact import judge_impacts
from engine.contracts import Status
from engine.geometry import Polygon
from engine.narrowphase.packing import pack
from tests.unit.compare.columns import take

SEED, N = 21, 1500
CASES = case_chunk(SEED, 0, N)
ORACLE = PairOracle(CASES.shapes)
PACKED = pack(ORACLE.shapes, ORACLE.centroids)
POSED = posed_pairs(PACKED, CASES.pairs, CASES.poses_a, CASES.poses_b)
DISTANCES = PairOracle(ORACLE.shapes).distances(CASES.pairs, CASES.poses_a, CASES.poses_b).distance
MOTION = motion_chunk(CASES, SEED, 0)
MOVING = moving_pairs(PACKED, CASES.pairs, MOTION)
FOUND = ORACLE.times_of_impact(CASES.pairs, MOTION.start_a, MOTION.end_a, MOTION.start_b, MOTION.end_b)
BOX2D = Impacts(FOUND.status, FOUND.fraction)
OURS = our_impacts(MOVING)
NORMAL = CASES.family == -1  # near the origin, at no limit


def unexplained(verdicts):
    return {one.row for one in verdicts.differences if one.reason == "unexplained"}


def of(impacts, rows, status=None, fraction=None):
    status_column = impacts.status[rows].copy() if status is None else np.full(len(rows), int(status))
    return Impacts(status_column, impacts.fraction[rows].copy() if fraction is None else fraction)


def test_without_a_fault_there_is_none():
    distances, impacts = judge_distances(POSED, DISTANCES, our_distances(POSED)), judge_impacts(MOVING, BOX2D, OURS)
    assert not unexplained(distances) and not unexplained(impacts)
    assert distances.n_agree + len(distances.differences) == N == impacts.n_agree + len(impacts.differences)
    assert {"toi_missed", "graze"} <= {one.reason for one in impacts.differences}
    assert impacts.n_touching > 0.4 * N and impacts.maxima["worst_missed_depth"] > 0.1


def test_the_limit_of_touching_is_a_tie():
    verdicts = judge_distances(POSED, DISTANCES, our_distances(POSED))
    assert {one.reason for one in verdicts.differences} == {"float32_tie"}


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("fault", ["longer", "zero", "apart"])
def test_a_wrong_distance(fault, is_ours):
    ours = our_distances(POSED)
    rows = np.flatnonzero(NORMAL & ((ours == 0.0) if fault == "apart" else (ours > 0.01)))[:200]
    bad = np.zeros(len(rows)) if fault == "zero" else ours[rows] + 1e-4
    good = DISTANCES[rows]
    verdicts = judge_distances(POSED.take(rows), good, bad) if is_ours else judge_distances(POSED.take(rows), bad, ours[rows])
    assert len(unexplained(verdicts)) >= (len(rows) if fault != "apart" else 0.97 * len(rows))


def test_a_touch_of_ours_where_nothing_is():
    rows = np.flatnonzero(NORMAL & (OURS.status == Status.MISS))[:100]
    verdicts = judge_impacts(take(MOVING, rows), of(BOX2D, rows), of(OURS, rows, Status.HIT, np.full(len(rows), 0.5)))
    assert len(unexplained(verdicts)) >= 0.95 * len(rows)  # a few graze


def test_a_touch_that_we_pass_over():
    rows = np.flatnonzero(NORMAL & (OURS.status == Status.HIT) & (BOX2D.status == Status.HIT) & (OURS.fraction > 0.0))[:100]
    verdicts = judge_impacts(take(MOVING, rows), of(BOX2D, rows), of(OURS, rows, Status.MISS, np.ones(len(rows))))
    assert len(unexplained(verdicts)) == len(rows)


@pytest.mark.parametrize("shift", [0.05, -0.05])
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_touch_at_a_wrong_time(is_ours, shift):
    hit = (OURS.status == Status.HIT) & (BOX2D.status == Status.HIT)
    far = MOVING.speed * abs(shift) > 0.1
    inner = (OURS.fraction > 0.1) & (OURS.fraction < 0.9) & (np.abs(OURS.fraction - BOX2D.fraction) < 1e-3)
    rows = np.flatnonzero(NORMAL & hit & far & inner)[:100]
    good = OURS if not is_ours else BOX2D
    bad = of(OURS if is_ours else BOX2D, rows, fraction=(OURS if is_ours else BOX2D).fraction[rows] + shift)
    sides = (of(good, rows), bad) if is_ours else (bad, of(good, rows))
    verdicts = judge_impacts(take(MOVING, rows), *sides)
    if not is_ours and shift > 0.0:  # that is what missing a touch is
        assert {one.reason for one in verdicts.differences} <= {"unexplained", "toi_missed", "graze"}
    else:
        assert len(unexplained(verdicts)) >= 0.85 * len(rows)


def test_an_overlap_at_the_start():
    rows = np.flatnonzero(NORMAL & (OURS.status == Status.MISS))[:50]
    bad = of(OURS, rows, Status.OVERLAPPING, np.zeros(len(rows)))
    assert len(unexplained(judge_impacts(take(MOVING, rows), of(BOX2D, rows), bad))) == len(rows)


def test_box2d_gives_up_on_a_spin_and_says_so():
    oracle = PairOracle([round_shape(Polygon.box(0.86059177, 0.59905213)), round_shape(Polygon.box(0.66287559, 0.6689862))])
    ends = [
        [(-6.90324592590332, -2.6846764087677, 5.511681079864502)],
        [(-6.314976692199707, -0.5768146514892578, -17.071619033813477)],
        [(-9.055325508117676, -1.9328974485397339, 11.399102210998535)],
        [(-11.418701171875, -4.277660846710205, -29.572479248046875)],
    ]
    motion = MotionChunk(*(round_pose(end) for end in ends))
    found = oracle.times_of_impact([(0, 1)], motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    assert found.status.tolist() == [Status.OUT_OF_ITERATIONS]
    moving = moving_pairs(pack(oracle.shapes), np.array([(0, 1)]), motion)
    verdicts = judge_impacts(moving, Impacts(found.status, found.fraction), our_impacts(moving))
    assert [one.reason for one in verdicts.differences] in (["gave_up"], ["toi_missed"])
    assert "Box2D" in verdicts.differences[0].evidence


def test_giving_up_excuses_no_wrong_answer_of_ours():
    rows = np.flatnonzero(NORMAL & (OURS.status == Status.HIT) & (OURS.fraction > 0.1) & (OURS.fraction < 0.9))[:100]
    gave_up = of(BOX2D, rows, Status.OUT_OF_ITERATIONS, np.zeros(len(rows)))
    right = judge_impacts(take(MOVING, rows), gave_up, of(OURS, rows))
    assert not unexplained(right) and {one.reason for one in right.differences} <= {"gave_up", "toi_missed"}
    wrong = judge_impacts(take(MOVING, rows), gave_up, of(OURS, rows, Status.MISS, np.ones(len(rows))))
    assert len(unexplained(wrong)) >= 0.9 * len(rows)  # a few only graze
    late = judge_impacts(take(MOVING, rows), gave_up, of(OURS, rows, fraction=OURS.fraction[rows] + 0.1))
    assert len(unexplained(late)) + sum(one.reason == "toi_missed" for one in late.differences) >= 0.9 * len(rows)


def test_a_touch_that_neither_sees():
    missed = [one.row for one in judge_impacts(MOVING, BOX2D, OURS).differences if one.reason == "toi_missed" and one.size > 0.2]
    rows = np.array([row for row in missed if BOX2D.status[row] == Status.MISS])
    verdicts = judge_impacts(take(MOVING, rows), of(BOX2D, rows), of(BOX2D, rows))
    # a few moments are looked at: what lasts a tenth of the step or longer is seen
    assert len(unexplained(verdicts)) >= 0.5 * len(rows) > 10
    assert "both engines miss" in verdicts.differences[0].evidence
