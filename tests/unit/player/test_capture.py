"""A page decodes to the actual run, within its stated error (issue 32)."""

import math

import numpy as np
import pytest

from engine.cli.main import main
from engine.contracts.contact import PointState
from engine.geometry import AABB, Circle, Polygon
from engine.player.capture import MAX_ERROR, Capture
from engine.render import palette
from engine.sim.comparison import Comparison
from engine.sim.demo import Demo
from engine.sim.history import History
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, MouseJointSpec, World, WorldSettings
from tests.unit.player.decoding import decoded


class Changing(Demo):
    """Boxes and discs fall; one is replaced, one deleted, one reshaped, and one pulled."""

    id, title = "changing", "Changing"

    def build(self):
        world = self.add_stage(World(WorldSettings(gravity=(0.0, -10.0)))).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static"))
        self.boxes = [
            world.create_body(
                BodySpec((FixtureSpec(Polygon.box(0.4, 0.3)), FixtureSpec(Circle(0.3, (0.5, 0.1)))), position=(2.0 * k - 4.0, 1.5), angle=k)
            )
            for k in range(5)
        ]
        self.pull = world.create_joint(MouseJointSpec(self.boxes[4], (4.0, 1.5), 500.0))

    def before_step(self):
        world = self.stages[0].world
        if self.steps < 60:
            world.set_mouse_target(self.pull, (4.0, 1.5 + 0.02 * self.steps))
        if self.steps == 20:
            world.destroy_body(self.boxes[0])
        if self.steps == 30:
            world.create_fixture(self.boxes[1], FixtureSpec(Circle(0.2, (0.0, 1.0))))
        if self.steps == 40:
            self.boxes.append(world.create_body(BodySpec((FixtureSpec(Circle(0.25)),), position=(-4.0, 5.0), angular_velocity=9.0)))


def captured(demo, steps):
    """Run a demo; return the contents of its page, the true poses by step, stage and id, and the sorted contact points of each step."""
    capture, poses, points = Capture(demo), [], []
    for step in range(steps + 1):
        if step:
            demo.sim.step()
            capture.update()
        worlds = [stage.world for stage in demo.stages]
        poses.append([dict(zip(world.body_ids, world.poses.tolist(), strict=True)) for world in worlds])
        points.append(np.sort(np.concatenate([world.contacts.separation[world.contacts.state >= 0] for world in worlds])))
    return decoded(capture.packed()), poses, points


def _turned(local, angles):
    cos, sin = np.cos(angles), np.sin(angles)
    return np.column_stack((cos * local[0] - sin * local[1], sin * local[0] + cos * local[1]))


def farthest(page, poses):
    """Return the largest error of any corner or center of a body on a page; every body must be present."""
    there, worst = 0, 0.0
    for k, body in enumerate(page.header["bodies"]):
        own = page.poses(k)
        true = np.array([poses[step][body["stage"]][body["id"]] for step in range(body["first"], body["first"] + body["steps"])])
        there += len(true)
        reach = [np.array(body["center"]), np.zeros(2)]
        for shape in (page.header["shapes"][number] for number in body["shapes"]):
            rim = (shape["radius"] if len(shape["points"]) == 1 else 0.0, 0.0)
            reach += [np.array(point) + body["center"] + rim for point in shape["points"]]
        for local in reach:
            places = [at[:, :2] + _turned(local, at[:, 2]) for at in (own, true)]
            worst = max(worst, float(np.hypot(*(places[0] - places[1]).T).max()))
    assert there == sum(len(bodies) for step in poses for bodies in step)
    return worst


@pytest.mark.parametrize("name", ["changing", "bullet", "ragdoll", "newtons_cradle"])
def test_every_point_of_every_body_keeps_its_position(name):
    demo = Changing() if name == "changing" else find_demo(name)(0)
    page, poses, _ = captured(demo, 90 if name == "changing" else 30)
    stated = page.header["max_error"]
    assert 0.0 < stated <= MAX_ERROR
    assert farthest(page, poses) <= stated * (1.0 + 1e-6) + 1e-7  # shapes have seven decimals


def test_bodies_begin_and_end_when_they_did():
    page, _, _ = captured(Changing(), 60)
    spans = sorted((body["id"], body["first"], body["steps"]) for body in page.header["bodies"])
    demo_ids = sorted({number for number, _, _ in spans})
    assert [(first, steps) for number, first, steps in spans if number == demo_ids[1]] == [(0, 21)]  # deleted before step 21
    assert [(first, steps) for number, first, steps in spans if number == demo_ids[2]] == [(0, 31), (31, 30)]  # with another outline
    assert [(first, steps) for number, first, steps in spans if number == demo_ids[6]] == [(41, 20)]


def test_contact_points_have_their_separations_and_ages():
    demo = find_demo("dominoes")(0)
    page, _, points = captured(demo, 60)
    streams = page.streams
    steps = np.repeat(np.cumsum(streams["track_first"]), streams["track_steps"])
    starts = np.concatenate(([0], np.cumsum(streams["track_steps"])[:-1]))
    ages = np.arange(len(steps)) - np.repeat(starts, streams["track_steps"])
    sums = np.cumsum(streams["point_separation"])
    before = np.concatenate(([0], sums))[starts]
    gaps = page.header["points"]["gap_pitch"] * (sums - np.repeat(before, streams["track_steps"]))
    for step, true in enumerate(points):
        assert np.allclose(np.sort(gaps[steps + ages == step]), true, rtol=0.0, atol=1.001 * page.header["max_error"])
    contacts = demo.stages[0].world.contacts
    n_new = int((contacts.state == PointState.ADD).sum())
    assert int(((steps + ages == 60) & (ages == 0)).sum()) == n_new
    assert len(points[60]) > 0


def test_a_mouse_joint_is_recorded_with_its_target():
    page, _, _ = captured(Changing(), 60)
    (joint,) = page.header["joints"]
    assert joint["a"] == -1
    assert joint["at_a"][-1] == pytest.approx([60, 4.0, 1.5 + 0.02 * 59])


def test_copies_with_other_solvers_are_captured_with_their_divergence():
    history = History(find_demo("pyramid")(0, {"rows": 4}))
    beside = Comparison(history, "soft_step")
    capture = Capture(history.demo, beside)
    for _ in range(40):
        history.step()
        capture.update()
    page = decoded(capture.packed())
    bodies = page.header["bodies"]
    assert [stage["beside"] for stage in page.header["stages"]] == [0, 1]
    for stage, demo in enumerate((history.demo, beside.demo)):
        world = demo.stages[0].world
        own = [k for k, body in enumerate(bodies) if body["stage"] == stage]
        ends = np.array([page.poses(k)[-1, :2] for k in own])
        assert np.abs(ends - world.poses[:, :2]).max() <= page.header["max_error"]
    parted = beside.distances.run(40).parted
    assert page.header["besides"][0]["step"] == parted.step


def test_every_stage_is_described_when_only_one_changes():
    demo = Changing()
    demo.add_stage(World())
    page, _, _ = captured(demo, 25)
    assert len(page.header["stages"]) == 2


def test_a_demo_without_a_world_is_rejected(capfd, tmp_path):
    assert main(["run", "stepper", "--steps", "3", "--html", str(tmp_path / "a.html")]) == 2
    assert "--html must be one with a world" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


class Drawing(Demo):
    """A ball with a name above it and a line behind it."""

    id, title = "drawing", "Drawing"

    def build(self):
        self.stage = self.add_stage(World(), offset=(3.0, 1.0))
        self.ball = self.stage.world.create_body(BodySpec((FixtureSpec(Circle(0.5), density=1.0),)))

    def draw_background(self, canvas):
        canvas.segment((-4.0, 0.0), (4.0, 0.25), palette.ACCENT, 2.0)

    def draw(self, canvas):
        with canvas.at(self.stage.offset).clipped(AABB((-5.0, -5.0), (5.0, 5.0))):
            canvas.at(self.stage.offset).circle(
                self.stage.drawn_pose(self.ball)[:2], 0.5, None, palette.mix(palette.BACKGROUND, palette.TEXT, 0.5)
            )
        canvas.text((0.0, 1.0), "the ball", palette.TEXT, plate=True)
        canvas.point((math.nan, 0.0), palette.TEXT)


def test_what_a_demo_draws_is_recorded_once_as_long_as_it_stays():
    demo = Drawing()
    page, poses, _ = captured(demo, 5)
    drawing, colors = page.header["drawing"], page.header["colors"]
    behind = {tuple(numbers[0]) for _, numbers in drawing["steps"]}
    assert len(behind) == 1
    kind, color, width, dash, *ends = drawing["figures"][behind.pop()[0]]
    assert (kind, width, dash) == ("lines", 2.0, 0)
    assert colors[color] == [f"#{palette.packed(theme.accent):06x}" for theme in palette.THEMES.values()]
    assert np.abs(np.array(ends) * drawing["pitch"] - (-4.0, 0.0, 4.0, 0.25)).max() <= drawing["pitch"]
    for step, (_, over) in drawing["steps"]:
        clip, circle, end, text = (drawing["figures"][number] for number in over)
        assert (clip[0], end, text[0], text[-1]) == ("clip", ["clip"], "text", "the ball")
        assert colors[circle[2]][1] == f"#{palette.packed(palette.mix(palette.LIGHT.background, palette.LIGHT.text, 0.5)):06x}"
        place = np.array(poses[step][0][demo.ball][:2]) + demo.stage.offset
        assert np.abs(np.array(circle[4:6]) * drawing["pitch"] - place).max() <= drawing["pitch"]


def test_a_run_too_long_for_a_page_is_rejected_before_it_starts(capfd, tmp_path):
    assert main(["run", "bounce", "--seconds", "10000", "--html", str(tmp_path / "a.html")]) == 2
    error = capfd.readouterr().err
    assert "--seconds must be at most" in error and "for a page of" in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_theme_changes_no_recording():
    from engine.render import palette

    texts = []
    for theme in ("dark", "light"):
        palette.use_theme(theme)
        try:
            texts.append(sorted(decoded(_short()).header["colors"]))
        finally:
            palette.use_theme("dark")
    assert texts[0] == texts[1]


def _short():
    demo = find_demo("sensor_gates")(0)
    capture = Capture(demo)
    for _ in range(10):
        demo.sim.step()
        capture.update()
    return capture.packed()


@pytest.mark.slow
@pytest.mark.parametrize(("count", "kilobytes"), [(40, 400), (1000, 6000)])
def test_a_page_of_ten_seconds_is_small(count, kilobytes):
    from engine.compare.live.referee import live_referee
    from engine.player.page import player_page

    demo = find_demo("simple_shapes")(0, {"count": count}, live_referee)
    capture = Capture(demo)
    for _ in range(600):
        demo.sim.step()
        capture.update()
    assert len(player_page(demo.title, [capture.packed()]).encode()) <= 1000 * kilobytes
