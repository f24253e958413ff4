"""Docks that do not all fit: which are folded, and how they come back."""

from __future__ import annotations

import pygame
import pytest

from engine.app.panels.dock import Dock, carve
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.window import Window
from engine.sim.registry import find_demo
from engine.ui.rows import Button

OPENED = (pygame.K_F7, pygame.K_i, pygame.K_F8)  # plots, inspector, log


class Sheet(Dock):
    """A dock at the right that may be folded."""

    side = "right"
    folds = True

    def __init__(self, wanted: float, opened: int) -> None:
        self.wanted, self.opened = wanted, opened

    @property
    def size(self) -> float:
        return self.wanted


def test_the_one_opened_longest_ago_is_folded_first() -> None:
    sheets = (Sheet(300.0, 2), Sheet(300.0, 3), Sheet(300.0, 1))
    view = carve((0, 0, 1200, 700), 1.0, sheets)
    assert [sheet.is_folded for sheet in sheets] == [False, False, True]
    assert [sheet.place[2] for sheet in sheets] == [300, 300, 20] and view[2] == 580
    carve((0, 0, 2000, 700), 1.0, sheets)
    assert not any(sheet.is_folded for sheet in sheets)


def test_before_anything_is_folded_all_become_a_little_smaller() -> None:
    sheets = (Sheet(300.0, 2), Sheet(300.0, 1))
    carve((0, 0, 1000, 700), 1.0, sheets)
    assert [sheet.place[2] for sheet in sheets] == [275, 275]


def test_the_last_one_is_not_folded_however_small_the_window() -> None:
    sheets = (Sheet(300.0, 2), Sheet(300.0, 1))
    carve((0, 0, 300, 200), 1.0, sheets)
    assert [sheet.is_folded for sheet in sheets] == [False, True]
    assert sheets[0].place[2] == 300 - 20 - 80  # it could not be read if the scene kept its 45 %
    carve((0, 0, 800, 600), 1.0, (sheets[0],))
    assert sheets[0].place[2] == 300
    carve((0, 0, 20, 20), 1.0, sheets)
    assert sheets[0].place[2] == 0


class Board(Sheet):
    """The same at the bottom."""

    side = "bottom"


def test_folded_docks_of_a_side_share_one_strip() -> None:
    sheets = tuple(Sheet(300.0, opened) for opened in (3, 1, 2))
    view = carve((100, 50, 600, 400), 1.0, sheets)
    assert [sheet.is_folded for sheet in sheets] == [False, True, True]
    left = 700 - sheets[0].place[2] - 20
    assert sheets[1].place == (left, 50, 20, 200) and sheets[2].place == (left, 250, 20, 200) and view[2] == left - 100
    boards = tuple(Board(200.0, opened) for opened in (3, 1, 2))
    view = carve((100, 50, 600, 400), 1.0, boards)
    top = 450 - boards[0].place[3] - 20
    assert boards[1].place == (100, top, 300, 20) and boards[2].place == (400, top, 300, 20) and view[3] == top - 50


@pytest.mark.parametrize("is_board_last", [False, True])
def test_only_the_dock_opened_last_of_all_takes_more_than_the_share_of_its_side(is_board_last: bool) -> None:
    sheet, board = Sheet(260.0, 1), Board(190.0, 2 if is_board_last else 0)
    view = carve((0, 0, 264, 258), 1.0, (sheet, board))
    assert (sheet.is_folded, board.is_folded) == (is_board_last, not is_board_last)
    assert view[2:] == (244, 258 - 162) if is_board_last else view[2:] == (80, 238)


@pytest.fixture
def window() -> Window:
    """A small one with everything open."""
    kind = find_demo("simple_shapes")
    window = Window((800, 600), (kind,), kind(1, {"count": 5}))
    for key in OPENED:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        frames(window)
    return window


def frames(window: Window, n: int = 2) -> pygame.Surface:
    surface = pygame.Surface(window.size)
    for _ in range(n):
        window.update(1.0 / 60.0)
        window.show(surface)
    return surface


def named(window: Window, title: str) -> Dock:
    return next(dock for dock in window.docks if dock.title == title)


def press(window: Window, at: tuple[int, int]) -> None:
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        window.handle(pygame.event.Event(kind, pos=at, button=1))


def test_in_a_small_window_the_scene_keeps_its_share_and_a_click_unfolds(window: Window) -> None:
    log, inspector = (named(window, title) for title in ("Event log", "Inspector"))
    assert not log.is_folded and inspector.is_folded and inspector.place[2] == 20
    assert window.screen.view[2] >= 0.45 * 524 and window.screen.view[3] >= 0.55 * 570
    before = pygame.image.tobytes(frames(window), "RGB")
    press(window, (inspector.place[0] + 5, 200))
    surface = frames(window)
    assert not inspector.is_folded and log.is_folded and inspector.place[2] > 0.8 * 256
    assert pygame.image.tobytes(surface, "RGB") != before
    window.screen.resize((1600, 1000))
    frames(window)
    assert not any(dock.is_folded for dock in window.docks)


def test_the_pointer_does_nothing_else_in_a_folded_dock(window: Window) -> None:
    inspector = named(window, "Inspector")
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(inspector.place[0] + 5, 200), rel=(0, 0), buttons=(0, 0, 0)))
    frames(window)
    assert inspector.is_folded and inspector.form.hovered is None


@pytest.mark.parametrize("scale", [1.0, 1.375, 2.0])
@pytest.mark.parametrize("size", [(480, 320), (800, 600), (1280, 720)])
def test_the_time_line_has_a_line_and_its_buttons_do_not_overlap(size: tuple[int, int], scale: float) -> None:
    kind = find_demo("simple_shapes")
    window = Window(size, (kind,), kind(1, {"count": 5}), ui_scale=scale)
    for key in OPENED:
        window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
    frames(window)
    line = named(window, "Time line")
    assert isinstance(line, TimelineDock)
    buttons = [line.form.rect(item) for item in line.form.items if isinstance(item.what, Button)][:-2]
    assert line.bar.width >= 90 * window.screen.ui_scale and line.bar.left > buttons[-1].right
    assert line.bar.right < line.form.rect(line.form.items[-2]).left
