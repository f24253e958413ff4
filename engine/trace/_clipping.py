"""From an axis to contact points, step by step, by either rule: rows of `_clip_kernel` and of the search for the axis."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from engine.common.errors import InvalidInputError
from engine.common.words import counted
from engine.contracts import Manifold
from engine.contracts.trace import Feature, Mark, Point, Question, TraceStep
from engine.geometry import AnyShape, Circle, Polygon, Segment
from engine.narrowphase import manifold as chapter
from engine.narrowphase._clip_kernel import (
    MANIFOLD_CLIPPED,
    MANIFOLD_DISTANCE,
    MANIFOLD_INCIDENT,
    MANIFOLD_NEIGHBORS,
    MANIFOLD_POINT,
    MANIFOLD_REFERENCE,
)
from engine.narrowphase._manifold_kernel import frame_is_b
from engine.narrowphase._sat_kernel import SAT_CORNERS, SAT_END
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.rules import Rule, check_rule, rule_number
from engine.narrowphase.scratch import ONE_PAIR
from engine.trace import given
from engine.trace._axes import AXIS, GAPS, Axes, Edges, side_name
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["CLIPPING", "ClippedManifold"]

CLIPPING = (
    "reference edge = the edge with that axis as its normal",
    "if its gap > the sum of the radii: no contact",
    "if past the end of an edge: the axis runs from corner to corner",
    "incident edge = the other shape's edge that most faces it",
    "for both ends of the reference edge:",
    "  cut off the part beyond the side plane there",
    "for each end that is left:",
    "  drop it if it is farther away than the sum of the radii",
    "  point = midway between the surfaces; id = features that formed it",
    "if the deepest point is lost: repeat with another, equal edge",
)
"""The pseudo-code of clipping; lines of a rule that chooses the axis come before it."""

_REFERENCE, _PARTED, _CORNERS, _INCIDENT, _, _CUT, _, _DROPPED, _POINT, _AGAIN = range(len(CLIPPING))

_MAX_EDGES = 16
"""Maximum number of edges for a question that names one."""

_AGAINS = (
    "",
    "the deepest point is missing, because several edges are equal within rounding: try again with the edge whose gap is exactly the "
    "largest",
    "the deepest point is still missing: try again with the other shape's edge",
    "the deepest point is still missing: try the first edge again, with only its foremost corner if necessary",
)


def is_link(shape: AnyShape) -> bool:
    """Return True if a shape is a segment with neighbors: the exact rule takes its steps in its frame (`_link_kernel`)."""
    return isinstance(shape, Segment) and (shape.ghost1 is not None or shape.ghost2 is not None) and len(shape.core) == 2


class ClippedManifold(Algorithm[PairCase]):
    """A manifold by a rule, whose `choice` is the pseudo-code before that of `CLIPPING`."""

    page = "manifold.md#derivation"
    views = (PLANE, AXIS, GAPS)
    case_of = staticmethod(given.at_rest("manifold"))
    rule: ClassVar[Rule]
    choice: ClassVar[tuple[str, ...]]

    def query(self, case: PairCase) -> Manifold:
        return chapter.manifold(*case.both, self.rule)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: chapter.manifold(*case.both, self.rule, trace))
        clipping = _Clipping(case, self.rule, len(self.choice))
        for row in rows:
            clipping.decode(row[0], row[1:])
        return [*clipping.steps, clipping.answer(result)]

    def takes(self, case: Any) -> bool:
        if not isinstance(case, PairCase) or case.pair.shape_b is None:
            return False
        try:
            check_rule(self.rule, cached_pack(case.pair.shape_a, case.pair.shape_b), ONE_PAIR)
        except InvalidInputError:
            return False
        return True


class _Clipping:
    """Decodes the rows into steps."""

    def __init__(self, case: PairCase, rule: Rule, n_before: int) -> None:
        shapes = case.both[::2]
        kinds = cached_pack(*shapes).kind.tolist()
        self.edges, self.first_line, self.rule = Edges(case), n_before, rule
        n_circles = sum(isinstance(shape, Circle) for shape in shapes)
        self.has_circle = n_circles == 1 and any(isinstance(shape, Polygon | Segment) for shape in shapes)
        in_b = frame_is_b(kinds[0], kinds[1], rule_number(rule)) or (rule == "exact" and is_link(shapes[1]) and not is_link(shapes[0]))
        polygons = all(isinstance(shape, Polygon) for shape in shapes)
        aim, goes_on = "The axis with the largest gap is the shortest way to separate them.", "So there is no contact."
        lines = {"edge": 0, "corners": n_before + _CORNERS}
        self.axes = Axes(self.edges, lines, aim, goes_on, int(in_b), rule == "box2d" and polygons)
        self.steps = self.axes.steps
        self.reference: tuple[int, int] | None = None
        self.ends: tuple[Point, Point] | None = None
        self.n_ends = 0
        self.kept: list[Mark] = []
        self.charts: tuple[Mark, ...] = ()
        self.is_neighbors = False

    def decode(self, kind: float, numbers: list[float]) -> None:
        if kind == MANIFOLD_DISTANCE:
            self._distance(numbers)
        elif kind == MANIFOLD_REFERENCE:
            self._reference(numbers)
        elif kind == MANIFOLD_INCIDENT:
            self._incident(numbers)
        elif kind == MANIFOLD_CLIPPED:
            self._clipped(numbers)
        elif kind == MANIFOLD_POINT:
            self._point(numbers)
        elif kind == MANIFOLD_NEIGHBORS:
            self._neighbors(numbers)
        elif kind == SAT_END:
            self._corner_axis(numbers)
        elif kind == SAT_CORNERS and self.has_circle and (self.reference is not None or not self.axes.n_axes):
            self.axes.corners(
                numbers, "The center lies past the edge's end, so the corner is nearest to it, and the axis runs between the two."
            )
        else:
            self.axes.decode(kind, numbers)

    def _add(self, kind: str, line: int, sentence: str, **more: object) -> None:
        self.steps.append(TraceStep(kind, self.first_line + line, sentence, cost=self.axes.cost, **more))  # type: ignore[arg-type]

    def _distance(self, numbers: list[float]) -> None:
        what = "they are apart, with their tips facing each other" if numbers[1] else "they touch"
        self._add(
            "distance", _PARTED, "The largest gap is 0 within rounding: either they touch, or each tip "
            f"lies on the line of the other's edge. The cores are {meters(numbers[0])} apart, so {what}.",
            bound=numbers[0] - self.axes.reach, values={"distance": numbers[0]},
        )  # fmt: skip

    def _reference(self, numbers: list[float]) -> None:
        side, edge, separation, again, is_parted = int(numbers[0]), int(numbers[1]), numbers[2], int(numbers[3]), numbers[4] == 1.0
        self.reference, self.kept, self.ends = (side, edge), [], None
        name, gap, tried = self.edges.name(side, edge), separation - self.axes.reach, self.axes.tried
        if not tried:
            why = f"The center lies next to {name}, so the edge's normal is the axis"
        elif is_parted and separation > self.axes.reach:
            why = f"{name} separates them"
        elif again and self.has_circle:
            why = f"The center lies past the end of that edge and next to the following one, {name}, whose normal is the axis"
        elif again:
            why = f"Again: {_AGAINS[again]}, {name}"
        elif self.rule == "box2d" and len({at[0] for at in tried}) == 2:
            gaps = [(at[0], gap) for at, (_, gap) in zip(tried, self.axes.gaps, strict=True)]
            of_a, of_b = (meters(max(gap for of, gap in gaps if of == k) + self.axes.reach) for k in range(2))
            clearly = "more" if side else "not more"
            rule = f", because B's best gap, {of_b}, is {clearly} than 0.98 times A's, {of_a}, plus 1 mm"
            why = f"The reference edge is {name}{rule if self.axes.climbs else ''}"
        else:
            why = f"The reference edge is {name}. It has the largest gap, so its normal is the shortest way to separate them"
        ends = f"the gap is {meters(gap)}" + (", so there is no contact" if is_parted else "")
        if is_parted and gap <= 0.0:
            ends = "there is no contact"
        n = self.edges.normals[side][edge]
        shadows = self.edges.shadow_marks(side, edge, separation, "result" if is_parted else "best", self.axes.reach)
        self.charts = (*(mark for mark in shadows if mark.view != "plane"), *self.axes.gap_marks())
        self._add(
            "reference", _AGAIN if again and not self.has_circle else _PARTED if is_parted else _REFERENCE, f"{why}; {ends}.",
            looked_at=(Feature("ab"[side], "edge", edge),), axis=n, bound=gap,
            values={"separation": separation, "gap": gap, "again": float(again)}, marks=self._picture(),
            question=None if again else self._which_reference(),
        )  # fmt: skip

    def _which_reference(self) -> Question | None:
        tried = list(dict.fromkeys(self.axes.tried))
        if self.reference not in tried or not 2 <= len(tried) <= _MAX_EDGES:
            return None
        names = tuple(self.edges.name(*at) for at in tried)
        return Question(
            "Which edge is the reference edge?", names, tried.index(self.reference), tuple(self.edges.middle(*at) for at in tried)
        )

    def _picture(self, is_last: bool = False) -> tuple[Mark, ...]:
        """Marks of the state so far: reference edge, normal and shadows, the rest of the incident edge, the points."""
        marks: list[Mark] = [*self.charts]
        if self.reference is not None:
            side, edge = self.reference
            (x, y), (nx, ny), long = self.edges.middle(side, edge), self.edges.normals[side][edge], 0.2 * self.edges.size
            marks += [
                Mark("path", "best", self.edges.ends(side, edge), text="reference"),
                Mark("arrow", "best", ((x, y), (x + long * nx, y + long * ny)), text="n"),
            ]
        if is_last:
            return tuple(marks)
        if self.ends is not None and self.n_ends == 2:
            marks += [Mark("path", "looked_at", self.ends)]
            marks += [Mark("point", "looked_at", (end,), text=f"end {k + 1}") for k, end in enumerate(self.ends)]
        elif self.ends is not None and self.n_ends == 1:
            marks.append(Mark("point", "looked_at", self.ends[:1], text="end 1"))
        return (*marks, *self.kept)

    def _incident(self, numbers: list[float]) -> None:
        side, edge, cosine = int(numbers[0]), int(numbers[1]), numbers[2]
        self.ends, self.n_ends = self.edges.ends(side, edge), 2
        n, name = self.edges.count(side), self.edges.name(side, edge)
        question = None
        if 2 < n <= _MAX_EDGES:
            whose = side_name(side)
            places = tuple(self.edges.middle(side, k) for k in range(n))
            question = Question(
                f"Which edge of {whose} is the incident edge?", tuple(f"{whose}{k} to {whose}{(k + 1) % n}" for k in range(n)), edge, places
            )
        self._add(
            "incident", _INCIDENT, f"The incident edge is {name}. Of {side_name(side)}'s edges, it faces the reference edge's "
            f"normal most directly (cosine {-cosine:.3f}), so it is the one in contact. It is clipped at the reference edge's ends; the "
            "remaining part has two ends, so there are at most two contact points.",
            looked_at=(Feature("ab"[side], "edge", edge),), points=self.ends, values={"cosine": cosine}, marks=self._picture(),
            question=question,
        )  # fmt: skip

    def _clipped(self, numbers: list[float]) -> None:
        side, corner, n_left, stands_out, out_1, out_2 = int(numbers[0]), int(numbers[1]), int(numbers[2]), *numbers[3:6]
        assert self.reference is not None and self.ends is not None
        edge = self.reference[1]
        before, n_before = self.ends, self.n_ends
        out = [out_1, out_2][:n_before]
        beyond = [k for k in range(n_before) if out[k] > 0.0]
        self.n_ends = n_left
        frame = self.axes.frame
        self.ends = frame.apply((numbers[6], numbers[7])), frame.apply((numbers[8], numbers[9]))
        (nx, ny), (x, y) = self.edges.normals[side][edge], self.edges.vertices[side][corner]
        outward = -1.0 if corner == edge else 1.0
        at = (x - outward * stands_out * ny, y + outward * stands_out * nx)
        long = 0.3 * self.edges.size
        plane = Mark("line", "bound", (at, (at[0] + long * nx, at[1] + long * ny)), text="side plane")
        whose = f"Side plane at {side_name(side)}{corner}"
        dropped: tuple[Mark, ...] = ()
        if not beyond:
            says = "nothing lies beyond it, so nothing is cut off." if n_before == 2 else "the end lies within it and is kept."
        elif len(beyond) == n_before:
            says = "everything that was left lies beyond it, so nothing remains."
            dropped = (Mark("path", "dropped", before),)
        else:
            k = beyond[0]
            new = self.ends[1]
            says = f"end {k + 1} lies {meters(out[k])} beyond it and is cut off"
            says += "; the intersection becomes end 2." if n_left == 2 else "; only the other end, which is on the plane, remains."
            dropped = (Mark("path", "dropped", (before[k], new)), Mark("point", "dropped", (before[k],)))
        question = None
        if n_before == 2:
            answers = ("neither", "end 1", "end 2", "both")
            right = 0 if not beyond else 3 if len(beyond) == 2 else beyond[0] + 1
            question = Question(f"Which end does the side plane at {side_name(side)}{corner} cut off?", answers, right)
        self._add(
            "clip", _CUT, f"{whose}: {says}", looked_at=(Feature("ab"[side], "vertex", corner),), points=self.ends[: max(n_left, 0)],
            axis=(-outward * ny, outward * nx), values={"beyond 1": out_1, "beyond 2": out_2, "left": float(n_left), "outside": stands_out},
            marks=(plane, *dropped, *self._picture()), question=question,
        )  # fmt: skip

    def _point(self, numbers: list[float]) -> None:
        is_kept, name, gap = numbers[0] == 1.0, numbers[1], numbers[2]
        end, midway = self.axes.frame.apply((numbers[3], numbers[4])), self.axes.frame.apply((numbers[5], numbers[6]))
        if self.ends is None:
            what = "The contact point"
        elif end in self.ends[: self.n_ends]:
            what = f"End {self.ends.index(end) + 1}"
        else:
            what = "The foremost corner"
        if not is_kept:
            self._add(
                "point", _DROPPED, f"{what} has a separation of {meters(gap)}, more than the sum of the radii, so it is dropped.",
                points=(end,), values={"gap": gap, "kept": 0.0}, marks=(*self._picture(), Mark("point", "dropped", (end,))),
                question=self._is_kept(what, 1),
            )  # fmt: skip
            return
        mark = Mark("point", "result", (midway,), text=meters(gap))
        at = "" if self.ends is None else f" Its id: {_id_words(int(name))}."
        if self.steps[-1].kind == "distance" and self.steps[-1].values["distance"] <= self.axes.touch:
            at = " The two points coincide and give no direction, so the world's x axis is used."
        self._add(
            "point", _POINT, f"{what} is kept (separation {meters(gap)}); the contact point lies midway between the two "
            f"surfaces.{at}", points=(end, midway),
            values={"gap": gap, "kept": 1.0, "id": name}, marks=(*self._picture(), Mark("path", "new", (end, midway)), mark),
            question=self._is_kept(what, 0),
        )  # fmt: skip
        self.kept.append(mark)

    def _is_kept(self, what: str, right: int) -> Question | None:
        return Question(f"{what}: is it close enough to be kept?", ("yes", "no"), right) if what.startswith("End") else None

    def _neighbors(self, numbers: list[float]) -> None:
        self.is_neighbors = True
        corner = int(numbers[0])
        side = 0 if self.axes.frame is self.edges.poses[0] else 1
        self._add(
            "neighbor", _PARTED, f"At {side_name(side)}{corner} the chain continues, and the center lies next to the neighboring edge: "
            "the contact "
            "is left to that edge, so that bodies slide smoothly over the seam.",
            looked_at=(Feature("ab"[side], "vertex", corner),), marks=self._picture(),
        )  # fmt: skip

    def _corner_axis(self, numbers: list[float]) -> None:
        """Add the step for an axis between two corners; an axis of an edge has a row of its own."""
        if numbers[1] >= 0.0:
            return
        last, gap = self.steps[-1], numbers[3] - self.axes.reach
        if numbers[3] <= self.axes.touch:
            why = "The two centers coincide, so all directions are equally good, and the world's x axis is used"
        elif self.axes.n_axes:
            why = (
                f"That is more than the best edge's gap, {meters(self.axes.best - self.axes.reach)}, so the axis runs from corner to corner"
            )
        else:
            why = "The axis runs from one center to the other"
        ends = "no contact" if numbers[0] else "they are in contact"
        corners = Feature("a", "vertex", int(numbers[4])), Feature("b", "vertex", int(numbers[5]))
        self._add(
            "corners", _PARTED if numbers[0] else _CORNERS, f"{why}; gap {meters(gap)}: {ends}.", looked_at=corners,
            points=last.points, bound=gap, values={"gap": gap, "separation": numbers[3]}, marks=last.marks,
        )  # fmt: skip

    def answer(self, result: Manifold) -> TraceStep:
        n, before = len(result.points), self.steps[-1]
        if result.normal is None:
            why = {
                "reference": "an axis separates the two shapes", "corners": "the two corners are farther apart than the sum of the radii",
                "distance": "the distance is larger than the sum of the radii", "clip": "nothing is left between the side planes",
                "neighbor": "the neighboring edge reports it", "point": "no end is close enough",
            }.get(before.kind, "an axis separates the two shapes")  # fmt: skip
            if before.kind == "clip" and self.n_ends == 1:
                why = "only one end is left, and Box2D needs two"
            elif before.kind == "reference" and before.values["gap"] <= self.axes.touch:
                why = "no part of the incident edge is close enough" if self.rule == "box2d" else "the two shapes are apart"
            return TraceStep(
                "answer", before.line if before.line else self.first_line + _PARTED, f"No contact: {why}.", bound=before.bound,
                values={"points": 0.0}, marks=before.marks, cost=self.axes.cost, result=result,
            )  # fmt: skip
        nx, ny = result.normal
        size = 0.2 * self.edges.size
        points = tuple(point.position for point in result.points)
        deepest = min(point.separation for point in result.points)
        marks = [Mark("point", "result", (point.position,), text=meters(point.separation)) for point in result.points]
        marks += [Mark("arrow", "result", ((x, y), (x + size * nx, y + size * ny))) for x, y in points]
        degrees = math.degrees(math.atan2(ny, nx))
        how = f"The normal points from A to B, at {degrees:.0f} degrees. At the deepest point, the separation is {meters(deepest)}"
        how = f"There {'is' if n == 1 else 'are'} {counted(n, 'contact point')}. {how}."
        return TraceStep(
            "answer", self.first_line + _POINT, how, points=points, axis=result.normal,
            bound=deepest, values={"points": float(n), "separation": deepest},
            marks=(*self._picture(is_last=True), *marks), cost=self.axes.cost, result=result,
        )  # fmt: skip


def _id_words(name: int) -> str:
    """Spell Box2D's key: index on A, index on B, and for each 0 a vertex, 1 a face."""
    kinds = ("vertex", "face")
    a, b = kinds[name >> 16 & 1], kinds[name >> 24 & 1]
    return f"{a} {name & 255} of A, {b} {name >> 8 & 255} of B"
