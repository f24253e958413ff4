"""Keys by readable names: "Ctrl Shift O", "N or .", "Enter"."""

from __future__ import annotations

import pygame

__all__ = ["Chord", "chords", "is_plain", "key_codes", "tooltip"]

Chord = tuple[int, bool, bool]
"""A pygame key code, and whether Ctrl and Shift are held."""


_NAMED = {
    "Esc": (pygame.K_ESCAPE,),
    "Enter": (pygame.K_RETURN, pygame.K_KP_ENTER),
    ",": (pygame.K_COMMA,),
    ".": (pygame.K_PERIOD,),
    "[": (pygame.K_LEFTBRACKET,),
    "]": (pygame.K_RIGHTBRACKET,),
    "-": (pygame.K_MINUS, pygame.K_KP_MINUS),
    "+": (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS),
}
_WITH_OTHERS = pygame.KMOD_CTRL | pygame.KMOD_META | pygame.KMOD_ALT | pygame.KMOD_MODE


def tooltip(title: str, key: str, help: str) -> str:
    """Return the tooltip of a button.

    Examples
    --------
    >>> tooltip("Undo", "Ctrl Z", "Undo your last action.")
    'Undo: Undo your last action. (Ctrl Z)'
    """
    return f"{title}: {help}{f' ({key})' if key else ''}"


def key_codes(name: str) -> tuple[int, ...]:
    """Return the codes of a key; empty if there is no such key.

    Examples
    --------
    >>> key_codes("R") == (pygame.K_r,), key_codes("1") == (pygame.K_1, pygame.K_KP_1), key_codes("Left drag")
    (True, True, ())
    """
    if name in _NAMED:
        return _NAMED[name]
    code = getattr(pygame, f"K_{name.lower() if len(name) == 1 else name.upper()}", None)
    if code is None:
        return ()
    return (code, getattr(pygame, f"K_KP_{name}")) if name.isdecimal() else (code,)


def chords(keys: str) -> list[Chord]:
    """Return the key presses of "N or ." or "Ctrl Shift O"; empty for ""."""
    pressed: list[Chord] = []
    for key in keys.split(" or ") if keys else ():
        *modifiers, name = key.split(" ")
        pressed += [(code, "Ctrl" in modifiers, "Shift" in modifiers) for code in key_codes(name)]
    return pressed


def is_plain(event: pygame.event.Event) -> bool:
    """Return True if a key is pressed alone or with Shift; with Ctrl or Alt it is another key."""
    return not event.mod & _WITH_OTHERS
