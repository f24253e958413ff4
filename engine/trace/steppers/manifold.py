"""From an axis to contact points, step by step, by either rule: events of `_clip_kernel` and of the search for the axis."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from engine import query
from engine.common.errors import InvalidInputError
from engine.common.words import counted
from engine.compare.pair.file import Pair
from engine.contracts import Manifold
from engine.contracts.trace import Feature, Mark, Point, Question, Role
from engine.geometry import AnyShape, Circle, Polygon, Segment, Transform
from engine.narrowphase._clip_kernel import (
    ManifoldClipped,
    ManifoldDistance,
    ManifoldIncident,
    ManifoldNeighbors,
    ManifoldPoint,
    ManifoldReference,
)
from engine.narrowphase._manifold_kernel import frame_is_b
from engine.narrowphase._sat_kernel import SatCorners, SatEdge, SatEnd
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.rules import Rule, check_rule, rule_number
from engine.narrowphase.scratch import ONE_PAIR
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, Points, along, arrow, dot, path
from engine.trace.protocol import Algorithm, PairAlgorithm, TraceSteps
from engine.trace.steppers.sat import AXIS_VIEWS, AxesDecoder, side_name
from engine.trace.words import degrees, depth_or_gap, meters

__all__ = ["ALGORITHMS"]

CLIPPING = (
    "reference edge = the edge with that axis as its normal",
    "if its gap > 0: no contact",
    "if past the end of an edge: the axis runs from corner to corner",
    "incident edge = the other shape's edge that faces it most directly",
    "for both ends of the reference edge:",
    "  cut off the part beyond the side plane there",
    "for each end that is left:",
    "  drop it if its gap > 0 (with skins: > their sum)",
    "  point = midway between the surfaces; id = features that formed it",
    "if the deepest point is lost: repeat with another, equal edge",
)
"""The pseudocode of clipping; lines of a rule that chooses the axis come before it."""


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


class ClippingDecoder(AxesDecoder):
    """Decodes the events into steps."""

    algorithm: ClippedManifold
    edge_line = 0
    aim = (
        "If a shape reaches behind the other's edge, the gap is negative, and moving it out by that depth separates the shapes. The axis "
        "with the largest gap, or the least depth, is therefore the shortest way to separate them."
    )
    goes_on = "There is no contact."
    tries_on = True

    def set_up(self) -> None:
        super().set_up()
        self.rule = rule = self.algorithm.rule
        self.first_line = len(self.algorithm.choice)
        self.corner_line = self.first_line + _CORNERS
        shapes = self.case.both[::2]
        kinds = cached_pack(*shapes).kind.tolist()
        n_circles = sum(isinstance(shape, Circle) for shape in shapes)
        self.has_circle = n_circles == 1 and any(isinstance(shape, Polygon | Segment) for shape in shapes)
        links = [rule == "exact" and is_link(shape) for shape in shapes]
        self.is_swapped = frame_is_b(kinds[0], kinds[1], rule_number(rule)) or (links[1] and not links[0])
        self.side_of_faces = int(links[0]) if any(links) else None
        self.frame = self.edges.poses[self.is_swapped]
        self.climbs = rule == "box2d" and all(isinstance(shape, Polygon) for shape in shapes)
        self.chosen: tuple[int, int] | None = None
        self.ends: Points | None = None
        self.kept: list[Mark] = []
        self.charts: Marks = ()

    def _add(self, kind: str, line: int, sentence: str, *about: Any, **more: Any) -> None:
        self.add(kind, self.first_line + line, sentence, *about, **more)

    def sat_edge(self, e: SatEdge) -> None:
        """Add the step of an edge. The faces from which a link's side follows, before its own edge, have none."""
        if self.tried or e.side != self.side_of_faces:
            super().sat_edge(e)

    def sat_corners(self, e: SatCorners, why: str = "") -> None:
        if self.has_circle and (self.chosen is not None or not self.gaps):
            why = "The center lies past the edge's end, so the corner is nearest to it, and the axis runs between the two."
        super().sat_corners(e, why)

    def manifold_distance(self, e: ManifoldDistance) -> None:
        what = "they are apart, with their tips facing each other" if e.is_parted else "they touch"
        cores = "cores" if self.reach > 0.0 else "shapes"
        self._add(
            "distance", _PARTED, "The largest gap is 0 within rounding: either they touch, or each tip lies on the line of the other's "
            f"edge. The {cores} are {meters(e.distance)} apart, so {what}.", bound=e.distance - self.reach, values={"distance": e.distance},
        )  # fmt: skip

    def manifold_reference(self, e: ManifoldReference) -> None:
        side, edge, separation, again, is_parted = e
        self.chosen, self.kept, self.ends = (side, edge), [], None
        name, gap, tried = self.edges.name(side, edge), separation - self.reach, self.tried
        if (side, edge) in tried:
            self.top = tried.index((side, edge))
        if not tried:
            why = f"The center lies next to {name}, so the edge's normal is the axis"
        elif is_parted and separation > self.reach:
            why = f"{name} separates them"
        elif again and self.has_circle:
            why = f"The center lies past the end of that edge and next to the following one, {name}, whose normal is the axis"
        elif again:
            why = f"Again: {_AGAINS[again]}, {name}"
        elif self.rule == "box2d" and len({of for of, _ in tried}) == 2:
            gaps = [(of, gap) for (of, _), (_, gap) in zip(tried, self.gaps, strict=True)]
            best = [max(gap for of, gap in gaps if of == k) + self.reach for k in range(2)]
            (of_a, of_b), depths = map(meters, best), " (a negative gap is a depth)" if min(best) < 0.0 else ""
            clearly = "more" if side else "not more"
            rule = f", because B's best gap{depths}, {of_b}, is {clearly} than 0.98 times A's, {of_a}, plus 1 mm"
            why = f"The reference edge is {name}{rule if self.climbs else ''}"
        else:
            least = "least depth" if gap < 0.0 else "largest gap"
            why = f"The reference edge is {name}. It has the {least}, so moving along its normal is the shortest way to separate the shapes"
        skins = f", with the skins of {meters(self.reach - self._radii)}" if self.reach > self._radii else ""
        ends = depth_or_gap(gap) + skins + (", so there is no contact" if is_parted else "")
        if is_parted and gap <= 0.0:
            ends = "there is no contact"
        shadows = self.edges.shadow_marks(side, edge, separation, "result" if is_parted else "best", self.reach)
        self.charts = (*(mark for mark in shadows if mark.view != "plane"), *self.gap_marks())
        self._add(
            "reference", _AGAIN if again and not self.has_circle else _PARTED if is_parted else _REFERENCE, f"{why}; {ends}.",
            (Feature("ab"[side], "edge", edge),), axis=self.edges.normals[side][edge], bound=gap,
            values={"separation": separation, "gap": gap, "again": float(again)}, marks=self._picture(),
            question=None if again else self._which_reference(self.chosen),
        )  # fmt: skip

    def _which_reference(self, chosen: tuple[int, int]) -> Question | None:
        tried = list(dict.fromkeys(self.tried))
        if chosen not in tried or not 2 <= len(tried) <= _MAX_EDGES:
            return None
        names, places = (tuple(of(*at) for at in tried) for of in (self.edges.name, self.edges.middle))
        return Question("Which edge is the reference edge?", names, tried.index(chosen), places)  # type: ignore[arg-type]

    def _picture(self, normal: Point | None = None) -> Marks:
        """Marks of the state so far: reference edge, normal and shadows, the rest of the incident edge, the points.

        The last step passes the manifold's `normal`, from A to B."""
        marks: list[Mark] = [*self.charts]
        if self.chosen is not None:
            side, edge = self.chosen
            middle, n = self.edges.middle(side, edge), normal or self.edges.normals[side][edge]
            marks.append(path("best", *self.edges.ends(side, edge), text="reference"))
            marks += [self._normal_arrow(middle, n)] if normal is None or self.ends else []
        ends = self.ends or ()
        role: Role = "looked_at" if normal is None else "kept"
        marks += [path(role, *ends)] if len(ends) == 2 else []
        marks += [dot(role, end, text=f"end {k + 1}" if normal is None else "") for k, end in enumerate(ends)]
        return (*marks, *self.kept)

    def _normal_arrow(self, start: Point, n: Point) -> Mark:
        return arrow("best", start, n, 0.2 * self.edges.size, text="n")

    def manifold_incident(self, e: ManifoldIncident) -> None:
        side, edge, cosine = e
        self.ends = self.edges.ends(side, edge)
        n, whose, question = self.edges.count(side), side_name(side), None
        if 2 < n <= _MAX_EDGES:
            names, places = (
                tuple(self.edges.short_name(side, k) for k in range(n)),
                tuple(self.edges.middle(side, k) for k in range(n)),
            )
            question = Question(f"Which edge of {whose} is the incident edge?", names, edge, places)
        self._add(
            "incident", _INCIDENT, f"The incident edge is {self.edges.name(side, edge)}. Of {whose}'s edges, it faces the reference edge's "
            f"normal most directly (cosine {-cosine:.3f}), so it is the one in contact. It is clipped at the reference edge's ends; the "
            "remaining part has two ends, so there are at most two contact points.",
            (Feature("ab"[side], "edge", edge),), self.ends, values={"cosine": cosine}, marks=self._picture(), question=question,
        )  # fmt: skip

    def manifold_clipped(self, e: ManifoldClipped) -> None:
        assert self.chosen is not None and self.ends is not None
        side, corner, edge, before = e.side, e.corner, self.chosen[1], self.ends
        beyond = [k for k in range(len(before)) if e.beyond[k] > 0.0]
        new = self.frame.apply(e.end_2)
        self.ends = (self.frame.apply(e.end_1), new)[: e.left]
        n, (x, y) = self.edges.normals[side][edge], self.edges.vertices[side][corner]
        outward = -1.0 if corner == edge else 1.0
        at = (x - outward * e.outside * n[1], y + outward * e.outside * n[0])
        name = f"ide plane at {side_name(side)}{corner}"
        dropped: Marks = ()
        if not beyond:
            says = "nothing lies beyond it, so nothing is cut off." if len(before) == 2 else "the end lies within it and is kept."
        elif len(beyond) == len(before):
            says = "everything that was left lies beyond it, so nothing remains."
            dropped = (path("dropped", *before),)
        else:
            k = beyond[0]
            says = f"end {k + 1} lies {meters(e.beyond[k])} beyond it and is cut off"
            says += "; the intersection becomes the new end 2." if e.left == 2 else "; only the other end, which is on the plane, remains."
            dropped = (path("dropped", before[k], new), dot("dropped", before[k]))
        right = 0 if not beyond else 3 if len(beyond) == 2 else beyond[0] + 1
        question = Question(f"Which end does the s{name} cut off?", ("neither", "end 1", "end 2", "both"), right)
        self._add(
            "clip", _CUT, f"S{name}: {says}", (Feature("ab"[side], "vertex", corner),), self.ends, (-outward * n[1], outward * n[0]),
            values={"beyond 1": e.beyond[0], "beyond 2": e.beyond[1], "left": float(e.left), "outside": e.outside},
            marks=(Mark("line", "bound", (at, along(at, n, 0.3 * self.edges.size)), text="side plane"), *dropped, *self._picture()),
            question=question if len(before) == 2 else None,
        )  # fmt: skip

    def manifold_point(self, e: ManifoldPoint) -> None:
        end, midway = self.frame.apply(e.end), self.frame.apply(e.midway)
        depth = f"is {meters(-e.gap)} deep" if e.gap < 0.0 else f"has a gap of {meters(e.gap)}"
        if self.ends is None:
            what = "The contact point"
        else:
            what = f"End {self.ends.index(end) + 1}" if end in self.ends else "The foremost corner"
        if e.is_kept:
            n = self.result.normal or (0.0, 0.0)  # Box2D may drop all points in the end
            ends = along(midway, n, -0.5 * e.gap), along(midway, n, 0.5 * e.gap)
            shown = (path("result", *ends), dot("result", midway, text=meters(abs(e.gap))))
            at = "" if self.ends is None else f" Its id names the features that met: {self._features_of(e.id)}."
            if self.steps[-1].kind == "distance" and self.steps[-1].values["distance"] <= self.touch:
                at = " The two points coincide and give no direction, so the world's x axis is used."
            kept = " and" if self.ends is None else ", so it is kept. The contact point"
            says = f"{depth}{kept} lies midway between the two surfaces.{at}"
            line, points, values, marks = _POINT, (end, midway), {"kept": 1.0, "id": float(e.id)}, shown
        else:
            skins = f", more than the skins, {meters(self.reach - self._radii)}" if self.reach > self._radii else ""
            says = f"{depth}{skins}, so it is dropped."
            line, points, values, marks = _DROPPED, (end,), {"kept": 0.0}, (dot("dropped", end),)  # type: ignore[assignment]
        is_asked = what.startswith("End")
        self._add(
            "point", line, f"{what} {says}", points=points, values={"gap": e.gap, **values}, marks=(*self._picture(), *marks),
            question=Question(f"{what}: is it close enough to be kept?", ("yes", "no"), int(not e.is_kept)) if is_asked else None,
        )  # fmt: skip
        if e.is_kept:
            self.kept += shown

    def manifold_neighbors(self, e: ManifoldNeighbors) -> None:
        side = int(self.frame is not self.edges.poses[0])
        self._add(
            "neighbor", _PARTED, f"At {side_name(side)}{e.corner} the chain continues, and the center lies next to the neighboring edge: "
            "that edge handles the contact, so bodies slide smoothly over the seam.",
            (Feature("ab"[side], "vertex", e.corner),), marks=self._picture(),
        )  # fmt: skip

    def sat_end(self, e: SatEnd) -> None:
        """Add the step for an axis between two corners; an axis of an edge has an event of its own."""
        if e.side >= 0:
            return
        last, gap = self.steps[-1], e.separation - self.reach
        if e.separation <= self.touch:
            why = "The two centers coincide, so all directions are equally good, and the world's x axis is used"
        elif self.gaps:
            why = f"That is more than the best edge's gap, {meters(self.best - self.reach)}, so the axis runs from corner to corner"
        else:
            why = "The axis runs from one center to the other"
        ends = "no contact" if e.is_apart else "they are in contact"
        corners = Feature("a", "vertex", e.corner_a), Feature("b", "vertex", e.corner_b)
        self._add(
            "corners", _PARTED if e.is_apart else _CORNERS, f"{why}; {depth_or_gap(gap)}: {ends}.", corners, last.points, bound=gap,
            values={"gap": gap, "separation": e.separation}, marks=last.marks,
        )  # fmt: skip

    def answer(self) -> None:
        result, before = self.result, self.steps[-1]
        n = len(result.points)
        if result.normal is None:
            why = {
                "reference": "an axis separates the two shapes", "corners": "the two corners are farther apart than the sum of the radii",
                "distance": f"the distance is more than {'the sum of the radii' if self.reach > 0.0 else '0'}",
                "clip": "nothing is left between the side planes",
                "neighbor": "the neighboring edge handles the contact", "point": "no end is close enough",
            }.get(before.kind, "an axis separates the two shapes")  # fmt: skip
            if before.kind == "clip" and self.ends:
                why = "only one end is left, and Box2D needs two"
            elif before.kind == "reference" and before.values["gap"] <= self.touch:
                why = "no part of the incident edge is close enough" if self.rule == "box2d" else "the two shapes are apart"
            self.add(
                "answer", before.line if before.line else self.first_line + _PARTED, f"No contact: {why}.", bound=before.bound,
                values={"points": 0.0}, marks=before.marks, result=result,
            )  # fmt: skip
            return
        deepest = min(result.points, key=lambda point: point.separation)
        points, depth, normal = tuple(point.position for point in result.points), -deepest.separation, result.normal
        there = f"There {'is' if n == 1 else 'are'} {counted(n, 'contact point')}. The normal n points from A to B, at {degrees(normal)}."
        if depth <= 0.0:
            skins = f", less than the skins, {meters(self.reach - self._radii)}" if self.reach > self._radii else ""
            ends = f"The {'smaller gap' if n == 2 else 'gap'} is {meters(-depth)}{skins}."
        elif self.ends and depth < (most := self._depth_along_reference()) - 1e-9 * self.edges.size - self.touch:
            ends = (
                f"The {'larger depth' if n == 2 else 'depth'} is {meters(depth)}. Moving B {meters(most)} along n separates the shapes, "
                "but clipping cut off the deepest point."
            )
        else:
            ends = f"Move B {meters(depth)} along n, and the shapes just touch."
        marks = self._picture(normal)
        if self.ends is None:
            marks += (self._normal_arrow(along(deepest.position, normal, 0.5 * abs(depth)), normal),)
        self._add(
            "answer", _POINT, f"{there} {ends}", points=points, axis=normal, bound=-depth,
            values={"points": float(n), "separation": -depth}, marks=marks, result=result,
        )  # fmt: skip

    @property
    def _radii(self) -> float:
        """Sum of the radii, without skins, meters: the gap of a point is from surface to surface."""
        return sum(shape.radius for shape in self.case.both[::2] if not isinstance(shape, Polygon | Segment))

    def _depth_along_reference(self) -> float:
        """Return how far B must move along the reference edge's normal to leave A, meters; clipping may lose the deepest point."""
        return max((self._radii - step.values["separation"] for step in self.steps if step.kind == "reference"), default=-math.inf)

    def _features_of(self, key: int) -> str:
        """Spell Box2D's key as the picture names features: index on A, index on B, and for each 0 a vertex, 1 a face."""
        names = []
        for side in range(2):
            index, is_face = key >> 8 * side & 255, key >> 16 + 8 * side & 1
            names.append(f"edge {self.edges.short_name(side, index)}" if is_face else f"corner {side_name(side)}{index}")
        return " and ".join(names)


class ClippedManifold(PairAlgorithm):
    """A manifold by a rule, whose `choice` is the pseudocode before that of `CLIPPING`."""

    page = "manifold.md#derivation"
    views = AXIS_VIEWS
    decoder = ClippingDecoder
    rule: ClassVar[Rule]
    choice: ClassVar[tuple[str, ...]]

    def query(self, case: PairCase) -> Manifold:
        return query.manifold(*case.both, self.rule)

    def fits(self, case: PairCase) -> bool:
        if case.pair.shape_b is None:
            return False
        try:
            check_rule(self.rule, cached_pack(case.pair.shape_a, case.pair.shape_b), ONE_PAIR)
        except InvalidInputError:
            return False
        return True


class Box2DManifold(ClippedManifold):
    """Contact points of two shapes as in Box2D: a climb that may stop at a local maximum, and a preference for A's edges."""

    name = "manifold_box2d"
    title = "Clipping by Box2D's rule: a climb"
    rule = "box2d"
    choice = (
        "start at the edge of A that faces B most directly; climb while the gap grows",
        "the same on B; take A's unless B's > 0.98 A's + 1 mm",
    )
    pseudo_code = (*choice, *CLIPPING[:-1])
    beside = ("manifold",)
    only = "of shapes that Box2D collides: no capsules, no two segments"

    example = PairCase(
        Pair(
            "manifold", Polygon([(-1.21, 0.26), (-1.09, 0.1), (-0.95, 0.03), (0.83, -0.01), (0.93, 0.04), (1.14, 0.4)]), Transform(),
            Polygon([(-0.2, 0.36), (0.37, -0.22), (0.47, -0.05), (-0.04, 0.36)]), Transform((0.44, 0.23), -2.47),
        )
    )  # fmt: skip
    """A bowl and a chip in it: among 60,000 seeded pairs one with the largest error of the climb."""


class ExactManifold(ClippedManifold):
    """Contact points of two shapes, by the axis of least depth and clipping."""

    name = "manifold"
    title = "Clipping: the depth, direction and points of a contact"
    rule = "exact"
    choice = ("for each edge of A, then of B: the gap to the other shape", "take the largest of these gaps")
    pseudo_code = (*choice, *CLIPPING)
    beside = ("manifold_box2d", "sat", "epa")

    example = PairCase(Pair("manifold", Polygon.box(1.0, 0.7), Transform(), Polygon.box(0.9, 0.55), Transform((0.85, 1.05), 0.28)))

    def of(self, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact") -> TraceSteps:
        """Return the steps of `engine.query.manifold`, by either rule."""
        rule_number(rule)
        return super().of(a, xf_a, b, xf_b) if rule == self.rule else Box2DManifold().of(a, xf_a, b, xf_b)


ALGORITHMS: tuple[Algorithm[Any], ...] = (Box2DManifold(), ExactManifold())
