"""Shared code of the separating axis test and clipping: edges, shadows on their normals, and the steps that try axes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from engine.compare.pair.file import Pair
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.geometry import Polygon, Transform
from engine.narrowphase._sat_kernel import SAT_CORNERS, SAT_EDGE, SAT_START
from engine.narrowphase.packing import cached_pack
from engine.trace.cases import PairCase
from engine.trace.marks import between, dot, path
from engine.trace.protocol import PLANE, Decoder
from engine.trace.rows import Event, Events
from engine.trace.words import meters

__all__ = ["APART", "AXIS_EVENTS", "AXIS_VIEWS", "AxesDecoder", "Edges", "side_name"]

AXIS_VIEWS = (
    PLANE,
    View("axis", "shadows of A (below) and B on this axis", "distance outward from the edge, m"),
    View("gaps", "gaps so far; a gap above 0 means that the shapes are apart", "axis", "m"),
)
APART = PairCase(
    Pair(
        "overlap", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
        Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)]), Transform((-1.45, 1.2), 0.5),
    )
)  # fmt: skip
"""Two polygons that nearly touch."""
AXIS_EVENTS: Events = {
    SAT_START: Event("start", "reach touch"),
    SAT_EDGE: Event("edge", "side:i edge:i separation flag"),
    SAT_CORNERS: Event("corners", "distance first:2 second:2"),
}

_CLIMB = (", which faces the other's center most directly", ", its neighbor", ", its other neighbor", ", the next one in that direction")
_LOOKS = ("right", "upper right", "upper", "upper left", "left", "lower left", "lower", "lower right")


def side_name(side: int) -> str:
    """Return which shape a side is."""
    return "AB"[side]


class Edges:
    """The cores of a case in the world, with the normals that the kernels work with."""

    def __init__(self, case: PairCase) -> None:
        a, xf_a, b, xf_b = case.both
        packed = cached_pack(a, b)
        n_a = int(packed.n_vertices[0])
        self.poses = xf_a, xf_b
        self.radii = a.radius, b.radius
        self.vertices: tuple[list[Point], ...] = tuple(
            [(x, y) for x, y in xf.apply_array(core).tolist()]
            for xf, core in zip(self.poses, (packed.vertices[:n_a], packed.vertices[n_a:]), strict=True)
        )
        self.normals: tuple[list[Point], ...] = tuple(
            [xf.rotate((x, y)) for x, y in normals.tolist()]
            for xf, normals in zip(self.poses, (packed.normals[:n_a], packed.normals[n_a:]), strict=True)
        )
        both = np.array([*self.vertices[0], *self.vertices[1]])
        self.size = float((both.max(axis=0) - both.min(axis=0)).max()) + 2.0 * max(self.radii)

    def count(self, side: int) -> int:
        """Return the number of edges of a core: none of a point, two of a segment, one for each side."""
        n = len(self.vertices[side])
        return n if n > 1 else 0

    def ends(self, side: int, edge: int) -> tuple[Point, Point]:
        """Return both ends of an edge."""
        corners = self.vertices[side]
        return corners[edge], corners[(edge + 1) % len(corners)]

    def middle(self, side: int, edge: int) -> Point:
        """Return the middle of an edge."""
        return between(*self.ends(side, edge))

    def name(self, side: int, edge: int) -> str:
        """Return the name of an edge: its side and its number."""
        nx, ny = self.normals[side][edge]
        looks = _LOOKS[round(float(np.arctan2(ny, nx)) / (0.25 * np.pi)) % 8]
        whose, n = side_name(side), len(self.vertices[side])
        return f"{whose}'s {looks} edge ({whose}{edge} to {whose}{(edge + 1) % n})"

    def along(self, n: Point, origin: Point, side: int) -> tuple[float, float]:
        """Return where a core's shadow on n begins and ends, seen from `origin`."""
        ends = [n[0] * (x - origin[0]) + n[1] * (y - origin[1]) for x, y in self.vertices[side]]
        return min(ends), max(ends)

    def shadow_marks(self, side: int, edge: int, separation: float, gap_role: Role, reach: float) -> tuple[Mark, ...]:
        """Draw an edge, the axis beside the shapes with both shadows on it, and the shadows once more as bars.

        The kernel knows where B's shadow begins; the far ends of the shadows are computed here."""
        n, (v, w) = self.normals[side][edge], self.ends(side, edge)
        far, near = self.along(n, v, side)[0], self.along(n, v, 1 - side)[1]
        radius, other = self.radii[side], self.radii[1 - side]
        own_bar, other_bar = (far - radius, radius), (separation - other, max(near, separation) + other)
        bars = (own_bar, other_bar) if side == 0 else (other_bar, own_bar)
        across = (-n[1], n[0])
        beside = min(self.along(across, v, 0)[0] - self.radii[0], self.along(across, v, 1)[0] - self.radii[1]) - 0.08 * self.size

        def place(out: float, *shares: float) -> tuple[Point, ...]:
            return tuple((v[0] + share * n[0] + out * across[0], v[1] + share * n[1] + out * across[1]) for share in shares)

        gap = (own_bar[1], other_bar[0])
        nearest = min(self.vertices[1 - side], key=lambda corner: n[0] * corner[0] + n[1] * corner[1])
        marks = [
            path("looked_at", v, w),
            Mark("line", "bound", place(beside, 0.0, self.size), text="axis"),
            path("ghost", v, *place(beside, 0.0)),
            path("ghost", nearest, *place(beside, separation)),
        ]
        for k, bar in enumerate(bars):
            role: Role = "a" if k == 0 else "b"
            marks += [path(role, *place(beside - 0.03 * self.size * k, *bar)), _level(role, bar, float(k), side_name(k))]
        text = meters(separation - reach)
        marks += [path(gap_role, *place(beside + 0.03 * self.size, *gap), text=text), _level(gap_role, gap, 0.5, text)]
        return tuple(marks)


def _level(role: Role, ends: tuple[float, float], y: float, text: str) -> Mark:
    """Mark an interval on the axis."""
    return path(role, *((x, y) for x in ends), view="axis", text=text)


class AxesDecoder(Decoder[PairCase]):
    """Decodes the rows of `_sat_kernel`, one axis after the other, and keeps the best gap so far.

    Attributes
    ----------
    edge_line, corner_line : int
        Lines of the pseudo-code that try an edge's axis, and that measure the distance of the cores.
    aim, goes_on : str
        Sentences: about the axes to try, and about what follows if one separates the shapes.
    frame : Transform
        The frame of points in rows.
    climbs : bool
        True if the search goes from neighbor to neighbor.
    """

    events = AXIS_EVENTS
    costs = ("axes", "corners")
    edge_line: int
    corner_line: int
    aim: ClassVar[str]
    goes_on: ClassVar[str]
    climbs = False

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
        self.edges = Edges(self.case)
        self.frame = self.edges.poses[0]
        self.is_swapped = False  # True if what a row has first is B's
        self.reach = self.touch = 0.0
        self.best = -np.inf
        self.best_edge: tuple[int, int] = 0, 0
        self.tried: list[tuple[int, int]] = []
        self.gaps: list[Point] = []

    def parts(self, separation: float) -> bool:
        """Return True if a separation exceeds the radii and rounding."""
        return separation > self.reach + self.touch

    def count(self, n_corners: int, gap: float) -> int:
        """Count an axis with its gap, and the corners projected on it; return its number, from 1."""
        self.counts["axes"] += 1
        self.counts["corners"] += n_corners
        self.gaps.append((float(self.counts["axes"]), gap))
        return self.counts["axes"]

    def start(self, e: Any) -> None:
        self.reach, self.touch = e
        counts = [self.edges.count(side) for side in range(2)]
        radii = f" The radii, {meters(self.reach)}, are subtracted from each gap." if self.reach > 0.0 else ""
        none = "Neither shape has an edge: both are points with radii." if not any(counts) else ""
        what = none or f"A has {counts[0]} edges and B has {counts[1]}; their normals are the axes to try. {self.aim}"
        self.add("start", 0, what + radii, values={"radii": self.reach, "rounding": self.touch})

    def edge(self, e: Any) -> None:
        side, edge, separation, flag = e
        edges, gap, name, other = self.edges, separation - self.reach, self.edges.name(side, edge), side_name(1 - side)
        at = self.count(len(edges.vertices[1 - side]), gap)
        is_parting = self.parts(separation)
        if is_best := flag == 1.0 and separation > self.best + (self.touch if self.tried and self.tried[-1][0] != side else 0.0):
            self.best, self.best_edge = separation, (side, edge)
        self.tried.append((side, edge))
        n_tried = sum(of == side for of, _ in self.tried)
        if is_parting:
            says = f"the gap is {meters(gap)}. The shadows do not meet, so a straight line fits between the shapes. {self.goes_on}"
        elif abs(gap) <= self.touch:
            says = "the gap is 0 within rounding, so the shadows touch. Touching counts as overlap, so this axis does not separate them."
        else:
            so_far = ", the largest so far" if is_best else ""
            what = "Because the shadows overlap, this axis does not separate them."
            if self._lies_behind(side, edge):
                what = f"All of {other} lies behind it. An edge can separate only shapes in front of it; try one on the far side."
            says = f"the gap is {meters(gap)}{so_far}. {what}"
        if flag < 0.0:
            says += " The neighboring edges do not allow this normal."
        if self.climbs and n_tried > 3:
            says += " The climb continues." if flag == 1.0 else " The gap is smaller than the last one, so the climb ends."
        why = _CLIMB[min(n_tried, len(_CLIMB)) - 1] if self.climbs else ""
        role: Role = "result" if is_parting else "best" if is_best else "dropped"
        prompt = f"Does {name} separate them? That is, does all of {other} lie in front of it?"
        self.add(
            "axis", self.edge_line, f"Axis {at}, {name}{why}: {says}", (Feature("ab"[side], "edge", edge),),
            axis=edges.normals[side][edge], bound=self.best - self.reach if self.best > -np.inf else None,
            values={"gap": gap, "separation": separation},
            marks=(*edges.shadow_marks(side, edge, separation, role, self.reach), *self.gap_marks()),
            question=Question(prompt, ("yes", "no"), 0 if is_parting else 1),
        )  # fmt: skip

    def _lies_behind(self, side: int, edge: int) -> bool:
        """Return True if the other shape lies entirely behind the edge's own shape."""
        n, v = self.edges.normals[side][edge], self.edges.vertices[side][edge]
        return self.edges.along(n, v, 1 - side)[1] + self.reach < self.edges.along(n, v, side)[0]

    def gap_marks(self) -> tuple[Mark, ...]:
        """Draw the gaps of all axes so far, the greatest, the newest."""
        if not self.gaps:
            return ()
        best = max(self.gaps, key=lambda at: at[1])
        return (
            path("bound", (0.5, 0.0), (len(self.gaps) + 0.5, 0.0), view="gaps"), dot("kept", *self.gaps, view="gaps"),
            dot("best", best, view="gaps", text=meters(best[1])), dot("looked_at", self.gaps[-1], view="gaps"),
        )  # fmt: skip

    def corners(self, e: Any, why: str = "") -> None:
        """Add the step that measures a distance between corners, or a corner and an edge."""
        points = self.frame.apply(e.first), self.frame.apply(e.second)
        if self.is_swapped:
            points = points[::-1]
        gap = e.distance - self.reach
        if not why and self.gaps:
            why = (
                f"No edge separates them, but the largest gap between the cores, {meters(self.best)}, is not negative, so corners may be "
                "nearest."
            )
        why = why or "There is no edge to test."
        left = "0 m within rounding" if abs(gap) <= self.touch else meters(gap)
        radii = f", or {left} after subtracting the radii" if self.reach > 0.0 else ""
        self.add(
            "distance", self.corner_line,
            f"{why} The distance between the cores is therefore measured. It is {meters(e.distance)}{radii}.",
            points=points, bound=gap, values={"distance": e.distance, "gap": gap},
            marks=(path("looked_at", *points, text=meters(e.distance)), dot("looked_at", *points), *self.gap_marks()),
        )  # fmt: skip
