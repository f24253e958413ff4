"""Proof that rounding turned decisions of Box2D's rule so that its own answer comes out.

The rule is followed in float64 through every outcome that float32 rounding allows; where one is Box2D's answer, the margins on the way to
it are computed in fractions (`placed`), and each must lie within its bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare import allowances
from engine.compare.asked.pairs import Answers, PosedPairs
from engine.compare.proofs._edge_decisions import replay_edge_circle, replay_edge_polygon
from engine.compare.proofs._polygon_decisions import Outcome, all_outcomes, replay_outcome
from engine.compare.proofs.circle_ties import explain_end
from engine.compare.proofs.placed import Explained, bounds_of, placed_edge, placed_polygon, world_points
from engine.compare.proofs.steep_clip import explain_steep_clip
from engine.geometry.kinds import CIRCLE, SEGMENT
from engine.narrowphase.batched import ManifoldRows

__all__ = ["explain_decisions", "explain_edge"]


def explain_decisions(posed: PosedPairs, at: int, box2d: Answers) -> Explained:
    """Look for decisions of Box2D's rule that rounding turned so that its own answer comes out, and prove their margins small."""
    bounds = bounds_of(posed, at)

    def replay(number: Callable[[float], Any]) -> Callable[[Sequence[int]], Outcome]:
        a, b = (placed_polygon(posed, at, side, number) for side in (0, 1))
        return lambda script: replay_outcome(a, b, bounds, script)

    return _turned_decisions(posed, at, box2d, replay)


def explain_edge(posed: PosedPairs, at: int, ours: ManifoldRows, box2d: Answers) -> Explained:
    """Do the same for an edge and a polygon or circle; ours must be the rule's answer by the same proof, with nothing or less turned."""
    bounds, shapes = bounds_of(posed, at), posed.shapes
    edge_side = 0 if shapes.kind[posed.pairs[at, 0]] == SEGMENT else 1
    is_circle = shapes.kind[posed.pairs[at, 1 - edge_side]] == CIRCLE
    sign = 1 if edge_side == 0 else -1

    def replay(number: Callable[[float], Any]) -> Callable[[Sequence[int]], Outcome]:
        edge = placed_edge(posed, at, edge_side, number)
        if is_circle:
            center = world_points(posed, at, 1 - edge_side, None, number)[0]
            radius = number(float(shapes.radius[posed.pairs[at, 1 - edge_side]]))
            return lambda script: replay_edge_circle(edge, center, radius, sign, bounds, script)
        poly = placed_polygon(posed, at, 1 - edge_side, number)
        return lambda script: replay_edge_polygon(edge, poly, sign, bounds, script)

    row = slice(at, at + 1)
    normal = np.where(ours.count[row, None] > 0, ours.axis[row, :2], 0.0)
    answer = posed.take(np.array([at]))
    our_answer = Answers(ours.count[row], normal, ours.points[row])
    if not any(_is_answer(answer, 0, outcome, our_answer) for outcome, _ in all_outcomes(replay(float))):
        return None
    found = _turned_decisions(posed, at, box2d, replay)
    if found is not None or ours.count[at] != box2d.count[at] or ours.count[at] == 0:
        return found
    if not is_circle:
        return explain_steep_clip(posed, at, ours, box2d, widening=0.0)
    return explain_end(posed, at, ours, box2d, replay(Fraction)(()), bounds.separation)


def _turned_decisions(
    posed: PosedPairs, at: int, box2d: Answers, replay: Callable[[Callable[[float], Any]], Callable[[Sequence[int]], Outcome]]
) -> Explained:
    """Follow a rule in float64 through all outcomes until one is Box2D's, then prove the margins on the way in fractions."""
    exactly = None
    for outcome, script in all_outcomes(replay(float)):
        if not _is_answer(posed, at, outcome, box2d):
            continue
        exactly = exactly or replay(Fraction)
        exact = exactly(script)
        if [decision.name for decision in exact.decisions] != [decision.name for decision in outcome.decisions]:
            continue
        if any(abs(decision.margin) > Fraction(decision.bound) for decision in exact.decisions) or not exact.decisions:
            continue
        turned = [decision for decision in exact.decisions if _contradicts(decision.margin, decision.option)] or list(exact.decisions)
        told = ", ".join(f"{one.name}: exact margin {float(one.margin):.3g} of {one.bound:.3g} allowed" for one in turned)
        return "float32_tie", max(abs(float(one.margin)) for one in turned), told
    return None


def _contradicts(margin: Any, option: int) -> bool:
    return bool(margin > 0) != (option == 0)


def _is_answer(posed: PosedPairs, at: int, outcome: Outcome, box2d: Answers) -> bool:
    if len(outcome.points) != box2d.count[at]:
        return False
    if outcome.normal is None:
        return True
    row = slice(at, at + 1)
    amplification: FloatArray = box2d.normal[row, 0] * 0.0 + outcome.amplification
    allowed = float(allowances.point_allowance(posed.scale[row], amplification, posed.is_polygons[row], posed.scale[row])[0])
    turned = float(allowances.normal_allowance(posed.scale[row], amplification, posed.is_polygons[row])[0])
    if max(abs(outcome.normal[k] - box2d.normal[at, k]) for k in range(2)) > turned:
        return False
    theirs = box2d.points[at, : box2d.count[at]].tolist()
    orders = (theirs, theirs[::-1])
    return any(
        all(abs(x - y) <= allowed for ours, their in zip(outcome.points, order, strict=True) for x, y in zip(ours, their, strict=True))
        for order in orders
    )
