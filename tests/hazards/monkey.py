"""Monkey test of the window: ``python -m tests.hazards.monkey [--window] [--events N] [--seed S] [--demo ID]``.

Random events go to the program's window: clicks and drags everywhere, the wheel, every key with and without modifiers, typed text, sizes
from tiny to 4K, valid and damaged files, loss of focus, and time that stops or jumps. The monkey goes through all demos, the list, the
panels and the docks. A frame is drawn after every second or third event.

Without ``--window``, the events are passed to a `Window` under SDL's dummy driver, without a live check. With it the program's own window
is open on an X display (``$DISPLAY``, or an Xvfb of its own): SDL's x11 driver, the queue, the loop, the live check, the scenes kept aside.
A share of what it does (``--by-hand``, half in an Xvfb) is sent by the X server itself, through xdotool: real keys, a real pointer, a
window that is resized, taken away and brought back. The rest, such as files that are dropped, is posted into the queue. A seed gives nearly
the same events again, but not exactly: the number of steps per frame and the progress of threads depend on the machine.

No exception may be raised; no frame may take longer than `LONGEST` seconds, and after `HANG` seconds without a frame the process ends with
a stack trace; worlds and memory must not accumulate. Every `CHECKED_EVERY` events, the monkey rests: the window returns to its usual size,
the first demo starts, garbage is collected, and the allocator returns free memory. At most `MAX_WORLDS` worlds may exist then, and the
process's memory may grow by at most `MAX_GROWTH` per event over the second half of a run of 40,000 or more. After a fault the last events
are printed.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gc
import os
import random
import string
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path

import pygame

from engine.box2d import memory
from engine.sim.registry import all_demos
from engine.world import World
from tests.hazards.resident import allocated, growth, held
from tests.hazards.seats import OffScreen, on_screen
from tests.hazards.x_server import NoServerError

__all__ = ["Monkey", "Report", "broken_files", "play"]

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 5.0
HANG = 120.0
"""Seconds without a frame after which nothing will come any more."""
CHECKED_EVERY = 1000
MAX_WORLDS = 60
"""A demo has up to a dozen; that of the preview and what the garbage of a frame still holds come on top."""
FROM = 0.5
"""Share of a run after which memory is looked at: what a demo or a key needs is loaded when it is met first."""
ENOUGH_RESTS = 20
"""Number of rests from which on memory is judged."""
MAX_GROWTH = 1_500.0
"""Bytes an event, of what is held. Two runs of 50,000 in the window had 470 and 650: what is loaded when it is first met (kernels, a
library) was a step of 20 MB, which over 25,000 events comes to 800; and what is held at rest scatters by 3 MB (what the allocator keeps
in parts of pages, a file read last), so that the slope of 25 rests is uncertain by ``3e6 * sqrt(12 / 25) / 25_000`` = 83 bytes an event,
of which eight come on top. Smaller leaks: `tests.hazards.leaks`."""
HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
DEMO_LASTS = 100
"""Events, about, after which it goes elsewhere."""
SETTLED = 4
"""Frames of a demo at rest, enough to have drawn all that its first picture needs."""

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
    pygame.K_F11,
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
    "hide": 0.1,
    "wait": 6,
    "back": 0.1,
    "other": 0.5,
}


@dataclass
class Report:
    """Record of a run: frames, the slowest one with its cause, the maximum number of live worlds, and the bytes in use at each rest.

    Attributes
    ----------
    by_hand, from_server : int
        Events sent through xdotool; events of mouse and keys that the X server sent to the window: a click of the wheel may be several.
    rests : list of (events, bytes held, bytes that the allocator has given out)
    """

    events: int = 0
    by_hand: int = 0
    from_server: int = 0
    frames: int = 0
    slowest: float = 0.0
    slowest_after: str = ""
    most_worlds: int = 0
    rests: list[tuple[int, int, int]] = field(default_factory=list)
    demos: Counter[str] = field(default_factory=Counter)

    @property
    def late(self):
        """The rests after the fraction `FROM` of the run."""
        return [rest for rest in self.rests if rest[0] >= FROM * self.events]

    @property
    def growth(self):
        """Growth of the memory in use during the late rests, bytes per event; 0 for fewer than two rests."""
        return self._slope(1)

    def _slope(self, column):
        late = self.late
        return growth([rest[0] for rest in late], [rest[column] for rest in late]) if len(late) > 1 else 0.0

    @property
    def words(self):
        """Return the report in one line."""
        hands = f", {self.by_hand:,} by hand ({self.from_server:,} came from the X server)" if self.by_hand else ""
        sizes = [held / 1e6 for _, held, _ in self.rests] or [0.0]
        return (
            f"{self.events:,} events{hands}, {self.frames:,} frames, {len(self.demos)} demos; slowest frame {self.slowest:.2f} s, after "
            f"{self.slowest_after}; at most {self.most_worlds} worlds alive; "
            f"{sizes[0]:.0f} MB held at first, {sizes[len(sizes) // 2]:.0f} at the half, {sizes[-1]:.0f} at the end, "
            f"{self.growth:+.0f} bytes an event, of which {self._slope(2):+.0f} given out"
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
    seat : Seat, optional
        Where it sits, at a window with these demos; off-screen otherwise.
    by_hand : float
        The share of what it does that hands do, if the seat has any.
    """

    def __init__(
        self,
        demos,
        seed,
        files=(),
        size=(1280, 720),
        seat=None,
        by_hand=0.5,
    ):
        self.demos, self.files = tuple(demos), tuple(files)
        self.random = random.Random(seed)
        self.size, self.demo_lasts = size, DEMO_LASTS
        self.seat = OffScreen(size, self.demos, seed) if seat is None else seat
        self.window = self.seat.window
        self.report = Report()
        self.last = deque(maxlen=60)
        self.at = (640, 360)
        self.down = set()
        self.held = []
        self.by_hand = by_hand if self.seat.has_hands else 0.0
        self.is_by_hand = False

    # -- what it does

    def do(self):
        """Do one action and draw a frame."""
        self.is_by_hand = self.random.random() < self.by_hand
        name = self.random.choices(tuple(WEIGHTS), WEIGHTS.values())[0]
        getattr(self, name)()
        if self.random.random() < 0.4:
            self.frame()
        if self.random.random() < 1.0 / self.demo_lasts:
            self.elsewhere()

    def move(self):
        width, height = self.window.screen.layout.size
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

    def body(self):
        """The pixel of a body."""
        session = self.window.session
        stage = self.random.choice(session.demo.stages) if session.demo.stages else None
        if stage is None or not len(stage.world.body_ids):
            return self.at
        x, y = stage.world.poses[self.random.randrange(len(stage.world.body_ids)), :2].tolist()
        x, y = session.view.camera.to_screen((x + stage.offset[0], y + stage.offset[1]))
        return (round(max(-9999.0, min(9999.0, x))), round(max(-9999.0, min(9999.0, y))))

    def press(self):
        button = self.random.choices((1, 2, 3, 4, 6), (12, 1, 4, 0.2, 0.2))[0]
        self.down.add(button)
        self.send(pygame.MOUSEBUTTONDOWN, pos=self.at, button=button)

    def release(self):
        button = self.random.choice(sorted(self.down) or (1, 3))
        self.down.discard(button)
        self.send(pygame.MOUSEBUTTONUP, pos=self.at, button=button)

    def drag(self):
        """A complete drag from one place to another, or a click."""
        if self.random.random() < 0.7:
            self.move()
        self.press()
        for _ in range(self.random.choice((0, 1, 3, 8))):
            self.move()
            self.frame()
        self.release()

    def wheel(self):
        notches = self.random.choice((-5, -1, 1, 3, 40, -40))
        self.send(pygame.MOUSEWHEEL, x=0, y=notches, precise_x=0.0, precise_y=float(notches), mouse=self.at)

    def key(self):
        key = self.random.choice(OFTEN if self.random.random() < 0.3 else KEYS)
        mod = self.random.choice(MODIFIERS)
        pygame.key.set_mods(mod)
        letter = chr(key) if 32 <= key < 127 else ""
        self.held.append(key)
        self.send(pygame.KEYDOWN, key=key, mod=mod, unicode=letter, scancode=0)
        if self.random.random() < 0.5:
            self.lift()

    def lift(self):
        if self.held:
            key = self.held.pop(self.random.randrange(len(self.held)))
            self.send(pygame.KEYUP, key=key, mod=0, unicode="", scancode=0)
            pygame.key.set_mods(0)

    def text(self):
        words = self.random.choice(("1", "-3.5", "nan", "1e400", "ä", "\U0001f642", "", "x" * 30, "../..", ".", "0"))
        for letter in words or "\b":
            key = ord(letter) if ord(letter) < 127 else pygame.K_UNKNOWN
            self.send(pygame.KEYDOWN, key=key, mod=0, unicode=letter, scancode=0)
            self.send(pygame.TEXTINPUT, text=letter)

    def resize(self):
        size = self.random.choice(SIZES)
        self.last.append(f"resize to {size}")
        self.seat.resize(size)
        if self.random.random() < 0.5:
            self.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
        else:
            self.send(pygame.WINDOWSIZECHANGED, x=size[0], y=size[1])

    def file(self):
        if self.files:
            self.send(pygame.DROPBEGIN)
            self.send(pygame.DROPFILE, file=self.random.choice(self.files), pos=self.at)
            self.send(pygame.DROPCOMPLETE)

    def focus(self):
        self.send(self.random.choice((pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED, pygame.WINDOWLEAVE, pygame.WINDOWMINIMIZED)))

    def hide(self):
        self.last.append("hidden and shown")
        self.seat.hide()

    def wait(self):
        for _ in range(self.random.choice((1, 2, 6))):
            self.frame()

    def back(self):
        self.send(pygame.KEYDOWN, key=pygame.K_ESCAPE, mod=0, unicode="", scancode=0)

    def other(self):
        kind = self.random.choice((pygame.ACTIVEEVENT, pygame.DROPTEXT, pygame.TEXTEDITING, pygame.USEREVENT, pygame.WINDOWEXPOSED))
        self.send(kind, text="x", gain=1, state=1, start=0, length=0)

    def elsewhere(self):
        """Open another demo or the list."""
        self.last.append("another demo")
        if self.random.random() < 0.3:
            self.back()
        else:
            self.window.navigator.start(self.random.randrange(len(self.demos)))
        if self.window.running and self.random.random() < 0.5:
            self.resize_back()

    def resize_back(self):
        self.seat.resize(self.size)
        self.send(pygame.VIDEORESIZE, size=self.size, w=self.size[0], h=self.size[1])

    def look_at_all(self):
        """Start each demo once, so that loaded data does not count as growth."""
        for index in range(len(self.demos)):
            self.window.navigator.start(index)
            for _ in range(SETTLED):
                self.turn(1.0 / 60.0)

    def rest(self):
        """Release everything and start the first demo at the usual size, so that memory use can be compared."""
        self.last.append("rest")
        self.seat.let_go()
        self.down.clear()
        self.held.clear()
        pygame.key.set_mods(0)
        self.resize_back()
        self.turn(0.0)
        self.window.router.keys.close()
        for scale in (1.25, 1.0):  # another scale lets go of the words that were drawn in this one
            self.window.screen.rescale(scale)
        self.window.navigator.browse()
        self.window.navigator.left.clear()
        self.window.navigator.start(0)
        for _ in range(SETTLED):
            self.turn(1.0 / 60.0)

    # -- how

    def send(self, kind, **attributes):
        self.report.events += 1
        self.last.append(f"{pygame.event.event_name(kind)} {attributes}")
        self.report.by_hand += self.seat.send(pygame.event.Event(kind, attributes), self.is_by_hand)

    def frame(self):
        """Run a frame as in the loop, sometimes a late one."""
        self.turn(self.random.choices((1.0 / 60.0, 0.0, 0.2, 5.0), (20, 1, 1, 0.3))[0])

    def turn(self, elapsed):
        began = time.perf_counter()
        self.seat.turn(elapsed)
        took = time.perf_counter() - began
        report = self.report
        report.frames += 1
        report.from_server = self.seat.from_server
        report.demos[self.window.session.demo.id] += 1
        if took > report.slowest:
            report.slowest, report.slowest_after = (
                took,
                f"{self.last[-1] if self.last else 'nothing'} in {self.window.session.demo.id}"[:120],
            )

    def leave(self):
        """Close the window's open resources."""
        if self.window.session.recorder is not None:
            self.window.session.recorder.close()


def broken_files(folder):
    """Valid files of the program, and bad ones created in a folder: empty, truncated, of another kind, a folder, missing."""
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


def live_worlds():
    """Return the number of worlds after a full garbage collection, including objects that the loop has frozen."""
    gc.unfreeze()
    gc.collect()
    kinds = (World, *World.__subclasses__())
    # not gc.get_objects(): while that list holds a tuple, no other thread can go on building it (SystemError, "bad argument")
    return sum(isinstance(referrer, World) for referrer in gc.get_referrers(*kinds))


def play(
    monkey,
    events,
    say=None,
    checked_every=CHECKED_EVERY,
    hang=None,
):
    """Run until this many events were sent, and return the record; raise `AssertionError` for a slow frame or a leak.

    After `hang` seconds without progress, the process ends with a stack trace.
    """
    report, due = monkey.report, checked_every
    monkey.rest()
    before, began = live_worlds(), time.monotonic()
    try:
        while report.events < events:
            if hang is not None:
                faulthandler.dump_traceback_later(hang, exit=True)
            monkey.do()
            assert report.slowest < LONGEST, f"a frame took {report.slowest:.1f} s after {report.slowest_after}"
            if report.events >= due:
                due += checked_every
                monkey.rest()
                worlds = live_worlds() - before
                report.rests.append((report.events, held(), allocated() or 0))
                report.most_worlds = max(report.most_worlds, worlds)
                assert worlds < MAX_WORLDS, f"{worlds} worlds are alive after {report.events:,} events"
                if say is not None:
                    size, in_use = (number / 1e6 for number in report.rests[-1][1:])
                    say(
                        f"{report.events:,} events, {report.frames:,} frames, {worlds} worlds, {size:.0f} MB held, {in_use:.0f} given out, "
                        f"slowest frame {report.slowest:.2f} s, {time.monotonic() - began:.0f} s"
                    )
    finally:
        if hang is not None:
            faulthandler.cancel_dump_traceback_later()
    monkey.leave()
    return report


@contextlib.contextmanager
def seat_for(in_window, demos, seed, with_hands):
    """Open the requested window."""
    size = (1280, 720)
    if in_window:
        with on_screen(size, demos, seed, with_hands) as seat:
            seat.await_check()
            yield seat
    else:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        pygame.display.init()
        memory.load()
        yield OffScreen(size, demos, seed)


def main():
    """Run the test; return 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--demo", action="append", help="only this one; more than once for several")
    parser.add_argument("--window", action="store_true", help="in the program's own window, on $DISPLAY or in an Xvfb")
    parser.add_argument(
        "--by-hand", type=float, metavar="SHARE", help="of what it does in the window, through xdotool; 0.5 in an Xvfb, 0 on $DISPLAY"
    )
    chosen = parser.parse_args()
    with_hands = None if chosen.by_hand is None else chosen.by_hand > 0.0
    by_hand = 0.5 if chosen.by_hand is None else chosen.by_hand
    demos = [demo for demo in all_demos() if not chosen.demo or demo.id in chosen.demo]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what it records, exports and remembers stays in there
        os.environ.update(dict.fromkeys(HOMES, folder))
        try:
            with seat_for(chosen.window, demos, chosen.seed, with_hands) as seat:
                monkey = Monkey(demos, chosen.seed, broken_files(Path(folder)), seat=seat, by_hand=by_hand)
                try:
                    monkey.look_at_all()
                    report = play(monkey, chosen.events, lambda words: print(words, flush=True), hang=HANG)
                except Exception:
                    traceback.print_exc()
                    where = f"in {monkey.window.session.demo.id}, seed {chosen.seed}, after {monkey.report.events} events"
                    print(f"{where}; the last:", file=sys.stderr)
                    print("\n".join(f"  {words}"[:200] for words in list(monkey.last)[-20:]), file=sys.stderr)
                    return 1
        except NoServerError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        finally:
            os.chdir(ROOT)
    print(f"{report.words}; {time.monotonic() - began:.0f} s")
    if len(report.late) >= ENOUGH_RESTS and report.growth > MAX_GROWTH:
        print(f"memory grows by {report.growth:.0f} bytes an event, more than {MAX_GROWTH:.0f}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
