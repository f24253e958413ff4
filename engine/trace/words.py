"""Formats numbers for the captions of steps."""

from __future__ import annotations

import math

from engine.common.words import decimals

__all__ = ["STILL", "amount", "changed", "degrees", "depth_or_gap", "meters", "moment", "rated", "signed", "square_meters"]

STILL = 1e-9
"""Values of solvers below this are reported as 0; m/s, N s."""


def meters(value: float) -> str:
    """Return a length for a sentence.

    Examples
    --------
    >>> meters(-0.2134), meters(1e-9)
    ('-0.213 m', '1e-09 m')
    """
    return f"{_few_digits(value)} m"


def degrees(way: tuple[float, float]) -> str:
    """Return the direction of a vector for a sentence, in degrees from the x axis."""
    return f"{math.degrees(math.atan2(way[1], way[0])) + 0.0:.0f} degrees"


def depth_or_gap(gap: float) -> str:
    """Return a gap along an axis as a clause; a negative one is a depth.

    Examples
    --------
    >>> depth_or_gap(-0.2), depth_or_gap(0.2)
    ('the depth is 0.200 m', 'the gap is 0.200 m')
    """
    return f"the depth is {meters(-gap)}" if gap < 0.0 else f"the gap is {meters(gap)}"


def square_meters(value: float) -> str:
    """Return an area for a sentence."""
    return f"{_few_digits(value)} m^2"


def moment(t: float, width: float = 1.0) -> str:
    """Return a time for a sentence, with enough digits to separate the ends of an interval of `width`.

    Examples
    --------
    >>> moment(0.42), moment(0.42, 1e-5), moment(-math.inf)
    ('t = 0.420', 't = 0.420000', 'never')
    """
    if math.isinf(t):
        return "never"
    digits = 3 if not 0.0 < width < 0.01 else min(1 - math.floor(math.log10(width)), 16)
    return f"t = {decimals(t, digits) if abs(t) < 1e4 and (abs(t) >= 5e-4 or t == 0.0 or digits > 3) else f'{t:.3g}'}"


def amount(value: float, unit: str) -> str:
    """Return a number of a solver with its unit for a sentence."""
    if abs(value) < STILL:
        return f"0 {unit}"
    return f"{decimals(value, 3)} {unit}" if 5e-3 <= abs(value) < 1e5 else f"{value:.3g} {unit}"


def signed(impulse: float) -> str:
    """Return an impulse with its sign."""
    return "0 N s" if abs(impulse) < STILL else f"{'+' if impulse > 0.0 else ''}{amount(impulse, 'N s')}"


def changed(name: str, old: float, new: float) -> str:
    """Return how an impulse changes, as a clause."""
    if abs(new - old) < STILL:
        return f"{name} stays {amount(new, 'N s')}"
    return f"{name} changes by {signed(new - old)} to {amount(new, 'N s')}"


def rated(rate: float, nearing: str, parting: str, still: str) -> str:
    """Return the phrase for a rate of separation, with the speed at its {}."""
    phrase = nearing if rate < -STILL else parting if rate > STILL else still
    return phrase.format(amount(abs(rate), "m/s"))


def _few_digits(value: float) -> str:
    return decimals(value, 3) if 5e-4 <= abs(value) < 1e5 or value == 0.0 else f"{value:.3g}"
