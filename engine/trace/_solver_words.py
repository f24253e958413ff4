"""Words for numbers in the captions of solver steppers."""

from __future__ import annotations

from engine.common.words import decimals

__all__ = ["STILL", "amount", "change", "meeting", "meets", "met", "signed", "target"]

STILL = 1e-9
"""Values below this are reported as 0; m/s, N s."""


def amount(value: float, unit: str) -> str:
    """Return a number with its unit for a sentence."""
    if abs(value) < STILL:
        return f"0 {unit}"
    return f"{decimals(value, 3)} {unit}" if 5e-3 <= abs(value) < 1e5 else f"{value:.3g} {unit}"


def signed(impulse: float) -> str:
    return "0 N s" if abs(impulse) < STILL else f"{'+' if impulse > 0.0 else ''}{amount(impulse, 'N s')}"


def change(name: str, old: float, new: float) -> str:
    """Return how an impulse changes, as a clause."""
    if abs(new - old) < STILL:
        return f"{name} stays {amount(new, 'N s')}"
    return f"{name} changes by {signed(new - old)} to {amount(new, 'N s')}"


def meeting(rate: float) -> str:
    if rate < -STILL:
        return f"approach at {amount(-rate, 'm/s')}"
    return f"separate at {amount(rate, 'm/s')}" if rate > STILL else "stay the same distance apart"


def meets(rate: float, other: str) -> str:
    if rate < -STILL:
        return f"approaches {other} at {amount(-rate, 'm/s')}"
    return f"separates from {other} at {amount(rate, 'm/s')}" if rate > STILL else f"rests on {other}"


def met(rate: float) -> str:
    """Return the rate before the row, for brackets."""
    if rate < -STILL:
        return f"it approached at {amount(-rate, 'm/s')} before"
    return f"it was separating at {amount(rate, 'm/s')} before" if rate > STILL else "it was at rest before"


def target(bias: float) -> str:
    if bias > STILL:
        return f", and may do so at up to {amount(bias, 'm/s')} because there is a gap"
    return f", and should separate at {amount(-bias, 'm/s')}" if bias < -STILL else ""
