"""The broad-phase scene: all structures are listed, timed in turn and drawn, and faults are reported."""

import numpy as np
import pygame
import pytest

from demos._broadphase_crowd import HALF, SCENES, Crowd
from demos._broadphase_picture import entered, sketch_words
from demos.broadphase import STRUCTURE_WORDS, BroadPhaseScene
from engine.app.headless import picture_of
from engine.broadphase import STRUCTURES, BruteForce, SweepAndPrune
from engine.render.rectangles import draw_bars

SMALL = {"boxes": 120}


def test_structures_are_named_in_the_order_of_the_table():
    assert len(STRUCTURE_WORDS) == len(STRUCTURES) == len(set(STRUCTURE_WORDS))
    for word, structure in (
        ("brute force", "BruteForce"),
        ("top-down", "TopDownTree"),
        ("uniform", "UniformGrid"),
    ):
        assert STRUCTURES[STRUCTURE_WORDS.index(word)].__name__ == structure


@pytest.mark.parametrize("scene", SCENES)
def test_a_crowd_stays_in_the_arena_and_the_right_share_moves(scene):
    crowd = Crowd(np.random.default_rng(1), 300, scene, 20.0, 0.25, 5.0)
    before = crowd.boxes.copy()
    for _ in range(200):
        crowd.step(1.0 / 60.0)
    assert (np.abs(crowd.boxes.reshape(-1, 2, 2)) <= np.array(HALF) + 1e-9).all()
    moved = (crowd.boxes != before).any(axis=1)
    assert len(crowd.moving) == 75 and not moved[~crowd.is_moving].any() and moved.sum() > 70
    sides = crowd.boxes[:, 2:] - crowd.boxes[:, :2]
    assert np.allclose(sides, before[:, 2:] - before[:, :2])


def test_the_cross_is_the_worst_case_of_one_axis():
    """Twice the boxes need four times the comparisons; in the column, whose other axis is sorted, fewer than three times."""

    def compared(scene, n):
        crowd = Crowd(np.random.default_rng(0), n, scene, 4.0, 1.0, 2.0)
        sweep = SweepAndPrune()
        assert np.array_equal(sweep.pairs(crowd.boxes), BruteForce().pairs(crowd.boxes))
        sketch = sweep.sketch()
        return int((np.searchsorted(sketch.lower[0], sketch.upper[0], "right") - np.arange(n) - 1).sum())

    few, many = compared("cross", 400), compared("cross", 800)
    assert few > 400**2 / 8 and 3.8 * few < many < 4.2 * few
    assert compared("column", 800) < 3.0 * compared("column", 400) < few


def test_all_structures_take_turns_and_find_the_same_pairs():
    demo = BroadPhaseScene(values={**SMALL, "moving": 0.4})
    for _ in range(110):
        demo.sim.step()
    race = demo.view_state.race
    assert race.n_wrong == 0 and race.n_compared >= 100
    assert all(lane.ms is not None for lane in race.lanes)
    assert np.array_equal(race.pairs, BruteForce().pairs(demo.boxes)) and len(race.pairs)
    assert demo.agreement().unexplained == 0
    assert "all agree" in demo.summary()[0]


def test_a_structure_that_loses_a_pair_is_named():
    class Lossy(BruteForce):
        name = "lossy"

        def pairs(self, aabbs=None):
            return super().pairs(aabbs)[1:]

    demo = BroadPhaseScene(values=SMALL)
    demo.sim.step()
    assert demo.view_state.race is not None
    demo.view_state.race.lanes[3].phase = Lossy()
    for _ in range(40):
        demo.sim.step()
    assert [lane.phase.name for lane in demo.view_state.race.lanes if lane.wrong] == ["lossy"]
    assert "lossy" in demo.summary()[0] and demo.agreement().unexplained == demo.view_state.race.n_wrong > 0


def test_slow_structures_do_not_delay_the_picture():
    demo = BroadPhaseScene(values=SMALL)
    demo.sim.step()
    race = demo.view_state.race
    lane = race.lanes[0]
    lane.times.extend([50.0] * 30)
    for _ in range(80):
        demo.sim.step()
    assert lane.due > race._frame + 40 and race._running is not lane


@pytest.mark.parametrize("size", [(800, 600), (1280, 720)])
def test_the_chart_has_room_for_all_its_rows(size, monkeypatch):
    ends = []

    def noted(canvas, place, bars, name_width):
        end = draw_bars(canvas, place, bars, name_width)
        ends.append((end, canvas.camera.view[1] + canvas.camera.view[3]))
        return end

    monkeypatch.setattr("demos._broadphase_picture.draw_bars", noted)
    demo = BroadPhaseScene(values=SMALL)
    demo.sim.step()
    picture_of(demo, size)
    assert ends and all(end <= lowest for end, lowest in ends)


@pytest.mark.parametrize("structure", STRUCTURE_WORDS)
def test_each_structure_is_drawn_with_the_cells_of_a_region_and_a_ray(structure):
    demo = BroadPhaseScene(values={**SMALL, "structure": structure})
    for _ in range(3):
        demo.sim.step()
    sketch = demo.view_state.race.lanes[STRUCTURE_WORDS.index(structure)].phase.sketch()
    boxes = demo.boxes
    region, ray = np.array((-3.0, -2.0, 3.0, 2.0)), (np.array((-15.0, 8.0)), np.array((20.0, -9.0)))
    in_region, on_ray = entered(sketch, region, ray)
    assert sketch_words(sketch)
    if hasattr(sketch, "cells") or hasattr(sketch, "levels"):
        assert len(in_region) and len(on_ray)
        assert (in_region[:, :2] <= region[2:]).all() and (in_region[:, 2:] >= region[:2]).all()
    phase = demo.view_state.race.lanes[STRUCTURE_WORDS.index(structure)].phase
    assert np.array_equal(phase.regions(region[None])[:, 1], _overlapping(boxes, region))


def _overlapping(boxes, region):
    return np.flatnonzero((boxes[:, :2] <= region[2:]).all(axis=1) & (boxes[:, 2:] >= region[:2]).all(axis=1))


@pytest.mark.parametrize("structure", ["sweep", "uniform", "top-down"])
def test_a_picture_with_the_chart(structure):
    demo = BroadPhaseScene(values={**SMALL, "structure": structure})
    for _ in range(5):
        demo.sim.step()
    import io

    picture = pygame.image.load(io.BytesIO(picture_of(demo, (800, 600))), "x.png")
    foot = picture.subsurface((210, 470, 580, 90))
    assert pygame.transform.average_color(foot)[:3] != pygame.transform.average_color(picture.subsurface((210, 5, 20, 20)))[:3]


def test_the_right_button_sets_the_rays_start_and_the_left_throws_a_disc():
    demo = BroadPhaseScene(values=SMALL)
    demo.sim.step()
    assert demo.turn((1.0, 2.0)) and demo.eye == (1.0, 2.0)
    disc = demo.stage.world.state(demo.discs[0]).position
    assert demo.grab(disc)
    demo.drag((0.0, 0.0))
    assert demo.eye == (1.0, 2.0)
    demo.release()
    demo.drag((3.0, 3.0))
    assert demo.eye == (3.0, 3.0)
