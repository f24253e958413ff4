"""The loop rests where nobody looks: no steps, no pictures, and back at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygame
import pytest

from engine.app import loop as loops
from engine.app.loop import Attention, Loop, open_window
from engine.app.window import Window
from engine.sim.registry import find_demo


class Warmup:
    """Ends when it is told to, without a referee."""

    factory, failure = None, "left out"
    words, short = "being compiled", "compiling"
    is_over = False

    def start(self) -> None:
        """Nothing."""

    def wait(self, seconds: float) -> bool:
        """Whether it was told."""
        return Warmup.is_over

    def close(self) -> None:
        """Nothing."""


@pytest.fixture(autouse=True)
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Window]:
    """What was drawn."""
    drawn: list[Window] = []
    draw = Window.show
    monkeypatch.setattr(loops, "RefereeWarmup", Warmup)
    monkeypatch.setattr(Warmup, "is_over", False)
    monkeypatch.setattr(Window, "show", lambda self, surface: (draw(self, surface), drawn.append(self)))
    pygame.display.quit()
    return drawn


@pytest.fixture
def listed() -> Iterator[Loop]:
    with open_window() as loop:
        yield loop
        loop.window.app.running = False


@pytest.fixture
def running() -> Iterator[Loop]:
    with open_window(find_demo("simple_shapes"), values={"count": 5}) as loop:
        yield loop


def take(loop: Loop, seconds: float, *events: int, **attributes: Any) -> None:
    """Post events, and let time pass as the loop does, at its own pace."""
    for event in events:
        pygame.event.post(pygame.event.Event(event, attributes))
    while seconds > 0.0:
        loop.turn(1.0 / loop.frames_per_second)
        seconds -= 1.0 / loop.frames_per_second


def test_a_preview_has_half_the_frames_while_kernels_are_compiled(listed: Loop, pictures: list[Window]) -> None:
    take(listed, 0.1)
    assert listed.frames_per_second == 30
    pictures.clear()
    take(listed, 1.0)
    assert 30 <= len(pictures) <= 31
    Warmup.is_over = True
    take(listed, 0.1)
    assert listed.frames_per_second == 60


def test_a_running_demo_keeps_its_frames_while_kernels_are_compiled(running: Loop) -> None:
    take(running, 0.1)
    assert running.is_warming_up and running.frames_per_second == 60


@pytest.mark.parametrize("event", [pygame.WINDOWFOCUSLOST, pygame.WINDOWMINIMIZED, pygame.WINDOWHIDDEN])
def test_a_preview_rests_when_nobody_looks(event: int, listed: Loop, pictures: list[Window]) -> None:
    Warmup.is_over = True
    take(listed, 0.5)
    demo = listed.window.session.demo
    assert demo.steps > 5
    take(listed, 0.1, event)
    before = demo.steps
    pictures.clear()
    take(listed, 10.0)
    assert listed.is_resting and (demo.steps, pictures) == (before, [])
    take(listed, 0.2, pygame.WINDOWSHOWN, pygame.WINDOWFOCUSGAINED)
    assert not listed.is_resting and before < demo.steps < before + 30 and pictures, "what was rested is not made up for"


def test_a_preview_rests_after_a_while_without_a_hand(listed: Loop, pictures: list[Window]) -> None:
    Warmup.is_over = True
    take(listed, 0.1)
    listed.turn(29.0)
    assert not listed.is_resting
    listed.turn(2.0)
    pictures.clear()
    take(listed, 5.0)
    assert listed.is_resting and pictures == []
    take(listed, 0.1, pygame.MOUSEMOTION, pos=(900, 300), rel=(1, 0), buttons=(0, 0, 0))
    assert not listed.is_resting and pictures


def test_a_preview_that_rests_in_sight_says_how_far_compiling_is(listed: Loop, pictures: list[Window]) -> None:
    take(listed, 0.2)
    steps = listed.window.session.demo.steps
    take(listed, 0.2, pygame.WINDOWFOCUSLOST)
    pictures.clear()
    take(listed, 5.0)
    assert 4 <= len(pictures) <= 6 and listed.window.session.demo.steps <= steps + 6
    pictures.clear()
    Warmup.is_over = True
    take(listed, 5.0)
    assert len(pictures) == 1, "it is over: said once, and then there is nothing new"
    take(listed, 0.2, pygame.WINDOWEXPOSED)
    assert len(pictures) == 2, "what lay over it is gone"


def test_a_hidden_demo_stands_still_and_goes_on_where_it_stood(running: Loop, pictures: list[Window]) -> None:
    demo = running.window.session.demo
    take(running, 0.5)
    take(running, 0.5, pygame.WINDOWFOCUSLOST)
    assert demo.steps > 30, "one that is seen beside another window runs"
    take(running, 0.1, pygame.WINDOWMINIMIZED)
    before = demo.steps
    pictures.clear()
    take(running, 20.0)
    assert (demo.steps, pictures) == (before, [])
    take(running, 0.2, pygame.WINDOWRESTORED)
    assert before < demo.steps <= before + 16 and pictures


def test_a_hidden_demo_that_is_recorded_goes_on_unseen(
    running: Loop, pictures: list[Window], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    take(running, 0.1)
    take(running, 0.1, pygame.KEYDOWN, key=pygame.K_r, mod=pygame.KMOD_CTRL, unicode="")
    assert running.window.session.recorder is not None
    take(running, 0.1, pygame.WINDOWHIDDEN)
    before = running.window.session.demo.steps
    pictures.clear()
    take(running, 1.0)
    assert running.window.session.demo.steps > before + 50 and pictures == []
    take(running, 0.1, pygame.QUIT)


def test_what_is_built_is_kept_while_the_window_is_hidden(running: Loop) -> None:
    noted: list[float] = []
    running.window.docks[0].update = lambda window, elapsed: noted.append(elapsed)  # type: ignore[method-assign]
    take(running, 0.1, pygame.WINDOWHIDDEN)
    noted.clear()
    take(running, 10.0)
    assert 9 <= len(noted) <= 11 and 9.0 < sum(noted) < 11.0


def test_a_window_that_comes_up_is_looked_at() -> None:
    attention = Attention()
    shown = (pygame.WINDOWSHOWN, pygame.WINDOWHIDDEN, pygame.WINDOWSHOWN, pygame.WINDOWEXPOSED, pygame.WINDOWENTER)  # SDL 2.32 on X11
    for event in shown:
        attention.note(pygame.event.Event(event))
    assert not attention.is_away
