"""Two worlds at once in the window: the choice of solvers, the second world's picture, and input that acts on both."""

import numpy as np
import pygame
import pytest

from engine.app.commands import find, run
from engine.app.layout import best_columns, lanes
from engine.app.solver_settings import setting_parameters
from engine.app.status_strip import _cells
from engine.app.window import Window
from engine.render import palette
from engine.sim.registry import all_demos
from engine.world import load_solver, solvers
from tests.unit.app.controls import drag, place
from tests.unit.app.hand import SIZE, Hand, pixel
from tests.unit.app.written import Written, noting_words


def unfolded(hand):
    run(find("more"), hand.window.app)
    hand.frame()
    return hand


@pytest.fixture
def hand(hand):
    """The complete panel."""
    return unfolded(hand)


def press(hand, what, value, at=0):
    """Choose a solver option; the list of solvers is unfolded first."""
    window, session = hand.window, hand.window.session
    if what in ("solver", "beside") and value:
        running = session.demo.sim.solvers[0] if what == "solver" else session.besides[at].solver if at < len(session.besides) else ""
        title = load_solver(running).capabilities.title if running else "another" if session.besides else "none"
        before = [comparison.solver for comparison in session.besides[:at]]
        earlier = [session.demo.sim.solvers[0], *before] if what == "beside" else []
        nth = sum(load_solver(solver).capabilities.title == title for solver in earlier)
        hand.click(place(window, f"{title}  ˅", nth).center)
        hand.click(place(window, load_solver(value).capabilities.title).center)
        return
    words = {"lane": {"lane": "in lanes", "": "over it"}, "since": {"here": "here", "": "the start"}, "beside": {"": "×"}}[what][value]
    hand.click(place(window, words, at if words == "×" else 0).center)


def beside_pixels(hand):
    """Return the pixels (n, 2) of about the second world's color, as on an antialiased line."""
    view = hand.window.screen.view
    pixels = np.argwhere((np.abs(pygame.surfarray.array3d(hand.surface) - np.array(palette.BESIDES[0])) < 50).all(axis=2))
    return pixels[(pixels[:, 0] >= view[0]) & (pixels[:, 1] >= view[1] + 120)]  # not the words in the readout


def test_buttons_choose_the_comparison_solver_and_its_layout(hand):
    session = hand.window.session
    hand.frame(2)
    assert not session.besides and len(beside_pixels(hand)) == 0
    press(hand, "beside", "soft_step")
    (beside,) = session.besides
    assert beside.demo.sim.solvers == ("soft_step",)
    hand.frame(3)
    assert len(beside_pixels(hand)) > 20, "the outline"
    press(hand, "lane", "lane")
    (lane,) = session.view.lanes
    assert lane[2:] == session.view.camera.view[2:]
    x, y = session.view.camera.to_screen(beside.demo.stages[0].drawn_pose(1)[:2])
    middle = round(x) + lane[0] - session.view.camera.view[0], round(y) + lane[1] - session.view.camera.view[1]
    assert hand.surface.get_at(middle)[:3] != palette.BACKGROUND, "the second disc has its own picture"
    press(hand, "lane", "")
    assert not session.view.lanes
    press(hand, "beside", "")
    assert not session.besides and len(beside_pixels(hand)) == 0


def test_the_key_switches_between_overlay_lane_and_none(hand):
    session = hand.window.session
    seen = []
    for _ in range(4):
        seen.append(([comparison.solver for comparison in session.besides], len(session.view.lanes)))
        hand.key(pygame.K_F11)
        hand.frame()
    assert seen == [([], 0), (["soft_step"], 0), (["soft_step"], 1), ([], 0)]


def test_another_solver_continues_from_here_and_is_undone(hand):
    session = hand.window.session
    hand.frame(20)
    before = session.demo.stages[0].world.state(1).position
    session.clock.paused = True
    hand.frame()
    for solver in ("soft_step", "box2d"):
        press(hand, "solver", solver)
        assert hand.window.session is session and session.demo.sim.solvers == (solver,)
        assert session.demo.stages[0].world.state(1).position == pytest.approx(before, abs=0.05) and session.timeline.failure == ""
    steps = session.demo.steps
    session.clock.paused = False
    hand.frame(10)
    assert session.demo.steps >= steps + 9
    session.undo()
    assert session.demo.sim.solvers == ("soft_step",) and session.demo.steps == steps
    session.undo()
    assert session.demo.sim.solvers == ("box2d",)
    session.timeline.redo()
    assert session.demo.sim.solvers == ("soft_step",)
    session.restart()
    assert session.demo.sim.solvers == ("soft_step",) and session.demo.steps == 0
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session is session and session.demo.sim.solvers[0] == solvers()[(solvers().index("soft_step") + 1) % len(solvers())]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [name for name in ("box2d3", "chipmunk") if name in solvers()])
def test_another_engine_continues_is_compared_and_is_undone(hand, engine):
    session = hand.window.session
    hand.frame(20)
    press(hand, "solver", engine)
    assert session.demo.sim.solvers == (engine,)
    hand.frame(20)
    press(hand, "beside", "box2d", 0)
    hand.frame(20)
    session.clock.paused = True
    session.timeline.seek(5)
    hand.frame(3)
    assert session.demo.steps == 5 and session.timeline.failure == ""


def test_four_worlds_run_side_by_side_from_the_current_state(hand):
    session = hand.window.session
    hand.frame(30)
    session.clock.paused = True
    for k, solver in enumerate(("soft_step", "box2d", "soft_step")):
        press(hand, "beside", solver, k)
    press(hand, "lane", "lane")
    press(hand, "since", "here")
    assert session.since == (session.demo.steps, 0) and [comparison.solver for comparison in session.besides] == [
        "soft_step",
        "box2d",
        "soft_step",
    ]
    here = [comparison.demo.stages[0].world.state(1) for comparison in session.besides]
    assert all(state.position == session.demo.stages[0].world.state(1).position for state in here), "one state"
    assert len(session.view.lanes) == 3 and len({(place[2], place[3]) for place in session.view.lanes}) == 1
    session.clock.paused = False
    hand.frame(30)
    ours, theirs, ours_again = (comparison.demo.stages[0].world.state(1).position for comparison in session.besides)
    assert ours == ours_again != theirs == session.demo.stages[0].world.state(1).position
    assert [figures.solver for figures in session.figures] == ["box2d", "soft_step", "box2d", "soft_step"]
    press(hand, "beside", "", 1)
    assert [comparison.solver for comparison in session.besides] == ["soft_step", "soft_step"]
    hand.send(pygame.VIDEORESIZE, size=(700, 500), w=700, h=500)
    hand.frame(2)
    view = pygame.Rect(hand.window.screen.view)
    assert len(session.view.lanes) == 2 and all(view.contains(place) for place in (session.view.camera.view, *session.view.lanes))
    session.timeline.seek(10)
    hand.frame(2)
    assert all(comparison.is_caught_up and comparison.now == 10 for comparison in session.besides)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing
    hand.window.navigator.come_back(session)
    hand.frame(2)
    assert len(session.view.lanes) == 2 and session.timeline.failure == ""


def test_settings_change_while_the_scene_runs(hand):
    session = hand.window.session
    press(hand, "solver", "sequential_impulses")
    (name,) = (parameter.description for parameter in setting_parameters("sequential_impulses") if parameter.name == "iterations")
    steps = session.demo.steps
    drag(hand, name, 0.8)
    world = session.demo.stages[0].world
    (value,) = [value for name, value in world.settings.solver_settings if name == "iterations"]
    assert value == pytest.approx(10**2.4, rel=0.2) and isinstance(value, int) and session.demo.steps > steps
    hand.click(place(hand.window, "Defaults").center)
    assert not dict(world.settings.solver_settings)
    session.undo()
    assert dict(world.settings.solver_settings) == {"iterations": value}


def test_one_slider_drag_is_one_undo_step(hand):
    session = hand.window.session
    press(hand, "solver", "sequential_impulses")
    (name,) = (parameter.description for parameter in setting_parameters("sequential_impulses") if parameter.name == "share")
    world, seen = session.demo.stages[0].world, set()
    for share in (0.3, 0.4, 0.5, 0.6, 0.7):
        drag(hand, name, 0.2, share)
        seen.add(dict(world.settings.solver_settings).get("share", 0.2))
        session.undo()
    assert len(seen) == 5 and max(seen) > 0.3 and not world.settings.solver_settings, "each drag is undone at once"
    drag(hand, name, 0.2, 0.4, 0.6)
    session.undo()
    assert session.demo.sim.solvers == ("sequential_impulses",) and not world.settings.solver_settings


def test_a_comparison_world_has_its_own_settings(hand):
    session = hand.window.session
    session.compare_with("sequential_impulses", "sequential_impulses")
    hand.frame(10)
    title = load_solver("sequential_impulses").capabilities.title
    hand.click(place(hand.window, f"{title} 2").center)
    (parameter,) = (parameter for parameter in setting_parameters("sequential_impulses") if parameter.name == "share")
    (low, high), at = parameter.slider_ends, parameter.on_slider(0.5)
    drag(hand, parameter.description, (at - low) / (high - low))
    hand.frame(3)
    first, second, third = (demo.stages[0].world.settings for demo in (session.demo, *(comparison.demo for comparison in session.besides)))
    assert (dict(first.solver_settings), dict(second.solver_settings), dict(third.solver_settings)) == (
        {},
        {},
        {"share": pytest.approx(0.5, abs=0.01)},
    )
    session.timeline.seek(5)
    hand.frame(2)
    assert not session.besides[1].demo.stages[0].world.settings.solver_settings, "before it was changed"


def test_a_throw_acts_in_both_worlds(hand):
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.key(pygame.K_F11)
    hand.frame(60)
    (beside,), (lane,) = session.besides, session.view.lanes
    x, y = pixel(hand, tuple(beside.demo.stages[0].drawn_pose(1)[:2]))
    at = x + lane[0] - session.view.camera.view[0], y + lane[1] - session.view.camera.view[1]
    assert session.view.lane_at(at) == 0 and session.view.in_view(at) == (x, y)
    hand.send(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert session.demo.grabbing and beside.demo.grabbing
    to = at[0] + 40, at[1] - 60
    steps = session.demo.steps
    for _ in range(30):
        hand.send(pygame.MOUSEMOTION, pos=to, rel=(40, -60), buttons=(1, 0, 0))
    assert session.demo.steps >= steps + 28, "time goes on while the hand pulls"
    target = session.view.to_world(to)
    for demo in (session.demo, beside.demo):
        x, y = demo.stages[0].world.state(1).position
        assert abs(x - target[0]) < 0.6 and abs(y - target[1]) < 0.6
    hand.send(pygame.MOUSEBUTTONUP, pos=to, button=1)
    assert not session.demo.grabbing and not beside.demo.grabbing


def test_the_second_world_rewinds_with_the_first(hand):
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(40)
    (beside,) = session.besides
    then = beside.demo.stages[0].world.state(1).position
    at = session.demo.steps
    hand.frame(30)
    session.timeline.seek(at)
    hand.frame()
    assert beside.now == at and beside.demo.stages[0].world.state(1).position == then


def test_a_late_comparison_world_catches_up_while_time_waits(hand):
    session = hand.window.session
    hand.frame(120)
    session.timeline.longest_way = 0.0  # a step a frame
    session.compare_with("soft_step")
    steps = session.demo.steps
    hand.frame(5)
    (beside,) = session.besides
    assert session.demo.steps == steps and not beside.is_caught_up
    assert f"step {steps}" in session.messages.now.words
    beside.longest_way = 10.0
    hand.frame(3)
    assert beside.is_caught_up and session.demo.steps > steps and session.messages.now is None


def test_numbers_and_texts_name_both_worlds(hand):
    session = hand.window.session
    assert ("solver", "Box2D", palette.TEXT) in _cells(session, 0)
    hand.key(pygame.K_F11)
    hand.frame(30)
    assert ("solver", "Box2D | Soft step", palette.TEXT) in _cells(session, 0)
    place(hand.window, "Defaults")
    hand.window.screen.form.scroll(80)
    with noting_words():
        written = Written(SIZE)
        hand.window.screen.cache.forget()
        hand.window.show(written)
    words = [words for words, _ in written.words]
    for said in ("difference now", "first difference", "Box2D; outlined: Soft step"):
        assert said in words, words
    assert session.costs.latest.beside > 0.0


LARGE, MIDDLE, SMALL = (1280, 720), (800, 600), (480, 360)


@pytest.mark.parametrize(
    "size, n, lane",
    [(LARGE, 1, False), (MIDDLE, 1, False), (SMALL, 1, True), (LARGE, 3, True), (MIDDLE, 3, True), (SMALL, 3, True), (SMALL, 3, False)],
)
def test_no_texts_overlap(twins, size, n, lane):
    window = Window(size, (twins,), twins())
    window.session.wants_lane = lane
    window.session.compare_with(*("soft_step", "box2d", "soft_step")[:n])
    hand = Hand(window)
    hand.frame(30)
    with noting_words():
        written = Written(size)
        for _ in range(2):
            written.words.clear()
            window.screen.cache.forget()
            window.show(written)
        view = pygame.Rect(window.screen.view)
        overlaps = [(a, b) for a, b in written.overlaps() if all(any(view.contains(r) for w, r in written.words if w == x) for x in (a, b))]
    assert overlaps == []


def test_a_choice_waits_until_its_solver_is_loaded(hand, monkeypatch):
    loaded = set()
    monkeypatch.setattr("engine.app.app.is_ready", loaded.__contains__)
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(5)
    assert not session.besides and session.messages.now is not None and "Soft step" in session.messages.now.words
    loaded.add("solver soft_step")
    hand.frame(2)
    assert session.besides and session.messages.now is None
    loaded.clear()
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session.demo.sim.solvers == ("soft_step",), "it runs already, beside the other"


def test_a_demo_without_a_history_has_no_comparison(drop):
    window = Window(SIZE, (drop,), drop(), is_watched=False)
    hand = Hand(window)
    hand.key(pygame.K_F11)
    message = window.session.messages.now
    assert not window.session.besides and message is not None and "rewound" in message.words


def test_lanes_keep_the_view_as_large_as_possible():
    assert lanes((0, 0, 101, 50), 2, columns=2) == ((0, 0, 50, 50), (51, 0, 50, 50))
    view = (0, 0, 1000, 600)
    assert [best_columns(view, box, n) for box, n in (((3.0, 4.0), 2), ((20.0, 3.0), 2), ((4.0, 3.0), 4), ((1.0, 9.0), 4))] == [2, 1, 2, 4]


@pytest.mark.slow
@pytest.mark.parametrize("demo", [pytest.param(kind, id=kind.id) for kind in all_demos()])
def test_every_demo_can_be_compared_with_itself(demo):
    """As an overlay and in a lane, with input, keys, rewinding and another solver: no failure, and no overlapping text in the overlay."""
    rng, size = np.random.default_rng(5), (1000, 640)
    window = Window(size, (demo,), demo(1))
    hand = Hand(window)
    hand.frame(5)
    for _ in range(2):
        hand.key(pygame.K_F11)
        hand.frame(12)
        hand.key(pygame.K_RETURN)
        hand.key(pygame.K_LEFT)
        for _ in range(3):
            x, y = int(rng.integers(280, 900)), int(rng.integers(60, 560))
            hand.send(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
            hand.send(pygame.MOUSEMOTION, pos=(x + 30, y - 40), rel=(30, -40), buttons=(1, 0, 0))
            hand.send(pygame.MOUSEBUTTONUP, pos=(x + 30, y - 40), button=1)
        if not window.session.n_lanes:  # a table of a demo's own may be too wide for half a view
            with noting_words():
                written = Written(size)
                window.screen.painter.paint(written, window.session)
            assert written.overlaps() == []
        assert window.session.timeline.failure == ""
    session = window.session
    assert bool(session.besides) == bool(session.demo.stages)
    session.timeline.seek(5)
    hand.frame(3)
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    hand.frame(10)
    assert window.session.timeline.failure == ""
    if session.demo.stages:
        assert window.session.demo.sim.solvers == ("soft_step",) and window.session.besides
