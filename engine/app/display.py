"""Checks whether a window can be opened, without hanging on a display that does not answer.

A bare X server resets when its last client leaves, and refuses those who come meanwhile. So the check does not leave: its connection is
kept until SDL has its own, and that stays open for the window that follows.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sys
from pathlib import Path

from engine.common.errors import LabError

__all__ = ["NotPygameCeError", "display_found", "display_problem", "sdl_version"]

_ANSWER_TIME = 2.0
"""Timeout for the display server's answer, seconds."""
_NO_WINDOW_DRIVERS = ("dummy", "offscreen")
_X11_HELLO = bytes((0x6C, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0))
"""The first request of the X11 protocol: little-endian, version 11.0, no authorization. Any server answers it, if only to refuse."""


class NotPygameCeError(LabError):
    """The imported `pygame` is the original package instead of pygame-ce."""


def sdl_version() -> str:
    """Return the version of SDL under pygame, such as ``2.32.10``.

    Raises
    ------
    ImportError
        pygame cannot be imported.
    NotPygameCeError
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    if not getattr(pygame, "IS_CE", False):
        raise NotPygameCeError(f"this is pygame {pygame.version.ver}, not pygame-ce")
    return ".".join(str(part) for part in pygame.version.SDL)


def display_problem() -> str | None:
    """Return why no window can be opened, in a few words, or None and leave SDL's video system open; never raises and never waits long."""
    return display_found()[0]


def display_found() -> tuple[str | None, str]:
    """Return the reason as `display_problem` does, and SDL's video driver, such as ``x11``; empty if SDL was not started."""
    driver = os.environ.get("SDL_VIDEODRIVER", "").strip().lower()
    if driver in _NO_WINDOW_DRIVERS:
        return f"SDL_VIDEODRIVER is {driver}", ""
    if sys.platform in ("win32", "darwin"):
        return None, ""
    with contextlib.ExitStack() as connections:
        if not driver or driver in ("x11", "wayland"):
            problem = _server_problem(connections)
            if problem is not None:
                return problem, ""
        return _sdl_found()


def _server_problem(connections: contextlib.ExitStack) -> str | None:
    """Return why no server answers, or None, with the connection to the one that does in `connections`."""
    wayland, x11 = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("DISPLAY", "")
    if not wayland and not x11:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    problems = []
    if wayland:
        path = Path(os.environ.get("XDG_RUNTIME_DIR", "/run/user/" + str(os.getuid()))) / wayland  # an absolute name is kept
        if _connects(connections, socket.AF_UNIX, str(path), b""):
            return None
        problems.append(f"no Wayland server answers at {path}")
    if x11:
        if _x11_answers(connections, x11):
            return None
        problems.append(f"no X server answers at DISPLAY={x11}")
    return "; ".join(problems)


def _x11_answers(connections: contextlib.ExitStack, display: str) -> bool:
    """Connect to ``[host]:number[.screen]`` by the socket in /tmp, Linux's abstract socket, or TCP port 6000 + number."""
    if display.startswith("/"):  # on macOS, XQuartz sets the socket's path itself
        return _connects(connections, socket.AF_UNIX, re.sub(r"\.\d+$", "", display), _X11_HELLO)
    match = re.fullmatch(r"(?:\w+/)?(?P<host>.*):(?P<number>\d{1,5})(?:\.\d+)?", display)
    if match is None:
        return False
    host, number = match["host"], int(match["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _connects(connections, socket.AF_UNIX, path, _X11_HELLO) or _connects(connections, socket.AF_UNIX, "\0" + path, _X11_HELLO)
    return _connects(connections, socket.AF_INET, (host, 6000 + number), _X11_HELLO)


def _connects(connections: contextlib.ExitStack, family: socket.AddressFamily, address: str | tuple[str, int], hello: bytes) -> bool:
    knock = connections.enter_context(socket.socket(family, socket.SOCK_STREAM))
    try:
        knock.settimeout(_ANSWER_TIME)
        knock.connect(address)
        if not hello:
            return True
        knock.sendall(hello)
        return bool(knock.recv(1))
    except (OSError, OverflowError, UnicodeError, ValueError):
        return False


def _sdl_found() -> tuple[str | None, str]:
    """Initialize SDL's video system, because a running server may still refuse the connection; quit it if there is no window to open."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        return f"pygame cannot be imported ({error})", ""
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        return f"SDL cannot open a display ({error})", ""
    if driver in _NO_WINDOW_DRIVERS:
        pygame.display.quit()
        return f"SDL chose the driver {driver}: no display responds; is DISPLAY correct?", driver
    return None, driver
