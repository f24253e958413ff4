"""The event log, operated by simulated input."""

import pygame
import pytest

from engine.app.panels.event_dock import EventDock
from engine.app.window import Window
from engine.geometry import Polygon
from engine.sim.actions import CreateBody
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec
from tests.unit.app.controls import names, place
from tests.unit.app.hand import FRAME, frames, press


@pytest.fixture
def window(window):
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F8, mod=0, unicode=""))
    for _ in range(119):
        window.update(FRAME)
    frames(window)
    return window


def listed(window):
    dock = window.app.dock(EventDock)
    history, series = window.session.timeline.history, window.session.timeline.series
    assert history is not None and series is not None
    return dock.listed(window.session, series, history.now)


def test_a_click_goes_to_the_step_and_the_list_follows(window):
    history = window.session.timeline.history
    before = listed(window)
    event = before[-12]
    (words,) = {name for name in names(window) if name.startswith(f"{event.step}  {event.kind}")} or {""}
    press(window, place(window, words).center)
    assert history.now == event.step < history.last
    rows = listed(window)
    assert event in rows and sum(row.step > history.now for row in rows) == 4  # the next ones, gray
    window.session.timeline.to_the_end()
    frames(window, 8)
    assert listed(window) == before


def test_kinds_and_bodies_are_filtered(window):
    assert {"impact", "begin", "end"} <= {event.kind for event in listed(window)}
    press(window, place(window, "begin").center)
    press(window, place(window, "end").center)
    assert {event.kind for event in listed(window)} == {"impact"}
    assert all(event.speed > 1.0 for event in listed(window))
    window.session.timeline.watched = (0, 4)
    press(window, place(window, "only").center)
    assert listed(window) and all(event.is_about(0, 4) for event in listed(window))


def test_the_list_shows_only_what_fits(window):
    dock = window.app.dock(EventDock)
    series = window.session.timeline.series
    assert len(listed(window)) < len(series.events.events)
    assert dock.form.height <= dock.form.place.height


def test_a_pair_of_bodies_has_one_event_for_all_fixtures():
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
    assert len(listed(made)) == 1 and any("×2" in name for name in names(made))
