"""Two worlds at once in the window: the choice of solvers, the second world's picture, and input that acts on both."""

import numpy as np
import pygame
import pytest

from engine.app.commands import find, run
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


def press(hand, what, value):
    """Choose a solver; the list of solvers is unfolded first."""
    window, session = hand.window, hand.window.session
    if not value:
        hand.click(place(window, "×").center)
        return
    running = session.demo.sim.solvers[0] if what == "solver" else "" if session.beside is None else session.beside.solver
    title = load_solver(running).capabilities.title if running else "none"
    is_second = what == "beside" and running == session.demo.sim.solvers[0]
    hand.click(place(window, f"{title}  ˅", int(is_second)).center)
    hand.click(place(window, load_solver(value).capabilities.title).center)


def beside_pixels(hand):
    """Return the pixels (n, 2) of about the second world's color, as on an antialiased line."""
    view = hand.window.screen.view
    pixels = np.argwhere((np.abs(pygame.surfarray.array3d(hand.surface) - np.array(palette.BESIDE)) < 50).all(axis=2))
    return pixels[(pixels[:, 0] >= view[0]) & (pixels[:, 1] >= view[1] + 120)]  # not the words in the readout


def test_buttons_choose_the_comparison_solver(hand):
    session = hand.window.session
    hand.frame(2)
    assert session.beside is None and len(beside_pixels(hand)) == 0
    press(hand, "beside", "soft_step")
    assert session.beside.demo.sim.solvers == ("soft_step",)
    hand.frame(3)
    assert len(beside_pixels(hand)) > 20, "the outline"
    press(hand, "beside", "")
    assert session.beside is None and len(beside_pixels(hand)) == 0


def test_the_key_begins_and_ends_a_comparison(hand):
    seen = []
    for _ in range(3):
        beside = hand.window.session.beside
        seen.append("" if beside is None else beside.solver)
        hand.key(pygame.K_F11)
        hand.frame()
    assert seen == ["", "soft_step", ""]


def test_the_panel_goes_to_the_first_difference_and_says_why(hand):
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(40)
    steps, parted = session.demo.steps, session.beside.distances.run(session.beside.now).parted
    rows = hand.window.screen.panel.motion.rows()
    (curve,) = (row for row in rows if getattr(row, "name", "") == "distance")
    (sentence,) = (row.words for row in rows if " parts at step " in getattr(row, "words", ""))
    assert sentence.endswith(".") and f"step {parted.step}: " in sentence and curve.shows[:2] == (steps, steps + 1)
    hand.click(place(hand.window, "First difference").center)
    hand.frame(2)
    assert session.demo.steps == parted.step < steps and session.clock.paused
    drag(hand, "distance", 0.9)
    assert session.demo.steps > parted.step


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
    press(hand, "beside", "box2d")
    hand.frame(20)
    session.clock.paused = True
    session.timeline.seek(5)
    hand.frame(3)
    assert session.demo.steps == 5 and session.timeline.failure == ""


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


def test_a_throw_acts_in_both_worlds(hand):
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(60)
    beside = session.beside
    at = pixel(hand, tuple(session.demo.stages[0].drawn_pose(1)[:2]))
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
    beside = session.beside
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
    beside = session.beside
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
    for said in ("distance now", "First difference", "Box2D; outlined: Soft step"):
        assert said in words, words
    assert session.costs.latest.beside > 0.0


LARGE, MIDDLE, SMALL = (1280, 720), (800, 600), (480, 360)


@pytest.mark.parametrize("size", [LARGE, MIDDLE, SMALL])
def test_no_texts_overlap(twins, size):
    window = Window(size, (twins,), twins())
    window.session.compare_with("soft_step")
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
    loaded, seconds = set(), 0.0
    monkeypatch.setattr("engine.app.app.is_ready", loaded.__contains__)
    monkeypatch.setattr("engine.app.app.monotonic", lambda: seconds)
    session = hand.window.session
    hand.key(pygame.K_F11)
    hand.frame(5)
    assert session.beside is None and session.messages.now is None, "what is on disk is loaded within a moment, without a word"
    seconds = 12.0
    hand.frame()
    assert session.beside is None and "Soft step" in session.messages.now.words and "12 s so far" in session.messages.now.words
    loaded.add("solver soft_step")
    hand.frame(2)
    assert session.beside is not None and session.messages.now is None
    loaded.clear()
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session.demo.sim.solvers == ("soft_step",), "it runs already, beside the other"


def test_a_demo_without_a_history_has_no_comparison(drop):
    window = Window(SIZE, (drop,), drop(), is_watched=False)
    hand = Hand(window)
    hand.key(pygame.K_F11)
    message = window.session.messages.now
    assert window.session.beside is None and message is not None and "rewound" in message.words


@pytest.mark.slow
@pytest.mark.parametrize("demo", [pytest.param(kind, id=kind.id) for kind in all_demos()])
def test_every_demo_can_be_compared_with_itself(demo):
    """With input, keys, rewinding and another solver: no failure, and no overlapping text."""
    rng, size = np.random.default_rng(5), (1000, 640)
    window = Window(size, (demo,), demo(1))
    hand = Hand(window)
    hand.frame(5)
    hand.key(pygame.K_F11)
    for _ in range(2):
        hand.frame(12)
        hand.key(pygame.K_RETURN)
        hand.key(pygame.K_LEFT)
        for _ in range(3):
            x, y = int(rng.integers(280, 900)), int(rng.integers(60, 560))
            hand.send(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
            hand.send(pygame.MOUSEMOTION, pos=(x + 30, y - 40), rel=(30, -40), buttons=(1, 0, 0))
            hand.send(pygame.MOUSEBUTTONUP, pos=(x + 30, y - 40), button=1)
        with noting_words():
            written = Written(size)
            window.screen.painter.paint(written, window.session)
        assert written.overlaps() == []
        assert window.session.timeline.failure == ""
    session = window.session
    assert (session.beside is not None) == bool(session.demo.stages)
    session.timeline.seek(5)
    hand.frame(3)
    hand.send(pygame.KEYDOWN, key=pygame.K_F11, mod=pygame.KMOD_LSHIFT, unicode="")
    hand.frame(10)
    assert window.session.timeline.failure == ""
    if session.demo.stages:
        assert window.session.demo.sim.solvers == ("soft_step",) and window.session.beside is not None
