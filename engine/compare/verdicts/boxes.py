"""The verdict on boxes: agree, or unexplained.

Box2D takes every vertex to the world in float32 and adds the radius or the skin: within `allowances.box_allowance`, nothing can turn it,
for the least of numbers that are each known to b is known to b. So there is no tie to prove. Where a side is farther off than that the
box is computed once more in fractions, which tells whose it is, and the row is unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engine.box2d.oracle.held import held_rotation
from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances
from engine.compare.verdicts.verdict import Explanation, Verdicts
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes

__all__ = ["PosedBoxes", "judge_boxes", "our_boxes", "posed_boxes"]


@dataclass(frozen=True, slots=True)
class PosedBoxes:
    """Packed shapes, which (n,), poses (n, 3) and the same (n, 4) with cosine and sine, allowance (n,) of a side, metres."""

    shapes: PackedShapes
    indices: IntArray
    poses: FloatArray
    turned: FloatArray
    allowed: FloatArray

    def __len__(self) -> int:
        return len(self.indices)


def posed_boxes(shapes: PackedShapes, indices: IntArray, poses: FloatArray) -> PosedBoxes:
    """Prepare boxes for judgement; inputs must have been checked."""
    scale = np.abs(poses[:, :2]).sum(axis=1) + shapes.extent[indices]
    return PosedBoxes(shapes, indices, poses, batched.poses_with_rotation(poses.copy()), allowances.box_allowance(scale))


def our_boxes(posed: PosedBoxes) -> FloatArray:
    """Return our boxes (n, 4): lower x, lower y, upper x, upper y."""
    return batched.box_rows(posed.shapes, posed.indices, posed.turned)


def judge_boxes(posed: PosedBoxes, box2d: FloatArray, ours: FloatArray | None = None) -> Verdicts:
    """Judge Box2D's boxes against ours, unless others are put on trial."""
    if ours is None:
        ours = our_boxes(posed)
    error = np.abs(ours - box2d).max(axis=1, initial=0.0)
    agrees = error <= posed.allowed
    differences: list[Explanation] = []
    for row in np.flatnonzero(~agrees).tolist():
        exact = exact_box(posed, row)
        off = [max(abs(float(Fraction(side) - right)) for side, right in zip(one, exact, strict=True)) for one in (ours[row], box2d[row])]
        whose = "ours" if off[0] > off[1] else "Box2D's"
        told = f"{whose} is {max(off):.3g} m off the exact box, the other {min(off):.3g} m, of {float(posed.allowed[row]):.3g} m allowed"
        differences.append(Explanation(row, "unexplained", float(error[row]), told))
    return Verdicts(np.zeros(len(posed), dtype=np.bool_), tuple(differences), float(error[agrees].max(initial=0.0)))


def exact_box(posed: PosedBoxes, row: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the box in fractions, Box2D's float32 cosine and sine taken as exact."""
    shapes, shape = posed.shapes, int(posed.indices[row])
    first, n, radius = int(shapes.first[shape]), int(shapes.n_vertices[shape]), Fraction(float(shapes.radius[shape]))
    px, py, angle = posed.poses[row].tolist()
    c, s = (Fraction(number) for number in held_rotation(angle))
    corners = [(Fraction(x), Fraction(y)) for x, y in shapes.vertices[first : first + n].tolist()]
    xs = [c * x - s * y + Fraction(px) for x, y in corners]
    ys = [s * x + c * y + Fraction(py) for x, y in corners]
    return min(xs) - radius, min(ys) - radius, max(xs) + radius, max(ys) + radius
