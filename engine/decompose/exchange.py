"""Pieces that are too small, put right with a neighbour: the two are joined, or cut along another diagonal.

Let a bad piece A and its neighbour B, both convex, share the edge u-v. Without it they are one polygon, of which only u and v can be
dents, since its other corners are those of A or of B::

             v
           / | \\          no dent      A and B are one convex piece: the edge goes, and there is one piece less
         /   |  \\         two dents    u-v itself is the only diagonal that ends in both: nothing is to be gained
        |  B | A |        one dent     a diagonal from it may be another, if it leaves no more than pi on either side
        |    |  /
         \\   | /          (drawn: a dent at u)
          \\  |/ .
           \\ u            The dots are edges of A and of B, gone on beyond u: they bound where a diagonal from u may go. From a corner
            \\| .          of a convex polygon the others are seen in the order in which they stand round it. So the corners that may
             |             be the other end are neighbours of each other, round A as round B, and bisection finds the first.

Both sides of such a diagonal are convex: at u by that choice, at its other end because it runs inside A, or B, which is convex there, and
elsewhere as they were. What it cuts off grows from corner to corner, forward round B and backward round A. So in each range the diagonals
that leave the smaller side largest stand side by side, found by bisection in sums of areas, and come in falling order on both sides of
them. They are tried in that order, over all neighbours of A, until both parts are good.

Cost: n for the sums of a piece of n corners, then log n for each edge of A, and for each diagonal that is tried what it takes to judge both
parts. Turns and areas are whole numbers of `engine.decompose.grid`: nothing is rounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, islice, pairwise

from engine.decompose.grid import GridPart, Point, turn

__all__ = ["exchanged"]

MOST_TRIED = 16
"""Ways to put one bad piece right that are judged, a count. Of 2,700 that helped somewhere all but 24 were the first, none was beyond the
16th."""

MOST_JUDGED, EACH = 2_000_000, 50
"""Corners of all that is judged for one part, a count, and what judging any way takes beside, as corners: a second or two. No drawing made
by hand comes near; one with ten thousand teeth of a micrometre does, and the rest of them stay bad."""

Loop = list[int]


def exchanged(part: GridPart, pieces: Sequence[Loop], is_good: Callable[[Loop], bool]) -> list[Loop]:
    """Return the pieces with each bad one put right, where it can be.

    Parameters
    ----------
    part : GridPart
    pieces : list of loops of indices
        Convex, counter-clockwise, of positive area, making up the part; corners may lie on the line of their neighbours.
    is_good : function
        Tells whether a loop of indices may stay: of each piece, and of what would come instead.

    Returns
    -------
    list of loops of indices
        Of the same kind, making up the same part, no more of them.
    """
    net = _Net(part, pieces)
    is_bad = [not is_good(piece) for piece in net.loops]
    judged = 0
    for k in range(len(pieces)):
        if not is_bad[k]:
            continue  # it always was good, or has been put right with another
        for instead in islice(net.instead(k), MOST_TRIED):
            judged += EACH + sum(map(len, instead.values()))
            if all(is_good(loop) for loop in sorted(instead.values(), key=len) if loop):  # the short one is soon judged
                net.put(instead)
                for changed in instead:
                    is_bad[changed] = False
                break
        if judged > MOST_JUDGED:
            break
    return [loop for loop in net.loops if loop]


class _Piece:
    """A convex loop of indices, its corners, and sums of areas round it; of no corners where it is gone."""

    def __init__(self, part: GridPart, nodes: Loop) -> None:
        self.nodes = nodes
        self._corners = [part.points[node] for node in nodes]
        closed = pairwise((*self._corners, *self._corners[:1]))
        self._swept = list(accumulate((turn(self._corners[0], p, q) for p, q in closed), initial=0))

    def __len__(self) -> int:
        return len(self.nodes)

    def corner(self, k: int) -> Point:
        """Return a corner by its number, counted on round the piece."""
        return self._corners[k % len(self._corners)]

    @property
    def twice_area(self) -> int:
        return self._swept[-1]

    def twice_cut(self, start: int, ahead: int) -> int:
        """Return twice the area between the way from a corner to one so many ahead, less than once round, and the line back."""
        n = len(self._corners)
        start %= n
        end = start + ahead
        way = self._swept[end % n] - self._swept[start] + (self._swept[n] if end >= n else 0)
        return way + turn(self._corners[0], self._corners[end % n], self._corners[start])


@dataclass(frozen=True, slots=True)
class _Seam:
    """An edge between two pieces: a's corners `at_a`, `at_a` + 1 are b's `at_b` + 1, `at_b`."""

    a: _Piece
    at_a: int
    b: _Piece
    at_b: int

    @property
    def n_dents(self) -> int:
        """How many of its ends would be dents without it."""
        return (self.bend < 0) + (self.turned().bend < 0)

    @property
    def bend(self) -> int:
        """The turn at the first of its ends, if the edge goes; negative where that is a dent."""
        return turn(self.a.corner(self.at_a - 1), self.a.corner(self.at_a), self.b.corner(self.at_b + 2))

    def turned(self) -> _Seam:
        """Return it as it is seen from the other side, where its second end is the first."""
        return _Seam(self.b, self.at_b, self.a, self.at_a)

    def joined(self) -> Loop:
        """Return the loop round both, from its second end on; empty where they meet elsewhere too."""
        a, b = self.a.nodes, self.b.nodes
        loop = [*a[self.at_a + 1 :], *a[: self.at_a + 1], *(b + b)[self.at_b + 2 : self.at_b + len(b)]]
        return loop if len(set(loop)) == len(loop) else []

    def cuts(self, name: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield diagonals that cut both into two other convex pieces, the smaller of them largest first, if just one end is a dent.

        Each as (minus twice the area of the smaller one, the given name, its ends: two numbers in `joined`, ascending).
        """
        if self.n_dents == 1:
            dent, start = (self, len(self.a) - 1) if self.bend < 0 else (self.turned(), 0)
            around = len(self.a) + len(self.b) - 2
            for smaller, ahead in dent._diagonals():
                end = (start + ahead) % around
                yield smaller, name, min(start, end), max(start, end)

    def _diagonals(self) -> Iterator[tuple[int, int]]:
        """Yield those from its first end, a dent: minus twice the smaller area, and the corners to go to the other end, forward round b or,
        negative, backward round a."""
        a, b, at, first = self.a, self.b, self.at_a, self.at_b + 1
        before, dent, after = a.corner(at - 1), a.corner(at), b.corner(first + 1)
        whole = a.twice_area + b.twice_area
        forward = _falling(len(b), whole, lambda k: turn(before, dent, b.corner(first + k)), lambda k: b.twice_cut(first, k))
        backward = _falling(len(a), whole, lambda k: turn(a.corner(at - k), dent, after), lambda k: a.twice_cut(at - k, k))
        return merge(forward, ((smaller, -k) for smaller, k in backward))


def _falling(n: int, whole: int, opening: Callable[[int], int], cut: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """Yield (minus twice the smaller area, k) for the corners 2 to n - 2 away from a dent from where `opening` is negative no more."""
    ends = range(n - 1)
    low = bisect_left(ends, True, lo=2, key=lambda k: opening(k) >= 0)
    middle = bisect_left(ends, whole, lo=low, key=lambda k: 2 * cut(k))
    return merge(((-cut(k), k) for k in range(middle - 1, low - 1, -1)), ((cut(k) - whole, k) for k in range(middle, n - 1)))


class _Net:
    """Pieces, and which have an edge in common."""

    def __init__(self, part: GridPart, loops: Sequence[Loop]) -> None:
        self._part = part
        self._pieces = [_Piece(part, []) for _ in loops]
        self._left: dict[tuple[int, int], tuple[int, int]] = {}
        """Of each edge, as (node, next node), the number of the piece on its left, and of its first corner there."""
        self.put({k: list(loop) for k, loop in enumerate(loops)})

    @property
    def loops(self) -> list[Loop]:
        """All pieces, empty those that are gone."""
        return [piece.nodes for piece in self._pieces]

    def put(self, instead: Mapping[int, Loop]) -> None:
        """Let some pieces be others, or gone where there are no corners."""
        for k in instead:
            for edge in _edges(self._pieces[k].nodes):
                self._left.pop(edge, None)
        for k, loop in instead.items():
            self._pieces[k] = _Piece(self._part, loop)
            self._left.update((edge, (k, at)) for at, edge in enumerate(_edges(loop)))

    def instead(self, k: int) -> Iterator[dict[int, Loop]]:
        """Yield what may come instead of a piece and one of its neighbours: first the two as one, then two others, the best first."""
        seams: dict[int, _Seam] = {}
        for at, (u, v) in enumerate(_edges(self._pieces[k].nodes)):
            if (v, u) in self._left:
                other, there = self._left[v, u]
                seams[other] = _Seam(self._pieces[k], at, self._pieces[other], there)
        for other, seam in sorted(seams.items()):
            if seam.n_dents == 0 and (loop := seam.joined()):
                yield {k: [], other: loop}
        for _, other, i, j in merge(*(seam.cuts(other) for other, seam in seams.items())):
            if loop := seams[other].joined():
                yield {k: loop[i : j + 1], other: loop[j:] + loop[: i + 1]}


def _edges(loop: Loop) -> Iterator[tuple[int, int]]:
    return pairwise((*loop, *loop[:1]))
