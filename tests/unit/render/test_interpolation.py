"""Bodies are drawn at the correct positions within a step with impacts, even after some were removed, added or moved."""

import numpy as np
import pytest

from engine.app.stage_views import step_path
from engine.common.arrays import frozen
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.render.debug_draw import DebugDraw
from engine.render.interpolation import PathPiece, StepImpacts, StepPath
from engine.world import BodySpec, FixtureSpec, World

BEFORE = frozen(np.array([(0.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (5.0, 1.0, 0.0)]))
AFTER = frozen(np.array([(0.0, 0.0, 0.0), (-0.8, 0.4, 0.2), (5.0, 3.0, 0.0)]))
"""A wall, a ball that hit it at (-0.2, 0) halfway through the step, and a body that moves straight."""
IDS = np.array([1, 3, 8])
IMPACTS = StepImpacts(np.array([1, 3]), np.array([0.5, 0.5]), np.array([(0.0, 0.0, 0.0), (-0.2, 0.0, 0.0)]), np.array([0.5]))
CENTERS = np.zeros((3, 2))


def drawn(impacts, rows, fraction, after=AFTER, before=BEFORE):
    return impacts.between(frozen(before[rows]), frozen(after[rows]), fraction, CENTERS[rows], IDS[rows]).round(9).tolist()


def test_a_body_is_shown_at_its_impact_position():
    assert drawn(IMPACTS, [0, 1, 2], 0.25) == [[0.0, 0.0, 0.0], [-0.6, 0.0, 0.0], [5.0, 1.5, 0.0]]
    assert drawn(IMPACTS, [0, 1, 2], 0.5) == [[0.0, 0.0, 0.0], [-0.2, 0.0, 0.0], [5.0, 2.0, 0.0]]
    assert drawn(IMPACTS, [0, 1, 2], 0.75) == [[0.0, 0.0, 0.0], [-0.5, 0.2, 0.1], [5.0, 2.5, 0.0]]
    assert drawn(IMPACTS, [0, 1, 2], 1.0) == AFTER.tolist()


@pytest.mark.parametrize("rows", [[1, 2], [0, 2], [2], [1], [0], []])
def test_impacts_belong_to_the_remaining_bodies(rows):
    everything = drawn(IMPACTS, [0, 1, 2], 0.25)
    assert drawn(IMPACTS, rows, 0.25) == [everything[row] for row in rows]


@pytest.mark.parametrize("is_path", [False, True])
@pytest.mark.parametrize("fraction", [0.25, 0.75])
def test_a_teleported_body_is_shown_at_its_new_position(fraction, is_path):
    after, before = AFTER.copy(), BEFORE.copy()
    after[1] = before[1] = (7.0, 7.0, 0.0)  # as a world has it: there was no way to there
    pieces = PathPiece(0.0, 0.5, (1, 3, 8), BEFORE, BEFORE, None), PathPiece(0.5, 1.0, (1, 3, 8), BEFORE, AFTER, IMPACTS)
    impacts = StepPath(pieces, np.array([0.75])) if is_path else IMPACTS
    assert drawn(impacts, [0, 1, 2], fraction, after, before)[1] == [7.0, 7.0, 0.0]
    assert drawn(impacts, [0, 1, 2], fraction, after, before)[2] == drawn(impacts, [0, 1, 2], fraction)[2]
    if not is_path:
        assert drawn(impacts, [0, 1], fraction, after, before) == [[0.0, 0.0, 0.0], [7.0, 7.0, 0.0]], "where nothing else moves, too"


def test_a_divided_step_is_drawn_straight_after_a_change_of_bodies():
    path = StepPath(
        (PathPiece(0.0, 0.5, (1, 3, 8), BEFORE, BEFORE, None), PathPiece(0.5, 1.0, (1, 3, 8), BEFORE, AFTER, None)), np.zeros(0)
    )
    assert drawn(path, [0, 1, 2], 0.75)[2] == [5.0, 2.0, 0.0]
    assert path.between(BEFORE, AFTER, 0.75, CENTERS, np.array([1, 3, 9])).tolist()[2] == [5.0, 2.5, 0.0]


class Shot(Demo):
    """A bullet that hits a wall."""

    id, category, title, watch = "shot", "Tests", "Shot", "It hits."

    def build(self):
        """The bullet is the newer of both."""
        world = self.add_stage(World()).world
        self.wall = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.05, 3.0)),), type="static"))
        ball = BodySpec((FixtureSpec(Circle(0.1)),), position=(-1.0, 0.0), linear_velocity=(50.0, 0.0), bullet=True)
        self.bullet = world.create_body(ball)


def test_a_body_may_be_deleted_or_moved_after_an_impact():
    """The window crashed in a frame between two steps."""
    for change in ("destroy_body", "set_pose"):
        demo, painter = Shot(), DebugDraw()
        (stage,) = demo.stages
        while (impacts := step_path(stage)) is None:
            demo.sim.step()
        painter.poses(stage.world, impacts, 0.4)
        if change == "destroy_body":
            stage.world.destroy_body(demo.wall)
            assert -1.0 < painter.poses(stage.world, impacts, 0.4)[0, 0] < 0.0
        else:
            stage.world.set_pose(demo.bullet, (2.0, 1.0), 0.0)
            assert painter.poses(stage.world, impacts, 0.4)[1].tolist() == [2.0, 1.0, 0.0]
