"""Looking for a demo by typing: what is typed, which demos have it, and the box that shows it."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from engine.demo.base import Demo
from engine.render import palette
from engine.render.fonts import FontBook

__all__ = ["called", "draw_box", "edited", "found_in"]

_MOST_TYPED = 40
_SIZE = 13.0
_CONTROL = pygame.KMOD_CTRL | pygame.KMOD_META


def found_in(demos: Sequence[type[Demo]], searched: str) -> list[int]:
    """Return the places of the demos that have every word of what is searched somewhere in title, id, category or description.

    Examples
    --------
    >>> class Gears(Demo):
    ...     id, category, title, watch = "gears", "Joints", "Clockwork", "Wheels that turn each other."
    >>> found_in([Demo, Gears], "wheel CLOCK"), found_in([Demo, Gears], ""), found_in([Demo, Gears], "wheel bridge")
    ([1], [0, 1], [])
    """
    words = searched.casefold().split()
    texts = (" ".join((demo.title, demo.id, demo.category, demo.watch)).casefold() for demo in demos)
    return [k for k, text in enumerate(texts) if all(word in text for word in words)]


def called(demos: Sequence[type[Demo]], searched: str) -> list[int]:
    """Return the places of the demos whose title or id is what is searched, or else of those whose title or id begins with it.

    Examples
    --------
    >>> class Cards(Demo):
    ...     id, title = "card_house", "House of cards"
    >>> class Car(Demo):
    ...     id, title = "car", "Car over hills"
    >>> called([Cards, Car], "Car "), called([Cards, Car], "ca"), called([Cards, Car], "hills"), called([Cards, Car], "")
    ([1], [0, 1], [], [])
    """
    words = " ".join(searched.casefold().split())
    names = [(demo.title.casefold(), demo.id.casefold()) for demo in demos]
    exactly = [k for k, name in enumerate(names) if words in name]
    return exactly or [k for k, (title, name) in enumerate(names) if words and (title.startswith(words) or name.startswith(words))]


def edited(event: pygame.event.Event, searched: str) -> str:
    """Return what is searched after a key: a letter more, or one less with Backspace, with Ctrl none at all."""
    if event.key == pygame.K_BACKSPACE:
        return "" if event.mod & _CONTROL else searched[:-1]
    if event.unicode and event.unicode.isprintable() and not event.mod & _CONTROL:
        return f"{searched}{event.unicode}".lstrip()[:_MOST_TYPED]
    return searched


def draw_box(surface: pygame.Surface, fonts: FontBook, box: pygame.Rect, searched: str, n_demos: int) -> pygame.Rect:
    """Draw the box with what is searched, its end in sight; return where a click empties it, a place without room where it is empty."""
    ui, line = fonts.ui_scale, max(1, round(fonts.ui_scale))
    pygame.draw.rect(surface, palette.BACKGROUND, box, border_radius=round(5 * ui))
    pygame.draw.rect(surface, palette.ACCENT if searched else palette.PANEL_EDGE, box, line, border_radius=round(5 * ui))
    reach = round(4 * ui)
    x, y = box.left + round(13 * ui), box.centery - round(ui)
    pygame.draw.circle(surface, palette.CAPTION, (x, y), reach, line)
    pygame.draw.line(surface, palette.CAPTION, (x + round(0.7 * reach), y + round(0.7 * reach)), (x + 2 * reach, y + 2 * reach), line)
    left = box.left + round(25 * ui)
    away = pygame.Rect(box.right - box.height, box.top, box.height, box.height) if searched else pygame.Rect(box.topright, (0, 0))
    room = (away.left if searched else box.right) - left - round(6 * ui)
    if not searched:
        hints = (f"Search {n_demos} demos", "Search")
        hint = next((one for one in hints if fonts.width(one, _SIZE) <= room), hints[-1])
        words = fonts.render(fonts.shortened(hint, _SIZE, max(room, 1)), _SIZE, palette.CAPTION)
        surface.blit(words, words.get_rect(midleft=(left, box.centery)))
        return away
    shown = searched
    while len(shown) > 1 and fonts.width(shown, _SIZE) > room:  # its end is what is typed at
        shown = shown[1:]
    words = fonts.render(shown, _SIZE, palette.TEXT)
    at = words.get_rect(midleft=(left, box.centery))
    surface.blit(words, at)
    pygame.draw.line(surface, palette.ACCENT, (at.right + line, at.top + 2), (at.right + line, at.bottom - 2), line)
    cross = fonts.render("×", 15.0, palette.TEXT)
    surface.blit(cross, cross.get_rect(center=away.center))
    return away
