"""Passes each event to its receiver: an open menu or page, the docks, the window, or the demo.

An event is not passed on after the first receiver that uses it. A demo receives the rest: keys without a command, and the pointer in the
view, through `Pointing`.
"""

from __future__ import annotations

import contextlib
import math

import pygame

from engine.app.app import App
from engine.app.browser import Browser
from engine.app.commands import Command, command_of, is_of_demo, run
from engine.app.files.dropping import DROP_EVENTS, pixel_of_drop
from engine.app.frame import FoundDifference
from engine.app.key_page import KeyPage
from engine.app.keys import is_plain
from engine.app.layout import is_inside
from engine.app.menu import Menu
from engine.app.overlay import Overlay
from engine.app.pages import PageReader
from engine.app.session import Session
from engine.app.stepper_requests import (
    StepperRequest,
    door_of_contact,
    door_of_difference,
)
from engine.common.errors import LabError
from engine.render.camera import Camera
from engine.render.controls import Control, Controls
from engine.sim.actions import Drag, Grab, Turn, TurnWheel

__all__ = ["EventRouter", "Pointing"]

_ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)
_PAGES = {pygame.K_PAGEUP: 2.0, pygame.K_PAGEDOWN: -2.0}
"""Keys that act like the mouse wheel, and their notches."""
_CLICK = 4.0
"""Maximum pointer motion of a click, design pixels."""
_LEFT, _MIDDLE, _RIGHT = 1, 2, 3
_CTRL = pygame.KMOD_CTRL | pygame.KMOD_META
_ALWAYS = ("theme", "larger_text", "smaller_text", "usual_text")
"""Commands whose keys always work."""

Pixel = tuple[int, int]


class EventRouter:
    """Passes on the events of a window; open `overlays` receive events first."""

    def __init__(self, app: App) -> None:
        self._app, self._navigator, self._screen = app, app.navigator, app.screen
        self.menu, self.page, self.keys = Menu(app), PageReader(app), KeyPage(app)
        self.overlays: tuple[Overlay, ...] = (self.menu, self.page, self.keys, app.screen.asking)
        self._pointing = Pointing(app.session, self.page)
        self._is_left_for_right = False
        """True while the left button, pressed with Ctrl, acts as the right button."""
        app.open_menu, app.open_keys = self.menu.open, lambda: self.keys.show(app.session)

    def begin(self, session: Session) -> None:
        """Switch to another session."""
        for overlay in self.overlays:
            overlay.close()
        self._pointing = Pointing(session, self.page)

    def handle(self, event: pygame.event.Event) -> None:
        """Handle an event."""
        command = command_of(event) if event.type == pygame.KEYDOWN else None
        if command is not None and command.id in _ALWAYS:
            run(command, self._app)
            return
        self._screen.ui.note(event)
        if any(overlay.handle(event) for overlay in self.overlays) or self._is_of_a_control(event):
            return
        if self._app.dock_area.offer(event, self._app.session):
            return
        if event.type == pygame.QUIT:
            self._app.close()
        elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
            self._screen.resize(event.size if event.type == pygame.VIDEORESIZE else (event.x, event.y))
        elif event.type == pygame.KEYDOWN:
            self._key(event, command)
        elif event.type == pygame.KEYUP:
            self._app.session.driver.release_key(pygame.key.name(event.key))
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._app.session.driver.release_all()
            self._pointing.let_go()
        elif event.type in DROP_EVENTS:
            if event.type == pygame.DROPFILE:
                self._app.open_file(event.file, pixel_of_drop(event, self._screen.view))
        elif event.type == pygame.MOUSEWHEEL:
            self._wheel(*self._screen.ui.wheel_of(event))
        else:
            self._pointer(event)

    def _is_of_a_control(self, event: pygame.event.Event) -> bool:
        """Return True if the focused control used a key, or the key moved the focus."""
        ui, browser = self._screen.ui, self._screen.browser
        if event.type != pygame.KEYDOWN or ui.modal is not None or not ui.handle_key(event):
            return False
        if browser is not None and self._screen.browser is browser and (index := browser.index_of(ui.focused)) is not None:
            self._navigator.choose(index)
        return True

    # -- keys ---------------------------------------------------------------------------------------------------------

    def _key(self, event: pygame.event.Event, command: Command | None) -> None:
        session, name = self._app.session, pygame.key.name(event.key)
        if event.key in _PAGES and command is None and name not in session.demo.takes_keys:
            at = self._screen.ui.pointer or pygame.Rect(self._screen.view).center
            if not any(form.wheel(at, _PAGES[event.key]) for form in self._screen.ui.forms):
                self._wheel(at, _PAGES[event.key])
        elif self._screen.browser is not None:
            self._key_in_list(event, self._screen.browser, command)
        elif command is None or (is_plain(event) and is_of_demo(self._app, name, command)):
            if is_plain(event):
                session.press(name)
        else:
            run(command, self._app)

    def _key_in_list(self, event: pygame.event.Event, browser: Browser, command: Command | None) -> None:
        if command is not None and command.id == "demos":
            if self._navigator.searched:
                self._navigator.search("")
            else:
                self._app.back()
        elif command is not None and (event.mod & _CTRL or command.key.startswith("F")):
            run(command, self._app)
        elif event.key in (pygame.K_UP, pygame.K_DOWN):
            self._navigator.step(1 if event.key == pygame.K_DOWN else -1)
        elif event.key in _ENTER:
            if self._navigator.chosen in browser.found:
                self._navigator.start(self._navigator.chosen)
        elif event.key == pygame.K_BACKSPACE or (event.unicode.isprintable() and event.unicode.strip() and not event.mod & _CTRL):
            browser.type_in(event)

    # -- the pointer --------------------------------------------------------------------------------------------------

    def _wheel(self, at: tuple[int, int], notches: float) -> None:
        if not self._screen.form.wheel(at, notches) and is_inside(at, self._screen.view) and not self._navigator.browsing:
            self._pointing.wheel(at, notches, self._screen.painter.controls)

    def _pointer(self, event: pygame.event.Event) -> None:
        at = getattr(event, "pos", None)
        in_view = at is not None and is_inside(at, self._screen.view)
        if self._screen.form.handle(event):
            return
        if self._screen.browser is not None:
            self._point_at_list(event, self._screen.browser, in_view)
        elif self._screen.panel is not None:
            self._point_at_demo(event, in_view)

    def _point_at_list(self, event: pygame.event.Event, browser: Browser, in_view: bool) -> None:
        if event.type == pygame.MOUSEMOTION:
            if (pointed := browser.index_of(self._screen.form.hovered)) is not None:
                self._navigator.choose(pointed)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and in_view and browser.found:
            self._navigator.start(self._navigator.chosen)

    def _point_at_demo(self, event: pygame.event.Event, in_view: bool) -> None:
        if event.type == pygame.MOUSEMOTION:
            self._pointing.move(event, self._screen.ui_scale)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            if event.button == _LEFT:
                mod = event.mod if hasattr(event, "mod") else pygame.key.get_mods()
                self._is_left_for_right = in_view and bool(mod & pygame.KMOD_CTRL)
            if in_view:
                painter = self._screen.painter
                target = painter.difference_at(event.pos) or self._contact(event.pos)
                self._pointing.press(event.pos, self._meant(event.button), target, painter.controls)
        elif event.type == pygame.MOUSEBUTTONUP:
            self._pointing.release(self._meant(event.button))

    def _meant(self, button: int) -> int:
        return _RIGHT if button == _LEFT and self._is_left_for_right else button

    def _contact(self, at: Pixel) -> StepperRequest | None:
        """Return the stepper of the contact at a pixel; with Shift or visible impulses, that of the solver's impulses."""
        contact = self._screen.painter.contact_at(at)
        if contact is None:
            return None
        wants_solver = pygame.key.get_mods() & pygame.KMOD_SHIFT or self._app.session.layers.impulses
        return self._app.solver_door(contact[0]) if wants_solver else door_of_contact(*contact)


class Pointing:
    """Handles the pointer in the view of one session: it grabs bodies, pans, and zooms in on differences.

    left    on a control of the demo:   moves its slider, presses its key, opens its page
            on a ring of a difference:  a click zooms in, another opens the stepper; a drag grabs the body there
            on a contact point:         a click opens the stepper; a drag grabs the body
            elsewhere:                  grabs a body, pulls it, and releases it
    right   on a shape that can turn:   turns it;   elsewhere it pans the view, as the middle button does everywhere
    wheel   the demo's own reaction;    otherwise it zooms

    Without other buttons and a wheel, Ctrl with the left button acts as the right button, and Page Up and Page Down as the wheel.
    """

    def __init__(self, session: Session, page: PageReader) -> None:
        self._session, self._page = session, page
        self._holding = self._panning = 0
        """The pressed button of the drag; 0 without a drag."""
        self._clicked: tuple[Pixel, FoundDifference | StepperRequest] | None = None
        self._slider: Control | None = None
        self._lens: Camera | None = None
        """The camera at the start of the drag, if it is not the view's."""

    def press(self, at: Pixel, button: int, found: FoundDifference | StepperRequest | None, controls: Controls) -> None:
        """Handle a button press in the view; `found` is the difference or contact there, `controls` the drawn controls."""
        self._lens = controls.view_at(at)
        control = controls.at(at) if button == _LEFT else None
        if control is not None:
            self._use(control, at)
        elif button == _LEFT:
            if found is not None:
                self._clicked = (at, found)
            else:
                self._grip(Grab, at, _LEFT)
        elif button == _MIDDLE or (button == _RIGHT and (self._holding or not self._grip(Turn, at, _RIGHT))):
            self._panning = button

    def move(self, event: pygame.event.Event, ui_scale: float) -> None:
        """Handle pointer motion, over the view or dragged out of it."""
        if self._clicked is not None and math.dist(self._clicked[0], event.pos) > _CLICK * ui_scale:
            self._grip(Grab, self._clicked[0], _LEFT)
            self._clicked = None
        if self._slider is not None:
            self._session.set_parameter(self._slider.parameter, self._snapped(self._slider, event.pos))
        if self._panning:
            self._session.view.pan(*event.rel)
        if self._holding:
            self._session.act(Drag(self._to_world(event.pos)))

    def release(self, button: int) -> None:
        """Handle a button release anywhere; pygame also reports a wheel notch as a button."""
        if button == _LEFT:
            self._slider = None
        if button == _LEFT and self._clicked is not None:
            clicked, self._clicked = self._clicked[1], None
            focus = self._session.view.focus
            if isinstance(clicked, StepperRequest):
                self._session.watch(clicked)
            elif focus is not None and focus.is_of(clicked.stage, clicked.difference):
                self._session.watch(door_of_difference(clicked.stage, clicked.difference))
            else:
                self._session.look_at(*clicked)
        elif button == self._panning:
            self._panning = 0
        elif button == self._holding:
            self._ungrip()

    def wheel(self, pixel: Pixel, notches: float, controls: Controls) -> None:
        """Handle the mouse wheel over the view."""
        self._lens = controls.view_at(pixel)
        point = self._to_world(pixel)
        if not self._session.act(TurnWheel(point, notches)):
            self._session.view.zoom(pixel if self._lens is None else self._session.view.camera.to_screen(point), notches)

    def let_go(self) -> None:
        """End every drag, because the window loses the focus."""
        self._ungrip()
        self._panning = 0
        self._clicked = self._slider = None

    def _use(self, control: Control, pixel: Pixel) -> None:
        if control.parameter:
            self._slider = control
            self._session.set_parameter(control.parameter, self._snapped(control, pixel))
        elif control.key:
            self._session.press(control.key)
            self._session.driver.release_key(control.key)
        elif control.page and (failure := self._page.open(control.page)):
            self._session.messages.answer(failure)

    def _snapped(self, control: Control, pixel: Pixel) -> float:
        """Return the value of a drawn slider at a pixel, rounded if its parameter is an integer."""
        value = control.value_at(pixel[0])
        is_whole = any(parameter.name == control.parameter and parameter.whole for parameter in self._session.demo.parameters)
        return float(round(value)) if is_whole else value

    def _to_world(self, pixel: Pixel) -> tuple[float, float]:
        return self._session.view.to_world(pixel) if self._lens is None else self._lens.to_world(pixel)

    def _grip(self, kind: type[Grab | Turn], pixel: Pixel, button: int) -> bool:
        """Grab the object under a pixel, to pull or turn it; return True if there is one."""
        session, point = self._session, self._to_world(pixel)
        is_held = False
        with contextlib.suppress(LabError):  # too heavy or too far away to grab
            is_held = bool(session.act(kind(point)))
        self._holding = button if is_held else 0
        if is_held and session.clock.paused and session.demo.stages:
            session.messages.answer("Time is paused: the hand pulls once it runs (Space).")
        return is_held

    def _ungrip(self) -> None:
        if self._holding:
            self._holding = 0
            self._session.driver.release()
