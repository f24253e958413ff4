"""Rows of a form. A callback takes no part in comparisons: a form is drawn anew when what it shows is not equal to what it showed."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path

import pygame

from engine.common.errors import LabError
from engine.render.palette import Color

__all__ = [
    "Area",
    "Bar",
    "Button",
    "Buttons",
    "Choice",
    "Field",
    "Heading",
    "Image",
    "Line",
    "Note",
    "Number",
    "Row",
    "Slider",
    "Switch",
    "Text",
]

_DECIMALS = 9
"""Stepped numbers are rounded to so many, so that 0.1 and 0.2 are 0.3."""
Pixel = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Heading:
    """Words over a group of rows."""

    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph.

    Attributes
    ----------
    size : float
        Design pixels of its letters.
    color : color, optional
        The caption color by default.
    lead : str
        Words, or the name of an icon, in front of the paragraph, which is indented then.
    is_code : bool
        Letters of one width; its lines are kept.
    """

    words: str
    size: float = 11.0
    color: Color | None = None
    bold: bool = False
    lead: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """The picture in a file, as wide as the form at most."""

    path: Path


@dataclass(frozen=True, slots=True)
class Line:
    """A name at the left and a value at the right, in a color; a `middle` value between them. `bold` is for the name."""

    name: str
    value: str
    color: Color | None = None
    middle: str = ""
    bold: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A button.

    Attributes
    ----------
    press : callable
        Called when it goes down.
    tip : str
        Its tooltip.
    key : str
        Shown at its right end.
    icon : str
        Drawn in place of the words, which name the button nevertheless.
    is_on, is_off : bool
        Whether it is chosen, and whether it cannot be used now.
    color : color, optional
        Color of the words.
    release : callable, optional
        Called when it goes up.
    draw : callable, optional
        Draws a sample in front of the words, on a surface and in a square.
    """

    words: str
    press: Callable[[], object] = field(compare=False)
    tip: str = ""
    key: str = ""
    icon: str = ""
    is_on: bool = False
    is_off: bool = False
    color: Color | None = None
    release: Callable[[], object] | None = field(default=None, compare=False)
    draw: Callable[[pygame.Surface, pygame.Rect], object] | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Its words."""
        return self.words


@dataclass(frozen=True, slots=True)
class Buttons:
    """Buttons beside each other, as wide as their words need and in as many lines as that takes; or in a number of equal `columns`.

    `height` is in design pixels; a `caption` stands at the left of them; `is_list` sets their words at their left.
    """

    items: tuple[Button, ...]
    caption: str = ""
    columns: int = 0
    height: float = 23.0
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words, under a name."""

    name: str
    words: tuple[str, ...]
    value: str
    change: Callable[[str], object] = field(compare=False)
    is_mixed: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    name: str
    value: bool
    change: Callable[[bool], object] = field(compare=False)
    is_mixed: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to type; `is_live` calls `change` with every letter, else with the whole.

    Enter calls `enter`. The up and down arrow keys call `step` with -1 or 1, or go to another control. `hint` is shown in gray while it
    is empty.
    """

    name: str
    value: str
    change: Callable[[str], object] = field(compare=False)
    is_mixed: bool = False
    tip: str = ""
    is_live: bool = False
    enter: Callable[[], object] | None = field(default=None, compare=False)
    step: Callable[[int], object] | None = field(default=None, compare=False)
    hint: str = ""

    def shown(self) -> str:
        """Return the text as written."""
        return self.value

    def read(self, typed: str) -> None:
        """Change to what was typed."""
        self.change(typed)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit; `step` is what its two buttons add. `base` 16 shows it in that base."""

    name: str
    value: float
    change: Callable[[float], object] = field(compare=False)
    step: float = 1.0
    unit: str = ""
    whole: bool = False
    base: int = 10
    is_mixed: bool = False
    tip: str = ""

    def shown(self) -> str:
        """Return the number as written.

        Examples
        --------
        >>> Number("x", -0.00001, print, 0.1).shown(), Number("mask", 240, print, 1.0, whole=True, base=16).shown()
        ('-1e-05', '0x00F0')
        """
        if self.base == 16:
            return f"0x{int(self.value):04X}"
        if self.whole:
            return str(int(self.value))
        text = f"{self.value:.4g}"
        return "0" if text == "-0" else text

    def stepped(self, steps: float) -> float:
        """Return the number so many steps on.

        Examples
        --------
        >>> Number("x", 0.1, print, 0.1).stepped(2.0), Number("n", 3, print, 1.0, whole=True).stepped(-10.0)
        (0.3, -7)
        """
        return self.value + round(steps * self.step) if self.whole else round(self.value + steps * self.step, _DECIMALS)

    def move(self, steps: float) -> None:
        """Change to the number so many steps on."""
        self.change(self.stepped(steps))

    def read(self, typed: str) -> None:
        """Change to the number that was typed; raise `LabError` if it is none."""
        try:
            number = float(int(typed, 0 if "x" in typed.lower() else 10)) if self.whole else float(typed.replace(",", "."))
        except ValueError:
            kind = "a whole number" if self.whole else "a number"
            raise LabError(f"{self.name} must be {kind}{f' of {self.unit}' if self.unit else ''}, got {typed!r}") from None
        if not math.isfinite(number):
            raise LabError(f"{self.name} must be a finite number, got {typed}")
        self.change(number)


@dataclass(frozen=True, slots=True)
class Slider:
    """A number between two ends, with a track to drag along.

    Attributes
    ----------
    value : str
        As shown.
    share : float
        Where it is between the ends, 0 to 1.
    change : callable
        Called with a share, and whether that goes on with the change before, by the same drag.
    read : callable
        Called with what is typed; raises `LabError` if that is no value.
    step : float
        Share that an arrow key moves it by.
    note : str
        A sentence under its name.
    """

    name: str
    value: str
    share: float
    change: Callable[[float, bool], object] = field(compare=False)
    read: Callable[[str], object] = field(compare=False)
    step: float = 0.05
    note: str = ""
    tip: str = ""
    is_mixed: bool = False

    def shown(self) -> str:
        """Return the value as written."""
        return self.value

    def move(self, steps: float) -> None:
        """Move the thumb by so many steps."""
        self.change(min(max(self.share + steps * self.step, 0.0), 1.0), False)


@dataclass(frozen=True, slots=True)
class Area:
    """A place to draw in.

    Attributes
    ----------
    draw : callable
        Called with a surface, the place, and the pixel of the pointer if that is in it.
    height : float
        Design pixels; 0 for all that is left of the form.
    shows : hashable
        All that the drawing depends on, but for the theme and the pointer.
    drag : callable, optional
        Called once a frame with the pixel to which the pointer that went down here has been dragged.
    wheel : callable, optional
        Called with notches of the wheel.
    step : callable, optional
        Called with -1 or 1 by the arrow keys.
    """

    name: str
    draw: Callable[[pygame.Surface, pygame.Rect, Pixel | None], object] = field(compare=False)
    height: float = 0.0
    shows: Hashable = None
    drag: Callable[[Pixel], object] | None = field(default=None, compare=False)
    wheel: Callable[[float], object] | None = field(default=None, compare=False)
    step: Callable[[int], object] | None = field(default=None, compare=False)
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """Square buttons, an area beside them, and square buttons at the right end, in all of the form."""

    left: tuple[Button, ...]
    area: Area
    right: tuple[Button, ...] = ()


Row = Heading | Note | Image | Line | Buttons | Choice | Switch | Text | Number | Slider | Area | Bar
Field = Text | Number | Slider
"""Rows that can be typed in."""
