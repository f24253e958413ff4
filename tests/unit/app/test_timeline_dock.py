"""The timeline under the scene, operated by simulated input."""

import pygame

from engine.app.panels.dock import Dock, carve
from engine.app.panels.timeline_dock import TimelineDock, _clock
from engine.sim.history import demo_hash
from tests.unit.app.hand import FRAME, dock_of, frames, key
from tests.unit.app.written import Written, noting_words


def press(window, at):
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
    frames(window)


def test_the_scene_leaves_room_for_the_timeline(window):
    left, top, width, height = dock_of(window, TimelineDock).place
    view = window.session.view.camera.view
    assert (left, top) == (view[0], view[1] + view[3]) and width == view[2] and height == 36
    assert top + height == window.screen.layout.view[3]


def test_dragging_the_timeline_goes_to_any_step(window):
    frames(window, 100)
    history = window.session.timeline.history
    assert history.now == history.last >= 98
    end, last = demo_hash(window.session.demo), history.last
    bar = dock_of(window, TimelineDock).bar
    press(window, (bar.left + bar.width // 4, bar.centery))
    assert window.session.clock.paused and history.now == round(last / 4)
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(bar.right + 50, bar.centery), rel=(1, 0), buttons=(1, 0, 0)))
    frames(window)
    assert history.now == last and demo_hash(window.session.demo) == end
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=(bar.right, bar.centery), button=1))
    window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(bar.left, bar.centery), rel=(1, 0), buttons=(0, 0, 0)))
    frames(window)
    assert history.now == last


def test_keys_step_back_and_forward_and_undo_and_redo(window):
    frames(window, 50)
    history = window.session.timeline.history
    last = history.last
    key(window, pygame.K_COMMA)
    key(window, pygame.K_COMMA)
    assert history.now == last - 2 and window.session.clock.paused
    key(window, pygame.K_PERIOD)
    assert history.now == last - 1
    key(window, pygame.K_END)
    assert history.at_tip
    key(window, pygame.K_t)  # tosses everything
    frames(window)
    key(window, pygame.K_z, pygame.KMOD_CTRL)
    assert history.now == last and history.can_redo
    key(window, pygame.K_y, pygame.KMOD_CTRL)
    assert history.at_tip and not history.can_redo
    key(window, pygame.K_y, pygame.KMOD_CTRL)
    message = window.session.messages.now
    assert "nothing to redo" in message.words


def test_the_message_about_redo_disappears_at_the_next_undo(window):
    frames(window, 5)
    key(window, pygame.K_t)
    frames(window, 5)
    key(window, pygame.K_y, pygame.KMOD_CTRL)
    assert window.note[0] == "There is nothing to redo."
    key(window, pygame.K_z, pygame.KMOD_CTRL)
    assert window.note is None
    key(window, pygame.K_z, pygame.KMOD_CTRL)
    assert window.note[0] == "There is nothing to undo."
    key(window, pygame.K_y, pygame.KMOD_CTRL)
    assert window.note is None


def test_the_clock_shows_the_current_step_wherever_the_pointer_is(window):
    frames(window, 100)
    key(window, pygame.K_SPACE)
    history, dock = window.session.timeline.history, dock_of(window, TimelineDock)
    assert history is not None
    bar = dock.bar
    for x in (bar.left, bar.centerx, bar.right - 1):
        window.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(x, bar.centery), rel=(1, 0), buttons=(0, 0, 0)))
        with noting_words():
            surface = Written((1280, 720))
            window.update(FRAME)
            window.show(surface)
        written = {words: place for words, place in surface.words if pygame.Rect(dock.place).colliderect(place)}
        now, pointed = _clock(history.now / 60.0), dock.step_at(x, history)
        assert f"{now} / {now}" in written and window.session.timeline.moment.startswith(f"{history.now / 60.0:.2f} s")
        assert bar.left <= written[f"{_clock(pointed / 60.0)}, step {pointed}"].left and not surface.overlaps()


def test_every_button_works(window):
    frames(window, 40)
    history, dock = window.session.timeline.history, dock_of(window, TimelineDock)
    last = history.last
    start, back, play, on, end, *_ = (dock.form.rect(item).center for item in dock.form.items)
    press(window, back)
    assert history.now == last - 1
    press(window, start)
    assert history.now == 0
    press(window, on)
    assert history.now == 1
    press(window, end)
    assert history.now == last and window.session.clock.paused
    press(window, play)
    assert not window.session.clock.paused


def test_docks_leave_space_for_the_view():
    class Greedy(Dock):
        side = "right"

        @property
        def size(self):
            return 900.0

    class Tall(Greedy):
        side = "bottom"

    docks = (Greedy(), Tall(), Tall())
    left, top, width, height = carve((100, 0, 1000, 800), 1.0, docks)
    assert (left, top) == (100, 0) and width == 450 and height == 440
    assert docks[0].place == (550, 0, 550, 800)
    assert docks[1].place == (100, 620, 450, 180) and docks[2].place == (100, 440, 450, 180)
