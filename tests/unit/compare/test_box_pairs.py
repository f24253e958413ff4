"""Pairs of boxes: Box2D's agree or are explained by its wider boxes; faults planted on either side are unexplained."""

from dataclasses import replace

import numpy as np
import pytest

from engine.box2d.oracle.broad_phase import box2d_scene
from engine.box2d.oracle.properties import ShapeOracle
from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.compare.cases.properties import SCENE_FAMILIES, n_bodies, scene_chunk
from engine.compare.questions.box_pairs import SceneColumns, judge_pairs, our_scene
from engine.geometry import Circle
from engine.narrowphase.packing import pack
from tests.unit.compare.asked import reasons

SEED, N = 8, 5000
CASES = case_chunk(SEED, 0, 10)
SHAPES = pack(ShapeOracle(CASES.shapes).shapes)
N_SCENES = 2 * len(SCENE_FAMILIES)  # each family at rest and moved
BODIES = [scene_chunk(CASES, SEED, chunk, N) for chunk in range(N_SCENES)]
SCENES = [box2d_scene(group.shapes, group.poses, group.moves) for group in BODIES]


def verdicts_of(at, scene=None, ours=None):
    columns = SceneColumns(SHAPES, BODIES[at].indices, scene or SCENES[at], N)
    return judge_pairs(columns, columns.scene, ours or our_scene(columns))


def ours_of(at):
    return our_scene(SceneColumns(SHAPES, BODIES[at].indices, SCENES[at], N))


@pytest.mark.parametrize("at", range(N_SCENES), ids=lambda at: f"{SCENE_FAMILIES[at % 5]} {'moved' if at >= 5 else 'at rest'}")
def test_no_fault_is_reported_without_one(at):
    verdicts = verdicts_of(at)
    assert set(reasons(verdicts)) <= {"fat_box"}
    assert verdicts.n_agree + len(verdicts.differences) == N == len(verdicts.is_touching)
    assert verdicts.is_touching.sum() > 20
    assert (BODIES[at].moves is None) == (at < len(SCENE_FAMILIES))


def test_boxes_side_by_side_touch_exactly():
    verdicts = verdicts_of(SCENE_FAMILIES.index("grid"))
    assert verdicts.n_agree == N
    assert verdicts.is_touching.sum() > 200


def test_moving_bodies_have_longer_boxes():
    rest, moved = (sum(reasons(verdicts_of(at))["fat_box"] for at in scenes) for scenes in (range(5), range(5, 10)))
    assert moved > 2 * rest > 0


@pytest.mark.parametrize("at", [0, 5])
def test_a_pair_missing_in_box2d(at):
    scene = SCENES[at]
    verdicts = verdicts_of(at, replace(scene, pairs=scene.pairs[1:]))
    assert reasons(verdicts)["unexplained"] == 1


@pytest.mark.parametrize("at", [0, 5])
def test_a_pair_too_many(at):
    scene = SCENES[at]
    apart = next(j for j in range(1, n_bodies(N)) if [0, j] not in scene.pairs.tolist())
    verdicts = verdicts_of(at, replace(scene, pairs=np.vstack((scene.pairs, (0, apart)))))
    assert reasons(verdicts)["unexplained"] == 1


def test_a_pair_missing_in_our_result():
    at = SCENE_FAMILIES.index("grid")
    ours = ours_of(at)
    # the wider boxes overlap too: explained by them it would be a fault passed over
    verdicts = verdicts_of(at, ours=replace(ours, pairs=ours.pairs[1:]))
    assert reasons(verdicts) == {"unexplained": 1}


def test_a_pair_of_ours_with_separated_boxes():
    ours = ours_of(5)
    (row, *_) = (row for row, verdict in verdicts_of(5).differences.items() if verdict.reason == "fat_box")
    j = n_bodies(row + 1) - 1
    verdicts = verdicts_of(5, ours=replace(ours, pairs=np.vstack((ours.pairs, (row - j * (j - 1) // 2, j)))))
    assert verdicts.differences[row].reason == "unexplained"


@pytest.mark.parametrize("phase", range(3))
def test_one_broad_phase_that_misses_a_pair(phase):
    ours = ours_of(0)
    wide = tuple(pairs[1:] if at == phase else pairs for at, pairs in enumerate(ours.wide_pairs))
    assert reasons(verdicts_of(0, ours=replace(ours, wide_pairs=wide)))["unexplained"] == 1


@pytest.mark.parametrize("at", [0, 5])
@pytest.mark.parametrize("off", [0.01, -0.01])
def test_a_box_that_violates_the_rule(at, off):
    scene = SCENES[at]
    wider = scene.boxes.copy()
    wider[:, 2] += off
    fat = reasons(verdicts_of(at))["fat_box"]
    counts = reasons(verdicts_of(at, replace(scene, boxes=wider, boxes_before=scene.boxes_before)))
    assert counts["fat_box"] == 0
    assert counts["unexplained"] >= fat > 0


def test_number_of_bodies():
    for n in (1, 2, 3, 10, 9_999, 10_000, 10_011, 10_012):
        m = n_bodies(n)
        assert (m - 1) * (m - 2) // 2 < n <= m * (m - 1) // 2


def test_a_large_scene():
    many = 500_000
    bodies = scene_chunk(CASES, SEED, 6, many)  # in clusters, moved
    scene = box2d_scene(bodies.shapes, bodies.poses, bodies.moves)
    columns = SceneColumns(SHAPES, bodies.indices, scene, many)
    verdicts = judge_pairs(columns, scene, our_scene(columns))
    assert len(bodies.poses) == n_bodies(many) == 1001
    assert set(reasons(verdicts)) == {"fat_box"}
    assert verdicts.is_touching.sum() > 3000


def test_inputs_that_the_oracle_rejects():
    with pytest.raises(InvalidInputError, match=r"moves must be shorter than 2.0 m, got 3.0"):
        box2d_scene([Circle(1.0)], [(0.0, 0.0, 0.0)], [(3.0, 0.0)])
    with pytest.raises(InvalidInputError, match="poses must be numbers representable in float32"):
        box2d_scene([Circle(1.0)], [(0.1, 0.0, 0.0)])


@pytest.mark.parametrize("fault", ["twice", "itself"])
@pytest.mark.parametrize("where", ["pairs", "wide_pairs"])
def test_an_invalid_pair(fault, where):
    ours = ours_of(0)

    def spoilt(pairs):
        extra = pairs[:1, ::-1] if fault == "twice" else pairs[:1, :1].repeat(2, axis=1)
        return np.concatenate((pairs, extra))

    bad = replace(ours, pairs=spoilt(ours.pairs)) if where == "pairs" else replace(ours, wide_pairs=tuple(map(spoilt, ours.wide_pairs)))
    assert reasons(verdicts_of(0))["unexplained"] == 0
    assert reasons(verdicts_of(0, ours=bad))["unexplained"] >= 1
