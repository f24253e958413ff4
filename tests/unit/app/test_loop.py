from typing import Any

import pygame
import pytest

from engine.app import loop
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.sim.registry import find_demo


class NoWarmup:
    """Ends at once, without a referee."""

    factory = None
    failure = "left out"
    closed = False

    def start(self) -> None:
        """Nothing."""

    def wait(self, seconds: float) -> bool:
        """Ended."""
        return True

    def close(self) -> None:
        """Remember."""
        NoWarmup.closed = True


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "RefereeWarmup", NoWarmup)
    NoWarmup.closed = False
    pygame.display.quit()


def closing_after(frames: int, monkeypatch: pytest.MonkeyPatch) -> list[Window]:
    """Post the close button's event after some frames; return the windows drawn."""
    drawn: list[Window] = []
    draw = Window.show

    def counted(self: Window, surface: pygame.Surface) -> None:
        draw(self, surface)
        drawn.append(self)
        if len(drawn) == frames:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(Window, "show", counted)
    return drawn


def _run(*arguments: Any, **options: Any) -> None:
    with loop.open_window(*arguments, **options) as opened:
        opened.run()


def test_opens_runs_and_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = closing_after(5, monkeypatch)
    _run(find_demo("simple_shapes"), values={"count": 5})
    assert 5 <= len(drawn) <= 7
    assert not drawn[0].browsing and len(drawn[0].session.demo.stages[0].world.body_ids) == 6
    assert NoWarmup.closed and not pygame.display.get_init()


def test_without_a_demo_the_browser_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = closing_after(3, monkeypatch)
    _run()
    assert drawn[0].browsing


@pytest.mark.parametrize(
    "arguments, field",
    [
        ({"kind": find_demo("simple_shapes"), "values": {"count": "many"}}, "count"),
        ({"kind": find_demo("simple_shapes"), "seed": -1}, "seed"),
        ({"ui_scale": 9.0}, "--ui-scale"),
        ({"ui_scale": float("nan")}, "--ui-scale"),
    ],
)
def test_mistakes_are_told_before_anything_opens(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        _run(**arguments)
    assert raised.value.field == field
    assert not pygame.display.get_init()


def test_an_interrupt_closes_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Window, surface: pygame.Surface) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Window, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _run(find_demo("simple_shapes"))
    assert NoWarmup.closed and not pygame.display.get_init()


def test_a_display_that_cannot_open_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    with pytest.raises(loop.DisplayError, match="no window can be opened"):
        _run()
