"""Runs every command on every hostile file that it accepts: ``python -m tests.hazards.hostile_files [KIND ...] [--keep DIR]``.

Each runs in its own process, which is killed at four times the allowed processor time. The table has wall and processor
seconds, the largest memory, the status and the last line; what takes more than `MAX_SECONDS` or `MAX_BYTES`, ends otherwise than a
command may (`STATUSES`), prints a traceback or lets a control character through fails, and so does the run. Kernels are loaded beforehand,
so that none is compiled during a measurement.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.hazards.hostile import KINDS

ROOT = Path(__file__).resolve().parents[2]
MAX_SECONDS = 10.0
"""Processor time of a command, including the start of the program."""
MAX_BYTES = 500_000_000
PATIENCE = 900.0
"""Seconds of wall clock after which a process is killed: it hangs, or the machine is busy."""
MAX_ADDRESSES = 12_000_000_000
"""Bytes of address space: a process that wants more gets a MemoryError instead of the machine."""
STATUSES = (0, 1, 2)
LONGEST_LINE = 1_000
"""Characters that a command may print in a line."""

COMMANDS = {
    ".svg": ("trace F", "scene F", "scene F --out O.json", "run F --steps 60", "run simple_shapes --steps 60 --drop F"),
    ".png": ("trace F", "trace F --screenshot O.png", "run simple_shapes --steps 60 --drop F"),
    ".jpg": ("trace F", "run simple_shapes --steps 60 --drop F"),
    ".webp": ("trace F", "run simple_shapes --steps 60 --drop F"),
    ".gif": ("trace F", "run simple_shapes --steps 60 --drop F"),
    ".rec": ("replay F --headless", "replay F --verify"),
    ".json": (
        "scene F",
        "scene F --out O.json",
        "run F --steps 60",
        "run simple_shapes --steps 60 --drop F",
        "run --pair F --headless",
    ),
}
"""By the file's ending; F is the file, O one to be written."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a command: wall-clock and processor seconds, bytes, status (None if we killed it), and its output."""

    wall: float
    processor: float
    n_bytes: int
    status: int | None
    text: str

    @property
    def last_line(self):
        return next((line.strip() for line in reversed(self.text.splitlines()) if line.strip()), "")

    @property
    def faults(self):
        faults = []
        if self.status not in STATUSES:
            faults.append("ended by us" if self.status is None else f"status {self.status}")
        if self.processor > MAX_SECONDS:
            faults.append("slow")
        if self.n_bytes > MAX_BYTES:
            faults.append("large")
        if max(map(len, self.text.splitlines()), default=0) > LONGEST_LINE:
            faults.append("long line")
        if "Traceback" in self.text:
            faults.append("traceback")
        if any(not (character.isprintable() or character == "\n") for character in self.text):
            faults.append("control character")
        return faults


def run(arguments, patience=PATIENCE):
    """Run ``python main.py`` with these arguments and measure it."""
    import resource

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CPU, (round(4.0 * MAX_SECONDS),) * 2)

    environment = os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYTHONIOENCODING": "utf-8"}
    begun = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "main.py"), *arguments],
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=ROOT, preexec_fn=bounded,
        )  # fmt: skip
        is_ended = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begun > patience and not is_ended:
                process.kill()
                is_ended = True
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", errors="backslashreplace")
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(time.monotonic() - begun, seconds, usage.ru_maxrss * 1024, None if is_ended else process.returncode, text)


def battery(kinds, keep=None):
    """Run all commands on the files of these kinds, print a line for each, and return the number of failures."""
    n_failed = 0
    print(f"{'file':<24} {'bytes':>11}  {'command':<40} {'wall s':>7} {'cpu s':>7} {'MB':>6} status  last line", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in kinds:
            kind = KINDS[name]
            file = folder / f"{name}{kind.suffix}"
            if not file.exists():
                file.write_bytes(kind.make(kind.size))
            for command in COMMANDS[kind.suffix]:
                files = {"F": str(file), "O.json": str(Path(temporary) / "out.json"), "O.png": str(Path(temporary) / "out.png")}
                outcome = run([files.get(word, word) for word in command.split()])
                faults = outcome.faults
                n_failed += bool(faults)
                measured = f"{outcome.wall:7.1f} {outcome.processor:7.1f} {outcome.n_bytes / 1e6:6.0f} {outcome.status!s:>6}"
                line = ascii(outcome.last_line.replace(str(folder), ""))[1:-1]
                print(
                    f"{name:<24} {file.stat().st_size:>11,}  {command:<40} {measured}  {' '.join(faults).upper()} {line[:150]}", flush=True
                )
    print(f"{n_failed} failed")
    return n_failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the files here, and take those that are there already")
    options = parser.parse_args()
    unknown = [name for name in options.kinds if name not in KINDS]
    if unknown:
        parser.error(f"there is no kind {unknown[0]}")
    run(["run", "simple_shapes", "--steps", "2"], 600.0)  # whatever is not compiled yet
    run(["trace", "sprites/samples/gear.svg"], 600.0)
    return 1 if battery(options.kinds or list(KINDS), options.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
