"""Parts of the window whose pictures are kept: one is drawn anew when what it shows has changed, and not all of them in the same frame.

A plot or a table of numbers that is drawn sixty times a second costs as much as the scene, and nobody reads it that fast. So of the
parts that change by themselves, as time goes on, one is drawn anew in a frame, the one that has waited longest; of five that change in
every frame each is drawn twelve times a second. Whatever somebody does, a click, a key, is seen everywhere in the next frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import pygame

from engine.render import palette
from engine.render.camera import Place

__all__ = ["KeptPictures"]

_LONGEST_WAIT = 0.1
"""Seconds after which a part is drawn however many others are: a tenth is as long as an answer may take and still seem immediate
(Miller, "Response time in man-computer conversational transactions", AFIPS 1968)."""
_UP_TO_DATE = -1.0


class _Part:
    """A picture, what it shows, and for how long it has shown what is no more, seconds; below 0: it is up to date."""

    def __init__(self, size: tuple[int, int], surface: pygame.Surface) -> None:
        self.picture = pygame.Surface(size, 0, surface)
        self.shows: tuple[Hashable, Place, str] | None = None
        self.waited = _UP_TO_DATE
        self.is_in_frame = True


class KeptPictures:
    """The pictures, by the names of their parts."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, _Part] = {}
        self._first: Hashable = None
        self._elapsed = 0.0

    def forget(self) -> None:
        """Draw everything anew in the next frame: somebody has done something."""
        self._parts.clear()

    def elapse(self, seconds: float) -> None:
        """Note that so much time has gone by."""
        self._elapsed += seconds

    def begin(self) -> None:
        """Begin a frame: choose the part that has waited longest, and forget those that are shown no more."""
        self._parts = {name: part for name, part in self._parts.items() if part.is_in_frame}
        waiting = {name: part.waited for name, part in self._parts.items() if part.waited >= 0.0}
        self._first = max(waiting, key=lambda name: waiting[name]) if waiting else None
        for part in self._parts.values():
            part.is_in_frame = False
            if part.waited >= 0.0:
                part.waited += self._elapsed
        self._elapsed = 0.0

    def draw(self, surface: pygame.Surface, name: Hashable, place: Place, shows: Hashable, paint: Callable[[], object]) -> None:
        """Draw a part of the window.

        Parameters
        ----------
        surface : pygame.Surface
        name : hashable
            Of the part.
        place : (left, top, width, height)
            Pixels, all of which `paint` covers, and no others.
        shows : hashable
            All that the picture depends on and that changes without anybody's doing, but for the theme. With None it is drawn in every
            frame, and not kept.
        paint : callable
            Draws it on the surface.
        """
        if shows is None:
            self._parts.pop(name, None)
            paint()
            return
        now = (shows, place, palette.theme_name())
        part = self._parts.get(name)
        if part is not None:
            part.is_in_frame = True
            if part.shows == now:
                part.waited = _UP_TO_DATE
                surface.blit(part.picture, place[:2])
                return
            if part.shows is not None and part.shows[1:] == now[1:] and not self._has_turn(name, part):
                surface.blit(part.picture, place[:2])
                return
        if part is None or part.picture.get_size() != place[2:]:
            part = self._parts[name] = _Part(place[2:], surface)
        part.shows, part.waited = now, _UP_TO_DATE
        paint()
        part.picture.blit(surface, (0, 0), place)

    def _has_turn(self, name: Hashable, part: _Part) -> bool:
        """Tell whether a part that has changed is drawn in this frame: the first of those that wait, and any that has waited too long."""
        part.waited = max(part.waited, 0.0)
        if self._first is None:  # nothing waited before this frame
            self._first = name
        return self._first == name or part.waited >= _LONGEST_WAIT
