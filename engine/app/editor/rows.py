"""Rows of a column of properties, which `engine.app.panels.inspector_dock` shows and changes: values, and what to do with others.

`says` is a sentence about what a row does, shown while the pointer is on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Choice", "Field", "Heading", "Line", "Note", "Number", "Row", "Switch", "Text"]

_DECIMALS = 9
"""To which a stepped number is rounded: 0.1 and 0.2 are 0.3."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Words over a group."""

    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence under a row."""

    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """Something told: caption and value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit; `step` is what the buttons add. `base` 16 shows it as such.

    One with a `span`, the least and the largest, is a slider too: its box can be dragged.
    """

    name: str
    value: float
    change: Callable[[float], None]
    step: float
    unit: str = ""
    whole: bool = False
    base: int = 10
    is_mixed: bool = False
    says: str = ""
    span: tuple[float, float] | None = None

    @property
    def share(self) -> float:
        """Where in its span it is, 0 to 1."""
        low, high = self.span if self.span is not None else (self.value, self.value)
        return min(max((self.value - low) / (high - low), 0.0), 1.0) if high > low else 0.0

    def at(self, share: float) -> float:
        """Return the number at a share of the span, a multiple of its step.

        Examples
        --------
        >>> Number("x", 0.0, print, 5.0, span=(0.0, 100.0)).at(0.324)
        30.0
        """
        low, high = self.span if self.span is not None else (self.value, self.value)
        wanted = low + min(max(share, 0.0), 1.0) * (high - low)
        return min(max(round(round(wanted / self.step) * self.step, _DECIMALS), low), high)

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
        if self.whole:
            return self.value + round(steps * self.step)
        value = round(self.value + steps * self.step, _DECIMALS)
        return value if self.span is None else min(max(value, self.span[0]), self.span[1])


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    name: str
    value: bool
    change: Callable[[bool], None]
    is_mixed: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words."""

    name: str
    words: tuple[str, ...]
    value: str
    change: Callable[[str], None]
    is_mixed: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to type."""

    name: str
    value: str
    change: Callable[[str], None]
    is_mixed: bool = False
    says: str = ""

    def shown(self) -> str:
        """Return the text as written."""
        return self.value


Row = Heading | Note | Line | Number | Switch | Choice | Text
Field = Number | Text
"""What is typed in."""
