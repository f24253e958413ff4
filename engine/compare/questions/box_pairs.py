"""Query: overlapping pairs of boxes in a scene.

Ours are the pairs whose tight boxes share a point. Box2D keeps enlarged boxes in its tree, so that a small motion does not change the tree:
the box swept in a step, 0.1 m more on every side (b2_aabbExtension), and twice the step's displacement ahead (b2_aabbMultiplier)::

    +-----------------------------------+
    | 0.1                               |
    |     +---------+ - - - +           |       a box that left its wide box in this step, moving to the right;
    |     | before  |       | after     |       one that is still inside keeps the wide box that it had
    |     +---------+ - - - +           |
    |                         2 d       |
    +-----------------------------------+

For each enlarged box, this rule is checked against our own boxes before and after the step, within float32 rounding. Box overlap only
compares given numbers, so no allowance is needed: Box2D's pairs must be exactly those of its enlarged boxes, as must the pairs that each of
our broad phases finds among those boxes; our pairs must be those of the tight boxes; and none of our broad phases may report a pair twice
or pair a body with itself. A pair is then

    agree            both or neither report it
    `fat_box`        Box2D alone, and all of the above holds for both bodies
    unexplained      otherwise: most of all a pair that we alone report

All pairs of a scene are judged, touching or not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.box2d.oracle.broad_phase import OracleScene, box2d_scene
from engine.box2d.oracle.pairs import PairOracle
from engine.broadphase import BroadPhase, BruteForce, TopDownTree, UniformGrid
from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_BOX_EXTENSION, BOX2D_BOX_MULTIPLIER
from engine.compare import allowances
from engine.compare.cases.properties import SCENE_FAMILIES, SceneChunk, n_bodies, scene_chunk
from engine.compare.queries import Flags
from engine.compare.questions.answer import Sketch, box_corners, outline, pose_of
from engine.compare.questions.question import Chunk, Question, Verdicts, differences_of
from engine.contracts.agreement import Verdict
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["BoxPairsQuestion", "OurScene", "SceneCases", "SceneColumns", "judge_pairs", "our_scene"]


BROAD_PHASES: tuple[BroadPhase, ...] = (BruteForce(), UniformGrid(), TopDownTree())
"""Our broad phases, all of which must find the same pairs."""


@dataclass(frozen=True, slots=True)
class OurScene:
    """Our tight boxes (m, 4) before and after the step, our pairs (k, 2) after it, and the pairs found among Box2D's enlarged boxes."""

    before: FloatArray
    after: FloatArray
    pairs: IntArray
    wide_pairs: tuple[IntArray, ...]


@dataclass(frozen=True)
class SceneCases:
    """All shapes as Box2D represents them, the bodies, their Box2D world, and the number of pairs to judge."""

    oracle: PairOracle
    bodies: SceneChunk
    scene: OracleScene
    n_pairs: int


@dataclass(frozen=True)
class SceneColumns:
    """The same with packed shapes, as Box2D represents them, with their skins."""

    shapes: PackedShapes
    indices: IntArray
    scene: OracleScene
    n_pairs: int


def our_scene(columns: SceneColumns) -> OurScene:
    """Return our boxes and pairs at Box2D's poses."""
    scene = columns.scene
    turned = (batched.poses_with_rotation(poses.copy()) for poses in (scene.poses_before, scene.poses))
    before, after = (batched.box_rows(columns.shapes, columns.indices, poses) for poses in turned)
    wide = tuple(phase.pairs(scene.boxes) for phase in BROAD_PHASES)
    return OurScene(before, after, UniformGrid().pairs(after), wide)


def judge_pairs(columns: SceneColumns, scene: OracleScene, ours: OurScene) -> Verdicts:
    """Judge the first pairs of a scene; the row of a pair is j (j - 1) / 2 + i for bodies i < j."""
    is_wide, off = _follows_rule(columns, scene, ours)
    m = len(columns.indices)
    theirs, mine = _marked(scene.pairs, m), _marked(ours.pairs, m)
    is_right = (_overlaps(scene.boxes) == theirs) & (_overlaps(ours.after) == mine)
    is_right &= np.all([_marked(pairs, m) == theirs for pairs in ours.wide_pairs], axis=0)
    is_right &= np.all([_is_reported_once(pairs, m) for pairs in (ours.pairs, *ours.wide_pairs)], axis=0)

    i, j = _pairs_in_order(columns.n_pairs)
    theirs, mine, is_right = theirs[i, j], mine[i, j], is_right[i, j]
    is_fat = theirs & ~mine & is_wide[i] & is_wide[j]
    agrees = is_right & (theirs == mine)

    def explain(row: int) -> Verdict:
        a, b = int(i[row]), int(j[row])
        gap = float(np.maximum(ours.after[a, :2] - ours.after[b, 2:], ours.after[b, :2] - ours.after[a, 2:]).max())
        if is_right[row] and is_fat[row]:
            evidence = f"bodies {a} and {b}: the tight boxes are {gap:.3g} m apart, but those in Box2D's tree overlap"
            return Verdict("fat_box", gap, evidence)
        whose = "Box2D" if theirs[row] else "we" if mine[row] else "neither"
        what = f"only {whose} report the pair" if theirs[row] != mine[row] else "the broad phases differ"
        return Verdict("unexplained", abs(gap), f"bodies {a} and {b}: {what}")

    worst, maxima = float(off[is_wide].max(initial=0.0)), {"most_bodies": float(m)}
    return Verdicts(theirs, differences_of(agrees, explain), worst, maxima=maxima)


def _follows_rule(columns: SceneColumns, scene: OracleScene, ours: OurScene) -> tuple[Flags, FloatArray]:
    """Return for each body whether its enlarged box follows Box2D's rule, and its deviation."""
    reach = np.maximum(np.abs(scene.poses_before[:, :2]).sum(axis=1), np.abs(scene.poses[:, :2]).sum(axis=1))
    allowed = allowances.tree_box_allowance(reach + columns.shapes.extent[columns.indices])
    extension = np.array((-1.0, -1.0, 1.0, 1.0)) * BOX2D_BOX_EXTENSION
    at_first = ours.before + extension
    off_first = np.abs(scene.boxes_before - at_first).max(axis=1, initial=0.0)

    swept = np.hstack((np.minimum(ours.before[:, :2], ours.after[:, :2]), np.maximum(ours.before[:, 2:], ours.after[:, 2:])))
    ahead = BOX2D_BOX_MULTIPLIER * (scene.poses[:, :2] - scene.poses_before[:, :2])
    grown = swept + extension + np.hstack((np.minimum(ahead, 0.0), np.maximum(ahead, 0.0)))
    off_grown = np.abs(scene.boxes - grown).max(axis=1, initial=0.0)
    # how far the swept box sticks out of the first wide box: that decides whether it is made anew
    out = np.hstack((at_first[:, :2] - swept[:, :2], swept[:, 2:] - at_first[:, 2:])).max(axis=1, initial=-np.inf)
    is_kept = (scene.boxes == scene.boxes_before).all(axis=1) & (out <= allowed)
    is_new = (off_grown <= allowed) & (out >= -allowed)
    follows = (off_first <= allowed) & (is_kept | is_new)
    return follows, np.where(is_kept, off_first, np.maximum(off_first, off_grown))


def _pairs_in_order(n_pairs: int) -> tuple[IntArray, IntArray]:
    j, i = np.tril_indices(n_bodies(n_pairs), -1)
    return i[:n_pairs].astype(np.int64), j[:n_pairs].astype(np.int64)


def _marked(pairs: IntArray, m: int) -> Flags:
    """Return a symmetric (m, m) matrix, true for `pairs`."""
    marked = np.zeros((m, m), dtype=np.bool_)
    marked[pairs[:, 0], pairs[:, 1]] = marked[pairs[:, 1], pairs[:, 0]] = True
    return marked


def _is_reported_once(pairs: IntArray, m: int) -> Flags:
    """Return a symmetric (m, m) matrix that is false for pairs reported more than once, and for all pairs of a body that is paired with
    itself.
    """
    counts = np.zeros((m, m), dtype=np.int64)
    np.add.at(counts, (pairs.min(axis=1), pairs.max(axis=1)), 1)
    is_alone = np.diagonal(counts) == 0
    once: Flags = (counts + counts.T <= 1) & is_alone[:, None] & is_alone[None, :]
    np.fill_diagonal(once, True)
    return once


def _overlaps(boxes: FloatArray) -> Flags:
    """Return an (m, m) matrix, true where two boxes share a point, false on the diagonal."""
    low, high = boxes[:, :2], boxes[:, 2:]
    overlap: Flags = np.all((low[:, None] <= high[None, :]) & (low[None, :] <= high[:, None]), axis=2)
    np.fill_diagonal(overlap, False)
    return overlap


class BoxPairsQuestion(Question[SceneCases, SceneColumns, OurScene, OracleScene]):
    """All pairs of boxes in a scene; those with a contact in Box2D count as touching."""

    names = SCENE_FAMILIES

    def cases(self, work: Chunk) -> SceneCases:
        bodies = scene_chunk(work.cases, work.seed, work.chunk, work.n_pairs)
        return SceneCases(work.oracle, bodies, box2d_scene(bodies.shapes, bodies.poses, bodies.moves), work.n_pairs)

    def box2d(self, cases: SceneCases) -> tuple[OracleScene, float]:
        return cases.scene, cases.scene.seconds

    def columns(self, cases: SceneCases) -> SceneColumns:
        return SceneColumns(pack(cases.oracle.shapes, cases.oracle.centroids), cases.bodies.indices, cases.scene, cases.n_pairs)

    ours = staticmethod(our_scene)
    judge = staticmethod(judge_pairs)

    def kind(self, work: Chunk, cases: SceneCases) -> IntArray:
        return np.full(cases.n_pairs, work.chunk % len(SCENE_FAMILIES))

    def shown(self, work: Chunk, cases: SceneCases, ours: OurScene, box2d: OracleScene, row: int) -> Sketch:
        b = (1 + math.isqrt(1 + 8 * row)) // 2
        a = row - b * (b - 1) // 2
        bodies = tuple(outline(cases.bodies.shapes[at], pose_of(box2d.poses[at])) for at in (a, b))
        words = [f"{'a' if (np.sort(pairs, axis=1) == (a, b)).all(axis=1).any() else 'no'} pair" for pairs in (ours.pairs, box2d.pairs)]
        tight, wide = (tuple(box_corners(boxes[at]) for at in (a, b)) for boxes in (ours.after, box2d.boxes))
        return Sketch(bodies, (), tight, wide, f"{words[0]} (tight boxes)", f"{words[1]} (boxes of its tree)")
