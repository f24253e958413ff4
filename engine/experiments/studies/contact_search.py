"""Finding contact points in scenes that rest and in one that falls: the last ones asked first, and filtered by a separating plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.references.lab import Lab, body, run
from engine.experiments.studies._contact_search_kernel import COUNT, FILTERED, TOUCH, search_contacts
from engine.experiments.studies.study import Finding, seconds_in_turn, study
from engine.geometry import Polygon
from engine.query.batch import ShapeBatch
from engine.report import Chart, Curve, Table, Value
from engine.world import World

__all__ = ["SCENES", "Recorded", "contact_buffer", "plane_filter", "stacked"]

_MARGIN = 0.001
"""Meters: what rests on our solver overlaps by some hundredths of a millimeter, and a rocking corner lifts by less than this."""
_BUFFERS = (0, 2, 4, 8, 12)
_REPEATS = 10
"""Times that the recorded frames are run through in one measurement."""
_FLOOR = Polygon.box(20.0, 0.5)


class Recorded:
    """Frames of a world: which boxes around its bodies meet in each, and how those bodies lie.

    Attributes
    ----------
    shapes : ShapeBatch
        One for each body.
    pairs : int64 (n, 2)
        Of bodies that come near each other at all.
    which : int64 (k,)
        The pair of each row, frame by frame.
    poses_a, poses_b : float64 (k, 4)
        x, y, cos, sin.
    n_frames : int
    """

    def __init__(self, world: World, n_frames: int) -> None:
        bodies = world.body_ids
        shapes = [world.fixture(world.body(body).fixtures[0]).spec.shape for body in bodies]
        moves = np.array([world.body(body).spec.type == "dynamic" for body in bodies])
        ends = np.triu_indices(len(bodies), 1)
        numbers: dict[int, int] = {}
        rows: list[tuple[int, int]] = []
        poses = []
        for frame in range(n_frames):
            world.step()
            states = [world.state(body) for body in bodies]
            poses.append([(*state.position, math.cos(state.angle), math.sin(state.angle)) for state in states])
            boxes = [shape.aabb(state.xf) for shape, state in zip(shapes, states, strict=True)]
            lower, upper = (np.array([getattr(box, side) for box in boxes]) for side in ("lower", "upper"))
            a, b = ends
            meet = ((lower[a] <= upper[b] + _MARGIN) & (lower[b] <= upper[a] + _MARGIN)).all(axis=1) & (moves[a] | moves[b])
            for at in np.flatnonzero(meet).tolist():
                rows.append((frame, numbers.setdefault(at, len(numbers))))
        of = np.array(list(numbers))
        self.shapes, self.n_frames = ShapeBatch(shapes), n_frames
        self.pairs: IntArray = np.column_stack((ends[0][of], ends[1][of]))
        frames, self.which = (np.array(column) for column in zip(*rows, strict=True))
        placed = np.array(poses)
        self.poses_a: FloatArray = np.ascontiguousarray(placed[frames, self.pairs[self.which, 0]])
        self.poses_b: FloatArray = np.ascontiguousarray(placed[frames, self.pairs[self.which, 1]])

    def asked(self, question: int, size: int = 0, repeats: int = 1) -> tuple[IntArray, tuple[int, int, int]]:
        """Return the answers (k,), and the numbers of edges tested, of kept points that answered, and of plane searches; see the kernel."""
        answers, counts = np.zeros(len(self.which), dtype=np.int64), (0, 0, 0)
        for _ in range(repeats):
            counts = search_contacts(
                question, self.shapes.packed.arrays, self.pairs, self.which, self.poses_a, self.poses_b, _MARGIN, size, answers
            )
        return answers, counts


def _world() -> World:
    world = Lab().world()
    body(world, _FLOOR, (0.0, -0.5), type="static")
    return world


def stacked(n_blocks: int, block: Polygon) -> World:
    """Return a stack that has come to rest; the block is one meter high."""
    world = _world()
    for level in range(n_blocks):
        body(world, block, (0.02 * (level % 2), 0.5 + level))
    run(world, 2.0)
    return world


def bevelled(n_vertices: int) -> Polygon:
    """Return a square block of one meter, its corners cut such that it has so many vertices, a multiple of 4."""
    per_corner = n_vertices // 4
    cut = 0.0 if per_corner == 1 else 0.15
    corners = []
    for quarter in range(4):
        angles = 0.5 * math.pi * (quarter + (np.arange(per_corner) / max(per_corner - 1, 1)))
        middle = 0.5 * math.pi * (quarter + 0.5)
        at = math.sqrt(2.0) * (0.5 - cut) * np.array([math.cos(middle), math.sin(middle)])
        reach = np.column_stack((np.cos(angles), np.sin(angles))) * cut
        corners.append(at + reach)
    return Polygon(np.concatenate(corners))


def _pyramid() -> World:
    world = _world()
    for row in range(8):
        for place in range(8 - row):
            body(world, Polygon.box(0.5, 0.5), (1.05 * (place - 0.5 * (7 - row)), 0.5 + row))
    run(world, 2.0)
    return world


def _heap(seconds: float) -> World:
    world = _world()
    for side in (-1.0, 1.0):
        body(world, Polygon.box(0.5, 6.0), (side * 3.5, 6.0), type="static")
    rng = stream(0, "contact search", "heap")
    for at in range(40):
        corners = 12 if at % 2 else 5
        body(world, Polygon.regular(corners, 0.4), (-2.4 + 1.2 * (at % 5), 0.6 + 1.1 * (at // 5)), float(rng.uniform(0.0, 1.0)))
    run(world, seconds)
    return world


SCENES: dict[str, Callable[[], World]] = {
    "stack of 10 boxes, at rest": lambda: stacked(10, Polygon.box(0.5, 0.5)),
    "pyramid of 36 boxes, at rest": _pyramid,
    "heap of 40 polygons, at rest": lambda: _heap(8.0),
    "the same, falling": lambda: _heap(0.3),
}
"""Worlds on our own solver, from where they are recorded on."""


@study(
    "checking the last contact points first",
    "2015: a buffer of the last 0, 2, 4, 8 or 12 contact points is checked before the search; this saves up to 25 % on resting scenes.",
)
def contact_buffer(quick: bool) -> Finding:
    """Two seconds of each scene are recorded; then the near pairs are asked whether they touch, with buffers of each size, in turn."""
    scenes, n_frames, rounds = (list(SCENES)[:1], 5, 1) if quick else (list(SCENES), 120, 7)
    rows: list[tuple[Value, ...]] = []
    saved: dict[str, list[float]] = {}
    fewer: dict[str, list[float]] = {}
    for scene in scenes:
        recorded = Recorded(SCENES[scene](), n_frames)
        repeats = 1 if quick else max(1, 20_000 // len(recorded.which))
        seconds = seconds_in_turn({str(k): partial(recorded.asked, TOUCH, k, repeats) for k in _BUFFERS}, rounds)
        looks = {}
        for k in _BUFFERS:
            touches, (looks[k], answered, _) = recorded.asked(TOUCH, k)
            yes, n = int(touches.sum()), len(touches)
            ns = 1e9 * seconds[str(k)] / n / repeats
            rows.append((scene, k, ns, looks[k] / n, 100.0 * answered / max(yes, 1), 100.0 * yes / n))
        saved[scene] = [100.0 * (1.0 - seconds[str(k)] / max(seconds["0"], 1e-12)) for k in _BUFFERS]
        fewer[scene] = [100.0 * (1.0 - looks[k] / looks[0]) for k in _BUFFERS]
    sizes = tuple(map(float, _BUFFERS))
    charts = (
        Chart("processor time", "contact points kept", "saved, %", tuple(Curve(scene, sizes, tuple(saved[scene])) for scene in scenes)),
        Chart("edges examined", "contact points kept", "saved, %", tuple(Curve(scene, sizes, tuple(fewer[scene])) for scene in scenes)),
    )
    resting = [scene for scene in scenes if "rest" in scene]
    best, worst = max(saved[scene][1] for scene in resting), min(saved[scene][1] for scene in resting)
    gain = max(abs(fewer[scene][at] - fewer[scene][1]) for scene in resting for at in range(2, len(_BUFFERS)))
    sentences = (
        f"Keeping two points saves {worst:.0f} to {best:.0f} % of the time on resting scenes"
        + (f" and {saved[scenes[-1]][1]:.0f} % on falling ones." if len(scenes) > 1 else "."),
        f"Keeping more than two changes the number of edges examined in resting scenes by at most {gain:.1f} %.",
    )
    heads = ("scene", "points kept", "ns per pair", "edges examined", "touches found by them, %", "touching, %")
    return Finding((Table("whether near pairs touch", heads, tuple(rows)),), charts, sentences)


@study(
    "edges and vertices filtered by the separating plane",
    "2015: a stack of 2 to 5 blocks, with and without filtering edges and vertices by the separating plane.",
)
def plane_filter(quick: bool) -> Finding:
    """Stacks that rest are recorded for two seconds; then all contact points of each frame are searched, plainly and filtered, in turn."""
    numbers, corners, n_frames, rounds = ((2,), (4,), 5, 1) if quick else ((2, 3, 4, 5), (4, 8, 16, 32), 120, 7)
    rows: list[tuple[Value, ...]] = []
    ratios: dict[tuple[int, int], float] = {}
    for n_vertices in corners:
        for n_blocks in numbers if n_vertices == 4 else numbers[-1:]:
            recorded = Recorded(stacked(n_blocks, bevelled(n_vertices)), n_frames)
            repeats = 1 if quick else max(1, 20_000 // len(recorded.which))
            calls = {str(mode): partial(recorded.asked, mode, 0, repeats) for mode in (COUNT, FILTERED)}
            plain, filtered = seconds_in_turn(calls, rounds).values()
            (points, looks), (same, fewer) = (recorded.asked(mode) for mode in (COUNT, FILTERED))
            n = len(points)
            ratios[n_blocks, n_vertices] = plain / max(filtered, 1e-12)
            ns = [1e9 * seconds / n / repeats for seconds in (plain, filtered)]
            differ = int((points != same).sum())
            rows.append((n_blocks, n_vertices, *ns, plain / max(filtered, 1e-12), looks[0] / n, fewer[0] / n, fewer[2], differ))
    by_blocks = Curve("4 vertices", tuple(map(float, numbers)), tuple(ratios[n, 4] for n in numbers))
    by_corners = Curve(f"{numbers[-1]} blocks", tuple(map(float, corners)), tuple(ratios[numbers[-1], n] for n in corners))
    charts = (
        Chart("stacks of boxes", "blocks", "times as fast", (by_blocks,)),
        Chart("blocks with more corners", "vertices", "times as fast", (by_corners,), (True, False)),
    )
    sentences = (
        f"With filtering, contact points of boxes are found {min(by_blocks.y):.2f} to {max(by_blocks.y):.2f} times as fast; with "
        f"{corners[-1]} "
        f"vertices {by_corners.y[-1]:.1f} times.",
        f"The points are the same in {'all' if not any(row[-1] for row in rows) else 'not all'} frames.",
    )
    heads = ("blocks", "vertices", "ns per pair", "filtered", "times as fast", "edges examined", "filtered", "planes searched", "differ")
    return Finding((Table("all contact points of near pairs", heads, tuple(rows)),), charts, sentences)
