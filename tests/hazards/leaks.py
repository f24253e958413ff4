"""Repeated actions must not leak memory: ``python -m tests.hazards.leaks [--times N] [WORD ...]``.

Each frequent action (starting each demo, each key with and without Ctrl, resizing, changing themes and scales, dropping files, going to the
list and back) is done `N` times in a `Window`, then `N` times more; after each half, the window rests as in the monkey test, and glibc
reports the allocated bytes. The growth during the second half is printed per repetition; a total of more than `MOST` is a leak. With words,
only actions whose names contain one of them are tested. `tests.hazards.monkey` finds leaks of unlisted actions; this test names the action
and its exact growth.
"""

import argparse
import os
import sys
import tempfile
import threading
from pathlib import Path

import pygame

from engine.sim.registry import all_demos
from tests.hazards.monkey import HOMES, Monkey, broken_files, seat_for
from tests.hazards.resident import allocated

__all__ = ["doings", "left_by"]

TIMES = 16
MOST = 40_000
"""Bytes in all. What comes to rest only after many times, such as the letters of a font in each size, was up to 27 kB."""
LOADS = 3
"""Times before anything is counted: what is loaded once is there then."""
FRAMES = 6
BACKGROUND = 60.0
"""Seconds that threads have to end, so that what they work with is not counted,"""
WAIT_FOR_EVER = (threading.main_thread().name, "dropped files")
"""but for these."""


def left_by(monkey, doing, times):
    """Return the bytes leaked per repetition of an action."""
    for _ in range(LOADS):
        doing()
    counts = []
    for _ in range(3):
        monkey.rest()
        for thread in threading.enumerate():
            if thread.name not in WAIT_FOR_EVER:
                thread.join(BACKGROUND)
        counts.append(allocated() or 0)
        for _ in range(times):
            doing()
    return (counts[2] - counts[1]) / times


def doings(monkey):
    """Return the frequent actions by name."""
    window = monkey.window

    def key(code, mod=0):
        def press():
            monkey.send(pygame.KEYDOWN, key=code, mod=mod, unicode="", scancode=0)
            monkey.turn(1.0 / 60.0)
            monkey.send(pygame.KEYUP, key=code, mod=0, unicode="", scancode=0)
            monkey.turn(1.0 / 60.0)

        return press

    def begin(index):
        def start():
            window.navigator.start(index)
            for _ in range(FRAMES):
                monkey.turn(1.0 / 60.0)

        return start

    def drop(file):
        def let_go():
            window.navigator.start(0)
            monkey.send(pygame.DROPFILE, file=file, pos=(600, 300))
            while window.app.dropper.n_pending:
                monkey.turn(1.0 / 60.0)
            monkey.turn(1.0 / 60.0)

        return let_go

    def resize():
        for size in ((3840, 2160), (640, 400), monkey.size):
            monkey.seat.resize(size)
            monkey.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
            monkey.turn(0.0)

    def rescale():
        for scale in (1.5, 0.75, 1.0):
            window.screen.rescale(scale)
            monkey.turn(0.0)

    def list_and_back():
        window.app.back()
        monkey.turn(0.0)
        window.navigator.start(0)
        monkey.turn(0.0)

    yield "size", resize
    yield "scale", rescale
    yield "list and back", list_and_back
    for k in range(1, 13):
        yield f"F{k}", key(getattr(pygame, f"K_F{k}"))
    for letter in "abcdefghijklmnopqrstuvwxyz":
        yield f"key {letter}", key(ord(letter))
        yield f"ctrl {letter}", key(ord(letter), pygame.KMOD_LCTRL)
    for file in monkey.files:
        yield f"file {Path(file).name}", drop(file)
    for index, demo in enumerate(monkey.demos):
        yield f"demo {demo.id}", begin(index)


def main():
    """Run all actions; return 0 if none leaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--times", type=int, default=TIMES)
    chosen = parser.parse_args()
    if allocated() is None:
        print("error: only glibc 2.33 and later count what they have given out", file=sys.stderr)
        return 2
    demos, n_leaks = all_demos(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(dict.fromkeys(HOMES, folder))
        with seat_for(False, demos, 0, None) as seat:
            monkey = Monkey(demos, 0, broken_files(Path(folder)), seat=seat)
            for name, doing in doings(monkey):
                if not chosen.words or any(word in name for word in chosen.words):
                    left = left_by(monkey, doing, chosen.times)
                    is_leak = left * chosen.times > MOST
                    n_leaks += is_leak
                    print(f"{name:32} {left:+12,.0f} bytes each time{'   LEAK' if is_leak else ''}", flush=True)
        os.chdir("/")
    print(f"{n_leaks} leaks")
    return 1 if n_leaks else 0


if __name__ == "__main__":
    raise SystemExit(main())
