"""A monkey at the window: ``python -m tests.hazards.monkey [--events N] [--seed S] [--demo ID]``.

Random events go into the real `Window`, without a screen (SDL's dummy driver): buttons and drags everywhere, the wheel, every key with and
without modifiers, typed text, sizes from a stamp to 4K, files good and broken, focus lost, time that stands still or jumps. It wanders
through all demos, the list, the panels and the docks. A frame is drawn after every second or third event.

Nothing may be raised; no frame may take longer than `LONGEST` seconds; worlds and memory must not pile up: garbage is collected every
`CHECKED_EVERY` events, and no more worlds may be alive then than `MOST_WORLDS`; over the second half the process may grow by
`MOST_GROWTH` bytes. After a fault the last events are printed.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import string
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pygame

from engine.app.demo import Demo
from engine.app.registry import all_demos
from engine.app.window import Window
from engine.box2d import World, memory

__all__ = ["Monkey", "Report", "broken_files", "play"]

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 5.0
CHECKED_EVERY = 1000
MOST_WORLDS = 60
"""A demo has up to a dozen; that of the preview and what the garbage of a frame still holds come on top."""
MOST_GROWTH = 150_000_000
"""Bytes over the second half: two demos' whole histories (`engine.app.history.MOST_BYTES` is 96 MB), of which only one may be alive."""
HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
DEMO_LASTS = 100
"""Events, about, after which it goes elsewhere."""

KEYS = tuple(getattr(pygame, name) for name in sorted(vars(pygame)) if name.startswith("K_"))
OFTEN = (
    pygame.K_SPACE,
    pygame.K_COMMA,
    pygame.K_PERIOD,
    pygame.K_z,
    pygame.K_y,
    pygame.K_r,
    pygame.K_DELETE,
    pygame.K_RETURN,
    pygame.K_END,
)
MODIFIERS = (0, 0, 0, pygame.KMOD_LSHIFT, pygame.KMOD_LCTRL, pygame.KMOD_LCTRL | pygame.KMOD_LSHIFT, pygame.KMOD_LALT, pygame.KMOD_NUM)
SIZES = ((1280, 720), (1280, 720), (1920, 1080), (640, 400), (800, 600), (400, 900), (320, 200), (64, 48), (1, 1), (3840, 2160))

WEIGHTS = {
    "move": 22,
    "press": 12,
    "release": 12,
    "drag": 8,
    "wheel": 5,
    "key": 16,
    "lift": 6,
    "text": 1,
    "resize": 0.25,
    "file": 0.15,
    "focus": 0.5,
    "wait": 6,
    "back": 0.1,
    "other": 0.5,
}


@dataclass
class Report:
    """What a run saw: frames, the slowest with what led to it, live worlds at most, resident bytes at the half and at the end."""

    events: int = 0
    frames: int = 0
    slowest: float = 0.0
    slowest_after: str = ""
    most_worlds: int = 0
    half: int = 0
    end: int = 0
    demos: Counter[str] = field(default_factory=Counter)

    @property
    def words(self) -> str:
        """In a line."""
        return (
            f"{self.events:,} events, {self.frames:,} frames, {len(self.demos)} demos; slowest frame {self.slowest:.2f} s, after "
            f"{self.slowest_after}; at most {self.most_worlds} worlds alive; "
            f"{self.half / 1e6:.0f} MB at the half, {self.end / 1e6:.0f} MB at the end"
        )


class Monkey:
    """Sends random events.

    Parameters
    ----------
    demos : sequence of Demo classes
    seed : int
    files : sequence of str
        What it drops.
    size : (width, height)
        Pixels at first, and most of the time.
    """

    def __init__(self, demos: Sequence[type[Demo]], seed: int, files: Sequence[str] = (), size: tuple[int, int] = (1280, 720)) -> None:
        self.demos, self.files = tuple(demos), tuple(files)
        self.random = random.Random(seed)
        self.size, self.demo_lasts = size, DEMO_LASTS
        self.surface = pygame.display.set_mode(size)
        self.window = Window(size, self.demos, seed=seed)
        self.report = Report()
        self.last: deque[str] = deque(maxlen=60)
        self.at = (640, 360)
        self.down: set[int] = set()
        self.held: list[int] = []

    # -- what it does

    def do(self) -> None:
        """One thing, and a frame."""
        name = self.random.choices(tuple(WEIGHTS), WEIGHTS.values())[0]
        getattr(self, name)()
        if self.random.random() < 0.4:
            self.frame()
        if self.random.random() < 1.0 / self.demo_lasts:
            self.elsewhere()

    def move(self) -> None:
        width, height = self.window._layout.size
        r = self.random
        chance = r.random()
        if chance < 0.5:
            to = r.randint(-5, width + 5), r.randint(-5, height + 5)
        elif chance < 0.8:  # at something: a body
            to = self.body()
        else:
            to = self.at[0] + r.randint(-8, 8), self.at[1] + r.randint(-8, 8)
        rel, self.at = (to[0] - self.at[0], to[1] - self.at[1]), to
        self.send(pygame.MOUSEMOTION, pos=to, rel=rel, buttons=tuple(int(k in self.down) for k in (1, 2, 3)))

    def body(self) -> tuple[int, int]:
        """The pixel of a body."""
        session = self.window.session
        stage = self.random.choice(session.demo.stages) if session.demo.stages else None
        if stage is None or not len(stage.world.body_ids):
            return self.at
        x, y = stage.world.poses[self.random.randrange(len(stage.world.body_ids)), :2].tolist()
        x, y = session.camera.to_screen((x + stage.offset[0], y + stage.offset[1]))
        return (round(max(-9999.0, min(9999.0, x))), round(max(-9999.0, min(9999.0, y))))

    def press(self) -> None:
        button = self.random.choices((1, 2, 3, 4, 6), (12, 1, 4, 0.2, 0.2))[0]
        self.down.add(button)
        self.send(pygame.MOUSEBUTTONDOWN, pos=self.at, button=button)

    def release(self) -> None:
        button = self.random.choice(sorted(self.down) or (1, 3))
        self.down.discard(button)
        self.send(pygame.MOUSEBUTTONUP, pos=self.at, button=button)

    def drag(self) -> None:
        """A whole gesture from one place to another, or a click where it is."""
        if self.random.random() < 0.7:
            self.move()
        self.press()
        for _ in range(self.random.choice((0, 1, 3, 8))):
            self.move()
            self.frame()
        self.release()

    def wheel(self) -> None:
        notches = self.random.choice((-5, -1, 1, 3, 40, -40))
        self.send(pygame.MOUSEWHEEL, x=0, y=notches, precise_x=0.0, precise_y=float(notches), mouse=self.at)

    def key(self) -> None:
        key = self.random.choice(OFTEN if self.random.random() < 0.3 else KEYS)
        mod = self.random.choice(MODIFIERS)
        pygame.key.set_mods(mod)
        letter = chr(key) if 32 <= key < 127 else ""
        self.held.append(key)
        self.send(pygame.KEYDOWN, key=key, mod=mod, unicode=letter, scancode=0)
        if self.random.random() < 0.5:
            self.lift()

    def lift(self) -> None:
        if self.held:
            key = self.held.pop(self.random.randrange(len(self.held)))
            self.send(pygame.KEYUP, key=key, mod=0, unicode="", scancode=0)
            pygame.key.set_mods(0)

    def text(self) -> None:
        words = self.random.choice(("1", "-3.5", "nan", "1e400", "ä", "\U0001f642", "", "x" * 30, "../..", ".", "0"))
        for letter in words or "\b":
            key = ord(letter) if ord(letter) < 127 else pygame.K_UNKNOWN
            self.send(pygame.KEYDOWN, key=key, mod=0, unicode=letter, scancode=0)
            self.send(pygame.TEXTINPUT, text=letter)

    def resize(self) -> None:
        size = self.random.choice(SIZES)
        self.surface = pygame.display.set_mode(size)
        if self.random.random() < 0.5:
            self.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
        else:
            self.send(pygame.WINDOWSIZECHANGED, x=size[0], y=size[1])

    def file(self) -> None:
        if self.files:
            self.send(pygame.DROPBEGIN)
            self.send(pygame.DROPFILE, file=self.random.choice(self.files), pos=self.at)
            self.send(pygame.DROPCOMPLETE)

    def focus(self) -> None:
        self.send(self.random.choice((pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED, pygame.WINDOWLEAVE, pygame.WINDOWMINIMIZED)))

    def wait(self) -> None:
        for _ in range(self.random.choice((1, 2, 6))):
            self.frame()

    def back(self) -> None:
        self.send(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)

    def other(self) -> None:
        kind = self.random.choice((pygame.ACTIVEEVENT, pygame.DROPTEXT, pygame.TEXTEDITING, pygame.USEREVENT, pygame.WINDOWEXPOSED))
        self.send(kind, text="x", gain=1, state=1, start=0, length=0)

    def elsewhere(self) -> None:
        """Another demo, or the list of them."""
        self.last.append("another demo")
        if self.random.random() < 0.3:
            self.back()
        else:
            self.window.start(self.random.randrange(len(self.demos)))
        if self.window.running and self.random.random() < 0.5:
            self.resize_back()

    def resize_back(self) -> None:
        self.surface = pygame.display.set_mode(self.size)
        self.send(pygame.VIDEORESIZE, size=self.size, w=self.size[0], h=self.size[1])

    # -- how

    def send(self, kind: int, **attributes: Any) -> None:
        self.report.events += 1
        self.last.append(f"{pygame.event.event_name(kind)} {attributes}")
        self.window.handle(pygame.event.Event(kind, attributes))
        self.carry_on()

    def frame(self) -> None:
        """A frame, as the loop takes one; sometimes one that comes late."""
        elapsed = self.random.choices((1.0 / 60.0, 0.0, 0.2, 5.0), (20, 1, 1, 0.3))[0]
        began = time.perf_counter()
        for event in pygame.event.get():
            self.window.handle(event)
        self.carry_on()
        self.window.update(elapsed)
        self.window.draw(self.surface)
        took = time.perf_counter() - began
        report = self.report
        report.frames += 1
        report.demos[self.window.session.demo.id] += 1
        if took > report.slowest:
            report.slowest, report.slowest_after = (
                took,
                f"{self.last[-1] if self.last else 'nothing'} in {self.window.session.demo.id}"[:120],
            )

    def leave(self) -> None:
        """Close what the window leaves open."""
        if self.window.session.recorder is not None:
            self.window.session.recorder.close()

    def carry_on(self) -> None:
        """The monkey does not leave."""
        self.window.running = True


def broken_files(folder: Path) -> tuple[str, ...]:
    """Good files of the program, and bad ones made in a folder: empty, cut off, of another kind, a folder, missing."""
    samples = ROOT / "sprites" / "samples"
    good = [ROOT / "sprites" / "figure_body.json", samples / "gear.svg", samples / "paw.png"]
    (folder / "empty.png").write_bytes(b"")
    (folder / "cut.png").write_bytes((samples / "paw.png").read_bytes()[:200])
    (folder / "wrong.json").write_text('{"bodies": [1, {"x": null}]}')
    (folder / "not.json").write_text("{")
    (folder / "bad.svg").write_text('<svg><path d="M0 0 L"/>')
    (folder / "cut.rec").write_bytes(b"\0" * 40)
    (folder / "text.txt").write_text("hello")
    letters = random.Random(0)
    (folder / "noise.svg").write_text("".join(letters.choice(string.printable) for _ in range(300)))
    bad = ["empty.png", "cut.png", "wrong.json", "not.json", "bad.svg", "cut.rec", "text.txt", "noise.svg", "missing.png", "."]
    return tuple(map(str, good)) + tuple(str(folder / name) for name in bad)


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not tell so."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def live_worlds() -> int:
    """How many worlds there are, after all garbage has gone."""
    gc.collect()
    return sum(isinstance(one, World) for one in gc.get_objects())


def play(monkey: Monkey, events: int, say: Callable[[str], object] | None = None, checked_every: int = CHECKED_EVERY) -> Report:
    """Let it play until so many events were sent, and return what was seen; `AssertionError` at a hang or a leak."""
    report, due, at_half = monkey.report, checked_every, False
    before = live_worlds()
    while report.events < events:
        monkey.do()
        assert report.slowest < LONGEST, f"a frame took {report.slowest:.1f} s after {report.slowest_after}"
        if not at_half and report.events >= events // 2:
            at_half = True
            gc.collect()
            report.half = resident()
        if report.events >= due:
            due += checked_every
            worlds = live_worlds() - before
            report.most_worlds = max(report.most_worlds, worlds)
            assert worlds < MOST_WORLDS, f"{worlds} worlds are alive after {report.events:,} events"
            if say is not None:
                say(f"{report.events:,} events, {report.frames:,} frames, {worlds} worlds, {resident() / 1e6:.0f} MB")
    monkey.leave()
    gc.collect()
    report.end = resident()
    return report


def main() -> int:
    """Run it; 0 if nothing went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--demo", action="append", help="only this one; more than once for several")
    chosen = parser.parse_args()
    pygame.init()
    memory.load()
    demos = [demo for demo in all_demos() if not chosen.demo or demo.id in chosen.demo]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what it records, exports and remembers stays in there
        os.environ.update(dict.fromkeys(HOMES, folder))
        monkey = Monkey(demos, chosen.seed, broken_files(Path(folder)))
        try:
            report = play(monkey, chosen.events, lambda words: print(words, flush=True))
        except Exception:
            traceback.print_exc()
            print(
                f"in {monkey.window.session.demo.id}, seed {chosen.seed}, after {monkey.report.events} events; the last:", file=sys.stderr
            )
            print("\n".join(f"  {words}"[:200] for words in list(monkey.last)[-20:]), file=sys.stderr)
            return 1
    assert not report.half or report.end - report.half < MOST_GROWTH, report.words
    print(f"{report.words}; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
