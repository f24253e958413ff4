"""The loop pauses while the window is hidden, without steps or pictures, and resumes at once."""

import pygame
import pytest

from engine.app import loop as loops
from engine.app.loop import open_window
from engine.app.window import Window
from engine.sim.registry import find_demo
from tests.unit.app.idle_compiler import IdleCompiler


@pytest.fixture(autouse=True)
def pictures(monkeypatch):
    """Return the list of windows drawn."""
    drawn = []
    draw = Window.show
    monkeypatch.setattr(loops, "Compiler", IdleCompiler)
    monkeypatch.setattr(IdleCompiler, "doing", "everything")
    monkeypatch.setattr(Window, "show", lambda self, surface: (draw(self, surface), drawn.append(self)))
    pygame.display.quit()
    return drawn


@pytest.fixture
def listed():
    with open_window() as loop:
        yield loop
        loop.window.app.running = False


@pytest.fixture
def running():
    with open_window(find_demo("simple_shapes"), values={"count": 5}) as loop:
        yield loop


def take(loop, seconds, *events, **attributes):
    """Post events, and let time pass as in the loop, at its own rate."""
    for event in events:
        pygame.event.post(pygame.event.Event(event, attributes))
    while seconds > 0.0:
        loop.turn(1.0 / loop.frames_per_second)
        seconds -= 1.0 / loop.frames_per_second


def test_a_preview_has_half_the_frames_while_kernels_are_compiled(listed, pictures):
    take(listed, 0.1)
    assert listed.frames_per_second == 30
    pictures.clear()
    take(listed, 1.0)
    assert 30 <= len(pictures) <= 31
    IdleCompiler.doing = ""
    take(listed, 0.1)
    assert listed.frames_per_second == 60


def test_a_running_demo_keeps_its_frames_while_kernels_are_compiled(running):
    take(running, 0.1)
    assert running.frames_per_second == 60


@pytest.mark.parametrize("opened", ["listed", "running"])
def test_a_hidden_window_pauses_and_resumes(opened, pictures, monkeypatch, request):
    loop = request.getfixturevalue(opened)
    IdleCompiler.doing = ""
    demo = loop.window.session.demo
    take(loop, 0.5, pygame.WINDOWFOCUSLOST)
    assert demo.steps > 20, "one that is seen beside another window runs"
    monkeypatch.setattr(pygame.display, "get_active", lambda: False)
    before = demo.steps
    pictures.clear()
    take(loop, 20.0)
    assert loop.is_resting and (demo.steps, pictures) == (before, [])
    monkeypatch.setattr(pygame.display, "get_active", lambda: True)
    take(loop, 0.2)
    assert before < demo.steps <= before + 16 and pictures, "what was rested is not made up for"


def test_a_hidden_demo_keeps_running_while_it_is_recorded(running, pictures, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    take(running, 0.1)
    take(running, 0.1, pygame.KEYDOWN, key=pygame.K_r, mod=pygame.KMOD_CTRL, unicode="")
    assert running.window.session.recorder is not None
    monkeypatch.setattr(pygame.display, "get_active", lambda: False)
    before = running.window.session.demo.steps
    pictures.clear()
    take(running, 1.0)
    assert running.window.session.demo.steps > before + 50 and pictures == []
    take(running, 0.1, pygame.QUIT)


def test_work_is_backed_up_while_the_window_is_hidden(running, monkeypatch):
    noted = []
    running.window.docks[0].update = lambda window, elapsed: noted.append(elapsed)
    monkeypatch.setattr(pygame.display, "get_active", lambda: False)
    take(running, 10.0)
    assert noted and 9.0 < sum(noted) < 11.0
