"""The separating axis test, step by step: `engine.narrowphase._overlap_kernel`, `_axis_cache_kernel`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from engine import query
from engine.common.checks import integer
from engine.common.events import unrecorded
from engine.compare.pair.file import Pair
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.geometry import AnyShape, Polygon, Transform
from engine.narrowphase import sat as chapter
from engine.narrowphase._core_distance_kernel import nearest_points
from engine.narrowphase._overlap_kernel import CoreDistance
from engine.narrowphase._sat_kernel import SatCorners, SatEdge, SatEnd, SatRemembered, SatStart
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.sat import NO_AXIS, CachedOverlap
from engine.trace import given
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, Points, as_points, between, dot, path
from engine.trace.protocol import PLANE, Algorithm, Decoder, PairAlgorithm, TraceSteps, code
from engine.trace.words import depth_or_gap, meters

__all__ = ["ALGORITHMS", "AXIS_VIEWS", "AxesDecoder", "side_name"]

AXIS_VIEWS = (
    PLANE,
    View("axis", "shadows on the axis: A below, B above", "distance outward from the edge, m"),
    View("gaps", "gaps so far: above 0 apart, below 0 a depth", "axis", "m"),
)


APART = PairCase(
    Pair(
        "overlap", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
        Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)]), Transform((-1.45, 1.2), 0.5),
    )
)  # fmt: skip
"""Two polygons that nearly touch."""


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
        whose = side_name(side)
        return f"{whose}'s {looks} edge ({self.short_name(side, edge)})"

    def short_name(self, side: int, edge: int) -> str:
        """Return an edge's two corners, as they are labeled in the picture: "A2-A3"."""
        whose = side_name(side)
        return f"{whose}{edge}-{whose}{(edge + 1) % len(self.vertices[side])}"

    def along(self, n: Point, origin: Point, side: int) -> tuple[float, float]:
        """Return where a core's shadow on n begins and ends, seen from `origin`."""
        ends = [n[0] * (x - origin[0]) + n[1] * (y - origin[1]) for x, y in self.vertices[side]]
        return min(ends), max(ends)

    def shadow_marks(self, side: int, edge: int, separation: float, gap_role: Role, reach: float) -> Marks:
        """Draw an edge, the axis next to the shapes with both projections on it, and the projections again as bars.

        The kernel knows where B's shadow begins; the far ends of the shadows are computed here."""
        n, (v, w) = self.normals[side][edge], self.ends(side, edge)
        far, near = self.along(n, v, side)[0], self.along(n, v, 1 - side)[1]
        radius, other = self.radii[side], self.radii[1 - side]
        own_bar, other_bar = (far - radius, radius), (separation - other, max(near, separation) + other)
        bars = (own_bar, other_bar) if side == 0 else (other_bar, own_bar)
        across = (-n[1], n[0])
        beside = min(self.along(across, v, 0)[0] - self.radii[0], self.along(across, v, 1)[0] - self.radii[1]) - 0.08 * self.size

        def place(out: float, *shares: float) -> Points:
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
    """Decodes the events of `_sat_kernel`, one axis after the other, and keeps the best gap so far.

    Attributes
    ----------
    edge_line, corner_line : int
        Lines of the pseudocode that try an edge's axis, and that measure the distance of the cores.
    aim, goes_on : str
        Sentences: about the axes to try, and about what follows if one separates the shapes.
    tries_on : bool
        True if the search tries the other edges of the same shape after an axis that separates the shapes.
    frame : Transform
        The frame of points in events.
    climbs : bool
        True if the search goes from neighbor to neighbor.
    """

    costs = ("axes", "corners")
    edge_line: int
    corner_line: int
    aim: ClassVar[str]
    goes_on: ClassVar[str]
    tries_on = False
    climbs = False

    def set_up(self) -> None:
        self.edges = Edges(self.case)
        self.frame = self.edges.poses[0]
        self.is_swapped = False  # True if what an event has first is B's
        self.reach = self.touch = 0.0
        self.best = -np.inf
        self.best_edge: tuple[int, int] = 0, 0
        self.tried: list[tuple[int, int]] = []
        self.gaps: list[Point] = []
        self.top = 0  # index in `gaps` of the best

    def parts(self, separation: float) -> bool:
        """Return True if a separation exceeds the radii and rounding."""
        return separation > self.reach + self.touch

    def count(self, n_corners: int, gap: float, is_best: bool) -> int:
        """Count an axis with its gap, and the corners projected on it; return its number, from 1."""
        if is_best:
            self.top = len(self.gaps)
        self.counts["axes"] += 1
        self.counts["corners"] += n_corners
        self.gaps.append((float(self.counts["axes"]), gap))
        return self.counts["axes"]

    def sat_start(self, e: SatStart) -> None:
        self.reach, self.touch = e
        counts = [self.edges.count(side) for side in range(2)]
        radii = f" The radii, {meters(self.reach)}, are subtracted from each gap." if self.reach > 0.0 else ""
        none = "Neither shape has an edge: both are points with radii." if not any(counts) else ""
        what = none or f"A has {counts[0]} edges and B has {counts[1]}; their normals are the axes to try. {self.aim}"
        self.add("start", 0, what + radii, values={"radii": self.reach, "rounding": self.touch})

    def sat_edge(self, e: SatEdge) -> None:
        side, edge, separation, is_best, is_allowed = e
        edges, gap, name, other = self.edges, separation - self.reach, self.edges.name(side, edge), side_name(1 - side)
        is_parting = self.parts(separation)
        if is_best := is_best and separation > self.best + (self.touch if self.tried and self.tried[-1][0] != side else 0.0):
            self.best, self.best_edge = separation, (side, edge)
        at = self.count(len(edges.vertices[1 - side]), gap, is_best)
        self.tried.append((side, edge))
        n_tried = sum(of == side for of, _ in self.tried)
        if is_parting:
            says = f"the gap is {meters(gap)}. The shadows do not overlap, so a straight line separates the shapes. {self.goes_on}"
            if self.tries_on and any(isinstance(row, SatEdge) and row.side == side for row in self.ahead):
                says += f" The query still tries {side_name(side)}'s other edges."
        elif abs(gap) <= self.touch:
            says = "the gap is 0 within rounding, so the shadows touch. Touching counts as overlap, so this axis does not separate them."
        else:
            so_far = ", the least so far" if is_best else ""
            says = f"{other} reaches {meters(-gap)} behind this edge{so_far}. The axis does not separate the shapes."
            if self._lies_behind(side, edge):
                says = (
                    f"all of {other} lies behind this edge and would have to move {meters(-gap)} along its normal to get in front{so_far}. "
                    "An edge can separate only shapes in front of it; try one on the far side."
                )
        if not is_allowed:
            says += " The neighboring edges do not allow this normal."
        if self.climbs and n_tried > 3:
            worse = "depth is greater" if gap < 0.0 else "gap is smaller"
            says += " The climb continues." if e.is_best else f" The {worse} than the last one, so the climb ends."
        why = _CLIMB[min(n_tried, len(_CLIMB)) - 1] if self.climbs else ""
        role: Role = "dropped" if not is_best else "result" if is_parting else "best"
        prompt = f"Does {name} separate them? That is, does all of {other} lie in front of it?"
        self.add(
            "axis", self.edge_line, f"Axis {at}, {name}{why}: {says}", (Feature("ab"[side], "edge", edge),),
            axis=edges.normals[side][edge], bound=self.best - self.reach if self.best > -np.inf else None,
            values={"gap": gap, "separation": separation},
            marks=(*edges.shadow_marks(side, edge, separation, role, self.reach), *self.gap_marks(is_current=True)),
            question=Question(prompt, ("yes", "no"), 0 if is_parting else 1),
        )  # fmt: skip

    def _lies_behind(self, side: int, edge: int) -> bool:
        """Return True if the other shape lies entirely behind the edge's own shape."""
        n, v = self.edges.normals[side][edge], self.edges.vertices[side][edge]
        return self.edges.along(n, v, 1 - side)[1] + self.reach < self.edges.along(n, v, side)[0]

    def gap_marks(self, is_current: bool = False) -> Marks:
        """Draw the gaps of all axes so far in the colors of their projections, with a ring around the newest while its axis is current."""
        if not self.gaps:
            return ()
        best, others = self.gaps[self.top], [gap for k, gap in enumerate(self.gaps) if k != self.top]
        return (
            path("bound", (0.5, 0.0), (len(self.gaps) + 0.5, 0.0), view="gaps"),
            *((dot("dropped", *others, view="gaps"),) if others else ()),
            dot("result" if self.parts(best[1] + self.reach) else "best", best, view="gaps", text=meters(best[1])),
            *((dot("looked_at", self.gaps[-1], view="gaps"),) if is_current else ()),
        )  # fmt: skip

    def sat_corners(self, e: SatCorners, why: str = "") -> None:
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


class _SatDecoder(AxesDecoder):
    edge_line, corner_line = 3, 6
    aim = (
        "If any line separates two polygons, one parallel to an edge does, so no other axes are needed. If the shadows (projections) on "
        "one axis do not overlap, the shapes are apart."
    )
    goes_on = "No other axis is needed."

    def core_distance(self, e: CoreDistance) -> None:
        points = np.empty((2, 2))
        nearest_points(np.array(e.a), np.array(e.b), points)
        self.sat_corners(SatCorners(e.distance, *as_points(points)))

    def answer(self) -> None:
        last, edges, is_overlapping = self.steps[-1], self.edges, self.result
        n_edges = edges.count(0) + edges.count(1)
        marks: Marks = last.marks
        line, points, gap = 4, last.points, last.values.get("gap", self.best - self.reach)
        if last.kind == "distance":
            line, distance = 7, meters(last.values["distance"])
            says = (
                f"They overlap: the cores are {distance} apart, less than the sum of the radii, {meters(self.reach)}."
                if is_overlapping and self.reach > 0.0
                else "They overlap: within rounding, the cores are 0 m apart, so they touch."
                if is_overlapping
                else f"They are apart by {meters(gap)}, corner to corner, which is more than the gap along any edge's normal."
            )
        elif is_overlapping:
            line, gap = 5, self.best - self.reach
            says = (
                f"They overlap: their shadows overlap on all {n_edges} axes, by at least {meters(-gap)}. If any line "
                "separated the two, one parallel to an edge would, so no other axis is needed."
            )
            marks = (*edges.shadow_marks(*self.best_edge, self.best, "result", self.reach), *self.gap_marks())
        else:
            left = n_edges - len(self.gaps)
            saved = f" The other {left} of {n_edges} axes were not tested." if left else ""
            says = f"They are apart: one axis with a gap between the shadows, here {meters(gap)}, is proof enough.{saved}"
        self.add(
            "answer", line, says, points=points, axis=last.axis if line == 4 else None, bound=gap,
            values={"overlaps": float(is_overlapping)}, marks=marks, result=is_overlapping,
        )  # fmt: skip


class Sat(PairAlgorithm):
    """Overlap of two convex shapes, by the axis that would separate them."""

    name = "sat"
    title = "SAT: do two shapes overlap?"
    page = "sat.md#derivation"
    pseudo_code = code("""
        r = the sum of the radii (0 for polygons); cores exclude the radii
        for each edge of A, then of B:
          n = its outward normal; its own shape's shadow on n ends at the edge
          gap = start of the other's shadow along n - r
          if gap > 0: the two are apart; no other axis is needed
        if all shadows of the cores overlap: the two overlap
          d = the distance between the cores, which are corner to corner
        they overlap if d <= r
    """)
    views = AXIS_VIEWS
    beside = ("gjk", "sat_cached", "manifold")
    decoder = _SatDecoder
    ask = staticmethod(query.overlap)
    example = APART

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> TraceSteps:
        """Return the steps of `engine.query.overlap`; with an `axis` remembered by an earlier call, those of `sat_cached`."""
        return super().of(a, xf_a, b, xf_b) if axis == NO_AXIS else SatCached().of(a, xf_a, b, xf_b, axis)


class _CachedDecoder(AxesDecoder):
    edge_line, corner_line = 4, 6
    aim = "The one that separated them in the last frame comes first."
    goes_on = "Its other edges are tried too, and the best one is remembered."

    def sat_remembered(self, e: SatRemembered) -> None:
        edges, gap, is_enough = self.edges, e.separation - self.reach, self.parts(e.separation)
        is_best = not self.gaps or gap > self.gaps[self.top][1]
        role: Role = "dropped" if not is_best else "result" if is_enough else "best"
        side, first, second = self._decoded(e.axis)
        name = self._axis(e.axis, e.separation)[0]
        looked_at: tuple[Feature, ...] = (Feature("ab"[side], "edge", first),)
        if side >= 0:
            n_corners, n = len(edges.vertices[1 - side]), edges.normals[side][first]
            marks = edges.shadow_marks(side, first, e.separation, role, self.reach)
        else:
            n_corners = len(edges.vertices[0]) + len(edges.vertices[1])
            ends = edges.vertices[0][first], edges.vertices[1][second]
            looked_at = (Feature("a", "vertex", first), Feature("b", "vertex", second))
            n, marks = _direction(*ends), (path("looked_at", *ends, text=meters(gap)), dot("looked_at", *ends))
        what = "the axis of a neighbor" if self.steps and self.steps[-1].kind == "remembered" else "the last frame's axis"
        self.count(n_corners, gap, is_best)
        verdict = f"{depth_or_gap(gap)}. The axis does not separate them."
        if is_enough:
            verdict = f"the gap is {meters(gap)}. The axis separates them. Shapes move little per frame, so few axes are usually enough."
        self.add(
            "remembered", 1, f"Along {what}, {name}, {verdict}", looked_at, axis=n, bound=gap,
            values={"gap": gap, "separation": e.separation}, marks=(*marks, *self.gap_marks(is_current=True)),
            question=Question(f"Does {what}, {name}, separate them?", ("yes", "no"), 0 if is_enough else 1),
        )  # fmt: skip

    def sat_end(self, e: SatEnd) -> None:
        self.taken = e.separation

    def answer(self) -> None:
        result, is_settled = self.result, self.steps[-1].kind == "remembered"
        what, line = "They overlap" if result.is_overlapping else "They are apart", 2 if is_settled else 7
        gap = self.steps[-1].values["gap"] if is_settled else self.taken - self.reach
        name, marks, looked_at = self._axis(result.axis, gap + self.reach)
        if is_settled:
            n_edges = self.edges.count(0) + self.edges.count(1)
            which = "The remembered axis" if result.was_enough else "The axis of a neighbor"
            says = f"{what}. {which}, 1 of {n_edges}, was enough. It is kept for the next frame."
        else:
            says = f"{what}. The best axis is that of {name}: {depth_or_gap(gap)}. It will be tried first in the next frame."
        self.add(
            "answer", line, says, looked_at, bound=gap, values={"axis": float(result.axis), "overlaps": float(result.is_overlapping)},
            marks=(*marks, *self.gap_marks()), result=result,
        )  # fmt: skip

    def _decoded(self, axis: int) -> tuple[int, int, int]:
        """Return side and edge of a numbered axis, or -1 and the corners of A and B."""
        n_a, n_b = (len(vertices) for vertices in self.edges.vertices)
        if axis < n_a:
            return 0, axis, -1
        if axis < n_a + n_b:
            return 1, axis - n_a, -1
        return -1, *divmod(axis - n_a - n_b, n_b)

    def _axis(self, axis: int, separation: float) -> tuple[str, Marks, tuple[Feature, ...]]:
        """Return an axis's name, marks and features."""
        edges, (side, first, second) = self.edges, self._decoded(axis)
        if side >= 0 and edges.count(side):
            marks = edges.shadow_marks(side, first, separation, "result", self.reach)
            return edges.name(side, first), marks, (Feature("ab"[side], "edge", first),)
        first, second = max(first, 0), max(second, 0)
        return (
            f"the line from corner A{first} to B{second}", (path("result", edges.vertices[0][first], edges.vertices[1][second]),), (),
        )  # fmt: skip


def _direction(p: Point, q: Point) -> Point:
    """Return the direction between two distinct corners."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = (dx * dx + dy * dy) ** 0.5
    return (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)


class SatCached(PairAlgorithm):
    """The best axis of the frame before is tried before all others, then its neighbors."""

    name = "sat_cached"
    title = "SAT with a remembered axis"
    page = "sat.md#derivation"
    pseudo_code = code("""
        r = the sum of the radii
        gap = along the last frame's axis; then its neighbors', while it grows
        if a gap > 0: the two are apart; no other axis is needed
        for each edge of A; then of B, if none of A's separates them:
          gap = start of the other's shadow along its normal - r
          keep the largest
        if the cores do not overlap: d = their distance; apart if d > r
        remember the best axis by its features: an edge or two corners
    """)
    views = AXIS_VIEWS
    beside = ("sat",)
    decoder = _CachedDecoder
    example = PairCase(APART.pair, replace(APART.pair, pose_b=Transform((-1.5, 1.2), 0.45)))

    def case_of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS) -> PairCase:
        """Return the case of the arguments of `engine.narrowphase.sat.overlap_cached`."""
        return replace(given.of_pair("overlap", a, xf_a, b, xf_b), axis=integer("axis", axis))

    def query(self, case: PairCase) -> CachedOverlap:
        axis, before = case.axis, case.before
        if axis is None:  # that from before the last drag
            axis = NO_AXIS
            if before is not None and before.shape_b is not None:
                with unrecorded():  # these are not steps of this frame
                    axis = chapter.overlap_cached(*PairCase(before).both).axis
        return chapter.overlap_cached(*case.both, axis)


ALGORITHMS: tuple[Algorithm[Any], ...] = (Sat(), SatCached())
