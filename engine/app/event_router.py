"""Which way an event takes: to theme and text size, to the overlay of keys while it is shown, to the docks, to the window, to the demo.

The first that takes an event keeps it from the others. A demo gets what is left: keys that the window has no use for, and the pointer in
the view, by way of `Pointing`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import pygame

from engine.app import solver_loading
from engine.app.browser import Browser, edited
from engine.app.dropper import DROP_EVENTS, Dropper
from engine.app.frame import FoundDifference
from engine.app.keys import FILE_COMMANDS, LAYERS, Command, command_of, is_plain
from engine.app.layout import is_inside
from engine.app.messages import Message
from engine.app.motion_panel import Wish, next_beside, next_solver
from engine.app.navigator import Navigator
from engine.app.pages import open_page
from engine.app.panel import DemoPanel
from engine.app.panels.dock_area import DockArea
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.panels.menu_dock import MenuDock
from engine.app.screen import Appearance, Screen
from engine.app.session import Session
from engine.app.stepper_requests import (
    StepperRequest,
    door_of_bodies,
    door_of_body,
    door_of_contact,
    door_of_demo,
    door_of_difference,
    door_of_fixtures,
    door_of_solver,
)
from engine.common.errors import LabError
from engine.common.words import counted
from engine.render import palette
from engine.render.camera import Camera
from engine.render.controls import Control, Controls
from engine.sim.action import Held
from engine.sim.actions import Drag, Grab, Turn, TurnWheel
from engine.sim.demo import Demo
from engine.sim.stage import Stage, stage_under
from engine.world import load_solver

__all__ = ["EventRouter", "Pointing"]

_BUTTONS = (1, 2, 3)
"""Of the pointer; what pygame calls 4 and 5 are notches of the wheel."""
_ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)
_BESIDE = (
    *(pygame.K_LSHIFT, pygame.K_RSHIFT, pygame.K_LCTRL, pygame.K_RCTRL, pygame.K_LALT, pygame.K_RALT, pygame.K_LMETA, pygame.K_RMETA),
    *(pygame.K_CAPSLOCK, pygame.K_NUMLOCKCLEAR, pygame.K_MODE),
)
"""Keys that are held down beside another, and mean nothing alone."""
_PAGES = {pygame.K_PAGEUP: 6.0, pygame.K_PAGEDOWN: -6.0}
"""Keys that scroll the overlay of keys, in notches of the wheel."""
_NOTCH = 48.0
"""Design pixels that a notch of the wheel scrolls it."""
_CLICK = 4.0
"""Design pixels that a pressed pointer may move and still mean a click."""
_LEFT, _MIDDLE, _RIGHT = 1, 2, 3

Pixel = tuple[int, int]


class EventRouter:
    """Takes the events of a window.

    Attributes
    ----------
    running : bool
        False once the user has asked to close.
    appearance : Appearance
    dropper : Dropper
        Reads the files that are dropped.
    pointed : (x, y) or None
        The pixel of the view that the pointer is at.
    """

    def __init__(self, navigator: Navigator, screen: Screen, dock_area: DockArea) -> None:
        self.running = True
        self.appearance = Appearance(screen.ui_scale)
        self.dropper = Dropper()
        self.pointed: tuple[int, int] | None = None
        self._navigator, self._screen, self._dock_area = navigator, screen, dock_area
        self._pointing = Pointing(navigator.session)
        self._wish: tuple[Wish, Session] | None = None
        """What was chosen while the solver was still to come, and where."""
        self._asked: Message | None = None
        """The question whether to quit, or to end a world for others; it holds as long as it is shown."""

    def begin(self, session: Session) -> None:
        """Steer another session: the window's has changed."""
        self._pointing = Pointing(session)

    def handle(self, event: pygame.event.Event) -> None:
        """Take in one event."""
        session = self._navigator.session
        if self.appearance.handle(event, self._screen, session.messages.answer):
            return
        if self._is_of_the_overlay(event) or self._dock_area.offer(event, session):
            return
        if event.type == pygame.QUIT:
            self._close()
        elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
            self._screen.resize(event.size if event.type == pygame.VIDEORESIZE else (event.x, event.y))
        elif event.type == pygame.KEYDOWN:
            self._key(event)
        elif event.type == pygame.KEYUP:
            self._navigator.session.driver.release_key(pygame.key.name(event.key))
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._navigator.session.driver.release_all()
            self._pointing.let_go()
        elif event.type == pygame.WINDOWLEAVE:
            if not any(pygame.mouse.get_pressed()):  # a drag may leave the window
                self.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(-1, -1), rel=(0, 0), buttons=(0, 0, 0)))
        elif event.type in DROP_EVENTS:
            if self._navigator.browsing and event.type == pygame.DROPFILE:  # it falls into the demo that is chosen
                self._navigator.start(self._navigator.chosen)
            self.dropper.take(event, self._navigator.session, self._screen.view)
        elif event.type == pygame.MOUSEWHEEL:
            self._wheel(pygame.mouse.get_pos() if not hasattr(event, "mouse") else event.mouse, event)
        else:
            self._pointer(event)

    def command(self, command: Command) -> None:
        """Carry out an order, from a key or from a button."""
        session = self._navigator.session
        if command in LAYERS:
            setattr(session.layers, command.value, not getattr(session.layers, command.value))
            return
        if command in FILE_COMMANDS:
            if (files := self._dock_area.find(FilesDock)) is not None:
                files.order(command)
            return
        orders: dict[Command, Callable[[], None]] = {
            Command.HELP: self._show_help,
            Command.BACK: self._back,
            Command.PAUSE: session.clock.toggle_pause,
            Command.STEP: session.clock.request_step,
            Command.SLOWER: session.clock.slower,
            Command.FASTER: session.clock.faster,
            Command.RESTART: session.restart,
            Command.HOME: session.view.home,
            Command.MENU: self._open_menu,
            Command.SOLVER: self._next_solver,
            Command.BESIDE: self._next_beside,
            Command.WATCH: self._watch,
            Command.WATCH_SOLVER: self._watch_solver,
            Command.QUIT: lambda: self.handle(pygame.event.Event(pygame.QUIT)),
        }
        orders[command]()

    def choose(self, wish: Wish) -> None:
        """Let another solver drive the demo, or run beside it, or have its picture elsewhere; once the solver is there."""
        session = self._navigator.session
        self._wish = None
        if wish.what != "solver" and session.is_shared:
            session.messages.answer("no world beside this one: it is shared, and goes back and forth as others' acts come", palette.WARNING)
        elif wish.solver and not self._has_solver(wish.solver):
            self._wish = wish, session
            words = f"{load_solver(wish.solver).capabilities.title} is being loaded, or compiled where this is the first time"
            session.messages.answer(words, is_passing=True)
        elif wish.what == "solver":
            session.set_solver(wish.value)
        elif wish.what == "lane":
            session.wants_lane = bool(wish.value)
        else:
            self._put_beside(session, wish)

    def _put_beside(self, session: Session, wish: Wish) -> None:
        """Let what runs beside the demo be as wished: one of them another, one more or one less, or all from another state."""
        solvers, since = [one.solver for one in session.besides], session.since
        if wish.what == "none":
            solvers = []
        elif wish.what == "since":
            since = session.here if wish.value else None
        else:
            solvers[wish.at : wish.at + 1] = [wish.value] if wish.value else []
        try:
            session.put_beside(*solvers, since=since)
        except LabError as error:
            title = load_solver(wish.value).capabilities.title if wish.solver else "the demo"
            session.messages.answer(f"{title} cannot run beside it: {error}", palette.WARNING)

    def go_on(self) -> None:
        """Do what was chosen before its solver was there; called once a frame. Who has gone elsewhere meanwhile wants it no more."""
        if self._wish is not None and self._has_solver(self._wish[0].value):
            (wish, session), self._wish = self._wish, None
            if session is self._navigator.session:
                session.messages.end_passing()
                self.choose(wish)

    def _has_solver(self, solver: str) -> bool:
        """Tell whether a solver need not be waited for: it runs here already, or has been loaded."""
        session = self._navigator.session
        runs = *session.demo.sim.solvers, *(one.solver for one in session.besides)
        return solver in runs or solver_loading.is_ready(solver)

    def _next_solver(self) -> None:
        if (wish := next_solver(self._navigator.session)) is not None and not self._navigator.browsing:
            self.choose(wish)

    def _next_beside(self) -> None:
        for wish in next_beside(self._navigator.session) if not self._navigator.browsing else ():
            self.choose(wish)

    def _show_help(self) -> None:
        self._screen.help_shown, self._screen.help_scrolled = True, 0

    def _watch(self) -> None:
        """Open the stepper of what is pointed at, looked at or selected, or else of what the demo itself offers."""
        session = self._navigator.session
        if not self._navigator.browsing:
            with contextlib.suppress(LabError):  # what is looked at is gone
                session.watch(self._door(session))

    def _watch_solver(self) -> None:
        session = self._navigator.session
        if not self._navigator.browsing:
            k = 0 if self.pointed is None else max(stage_under(session.demo.stages, session.view.to_world(self.pointed)), 0)
            if not session.demo.stages:
                session.watch(None)
            elif (door := self._solver(session.demo.stages[k])) is not None:
                session.watch(door)

    def _door(self, session: Session) -> StepperRequest | None:
        """Return what answered at the pointer: a difference, a contact, a body; else what is looked at closely, or two bodies selected."""
        painter, stages, at = self._screen.painter, session.demo.stages, self.pointed
        if at is not None and (found := painter.difference_at(at)) is not None:
            return door_of_difference(found.stage, found.difference)
        if at is not None and (contact := painter.contact_at(at)) is not None:
            return door_of_contact(*contact)
        focus, inspector = session.view.focus, self._dock_area.find(InspectorDock)
        if focus is not None:
            return door_of_fixtures(focus.stage, focus.fixture_a, focus.fixture_b)
        if inspector is not None and (pair := inspector.editor.pair) is not None:
            return door_of_bodies(*pair)
        if at is not None and stages:
            point = session.view.to_world(at)
            stage = stages[max(stage_under(stages, point), 0)]
            body = stage.world.body_at(stage.local(point))
            if body is not None:
                return door_of_body(stage, body)
        return door_of_demo(session.demo)

    def _open_menu(self) -> None:
        if (menu := self._dock_area.find(MenuDock)) is not None:
            menu.open(self._navigator.session)

    def _back(self) -> None:
        """Go back: from a close look, from a demo to the list, from there out, if that is what is wanted."""
        if not self._navigator.browsing:
            if not self._navigator.session.look_back() and not self._navigator.look_back():
                is_shared = self._navigator.session.is_shared
                self._navigator.browse()
                if is_shared:
                    self._navigator.session.messages.answer("the shared world goes on: Esc goes back to it")
        elif self._navigator.come_back_to_shared():
            return
        elif self._asked is not None and self._navigator.session.messages.now is self._asked:
            self.running = False
        else:
            files, n_guests = self._dock_area.find(FilesDock), self._navigator.n_guests
            lost = files.would_lose() if files is not None else ""
            words = f"Esc once more: quit{f'; what you built in {lost} is lost' if lost else ''}"
            words += f"; the shared world ends for {counted(n_guests, 'guest')} too" if n_guests else ""
            self._asked = self._navigator.session.messages.answer(words)

    def _close(self) -> None:
        """Close the window; where a world ends for others with it, once that has been said."""
        messages, n_guests = self._navigator.session.messages, self._navigator.n_guests
        if n_guests and (self._asked is None or messages.now is not self._asked):
            self._asked = messages.answer(f"{counted(n_guests, 'guest')}: close once more to end the world for all", palette.WARNING)
        else:
            self.running = False

    def _is_of_the_overlay(self, event: pygame.event.Event) -> bool:
        """Scroll the overlay of keys, or close it: Esc, F1, a click do nothing else, any other key was looked up and does what it does."""
        if not self._screen.help_shown:
            return False
        if event.type == pygame.MOUSEWHEEL or (event.type == pygame.KEYDOWN and event.key in _PAGES):
            notches = float(getattr(event, "precise_y", event.y)) if event.type == pygame.MOUSEWHEEL else _PAGES[event.key]
            self._screen.help_scrolled = max(self._screen.help_scrolled - round(_NOTCH * notches * self._screen.layout.ui_scale), 0)
            return True
        if event.type == pygame.KEYDOWN and event.key not in _BESIDE:
            self._screen.help_shown = False
            return event.key in (pygame.K_ESCAPE, pygame.K_F1)
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in _BUTTONS:
            self._screen.help_shown = False
            return True
        return event.type == pygame.MOUSEBUTTONDOWN

    # -- keys ---------------------------------------------------------------------------------------------------------

    def _key(self, event: pygame.event.Event) -> None:
        command = command_of(event)
        if self._screen.browser is not None:
            self._key_in_list(event, self._screen.browser, command)
        elif is_plain(event) and (command is None or pygame.key.name(event.key) in self._navigator.session.demo.takes_keys):
            self._navigator.session.press(pygame.key.name(event.key))
        elif command is not None:
            self.command(command)

    def _key_in_list(self, event: pygame.event.Event, browser: Browser, command: Command | None) -> None:
        if command is Command.BACK and self._navigator.searched:
            self._navigator.search("")
        elif command in (Command.BACK, Command.HELP):
            self.command(command)
        elif event.key in (pygame.K_UP, pygame.K_DOWN):
            self._navigator.choose(browser.beside(self._navigator.chosen, 1 if event.key == pygame.K_DOWN else -1))
            browser.reveal(self._navigator.chosen)
        elif event.key in _ENTER:
            if self._navigator.chosen in browser.found:
                self._navigator.start(self._navigator.chosen)
        else:
            self._navigator.search(edited(event, self._navigator.searched))

    # -- the pointer --------------------------------------------------------------------------------------------------

    def _wheel(self, at: tuple[int, int], event: pygame.event.Event) -> None:
        notches = float(getattr(event, "precise_y", event.y))
        if is_inside(at, self._screen.layout.panel):
            self._screen.column.scroll(notches)
        elif is_inside(at, self._screen.view) and not self._navigator.browsing:
            self._pointing.wheel(at, notches, self._screen.painter.controls)

    def _pointer(self, event: pygame.event.Event) -> None:
        at = getattr(event, "pos", None)
        in_view = at is not None and is_inside(at, self._screen.view)
        if event.type == pygame.MOUSEMOTION:
            self.pointed = at if in_view else None
        if at is None or not (
            is_inside(at, self._screen.layout.strip) or (self._screen.browser is not None and self._screen.browser.head.collidepoint(at))
        ):
            self._screen.manager.process_events(event)
        if self._screen.browser is not None:
            self._point_at_list(event, self._screen.browser, in_view)
        elif self._screen.panel is not None:
            self._point_at_demo(event, self._screen.panel, in_view)

    def _point_at_list(self, event: pygame.event.Event, browser: Browser, in_view: bool) -> None:
        index = browser.started_by(event)
        if event.type == pygame.MOUSEMOTION:
            browser.point_at(event.pos)
        is_click = event.type == pygame.MOUSEBUTTONDOWN and event.button == 1
        if is_click and browser.menu.collidepoint(event.pos):
            self.command(Command.MENU)
        elif is_click and browser.cross.collidepoint(event.pos):
            self._navigator.search("")
        elif index is not None:
            self._navigator.start(index)
        elif event.type == pygame.MOUSEMOTION:
            hovered = browser.hovered()
            if hovered is not None:
                self._navigator.choose(hovered)
        elif is_click and in_view:
            self._navigator.start(self._navigator.chosen)

    def _point_at_demo(self, event: pygame.event.Event, panel: DemoPanel, in_view: bool) -> None:
        command = panel.handle(event)
        if command is not None:
            self.command(command)
        elif event.type == pygame.MOUSEBUTTONDOWN and in_view:
            painter = self._screen.painter
            self._pointing.press(event, painter.difference_at(event.pos) or self._contact(event.pos), painter.controls)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            if (reason := panel.referee.steps_at(event.pos)) is not None:
                self._watch_the_largest(reason)
            else:
                self._look_at_the_next(panel.referee.reason_at(event.pos))
        elif event.type == pygame.MOUSEBUTTONUP:
            self._pointing.release(event)
        elif event.type == pygame.MOUSEMOTION:
            self._pointing.move(event, self._screen.ui_scale)

    def _contact(self, at: Pixel) -> StepperRequest | None:
        """Return what found the contact under a pixel; with Shift, or where impulses are shown, what solves it."""
        found = self._screen.painter.contact_at(at)
        if found is None:
            return None
        wants_solver = pygame.key.get_mods() & pygame.KMOD_SHIFT or self._navigator.session.layers.impulses
        return self._solver(found[0]) if wants_solver else door_of_contact(*found)

    def _solver(self, stage: Stage) -> StepperRequest | None:
        """Return the next step of a world; None where that is too much, which is told."""
        try:
            return door_of_solver(stage)
        except LabError as error:
            self._navigator.session.messages.answer(str(error), palette.WARNING)
            return None

    def _watch_the_largest(self, reason: str) -> None:
        found = self._screen.painter.differences_of(reason)
        if found:
            self._navigator.session.watch(door_of_difference(found[0].stage, found[0].difference))

    def _look_at_the_next(self, reason: str | None) -> None:
        """Look at the largest difference of a reason, at the next one if that is looked at already."""
        session = self._navigator.session
        found = self._screen.painter.differences_of(reason) if reason is not None else []
        if found:
            focus = session.view.focus
            seen = next((k for k, one in enumerate(found) if focus is not None and focus.is_of(one.stage, one.difference)), -1)
            session.look_at(*found[(seen + 1) % len(found)])


def held_beside(demo: Demo, point: tuple[float, float]) -> Held | None:
    """Return what a hand at a point of the picture takes hold of in a demo beside: its stage, the body, and the point of the body."""
    for k, stage in enumerate(demo.stages):
        target = stage.local(point)
        body = stage.world.body_at(target)
        if body is not None:
            return k, body, stage.world.state(body).xf.apply_inverse(target)
    return None


class Pointing:
    """What the pointer does in the view of one session: it takes hold of what lies there, moves the view, goes close to a difference.

    left    on a control of the demo's: moves its slider, presses its key, opens its page
            on a ring of a difference:  a click goes close, another opens the stepper; a drag takes hold of what lies there
            on a contact point:         a click opens the stepper; a drag takes hold
            elsewhere:                  takes hold of a body, pulls, and lets go
    right   on what the demo can turn:  turns it;   elsewhere it moves the view, as the middle button does everywhere
    wheel   what the demo does with it;   otherwise it zooms
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._holding = self._panning = 0
        """The button that does so; 0 for none."""
        self._clicked: tuple[Pixel, FoundDifference | StepperRequest] | None = None
        self._slider: Control | None = None
        self._lens: Camera | None = None
        """What the hand looks through where it went down, if that is another camera than the view's."""

    def press(self, event: pygame.event.Event, found: FoundDifference | StepperRequest | None, controls: Controls) -> None:
        """A button goes down in the view; `found` is the difference or the contact there, `controls` what the picture has for the hand."""
        self._lens = controls.view_at(event.pos)
        control = controls.at(event.pos) if event.button == _LEFT else None
        if control is not None:
            self._use(control, event.pos)
        elif event.button == _LEFT:
            if found is not None:
                self._clicked = (event.pos, found)
            else:
                self._grip(Grab, event.pos, _LEFT)
        elif event.button == _MIDDLE or (event.button == _RIGHT and (self._holding or not self._grip(Turn, event.pos, _RIGHT))):
            self._panning = event.button

    def move(self, event: pygame.event.Event, ui_scale: float) -> None:
        """The pointer moves, over the view or dragged out of it."""
        if self._clicked is not None and math.dist(self._clicked[0], event.pos) > _CLICK * ui_scale:
            self._grip(Grab, self._clicked[0], _LEFT)
            self._clicked = None
        if self._slider is not None:
            self._session.set_parameter(self._slider.parameter, self._snapped(self._slider, event.pos))
        if self._panning:
            self._session.view.pan(*event.rel)
        if self._holding:
            self._session.act(Drag(self._to_world(event.pos)))

    def release(self, event: pygame.event.Event) -> None:
        """A button goes up, wherever; pygame counts a notch of the wheel as a button too."""
        if event.button == _LEFT:
            self._slider = None
        if event.button == _LEFT and self._clicked is not None:
            found, self._clicked = self._clicked[1], None
            focus = self._session.view.focus
            if isinstance(found, StepperRequest):
                self._session.watch(found)
            elif focus is not None and focus.is_of(found.stage, found.difference):
                self._session.watch(door_of_difference(found.stage, found.difference))
            else:
                self._session.look_at(*found)
        elif event.button == self._panning:
            self._panning = 0
        elif event.button == self._holding:
            self._ungrip()

    def wheel(self, pixel: Pixel, notches: float, controls: Controls) -> None:
        """The wheel turns over the view."""
        self._lens = controls.view_at(pixel)
        point = self._to_world(pixel)
        if not self._session.act(TurnWheel(point, notches)):
            self._session.view.zoom(pixel if self._lens is None else self._session.view.camera.to_screen(point), notches)

    def let_go(self) -> None:
        """Whatever is being done ends: the window is no longer the one that is used."""
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
        elif control.page:
            self._session.messages.answer(open_page(control.page))

    def _snapped(self, control: Control, pixel: Pixel) -> float:
        """Return the value of a slider under a pixel, a whole one where its parameter must be whole."""
        value = control.value_at(pixel[0])
        is_whole = any(one.name == control.parameter and one.whole for one in self._session.demo.parameters)
        return float(round(value)) if is_whole else value

    def _to_world(self, pixel: Pixel) -> tuple[float, float]:
        return self._session.view.to_world(pixel) if self._lens is None else self._lens.to_world(pixel)

    def _grip(self, kind: type[Grab | Turn], pixel: Pixel, button: int) -> bool:
        """Take hold, to pull or to turn, of what lies under a pixel; return True if there is something."""
        session, point = self._session, self._to_world(pixel)
        lane = session.view.lane_at(pixel) if kind is Grab else None
        held = None if lane is None else held_beside(session.besides[lane].demo, point)
        is_held = False
        with contextlib.suppress(LabError):  # too heavy, or too far out, to be held
            is_held = bool(session.act(kind(point) if held is None else Grab(point, held=held)))
        self._holding = button if is_held else 0
        return is_held

    def _ungrip(self) -> None:
        if self._holding:
            self._holding = 0
            self._session.driver.release()
