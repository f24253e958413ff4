import pygame
import pytest

from engine.app import loop
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.sim.registry import find_demo
from tests.unit.app.idle_compiler import IdleCompiler


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(loop, "Compiler", IdleCompiler)
    pygame.display.quit()


def closing_after(frames, monkeypatch):
    """Post the close button's event after some frames; return the windows drawn."""
    drawn = []
    draw = Window.show

    def counted(self, surface):
        draw(self, surface)
        drawn.append(self)
        if len(drawn) == frames:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(Window, "show", counted)
    return drawn


def _run(*arguments, **options):
    with loop.open_window(*arguments, **options) as opened:
        opened.run()


def test_opens_runs_and_closes(monkeypatch):
    drawn = closing_after(5, monkeypatch)
    _run(find_demo("simple_shapes"), values={"count": 5})
    assert 5 <= len(drawn) <= 7
    assert not drawn[0].browsing and len(drawn[0].session.demo.stages[0].world.body_ids) == 6
    assert not IdleCompiler.is_open and not pygame.display.get_init()


def test_without_a_demo_the_browser_opens(monkeypatch):
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
def test_mistakes_are_reported_before_anything_opens(arguments, field):
    with pytest.raises(InvalidInputError) as raised:
        _run(**arguments)
    assert raised.value.field == field
    assert not pygame.display.get_init()


def test_an_interrupt_closes_the_window(monkeypatch):
    def interrupt(self, surface):
        raise KeyboardInterrupt

    monkeypatch.setattr(Window, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _run(find_demo("simple_shapes"))
    assert not IdleCompiler.is_open and not pygame.display.get_init()


def test_a_display_that_cannot_open_is_reported_in_one_line(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    with pytest.raises(loop.DisplayError, match="no window can be opened"):
        _run()
