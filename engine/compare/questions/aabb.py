"""Question: bounding box of a shape.

Box2D takes every vertex to the world in float32 and adds the radius or the skin: within `allowances.box_allowance`, nothing can
reverse it, because the minimum of numbers with error b has error b. Therefore there are no ties to prove. If a side is farther off, the box
is computed again in fractions, which shows whose error it is, and the row is unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engine.box2d.oracle.held import held_rotation
from engine.box2d.oracle.properties import ShapeOracle
from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances
from engine.compare.cases import SHAPE_KINDS
from engine.compare.cases.properties import box_rows
from engine.compare.proofs.placed import placed_core
from engine.compare.questions.answer import Sketch, box_corners, box_words, outline, pose_of
from engine.compare.questions.question import Chunk, Question, Verdicts, differences_of
from engine.contracts.agreement import Verdict
from engine.geometry import Circle, Polygon, Segment
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["AABBQuestion", "BoxCases", "PosedBoxes", "exact_box", "judge_boxes", "our_boxes", "posed_boxes"]


@dataclass(frozen=True, slots=True)
class PosedBoxes:
    """Packed shapes, which (n,), poses (n, 3) and the same (n, 4) with cosine and sine, allowance (n,) of a side, meters."""

    shapes: PackedShapes
    indices: IntArray
    poses: FloatArray
    turned: FloatArray
    allowed: FloatArray

    def __len__(self) -> int:
        return len(self.indices)


def posed_boxes(shapes: PackedShapes, indices: IntArray, poses: FloatArray) -> PosedBoxes:
    """Prepare boxes for judgment; inputs must have been checked."""
    scale = np.abs(poses[:, :2]).sum(axis=1) + shapes.extent[indices]
    return PosedBoxes(shapes, indices, poses, batched.poses_with_rotation(poses.copy()), allowances.box_allowance(scale))


def our_boxes(posed: PosedBoxes) -> FloatArray:
    """Return our boxes (n, 4): lower x, lower y, upper x, upper y."""
    return batched.box_rows(posed.shapes, posed.indices, posed.turned)


def judge_boxes(posed: PosedBoxes, box2d: FloatArray, ours: FloatArray) -> Verdicts:
    """Judge Box2D's boxes against ours."""
    error = np.abs(ours - box2d).max(axis=1, initial=0.0)
    agrees = error <= posed.allowed

    def explain(row: int) -> Verdict:
        exact = exact_box(posed, row)
        off = [max(abs(float(Fraction(side) - right)) for side, right in zip(box, exact, strict=True)) for box in (ours[row], box2d[row])]
        whose = "our" if off[0] > off[1] else "Box2D's"
        evidence = (
            f"{whose} box deviates from the exact box by {max(off):.3g} m, and the other one by {min(off):.3g} m; "
            f"{float(posed.allowed[row]):.3g} m is allowed"
        )
        return Verdict("unexplained", float(error[row]), evidence)

    return Verdicts(np.zeros(len(posed), dtype=np.bool_), differences_of(agrees, explain), float(error[agrees].max(initial=0.0)))


def exact_box(posed: PosedBoxes, row: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the box in fractions, Box2D's float32 cosine and sine taken as exact."""
    shapes, shape = posed.shapes, int(posed.indices[row])
    px, py, angle = posed.poses[row].tolist()
    xs, ys = zip(*placed_core(shapes, shape, (px, py), held_rotation(angle)).fractions, strict=True)
    radius = Fraction(float(shapes.radius[shape]))
    return min(xs) - radius, min(ys) - radius, max(xs) + radius, max(ys) + radius


_TYPES = (Circle, Polygon, Segment)
"""The types of `SHAPE_KINDS`."""


@dataclass(frozen=True)
class BoxCases:
    """Box2D's boxes of some shapes; indices (n,) of these and poses (n, 3)."""

    oracle: ShapeOracle
    indices: IntArray
    poses: FloatArray


class AABBQuestion(Question[BoxCases, PosedBoxes, FloatArray, FloatArray]):
    """Boxes (n, 4) of the first shapes of pairs, and of edges."""

    names = SHAPE_KINDS

    def cases(self, work: Chunk) -> BoxCases:
        return BoxCases(ShapeOracle(work.cases.shapes), box_rows(work.cases, work.seed, work.chunk), work.cases.poses_a)

    def box2d(self, cases: BoxCases) -> tuple[FloatArray, float]:
        return cases.oracle.boxes(cases.indices, cases.poses)

    def columns(self, cases: BoxCases) -> PosedBoxes:
        return posed_boxes(pack(cases.oracle.shapes), cases.indices, cases.poses)

    ours = staticmethod(our_boxes)
    judge = staticmethod(judge_boxes)

    def kind(self, work: Chunk, cases: BoxCases) -> IntArray:
        return np.array([_TYPES.index(type(shape)) for shape in work.cases.shapes])[cases.indices]

    def shown(self, work: Chunk, cases: BoxCases, ours: FloatArray, box2d: FloatArray, row: int) -> Sketch:
        shape = outline(work.cases.shapes[int(cases.indices[row])], pose_of(cases.poses[row]))
        return Sketch((shape,), (), (box_corners(ours[row]),), (box_corners(box2d[row]),), box_words(ours[row]), box_words(box2d[row]))
