"""What a mutant is put through: for each query of `compare`, our answers computed with the fault and judged against Box2D's.

The cases are those of `compare`, in batches that grow: most mutants die of the first. The fault is everywhere it would be in the program:
in the packing of the shapes, in our answers, and in whatever the judge itself uses of our algorithms (its replay of Box2D's rule, its
witness). Box2D's answers are asked for beforehand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle.broad_phase import box2d_scene
from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.box2d.oracle.properties import ShapeOracle
from engine.compare.cases import PAIR_KINDS, case_chunk, motion_chunk, ray_chunk
from engine.compare.cases.properties import box_rows, mass_chunk, point_sets, scene_chunk
from engine.compare.queries import (
    Answers,
    Impacts,
    Rays,
    moving_pairs,
    our_distances,
    our_impacts,
    our_manifolds,
    our_overlaps,
    our_points,
    our_rays,
    posed_pairs,
    posed_rays,
)
from engine.compare.verdicts.boxes import OurScene, judge_boxes, judge_pairs, our_boxes, our_scene, posed_boxes
from engine.compare.verdicts.distances import judge_distances, judge_overlaps
from engine.compare.verdicts.hulls import judge_hulls, our_hulls
from engine.compare.verdicts.impacts import judge_impacts
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.masses import box2d_masses, judge_masses, our_masses
from engine.compare.verdicts.rays import judge_points, judge_rays
from engine.compare.verdicts.verdict import Explanation
from engine.contracts.status import Status
from engine.geometry import Circle, Polygon
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.packing import pack

__all__ = ["QUERIES", "Judged", "Trial", "leaves", "trials"]

QUERIES = ("manifold", "overlap", "distance", "toi", "ray_cast", "contains", "aabb", "mass", "hull", "pairs")


@dataclass(frozen=True)
class Judged:
    """What a batch came to: unexplained rows, the other reasons, our answers, and what `compare` does not judge of them."""

    n_unexplained: int
    reasons: Counter[str]
    answers: list[NDArray[Any]]
    asides: list[NDArray[Any]]

    def change(self, other: Judged) -> float:
        """Return the largest change of a number of our answers: infinite of a count or a status, 0 if not a bit is another."""
        if len(self.answers) != len(other.answers):
            return math.inf
        largest = 0.0
        for one, changed in zip(self.answers, other.answers, strict=True):
            if one.shape != changed.shape or one.dtype != changed.dtype:
                return math.inf
            if one.tobytes() == changed.tobytes():
                continue
            if one.dtype != np.float64 or not np.array_equal(np.isfinite(one), np.isfinite(changed)):
                return math.inf
            is_finite = np.isfinite(one)
            largest = max(largest, float(np.abs(one[is_finite] - changed[is_finite]).max(initial=0.0)))
        return largest


@dataclass(frozen=True)
class Trial:
    """One query on its batches: `ours` of a batch computes our answers, `judge` judges them."""

    query: str
    n_batches: int
    ours: Callable[[int], Any]
    judge: Callable[[int, Any], Sequence[Explanation]]

    def run(self, batch: int) -> Judged:
        """Compute and judge a batch."""
        answers = self.ours(batch)
        return self.verdict(batch, answers)

    def verdict(self, batch: int, answers: Any) -> Judged:
        """Judge answers that exist."""
        found = Counter(one.reason for one in self.judge(batch, answers))
        return Judged(found.pop("unexplained", 0), found, leaves(answers), _asides(answers))


def trials(seed: int, sizes: Sequence[int], queries: Sequence[str] = QUERIES) -> list[Trial]:
    """Return the trials of some queries; `sizes` are the numbers of pairs in the batches."""
    cases = case_chunk(seed, 0, sum(sizes), PAIR_KINDS)
    edges = np.cumsum([0, *sizes])
    rows = [np.arange(low, high) for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]
    makers = {
        "manifold": _manifolds, "overlap": _overlaps, "distance": _distances, "toi": _impacts, "ray_cast": _rays, "contains": _points,
        "aabb": _boxes, "mass": _masses, "hull": _hulls, "pairs": _scenes,
    }  # fmt: skip
    return [makers[query](cases, seed, rows) for query in queries]


def _pairs(cases: Any, rows: Any, oracle: PairOracle) -> Callable[[int], Any]:
    def posed(batch: int) -> Any:
        at = rows[batch]
        return posed_pairs(pack(oracle.shapes, oracle.centroids), cases.pairs[at], cases.poses_a[at], cases.poses_b[at])

    return posed


def _manifolds(cases: Any, seed: int, rows: Any) -> Trial:
    oracle = PairOracle(cases.shapes)
    posed = _pairs(cases, rows, oracle)
    found = [oracle.manifolds(cases.pairs[at], cases.poses_a[at], cases.poses_b[at]) for at in rows]
    answers = [Answers.of(one) for one in found]

    def ours(batch: int) -> Any:
        made = posed(batch)
        return made, our_manifolds(made)

    return Trial("manifold", len(rows), ours, lambda batch, made: judge_manifolds(made[0], answers[batch], made[1]).differences)


def _overlaps(cases: Any, seed: int, rows: Any) -> Trial:
    oracle = PairOracle(cases.shapes)
    posed = _pairs(cases, rows, oracle)
    found = [oracle.overlaps(cases.pairs[at], cases.poses_a[at], cases.poses_b[at])[0] for at in rows]

    def ours(batch: int) -> Any:
        made = posed(batch)
        return made, our_overlaps(made)

    return Trial("overlap", len(rows), ours, lambda batch, made: judge_overlaps(made[0], found[batch], made[1]).differences)


def _distances(cases: Any, seed: int, rows: Any) -> Trial:
    oracle = PairOracle(cases.shapes)
    posed, asked = _pairs(cases, rows, oracle), oracle
    found = [asked.gaps(cases.pairs[at], cases.poses_a[at], cases.poses_b[at])[0] for at in rows]

    def ours(batch: int) -> Any:
        made = posed(batch)
        return made, our_distances(made)

    return Trial("distance", len(rows), ours, lambda batch, made: judge_distances(made[0], found[batch], made[1]).differences)


def _impacts(cases: Any, seed: int, rows: Any) -> Trial:
    oracle, motion = PairOracle(cases.shapes), motion_chunk(cases, seed, 0)
    motions = [type(motion)(motion.start_a[at], motion.end_a[at], motion.start_b[at], motion.end_b[at]) for at in rows]
    found = []
    for at, one in zip(rows, motions, strict=True):
        told = oracle.times_of_impact(cases.pairs[at], one.start_a, one.end_a, one.start_b, one.end_b)
        found.append(Impacts(told.status, told.fraction))

    def ours(batch: int) -> Any:
        made = moving_pairs(pack(oracle.shapes, oracle.centroids), cases.pairs[rows[batch]], motions[batch])
        return made, our_impacts(made)

    return Trial("toi", len(rows), ours, lambda batch, made: judge_impacts(made[0], found[batch], made[1]).differences)


def _posed_rays(cases: Any, seed: int, rows: Any, with_edges: bool) -> tuple[PointOracle, list[Any], Callable[[int], Any]]:
    oracle, rays = PointOracle(cases.shapes), ray_chunk(cases, seed, 0, with_edges)
    some = [type(rays)(*(getattr(rays, name)[at] for name in type(rays).__slots__)) for at in rows]
    return oracle, some, lambda batch: posed_rays(pack(oracle.shapes), some[batch])


def _rays(cases: Any, seed: int, rows: Any) -> Trial:
    oracle, some, posed = _posed_rays(cases, seed, rows, True)
    found = []
    for one in some:
        told = oracle.rays(one.indices, one.poses, one.origins, one.ends)
        found.append(Rays.of(told))

    def ours(batch: int) -> Any:
        made = posed(batch)
        return made, our_rays(made)

    return Trial("ray_cast", len(rows), ours, lambda batch, made: judge_rays(made[0], found[batch], made[1]).differences)


def _points(cases: Any, seed: int, rows: Any) -> Trial:
    oracle, some, posed = _posed_rays(cases, seed, rows, False)
    found = [oracle.contains(one.indices, one.poses, one.origins)[0] for one in some]

    def ours(batch: int) -> Any:
        made = posed(batch)
        return made, our_points(made)

    return Trial("contains", len(rows), ours, lambda batch, made: judge_points(made[0], found[batch], made[1]).differences)


def _boxes(cases: Any, seed: int, rows: Any) -> Trial:
    oracle, indices = ShapeOracle(cases.shapes), box_rows(cases, seed, 0)
    found = [oracle.boxes(indices[at], cases.poses_a[at])[0] for at in rows]

    def ours(batch: int) -> Any:
        at = rows[batch]
        made = posed_boxes(pack(oracle.shapes), indices[at], cases.poses_a[at])
        return made, our_boxes(made)

    return Trial("aabb", len(rows), ours, lambda batch, made: judge_boxes(made[0], found[batch], made[1]).differences)


def _masses(cases: Any, seed: int, rows: Any) -> Trial:
    chunk = mass_chunk(cases, seed, 0, int(sum(map(len, rows))))
    oracle = ShapeOracle(chunk.shapes, chunk.otherwise)
    found = box2d_masses(oracle.masses(chunk.density), oracle.centroids)
    names = ("mass", "centroid", "inertia", "kept", "is_refused")
    theirs = [type(found)(*(getattr(found, name)[at] for name in names)) for at in rows]

    def ours(batch: int) -> Any:
        at = rows[batch]
        shapes = [_fresh(oracle.shapes[row]) for row in at.tolist()]
        return shapes, our_masses(shapes, chunk.density[at])

    def judge(batch: int, made: Any) -> Sequence[Explanation]:
        shapes = [oracle.shapes[row] for row in rows[batch].tolist()]
        return judge_masses(shapes, chunk.density[rows[batch]], theirs[batch], made[1]).differences

    return Trial("mass", len(rows), ours, judge)


def _fresh(shape: Any) -> Any:
    """Return a copy that remembers nothing."""
    if isinstance(shape, Polygon):
        return Polygon(shape.vertices, shape.skin_radius)
    assert isinstance(shape, Circle)
    return Circle(shape.radius, shape.center)


def _hulls(cases: Any, seed: int, rows: Any) -> Trial:
    sets = point_sets(seed, 0, int(sum(map(len, rows))))
    some = [[sets[row] for row in at.tolist()] for at in rows]
    found = [box2d_hulls(one) for one in some]
    return Trial(
        "hull", len(rows), lambda batch: [_from_least(hull) for hull in our_hulls(some[batch])],
        lambda batch, made: judge_hulls(some[batch], found[batch], made).differences,
    )  # fmt: skip


def _from_least(hull: Any) -> Any:
    """Let a hull begin at its least corner: any will do."""
    return None if hull is None else np.roll(hull, -hull.tolist().index(min(hull.tolist())), axis=0)


def _scenes(cases: Any, seed: int, rows: Any) -> Trial:
    # a scene for each family, at rest and moved; the batches are scenes here
    # (10 and 64 bodies, all pairs of which are judged)
    sizes = [45] + [2016] * 9
    chunks = [scene_chunk(cases, seed, number, size) for number, size in enumerate(sizes)]
    scenes = [box2d_scene(one.shapes, one.poses, one.moves) for one in chunks]
    oracle = PairOracle(cases.shapes)

    def ours(batch: int) -> Any:
        shapes = pack(oracle.shapes, oracle.centroids)
        return shapes, our_scene(shapes, chunks[batch].indices, scenes[batch])

    def judge(batch: int, made: Any) -> Sequence[Explanation]:
        return judge_pairs(made[0], chunks[batch].indices, scenes[batch], sizes[batch], made[1]).differences

    return Trial("pairs", len(sizes), ours, judge)


def leaves(answers: Any) -> list[NDArray[Any]]:
    """Return our answers as arrays; of a pair (what was prepared, answers) the answers only. Pairs of boxes are put in order."""
    if isinstance(answers, tuple) and len(answers) == 2 and not isinstance(answers[0], np.ndarray):
        answers = answers[1]
    if isinstance(answers, ManifoldRows):
        said = Answers.of_ours(answers)  # what is told of the search is no answer
        points = np.where(_is_point(answers)[:, :, None], said.points, 0.0)
        is_turned = (said.count == 2) & (points[:, 0, :2].sum(axis=1) > points[:, 1, :2].sum(axis=1))  # either order will do
        return [said.count, said.normal, np.where(is_turned[:, None, None], points[:, ::-1], points)]
    if isinstance(answers, Rays):
        is_hit = answers.status == Status.HIT
        return [answers.status, np.where(is_hit, answers.fraction, 0.0), np.where(is_hit[:, None], answers.normal, 0.0)]
    if isinstance(answers, OurScene):
        pairs = [one[np.lexsort(one.T)] for one in (np.sort(some, axis=1) for some in (answers.pairs, *answers.wide_pairs))]
        return [answers.before, answers.after, *pairs]
    if isinstance(answers, np.ndarray):
        return [answers]
    if isinstance(answers, (list, tuple)):
        return [leaf for one in answers for leaf in leaves(one)]
    if answers is None or isinstance(answers, (int, float)):
        return [np.array(np.nan if answers is None else answers)]
    return [leaf for name in type(answers).__slots__ for leaf in leaves(getattr(answers, name))]


def _asides(answers: Any) -> list[NDArray[Any]]:
    """Return the feature ids of manifolds."""
    rows = answers[1] if isinstance(answers, tuple) and len(answers) == 2 else None
    return [np.where(_is_point(rows), rows.names, 0)] if isinstance(rows, ManifoldRows) else []


def _is_point(rows: ManifoldRows) -> NDArray[np.bool_]:
    return np.asarray(np.arange(2) < rows.count[:, None])
