"""A surface that records which texts are drawn on it, and where: no texts may overlap."""

import itertools
from contextlib import contextmanager

import pygame
import pytest

from engine.render.fonts import FontBook

__all__ = ["Written", "noting_words"]

_ABOVE, _INK = 0.2, 0.62
"""Shares of a line's height: the room above its letters, and the letters."""
_OPAQUE = 235
"""Opacity, of 255, from which on a plate hides what lies under it."""

_words = {}
_plates = {}


class Written(pygame.Surface):
    """Records visible texts that `FontBook` has rendered and that are copied here: not clipped, and not under an opaque plate."""

    def __init__(self, size):
        super().__init__(size)
        self.words = []

    def blit(self, source, dest=(0, 0), *more, **named):
        place = pygame.Rect(dest[:2], source.get_size())
        if id(source) in _words:
            inked = pygame.Rect(place.left, place.top + round(_ABOVE * place.height), place.width, max(round(_INK * place.height), 1))
            seen = inked.clip(self.get_clip())
            if seen.width and seen.height and _words[id(source)][0].strip():
                self.words.append((_words[id(source)][0], seen))
        elif _plates.get(id(source), (0, None))[0] >= _OPAQUE:
            self.words = [(words, seen) for words, seen in self.words if not place.contains(seen)]
        return super().blit(source, dest, *more, **named)

    def overlaps(self):
        """Return the overlapping texts."""
        return [(a, b) for (a, here), (b, there) in itertools.combinations(self.words, 2) if here.colliderect(there)]


@contextmanager
def noting_words():
    """Record for a while the text that is rendered on surfaces."""
    render, plate = FontBook.render, FontBook.plate

    def rendered(self, text, *more, **named):
        rendering = render(self, text, *more, **named)
        _words[id(rendering)] = (text, rendering)  # the surface too, or its number would be another's
        return rendering

    def plated(self, size, ground, alpha, *more):
        background = plate(self, size, ground, alpha, *more)
        _plates[id(background)] = (alpha, background)
        return background

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FontBook, "render", rendered)
        patch.setattr(FontBook, "plate", plated)
        yield
    _words.clear()
    _plates.clear()
