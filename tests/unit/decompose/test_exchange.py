"""Pieces put right with a neighbour: the ways that are offered, against all chords tried one by one, and what finding them costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from engine.decompose import exchange
from engine.decompose.exchange import exchanged
from engine.decompose.grid import GridPart, on_grid, turn
from engine.decompose.hertel_mehlhorn import merged, triangulate
from engine.decompose.keil import fewest_pieces
from engine.decompose.outline import Outline
from tests.outlines import shapes

RINGS = [
    *(shapes.grown(n, n) for n in (5, 12, 30)),
    *(shapes.jagged(n, n) for n in (6, 15, 28)),
    *(shapes.untangled(n, n) for n in (8, 13, 21)),
    shapes.gear(5),
    shapes.comb(4),
    shapes.star(6),
    shapes.hilbert(2),
    shapes.square_spiral(4),
]
Loop = list[int]


def twice_area(part: GridPart, loop: Loop) -> int:
    corners = [part.points[node] for node in loop]
    return sum(turn(corners[0], p, q) for p, q in pairwise(corners))


def is_convex(part: GridPart, loop: Loop) -> bool:
    corners = [part.points[node] for node in loop]
    turns_left = all(turn(corners[k - 2], corners[k - 1], corners[k]) >= 0 for k in range(len(corners)))
    winds_once = all(turn(corners[0], p, q) >= 0 for p, q in pairwise(corners))
    return turns_left and winds_once and twice_area(part, loop) > 0


def joined(a: Loop, b: Loop) -> Loop | None:
    """Return the loop round two pieces, from the second end of the edge that they share; None if they share no edge, or a corner more."""
    edges = [(u, v) for u, v in zip(a, [*a[1:], a[0]], strict=True) if v in b and b[(b.index(v) + 1) % len(b)] == u]
    if len(edges) != 1 or len({*a, *b}) < len(a) + len(b) - 2:
        return None
    [(u, v)] = edges
    from_v, from_u = a[a.index(v) :] + a[: a.index(v)], b[b.index(u) :] + b[: b.index(u)]
    return from_v + from_u[1:-1]


def partitions(part: GridPart) -> Iterator[list[Loop]]:
    triangles = triangulate(part)
    yield triangles
    yield merged(part, triangles)
    yield fewest_pieces(part)[0]


def ways_by_trial(part: GridPart, pieces: list[Loop], k: int) -> tuple[dict[int, Loop], list[tuple[int, int, Loop, Loop]]]:
    """Return the neighbours that make one convex piece with piece k, and of the others all cuts: (smaller area, neighbour, two parts)."""
    joins, cuts = {}, []
    for other, neighbour in enumerate(pieces):
        loop = joined(pieces[k], neighbour) if other != k else None
        if loop is not None and is_convex(part, loop):
            joins[other] = loop
        elif loop is not None:
            for i, j in combinations(range(len(loop)), 2):
                one, two = loop[i : j + 1], loop[j:] + loop[: i + 1]
                is_new = {frozenset(one), frozenset(two)} != {frozenset(pieces[k]), frozenset(neighbour)}
                if min(len(one), len(two)) > 2 and is_new and is_convex(part, one) and is_convex(part, two):
                    cuts.append((min(twice_area(part, one), twice_area(part, two)), other, one, two))
    return joins, cuts


@pytest.mark.parametrize("ring", RINGS, ids=lambda ring: f"{len(ring)} corners")
def test_every_way_is_offered_and_the_best_first(ring: np.ndarray) -> None:
    [part] = on_grid(Outline.of_polygon(ring))
    for pieces in partitions(part):
        for k in range(len(pieces)):
            offered = list(exchange._Net(part, pieces).instead(k))
            joins, cuts = ways_by_trial(part, pieces, k)
            assert offered[: len(joins)] == [{k: [], other: loop} for other, loop in joins.items()]
            found = []
            for way in offered[len(joins) :]:
                [other] = way.keys() - {k}
                found.append((min(twice_area(part, way[k]), twice_area(part, way[other])), other, way[k], way[other]))
            assert sorted(found) == sorted(cuts)
            assert [area for area, *_ in found] == sorted((area for area, *_ in cuts), reverse=True)


def test_the_part_stays_the_same_and_what_can_be_put_right_is() -> None:
    mended = 0
    for ring in RINGS:
        [part] = on_grid(Outline.of_polygon(ring))
        whole = twice_area(part, part.rings[0])
        for pieces, least in product(partitions(part), (0.1, 0.4)):
            limit = least * whole / len(part.points)
            better = exchanged(part, pieces, lambda loop: twice_area(part, loop) > limit)  # noqa: B023
            assert sum(twice_area(part, loop) for loop in better) == whole and len(better) <= len(pieces)
            assert all(is_convex(part, loop) for loop in better)
            bad = [sum(twice_area(part, loop) <= limit for loop in loops) for loops in (pieces, better)]
            assert bad[1] <= bad[0]
            mended += bad[0] - bad[1]
    assert mended > 30


def _disc_with_a_fin(n: int) -> tuple[GridPart, list[Loop]]:
    """A disc and a thin triangle on its first edge, which makes a dent of one end of that edge and none of the other."""
    disc = shapes.regular(n)
    tip = disc[0] + 0.5 * (disc[0] - disc[-1]) + 0.1 * (disc[1] - disc[0])
    [part] = on_grid(Outline.of_polygon([disc[0], tip, *disc[1:]]))
    at = {tuple(vertex): k for k, vertex in enumerate(part.vertices.tolist())}
    return part, [[at[tuple(disc[0])], at[tuple(tip)], at[tuple(disc[1])]], [at[tuple(corner)] for corner in disc.tolist()]]


def test_a_large_neighbour_costs_its_corners_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying all chords of a disc of 365 corners took 18 s, in a drawing made by tests.hazards.fuzz_files."""
    counts = []
    for n in (300, 3000):
        part, pieces = _disc_with_a_fin(n)
        calls = [0]

        def counted(*corners: tuple[int, int], calls: list[int] = calls) -> int:
            calls[0] += 1
            return turn(*corners)

        monkeypatch.setattr(exchange, "turn", counted)
        better = exchanged(part, pieces, lambda loop: len(loop) > 3)
        assert sorted(map(len, better)) != sorted(map(len, pieces)) and min(map(len, better)) > 3
        counts.append(calls[0])
    assert 3000 < counts[1] < 11 * counts[0] < 11 * 3000


def test_what_is_judged_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    part, pieces = _disc_with_a_fin(300)
    calls = []
    monkeypatch.setattr(exchange, "MOST_JUDGED", 0)
    assert exchanged(part, pieces, lambda loop: bool(calls.append(len(loop)))) == pieces  # nothing is good
    assert len(calls) <= len(pieces) + exchange.MOST_TRIED
    twice = len(calls)
    monkeypatch.setattr(exchange, "MOST_JUDGED", 10**9)
    exchanged(part, pieces, lambda loop: bool(calls.append(len(loop))))
    assert len(calls) > 2 * twice
