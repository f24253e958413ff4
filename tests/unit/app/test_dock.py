"""Docks that do not all fit: which are closed, and how the others share the space."""

import pygame
import pytest

from engine.app.panels.dock import Dock, carve
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.window import Window
from engine.sim.registry import find_demo
from engine.ui.rows import Button

OPENED = (pygame.K_F7, pygame.K_i)  # plots, inspector


class Sheet(Dock):
    """A dock on the right that can shrink."""

    side = "right"
    gives_way = True

    def __init__(self, extent, opened):
        self.extent, self.opened, self.shown = extent, opened, True


def test_the_oldest_panel_is_closed():
    sheets = (Sheet(300.0, 2), Sheet(300.0, 3), Sheet(300.0, 1))
    view = carve((0, 0, 1200, 700), 1.0, sheets)
    assert [sheet.shown for sheet in sheets] == [True, True, False]
    assert [sheet.place[2] for sheet in sheets[:2]] == [300, 300] and view[2] == 600


def test_panels_shrink_before_one_is_closed():
    sheets = (Sheet(300.0, 2), Sheet(300.0, 1))
    carve((0, 0, 1000, 700), 1.0, sheets)
    assert [sheet.place[2] for sheet in sheets] == [275, 275]


def test_the_last_one_is_not_closed_however_small_the_window():
    sheets = (Sheet(300.0, 2), Sheet(300.0, 1))
    carve((0, 0, 300, 200), 1.0, sheets)
    assert [sheet.shown for sheet in sheets] == [True, False]
    assert sheets[0].place[2] == 300 - 80  # it could not be read if the scene kept its 45 %
    carve((0, 0, 800, 600), 1.0, (sheets[0],))
    assert sheets[0].place[2] == 300
    carve((0, 0, 20, 20), 1.0, sheets)
    assert sheets[0].place[2] < 20


@pytest.fixture
def window():
    """A small window with everything open."""
    kind = find_demo("simple_shapes")
    window = Window((800, 600), (kind,), kind(1, {"count": 5}))
    for key in OPENED:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        frames(window)
    return window


def frames(window, n=2):
    surface = pygame.Surface(window.size)
    for _ in range(n):
        window.update(1.0 / 60.0)
        window.show(surface)
    return surface


def named(window, title):
    return next(dock for dock in window.docks if dock.title == title)


@pytest.mark.parametrize("scale", [1.0, 1.375, 2.0])
@pytest.mark.parametrize("size", [(480, 320), (800, 600), (1280, 720)])
def test_the_timeline_and_its_buttons_do_not_overlap(size, scale):
    kind = find_demo("simple_shapes")
    window = Window(size, (kind,), kind(1, {"count": 5}), ui_scale=scale)
    for key in OPENED:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
    frames(window)
    line = named(window, "Timeline")
    assert isinstance(line, TimelineDock)
    buttons = [line.form.rect(item) for item in line.form.items if isinstance(item.what, Button)][:-2]
    assert line.bar.width >= 90 * window.screen.ui_scale and line.bar.left > buttons[-1].right
    assert line.bar.right < line.form.rect(line.form.items[-2]).left
