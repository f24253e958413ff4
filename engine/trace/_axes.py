"""Shared code of the separating axis test and clipping: edges, shadows on their normals, and the steps that try axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.contracts.trace import Feature, Mark, Point, Question, Role, TraceStep, View
from engine.narrowphase._sat_kernel import SAT_CORNERS, SAT_EDGE, SAT_START
from engine.narrowphase.packing import cached_pack
from engine.trace._points import between
from engine.trace.cases import PairCase
from engine.trace.words import meters

__all__ = ["AXIS", "GAPS", "Axes", "Edges", "side_name"]

AXIS = View("axis", "shadows of A (below) and B on this axis", "distance outward from the edge, m")
GAPS = View("gaps", "gaps so far; a gap above 0 means that the shapes are apart", "axis", "m")

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

        def place(along: float, out: float) -> Point:
            return v[0] + along * n[0] + out * across[0], v[1] + along * n[1] + out * across[1]

        gap = (own_bar[1], other_bar[0])
        nearest = min(self.vertices[1 - side], key=lambda corner: n[0] * corner[0] + n[1] * corner[1])
        marks = [
            Mark("path", "looked_at", (v, w)),
            Mark("line", "bound", (place(0.0, beside), place(self.size, beside)), text="axis"),
            Mark("path", "ghost", (v, place(0.0, beside))),
            Mark("path", "ghost", (nearest, place(separation, beside))),
        ]
        for k, (low, high) in enumerate(bars):
            role: Role = "a" if k == 0 else "b"
            out = beside - 0.03 * self.size * k
            marks += [
                Mark("path", role, (place(low, out), place(high, out))),
                Mark("path", role, ((low, float(k)), (high, float(k))), "axis", side_name(k)),
            ]
        text = meters(separation - reach)
        marks += [
            Mark("path", gap_role, (place(gap[0], beside + 0.03 * self.size), place(gap[1], beside + 0.03 * self.size)), text=text),
            Mark("path", gap_role, ((gap[0], 0.5), (gap[1], 0.5)), "axis", text),
        ]
        return tuple(marks)


class Axes:
    """Decodes the rows of `_sat_kernel`, one axis after the other, and keeps the best gap so far."""

    def __init__(self, edges: Edges, lines: Mapping[str, int], aim: str, goes_on: str, frame: int = 0, climbs: bool = False) -> None:
        self.edges, self.lines, self.aim, self.goes_on, self.climbs = edges, lines, aim, goes_on, climbs
        self.frame = edges.poses[frame]
        self.is_swapped = frame == 1  # then what a row has first is B's
        self.reach = self.touch = 0.0
        self.n_axes = self.n_corners = 0
        self.best = -np.inf
        self.best_edge: tuple[int, int] | None = None
        self.tried: list[tuple[int, int]] = []
        self.gaps: list[Point] = []
        self.steps: list[TraceStep] = []

    @property
    def cost(self) -> dict[str, int]:
        """Axes tried, and corners projected on them."""
        return {"steps": len(self.steps), "axes": self.n_axes, "corners": self.n_corners}

    def decode(self, kind: float, numbers: list[float]) -> None:
        """Add the step of a row, if it is one of `_sat_kernel`'s."""
        if kind == SAT_START:
            self._start(numbers)
        elif kind == SAT_EDGE:
            self._edge(numbers)
        elif kind == SAT_CORNERS:
            self.corners(numbers)

    def parts(self, separation: float) -> bool:
        """Return True if a separation exceeds the radii and rounding."""
        return separation > self.reach + self.touch

    def _start(self, numbers: list[float]) -> None:
        self.reach, self.touch = numbers[:2]
        counts = [self.edges.count(side) for side in range(2)]
        radii = f" The radii, {meters(self.reach)}, are subtracted from each gap." if self.reach > 0.0 else ""
        none = "Neither shape has an edge: both are points with radii." if not any(counts) else ""
        what = none or f"A has {counts[0]} edges and B has {counts[1]}; their normals are the axes to try. {self.aim}"
        self.steps.append(TraceStep("start", 0, what + radii, values={"radii": self.reach, "rounding": self.touch}, cost=self.cost))

    def _edge(self, numbers: list[float]) -> None:
        side, edge, separation, flag = int(numbers[0]), int(numbers[1]), numbers[2], numbers[3]
        edges, gap = self.edges, numbers[2] - self.reach
        self.n_axes += 1
        self.n_corners += len(edges.vertices[1 - side])
        is_parting = self.parts(separation)
        if is_best := flag == 1.0 and separation > self.best + (self.touch if self.tried and self.tried[-1][0] != side else 0.0):
            self.best, self.best_edge = separation, (side, edge)
        self.tried.append((side, edge))
        self.gaps.append((float(self.n_axes), gap))
        if is_parting:
            says = f"the gap is {meters(gap)}. The shadows do not meet, so a straight line fits between the shapes. {self.goes_on}"
        elif abs(gap) <= self.touch:
            says = "the gap is 0 within rounding, so the shadows touch. Touching counts as overlap, so this axis does not separate them."
        else:
            so_far = ", the largest so far" if is_best else ""
            what = "Because the shadows overlap, this axis does not separate them."
            if self._lies_behind(side, edge):
                other = side_name(1 - side)
                what = f"All of {other} lies behind it. An edge can separate only shapes in front of it; try one on the far side."
            says = f"the gap is {meters(gap)}{so_far}. {what}"
        if flag < 0.0:
            says += " The neighboring edges do not allow this normal."
        if self.climbs and sum(at[0] == side for at in self.tried) > 3:
            says += " The climb continues." if flag == 1.0 else " The gap is smaller than the last one, so the climb ends."
        name = edges.name(side, edge)
        why = self._why(side)
        role: Role = "result" if is_parting else "best" if is_best else "dropped"
        self.steps.append(
            TraceStep(
                "axis", self.lines["edge"], f"Axis {self.n_axes}, {name}{why}: {says}", (Feature("ab"[side], "edge", edge),),
                axis=edges.normals[side][edge], bound=self.best - self.reach if self.best > -np.inf else None,
                values={"gap": gap, "separation": separation},
                marks=(*edges.shadow_marks(side, edge, separation, role, self.reach), *self.gap_marks()), cost=self.cost,
                question=Question(
                    f"Does {name} separate them? That is, does all of {side_name(1 - side)} lie in front of it?", ("yes", "no"),
                    0 if is_parting else 1,
                ),
            )
        )  # fmt: skip

    def _lies_behind(self, side: int, edge: int) -> bool:
        """Return True if the other shape lies entirely behind the edge's own shape."""
        n, v = self.edges.normals[side][edge], self.edges.vertices[side][edge]
        return self.edges.along(n, v, 1 - side)[1] + self.reach < self.edges.along(n, v, side)[0]

    def _why(self, side: int) -> str:
        """Return why a climb tries this edge."""
        if not self.climbs:
            return ""
        before = sum(at[0] == side for at in self.tried) - 1
        return _CLIMB[min(before, len(_CLIMB) - 1)]

    def gap_marks(self) -> tuple[Mark, ...]:
        """Draw the gaps of all axes so far, the greatest, the newest."""
        if not self.gaps:
            return ()
        best = max(self.gaps, key=lambda at: at[1])
        return (
            Mark("path", "bound", ((0.5, 0.0), (self.n_axes + 0.5, 0.0)), "gaps"),
            Mark("point", "kept", tuple(self.gaps), "gaps"), Mark("point", "best", (best,), "gaps", meters(best[1])),
            Mark("point", "looked_at", (self.gaps[-1],), "gaps"),
        )  # fmt: skip

    def corners(self, numbers: list[float], why: str = "") -> None:
        """Add the step that measures a distance between corners, or a corner and an edge."""
        distance, first, second = numbers[0], self.frame.apply((numbers[1], numbers[2])), self.frame.apply((numbers[3], numbers[4]))
        at_a, at_b = (second, first) if self.is_swapped else (first, second)
        gap = distance - self.reach
        if not why and self.n_axes:
            why = (
                f"No edge separates them, but the largest gap between the cores, {meters(self.best)}, is not negative, so corners may be "
                "nearest."
            )
        why = why or "There is no edge to test."
        left = "0 m within rounding" if abs(gap) <= self.touch else meters(gap)
        radii = f", or {left} after subtracting the radii" if self.reach > 0.0 else ""
        self.steps.append(
            TraceStep(
                "distance", self.lines["corners"], f"{why} The distance between the cores is therefore measured. "
                f"It is {meters(distance)}{radii}.",
                points=(at_a, at_b), bound=gap, values={"distance": distance, "gap": gap},
                marks=(
                    Mark("path", "looked_at", (at_a, at_b), text=meters(distance)), Mark("point", "looked_at", (at_a, at_b)),
                    *self.gap_marks(),
                ),
                cost=self.cost,
            )
        )  # fmt: skip
