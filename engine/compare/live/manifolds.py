"""Judges every manifold of a step of a running world: all pairs in one batch; only pairs that differ are judged one by one.

Box2D's manifolds are recomputed at the poses for which it computed them (`FixtureShapes`). A thousand touching pairs cost about a
millisecond.

The contacts of a world with another solver are compared with two references (`ReportedShapes`). The solver reports its manifolds and the
poses for which it computed them. Each is recomputed in two ways:

the library    at the very same poses, of the same shapes, within the solver's margin (`Capabilities.margin`): the reported manifold must be
               that one, or the solver has mixed up fixtures, poses or points on its way
Box2D          the same pair with its numbers rounded to float32, shapes as Box2D holds them, skins included, by its own functions
               (`engine.box2d.oracle`), and our algorithms the rounded pair too: judged like any manifold of Box2D's (`judge_manifolds`)

If Box2D cannot represent a shape or its position, the library is the only reference. Such a contact counts as not comparable, with its
reason, and never as agreeing. All pairs are computed by the exact rule, including those with an edge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine.box2d.convert import Box2DShape
from engine.box2d.oracle.held import round_pose
from engine.box2d.oracle.pairs import PairOracle
from engine.common.arrays import FloatArray, IntArray, any_of_rows, largest_of_rows
from engine.common.errors import InvalidInputError
from engine.common.id_rows import IdRows
from engine.common.tolerances import LINEAR_SLOP, SAT_ROUNDING
from engine.compare.pair.held import rounded_shape
from engine.compare.queries import Answers, Flags, PosedPairs, centroid_errors, our_manifolds, posed_pairs
from engine.compare.questions.manifolds import judge_manifolds
from engine.contracts import Difference, StepAgreement, StepContacts
from engine.contracts.agreement import Verdict
from engine.geometry import AnyShape, Capsule, FixtureShape
from engine.geometry.kinds import SEGMENT
from engine.narrowphase.packing import pack

__all__ = ["FixtureShapes", "ReportedShapes", "by_own_rule", "grown"]

_NOT_HELD = -1

_FARTHEST = LINEAR_SLOP * 2.0**23
"""Meters, 42 km: there the spacing of float32 is Box2D's slop, so that the rounded pair would be a different one."""


class FixtureShapes:
    """The shapes of fixtures as represented by Box2D, packed in the order of their ids."""

    def __init__(self, by_id: Mapping[int, FixtureShape]) -> None:
        self.by_id = dict(by_id)
        self._rows = IdRows(np.array(sorted(by_id), dtype=np.int64))
        self._pack([by_id[fixture] for fixture in sorted(by_id)])

    def _pack(self, shapes: list[FixtureShape]) -> None:
        self._packed = pack(shapes)
        self._centroid_error = centroid_errors(self._packed, shapes)

    def judge(self, contacts: StepContacts) -> StepAgreement:
        """Judge the manifolds that were computed in one step; those of resting pairs were judged when they were computed."""
        rows = np.flatnonzero(contacts.evaluated & (contacts.count > 0))
        pairs = np.column_stack((self._rows.of(contacts.fixture_a[rows]), self._rows.of(contacts.fixture_b[rows])))
        return self._judge(contacts, rows, pairs) if len(rows) else StepAgreement()

    def _judge(self, contacts: StepContacts, rows: IntArray, pairs: IntArray) -> StepAgreement:
        posed = posed_pairs(
            self._packed, pairs, contacts.pose_a.take(rows, axis=0), contacts.pose_b.take(rows, axis=0), self._centroid_error
        )
        ours, box2d = our_manifolds(posed), Answers.of(contacts, rows)
        verdicts = judge_manifolds(posed, box2d, ours, is_live=True)
        normals = box2d.normal, Answers.of_ours(ours).normal
        return _agreement(contacts, rows, normals, verdicts.n_agree, verdicts.differences, verdicts.max_point_error)


def _agreement(
    contacts: StepContacts,
    rows: IntArray,
    normals: tuple[FloatArray, FloatArray],
    n_agree: int,
    verdicts: Mapping[int, Verdict],
    worst: float,
) -> StepAgreement:
    """Return the verdicts on `rows` of the contacts, with Box2D's normals and ours (n, 2), zero where a side has none."""
    n_unexplained = sum(verdict.reason == "unexplained" for verdict in verdicts.values())
    where = np.array(list(verdicts), dtype=np.int64)
    at = rows[where]
    columns = (contacts.fixture_a[at], contacts.fixture_b[at], contacts.position[at, 0], *(normal[where] for normal in normals))
    differences = tuple(
        Difference(a, b, (x, y), (u, v), (our_u, our_v) if our_u or our_v else None, reason, float(size), evidence)
        for (reason, size, evidence), a, b, (x, y), (u, v), (our_u, our_v) in zip(
            verdicts.values(), *(column.tolist() for column in columns), strict=True
        )
    )
    n_explained = len(differences) - n_unexplained
    return StepAgreement(n_agree + len(differences), n_agree, n_explained, n_unexplained, worst, differences)


# --- Worlds with other solvers


@lru_cache(maxsize=4096)
def grown(shape: AnyShape, margin: float) -> AnyShape:
    """Return a shape with `margin` meters around its surface instead of a skin, which is not part of the surface."""
    return shape.with_radius(shape.radius - shape.skin_radius + margin)


@lru_cache(maxsize=4096)
def _as_box2d_holds(shape: AnyShape) -> tuple[Box2DShape | None, str]:
    """Return a shape with Box2D's numbers, vertex order and skin; or None, and why Box2D cannot represent it."""
    if isinstance(shape, Capsule):
        return None, "capsule"
    try:
        return PairOracle([rounded_shape(shape)]).shapes[0], ""
    except InvalidInputError:
        return None, "shape"


class ReportedShapes(FixtureShapes):
    """The shapes of fixtures of one world, for judging its solver's report.

    Parameters
    ----------
    by_id : mapping of int to FixtureShape
        Shapes by fixture id, as in the world.
    margin : float
        Distance around each shape within which the solver finds contacts, meters.
    """

    def __init__(self, by_id: Mapping[int, FixtureShape], margin: float) -> None:
        self._margin = margin
        super().__init__(by_id)

    def _pack(self, shapes: list[FixtureShape]) -> None:
        self._packed = pack([grown(shape, self._margin) for shape in shapes])
        self._has_surface = np.array([shape.radius > shape.skin_radius for shape in shapes], dtype=np.bool_)
        both = [_as_box2d_holds(shape) for shape in shapes]
        self._why = [why for _, why in both]
        self._oracle = PairOracle([held for held, _ in both if held is not None])
        self._box2d = pack(self._oracle.shapes, self._oracle.centroids)
        is_held = np.array([held is not None for held, _ in both], dtype=np.bool_)
        self._held = np.where(is_held, np.cumsum(is_held) - 1, _NOT_HELD)

    def _judge(self, contacts: StepContacts, rows: IntArray, pairs: IntArray) -> StepAgreement:
        pose_a, pose_b = contacts.pose_a[rows], contacts.pose_b[rows]
        reported = Answers.of(contacts, rows)
        wrong = np.flatnonzero(self._differs_from_library(reported, by_own_rule(posed_pairs(self._packed, pairs, pose_a, pose_b))))
        why = "the solver's manifold differs from the one that our library computes for the same poses"
        differing = dict.fromkeys(wrong.tolist(), Verdict("unexplained", 0.0, why))
        compared, why_not = self._comparable(pairs, np.maximum(largest_of_rows(np.abs(pose_a)), largest_of_rows(np.abs(pose_b))))
        box2d_normal, worst = np.zeros((len(rows), 2)), 0.0
        if len(compared):
            posed = by_own_rule(
                posed_pairs(self._box2d, self._held[pairs[compared]], round_pose(pose_a[compared]), round_pose(pose_b[compared]))
            )
            box2d = Answers.of(self._oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b))
            box2d_normal[compared] = box2d.normal
            verdicts = judge_manifolds(posed, box2d, is_live=True)
            worst = verdicts.max_point_error
            for row, verdict in verdicts.differences.items():
                differing.setdefault(int(compared[row]), verdict)
        n_agree = len(compared) - int(np.isin(compared, list(differing)).sum())
        agreement = _agreement(contacts, rows, (box2d_normal, reported.normal), n_agree, dict(sorted(differing.items())), worst)
        return replace(agreement, not_comparable=Counter(why for row, why in why_not if row not in differing))

    def _differs_from_library(self, reported: Answers, posed: PosedPairs) -> Flags:
        """Return which contacts differ from the library's by more than the rounding of a point.

        The separation of a grown shape with a radius is too small by the margin; a skin is not part of the surface, but a radius is.
        """
        ours = our_manifolds(posed)
        answer, is_point = Answers.of_ours(ours), np.arange(2) < ours.count[:, None]
        short = self._margin * self._has_surface[posed.pairs].sum(axis=1)
        answer.points[:, :, 2] = np.where(is_point, answer.points[:, :, 2] + short[:, None], 0.0)
        error = np.maximum(
            largest_of_rows(np.abs(answer.points - reported.points)), largest_of_rows(np.abs(answer.normal - reported.normal))
        )
        allowed = 4.0 * SAT_ROUNDING * np.maximum(posed.scale, 1.0) * np.maximum(ours.axis[:, 3], 1.0)
        differs: Flags = (ours.count != reported.count) | ~(error <= allowed)
        return differs

    def _comparable(self, pairs: IntArray, farthest: FloatArray) -> tuple[IntArray, list[tuple[int, str]]]:
        """Return the rows of the pairs (n, 2) that Box2D can compute, and the reasons for the others; `farthest` (n,) are coordinates."""
        may: Flags = ~any_of_rows(self._held[pairs] == _NOT_HELD)
        why = [(row, next(filter(None, (self._why[fixture] for fixture in pairs[row].tolist())))) for row in np.flatnonzero(~may).tolist()]
        for is_out, name in (((self._packed.kind[pairs] == SEGMENT).all(axis=1), "two_edges"), (farthest > _FARTHEST, "far")):
            why += [(row, name) for row in np.flatnonzero(may & is_out).tolist()]
            may &= ~is_out
        return np.flatnonzero(may), why


def by_own_rule(posed: PosedPairs) -> PosedPairs:
    """Return the pairs marked as having no edges, so that the exact rule applies."""
    return replace(posed, is_edge=np.zeros(len(posed), dtype=np.bool_))
