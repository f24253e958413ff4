"""Formats numbers for the captions of steps."""

from __future__ import annotations

from engine.common.words import decimals

__all__ = ["meters", "square_meters"]


def meters(value: float) -> str:
    """Return a length for a sentence.

    Examples
    --------
    >>> meters(-0.2134), meters(1e-9)
    ('-0.213 m', '1e-09 m')
    """
    return f"{_few_digits(value)} m"


def square_meters(value: float) -> str:
    """Return an area for a sentence."""
    return f"{_few_digits(value)} m^2"


def _few_digits(value: float) -> str:
    return decimals(value, 3) if 5e-4 <= abs(value) < 1e5 or value == 0.0 else f"{value:.3g}"
