"""Fixed steps from uneven frames.

Elapsed time is added to an accumulator, from which whole steps are subtracted:

    accumulator += elapsed * speed;   while accumulator >= h: step, accumulator -= h

The remainder, accumulator / h, is the fraction at which the picture is drawn between the last two states. After a long frame at most
`max_steps` steps are taken and the rest is dropped: catching up would make each following frame longer (the spiral of death). The world
then runs slower than real time, and `lag` reports it.

Source: G. Fiedler, "Fix your timestep!", 2004, gafferongames.com/post/fix_your_timestep
"""

from __future__ import annotations

import math

from engine.common.checks import positive

__all__ = ["SPEEDS", "FixedClock", "speed_name"]

SPEEDS: tuple[float, ...] = (8.0, 4.0, 2.0, 1.0, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 100)
"""Speeds that keys select, fastest first."""

_NOTABLE_LAG = 0.15
"""Share of skipped time from which it is reported."""


def speed_name(speed: float) -> str:
    """Return a speed as text.

    Examples
    --------
    >>> speed_name(1.0), speed_name(1 / 64), speed_name(0.3), speed_name(4.0)
    ('1/1', '1/64', '0.3', '4x')
    """
    if speed > 1.0:
        return f"{speed:g}x"
    inverse = 1.0 / speed
    return f"1/{inverse:.0f}" if abs(inverse - round(inverse)) < 1e-6 else f"{speed:.2g}"


class FixedClock:
    """Computes how many fixed steps to take in a frame, and at which fraction of a step to draw.

    Parameters
    ----------
    step_seconds : float
        Length of a step, > 0.
    max_steps : int
        Maximum number of steps per frame.
    """

    def __init__(self, step_seconds: float = 1.0 / 60.0, max_steps: int = 4) -> None:
        self._step = positive("step_seconds", step_seconds, "s")
        self.max_steps = max_steps
        self._held = 0.0
        self._requested = 0
        self._forgiven = 0.0
        self._speed = 1.0
        self._speed_chosen = False
        self.paused = False
        self.lag = 0.0
        """Share of the requested time that was skipped recently, 0 (real time) to 1; averaged over about a second."""

    @property
    def step_seconds(self) -> float:
        """Length of a step, seconds; changing it keeps the fraction."""
        return self._step

    @step_seconds.setter
    def step_seconds(self, value: float) -> None:
        fraction = self._held / self._step
        self._step = positive("step_seconds", value, "s")
        self._held = fraction * self._step

    @property
    def speed(self) -> float:
        """Simulated seconds per real second, 1/100 to 8."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._speed = min(max(positive("speed", value), SPEEDS[-1]), SPEEDS[0])

    @property
    def fraction(self) -> float:
        """Interpolation factor for drawing between the states before (0) and after (1) the last step; 1 while paused."""
        return 1.0 if self.paused else min(self._held / self._step, 1.0)

    @property
    def pace(self) -> str:
        """The state of time, in words."""
        name = speed_name(self.speed)
        if not self.paused:
            return name
        return "paused" if name == "1/1" else f"paused, {name}"

    @property
    def is_slow(self) -> bool:
        """True if time runs noticeably slower than requested because the computer is too slow."""
        return not self.paused and self.lag > _NOTABLE_LAG

    @property
    def share_of_speed(self) -> str:
        """The share of the requested speed that was reached recently, in words."""
        return f"{100.0 * (1.0 - self.lag):.0f} %"

    def toggle_pause(self) -> None:
        """Pause or resume."""
        self.paused = not self.paused

    def request_speed(self, speed: float) -> None:
        """Set the speed that the demo requests, unless the user has chosen one."""
        if not self._speed_chosen:
            self.speed = speed

    def slower(self) -> None:
        """Decrease the speed by one notch of `SPEEDS`, as the user's choice."""
        self._speed_chosen = True
        self.speed = next((speed for speed in SPEEDS if speed < self._speed - 1e-9), SPEEDS[-1])

    def faster(self) -> None:
        """Increase the speed by one notch of `SPEEDS`, as the user's choice."""
        self._speed_chosen = True
        self.speed = next((speed for speed in reversed(SPEEDS) if speed > self._speed + 1e-9), SPEEDS[0])

    def request_step(self) -> None:
        """Pause, and take exactly one step in the next frame."""
        self.paused = True
        self._requested += 1

    def reset(self) -> None:
        """Discard accumulated time and requested steps, for a new world."""
        self._held, self._requested, self._forgiven, self.lag = 0.0, 0, 0.0, 0.0

    def show(self, fraction: float) -> None:
        """Draw at a fixed fraction of the last step, 0 to 1, until time advances; for screenshots and films."""
        self._held = min(max(fraction, 0.0), 1.0) * self._step

    def advance(self, elapsed: float) -> int:
        """Accumulate `elapsed` real seconds and return the number of due steps; negative or NaN time counts as zero."""
        if self.paused:
            due, self._requested = self._requested, 0
            self._held = 0.0
            return due
        real = elapsed if math.isfinite(elapsed) and elapsed > 0.0 else 0.0
        requested = real * self._speed
        self._held += requested
        due = math.floor(self._held / self._step + 1e-9)
        n_steps = min(due, self.max_steps)
        self._held = max(self._held - due * self._step, 0.0)
        if requested > 0.0:
            share = min(((due - n_steps) * self._step + self._forgiven) / requested, 1.0)
            keep = math.exp(-real)
            self.lag = keep * self.lag + (1.0 - keep) * share
        self._forgiven = 0.0
        return n_steps

    def forgive(self, steps: int) -> None:
        """Record that `steps` due steps were skipped because the frame took too long."""
        self._forgiven += steps * self._step
