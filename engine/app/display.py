"""Checks whether a window can be opened, without hanging on a display that does not answer."""

from __future__ import annotations

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
    """Return why no window can be opened, in a few words, or None if one can; never raises and never waits long."""
    return display_found()[0]


def display_found() -> tuple[str | None, str]:
    """Return the reason as `display_problem` does, and SDL's video driver, such as ``x11``; empty if SDL was not started."""
    driver = os.environ.get("SDL_VIDEODRIVER", "").strip().lower()
    if driver in _NO_WINDOW_DRIVERS:
        return f"SDL_VIDEODRIVER is {driver}", ""
    if sys.platform in ("win32", "darwin"):
        return None, ""
    if not driver or driver in ("x11", "wayland"):
        problem = _server_problem()
        if problem is not None:
            return problem, ""
    return _sdl_found()


def _server_problem() -> str | None:
    wayland, x11 = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("DISPLAY", "")
    if not wayland and not x11:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    problems = []
    if wayland:
        path = Path(os.environ.get("XDG_RUNTIME_DIR", "/run/user/" + str(os.getuid()))) / wayland  # an absolute name is kept
        if _connects(socket.AF_UNIX, str(path), b""):
            return None
        problems.append(f"no Wayland server answers at {path}")
    if x11:
        if _x11_answers(x11):
            return None
        problems.append(f"no X server answers at DISPLAY={x11}")
    return "; ".join(problems)


def _x11_answers(display: str) -> bool:
    """Connect to ``[host]:number[.screen]`` by the socket in /tmp, Linux's abstract socket, or TCP port 6000 + number."""
    if display.startswith("/"):  # on macOS, XQuartz sets the socket's path itself
        return _connects(socket.AF_UNIX, re.sub(r"\.\d+$", "", display), _X11_HELLO)
    match = re.fullmatch(r"(?:\w+/)?(?P<host>.*):(?P<number>\d{1,5})(?:\.\d+)?", display)
    if match is None:
        return False
    host, number = match["host"], int(match["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _connects(socket.AF_UNIX, path, _X11_HELLO) or _connects(socket.AF_UNIX, "\0" + path, _X11_HELLO)
    return _connects(socket.AF_INET, (host, 6000 + number), _X11_HELLO)


def _connects(family: socket.AddressFamily, address: str | tuple[str, int], hello: bytes) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as knock:
            knock.settimeout(_ANSWER_TIME)
            knock.connect(address)
            if not hello:
                return True
            knock.sendall(hello)
            return bool(knock.recv(1))
    except (OSError, OverflowError, UnicodeError, ValueError):
        return False


def _sdl_found() -> tuple[str | None, str]:
    """Initialize and quit SDL's video system, because a running server may still refuse the connection."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        return f"pygame cannot be imported ({error})", ""
    was_open = pygame.display.get_init()
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        return f"SDL cannot open a display ({error})", ""
    finally:
        if not was_open:
            pygame.display.quit()
    is_hidden = driver in _NO_WINDOW_DRIVERS
    return f"SDL chose the driver {driver}: no display responds; is DISPLAY correct?" if is_hidden else None, driver
