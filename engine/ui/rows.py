"""Rows of a form. Comparisons ignore callbacks: a form is redrawn only if its visible contents have changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path

import pygame

from engine.common.errors import LabError
from engine.common.words import plain_number
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
"""Stepped numbers are rounded to this many decimals, so that 0.1 + 0.2 is 0.3."""
Pixel = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title above a group of rows."""

    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph.

    Attributes
    ----------
    size : float
        Font size, design pixels.
    color : color, optional
        The caption color by default.
    lead : str
        A word, or the name of an icon, in front of the paragraph, which is then indented.
    is_code : bool
        True for a monospaced font without line wrapping.
    """

    words: str
    size: float = 11.0
    color: Color | None = None
    bold: bool = False
    lead: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """An image from a file, at most as wide as the form."""

    path: Path


@dataclass(frozen=True, slots=True)
class Line:
    """A name on the left, an optional `middle` value, and a colored value on the right. `bold` applies to the name."""

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
        Called when the button is pressed.
    tip : str
        Tooltip.
    key : str
        Name of its key, shown at its right end.
    icon : str
        Name of an icon drawn instead of the words, which still identify the button.
    is_on, is_off : bool
        True if the button is selected; true if it is disabled.
    color : color, optional
        Text color.
    release : callable, optional
        Called when the button is released.
    draw : callable, optional
        Draws a sample in front of the words; called with a surface and a square.
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
        """The name by which a form finds the button: its words."""
        return self.words


@dataclass(frozen=True, slots=True)
class Buttons:
    """Buttons side by side, each as wide as its words, wrapped into as many lines as needed, or in equal `columns`.

    `height` is in design pixels, `caption` is shown to the left of the buttons, and `is_list` aligns their words to the left.
    """

    items: tuple[Button, ...]
    caption: str = ""
    columns: int = 0
    height: float = 23.0
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of one of several words, with a name above them."""

    name: str
    words: tuple[str, ...]
    value: str
    change: Callable[[str], object] = field(compare=False)
    is_mixed: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that is on or off."""

    name: str
    value: bool
    change: Callable[[bool], object] = field(compare=False)
    is_mixed: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text field. If `is_live`, each keystroke calls `change`; otherwise, `change` is called once, with the complete text.

    Enter calls `enter`. The up and down arrow keys call `step` with -1 or 1, or move to another control. `hint` is shown in gray while
    the field is empty.
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
        """Return the text to show."""
        return self.value

    def read(self, typed: str) -> None:
        """Change the value to the typed text."""
        self.change(typed)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit. Its two buttons add and subtract `step`; `base` is 10 or 16."""

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
        """Return the number as text.

        Examples
        --------
        >>> Number("x", -0.00001, print, 0.1).shown(), Number("mask", 240, print, 1.0, whole=True, base=16).shown()
        ('-1e-05', '0x00F0')
        """
        if self.base == 16:
            return f"0x{int(self.value):04X}"
        if self.whole:
            return str(int(self.value))
        return plain_number(self.value, "")

    def stepped(self, steps: float) -> float:
        """Return the number after a number of steps.

        Examples
        --------
        >>> Number("x", 0.1, print, 0.1).stepped(2.0), Number("n", 3, print, 1.0, whole=True).stepped(-10.0)
        (0.3, -7)
        """
        return self.value + round(steps * self.step) if self.whole else round(self.value + steps * self.step, _DECIMALS)

    def move(self, steps: float) -> None:
        """Move the number by a number of steps."""
        self.change(self.stepped(steps))

    def read(self, typed: str) -> None:
        """Change the value to the typed number; raise `LabError` if it is not a number."""
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
    """A number between two limits, with a thumb to drag along a track.

    Attributes
    ----------
    value : str
        The value as shown.
    share : float
        Position of the thumb between the limits, 0 to 1.
    change : callable
        Called with a new share, and with True if the change continues the previous one in the same drag.
    read : callable
        Called with the typed text; raises `LabError` if it is not a valid value.
    step : float
        Change of the share per arrow key.
    note : str
        A sentence below the name.
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
        """Return the value to show."""
        return self.value

    def move(self, steps: float) -> None:
        """Move the thumb by a number of steps."""
        self.change(min(max(self.share + steps * self.step, 0.0), 1.0), False)


@dataclass(frozen=True, slots=True)
class Area:
    """An area with its own drawing.

    Attributes
    ----------
    draw : callable
        Called with a surface, the area's rectangle, and the pointer's pixel if it is inside.
    height : float
        Design pixels; 0 fills the rest of the form.
    shows : hashable
        Everything that the drawing depends on except the theme and the pointer.
    drag : callable, optional
        Called once per frame, during a drag that started in the area, with the pointer's pixel.
    wheel : callable, optional
        Called with the number of notches of the mouse wheel.
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
    """Fills the form with square buttons on the left, an area, and square buttons on the right."""

    left: tuple[Button, ...]
    area: Area
    right: tuple[Button, ...] = ()


Row = Heading | Note | Image | Line | Buttons | Choice | Switch | Text | Number | Slider | Area | Bar
Field = Text | Number | Slider
"""Rows with editable text."""
