"""Whether anybody looks at the window, as far as its events tell.

A window that is minimised or hidden cannot be seen. One that lies in view is not looked at, most likely, where somebody types elsewhere, or
where nobody has touched mouse or keys for a while: what only wants to please, such as a preview, may rest then.
"""

from __future__ import annotations

import pygame

__all__ = ["Attention"]

_PATIENCE = 30.0
"""Seconds without mouse or key after which nobody looks: longer than reading what stands beside a preview takes."""
_GONE = (pygame.WINDOWHIDDEN, pygame.WINDOWMINIMIZED)
_BACK = (pygame.WINDOWSHOWN, pygame.WINDOWRESTORED, pygame.WINDOWMAXIMIZED, pygame.WINDOWEXPOSED)
_INPUT = (
    *(pygame.KEYDOWN, pygame.KEYUP, pygame.TEXTINPUT, pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL),
    *(pygame.FINGERDOWN, pygame.FINGERMOTION, pygame.FINGERUP, pygame.DROPBEGIN, pygame.DROPFILE, pygame.WINDOWFOCUSGAINED),
)


class Attention:
    """Begins with somebody who looks.

    Attributes
    ----------
    is_hidden : bool
        Whether the window cannot be seen.
    """

    def __init__(self) -> None:
        self.is_hidden = False
        self._is_elsewhere = False
        self._idle = 0.0

    def note(self, event: pygame.event.Event) -> None:
        """Take in an event of the window."""
        if event.type in _GONE:
            self.is_hidden = True
        elif event.type in _BACK:
            self.is_hidden = False
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._is_elsewhere = True
        elif event.type in _INPUT:
            self._is_elsewhere, self._idle = False, 0.0

    def elapse(self, seconds: float) -> None:
        """Let real time pass."""
        self._idle += seconds

    @property
    def is_away(self) -> bool:
        """Whether nobody looks, or can."""
        return self.is_hidden or self._is_elsewhere or self._idle >= _PATIENCE
