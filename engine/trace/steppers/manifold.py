"""The contact manifold of two shapes, step by step: `engine.narrowphase._manifold_kernel` and its callees."""

from __future__ import annotations

from engine.compare.pair.file import Pair
from engine.geometry import AnyShape, Polygon, Transform
from engine.narrowphase.rules import Rule, rule_number
from engine.trace._clipping import CLIPPING, ClippedManifold
from engine.trace.cases import PairCase
from engine.trace.protocol import TraceSteps
from engine.trace.steppers import manifold_box2d

__all__ = ["ALGORITHM"]


class ExactManifold(ClippedManifold):
    """Contact points of two shapes, by the axis of least depth and clipping."""

    title = "Clipping: where do two shapes touch?"
    rule = "exact"
    choice = ("for each edge of A, then of B: the gap to the other shape", "take the largest of these gaps")
    pseudo_code = (*choice, *CLIPPING)
    beside = ("manifold_box2d", "sat", "epa")

    example = PairCase(Pair("manifold", Polygon.box(1.0, 0.7), Transform(), Polygon.box(0.9, 0.55), Transform((0.85, 1.05), 0.28)))

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact") -> TraceSteps:
        """Return the steps of `engine.query.manifold`, by either rule."""
        rule_number(rule)
        return super().of(a, xf_a, b, xf_b) if rule == self.rule else manifold_box2d.ALGORITHM.of(a, xf_a, b, xf_b)


ALGORITHM = ExactManifold()
