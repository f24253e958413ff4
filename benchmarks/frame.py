"""The frame of a window with everything open, off-screen: a step with the reading of its contacts, the check, and the picture.

python -m benchmarks.frame 36000 500     # so many frames of so many bodies: ten minutes at 60 Hz
"""

from __future__ import annotations

import statistics
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import pygame

from benchmarks.measuring import Record, record
from engine.app.headless import DESIGN_SIZE, no_screen
from engine.app.loop import garbage_kept, set_garbage_aside
from engine.app.window import Window
from engine.compare.live.referee import live_referee
from engine.sim.demo import Demo
from engine.sim.registry import find_demo

__all__ = ["run", "time_window"]

_PARTS = ("whole", "processor", "step", "check", "past", "drawing")
"""Parts of a frame; the rest are docks."""
_FIRST = ("whole", "whole, 95 %", *_PARTS[1:], "drawing, 95 %", "processor, worst")
_MINUTE = 3_600
"""Frames that are measured."""
_NEARLY_ALL = 0.95
_FRAME = 1.0 / 60.0
_UNTIMED = 5
"""Frames before those that are measured, in which fonts and discs are made."""


def run(quick: bool = False) -> list[Record]:
    """Time the settled heap of simple shapes in a window with the live check, a history, and every dock open; medians over the frames.

    Docks are drawn in turn, so that theirs are means.
    """
    count, frames, settle = (100, 30, 30) if quick else (500, _MINUTE, 200)
    costs = time_window(find_demo("simple_shapes")(1, {"count": count}, live_referee), frames, settle)
    late = f"{costs.pop('late'):.2g} % of the frames take more than 16.7 ms of processor time"
    note = f"{count} bodies, everything open, {frames} frames of 1280 x 720; medians, but means for docks (drawn in turn)"
    names = sorted(costs, key=lambda name: (name not in _FIRST, -costs[name]))
    words = {name: name if name in _FIRST else f"of it {name}" for name in names}
    notes = {"processor, worst": late}
    return [record(f"window, {words[name]}", "ms", [costs[name] / 1e3], note=notes.get(name, note)) for name in names]


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
        processor more than a sixtieth of a second. Then the means of what each dock takes, by its title. All by the clock on the wall,
        except "processor": the whole frame as the processor worked on it, without what others took.
    """
    # no lists: in ten minutes they become so long that the collector of garbage would walk them for ten milliseconds of a frame
    parts: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
    with no_screen():
        window = Window(size, (type(demo),), demo, demo.seed)
        window.has_referee()
        for key in (pygame.K_F7, pygame.K_F8, pygame.K_i, pygame.K_9):
            window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        window.session.timeline.watched = (0, demo.stages[0].world.body_ids[-1])
        spent = _time_docks(window)
        surface = pygame.Surface(size)
        for k in range(warm_up + frames + _UNTIMED):
            spent.clear()
            if k == warm_up + _UNTIMED:
                set_garbage_aside()
            start, worked = perf_counter(), process_time()
            with garbage_kept(demo.sim.is_keyframe_next):
                window.update(_FRAME)
                updated = 1000.0 * (perf_counter() - start)
                window.show(surface)
            elapsed, worked = 1000.0 * (perf_counter() - start), 1000.0 * (process_time() - worked)
            times = window.session.costs.latest
            if k >= warm_up + _UNTIMED and times.steps == 1:
                row = {"whole": elapsed, "processor": worked, "step": times.step, "check": times.check, "drawing": times.draw, **spent}
                row["past"] = updated - times.step - times.check
                for name, cost in row.items():
                    parts[name].append(cost)
    summary = {name: statistics.fmean(costs) if name not in _PARTS else statistics.median(costs) for name, costs in parts.items()}
    for name in ("whole", "drawing"):
        summary[f"{name}, 95 %"] = sorted(parts[name])[round(_NEARLY_ALL * (len(parts[name]) - 1))]
    costs = parts["processor"]
    summary["processor, worst"], summary["late"] = max(costs), 100.0 * sum(cost > 1000.0 * _FRAME for cost in costs) / len(costs)
    return summary


def _time_docks(window: Window) -> dict[str, float]:
    """Return a dictionary to which every dock of a window adds its time, by its title."""
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


def _print_long(frames: int, count: int) -> None:
    """Print what so many frames with every dock open take, milliseconds of processor time."""
    demo = find_demo("simple_shapes")(1, {"count": count}, live_referee)
    costs = time_window(demo, frames, 200)
    print(f"{count} bodies, {frames:,} frames: median {costs['processor']:.2f} ms, worst {costs['processor, worst']:.1f}")
    print(f"above 16.7 ms: {costs['late']:.3g} %")


if __name__ == "__main__":
    _print_long(int(sys.argv[1]), int(sys.argv[2]))
