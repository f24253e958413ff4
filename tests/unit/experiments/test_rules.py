"""Our own rules: shots that they catch and discrete steps miss, and their cost."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.experiments.lookahead import thinnest
from engine.experiments.range import fire
from engine.experiments.rules import MAX_IMPACTS, RuleStepper
from engine.experiments.shot import run_shot
from engine.experiments.spec import SHORTEST_STEP, ShotSpec
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec


def stepped(spec, n_steps, back=None):
    """Take steps of a shot; with another wall at x = `back`, m, that reflects the bullet."""
    shot = fire(spec)
    if back is not None:
        shot.world.create_body(BodySpec((FixtureSpec(Polygon.box(0.1, 2.0)),), "static", (spec.start[0] + back, 0.0)))
    stepper = RuleStepper(shot)
    return shot.world, stepper, shot.bullet, [list(stepper.step()) for _ in range(n_steps)]


def test_substeps_depend_on_the_thinnest_feature_and_are_used_only_near_the_target():
    spec = ShotSpec(rule="substeps", thickness=0.03, radius=0.05)
    _, stepper, _, steps = stepped(spec, 3)
    assert [len(pieces) for pieces in steps[:1]] == [1]
    assert len(steps[2]) == math.ceil(spec.travel / 0.03)
    assert stepper.cost.world_steps == sum(map(len, steps)) and stepper.cost.steps == 3
    ends = [piece.end for piece in steps[2]]
    assert ends == sorted(ends) and ends[-1] == 1.0 and [piece.closes_step for piece in steps[2]] == [False] * (len(ends) - 1) + [True]


def test_substeps_raise_the_speed_limit():
    spec = ShotSpec(rule="substeps", speed=300.0)
    assert not spec.is_capped and replace(spec, rule="discrete").is_capped
    shot = run_shot(spec)
    assert shot.positions[1][0] - shot.positions[0][0] == pytest.approx(5.0, abs=1e-4)
    assert shot.hit and not shot.tunneled


def test_the_swept_rule_steps_to_the_impact_and_spends_the_rest():
    spec = ShotSpec(rule="swept", restitution=1.0)
    world, stepper, bullet, steps = stepped(spec, 3)
    (impact,) = [impact for piece in steps[2] for impact in piece.impacts]
    assert impact.center[0] == pytest.approx(-spec.reach, abs=0.006)
    assert impact.normal == pytest.approx((-1.0, 0.0), abs=1e-6)
    assert impact.time == pytest.approx((2.0 + impact.fraction) / 60.0, abs=1e-12)
    # thrown back at full speed: forth and back make up one step's way, short of the piece that lay within the contact
    x = world.state(bullet).position[0]
    before = spec.start[0] + 2.0 * spec.travel
    assert (impact.center[0] - before) + (impact.center[0] - x) == pytest.approx(spec.travel, abs=0.02)
    assert world.settings.hertz == 60.0
    assert stepper.cost.impacts == 1 and stepper.cost.world_steps == 5 and stepper.cost.dropped == 0.0


def test_time_is_conserved_over_many_bounces():
    """A bullet that bounces between two walls: the parts of a step add up to the step, with up to 0.1 ms carried over."""
    spec = ShotSpec(rule="swept", restitution=1.0)
    world, stepper, _, steps = stepped(spec, 40, back=-1.0)
    assert stepper.cost.impacts >= 10
    for pieces in steps:
        assert pieces[0].start == 0.0 and pieces[-1].end == 1.0
        assert all(a.end == b.start for a, b in pairwise(pieces))
        assert sum(len(piece.impacts) for piece in pieces) <= MAX_IMPACTS
    assert world.settings.hertz == spec.hertz


def test_an_impact_in_less_than_a_tenth_of_a_millisecond_is_postponed():
    """The step begins with the wall less than 0.1 ms away: 5 mm at 110 m/s."""
    spec = ShotSpec(rule="swept")
    spec = replace(spec, phase=(spec.reach + 0.005) / spec.travel)
    shot = run_shot(spec)
    assert shot.hit and not shot.tunneled
    assert shot.impact_time is not None
    assert 0.0 < shot.impact_time * 60.0 % 1.0 < SHORTEST_STEP * 60.0


def test_rules_of_box2d_take_one_step_each():
    for rule in ("discrete", "default", "bullet"):
        _, stepper, _, steps = stepped(ShotSpec(rule=rule), 4)
        assert [len(pieces) for pieces in steps] == [1] * 4
        assert (stepper.cost.world_steps, stepper.cost.toi_queries) == (4, 0)


def test_a_box_rotating_on_its_corner_does_not_pass_under_the_swept_rule():
    for phase in (0.1, 0.3, 0.5, 0.7, 0.9):
        shot = run_shot(ShotSpec(rule="swept", shape="box", angle=math.radians(20.0), phase=phase))
        assert shot.hit and not shot.tunneled, (phase, shot.verdict)


def test_minimum_widths():
    assert thinnest(Circle(0.2)) == 0.4
    assert thinnest(Polygon.box(0.3, 0.1)) == pytest.approx(0.2)
    triangle = Polygon([(0.0, 0.0), (2.0, 0.0), (1.0, math.sqrt(3.0))])
    assert thinnest(triangle) == pytest.approx(math.sqrt(3.0))
