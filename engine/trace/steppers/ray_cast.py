"""A ray against a convex shape, step by step: `engine.continuous._ray_kernel`."""

from __future__ import annotations

import math

from engine import query
from engine.compare.pair.file import Pair
from engine.continuous._ray_kernel import RayEdge, RayEntered, RayPassed, RaySettled, RayStart
from engine.continuous._ray_rounded_kernel import RoundedCorner, RoundedEdge, RoundedEnd
from engine.contracts import RayHit, Status
from engine.contracts.trace import Feature, Mark, Point, Question
from engine.geometry import Polygon, Transform
from engine.narrowphase.scratch import core_of
from engine.trace._times import TIMES, Side, TimesDecoder, bar, step_of_time
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, along, arrow, between, dot, path
from engine.trace.protocol import PLANE, Algorithm, code
from engine.trace.words import meters, moment

__all__ = ["ALGORITHMS"]

_MAX_PLACES = 12
"""Maximum number of edges for a question that asks for one."""


def _top(case: PairCase) -> float:
    """Return the number of bars."""
    n = len(core_of(case.pair.shape_a)[0])
    return n if n > 2 and case.pair.shape_a.radius == 0.0 else 2.0 * n


class _Decoder(TimesDecoder):
    def set_up(self) -> None:
        super().set_up()
        pair = self.case.pair
        assert pair.ray is not None
        self.origin, self.way = pair.ray[0], self.case.translations[0]
        self.end, self.radius, self.top = self.at(1.0), pair.shape_a.radius, _top(self.case)
        self.n_corners, self.length = len(self.corners[0]), math.hypot(*self.way)
        self.towards: list[int] = []

    def at(self, t: float) -> Point:
        return along(self.origin, self.way, t)

    def crossing(self, *times: float) -> Marks:
        return tuple(dot("new", self.at(t), text=moment(t)) for t in times if abs(t) < 5.0)

    def clipped(self, entry: float, leave: float) -> Marks:
        """Mark the remaining and the removed part of the ray."""
        first, last = min(max(entry, 0.0), 1.0), min(max(leave, 0.0), 1.0)
        if entry > leave or leave < 0.0 or entry > 1.0:
            return (path("dropped", self.origin, self.end),)
        cut = (path("dropped", self.at(s), self.at(e)) for s, e in ((0.0, first), (last, 1.0)) if e > s)
        return (path("kept", self.at(first), self.at(last)), *cut)

    def ray_start(self, e: RayStart) -> None:
        is_inside, self.touch = e
        inside = "inside the shape, so there is no entry to find" if is_inside else "outside, so the ray may enter"
        long = "no length" if self.length == 0.0 else f"{meters(self.length)} long"
        self.add(
            "start", 0, f"The ray is {long}; its start lies {inside}.", points=(self.origin,), values={"inside": float(is_inside)},
            marks=(dot("result" if is_inside else "looked_at", self.origin, text="start"),),
        )  # fmt: skip

    def ray_edge(self, e: RayEdge) -> None:
        edge, t, entry, leave = e.edge, e.t, e.entry, e.exit
        self.n_tested += 1
        ends, n, label = self.ends_of(edge), self.normal_of(edge), f"edge {edge}"
        name = f"Edge {edge}: the start is {meters(abs(e.in_front))} {'in front of' if e.in_front > 0.0 else 'behind'} its line"
        values = {"in front": e.in_front, "n.w": e.rate, "entry": entry, "exit": leave} | ({} if math.isnan(t) else {"t": t})
        limits = (-math.inf, math.inf)
        if math.isnan(t):
            kind, line = "along", 6
            is_out = e.in_front > self.touch
            sentence = f"{name}, and the ray runs parallel to it: {'it stays outside' if is_out else 'this edge does not limit it'}."
            limits = (math.inf, -math.inf) if is_out else limits
        elif e.rate < 0.0:
            kind, line, limits = "entry", 4, (t, math.inf)
            self.towards.append(edge)
            new = f"the latest entry so far is {moment(entry)}" if entry == t else f"{moment(entry)} is later, so nothing changes"
            sentence = f"{name}, and the ray moves toward it, so it is outside until {moment(t)}; {new}."
        else:
            kind, line, limits = "exit", 5, (-math.inf, t)
            new = f"the earliest exit so far is {moment(leave)}" if leave == t else f"{moment(leave)} is earlier, so nothing changes"
            sentence = f"{name}, and the ray moves away from it, so it is outside after {moment(t)}; {new}."
        self.add_bar(edge, *limits, label)
        prompt = f"Does the ray move toward edge {edge} or away from it?"
        question = Question(prompt, ("toward it: an entry", "away from it: an exit"), int(e.rate > 0.0))
        self.add(
            kind, line, sentence, (Feature("a", "edge", edge),), (self.at(t),) if abs(t) < 5.0 else (), n, values=values,
            question=None if math.isnan(t) else question,
            marks=(
                *self.edge_marks(ends, n, label), *self.clipped(entry, leave), *self.crossing(t),
                *bar(self.n_corners, entry, leave, "best", "so far"),
            ),
        )  # fmt: skip

    def ray_entered(self, e: RayEntered) -> None:
        question = None
        if 2 <= len(self.towards) <= _MAX_PLACES:
            names, places = tuple(f"edge {k}" for k in self.towards), tuple(between(*self.ends_of(k)) for k in self.towards)
            question = Question("Through which edge does the ray enter?", names, self.towards.index(e.edge), places)
        self.add(
            "entered", 7,
            f"The last entry, at {moment(e.entry)} through edge {e.edge}, is before the first exit, at {moment(e.exit)}: between them the "
            "ray is behind all edges, that is, inside.",
            (Feature("a", "edge", e.edge),), (self.at(e.t),), self.normal_of(e.edge),
            values={"t": e.t, "entry": e.entry, "exit": e.exit}, question=question,
            marks=(
                path("best", *self.ends_of(e.edge), text=f"edge {e.edge}"), *self.clipped(e.entry, e.exit), *self.crossing(e.t),
                *bar(self.n_corners, e.entry, e.exit, "best", "inside"),
            ),
        )  # fmt: skip

    def ray_passed(self, e: RayPassed, why: str = "") -> None:
        is_late = e.entry > e.exit or e.exit < 0.0
        why = why or "The ray's line misses the shape: " + (
            f"the first exit, {moment(e.exit)}, is before the last entry, {moment(e.entry)}: the ray is never behind all edges at once."
            if e.entry > e.exit
            else f"it left the shape at {moment(e.exit)}, before its start."
            if is_late
            else "it runs parallel to an edge, outside the shape."
        )
        self.add(
            "passed", 7 if is_late else 6, why, values={"entry": e.entry, "exit": e.exit}, marks=(path("dropped", self.origin, self.end),),
        )  # fmt: skip

    def ray_settled(self, e: RaySettled) -> None:
        verb = "misses the shape" if math.isinf(e.after) else f"meets the shape at {moment(e.after)}"
        self.add(
            "settled", 8,
            f"At {moment(e.before)} the ray is on the line of edge {e.edge}, but past its end: within rounding, the lines of a sharp "
            f"corner meet short of its tip. Tested against each edge between its ends, the ray {verb}.",
            (Feature("a", "edge", e.edge),), values={"before": e.before, "t": e.after},
            marks=(path("looked_at", *self.ends_of(e.edge)), *self.crossing(e.after)),
        )  # fmt: skip

    def rounded_edge(self, e: RoundedEdge) -> None:
        edge, t, r = e.edge, e.t, self.radius
        self.n_tested += 1
        n = self.direction(e.n)
        name = f"Edge {edge}" + (f", shifted outward by {meters(r)}" if r > 0.0 else "")
        counts = not math.isnan(t) and 0.0 <= e.along <= e.length
        if math.isnan(t):
            sentence = f"{name}: the ray runs parallel to it and does not cross its line."
        elif counts:
            sentence = f"{name}: the ray crosses it between its ends at {moment(t)}, and {'enters' if e.rate < 0.0 else 'leaves'} there."
            self.add_bar(2.0 * edge, t, t, f"edge {edge}")
        else:
            sentence = f"{name}: the ray crosses its line at {moment(t)} but past its ends, so this does not count."
        ends = (along(end, n, r) for end in self.ends_of(edge))
        self.add(
            "rounded edge", 9, sentence, (Feature("a", "edge", edge),), (self.at(t),) if counts else (), n,
            values={"n.w": e.rate, "t": t, "along": e.along, "length": e.length, "entry": e.first, "exit": e.last},
            marks=(
                path("looked_at", *ends, text=f"edge {edge}"), *(self.crossing(t) if counts else ()), *self.clipped(e.first, e.last),
                *bar(2.0 * self.n_corners, e.first, e.last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_corner(self, e: RoundedCorner) -> None:
        corner, away, nearest, half = e.corner, meters(e.away), e.nearest, e.half
        self.n_tested += 1
        center, r = self.corners[0][corner], meters(self.radius)
        what = "The circle" if self.n_corners == 1 else f"The circle about corner {corner}"
        crossings: Marks = ()
        if math.isnan(half):
            sentence = f"{what}: the ray's line passes {away} from its center, which is more than the radius, {r}, so it misses."
        else:
            times = nearest - half, nearest + half
            first, last = map(moment, times)
            where = f"{away} from its center, less than the radius, {r}"
            sentence = f"{what}: the ray's line passes {where}, and is inside from {first} to {last}."
            self.add_bar(2.0 * corner + 1.0, *times, f"arc {corner}")
            crossings = self.crossing(*times)
        beside = (path("bound", center, self.at(nearest), text=away),) if abs(nearest) < 5.0 else ()
        self.add(
            "rounded corner", 9, sentence, (Feature("a", "vertex", corner),),
            values={"away": e.away, "nearest": nearest, "half": half, "entry": e.first, "exit": e.last},
            marks=(
                Mark("circle", "looked_at", (center,), text=f"corner {corner}", radius=self.radius), *crossings, *beside,
                *self.clipped(e.first, e.last), *bar(2.0 * self.n_corners, e.first, e.last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_end(self, e: RoundedEnd) -> None:
        entry, leave, corner = e.first, e.last, e.corner
        if entry > leave:
            self.ray_passed(RayPassed(entry, leave), "The ray's line crosses neither an edge nor a circle, so it misses the shape.")
            return
        met = "on a shifted edge" if corner < 0 else f"on the arc of corner {corner}" if self.n_corners > 1 else "on the circle"
        self.add(
            "entered", 10,
            f"The earliest crossing, {moment(entry)}, is the entry, and the latest, {moment(leave)}, is the exit, because the shape is "
            f"convex. The point lies {met}.",
            points=(self.at(entry),) if abs(entry) < 5.0 else (), axis=self.direction(e.n),
            values={"t": entry, "entry": entry, "exit": leave},
            marks=(*self.clipped(entry, leave), *self.crossing(entry), *bar(2.0 * self.n_corners, entry, leave, "best", "inside")),
        )  # fmt: skip

    def answer(self) -> None:
        hit, last, line = self.result, self.steps[-1], 11
        marks: Marks = (path("dropped", self.origin, self.end),)
        if hit.status is Status.MISS:
            entry = last.values.get("t", last.values.get("entry", math.inf))
            has_entered = last.kind in ("entered", "settled")
            sentence = "The ray misses."
            if self.length == 0.0:
                sentence = "The ray misses, because it has no length and starts outside."
            elif has_entered and math.isfinite(entry):
                where = "the ray ends before it." if entry > 1.0 else "it lies behind the start."
                sentence = f"The ray misses: the entry, {moment(entry)}, is not in [0, 1], because {where}"
            line = 11 if has_entered else last.line
        elif hit.normal is None or hit.point is None:
            line, sentence = 0, "The ray hits at t = 0, without a normal, because it starts inside the shape."
            marks = (dot("result", self.origin, text="hit"),)
        else:
            x, y = hit.point
            sentence = (
                f"The ray hits at {moment(hit.fraction)}, {meters(hit.fraction * self.length)} from its start, at ({x:.3f}, {y:.3f})."
            )
            marks = (
                path("kept", self.origin, hit.point), dot("result", hit.point, text="hit"),
                arrow("result", hit.point, hit.normal, 0.2 * self.length, text="normal"),
                *bar(self.top, hit.fraction, hit.fraction, "result", "hit"),
            )  # fmt: skip
        points = () if hit.point is None else (hit.point,)
        self.add("answer", line, sentence, (), points, hit.normal, values={"fraction": hit.fraction}, marks=marks, result=hit)


class RayCast(Algorithm[PairCase]):
    """Cyrus and Beck's clipping of a ray by the edges of a convex polygon; a rounded shape by its edges shifted out and its circles."""

    name = "ray_cast"
    title = "Ray cast: where a ray hits a shape"
    page = "ray_cast.md#derivation"
    pseudo_code = code("""
        if the start lies inside: a hit at 0
        entry = -inf, exit = inf
        for each edge, n its outward normal:
          t = when the ray w crosses the edge's line
          if n.w < 0, it enters: entry = max(entry, t)
          if n.w > 0, it leaves: exit = min(exit, t)
          if n.w = 0 (parallel to the edge) and it is in front: a miss
        if entry > exit or exit < 0: a miss
        if the point is past its edge's end, at a sharp corner: test again
        with a radius, for each edge shifted outward and each corner's circle:
          entry = the earliest crossing, exit = the latest
        a hit at the entry if that is in [0, 1]; n is that edge's normal
    """)
    views = (PLANE, TIMES)
    beside = ("shape_cast", "swept_sat")
    decoder = _Decoder
    example = PairCase(
        Pair(
            "ray_cast", Polygon([(-1.0, -0.8), (1.0, -0.8), (1.2, 0.3), (0.2, 1.1), (-0.9, 0.6)]), Transform((0.4, 0.0), 0.2),
            ray=((-2.2, 0.9), (2.6, 0.2)),
        )
    )  # fmt: skip

    def sides(self, case: PairCase) -> tuple[Side, ...]:
        """Return the shape."""
        return (Side("a", case.pair.shape_a, case.pair.pose_a),)

    def scenery(self, case: PairCase) -> Marks:
        return (*case.scenery, *step_of_time(_top(case)))

    def query(self, case: PairCase) -> RayHit:
        pair = case.pair
        assert pair.ray is not None
        return query.ray_cast(pair.shape_a, pair.pose_a, pair.ray[0], case.translations[0])

    def fits(self, case: PairCase) -> bool:
        return case.pair.ray is not None


ALGORITHMS = (RayCast(),)
