"""What a step of Keil's method claims, from the outline alone; small subproblems are solved by trying all sets of diagonals."""

from __future__ import annotations

import numpy as np

from tests.outlines.referee import fewest_pieces_by_trial
from tests.unit.trace.claims.partition import NEAR, bend, check_cut, check_pieces, corners_of, outline_of, rings_of

TRIED = 7
"""Corners up to which all sets of diagonals are tried: with more it takes a second."""
CLEAR = 1e-3
"""Of the extent. Corners nearer to the line of two others are left to the exact tests of lattices, tests/unit/decompose/test_pieces.py."""


def least_cuts(loop, extent):
    """Return the fewest diagonals that cut a polygon into convex pieces; None where it is not small and plain enough to try."""
    n = len(loop)
    if n > TRIED or min(abs(bend(p, q, r)) for p in loop for q in loop for r in loop if len({p, q, r}) == 3) < CLEAR * extent:
        return None
    cells = np.rint((np.array(loop) - loop[0]) * (2.0**20 / extent)).astype(int).tolist()
    return fewest_pieces_by_trial([[(x, y) for x, y in cells]]) - 1


def check(case, steps):
    _, extent = outline_of(case)
    near = NEAR * extent
    around = {q: bend(p, q, r) for p, q, r in corners_of(case)}
    reflex = {corner for corner, out in around.items() if out < near}
    clear = {corner for corner, out in around.items() if out < -near}
    compared, cuts = 0, []
    for step in steps[:-1]:
        if step.kind == "subproblem" and step.bound is not None:
            loop = list(step.points)
            check_cut(case, loop[0], loop[-1])
            out = [bend(loop[k - 1], loop[k], loop[(k + 1) % len(loop)]) for k in range(len(loop))]
            assert sum(one < -near for one in out) <= 2 * step.bound <= 4 * sum(one < near for one in out)  # a dent needs a cut, or two
            if compared < 3 and step.bound > 0:
                wanted = least_cuts(loop, extent)
                assert wanted is None or step.bound == wanted
                compared += wanted is not None
        elif step.kind in ("cut", "left out"):
            check_cut(case, *step.points)
            if step.kind == "cut":
                assert any(corner in reflex for corner in step.points)
                cuts.append(step.points)
    pieces, is_least = steps[-1].result
    check_pieces(case, pieces)
    assert steps[-1].values["pieces"] == len(pieces)
    assert 2 * (len(pieces) + len(case.rings) - 2) >= len(clear)
    if len(case.rings) == 1:
        assert is_least and len(pieces) == len(cuts) + 1
        loops = [list(map(tuple, piece.tolist())) for piece in pieces]
        sides = {frozenset(side) for loop in loops for side in zip(loop, [*loop[1:], loop[0]], strict=True)}
        assert {frozenset(cut) for cut in cuts} <= sides  # the pieces are what the cuts leave
        wanted = least_cuts(list(rings_of(case)[0]), extent)
        assert wanted is None or len(cuts) == wanted
