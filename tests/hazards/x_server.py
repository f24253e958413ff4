"""An X server for a run, and events that it sends to a window like a user.

`display` uses the server at ``$DISPLAY``, or starts Xvfb, which has no screen and no window manager. `Hands` uses one ``xdotool -`` process
for the whole run, because starting a process for each event would cost a hundred times as much. It moves the server's only pointer and
types into the focused window, which on a shared screen may not be ours.
"""

import contextlib
import os
import shutil
import subprocess

import pygame

from engine.app.display import display_problem

__all__ = ["Hands", "NoServerError", "display"]

SCREEN = "1920x1200x24"
NAMES = {
    pygame.K_RETURN: "Return",
    pygame.K_ESCAPE: "Escape",
    pygame.K_BACKSPACE: "BackSpace",
    pygame.K_TAB: "Tab",
    pygame.K_DELETE: "Delete",
    pygame.K_INSERT: "Insert",
    pygame.K_HOME: "Home",
    pygame.K_END: "End",
    pygame.K_PAGEUP: "Prior",
    pygame.K_PAGEDOWN: "Next",
    pygame.K_LEFT: "Left",
    pygame.K_RIGHT: "Right",
    pygame.K_UP: "Up",
    pygame.K_DOWN: "Down",
    **{getattr(pygame, f"K_F{k}"): f"F{k}" for k in range(1, 13)},
}
"""X's names of keys that write nothing; those that write are named by their code point."""
MODIFIERS = {pygame.KMOD_LSHIFT: "Shift_L", pygame.KMOD_LCTRL: "Control_L", pygame.KMOD_LALT: "Alt_L"}
BUTTONS = (1, 2, 3)
WHEEL_UP, WHEEL_DOWN = 4, 5
"""A notch of the wheel is a click of one of these in X."""
MAX_NOTCHES = 5
"""Most notches in one turn of the wheel."""


class NoServerError(Exception):
    """There is no X server, and none can be started."""


@contextlib.contextmanager
def display(own=False):
    """Make SDL use an X display that answers: ``$DISPLAY``, or an Xvfb which ends with the context; the environment is put back after.

    Parameters
    ----------
    own : bool
        Take an Xvfb in any case.

    Yields
    ------
    bool
        True if it is our own Xvfb.

    Raises
    ------
    NoServerError
        In one line: what to install.
    """
    before = {name: os.environ.get(name) for name in ("DISPLAY", "SDL_VIDEODRIVER", "WAYLAND_DISPLAY")}
    server = None
    try:
        os.environ["SDL_VIDEODRIVER"] = "x11"
        os.environ.pop("WAYLAND_DISPLAY", None)
        if own or display_problem() is not None:
            server, os.environ["DISPLAY"] = _start()
        yield server is not None
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        if server is not None:
            server.terminate()
            server.wait()


def _start():
    """Start an Xvfb that chooses its own display number; return it once it accepts clients."""
    program = shutil.which("Xvfb")
    if program is None:
        raise NoServerError("no X server answers, and Xvfb is not installed (Debian: apt-get install xvfb)")
    reading, tells = os.pipe()
    with os.fdopen(reading) as answer:
        command = [program, "-displayfd", str(tells), "-screen", "0", SCREEN, "-nolisten", "tcp"]
        server = subprocess.Popen(command, pass_fds=[tells], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(tells)
        number = answer.readline().strip()  # written when it is ready; empty if it ended before
    if not number:
        raise NoServerError(f"Xvfb ended with status {server.wait()} before it took a client")
    return server, f":{number}"


class Hands:
    """Moves the server's own pointer, presses its buttons and keys, over one window.

    Every call returns after the server has executed it, so its events are then in the window's queue.

    Parameters
    ----------
    window : int
        X's id of the window.

    Raises
    ------
    NoServerError
        xdotool is not installed.
    """

    def __init__(self, window):
        program = shutil.which("xdotool")
        if program is None:
            raise NoServerError("xdotool is not installed (Debian: apt-get install xdotool)")
        self._window = window
        self._keys = set()
        self._buttons = set()
        self._xdotool = subprocess.Popen([program, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.focus()

    def focus(self):
        """Give the window the keyboard focus, because there is no window manager to do so."""
        self._say(f"windowfocus {self._window}")

    def can(self, event):
        """Return whether a user with keyboard and mouse could do this."""
        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            return _name(event.key) is not None and not event.mod & ~sum(MODIFIERS)
        if event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            return event.button in BUTTONS
        if event.type == pygame.MOUSEWHEEL:
            return abs(event.y) <= MAX_NOTCHES
        return event.type == pygame.MOUSEMOTION

    def do(self, event):
        """Perform the event, so that the server sends one or more events: a key also produces text."""
        if event.type == pygame.MOUSEMOTION:
            self._say(self._to(event.pos))
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self._buttons.add(event.button)
            self._say(self._to(event.pos), f"mousedown {event.button}")
        elif event.type == pygame.MOUSEBUTTONUP:
            self._buttons.discard(event.button)
            self._say(self._to(event.pos), f"mouseup {event.button}")
        elif event.type == pygame.MOUSEWHEEL:
            button = WHEEL_UP if event.y > 0 else WHEEL_DOWN
            self._say(self._to(event.mouse), *([f"mousedown {button}", f"mouseup {button}"] * abs(event.y)))
        else:
            self._key(event)

    def _key(self, event):
        name = _name(event.key)
        assert name is not None, event
        if event.type == pygame.KEYUP:
            self._keys.discard(name)
            self._say(f"keyup --delay 0 {name}")
            return
        self._keys.add(name)
        held = [word for bit, word in MODIFIERS.items() if event.mod & bit]
        downs, ups = [f"keydown --delay 0 {word}" for word in held], [f"keyup --delay 0 {word}" for word in held]
        self._say(*downs, f"keydown --delay 0 {name}", *ups)

    def let_go(self):
        """Release all buttons and keys."""
        self._say(*(f"keyup --delay 0 {name}" for name in self._keys), *(f"mouseup {button}" for button in self._buttons))
        self._keys.clear()
        self._buttons.clear()

    def resize(self, size):
        """Drag the window's corner to any size, because there is no window manager to enforce the minimum size."""
        self._say(f"windowsize {self._window} {size[0]} {size[1]}")

    def hide(self):
        """Unmap the window, which also loses the keyboard focus."""
        self._say(f"windowunmap {self._window}")

    def show(self):
        """Bring it back."""
        self._say(f"windowmap {self._window}", f"windowraise {self._window}")
        self.focus()

    def close(self):
        """End xdotool."""
        self.let_go()
        assert self._xdotool.stdin is not None and self._xdotool.stdout is not None
        self._xdotool.stdin.close()
        self._xdotool.stdout.close()
        self._xdotool.wait()

    def _to(self, pixel):
        return f"mousemove --window {self._window} -- {pixel[0]} {pixel[1]}"

    def _say(self, *commands):
        """Send a command; the reply to the final query shows that the server has executed everything before it."""
        assert self._xdotool.stdin is not None and self._xdotool.stdout is not None
        self._xdotool.stdin.write("".join(f"{command}\n" for command in (*commands, "getmouselocation")))
        self._xdotool.stdin.flush()
        answer = self._xdotool.stdout.readline()
        if not answer:
            raise NoServerError(f"xdotool ended with status {self._xdotool.wait()} at {commands}")


def _name(key):
    return f"U{key:04X}" if 32 <= key < 127 else NAMES.get(key)
