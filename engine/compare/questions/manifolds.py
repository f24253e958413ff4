"""The verdict on manifolds: agree, explained with a proof, or unexplained.

Two manifolds agree if they are physically the same: the same normal, and the same points with their separations, in any order, within
Box2D's float32 rounding (`allowances`). If they differ, the following steps are tried in order, and the first that succeeds is the reason:

1. Replay Box2D's rule in float64 from the same numbers. If that gives Box2D's answer, the rule is the cause, and it remains to show that
   our axis is no worse. The witness is a projection of both shapes onto both normals, without a search::

       ours is shallower    `skin` if the cores are apart and Box2D's points too: a contact of the skins only;
                            `face_preference` if Box2D climbed to the best edge of each polygon and then kept A's for 0.98 and 0.001;
                            `local_maximum` otherwise: its climb stopped at a local maximum
       equally deep         the same normal: the two faces are parallel and either may be the reference, agree;
                            another normal: `float32_tie`, the two separations compared in rational arithmetic
       ours is deeper       unexplained: our own fault

2. Otherwise, rounding reversed some decision. Follow the rule through every outcome that float32 rounding allows; if one of them gives
   Box2D's answer, prove in rational arithmetic that each margin on the way lies within its bound: `float32_tie`.

3. Otherwise unexplained.

Agreement is not a proof: for two polygons in contact, no edge may separate them more than our axis does, as projections onto every edge's
normal show. And no answer may widen its own allowance: if ours reports that clipping amplified errors strongly, the amplification is
measured again.

An edge's manifold is judged against Box2D's rule, which is the only definition of the effect of an edge's sides and neighbors: step 2, and
our answer must be one of the rule's outcomes too. If an edge is treated like any other shape (`PosedPairs.is_edge` false, its kind a
segment), ours uses the axis of least overlap. Box2D's rule also clips it at the end of the reference edge, ours one skin beyond, as for
polygons; if both sides have the same axis and only such points differ, the reason is `edge_end`. A link of a chain has fewer normals by our
rule than by Box2D's, and the two rules may choose different sides: `chain_normal` if ours is one of them and Box2D's is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, any_of_rows, largest_of_rows
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_RELATIVE_TOLERANCE, EPS64, SAT_ROUNDING
from engine.compare import allowances
from engine.compare.proofs.chain_normals import explain_link
from engine.compare.proofs.manifold_ties import (
    axis_margins,
    explain_circle,
    explain_decisions,
    explain_edge,
    explain_equal_axes,
    explain_steep_clip,
)
from engine.compare.proofs.placed import Explained, PosedRow
from engine.compare.queries import Answers, Flags, PosedPairs, our_manifolds
from engine.compare.questions._error_kernel import manifold_errors
from engine.compare.questions.question import Verdicts
from engine.contracts.agreement import Verdict
from engine.geometry.kinds import SEGMENT
from engine.narrowphase import batched
from engine.narrowphase.batched import ManifoldRows

__all__ = ["Fit", "fit", "judge_manifolds"]

_UNCHECKED_AMPLIFICATION = 2.0
"""Ratio. What the manifold kernel says of its clipping is taken for granted up to this, an incident edge 60 degrees off: nearly always."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Comparison of two sets of manifolds: True where equal within the allowances, and the size of the differences.

    `is_determined` is True where float32 determines the answer; elsewhere, equality means little.
    """

    is_same: Flags
    is_determined: Flags
    point_error: FloatArray
    normal_error: FloatArray


def fit(posed: PosedPairs, ours: ManifoldRows, theirs: Answers) -> Fit:
    """Compare manifolds as physical answers, points in either order."""
    extent = largest_of_rows(posed.shapes.extent[posed.pairs])
    amplification = _amplification(posed, ours)
    is_circles = ours.reference[:, 0] < 0
    if is_circles.any():
        radii = posed.shapes.radius[posed.pairs[:, 0]] + posed.shapes.radius[posed.pairs[:, 1]]
        distance = np.maximum(ours.axis[:, 2] + radii, EPS64 * posed.scale)
        amplification = np.where(is_circles, 1.0 / distance, amplification)
    point_allowed = allowances.point_allowance(posed.scale, amplification, posed.is_polygons, extent)
    normal_allowed = allowances.normal_allowance(posed.scale, amplification, posed.is_polygons)

    point_error, normal_error = np.empty(len(posed)), np.empty(len(posed))
    manifold_errors(ours.count, ours.axis, ours.points, theirs.normal, theirs.points, point_error, normal_error)
    is_same = (ours.count == theirs.count) & (point_error <= point_allowed) & (normal_error <= normal_allowed)
    is_determined = allowances.is_determined(posed.scale, amplification, posed.is_polygons) | (ours.count == 0)
    return Fit(is_same, is_determined, point_error, normal_error)


def _amplification(posed: PosedPairs, ours: ManifoldRows) -> FloatArray:
    """Return the factor by which our clipping amplifies errors, at most that computed from the polygons.

    An answer must not widen its own allowance, so for large factors, the angle of the incident edge, the one most nearly opposite to our
    normal, is measured again here.
    """
    claimed = ours.axis[:, 3].copy()
    is_claim: Flags = ~(claimed <= _UNCHECKED_AMPLIFICATION)
    rows = np.flatnonzero(np.logical_and(posed.is_polygons, is_claim))
    if len(rows) == 0:
        return claimed
    shapes, is_on_b = posed.shapes, ours.reference[rows, 0] == 1
    other = np.where(is_on_b, posed.pairs[rows, 0], posed.pairs[rows, 1])
    turned = np.where(is_on_b[:, None], posed.turned_a[rows], posed.turned_b[rows])
    outward = np.where(is_on_b[:, None], -ours.axis[rows, :2], ours.axis[rows, :2])
    x, y = turned[:, 2] * outward[:, 0] + turned[:, 3] * outward[:, 1], turned[:, 2] * outward[:, 1] - turned[:, 3] * outward[:, 0]
    n_vertices, least = shapes.n_vertices[other], np.full(len(rows), np.inf)
    for k in range(int(n_vertices.max())):
        normal = shapes.normals[shapes.first[other] + np.minimum(k, n_vertices - 1)]
        least = np.minimum(least, normal[:, 0] * x + normal[:, 1] * y)
    claimed[rows] = np.fmin(claimed[rows], 1.0 / np.maximum(np.abs(least), SAT_ROUNDING))
    return claimed


def _is_least(posed: PosedPairs, ours: ManifoldRows) -> Flags:
    """Return where no edge of two polygons in contact separates them more than our axis does, by projecting onto the normals of all edges.

    Two answers that agree may both be wrong: a search of ours that stopped where Box2D's does would otherwise go undetected.
    """
    is_least: Flags = np.ones(len(posed), dtype=np.bool_)
    rows = np.flatnonzero(np.logical_and(posed.is_polygons, (ours.count > 0) & ~posed.is_edge))
    if len(rows) == 0:
        return is_least
    shapes, some = posed.shapes, posed.take(rows)
    best = np.full(len(rows), -np.inf)
    for side, turned in enumerate((some.turned_a, some.turned_b)):
        which, sign = some.pairs[:, side], 1.0 - 2.0 * side
        n_vertices = shapes.n_vertices[which]
        for k in range(int(n_vertices.max())):
            x, y = shapes.normals[shapes.first[which] + np.minimum(k, n_vertices - 1)].T
            best = np.maximum(
                best, _gaps(some, sign * np.column_stack((turned[:, 2] * x - turned[:, 3] * y, turned[:, 3] * x + turned[:, 2] * y)))
            )
    is_least[rows] = best <= ours.axis[rows, 2] + 4.0 * SAT_ROUNDING * some.scale
    return is_least


def judge_manifolds(posed: PosedPairs, box2d: Answers, ours: ManifoldRows | None = None, is_live: bool = False) -> Verdicts:
    """Judge Box2D's manifolds against ours (those of `rule="exact"` unless others are given).

    `is_live` certifies equal axes by a floating-point filter before it uses rational arithmetic, and does not search for an axis that
    neither side has found; the verdicts are the same unless our search shares a fault with Box2D's.
    """
    if ours is None:
        ours = our_manifolds(posed)
    first = fit(posed, ours, box2d)
    is_least = np.ones(len(posed), dtype=np.bool_) if is_live else _is_least(posed, ours)
    agrees = first.is_same & first.is_determined & is_least
    point_error, normal_error = first.point_error, first.normal_error
    differences: dict[int, Verdict] = {}
    rows = np.flatnonzero(~agrees)
    if len(rows):
        differing, their_rows = posed.take(rows), box2d.take(rows)
        our_rows = ManifoldRows(ours.count[rows], ours.points[rows], ours.names[rows], ours.axis[rows], ours.reference[rows])
        replay = our_manifolds(differing, exact=False)
        again = fit(differing, replay, their_rows)
        reasons = _Differing(differing, our_rows, replay, again, their_rows, is_live)
        for at, row in enumerate(rows.tolist()):
            explained = (
                reasons.explain(at)
                if is_least[row]
                else Verdict("unexplained", 0.0, "an edge of one of the polygons separates them by more than our axis does")
            )
            if explained is None:
                agrees[row] = True
                point_error[row], normal_error[row] = again.point_error[at], again.normal_error[at]
            else:
                differences[row] = explained
    is_contact = box2d.count > 0
    worst_point, worst_normal = (float(error[agrees].max(initial=0.0)) for error in (point_error, normal_error))
    counted = agrees & is_contact
    errors = {} if is_live else {"point_error": point_error[counted], "normal_error": normal_error[counted]}
    return Verdicts(is_contact, differences, worst_point, worst_normal, errors=errors)


class _Differing:
    """The rows that differ, with everything that can be computed for all of them at once."""

    def __init__(self, posed: PosedPairs, ours: ManifoldRows, replay: ManifoldRows, again: Fit, box2d: Answers, is_live: bool) -> None:
        self._margins = axis_margins(posed, ours, replay) if is_live else None
        self._posed, self._ours, self._replay, self._box2d = posed, ours, replay, box2d
        self._is_replayed, self._is_determined = again.is_same.tolist(), again.is_determined.tolist()
        tie = 2.0 * allowances.separation_allowance(posed.scale)
        our_witness = _gaps(posed, ours.axis[:, :2])
        box2d_direction = np.where(box2d.count[:, None] > 0, box2d.normal, replay.axis[:, :2])
        box2d_witness = _gaps(posed, box2d_direction)
        # our own witness must say what our kernel says, but for float64 rounding; ours is shallower by `excess`
        self._ours_stands = (np.abs(our_witness - ours.axis[:, 2]) <= 4.0 * SAT_ROUNDING * posed.scale).tolist()
        self._excess, self._tie = (our_witness - box2d_witness).tolist(), tie.tolist()
        self._our_gap, self._box2d_gap = our_witness.tolist(), box2d_witness.tolist()

        turned = largest_of_rows(np.abs(ours.axis[:, :2] - box2d_direction))
        turn_allowed = 2.0 * allowances.normal_allowance(posed.scale, ours.axis[:, 3], posed.is_polygons)
        self._is_one_normal = (turned <= turn_allowed).tolist()
        self._is_one_reference = (~any_of_rows(ours.reference != replay.reference)).tolist()
        self._have_points = ((ours.count > 0) & (box2d.count > 0)).tolist()
        self._is_polygons, self._is_edge = posed.is_polygons.tolist(), posed.is_edge.tolist()
        self._is_link = any_of_rows(any_of_rows(posed.shapes.has_ghost)[posed.pairs]).tolist()
        self._is_segment = any_of_rows(posed.shapes.kind[posed.pairs] == SEGMENT).tolist()
        # would the preference for A's face alone, applied to the true maxima, have led to Box2D's edge?
        best_a, best_b = ours.axis[:, 4], ours.axis[:, 5]
        prefers_b = best_b > BOX2D_RELATIVE_TOLERANCE * best_a + BOX2D_ABSOLUTE_TOLERANCE
        best_there = np.where(replay.reference[:, 0] == 1, best_b, best_a)
        is_preference = (prefers_b == (replay.reference[:, 0] == 1)) & (replay.axis[:, 2] >= best_there - tie)
        self._is_preference = is_preference.tolist()

    def explain(self, at: int) -> Explained:
        """Return the verdict on a row, or None if the two answers turn out to be the same."""
        row, ours, box2d = PosedRow(self._posed, at), self._ours, self._box2d
        excess, tie, no_outcome = self._excess[at], self._tie[at], "no outcome that float32 rounding allows gives Box2D's manifold"
        if self._is_edge[at]:
            return explain_edge(row, ours, box2d) or Verdict("unexplained", 0.0, no_outcome)
        if not self._ours_stands[at]:
            return Verdict("unexplained", abs(excess), "our own axis fails its check")
        is_replayed, is_one_normal = self._is_replayed[at], self._is_one_normal[at]
        if self._is_link[at] and is_replayed and self._have_points[at] and not is_one_normal:
            (x, y), (u, v) = ours.axis[at, :2].tolist(), box2d.normal[at].tolist()
            explained = explain_link(row, (x, y), (u, v), excess)
            if explained is not None:
                return explained
        if excess < -tie:
            return Verdict("unexplained", -excess, f"Box2D's axis is shallower than ours by {-excess:.3g} m")
        if self._is_segment[at]:
            explained = self._explain_segment(row, excess)
            if explained is not None:
                return explained
        if not self._is_polygons[at]:
            otherwise = Verdict("unexplained", abs(excess), "the rule for a circle gives a different answer")
            return explain_circle(row, ours, box2d, excess) or otherwise
        if is_replayed and excess > tie:
            return self._explain_rule(at, excess)
        if is_replayed and not self._is_one_reference[at]:
            if is_one_normal and self._is_determined[at] and self._have_points[at]:
                return None
            otherwise = Verdict("unexplained", abs(excess), "the axes look equal, but rational arithmetic shows that they are not")
            return explain_equal_axes(row, ours, self._replay, self._margins) or otherwise
        is_steep = is_replayed and not self._is_determined[at]
        explained = explain_steep_clip(row, ours, box2d) if is_steep else explain_decisions(row, box2d)
        return explained or Verdict("unexplained", abs(excess), no_outcome)

    def _explain_segment(self, row: PosedRow, excess: float) -> Explained:
        """Explain a difference between an edge's rule and ours for any shape, or return None if that is not the reason."""
        at = row.at
        if not self._is_replayed[at]:
            return explain_edge(row, self._replay, self._box2d)
        if abs(excess) > self._tie[at] or not self._is_one_normal[at] or not self._is_polygons[at]:
            return None
        beyond = _beyond_the_end(self._posed, at, self._ours, self._box2d)
        if beyond is None:
            return None
        return Verdict(
            "edge_end", beyond, f"both use the same axis; Box2D clips at the end of the edge, and we clip {beyond:.3g} m beyond it"
        )

    def _explain_rule(self, at: int, excess: float) -> Verdict:
        our_gap, box2d_gap = self._our_gap[at], self._box2d_gap[at]
        compared = f"Box2D's separation is {box2d_gap:.6g} m, ours is {our_gap:.6g} m; replaying the rule gives Box2D's points"
        if our_gap > self._tie[at] and box2d_gap > self._tie[at]:
            return Verdict("skin", excess, f"the cores are apart and only their skins touch; {compared}")
        if self._is_preference[at]:
            return Verdict("face_preference", excess, f"Box2D's rule prefers the other polygon's face: {compared}")
        return Verdict("local_maximum", excess, f"Box2D's search ended at another axis: {compared}")


def _beyond_the_end(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers) -> float | None:
    """Return the maximum distance beyond the end of the reference edge at which we clip, meters, if two manifolds differ in nothing else.

    Each point without a counterpart is Box2D's at an end of the edge, or ours beyond an end by no more than both skins.
    """
    shapes, (side, edge) = posed.shapes, ours.reference[at].tolist()
    which, turned = posed.pairs[at, side], (posed.turned_a, posed.turned_b)[side][at]
    first = shapes.first[which]
    corners = shapes.vertices[[first + edge, first + (edge + 1) % shapes.n_vertices[which]]]
    ends = turned[:2] + corners @ np.array([[turned[2], turned[3]], [-turned[3], turned[2]]])
    along = (ends[1] - ends[0]) / np.hypot(*(ends[1] - ends[0]))
    length, skins = float(along @ (ends[1] - ends[0])), float(shapes.radius[posed.pairs[at]].sum())
    allowed = float(allowances.point_allowance(posed.scale[at : at + 1], ours.axis[at : at + 1, 3], np.array([True]), np.zeros(1))[0])
    mine, theirs = ours.points[at, : ours.count[at]], box2d.points[at, : box2d.count[at]]
    farthest = 0.0
    for points, others, least, most in ((mine, theirs, 0.0, skins), (theirs, mine, 0.0, 0.0)):
        for point in points:
            if len(others) and np.abs(others - point).max(axis=1).min() <= allowed:
                continue
            place = float(along @ (point[:2] - ends[0]))
            beyond = max(-place, place - length)
            if not least - allowed <= beyond <= most + allowed:
                return None
            farthest = max(farthest, beyond if most else skins)
    return farthest


def _gaps(posed: PosedPairs, directions: FloatArray) -> FloatArray:
    return batched.gap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, np.ascontiguousarray(directions))
