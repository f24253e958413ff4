"""What both panels share: the theme of pygame_gui's widgets, and widgets that scroll with the text drawn between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pygame
from pygame_gui import UIManager
from pygame_gui.core import ObjectID
from pygame_gui.core.interfaces import IUIElementInterface
from pygame_gui.elements import UIButton, UIHorizontalSlider, UILabel

from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook
from engine.render.hud import draw_scroll_bar
from engine.render.palette import Color, mix

__all__ = ["ScrollPanel", "hex_color", "mark", "theme_for"]


def theme_for(ui_scale: float) -> dict[str, Any]:
    """Return the theme for a UI scale; sizes are in screen pixels."""
    hovered = mix(palette.PANEL_RAISED, palette.TEXT, 0.08)  # lighter or darker only: the accent's color says that a button is on
    chosen = mix(palette.PANEL, palette.ACCENT, 0.42)
    radius = str(round(5 * ui_scale))
    text = hex_color(palette.TEXT)
    flat = {"shape": "rounded_rectangle", "shape_corner_radius": radius, "border_width": "1", "shadow_width": "0"}
    font = {"name": "noto_sans", "size": str(round(13 * ui_scale))}
    return {
        "defaults": {
            "colours": {
                "normal_bg": hex_color(palette.PANEL_RAISED),
                "hovered_bg": hex_color(hovered),
                "active_bg": hex_color(chosen),
                "selected_bg": hex_color(chosen),
                "disabled_bg": hex_color(palette.PANEL),
                "dark_bg": hex_color(palette.BACKGROUND),
                "disabled_dark_bg": hex_color(palette.BACKGROUND),
                "normal_text": text,
                "hovered_text": text,
                "active_text": text,
                "selected_text": hex_color(palette.STRONG),
                "disabled_text": hex_color(palette.CAPTION),
                "normal_border": hex_color(palette.PANEL_EDGE),
                "hovered_border": hex_color(palette.CAPTION),
                "active_border": hex_color(palette.ACCENT),
                "selected_border": hex_color(palette.ACCENT),
                "disabled_border": hex_color(palette.PANEL_EDGE),
            },
            "font": font,
            "misc": flat,
        },
        "button": {"misc": {**flat, "text_horiz_alignment_padding": str(round(8 * ui_scale))}, "font": font},
        "@toggle": {"misc": {**flat, "text_horiz_alignment": "left"}, "font": font},
        "@choice": {"misc": {**flat, "text_horiz_alignment_padding": "1"}, "font": font},
        "@entry": {
            "misc": {**flat, "text_horiz_alignment": "left", "text_horiz_alignment_padding": str(round(12 * ui_scale))},
            "font": {"name": "noto_sans", "size": str(round(15 * ui_scale))},
        },
        "text_box": {
            "font": {"name": "noto_sans", "size": str(round(14 * ui_scale))},
            "misc": {"shape": "rectangle", "border_width": "0", "shadow_width": "0"},
        },
        "horizontal_slider": {
            "misc": {
                "shape": "rounded_rectangle",
                "shape_corner_radius": radius,
                "border_width": "1",
                "shadow_width": "0",
                "enable_arrow_buttons": "0",
                "sliding_button_width": str(round(14 * ui_scale)),
            }
        },
        "horizontal_slider.#sliding_button": {
            "colours": {"normal_bg": hex_color(mix(palette.PANEL, palette.ACCENT, 0.75)), "hovered_bg": hex_color(palette.ACCENT)},
            "misc": {**flat, "border_width": "0"},
        },
    }


def hex_color(color: Color) -> str:
    """Return a color as themes and text boxes write it: "#rrggbb"."""
    return "#{:02x}{:02x}{:02x}".format(*color)


_AROUND = 60.0
"""Design pixels above and below what is brought into view: the heading over it, or the next row."""
_HINT = 20.0
"""Design pixels at the bottom that the hint takes that there is more."""


def mark(button: UIButton, chosen: bool) -> None:
    """Show a button as chosen or not."""
    if chosen:
        button.select()  # type: ignore[no-untyped-call]
    else:
        button.unselect()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class _Text:
    left: int
    top: int
    words: str
    size: float
    color: Color
    bold: bool


class ScrollPanel:
    """A column of texts and widgets at the left of the window; the wheel moves it when it is higher than its place.

    Attributes
    ----------
    place : (left, top, width, height)
        Pixels.
    scrolled : int
        Pixels of the content above the place.
    """

    def __init__(self, manager: UIManager, fonts: FontBook, place: Place) -> None:
        self._manager = manager
        self._fonts = fonts
        self._ui = fonts.ui_scale
        self.place = place
        self._texts: list[_Text] = []
        self._widgets: list[tuple[IUIElementInterface, int, int]] = []
        self.scrolled = 0
        self._bottom = 0

    def px(self, design: float) -> int:
        """Return design pixels as screen pixels."""
        return round(design * self._ui)

    @property
    def left(self) -> int:
        """Left edge of the content."""
        return self.place[0] + self.px(14)

    @property
    def width(self) -> int:
        """Width of the content."""
        return max(self.place[2] - self.px(28), 1)

    def clear(self) -> None:
        """Take away all that is in it."""
        for widget, _, _ in self._widgets:
            widget.kill()  # type: ignore[no-untyped-call]
        self._widgets.clear()
        self._texts.clear()
        self._bottom = self.scrolled = 0

    def add_text(
        self, top: int, words: str, size: float, color: Color, bold: bool = False, width: int | None = None, indent: int = 0
    ) -> int:
        """Add text, wrapped to a width, the content's otherwise; return the y under it. `indent` pixels at the left are left free."""
        step = round(1.42 * size * self._ui)
        for line in self._fonts.wrapped(words, size, max((self.width if width is None else width) - indent, 1), bold):
            self._texts.append(_Text(self.left + indent, top, line, size, color, bold))
            top += step
        self._bottom = max(self._bottom, top)
        return top

    def add_button(self, place: Place, words: str, kind: str = "", tip: str = "") -> UIButton:
        """Add a button; `kind` is a class of the theme."""
        object_id = ObjectID(class_id=f"@{kind}") if kind else None
        button = UIButton(pygame.Rect(place), words, self._manager, object_id=object_id, tool_tip_text=tip or None)
        self._enter(button, place)
        return button

    def add_choices(
        self, top: int, words: Sequence[str], row: int, indent: int = 0, tips: Sequence[str] = ()
    ) -> tuple[list[UIButton], int]:
        """Add a row of buttons, as wide as their words need, in as many lines as that takes; return them and the y under them.

        `indent` pixels at the left are left free.
        """
        gap, room = self.px(4), max(self.width - indent, 1)
        widths = self._choice_widths(words)
        lines: list[list[int]] = [[]]
        for k, wide in enumerate(widths):
            if lines[-1] and sum(widths[i] + gap for i in lines[-1]) + wide > room:
                lines.append([])
            lines[-1].append(k)
        buttons: list[UIButton] = []
        for line in lines:
            spare = (room - sum(widths[k] for k in line) - gap * (len(line) - 1)) // len(line)
            left = self.left + indent
            for k in line:
                buttons.append(self.add_button((left, top, max(widths[k] + spare, 1), row), words[k], "choice", tips[k] if tips else ""))
                left += widths[k] + spare + gap
            top += row + self.px(3)
        return buttons, top

    def _choice_widths(self, words: Sequence[str]) -> list[int]:
        return [self._fonts.width(word, 13.0) + self.px(14) for word in words]

    def add_slider(self, place: Place, value: float, ends: tuple[float, float], tip: str = "") -> UIHorizontalSlider:
        """Add a slider."""
        slider = UIHorizontalSlider(pygame.Rect(place), min(max(value, ends[0]), ends[1]), ends, self._manager)
        for part in (slider, slider.button_container, slider.sliding_button):
            if part is not None and tip:
                part.set_tooltip(tip)
        self._enter(slider, place)
        return slider

    def add_tip(self, place: Place, tip: str) -> None:
        """Let a tooltip appear over a part of the column that has no widget."""
        label = UILabel(pygame.Rect(place), "", self._manager)
        label.set_tooltip(tip)
        self._enter(label, place)

    def reserve(self, top: int, height: int) -> int:
        """Keep a piece free for drawing; return the y under it."""
        self._bottom = max(self._bottom, top + height)
        return top + height

    def scroll(self, notches: float) -> None:
        """Move by wheel notches."""
        self.scroll_to(self.scrolled - round(notches * self.px(40)))

    def scroll_to(self, wanted: int) -> None:
        """Move to where so many pixels are above the place, or as near to that as there is content."""
        room = max(0, self._bottom + self.px(30) - self.place[1] - self.place[3])
        self.scrolled = min(max(wanted, 0), room)
        for widget, left, top in self._widgets:
            widget.set_relative_position((left, top - self.scrolled))

    def reveal(self, top: int, height: int) -> None:
        """Move so that a piece of the content is seen, with some of what is around it; not at all where it is seen already."""
        around, first, last = self.px(_AROUND), self.place[1], self.place[1] + self.place[3] - self.px(_HINT)
        if first <= self.shifted(top) and self.shifted(top) + height <= last:
            return
        is_above = self.shifted(top) < first
        self.scroll_to(top - around - first if is_above else top + height + around - last)

    def shifted(self, top: int) -> int:
        """Return where a content y stands now."""
        return top - self.scrolled

    @property
    def seen(self) -> pygame.Rect:
        """Where content is seen: the place without the hint that there is more."""
        left, top, width, height = self.place
        return pygame.Rect(left, top, width, height - (self.px(_HINT) if self._is_longer else 0))

    @property
    def _is_longer(self) -> bool:
        """Whether there is content below the place."""
        return self._bottom + self.px(10) - self.scrolled > self.place[1] + self.place[3]

    def draw_ground(self, surface: pygame.Surface) -> None:
        """Draw the panel's ground and its texts; the widgets are drawn by their manager afterwards."""
        pygame.draw.rect(surface, palette.PANEL, self.place)
        left, top, width, height = self.place
        pygame.draw.line(surface, palette.PANEL_EDGE, (left + width - 1, top), (left + width - 1, top + height))
        clip = surface.get_clip()
        surface.set_clip(self.seen.clip(clip))
        for text in self._texts:
            y = self.shifted(text.top)
            if top - self.px(30) < y < top + height:
                surface.blit(self._fonts.render(text.words, text.size, text.color, text.bold), (text.left, y))
        surface.set_clip(clip)
        whole = self._bottom + self.px(10) - top
        draw_scroll_bar(surface, pygame.Rect(self.place), whole, self.scrolled / max(whole - height, 1), self._ui)

    def draw_over(self, surface: pygame.Surface) -> None:
        """Draw what lies over the widgets: the hint that there is more below."""
        left, top, width, height = self.place
        if not self._is_longer:
            return
        words = self._fonts.render("more below: wheel or Page Down", 11.0, palette.ACCENT, True)
        band = pygame.Rect(left, top + height - self.px(_HINT), width - 1, self.px(_HINT))
        pygame.draw.rect(surface, palette.PANEL, band)
        pygame.draw.line(surface, palette.PANEL_EDGE, band.topleft, band.topright)
        surface.blit(words, words.get_rect(center=band.center))

    def _enter(self, widget: IUIElementInterface, place: Place) -> None:
        self._widgets.append((widget, place[0], place[1]))
        self._bottom = max(self._bottom, place[1] + place[3])
