"""What frames cost off-screen: of a window with everything open, and what each dock takes of them; of a demo alone."""

from __future__ import annotations

import statistics
from array import array
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import pygame

from engine.app.garbage import set_garbage_aside
from engine.app.headless import DESIGN_SIZE, no_screen, window_on
from engine.app.window import Window
from engine.common.checks import integer

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["FRAME_PARTS", "FrameTiming", "time_frames", "time_window"]

FRAME_PARTS = ("whole", "processor", "step", "check", "past", "drawing")
"""What a frame consists of; the rest are docks."""
_NEARLY_ALL = 0.95

_FRAME = 1.0 / 60.0
_UNTIMED = 5
"""Frames before those that are measured, in which fonts and discs are made."""
_UNTIMED_ALONE = 10


def time_window(demo: Demo, frames: int = 240, warm_up: int = 0, size: tuple[int, int] = DESIGN_SIZE) -> dict[str, float]:
    """Measure frames of a window that keeps a history and has every dock and layer of impulses open; milliseconds.

    Parameters
    ----------
    demo : Demo
        With a referee, or the check costs nothing.
    frames : int
        Measured, > 0; one step each.
    warm_up : int
        Frames before.
    size : (width, height)
        Pixels.

    Returns
    -------
    dict
        Medians of "whole", "processor", "step", "check", "past" and "drawing", the last with the docks in it; "whole, 95 %" and
        "drawing, 95 %", which that share of the frames stays below; "processor, worst", and "late", the percentage of frames that take the
        processor more than a sixtieth of a second. Then the means of what each dock takes, by its title, for docks are drawn in turn.
        All by the clock on the wall, except "processor": the whole frame as the processor worked on it, without what others took.
    """
    frames = integer("frames", frames, 1)
    # no lists: in ten minutes they become so long that the collector of garbage would walk them for ten milliseconds of a frame
    parts: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
    with no_screen():
        window = Window(size, (type(demo),), demo, demo.seed)
        window.has_referee()
        for key in (pygame.K_F7, pygame.K_F8, pygame.K_F9, pygame.K_i, pygame.K_9):
            window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        window.session.timeline.watched = (0, demo.stages[0].world.body_ids[-1])
        spent = _time_docks(window)
        surface = pygame.Surface(size)
        for k in range(integer("warm_up", warm_up, 0) + frames + _UNTIMED):
            spent.clear()
            if k == warm_up + _UNTIMED:
                set_garbage_aside()
            start, worked = perf_counter(), process_time()
            window.update(_FRAME)
            window.show(surface)
            whole, worked = 1000.0 * (perf_counter() - start), 1000.0 * (process_time() - worked)
            times = window.session.costs.latest
            if k >= warm_up + _UNTIMED and times.steps == 1:
                row = {"whole": whole, "processor": worked, "step": times.step, "check": times.check, "drawing": times.draw, **spent}
                row["past"] = times.advance - times.step - times.check
                for name, cost in row.items():
                    parts[name].append(cost)
    found = {name: statistics.fmean(costs) if name not in FRAME_PARTS else statistics.median(costs) for name, costs in parts.items()}
    for name in ("whole", "drawing"):
        found[f"{name}, 95 %"] = sorted(parts[name])[round(_NEARLY_ALL * (len(parts[name]) - 1))]
    costs = parts["processor"]
    found["processor, worst"], found["late"] = max(costs), 100.0 * sum(cost > 1000.0 * _FRAME for cost in costs) / len(costs)
    return found


def _time_docks(window: Window) -> dict[str, float]:
    """Let every dock of a window add what it takes to the dictionary that is returned, by its title."""
    spent: defaultdict[str, float] = defaultdict(float)

    def timed(title: str, action: Callable[..., None]) -> Callable[..., None]:
        def run(*arguments: Any) -> None:
            start = perf_counter()
            action(*arguments)
            spent[title] += 1000.0 * (perf_counter() - start)

        return run

    for dock in window.docks:
        for name in ("update", "paint", "draw"):
            setattr(dock, name, timed(dock.title or type(dock).__name__, getattr(dock, name)))
    return spent


@dataclass(frozen=True, slots=True)
class FrameTiming:
    """Medians over frames of one step each, milliseconds.

    `step` is the wrapper's whole step: `box2d` with the listener's callbacks, `reading` bodies and contacts out of it, and
    the commands before it; then come `check`, `draw`, and all together. `draw` and `frame` are as the processor worked on them, without
    what others took; the rest is by the clock on the wall.
    """

    frames: int
    bodies: int
    contacts: int
    step: float
    box2d: float
    reading: float
    check: float
    draw: float
    frame: float


def time_frames(demo: Demo, frames: int = 240, warm_up: int = 0, size: tuple[int, int] = DESIGN_SIZE) -> FrameTiming:
    """Measure whole frames off-screen: one step, its check, and the window's picture.

    Parameters
    ----------
    demo : Demo
        With a referee, or the check costs nothing.
    frames : int
        Measured, > 0.
    warm_up : int
        Steps taken before, without drawing.
    size : (width, height)
        Pixels.
    """
    frames = integer("frames", frames, 1)
    for _ in range(integer("warm_up", warm_up, 0)):
        demo.sim.step()
    with no_screen():
        window = window_on(demo, size, 1.0)
        surface = pygame.Surface(size)
        parts: list[tuple[float, ...]] = []
        for k in range(frames + _UNTIMED_ALONE):
            start = process_time()
            demo.sim.step()
            stepped = process_time()
            window.show(surface)
            end = process_time()
            if k >= _UNTIMED_ALONE:
                costs = [stage.world.last_cost for stage in demo.stages]
                box2d, reading = sum(cost.solver for cost in costs), sum(cost.reading for cost in costs)
                parts.append((demo.sim.times.step, box2d, reading, demo.sim.times.check, 1000.0 * (end - stepped), 1000.0 * (end - start)))
    medians = [statistics.median(column) for column in zip(*parts, strict=True)]
    bodies = sum(len(stage.world.body_ids) for stage in demo.stages)
    contacts = sum(len(stage.world.contacts) for stage in demo.stages)
    return FrameTiming(frames, bodies, contacts, *medians)
