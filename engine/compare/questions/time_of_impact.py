"""Time of impact of two moving shapes.

The verdict on times of impact: agree, explained with a proof, or unexplained.

b2TimeOfImpact aims at cores D = max(slop, radii - 3 slop) apart and is content within a quarter of the slop, T; so are we when asked for
its target, and before our time the cores are farther apart than D. Write r for the float32 rounding of its separation
(`allowances.impact_allowance`). Two times agree if the bodies cannot move farther between them than 2 (T + r), and a look at some moments
before, or in the whole step where both see no touch, shows the cores nowhere nearer than D - T - r. Where they differ, each
time that one side calls a touch must be one (cores within D + T + r), and

    Box2D is later, or saw no touch    `toi_missed` if at some moment in between the cores are nearer than D - T - r;
                                       `graze` if they are between D - T - r and D + T + r at each time given, and at no moment in
                                       between, or to the end, nearer than D - T - r
    ours is later, or saw no touch     `graze` if at Box2D's touch they are between D and D + T apart, and at no moment from
                                       there to ours, or to the end, the cores are nearer than D - r;
                                       `float32_tie` if it lies within r beyond D + T, and so on
    Box2D gave up                      `toi_missed` as above; `gave_up`, which is its own word for it, if before ours, or to the end, the
                                       cores are at no moment nearer than D - r
    one sees an overlap at the start   `float32_tie` if the cores are within r of touching there
    otherwise                          unexplained

The inequalities at one time compare integers (`exact`), and only a few of them need the full distance. A witness shows that two cores are
*closer* than a bound: a point in both, or a corner of one and an edge of the other. A direction along which their projections are farther
apart shows that they are *farther apart*; several directions show that they are *never* closer within an interval (`approach`). The pose at
a fraction of the sweep is computed in float64, and its cosine and sine are taken as the exact rotation; the resulting displacement is half
a billion times smaller than r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from engine.box2d.oracle.pairs import PairOracle
from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_TOI_TOLERANCE
from engine.compare import allowances
from engine.compare.bulk.tally import MISSED
from engine.compare.cases import MotionChunk, motion_chunk
from engine.compare.pair.file import Pair
from engine.compare.pair.held import pose_row
from engine.compare.proofs.approach import clearances, core_gaps
from engine.compare.proofs.placed import Explained, placed_core
from engine.compare.queries import Flags, Impacts, MovingPairs, moving_pairs, our_impacts
from engine.compare.questions.answer import Answer, pose_of
from engine.compare.questions.question import Chunk, Question, RowCases, Verdicts, only_pair
from engine.contracts.agreement import Verdict
from engine.contracts.status import Status
from engine.geometry.exact.cores import Core, core_gap, distance_sq, share_point, witness_distance_sq
from engine.narrowphase.packing import pack

__all__ = ["MotionCases", "TimeOfImpactQuestion", "judge_impacts"]

_SAMPLES = 48
"""Moments looked at between two times, for the nearest the shapes come. Where one is below what a proof needs, the deepest is shown;
where none is, that is proved for all moments, or another is found."""

_LOOKS = 6
"""Moments looked at where the two agree."""

_BLOCK = 512
"""Pairs searched at a time, for the memory of their samples."""


def judge_impacts(moving: MovingPairs, box2d: Impacts, ours: Impacts) -> Verdicts:
    """Judge Box2D's times against ours.

    The maximum ``worst_missed_depth`` is the deepest overlap, skins included, that Box2D was proved to pass over.
    """
    is_hit = ours.status == Status.HIT
    apart = np.abs(ours.fraction - box2d.fraction)
    is_same_time = apart * moving.speed <= 2.0 * (BOX2D_TOI_TOLERANCE + moving.rounding)
    is_ended = (ours.status == Status.HIT) | (ours.status == Status.MISS) | (ours.status == Status.OVERLAPPING)
    agrees = (ours.status == box2d.status) & is_ended & (is_same_time | ~is_hit)
    differing = np.flatnonzero(~agrees)
    passed = _passed_over(moving, np.flatnonzero(agrees & (ours.status != Status.OVERLAPPING)), ours)
    agrees[passed] = False
    differences = dict.fromkeys(passed.tolist(), Verdict("unexplained", 0.0, "both engines miss a contact"))
    worst = 0.0
    for low in range(0, len(differing), _BLOCK):
        rows = differing[low : low + _BLOCK]
        nearest = _nearest_between(moving, rows, ours, box2d)
        for at, row in enumerate(rows.tolist()):
            differing_row = _Differing(moving, row, ours, box2d)
            explained = differing_row.verdict(nearest, at)
            if explained is None:
                evidence = (
                    f"Box2D returns {_outcome_text(box2d, row)}, our library returns {_outcome_text(ours, row)}, and no proof was found"
                )
                explained = Verdict("unexplained", 0.0, evidence)
            differences[row] = explained
            if explained.reason == "toi_missed":
                worst = max(worst, explained.size)
    agreeing = apart[agrees & is_hit]
    maxima = {"max_fraction_error": float(agreeing.max(initial=0.0)), "worst_missed_depth": worst}
    return Verdicts(is_hit, differences, maxima=maxima, errors={"fraction_error": agreeing})


def _passed_over(moving: MovingPairs, rows: IntArray, ours: Impacts) -> IntArray:
    """Return the rows in which the cores, sampled at a few times before ours or in the whole step, are closer than at contact.

    Two answers that agree may both be wrong: an error of our search that Box2D's shares would otherwise go undetected.
    """
    until = np.where(ours.status[rows] == Status.HIT, ours.fraction[rows], 1.0)
    rows, until = rows[until > 0.0], until[until > 0.0]  # nothing is before a touch at the start
    near = moving.aim[rows] - BOX2D_TOI_TOLERANCE - moving.rounding[rows]
    is_nearer = np.zeros(len(rows), dtype=np.bool_)
    for look in range(1, _LOOKS + 1):
        is_nearer |= core_gaps(moving, rows, until * look / (_LOOKS + 1))[0] < near
    return rows[is_nearer]


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The closest sampled approach of each pair within the interval in question: its time and the core gap.

    `stays_above` is proved: the cores are never closer than the floor of their case.
    """

    fraction: FloatArray
    gap: FloatArray
    stays_above: Flags


def _nearest_between(moving: MovingPairs, rows: IntArray, ours: Impacts, box2d: Impacts) -> _Nearest:
    """Search for the time; if none is found below the floor, prove that there is none."""
    mine, other = ours.fraction[rows], np.where(box2d.status[rows] == Status.HIT, box2d.fraction[rows], 1.0)
    since, until = np.minimum(mine, other), np.maximum(mine, other)
    is_later = (box2d.status[rows] == Status.HIT) & ((ours.status[rows] != Status.HIT) | (mine > other))
    gave_up = box2d.status[rows] == Status.OUT_OF_ITERATIONS
    since, until = np.where(gave_up, 0.0, since), np.where(gave_up, mine, until)
    near = moving.aim[rows] - BOX2D_TOI_TOLERANCE - moving.rounding[rows]
    floor = np.where(is_later | gave_up, moving.aim[rows] - moving.rounding[rows], near)

    after = np.where(gave_up, 1.0, until)
    fraction = (since[:, None] + (after - since)[:, None] * np.linspace(0.0, 1.0, _SAMPLES)).ravel()
    gap = core_gaps(moving, np.repeat(rows, _SAMPLES), fraction)[0].reshape(-1, _SAMPLES)
    best = gap.argmin(axis=1)
    moment, lowest = fraction.reshape(gap.shape)[np.arange(len(rows)), best], gap[np.arange(len(rows)), best]
    stays = np.zeros(len(rows), dtype=np.bool_)
    rest = np.flatnonzero((lowest >= floor) | gave_up)
    clearance = clearances(moving, rows[rest], since[rest], until[rest], floor[rest])
    stays[rest] = clearance.is_proved
    lower = rest[clearance.gap < lowest[rest]]
    lowest[lower], moment[lower] = clearance.gap[clearance.gap < lowest[rest]], clearance.moment[clearance.gap < lowest[rest]]
    return _Nearest(moment, lowest, stays)


class _Differing:
    """One row that differs."""

    def __init__(self, moving: MovingPairs, row: int, ours: Impacts, box2d: Impacts) -> None:
        self._moving, self._row = moving, row
        self._ours, self._box2d = int(ours.status[row]), int(box2d.status[row])
        self._our_time, self._box2d_time = float(ours.fraction[row]), float(box2d.fraction[row])
        self._rounding = float(moving.rounding[row])
        self._aim = float(moving.aim[row])
        self._near = self._aim - BOX2D_TOI_TOLERANCE - self._rounding
        self._limit = self._aim + BOX2D_TOI_TOLERANCE
        self._far = self._limit + self._rounding

    def verdict(self, nearest: _Nearest, at: int) -> Explained:
        """Return the reason, the size and the evidence."""
        if Status.OVERLAPPING in (self._ours, self._box2d):
            return self._at_start()
        moment, gap, stays = float(nearest.fraction[at]), float(nearest.gap[at]), bool(nearest.stays_above[at])
        ours_touches, box2d_touches = self._ours == Status.HIT, self._box2d == Status.HIT
        if ours_touches and not self._is_within(self._our_time, self._far):
            return None
        if box2d_touches and not self._is_within(self._box2d_time, self._far):
            return None
        if self._box2d == Status.OUT_OF_ITERATIONS and self._ours in (Status.HIT, Status.MISS):
            if ours_touches and self._is_within(moment, self._near, True):
                return self._missed(moment, gap)
            if not stays:
                return None
            evidence = f"our contact at t = {self._our_time:.4g} is proven" if ours_touches else "there is no contact"
            return Verdict(
                "gave_up",
                0.0,
                f"Box2D reports failure; {evidence}, and before that the cores are never within {self._aim:.3g} m",
            )
        if ours_touches and (not box2d_touches or self._box2d_time > self._our_time):
            if self._is_within(moment, self._near, True):
                return self._missed(moment, gap)
            times = [self._our_time, self._box2d_time] if box2d_touches else [self._our_time]
            gaps = [core_gap(*self._cores(time)) for time in times]
            if not stays or min(gaps) < self._near:
                return None
            evidence = ", ".join(f"{gap:.3g} m at t = {time:.4g}" for gap, time in zip(gaps, times, strict=True))
            within = f"within {self._near:.3g} to {self._far:.3g} m, which Box2D counts as contact"
            return Verdict("graze", gaps[0], f"the gap between the cores is {evidence}, {within}, and never smaller in between")
        if box2d_touches and self._ours in (Status.HIT, Status.MISS):
            gap_then = core_gap(*self._cores(self._box2d_time))
            # until our time, or the end, they are farther apart than the aim: so we said
            if gap_then < self._aim or not stays:
                return None
            beyond = gap_then - self._limit
            if beyond > 0.0:
                evidence = (
                    f"at t = {self._box2d_time:.4g} the gap is at the touching threshold: the exact margin is {beyond:.3g} m, and "
                    f"{self._rounding:.3g} m is allowed"
                )
                return Verdict("float32_tie", beyond, evidence)
            evidence = f"the cores are {gap_then:.6g} m apart at t = {self._box2d_time:.4g}, within {self._aim:.6g} to {self._limit:.6g} m"
            return Verdict(
                "graze",
                gap_then,
                f"{evidence}; this is close enough for Box2D, but before our time they are never as close as its target",
            )
        return None

    def _missed(self, moment: float, gap: float) -> Verdict:
        shapes, pair = self._moving.shapes, self._moving.pairs[self._row]
        depth = float(shapes.radius[pair].sum()) - gap
        later = {Status.HIT: f"contact at t = {self._box2d_time:.4g}", Status.MISS: "no contact"}.get(Status(self._box2d), "failure")
        where = "overlap" if gap < 0.0 else f"are within {self._near:.3g} m"
        return Verdict("toi_missed", depth, f"at t = {moment:.4g} the cores {where} ({depth:.3g} m deep with skins); Box2D reports {later}")

    def _at_start(self) -> Explained:
        other = self._our_time if self._ours != Status.OVERLAPPING else self._box2d_time
        statuses = {self._ours, self._box2d}
        if statuses != {int(Status.OVERLAPPING), int(Status.HIT)} or other != 0.0:
            return None
        gap = math.sqrt(distance_sq(*self._cores(0.0)))
        allowed = self._rounding + allowances.OVERLAP_THRESHOLD
        if gap > allowed:
            return None
        return Verdict(
            "float32_tie",
            gap,
            f"at the start the cores are {gap:.3g} m apart; within the allowed {allowed:.3g} m they may touch or overlap",
        )

    def _is_within(self, fraction: float, bound: float, is_deep: bool = False) -> bool:
        """Prove by a witness that the cores are closer than `bound`: a point in both, or a corner and an edge.

        The exact distance is tried last, unless `is_deep` means that a deep overlap is expected.
        """
        cores = self._cores(fraction)
        if max(len(core.corners) for core in cores) > 2 and share_point(*cores):
            return True
        if bound <= 0.0:
            return False
        square = Fraction(bound) ** 2
        # without such a pair of features they may overlap, which the whole distance shows
        return witness_distance_sq(*cores) <= square or (not is_deep and distance_sq(*cores) <= square)

    def _cores(self, fraction: float) -> tuple[Core, Core]:
        poses = self._moving.poses(np.array([self._row]), np.array([fraction]))
        a, b = (
            placed_core(self._moving.shapes, shape, (x, y), (cos, sin))
            for shape, ((x, y, cos, sin),) in zip(self._moving.pairs[self._row].tolist(), map(np.ndarray.tolist, poses), strict=True)
        )
        return a, b


def _outcome_text(impacts: Impacts, row: int) -> str:
    return f"{Status(int(impacts.status[row])).name} at {float(impacts.fraction[row]):.6g}"


MotionCases: TypeAlias = RowCases[PairOracle, MotionChunk]


class TimeOfImpactQuestion(Question[MovingPairs, Impacts, Impacts]):
    """Times of impact as fractions of the motion."""

    wrong = MISSED

    def cases(self, work: Chunk) -> MotionCases:
        return RowCases(work.oracle, motion_chunk(work.cases, work.seed, work.chunk))

    def box2d(self, cases: MotionCases) -> tuple[Impacts, float]:
        motion = cases.rows
        impacts = cases.oracle.times_of_impact(motion.pairs, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
        return Impacts(impacts.status, impacts.fraction), impacts.seconds

    def columns(self, cases: MotionCases) -> MovingPairs:
        return moving_pairs(pack(cases.oracle.shapes, cases.oracle.centroids), cases.rows)

    ours = staticmethod(our_impacts)
    judge = staticmethod(judge_impacts)

    def shown(self, work: Chunk, cases: MotionCases, row: int) -> Pair:
        motion, shapes = cases.rows, work.cases.shapes
        a, b = motion.pairs[row].tolist()
        start_a, start_b, end_a, end_b = (pose_of(poses[row]) for poses in (motion.start_a, motion.start_b, motion.end_a, motion.end_b))
        return Pair("toi", shapes[a], start_a, shapes[b], start_b, end_a, end_b)

    def from_pair(self, pair: Pair) -> tuple[MotionCases, Pair]:
        (oracle, rows), pair = only_pair(pair)
        assert pair.end_a is not None and pair.end_b is not None
        ends = pose_row(pair.end_a), pose_row(pair.end_b)
        return RowCases(oracle, MotionChunk(rows.pairs, rows.poses_a, ends[0], rows.poses_b, ends[1], rows.kind, rows.family)), pair

    def answers(self, pair: Pair, cases: MotionCases, ours: Impacts, box2d: Impacts) -> tuple[Answer, Answer]:
        mine, theirs = (_in_words(Status(int(impacts.status[0])), float(impacts.fraction[0])) for impacts in (ours, box2d))
        return mine, theirs

    def ours_alone(self, pair: Pair) -> Answer:
        from engine import query

        assert pair.shape_b is not None
        impact = query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b)
        return _in_words(impact.status, impact.fraction)


def _in_words(status: Status, fraction: float) -> Answer:
    words = {
        Status.HIT: f"contact at t = {fraction:.6f}",
        Status.MISS: "no contact",
        Status.OVERLAPPING: "overlapping at the start",
        Status.OUT_OF_ITERATIONS: f"gave up at t = {fraction:.6f}",
    }.get(status, status.name.lower())
    return Answer(words, fraction=fraction if status != Status.MISS else None, is_yes=status in (Status.HIT, Status.OVERLAPPING))
