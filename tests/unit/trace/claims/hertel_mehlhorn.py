"""What a step of Hertel and Mehlhorn's method claims: pieces are joined here anew, loop by loop."""

from __future__ import annotations

from tests.unit.trace.claims.partition import NEAR, bend, check_pieces, is_convex, outline_of


def joined(one, other, u, v):
    """Return two loops as one without their common edge u v."""
    at, to = one.index(u), other.index(v)
    one, other = one[at + 1 :] + one[: at + 1], other[to + 1 :] + other[: to + 1]  # v .. u, and u .. v
    return one[:-1] + other[:-1]


def piece_with(pieces, u, v):
    """Return the piece that has the edge from u to v."""
    return next(piece for piece in pieces if (u, v) in zip(piece, piece[1:] + piece[:1], strict=True))


def check(case, steps):
    _, extent = outline_of(case)
    near = NEAR * extent
    pieces = []
    for step in steps[:-1]:
        if step.kind == "triangles":
            pieces += [list(mark.points) for mark in step.marks]
            assert step.values["triangles"] == len(step.marks)
            continue
        p, u, q, _, v, _ = step.points
        one, other = piece_with(pieces, u, v), piece_with(pieces, v, u)
        union = joined(one, other, u, v)
        for corner, (before, after) in ((u, (p, q)), (v, (step.points[3], step.points[5]))):
            at = union.index(corner)
            assert {union[at - 1], union[(at + 1) % len(union)]} == {before, after}  # these meet there without the diagonal
        if step.kind == "left out":
            assert is_convex(union, near)
            pieces = [piece for piece in pieces if piece is not one and piece is not other] + [union]
        else:
            assert min(bend(*step.points[:3]), bend(*step.points[3:])) <= near  # a corner would turn right
    check_pieces(case, steps[-1].result)
    wanted = {frozenset(piece) for piece in pieces}
    assert {frozenset(map(tuple, piece.tolist())) for piece in steps[-1].result} == wanted
    assert steps[-1].values["pieces"] == len(pieces)
