"""The log of events, driven by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pygame
import pytest

from engine.app.panels.event_dock import EventDock
from engine.app.window import Window
from engine.geometry import Polygon
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec
from tests.unit.app.controls import place

FRAME = 1.0 / 60.0


@pytest.fixture
def window() -> Iterator[Window]:
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    demo = find_demo("simple_shapes")
    made = Window((1280, 720), (demo,), demo(0, {"count": 12}))
    made.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F8, mod=0, unicode=""))
    frames(made, 120)
    yield made
    pygame.display.quit()


def frames(window: Window, n: int = 1) -> None:
    surface = pygame.Surface((1280, 720))
    for _ in range(n):
        window.update(FRAME)
        window.show(surface)


def dock_of(window: Window) -> EventDock:
    return next(dock for dock in window.docks if isinstance(dock, EventDock))


def press(window: Window, at: tuple[int, int]) -> None:
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1))
    frames(window)


def shown(window: Window) -> list[str]:
    return [event.kind for _, event in dock_of(window)._listed]


def test_a_click_goes_to_the_step_and_the_list_follows(window: Window) -> None:
    dock, history = dock_of(window), window.session.timeline.history
    assert history is not None
    rect, event = dock._listed[2]
    press(window, rect.center)
    assert history.now == event.step < history.last
    rows = [one for _, one in dock._listed]
    assert event in rows and sum(one.step > history.now for one in rows) == 4  # the next ones, dimmed
    window.session.timeline.to_the_end()
    frames(window, 8)
    assert all(one.step <= history.now for _, one in dock._listed)


def test_kinds_and_bodies_are_filtered(window: Window) -> None:
    series = window.session.timeline.series
    assert series is not None
    assert {"impact", "begin", "end"} <= {event.kind for event in series.events.events}
    press(window, place(window, "begin").center)
    press(window, place(window, "end").center)
    assert set(shown(window)) == {"impact"}
    assert all(event.speed > 1.0 for _, event in dock_of(window)._listed)
    window.session.timeline.watched = (0, 4)
    press(window, place(window, "only").center)
    assert shown(window) and all(event.is_about(0, 4) for _, event in dock_of(window)._listed)


def test_the_wheel_goes_through_the_list(window: Window) -> None:
    dock = dock_of(window)
    newest = dock._listed[-1][1]
    inside = dock._listed[0][0].center
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=inside, rel=(0, 0), buttons=(0, 0, 0)))
    window.handle(pygame.event.Event(pygame.MOUSEWHEEL, y=2, x=0, precise_y=2.0, mouse=inside))
    frames(window)
    assert dock._scrolled > 0 and dock._listed[-1][1] is not newest
    for _ in range(40):
        window.handle(pygame.event.Event(pygame.MOUSEWHEEL, y=-1, x=0, precise_y=-1.0, mouse=inside))
    frames(window)
    assert dock._scrolled == 0


def test_a_pair_of_bodies_meets_once_however_many_fixtures_do() -> None:
    """Two feet of one body land on a floor in one step."""
    kind = find_demo("workbench")
    made = Window((1280, 720), (kind,), kind(0))
    feet = tuple(FixtureSpec(Polygon.box(0.2, 0.2, (x, 0.0))) for x in (-1.0, 1.0))
    history, series = made.session.timeline.history, made.session.timeline.series
    assert history is not None and series is not None
    history.act(CreateBody.of(0, BodySpec(feet, position=(0.0, 2.0), name="table")))
    while not series.events.events:
        history.step()
    (event,) = series.events.events
    assert event.kind == "impact" and event.pairs == 2 and event.speed > 4.0
    made.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F8, mod=0, unicode=""))
    frames(made)
    assert len(dock_of(made)._listed) == 1
