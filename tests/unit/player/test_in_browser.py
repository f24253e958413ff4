"""A page in a real browser, played, scrubbed and hovered: it shows the recorded data, and its console stays empty (issue 32)."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine import trace
from engine.cli.main import main
from engine.common.words import shown
from engine.contracts.agreement import REASONS
from engine.contracts.trace import Mark, Question, TraceStep
from engine.experiments.solvers.scenes import SCENES
from engine.experiments.solvers.trial import Variant, start_of
from engine.geometry import Circle, Polygon
from engine.player import show
from engine.player.capture import Capture
from engine.player.page import player_page
from engine.player.steps import packed_steps
from engine.render.interpolation import step_path
from engine.render.packing import PackedShapes
from engine.scenes import scene_of
from engine.sim.demo import Demo
from engine.sim.registry import find_demo
from engine.sim.scene_demo import scene_demo
from engine.trace.quiz import Quiz
from engine.world import BodySpec, FixtureSpec, World, WorldSettings
from tests.chromium import PROGRAM, browser
from tests.unit.player.hostile import HOSTILE
from tests.waiting import until

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="neither Chromium nor Chrome is installed, in which the pages are opened")

PAIRS, EXAMPLES = (Path(__file__).parents[3] / name for name in ("demos/pairs", "examples"))
PLAYER, RECORDING = (f"document.querySelector('section').{name}" for name in ("player", "recording"))
POSES_6 = f"{RECORDING}.bodies.map((body) => {RECORDING}.pose(body, 6).slice(0, 2))"
LAYERS = f"{PLAYER}.scene.layers"
QUICK = ("conservative_advancement", "epa", "grid", "ray_cast")


@pytest.fixture(scope="module")
def tab():
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_said(tab):
    tab.messages.clear()
    yield
    assert tab.messages == []


class Drop(Demo):
    """Named boxes fall on the ground."""

    id, title = "drop", "</script><script>window.hit=1</script>"
    names: tuple[str, ...] = ("box",)

    def build(self):
        world = self.add_stage(World(), label=self.names[-1]).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(8.0, 0.5)),), type="static", name="ground"))
        for k, name in enumerate(self.names):
            world.create_body(BodySpec((FixtureSpec(Polygon.box(0.4, 0.4), density=1.0),), position=(k, 1.5), angle=0.3, name=name))

    def status(self):
        return [f"step {self.steps}", *self.names]


def written(path, demo, steps=60):
    """Write the page of a run; return the poses of each step."""
    capture, poses = Capture(demo), [demo.stages[0].world.poses.tolist()]
    for _ in range(steps):
        demo.sim.step()
        capture.update()
        poses.append(demo.stages[0].world.poses.tolist())
    path.write_text(player_page(demo.title, [capture.packed()]), encoding="utf-8")
    return poses


def poses_at(tab, step):
    return np.array(tab.run(f"{RECORDING}.bodies.map((body) => {RECORDING}.pose(body, {step}))"))


def test_a_run_is_played_scrubbed_stepped_and_hovered(tab, tmp_path):
    page = tmp_path / "run.html"
    poses = written(page, Drop())
    tab.look(1280, 720)
    tab.open(page, "#t=0.5")
    assert tab.run(f"[{PLAYER}.time, {PLAYER}.isPlaying]") == [30, False]
    error = tab.run(f"{RECORDING}.max_error")
    for step in (0, 30, 60):
        assert np.abs(poses_at(tab, step)[:, :2] - np.array(poses[step])[:, :2]).max() <= error
    tab.key("ArrowRight")
    assert tab.run(f"{PLAYER}.step") == 31
    assert tab.run("location.hash") == "#t=0.5167"
    tab.key(" ")
    until(lambda: tab.run(f"{PLAYER}.time") > 33)
    tab.key(" ")
    track = tab.run(
        "(({ left, top, width, height }) => [left, top, width, height])(document.querySelector('.track').getBoundingClientRect())"
    )
    for kind in ("mousePressed", "mouseReleased"):
        tab.mouse(kind, track[0] + 8 + (track[2] - 16) / 2, track[1] + track[3] / 2, button="left", clickCount=1)
    assert tab.run(f"[{PLAYER}.time, {PLAYER}.isPlaying]") == [30, False]
    x, y = tab.run(
        f"(() => {{ const p = {PLAYER}, box = p.canvas.getBoundingClientRect(), [x, y] = p.view.toScreen({poses[30][1][:2]});"
        "return [box.left + x, box.top + y]; })()"
    )
    tab.mouse("mouseMoved", x, y)
    tip = until(lambda: tab.run("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').innerText"))
    assert tip.splitlines()[0] == "box"
    assert f"y {poses[30][1][1]:.3f} m" in tip
    assert "step 30" in tab.run("document.querySelector('.readout').innerText")


def test_layers_loop_and_speed_follow_the_keys(tab, tmp_path):
    page = tmp_path / "keys.html"
    written(page, Drop(), 130)
    tab.open(page, "#t=0")
    for key in ("4", "3", "l", "]"):
        tab.key(key)
    assert tab.run(f"[{LAYERS}.normals, {LAYERS}.points, {PLAYER}.isLooping, {PLAYER}.speed]") == [
        True,
        False,
        True,
        2,
    ]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (320, 480)])
def test_everything_fits_the_page(tab, tmp_path, width, height):
    page = tmp_path / "size.html"
    written(page, Drop(), 5)
    tab.look(width, height, is_phone=width < 500)
    tab.open(page)
    inside = "[...document.querySelectorAll('.player, .picture, .controls > *, .track, h1')].every((part) => {"
    inside += " const box = part.getBoundingClientRect();"
    inside += " return box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1; })"
    assert tab.run(inside)
    assert tab.run("document.querySelector('.picture').clientHeight") >= 0.25 * height


class Hostile(Drop):
    """Uses executable texts as names of bodies, lines of the readout, hints, labels and drawings."""

    names, watch = HOSTILE, "".join(HOSTILE)

    def draw(self, canvas):
        for k, name in enumerate(HOSTILE):
            canvas.text((0.5 * k, 0.0), name, (200, 200, 200))


def test_no_hostile_text_runs(tab, tmp_path):
    page, demo = tmp_path / "hostile.html", Hostile()
    scene = scene_demo(scene_of(demo.stages[0].world, watch=demo.watch), '"><img src=x onerror=window.hit=1>.json')()
    captures = [Capture(demo), Capture(scene)]
    for capture, acting in zip(captures, (demo, scene), strict=True):
        acting.sim.step()
        capture.update()
        capture.notes += [{"step": 1, "text": name} for name in HOSTILE]
    marks = tuple(Mark("label", "result", ((0.1 * k, 0.0),), text=name) for k, name in enumerate(HOSTILE))
    question = Question(HOSTILE[0], HOSTILE, 0)
    algorithm = trace.algorithm("gjk")
    steps = [TraceStep("step", 0, name, marks=marks, question=question, cost={name: 1}) for name in HOSTILE]
    recordings = [capture.packed() for capture in captures] + [packed_steps(algorithm, algorithm.example, steps)]
    page.write_text(player_page(demo.title, recordings), encoding="utf-8")
    tab.look(1280, 720)
    tab.open(page)
    through = "for (let k = 0; k <= player.scene.steps; k++) player.seek(k), player.draw();"
    tab.run(f"document.querySelectorAll('section').forEach(({{ player }}) => {{ {through} }})")
    assert tab.run("document.querySelectorAll('section')[1].recording.title").startswith('"><img')
    assert tab.run("[window.hit, document.scripts.length, document.querySelectorAll('img, iframe, object, base, form, a').length]") == [
        None,
        1,
        0,
    ]
    tab.run(f"{PLAYER}.seek(0)")
    assert tab.run("document.title") == demo.title
    names = tab.run(f"{RECORDING}.bodies.map(({{ name }}) => name)")
    assert names[1:] == [shown(name, in_lines=True) for name in HOSTILE]
    for k in range(len(HOSTILE)):
        tab.run(f"{PLAYER}.scene.describe({PLAYER}.view.toScreen({[k, 1.0]}), {PLAYER}.view, 0)")
    assert tab.run("window.hit") is None


def test_the_command_writes_a_page_that_plays(tab, tmp_path):
    page = tmp_path / "command.html"
    assert main(["run", "bridge", "--seconds", "0.25", "--html", str(page)]) == 0
    tab.open(page)
    assert tab.run(f"{PLAYER}.scene.steps") == 30
    until(lambda: tab.run(f"{PLAYER}.time") > 0)


def test_a_bullet_tunnels_on_the_page_as_it_did(tab, tmp_path):
    page, json_file = tmp_path / "fire.html", tmp_path / "fire.json"
    assert main(["fire", "--target", "static", "--html", str(page), "--json", str(json_file)]) == 0
    (tunneled, stopped) = (run["shots"][0]["tunneled"] for run in json.loads(json_file.read_text())["runs"])
    assert (tunneled, stopped) == (True, False)
    tab.open(page)
    bullets = tab.run(f"{RECORDING}.bodies.filter(({{ name }}) => name === 'bullet').map((body) => {RECORDING}.pose(body, 6)[0])")
    assert bullets[0] > 1.0 > 0.0 > bullets[1]
    assert ["tunneled" in note["text"] for note in tab.run(f"{RECORDING}.notes")] == [True]
    assert "tunneled" in tab.run(f"{PLAYER}.scene.news(6, 6).map(({{ text }}) => text).join()")


class Impact(Demo):
    """A fast ball hits a wall inside a step."""

    id, title = "impact", "Impact"

    def build(self):
        world = self.add_stage(World(WorldSettings(gravity=(0.0, 0.0)))).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 2.0)),), type="static", position=(3.0, 0.0)))
        world.create_body(BodySpec((FixtureSpec(Circle(0.2), density=1.0, restitution=0.5),), linear_velocity=(100.0, 0.0), bullet=True))


def test_a_path_bends_at_an_impact_as_it_does_in_the_window(tab, tmp_path):
    demo, page, bent = Impact(), tmp_path / "impact.html", {}
    capture = Capture(demo)
    for step in range(1, 6):
        demo.sim.step()
        capture.update()
        stage, path = demo.stages[0], step_path(demo.stages[0])
        packed = PackedShapes(stage.world)
        for fraction in (0.2, 0.5, 0.8) if path is not None else ():
            drawn = path.between(stage.world.previous_poses, stage.world.poses, fraction, packed.local_centers, packed.body_ids)
            bent[step - 1 + fraction] = drawn[1, 0]
    page.write_text(player_page(demo.title, [capture.packed()]), encoding="utf-8")
    tab.open(page, "#t=0")
    shown = tab.run(f"{list(bent)}.map((time) => {RECORDING}.centerOf({RECORDING}.bodies[1], time)[0])")
    assert len(bent) > 0
    assert np.abs(np.array(shown) - list(bent.values())).max() <= 2.0 * tab.run(f"{RECORDING}.max_error")


def test_a_demo_s_drawings_are_shown_and_can_be_hidden(tab, tmp_path):
    page = tmp_path / "filters.html"
    written(page, find_demo("nonconvex_characters")(0), 20)
    tab.look(640, 480)
    tab.open(page, "#t=0.2")
    pixels = f"(() => {{ const p = {PLAYER}; p.draw(); return p.canvas.toDataURL(); }})()"
    with_drawing = tab.run(pixels)
    assert tab.run(f"{RECORDING}.pictures.length") > 0
    tab.key("d")
    assert tab.run(f"{LAYERS}.drawing") is False
    assert tab.run(pixels) != with_drawing


def test_a_ring_explains_the_difference(tab, tmp_path):
    page = tmp_path / "check.html"
    assert main(["run", "pyramid", "--set", "rows=4", "--steps", "40", "--html", str(page)]) == 0
    tab.look(1280, 720)
    tab.open(page, "#t=0")
    difference = tab.run(f"{RECORDING}.differences[0]")
    assert difference["reason"] in REASONS
    tab.run(f"{PLAYER}.seek({difference['worst']})")
    x, y = tab.run(
        f"(() => {{ const p = {PLAYER}, box = p.canvas.getBoundingClientRect(), r = {RECORDING};"
        "const [x, y] = p.view.toScreen(r.placeOfDifference(r.differences[0], p.time)); return [box.left + x, box.top + y]; })()"
    )
    tab.mouse("mouseMoved", x, y)
    tip = until(lambda: tab.run("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').innerText"))
    assert any(reason.sentence in tip for reason in REASONS.values())
    assert "row" in tip


@pytest.mark.parametrize(("query", "reason"), [("manifold", "local_maximum"), ("toi", "toi_missed")])
def test_a_pair_is_shown_with_both_answers_and_the_verdict(tab, tmp_path, query, reason):
    page = tmp_path / "pair.html"
    assert main(["run", "--pair", str(PAIRS / f"{query}.json"), "--html", str(page)]) == 0
    tab.open(page, "#t=3")
    said = tab.run("document.querySelector('.readout').innerText")
    assert said.startswith("Explained: ")
    assert REASONS[reason].sentence in said
    assert "ours" in tab.run("document.querySelector('.legend').innerText")


def test_a_recording_becomes_a_page_of_the_same_poses(tab, tmp_path):
    recording, page = tmp_path / "a.rec", tmp_path / "a.html"
    assert main(["run", "newtons_cradle", "--steps", "40", "--record-inputs", str(recording), "--json", str(tmp_path / "a.json")]) == 0
    assert main(["replay", str(recording), "--from", "10", "--to", "40", "--html", str(page)]) == 0
    demo = find_demo("newtons_cradle")(0)
    for _ in range(40):
        demo.sim.step()
    tab.open(page)
    assert tab.run(f"{PLAYER}.scene.steps") == 30
    assert np.abs(poses_at(tab, 30)[:, :2] - demo.stages[0].world.poses[:, :2]).max() <= tab.run(f"{RECORDING}.max_error")


def test_a_stepper_shows_each_step_with_its_line(tab, tmp_path):
    page = tmp_path / "gjk.html"
    assert main(["step", "gjk", "--html", str(page)]) == 0
    algorithm = trace.algorithm("gjk")
    steps = algorithm.steps(algorithm.example)
    tab.look(1280, 720)
    tab.open(page, "#t=0")
    for step in steps:
        shown, line = tab.run("[document.querySelector('.readout').innerText, document.querySelector('[aria-current]').innerText]")
        assert (shown, line) == (step.sentence, algorithm.pseudo_code[step.line].strip())
        tab.key("ArrowRight")
        tab.run("new Promise(requestAnimationFrame)")
    points = tab.run("document.querySelector('section').recording.frames.map((frame) => frame.marks.map((mark) => mark.points))")
    assert [len(marks) for marks in points] == [len(step.marks) for step in steps]
    for marks, step in zip(points, steps, strict=True):
        for shown, mark in zip(marks, step.marks, strict=True):
            assert np.abs(np.array(shown) - np.array(mark.points)).max() <= 1e-9


def test_a_quiz_asks_scores_and_shows_the_answer(tab, tmp_path):
    page = tmp_path / "quiz.html"
    assert main(["step", "sat", "--quiz", "3", "--seed", "4", "--html", str(page)]) == 0
    quiz = Quiz(trace.algorithm("sat"), 3, 4)
    tab.look(390, 844, is_phone=True)
    tab.open(page)
    for k in range(3):
        question = quiz.asked(k).question
        buttons = tab.run("[...document.querySelectorAll('.answers button')].map((button) => button.innerText.slice(3))")
        assert (tab.run("document.querySelector('.readout').innerText"), buttons) == (question.prompt, list(question.answers))
        chosen = question.right if k else (question.right + 1) % len(question.answers)
        tab.key(str(chosen + 1))
        tab.run("new Promise(requestAnimationFrame)")
        said = tab.run("document.querySelector('.readout').innerText")
        assert said.split("\n\n")[1].startswith("Correct" if k else "Wrong")
        assert f"The answer: {question.answers[question.right]}" in said
        tab.key("ArrowRight")
        tab.run("new Promise(requestAnimationFrame)")
    assert tab.run("document.querySelector('[data-part=count]').innerText") == "2 right, 1 wrong"


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in trace.algorithms()])
def test_every_algorithm_is_drawn(tab, tmp_path, name):
    page, algorithm = tmp_path / "steps.html", trace.algorithm(name)
    page.write_text(player_page(name, [packed_steps(algorithm, algorithm.example, algorithm.steps(algorithm.example))]), encoding="utf-8")
    tab.open(page)
    tab.run(f"(() => {{ for (let k = 0; k <= {PLAYER}.scene.steps; k += 3) {{ {PLAYER}.seek(k); {PLAYER}.draw(); }} }})()")


@pytest.mark.parametrize(
    ("command", "status", "title"),
    [
        pytest.param("compare --pairs 400 --seed 3 --queries manifold --jobs 1", 0, "A pair, two answers", marks=pytest.mark.slow),
        (f"check {EXAMPLES / 'vertices_only.py'} --pairs 100", 1, "A pair, three answers"),
        ("solvers --solvers soft_step,box2d --scenes single_box --seconds 0.1 --jobs 1", 0, "Single box: soft_step"),
    ],
)
def test_a_report_plays_what_it_shows(tab, tmp_path, command, status, title):
    assert main([*command.split(), "--report", str(tmp_path)]) == status
    tab.look(1280, 720)
    tab.open(tmp_path / "report.html")
    tab.run("document.querySelector('.player iframe').scrollIntoView()")
    until(lambda: tab.run("document.querySelector('.player iframe').src"))
    assert tab.run_in_frame("document.title") == title
    if "solvers" in command:
        tab.run("document.querySelectorAll('a[target=player]')[1].click()")
        until(lambda: tab.run_in_frame("document.title") == "Single box: box2d")
        demo = scene_demo(start_of(SCENES["single_box"], Variant("box2d"), 60.0))()
        for _ in range(6):
            demo.sim.step()
        assert np.abs(tab.run_in_frame(POSES_6) - demo.stages[0].world.poses[:, :2]).max() <= tab.run_in_frame(f"{RECORDING}.max_error")
    count = "document.querySelector('[data-part=clock]').innerText + document.querySelector('[data-part=count]').innerText"
    before = tab.run_in_frame(count)
    tab.run_in_frame("document.querySelector('[data-part=forward]').click()")
    until(lambda: tab.run_in_frame(count) != before)


def test_a_notebook_cell_plays(tab, tmp_path):
    page = tmp_path / "cell.html"
    cell = show(Drop(), seconds=0.5)._repr_html_()
    page.write_text(f"<!doctype html><html data-ready><meta charset=utf-8><body>{cell}</body></html>", encoding="utf-8")
    tab.look(1280, 720)
    tab.open(page)
    count = "document.querySelector('[data-part=count]').innerText"
    until(lambda: tab.run_in_frame(count) == "step 0 of 30")
    tab.run_in_frame("document.querySelector('[data-part=forward]').click()")
    until(lambda: tab.run_in_frame(count) == "step 1 of 30")
    demo = Drop()
    for _ in range(6):
        demo.sim.step()
    assert np.abs(tab.run_in_frame(POSES_6) - demo.stages[0].world.poses[:, :2]).max() <= tab.run_in_frame(f"{RECORDING}.max_error")


def _laid_over(tab):
    """Return the pairs of texts that lie over each other in the picture, redrawn with a canvas that notes where each text is."""
    return tab.run(f"""(() => {{
        const player = {PLAYER}, taken = [], usual = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {{
            const wide = this.measureText(text).width, left = x - wide * {{ left: 0, right: 1, center: 0.5 }}[this.textAlign];
            taken.push([text, left, y, wide, parseFloat(this.font.match(/[\\d.]+px/)[0])]);
            usual.call(this, text, x, y);
        }};
        player.draw();
        CanvasRenderingContext2D.prototype.fillText = usual;
        const over = ([, l, y, w, size], [, other, z, v]) => l < other + v && other < l + w && Math.abs(y - z) < 0.9 * size;
        return taken.flatMap((one, k) => taken.slice(k + 1).filter((other) => over(one, other)).map((other) => [one[0], other[0]]));
    }})()""")


@pytest.mark.parametrize("name", ["bullet", "nonconvex_characters"])
def test_on_a_phone_no_text_lies_over_another(tab, tmp_path, name):
    """Issue 45: names of lanes and cells, and the verdicts, are as wide as the picture there."""
    page = tmp_path / "run.html"
    show(find_demo(name)(), 1.0).save(page)
    tab.look(390, 844, is_phone=True)
    tab.open(page)
    for step in (0, 20, 50):
        tab.run(f"(() => {{ {PLAYER}.seek({step}); }})()")
        assert _laid_over(tab) == [], step


def test_a_quiz_shows_its_picture_before_its_answers(tab, tmp_path):
    page = tmp_path / "quiz.html"
    assert main(["step", "gjk", "--quiz", "1", "--html", str(page)]) == 0
    tab.look(390, 844, is_phone=True)
    tab.open(page)
    names = "'.side canvas', '.answers', '.bar'"
    places = tab.run(
        f"[{names}].map((each) => document.querySelector(each).getBoundingClientRect()).map(({{ top, bottom }}) => [top, bottom])"
    )
    assert places == sorted(places) and all(bottom <= top for (_, bottom), (top, _) in pairwise(places))
