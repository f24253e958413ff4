"""The bench of methods: its scenes, its measures, and its handling of failing methods."""

import json

import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.experiments.references.lab import (
    run,
)
from engine.experiments.scenes import body, ground, stack
from engine.experiments.solvers import trial
from engine.experiments.solvers.bench import Plan, Rung, needs, tried
from engine.experiments.solvers.measures import Moving, Overlaps, force_error, force_past_bounds
from engine.experiments.solvers.scenes import GROUPS, SCENES
from engine.experiments.solvers.trial import Trial, Variant, chosen_variants, start_of
from engine.geometry import Circle, Polygon
from engine.scenes.scene_file import scene_as_json
from engine.world import RevoluteJointSpec, World, WorldSettings, solvers

BOX = Polygon.box(0.5, 0.5)


@pytest.mark.parametrize("name", ["arch", "bridge", "newtons_cradle", "heavy_house_100"])
def test_a_scene_file_is_what_the_bench_runs(name, tmp_path):
    assert main(["solvers", "--scenes", name, "--write", str(tmp_path)]) == 0
    made = json.loads(json.dumps(scene_as_json(start_of(SCENES[name], Variant("soft_step"), 60.0))))
    assert json.loads((tmp_path / f"{name}.json").read_text("utf-8")) == made


def test_every_scene_has_a_criterion_and_a_group():
    assert SCENES.keys() == set(GROUPS["all"])
    assert all(scene.standing.endswith(".") and scene.seconds > 0.0 for scene in SCENES.values())
    assert set(GROUPS["heavy"]) == {f"heavy_{kind}_{ratio}" for kind in ("stack", "house", "pyramid") for ratio in (10, 100, 1000, 10000)}


def test_overlaps_are_measured_only_for_shapes_that_may_collide():
    world = World(WorldSettings(gravity=(0.0, 0.0)), "soft_step")
    first = body(world, BOX, (0.0, 0.0))
    assert Overlaps(world).deepest(world) == 0.0
    second = body(world, BOX, (0.9, 0.0))
    third = body(world, Circle(0.5), (1.6, 0.0), mask=0)
    assert Overlaps(world).deepest(world) == pytest.approx(0.1, abs=1e-12)
    world.create_joint(RevoluteJointSpec(first, second, (0.45, 0.0)))
    assert Overlaps(world).deepest(world) == 0.0
    world.set_pose(third, (0.9, 0.0), 0.0)
    assert Overlaps(world).deepest(world) == 0.0


@pytest.mark.parametrize(("n", "x", "measure"), [(3, (0.0,), force_error), (1, (0.0, 2.0), lambda world, layers: force_past_bounds(world))])
def test_forces_at_rest_are_the_weights_above(n, x, measure):
    world = World(WorldSettings(sleeping=False), "soft_step")
    ground(world)
    boxes = [box for at in x for box in stack(world, n, x=at)]
    layers = [boxes[k:] for k in range(n)]
    assert measure(world, layers) is None  # nothing touches yet
    run(world, 5.0)
    assert measure(world, layers) == pytest.approx(0.0, abs=1e-9)
    world.set_settings(gravity=(0.0, -20.0))  # of weights twice as large these bear half
    assert measure(world, layers) == pytest.approx(0.5, abs=1e-9)
    assert force_error(world, []) is None


def test_energy_is_kinetic_plus_potential():
    world = World(WorldSettings(), "soft_step")
    flying = body(world, Polygon.box(0.5, 0.5, (0.5, 0.0)), (2.0, 5.0), linear_velocity=(3.0, 0.0), angular_velocity=2.0)
    moving = Moving(world)
    record = world.body(flying)
    assert moving.bodies == [flying]
    assert moving.energy(world) == pytest.approx(0.5 * 9.0 + 0.5 * record.inertia * 4.0 + 50.0)
    assert moving.scale == pytest.approx(moving.energy(world) - 40.0)  # 50 J of height less 10 N over its side of 1 m
    assert moving.momentum(world)[0].tolist() == [3.0, 0.0]


def test_a_scene_with_one_method_is_judged():
    variants = tuple(chosen_variants("--solvers", "soft_step:sub_steps=4"))
    (row,) = tried(Plan(variants, efforts=(1,)), [SCENES["wedge"]], 1)
    (cell,) = row.cells
    assert cell.stands is True and cell.reason == "" and cell.seconds == pytest.approx(0.75)
    assert cell.error is not None and cell.error < 1e-3
    assert cell.momentum_lost_share is not None and cell.momentum_lost_share < 1e-12
    assert cell.ms_per_step is not None and cell.ms_per_step > 0.0 and cell.cost_ratio is not None
    assert cell.drift is cell.force_error is cell.rest_at is None  # nothing rests
    assert [(rung.effort, rung.setting, rung.stands) for rung in row.ladder] == [(1, "sub_steps", True)]


def test_a_fallen_scene_reports_its_time():
    (row,) = tried(Plan((Variant("soft_step"),), seconds=0.6), [SCENES["heavy_house_10000"]], 1)
    assert row.cells[0].stands is False
    assert row.cells[0].fell_at == pytest.approx(0.5, abs=0.11)
    assert row.cells[0].reason.startswith("fell after 0.")
    assert row.cells[0].drift is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (InvalidInputError("joint", "none", 1), "refused: joint must be none, got 1"),
        (ZeroDivisionError("x"), "failed after 0 s: ZeroDivisionError: x"),
    ],
)
def test_an_exception_of_a_method_is_its_reason(error, words, monkeypatch):
    def refusing(*arguments, **named):
        raise error

    monkeypatch.setattr(trial, "new_world", refusing)
    ran = Trial(SCENES["single_box"], Variant("soft_step"), 0.1, 60.0)
    ran.advance(30)
    cell = ran.result(None)
    assert ran.is_over and cell.stands is None and cell.reason == words
    assert cell.ms_per_step is None and cell.end is None


def test_a_method_that_takes_too_long_is_stopped():
    ran = Trial(SCENES["single_box"], Variant("soft_step"), 0.1, 60.0, budget=0.0)
    ran.advance(30)
    cell = ran.result(None)
    assert cell.stands is None and cell.reason.startswith("stopped after 0 s")
    assert cell.seconds == pytest.approx(1.0 / 60.0) and cell.error is None


def _rung(effort, error, stands=True):
    return Rung("a", "b", "sub_steps", effort, stands, error, 1.0 * effort, 0.5 * effort)


def test_a_limit_that_the_method_reached_is_in_its_cell():
    """Issue 34: a step solved by another method is always reported."""
    ran = Trial(SCENES["stack_10"], Variant("contact_forces", (("largest", 1),)), 0.1, 60.0)
    ran.advance(6)
    (note,) = ran.result(None).notes
    assert "sequential impulses" in note


def test_the_smallest_sufficient_effort_is_found():
    ladder = [_rung(1, 0.5), _rung(2, 0.001, False), _rung(8, 0.002), _rung(4, 0.004), _rung(16, None)]
    (need,) = needs(ladder, 0.01)
    assert (need.reached, need.effort, need.error, need.cost_ratio) == (True, 4, 0.004, 2.0)
    (need,) = needs(ladder, 0.001)
    assert (need.reached, need.effort, need.error) == (False, None, None)


def test_every_method_can_be_named():
    assert [variant.solver for variant in chosen_variants("--solvers", "all")] == list(solvers())
    box2d, ours = chosen_variants("--solvers", "box2d:velocity_iterations=20:position_iterations=5, soft_step:sub_steps=4")
    assert box2d.world_settings == {"velocity_iterations": 20, "position_iterations": 5}
    assert ours.world_settings == {"velocity_iterations": 4} and ours.label == "soft_step:sub_steps=4"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--solvers sotf_step", "did you mean soft_step?"),
        ("--solvers soft_step:sub_step=4", "did you mean sub_steps?"),
        ("--solvers soft_step:sub_steps", "soft_step[:SETTING=VALUE]..."),
        ("--solvers soft_step:sub_steps=0", "--solvers soft_step:sub_steps must be"),
        ("--scenes pyramids", "did you mean pyramid?"),
        ("--seconds 0", "--seconds must be from 0.01 to 3600 s, got 0.0"),
        ("--hertz nan", "--hertz must be"),
        ("--efforts 1,x", "--efforts must be a list of whole numbers"),
    ],
)
def test_mistakes_are_reported_by_name(options, words, capsys):
    assert main(["solvers", *options.split()]) == 2
    message = capsys.readouterr().err
    assert words in message and message.count("\n") == 1


def test_the_report_has_a_picture_per_cell_and_the_scenes(tmp_path):
    arguments = ["--solvers", "soft_step", "--scenes", "single_box", "--seconds", "0.1", "--jobs", "1", "--efforts", "1,2"]
    assert main(["solvers", *arguments, "--report", str(tmp_path)]) == 0
    made = {path.name for path in tmp_path.iterdir()}
    own = {f"single_box-soft_step.{ending}" for ending in ("png", "html")}
    assert made == own | {"report.html", "accuracy-cost.png", "single_box.json", "tables.md"}
    text = (tmp_path / "report.html").read_text("utf-8")
    assert (tmp_path / "tables.md").read_text("utf-8").startswith("| scene | `soft_step` |\n|---|---|\n| `single_box` | yes ")
    assert "Single box" in text and 'src="data:image/png;base64,' in text and "within 5 cm of its exact height" in text
