"""Numbers as sentences of steps have them."""

from __future__ import annotations

from engine.common.words import decimals

__all__ = ["metres", "square_metres"]


def metres(value: float) -> str:
    """Return a length for a sentence.

    Examples
    --------
    >>> metres(-0.2134), metres(1e-9)
    ('-0.213 m', '1e-09 m')
    """
    return f"{_few_digits(value)} m"


def square_metres(value: float) -> str:
    """Return an area for a sentence."""
    return f"{_few_digits(value)} m^2"


def _few_digits(value: float) -> str:
    return decimals(value, 3) if 5e-4 <= abs(value) < 1e5 or value == 0.0 else f"{value:.3g}"
