"""The demo `bullet` fires automatically and reproducibly, with text and pictures for each rule and target."""

import math
from itertools import pairwise

import pygame
import pytest

from demos._bullet_picture import draw_numbers, ghosts_shown
from demos.bullet import NAMES, RULE_NAMES, TARGETS, Bullet
from engine.app.headless import picture_of, run_headless
from engine.app.stage_views import step_path, views_of
from engine.cli.fire import FireOptions, shot_fields
from engine.contracts import Status, StepAgreement
from engine.experiments.spec import RULES, ShotSpec
from engine.experiments.spec import TARGETS as ALL_TARGETS
from engine.experiments.tracker import Outcome, verdict
from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from tests.unit.app.written import Written, noting_words

SOLID = ("wall", "moving", "plate", "blade", "bullet")
CCD_LOOKS_AT = ("wall", "moving", "blade")  # what is static or kinematic: without the flag, nothing else


def test_it_fires_by_itself_at_each_target_in_turn():
    report, demo = run_headless(Bullet, 300, seed=1)
    assert isinstance(demo, Bullet)
    assert demo.shots >= 5
    assert len(demo.lanes[0].watch.positions) < 20
    assert report.counts.begun > 0 and report.counts.ended > 0


@pytest.mark.parametrize("target", SOLID)
def test_discrete_steps_pass_targets_that_stop_the_other_rules(target):
    _, demo = run_headless(Bullet, 30, values={"target": target, "lanes": "all"})
    assert isinstance(demo, Bullet)
    outcomes = {lane.rule: lane.watch.outcome for lane in demo.lanes if lane.watch is not None}
    assert outcomes["discrete"] is Outcome.TUNNELED
    assert outcomes["default"] is (Outcome.STOPPED if target in CCD_LOOKS_AT else Outcome.TUNNELED)
    assert [outcomes[rule] for rule in ("bullet", "substeps", "swept")] == [Outcome.STOPPED] * 3
    assert [stage.world.settings.continuous for stage in demo.stages] == [False, True, True, False, False]
    assert all(stage.world.settings.hertz == pytest.approx(60.0) for stage in demo.stages), "a step in pieces leaves the rate as it was"
    flags = [lane.stage.world.body(lane.watch.bullet).spec.bullet for lane in demo.lanes if lane.watch is not None]
    assert flags == [False, False, True, False, False]


def test_only_our_rules_detect_a_sensor_hit():
    _, demo = run_headless(Bullet, 30, values={"target": "sensor", "lanes": "all"})
    assert isinstance(demo, Bullet)
    felt = {lane.rule: lane.watch.hit is not None for lane in demo.lanes if lane.watch is not None}
    assert felt == {"discrete": False, "default": False, "bullet": False, "substeps": True, "swept": True}


def test_the_user_chooses_the_lanes():
    demo = Bullet(values={"lanes": "swept+discrete"})
    assert [lane.rule for lane in demo.lanes] == ["discrete", "swept"]
    lanes = next(parameter for parameter in demo.parameters if parameter.name == "lanes")
    demo.set_parameter("lanes", lanes.chosen(demo.parameter("lanes"), RULES.index("default")))
    assert [lane.rule for lane in demo.lanes] == ["discrete", "default", "swept"]
    assert set(RULE_NAMES) == set(RULES)


@pytest.mark.parametrize("size", [(980.0, 440.0), (200.0, 60.0)])
@pytest.mark.parametrize("lanes", ["discrete", "all"])
def test_lanes_are_stacked_and_do_not_overlap(size, lanes):
    demo = Bullet(values={"lanes": lanes})
    assert demo.arrange(*size)
    strips = [
        (lane.stage.offset[1] + lane.stage.window.lower[1], lane.stage.offset[1] + lane.stage.window.upper[1])
        for lane in demo.lanes
        if lane.stage.window is not None
    ]
    assert len(strips) == len(demo.lanes) and all(low < high for low, high in strips)
    assert all(below[1] < above[0] for above, below in pairwise(strips))
    home = demo.home()
    assert home.lower[1] == pytest.approx(strips[-1][0]) and home.upper[1] > strips[0][1]


def test_the_close_up_shows_the_step_that_tunneled():
    _, demo = run_headless(Bullet, 30, values={"target": "wall", "lanes": "all"})
    assert isinstance(demo, Bullet)
    discrete, bullet = demo.lanes[0], demo.lanes[2]
    decisive = discrete.decisive_step()
    assert decisive is not None and discrete.watch is not None and decisive[0] == discrete.watch.jump
    step, curve = decisive
    assert curve.touch.status is Status.HIT and curve.gaps[0] > 0.5 < curve.gaps[-1] and curve.gaps.min() < 0.0
    (toi,) = (toi for toi in bullet.impacts if toi.step == step)
    assert toi.fraction == pytest.approx(curve.box2d.fraction, abs=1e-5), "where the world's step stopped is b2TimeOfImpact's answer"
    assert toi.normal[0] == pytest.approx(-1.0)
    ours = demo.lanes[4].impacts[0]
    assert curve.touch.fraction < ours.fraction < toi.fraction, "our stop lies between the touch and Box2D's"
    assert len(demo.lanes[3].pieces[step]) > 20, "sub-steps"


def test_before_contact_the_close_up_shows_the_last_step():
    demo = Bullet(values={"target": "wall"})
    assert demo.lanes[0].decisive_step() is None
    demo.sim.step()
    decisive = demo.lanes[0].decisive_step()
    assert decisive[0] == 0 and decisive[1].touch.status is Status.MISS


def test_the_speed_limit_is_mentioned_only_if_it_applies():
    leads = [Bullet(values={"speed": speed})._lead_words() for speed in (100, 400)]
    assert "2 m per step" not in leads[0][0][0] and "2 m per step" in leads[1][0][0] and leads[0][1] != leads[1][1]


def test_keys_fire():
    demo = Bullet()
    assert demo.viewer.wanted_speed is not None and demo.viewer.wanted_speed < 0.1
    assert demo.on_key("return") and demo.shots == 2 and demo.fires_by_itself
    assert demo.on_key("a") and not demo.fires_by_itself
    for _ in range(200):
        demo.sim.step()
    assert demo.shots == 2
    demo.set_parameter("speed", 90.0)
    assert not demo.fires_by_itself
    demo.restart()
    assert demo.fires_by_itself
    assert not demo.on_key("")
    assert not demo.on_key("q")


def test_every_target_has_a_name():
    assert {targets[0] for targets, _ in list(TARGETS.values())[1:]} == set(ALL_TARGETS) == set(NAMES)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"speed": 0},
        {"speed": 1000, "hertz": 15, "radius": 0.3, "thickness": 1},
        {"speed": 3, "hertz": 480, "radius": 0.005, "target": "plate"},
        {"speed": 20, "target": "plate", "phase": 1},
        {"target": "blade", "target_speed": -200, "lanes": "all"},
        {"target": "moving", "target_speed": -200, "lanes": "all"},
        {"target": "bullet", "shape": "box", "angle": -30, "restitution": 1},
        {"target": "sensor", "angle": 75, "lanes": "all"},
        {"target": "wall", "lanes": "swept"},
        {"target": "plate", "angle": 40, "lanes": "substeps"},
    ],
)
def test_every_step_can_be_drawn(values):
    demo = Bullet(values=values)
    for steps in (2, 9, 20):  # before, at and after the hit of a fast bullet
        for _ in range(steps):
            demo.sim.step()
        assert picture_of(demo, (640, 360)).startswith(b"\x89PNG")


def test_a_bullet_at_rest_ends_with_a_message():
    _, demo = run_headless(Bullet, 400, values={"speed": 0, "target": "wall"})
    assert isinstance(demo, Bullet)
    assert all(line.endswith("the bullet does not move") for line in demo.summary()) and len(demo.summary()) == 2
    assert all(lane.watch is not None and len(lane.watch.positions) < 12 for lane in demo.lanes)


def test_it_opens_with_ccd_off_and_on_at_a_free_plate():
    demo = Bullet()
    assert [lane.rule for lane in demo.lanes] == ["discrete", "bullet"] and demo.spec().target == "dynamic"


def test_a_drag_in_a_lane_aims_at_the_target_and_fires():
    demo = Bullet()
    lane = demo.lanes[1].stage
    shots = demo.shots
    assert not demo.grab((0.0, 50.0)) and not demo.grabbing
    assert demo.grab((lane.offset[0] - 2.0, lane.offset[1])) and demo.grabbing
    demo.drag((lane.offset[0] - 2.0, lane.offset[1] - 1.0))
    demo.release()
    assert demo.parameter("angle") == round(math.degrees(math.atan2(-1.0, 2.0))) and not demo.grabbing
    (x, y), (vx, vy) = demo.spec().start, demo.spec().velocity
    assert y / x == pytest.approx(0.5, rel=0.02) and vy / vx == pytest.approx(0.5, rel=0.02), "from below, as the pointer was"
    assert demo.grab((0.0, lane.offset[1])), "so near the target that it says no direction"
    shots = demo.shots
    demo.release()
    assert demo.shots == shots + 1 and demo.parameter("angle") == -27.0


def test_names_select_the_target_as_in_the_fire_command():
    for word, target in (("wall", "static"), ("static", "static"), ("moving", "kinematic"), ("plate", "dynamic"), ("head_on", "head_on")):
        assert Bullet(values={"target": word}).spec().target == target


def test_the_fire_command_and_the_demo_have_the_same_default_shot():
    spec, demo = ShotSpec(**shot_fields(FireOptions())), Bullet().spec()
    for name in ("speed", "thickness", "hertz", "radius"):
        assert getattr(spec, name) == getattr(demo, name)


def test_ghosts_keep_a_minimum_distance():
    places = [(0.03 * k, 0.0) for k in range(50)]
    shown = ghosts_shown(places, 0.2, ())
    assert shown[-1] == 49 and all(places[b][0] - places[a][0] >= 0.2 for a, b in pairwise(shown))
    assert {3, 4} <= set(ghosts_shown(places, 0.2, (3, 4)))


def test_in_slow_motion_the_plate_waits_for_the_bullet():
    """Between two steps with CCD on, the plate stays still and no contact is drawn until the drawn bullet reaches it."""
    demo = Bullet(values={"target": "plate", "lanes": "bullet"})
    stage, watch, views = demo.stages[0], demo.lanes[0].watch, views_of(demo)
    assert watch is not None
    while watch.hit is None:
        demo.sim.step()
    trail = views.scene(stage).trail
    world, impacts = stage.world, step_path(stage)
    plate, bullet = world.row_of(watch.target), world.row_of(watch.bullet)
    (moment,) = set(impacts.contact_moments.tolist())
    assert moment == pytest.approx((watch.hit.time * 60.0) % 1.0, abs=1e-5)
    painter = DebugDraw()
    for fraction in (0.0, 0.2, 0.99 * moment, moment, 0.5 * (1.0 + moment), 1.0):
        poses = painter.poses(world, impacts, fraction)
        if fraction <= moment:
            assert poses[plate].tolist() == world.previous_poses[plate].tolist()
            assert poses[bullet, 0] <= watch.hit.center[0] + 1e-9
        else:
            assert poses[plate, 0] > 0.0
        assert bool(trail.added(world.contacts.step, fraction)) == (fraction >= moment)
    assert painter.poses(world, impacts, moment)[bullet, 0] == pytest.approx(watch.hit.center[0], abs=1e-9)
    assert painter.poses(world, impacts, 1.0).tolist() == world.poses.tolist()


def _record_pieces(stage):
    """Return a list to which each piece of a step is added from now on."""
    step = stage.stepper
    assert step is not None
    pieces = []

    def recording():
        for piece in step():
            pieces.append(piece)
            yield piece

    stage.stepper = recording
    return pieces


@pytest.mark.parametrize("rule", ["substeps", "swept"])
def test_a_divided_step_is_drawn_at_an_even_pace_up_to_the_impact(rule):
    demo = Bullet(values={"target": "wall", "lanes": rule})
    stage, watch = demo.stages[0], demo.lanes[0].watch
    assert watch is not None
    pieces = _record_pieces(stage)
    while watch.hit is None:
        pieces.clear()
        demo.sim.step()
    assert len(pieces) > 1 and pieces[-1].end == pytest.approx(1.0)
    start, travel, row = watch.positions[-2][0], watch.spec.travel, stage.world.row_of(watch.bullet)
    painter = DebugDraw()
    for fraction in (0.0, 0.1, 0.25, 0.4):
        assert painter.poses(stage.world, step_path(stage), fraction)[row, 0] == pytest.approx(start + fraction * travel, abs=2e-4)
    assert painter.poses(stage.world, step_path(stage), 1.0).tolist() == stage.world.poses.tolist()


class _Referee:
    """Agrees with everything; its presence means that our algorithms are loaded."""

    ready, total, pairs, last_ms = True, StepAgreement(), None, 0.0

    def check(self, contacts, /):
        return StepAgreement()


def test_every_piece_of_a_step_is_checked_and_counted_as_one_step():
    class Counting(_Referee):
        def check(self, contacts, /):
            return StepAgreement(compared=2, agree=1, explained=1, max_point_error=0.25)

    demo = Bullet(values={"lanes": "substeps", "target": "wall"}, referee=lambda world: Counting())
    (stage,) = demo.stages
    n_pieces, pieces = [], _record_pieces(stage)
    for k in range(4):
        pieces.clear()
        demo.sim.step()
        n_pieces.append(len(pieces))
        expected = StepAgreement(2 * n_pieces[-1], n_pieces[-1], n_pieces[-1], 0, 0.25)
        assert stage.agreement == expected and len(stage.errors) == k + 1
    assert n_pieces[0] == 1 < max(n_pieces)


@pytest.mark.parametrize("rule", ["bullet", "substeps", "swept"])
def test_the_impact_is_drawn_from_its_time_on(rule, monkeypatch):
    drawn = []
    monkeypatch.setattr("demos.bullet.draw_impact", lambda canvas, shape, pose, point, normal, is_first=True: drawn.append(normal))
    demo = Bullet(values={"lanes": rule, "target": "wall"})
    watch = demo.lanes[0].watch
    assert watch is not None
    while watch.hit is None:
        demo.sim.step()
    canvas = Canvas(pygame.Surface((800, 500)), Camera(scale=80.0, view=(0, 0, 800, 500)))
    for fraction, seen in ((0.1, 0), (watch.hit.fraction - 0.01, 0), (watch.hit.fraction + 0.01, 1), (1.0, 1)):
        drawn.clear()
        demo.viewer.drawn_fraction = fraction
        demo.draw(canvas)
        assert len(drawn) == seen
    for _ in range(30):
        demo.sim.step()
    drawn.clear()
    demo.draw(canvas)
    assert len(drawn) >= 1 and drawn[-1] == pytest.approx((-1.0, 0.0))


def test_both_steps_around_the_target_are_named_though_they_are_close():
    surface = Written((800, 300))
    canvas = Canvas(surface, Camera(scale=100.0, view=(0, 0, 800, 300)))
    ghosts = [(step, (0.22 * (step - 17), 0.0, 0.0)) for step in range(10, 20)]
    with noting_words():
        draw_numbers(canvas, ghosts, 0.05, (17, 18), palette.UNEXPLAINED, 0.8)
    assert {"step 17", "step 18"} <= {words for words, _ in surface.words} and not surface.overlaps()
    target = canvas.camera.to_screen((0.11, 0.0))[0]
    before, after = (next(place for words, place in surface.words if words == f"step {step}") for step in (17, 18))
    assert before.right < target < after.left, "each on its side of the target"


def test_tunneling_ends_within_the_first_drag_of_the_slider():
    """Issue 45: on a slider of 0 to 300 m/s it ended at 10.2, eight pixels from the left."""
    speed = next(parameter for parameter in Bullet.parameters if parameter.name == "speed")
    left, right = speed.slider_ends
    ends, begins = (speed.on_slider(number) for number in (10.2, speed.default))
    assert 0.4 < (ends - left) / (right - left) < 0.7 and (begins - ends) / (right - left) < 0.4
    for number, stopped in ((10.2, True), (10.3, False)):
        demo = Bullet(values={"speed": number})
        while not demo.lanes[0].is_decided:
            demo.sim.step()
        said = verdict(demo.lanes[0].watch)
        assert said.startswith("stopped" if stopped else "tunneled") and said.endswith("then pushes it along at 1.1 m/s") is stopped
