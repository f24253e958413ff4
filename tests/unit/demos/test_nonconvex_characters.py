"""The four birds walk, jump, turn and stand on air as commanded."""

import pytest

from demos.nonconvex_characters import EDGE, JUMP_SPEED, LEDGE, TOP, NonconvexCharacters
from engine.common.tolerances import BOX2D_POLYGON_SKIN, LINEAR_SLOP
from engine.geometry import Transform


def _steps(demo, n_steps):
    for _ in range(n_steps):
        demo.sim.step()


def _settled():
    demo = NonconvexCharacters()
    _steps(demo, 30)
    assert all(figure.grounded for figure in demo.figures)
    return demo


def test_two_boxes_walk_off_the_platform_and_hang_by_the_head_and_the_other_birds_do_not():
    """The box around head and beak begins at 0.75 m, below the ledge's top at 0.86 m, whereas the beak itself begins at 1.00 m."""
    demo = NonconvexCharacters()
    hung = [0] * 4
    for _ in range(210):
        demo.sim.step()
        hung = [count + figure.hangs for count, figure in zip(hung, demo.figures, strict=True)]
    one_box, two_boxes, four, traced = demo.figures
    assert hung[1] > 20 and hung[0] == hung[2] == hung[3] == 0
    assert two_boxes.hangs and two_boxes.position[1] == pytest.approx(LEDGE - 0.75, abs=2.0 * LINEAR_SLOP)
    assert one_box.position[1] == pytest.approx(LEDGE, abs=2.0 * LINEAR_SLOP) and one_box.on_air > 0.0
    for figure in (four, traced):
        assert figure.grounded and figure.position[1] == pytest.approx(0.0, abs=3.0 * LINEAR_SLOP)


def test_only_coarse_shapes_stand_on_air():
    demo = NonconvexCharacters()
    _steps(demo, 370)
    one_box, two_boxes, four, traced = (figure.max_on_air for figure in demo.figures)
    # what the fixtures stick out behind the feet: 0.31, 0.19 and 0.01 m, and at most one step's walk more
    assert 0.27 < one_box < 0.34
    assert 0.16 < two_boxes < 0.22
    assert four < 0.04
    # of the traced pieces nothing sticks out but the rounded skins, theirs and the platform's, and a step's walk
    assert traced < 2.0 * BOX2D_POLYGON_SKIN + 1.6 / 60.0


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.5, 1.6, 6.0])
def test_the_pilot_completes_its_round_at_any_speed(speed):
    demo = NonconvexCharacters(values={"speed": speed})
    visited = [set() for _ in demo.figures]
    for _ in range(round(800 + 1000 / speed)):
        demo.sim.step()
        for seen, figure in zip(visited, demo.figures, strict=True):
            x, y = figure.position
            if figure.grounded:
                seen.add("platform" if abs(x) < EDGE and y > TOP - 0.05 else "right" if x > EDGE else "left")
    assert all(seen == {"platform", "left", "right"} for seen in visited)


def test_keys_take_over_and_all_birds_walk_alike():
    demo = _settled()
    demo.held.add("right")
    _steps(demo, 30)
    assert demo.pilot is None
    xs = [figure.position[0] for figure in demo.figures]
    assert xs[0] > 0.5
    assert xs == pytest.approx([xs[0]] * 4, abs=1e-3)
    demo.held.clear()
    _steps(demo, 30)
    assert all(figure.world.state(figure.body).linear_velocity[0] == 0.0 for figure in demo.figures)


def test_a_jump_needs_ground():
    demo = _settled()
    demo.held.add("up")
    highest = [0.0] * 4
    rising = 0
    for _ in range(50):
        demo.sim.step()
        rising += all(figure.world.state(figure.body).linear_velocity[1] > 0.9 * JUMP_SPEED for figure in demo.figures)
        highest = [max(high, figure.position[1]) for high, figure in zip(highest, demo.figures, strict=True)]
    # v^2 / 2 g = 0.88 m above the platform, once: held in the air, the key does nothing
    assert highest == pytest.approx([TOP + JUMP_SPEED**2 / 20.0] * 4, abs=0.06)
    assert rising <= 3


def test_a_wall_is_not_ground():
    """Pressed against the platform's side in the air, a figure is pushed sideways, not carried."""
    demo = _settled()
    for figure in demo.figures:
        figure.world.set_pose(figure.body, (EDGE + 0.95, 3.0 * TOP), 0.0)
        figure.world.set_velocity(figure.body, (0.0, 0.0), 0.0)
    demo.held.add("left")
    for _ in range(20):
        demo.sim.step()
        assert not any(figure.grounded for figure in demo.figures if figure.position[1] > TOP + 0.05)


def test_turning_mirrors_the_fixtures():
    demo = _settled()
    boxes = [_width(figure) for figure in demo.figures]
    demo.held.add("left")
    demo.sim.step()
    assert all(figure.looks_left for figure in demo.figures)
    assert [_width(figure) for figure in demo.figures] == [pytest.approx((-right, -left)) for left, right in boxes]


def _width(figure):
    shapes = [figure.world.fixture(fixture).shape for fixture in figure.world.body(figure.body).fixtures]
    boxes = [shape.aabb(Transform()) for shape in shapes]
    return min(box.lower[0] for box in boxes), max(box.upper[0] for box in boxes)
