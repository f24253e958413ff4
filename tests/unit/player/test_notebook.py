"""A notebook shows its input and leaves it unchanged (issue 32)."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import player, trace
from engine.common.errors import InvalidInputError
from engine.compare.bulk.comparison import compare_chunks
from engine.compare.pair.answers import ask
from engine.compare.pair.file import Outsider, load_pair
from engine.geometry import Circle, Polygon, Transform
from engine.sim.history import History
from engine.sim.recordings import load_recording
from engine.sim.registry import find_demo
from engine.sim.replaying import record
from engine.world import BodySpec, FixtureSpec, World
from tests.unit.player.decoding import decoded

PAIRS = Path(__file__).parents[3] / "demos" / "pairs"


def shown(page):
    (text,) = re.findall(r'<script type="text/plain">([^<]*)</script>', page.html)
    return decoded(text)


def pair_shapes():
    return Polygon.box(0.5, 0.5), Transform(), Circle(0.5), Transform((2.0, 0.0))


def falling():
    world = World(solver="soft_step")
    world.create_body(BodySpec((FixtureSpec(Circle(0.5), density=1.0),), position=(0.0, 5.0)))
    return world


def test_a_copy_of_a_world_is_run():
    world, twin = falling(), falling()
    page = shown(player.show(world, seconds=0.5))
    assert (world.step_index, page.header["steps"], page.header["facts"]["solver"]) == (0, 30, "soft_step")
    for _ in range(30):
        twin.step()
    assert np.abs(page.poses(0)[30, :2] - twin.poses[0, :2]).max() <= page.header["max_error"]


def test_no_seconds_show_the_present_state():
    assert shown(player.show(falling(), seconds=0.0)).header["steps"] == 0


def test_a_recording_is_played_whole(tmp_path):
    history = History(find_demo("newtons_cradle")(0))
    recorder = record(history, tmp_path / "a.rec")
    for _ in range(20):
        history.step()
    recorder.close()
    page = shown(player.show(load_recording(tmp_path / "a.rec")))
    assert page.header["steps"] == 20
    assert np.abs(page.poses(1)[20] - history.demo.stages[0].world.poses[1])[:2].max() <= page.header["max_error"]


@pytest.mark.parametrize("name", ["gjk", "quickhull"])
def test_steps_are_shown_with_their_shapes(name):
    points = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.4, 0.5)])
    steps = trace.steps("gjk", *pair_shapes()) if name == "gjk" else trace.steps("quickhull", points)
    header = shown(player.show(steps)).header
    assert [frame["sentence"] for frame in header["frames"]] == [step.sentence for step in steps]
    assert len(header["cases"][0]["scenery"]) > 0


def test_results_show_themselves():
    pair = load_pair(PAIRS / "manifold.json")
    pages = [subject._repr_html_() for subject in (pair, ask(pair), trace.steps("gjk", *pair_shapes()))]
    assert pages[0] == pages[1]
    assert all(page.startswith("<iframe srcdoc=") for page in pages)
    header = shown(player.show(pair)).header
    assert [frame["sentence"].split()[0] for frame in header["frames"]] == ["Query:", "Ours:", "Box2D's:", "Explained:"]


def test_a_comparison_shows_its_table_and_its_worst_pairs():
    *_, total = compare_chunks(200, 3, ("manifold",))
    html = total._repr_html_()
    assert "<table>" in html and ">manifold</a></td>" in html
    worst = sum(len(tally.examples) for tally in total.queries.values())
    assert player.show(total).html.count("<section") == worst > 0


def test_a_users_answer_is_shown_between_the_query_and_our_answer():
    answer = {"normal": [1.0, 0.0], "depth": 0.5, "points": [[0.5, 0.0], ["x", None], [float("1e300"), 0.0]]}
    pair = replace(load_pair(PAIRS / "manifold.json"), outsider=Outsider("mine.py:collide", answer, "the normal is wrong"))
    frames = shown(player.show(pair)).header["frames"]
    assert frames[1]["sentence"] == "mine.py:collide: the normal is wrong."
    assert {mark["role"] for mark in frames[1]["marks"]} == {"own", "ghost"}
    assert [mark["points"] for mark in frames[1]["marks"] if mark["form"] == "point"] == [[[0.5, 0.0]]]


@pytest.mark.parametrize("subject", [None, [], "gjk", 3])
def test_other_objects_are_rejected(subject):
    with pytest.raises(InvalidInputError, match="subject must be a World, a Demo, a Recording, a Pair"):
        player.show(subject)


def test_a_time_out_of_range_is_rejected():
    with pytest.raises(InvalidInputError, match="seconds"):
        player.show(falling(), seconds=-1.0)


def test_a_cell_is_a_sandboxed_frame():
    cell = player.show(falling(), seconds=0.0)._repr_html_()
    assert cell.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert cell.count("<") == 2
    assert 'sandbox="allow-scripts"' in cell
