"""Provides the monkey's window: `OffScreen` passes events to a `Window` and draws it; `OnScreen` uses the program's window on an X display.

On screen, everything is as after ``python main.py``: `engine.app.loop.open_window` opens the window, events go through SDL's queue,
`Loop.turn` takes the frames, the live check warms up in its thread, scenes are kept, preferences are written. Only the wait for the next
frame is omitted, and a frame gets the elapsed time.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from typing import Protocol
from unittest import mock

import pygame

from engine.app.loop import open_window
from engine.app.window import Window
from tests.hazards.x_server import Hands, display

__all__ = ["OffScreen", "OnScreen", "Seat", "on_screen"]

WARM_UP = 300.0
"""Seconds that the live check may take to get ready: it compiles where nothing is compiled yet."""
BETWEEN_LOOKS = 0.02
SENT_BY_A_HAND = (pygame.KEYDOWN, pygame.KEYUP, pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL)


class Seat(Protocol):
    """The window interface that the monkey needs."""

    window: Window
    has_hands: bool
    from_server: int

    def send(self, event, by_hand):
        """Send an event; return True if it was sent through the X server."""

    def resize(self, size):
        """Resize the window."""

    def turn(self, elapsed):
        """Take a frame."""

    def hide(self):
        """Hide the window and show it again."""

    def let_go(self):
        """Release all buttons and keys."""


class OffScreen:
    """A `Window` under SDL's dummy driver, which gets its events one by one."""

    has_hands = False
    from_server = 0

    def __init__(self, size, demos, seed):
        self._surface = pygame.display.set_mode(size)
        self.window = Window(size, tuple(demos), seed=seed)

    def send(self, event, by_hand):
        """Pass the event on."""
        self.window.handle(event)
        self.window.app.running = True
        return False

    def resize(self, size):
        """Use another surface; SDL reports the event."""
        self._surface = pygame.display.set_mode(size)

    def turn(self, elapsed):
        """Run a frame, as the loop does."""
        for event in pygame.event.get():
            self.window.handle(event)
        self.window.app.running = True
        self.window.update(elapsed)
        self.window.show(self._surface)

    def hide(self):
        """There is no visible window."""

    def let_go(self):
        """There are no pressed buttons."""


class OnScreen:
    """The program's window and loop.

    Parameters
    ----------
    loop : Loop
    hands : Hands, optional
        For events sent by the X server; without them, all events are posted to the queue.

    Attributes
    ----------
    from_server : int
        Events of mouse and keys that came in from the X server.
    """

    def __init__(self, loop, hands=None):
        self.window = loop.window
        self.from_server = 0
        self.has_hands = hands is not None
        self._loop, self._hands = loop, hands
        self._handle = self.window.handle
        self.window.handle = self._counted

    def _counted(self, event):
        # what is posted has no `window` of its own
        self.from_server += event.type in SENT_BY_A_HAND and hasattr(event, "window")
        self._handle(event)

    def send(self, event, by_hand):
        """Send it through the X server if possible, otherwise post it."""
        if by_hand and self._hands is not None and self._hands.can(event):
            self._hands.do(event)
            return True
        assert pygame.event.post(event), f"the queue is full at {event}"
        return False

    def resize(self, size):
        """Drag the corner, or let SDL request the size; in both cases, the server reports the event."""
        if self._hands is not None:
            self._hands.resize(size)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the display module has no other way to its window
            pygame.Window.from_display_module().size = size

    def turn(self, elapsed):
        """Run a frame; the monkey does not quit."""
        self._loop.turn(elapsed)
        self.window.app.running = True

    def hide(self):
        """Hide the window, run a frame, and show it again."""
        if self._hands is not None:
            self._hands.hide()
            self.turn(0.0)
            self._hands.show()

    def let_go(self):
        """Release all buttons and keys."""
        if self._hands is not None:
            self._hands.let_go()

    def await_check(self):
        """Run frames until the live check is ready; raise `AssertionError` if that never happens."""
        ends = time.monotonic() + WARM_UP
        while self._loop.is_warming_up:
            assert time.monotonic() < ends, "the live check does not get ready"
            time.sleep(BETWEEN_LOOKS)
            self.turn(0.0)
        assert not self._loop.failure, f"there is no live check: {self._loop.failure}"


@contextlib.contextmanager
def on_screen(size, demos, seed, with_hands=None, own=False):
    """Open the program's window with these demos on ``$DISPLAY``, or in an Xvfb, and close it after.

    Parameters
    ----------
    with_hands : bool, optional
        Let xdotool move the pointer and type. By default only in an Xvfb, which has no other user.
    own : bool
        Take an Xvfb in any case.

    Raises
    ------
    NoServerError
        There is none, or no xdotool.
    """
    with contextlib.ExitStack() as stack:
        is_own = stack.enter_context(display(own))
        stack.enter_context(mock.patch("engine.app.loop.all_demos", lambda: tuple(demos)))
        loop = stack.enter_context(open_window(seed=seed, size=size, ui_scale=1.0))
        driver = pygame.display.get_driver()
        assert driver == "x11", f"SDL took the driver {driver}"
        hands = Hands(pygame.display.get_wm_info()["window"]) if (is_own if with_hands is None else with_hands) else None
        if hands is not None:
            stack.callback(hands.close)
        yield OnScreen(loop, hands)
