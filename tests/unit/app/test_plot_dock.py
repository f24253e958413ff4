"""Plots and the camera, operated by simulated input."""

import numpy as np
import pygame

from engine.app.panels.plot_dock import PlotDock
from engine.app.window import Window
from engine.render import palette
from engine.sim.actions import DestroyBody
from engine.sim.history import demo_hash
from tests.unit.app.hand import SIZE, dock_of, frames, key, press
from tests.unit.app.written import Written, noting_words


def body_pixel(window, body):
    world = window.session.demo.stages[0].world
    x, y, angle = world.poses[world.row_of(body)].tolist()
    cx, cy = world.body(body).local_center
    cos, sin = np.cos(angle), np.sin(angle)
    at = window.session.view.camera.to_screen((x + cos * cx - sin * cy, y + sin * cx + cos * cy))
    return round(at[0]), round(at[1])


def test_a_key_opens_the_plots_and_the_view_makes_room(window):
    before = window.session.view.camera.view
    key(window, pygame.K_F7)
    frames(window, 2)
    dock = dock_of(window, PlotDock)
    assert dock.place[3] > 100 and window.session.view.camera.view[3] == before[3] - dock.place[3]
    key(window, pygame.K_F7)
    frames(window, 2)
    assert window.session.view.camera.view == before and dock.place[3] == 0


def test_a_middle_click_watches_a_body_and_a_middle_drag_moves_the_view(window):
    frames(window, 60)
    session, at = window.session, body_pixel(window, 1)
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        window.handle(pygame.event.Event(kind, pos=at, button=2))
    assert session.timeline.watched == (0, 1)
    before = session.view.camera
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(640, 100), button=2))
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(680, 100), rel=(40, 0), buttons=(0, 1, 0)))
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=(680, 100), button=2))
    assert session.timeline.watched == (0, 1) and session.view.camera != before
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):  # where there is none: nobody is watched
        window.handle(pygame.event.Event(kind, pos=(640, 60), button=2))
    assert session.timeline.watched is None


def test_alt_click_watches_a_body_and_its_curve_is_plotted(window):
    key(window, pygame.K_F7)
    frames(window, 30)
    key(window, pygame.K_SPACE)
    frames(window, 2)
    dock, session = dock_of(window, PlotDock), window.session

    def curves():
        return dock._curves(session, session.timeline.history, session.timeline.series)

    assert [curve.unit for curve in curves()] == ["J", "J", "kg m/s", "kg m/s"]  # of the whole; there is no body yet
    key(window, pygame.K_HOME)  # the whole picture, above the plots
    press(window, body_pixel(window, 5), mod=pygame.KMOD_LALT)
    assert session.timeline.watched == (0, 5) and not session.demo.grabbing
    *whole, speed = curves()
    assert len({curve.style for curve in (*whole, speed)}) == 5 and speed.name.startswith("speed of ")
    assert len(speed.values) == session.timeline.history.last + 1
    assert np.isclose(speed.values[-1], np.hypot(*session.demo.stages[0].world.state(5).linear_velocity), rtol=1e-6)
    with noting_words():
        written = Written(SIZE)
        window.screen.cache.forget()
        window.show(written)
    assert {curve.name for curve in curves()} <= {words for words, _ in written.words}, "the legend"
    view = session.view.camera.view
    press(window, (view[0] + 5, view[1] + view[3] - 5), mod=pygame.KMOD_LALT)
    assert session.timeline.watched is None


def test_a_click_in_the_plot_goes_to_that_step_and_a_drag_scrubs(window):
    key(window, pygame.K_F7)
    frames(window, 90)
    history = window.session.timeline.history
    end, last = demo_hash(window.session.demo), history.last
    dock = dock_of(window, PlotDock)
    axis = dock._axis
    at = (round(axis.x(30)), dock.place[1] + 40)
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
    frames(window)
    assert history.now == axis.step(at[0]) and abs(history.now - 30) <= 1 and window.session.clock.paused
    bright = frames(window)
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(axis.left + axis.width + 50, at[1]), rel=(1, 0), buttons=(1, 0, 0)))
    after = frames(window)
    assert history.now == last and demo_hash(window.session.demo) == end
    place = pygame.Rect(axis.left + axis.width // 2, dock.place[1], axis.width // 2, dock.place[3] - 24)
    ahead, been = bright.subsurface(place), after.subsurface(place)
    color = palette.SERIES[0]
    assert _count(been, color) > 20 and _count(ahead, color) == 0  # what lies ahead is dimmed
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1))


def test_the_wheel_changes_the_time_range(window):
    key(window, pygame.K_F7)
    frames(window, 100)
    dock = dock_of(window, PlotDock)
    inside = (dock.place[0] + dock.place[2] - 60, dock.place[1] + 60)
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=inside, rel=(0, 0), buttons=(0, 0, 0)))
    for _ in range(15):
        window.handle(pygame.event.Event(pygame.MOUSEWHEEL, y=1, x=0, precise_y=1.0, mouse=inside))
    frames(window)
    axis, history = dock._axis, window.session.timeline.history
    assert axis is not None and history is not None
    assert axis.first > 0 and axis.last == history.last and axis.last - axis.first < 60


def test_the_camera_follows_exactly_and_through_rewinding(window):
    frames(window, 20)
    session = window.session
    window.screen.ui.pointer = None
    session.timeline.watched = (0, 7)
    key(window, pygame.K_v)
    frames(window, 90)
    for step in (None, 12, 70):
        if step is not None:
            session.timeline.seek(step)
            frames(window)
        at = body_pixel(window, 7)
        left, top, width, height = session.view.camera.view
        middle = left + width / 2, top + height / 2
        if step is not None:  # paused: drawn where it is
            assert abs(at[0] - middle[0]) <= 1 and abs(at[1] - middle[1]) <= 1
    key(window, pygame.K_v)
    assert session.view.following.followed is None
    key(window, pygame.K_v)
    assert session.view.following.followed == (0, 7)
    session.act(DestroyBody(0, 7))
    frames(window, 2)  # it has gone: the camera stays, and comes back to it
    session.undo()
    frames(window)
    assert session.view.following.followed == (0, 7)
    key(window, pygame.K_HOME)
    assert session.view.following.followed is None and session.view.is_untouched


def test_the_theme_and_the_text_size_can_change_at_run_time(window):
    dark = frames(window, 3).get_at((600, 300))
    key(window, pygame.K_F10)
    light = frames(window)
    assert palette.theme_name() == "light" and sum(light.get_at((600, 300))[:3]) > 600 > sum(dark[:3])
    key(window, pygame.K_F10)
    assert palette.theme_name() == "dark"
    key(window, pygame.K_EQUALS, pygame.KMOD_LCTRL)
    assert window.screen.ui_scale == 1.125 and window.session.clock.speed == 1.0
    for _ in range(10):
        key(window, pygame.K_MINUS, pygame.KMOD_LCTRL)
    assert window.screen.ui_scale == 0.75
    key(window, pygame.K_0, pygame.KMOD_LCTRL)
    assert window.screen.ui_scale == 1.0


def _count(surface, color):
    pixels = pygame.surfarray.array3d(surface)
    return int((pixels == np.array(color)).all(axis=2).sum())


def test_the_sums_name_their_world_and_the_bodies_that_they_exclude(twins, monkeypatch):
    window = Window(SIZE, (twins,), twins())
    key(window, pygame.K_F7)
    frames(window, 3)
    dock, session = dock_of(window, PlotDock), window.session

    def names():
        return [curve.name for curve in dock._curves(session, session.timeline.history, session.timeline.series)]

    assert names()[0] == "total energy"
    session.timeline.watched = (1, 0)
    assert names()[0] == "total energy, right"
    monkeypatch.setattr(type(session.timeline.series), "n_fallen", lambda *_: 1)
    assert names()[0] == "total energy without 1 fallen body, right"
