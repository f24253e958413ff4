"""Compares every structure with brute force on random scenes and changes: ``python -m tests.unit.broadphase.long_run --steps 100000 --seed
0``.

Each scene has its own seed, which determines the boxes and all changes. Each step makes a change and compares the pairs, and every fourth
also regions and rays. At the first difference, the scene is shrunk to the fewest steps and boxes that still show it, and printed as Python
code for a test.
"""

import argparse
import sys
import time

import numpy as np

from engine.broadphase import STRUCTURES, BruteForce
from tests.unit.broadphase.scenes import SCENES, questions, scene

__all__ = ["DifferenceError", "run_scene"]

QUESTIONS_EVERY = 4
STEPS_PER_SCENE = 50
MAX_BOXES = 260


class DifferenceError(AssertionError):
    """A structure's result differs from brute force; the message says how to reproduce it."""


def _boxes(rng, name, n):
    boxes = scene(name, int(rng.integers(2**31)))
    return boxes[rng.permutation(len(boxes))[:n]]


def _calls(seed, n_steps):
    """Return the calls of the scene, as methods and arguments, including queries."""
    rng = np.random.default_rng(seed)
    names = [name for name in SCENES if name not in ("none", "one")]
    name = names[int(rng.integers(len(names)))]
    reach = 10.0 ** rng.uniform(-6.0, 1.0)
    truth, calls = BruteForce(), []

    def do(method, *arguments):
        calls.append((method, arguments))
        getattr(truth, method)(*arguments)

    do("update", _boxes(rng, name, int(rng.integers(1, 120))))
    for step in range(n_steps):
        live = truth.proxies
        what = rng.choice(
            ("insert", "remove", "nudge", "nudge all", "teleport", "update", "other scene"), p=(0.14, 0.14, 0.3, 0.2, 0.1, 0.1, 0.02)
        )
        if what == "insert" and len(live) < MAX_BOXES:
            do("insert", _boxes(rng, name, int(rng.choice((1, 2, 30)))))
        elif what == "remove" and len(live):
            do("remove", rng.permutation(live)[: int(rng.choice((1, 3, 30, 1000), p=(0.5, 0.3, 0.18, 0.02)))])
        elif what == "nudge" and len(live):
            _move(do, truth, rng, rng.permutation(live)[: max(1, len(live) // 20)], reach)
        elif what == "nudge all" and len(live):
            _move(do, truth, rng, live, reach)
        elif what == "teleport" and len(live):
            moved = rng.permutation(live)[: int(rng.choice((1, 4)))]
            boxes = _boxes(rng, name, len(moved))
            do("move", moved[: len(boxes)], boxes)
        elif what == "update":
            boxes = truth.aabbs()
            do("update", _pushed(rng, boxes, reach)[0])
        elif what == "other scene":
            name = names[int(rng.integers(len(names)))]
            do("update", _boxes(rng, name, int(rng.integers(0, 120))))
        calls.append(("pairs", ()))
        if step % QUESTIONS_EVERY == 0:
            regions, origins, ways = questions(truth.aabbs(), rng, 5)
            calls += [("regions", (regions,)), ("rays", (origins, ways))]
    return calls


def _pushed(rng, boxes, reach):
    ways = reach * rng.uniform(-1.0, 1.0, (len(boxes), 2))
    scale = np.where(np.abs(boxes).max(axis=1, initial=0.0, keepdims=True) > 1e300, 1e290, 1.0)  # else nothing would move
    moved = np.clip(boxes + np.tile(ways * scale, 2), -1.7e308, 1.7e308)
    return moved, ways


def _move(do, truth, rng, moved, reach):
    boxes, ways = _pushed(rng, truth.aabbs(moved), reach)
    assert callable(do)
    do("move", moved, boxes, ways if rng.random() < 0.5 else None)


def _first_difference(structure, calls):
    """Return the number of the first call with a different result, -1 if there is none."""
    broad_phase, truth = structure(), BruteForce()
    for number, (method, arguments) in enumerate(calls):
        try:
            answer = getattr(broad_phase, method)(*arguments)
        except Exception:  # whatever goes wrong in a structure is what is looked for
            return number
        expected = getattr(truth, method)(*arguments)
        if expected is not None and not np.array_equal(answer, expected):
            return number
    return -1


def _cut_down(structure, calls):
    """Return fewer calls that still end in a difference, by dropping calls one by one and reducing queries to one row."""
    calls = calls[: _first_difference(structure, calls) + 1]
    number = len(calls) - 2
    while number > 0:
        fewer = calls[:number] + calls[number + 1 :]
        try:
            if _first_difference(structure, fewer) == len(fewer) - 1:
                calls = fewer
        except Exception:  # without this call the next ones make no sense
            pass
        number -= 1
    method, arguments = calls[-1]
    if method in ("regions", "rays"):
        for row in range(len(arguments[0])):
            one_row = [*calls[:-1], (method, tuple(part[row : row + 1] for part in arguments))]
            if _first_difference(structure, one_row) == len(one_row) - 1:
                return one_row
    return calls


def _as_python(structure, calls):
    lines = [f"one, truth = {structure.__name__}(), BruteForce()"]
    for method, arguments in calls:
        shown = ", ".join("None" if part is None else repr(part.tolist()) for part in arguments)
        lines.append(f"one.{method}({shown}); truth.{method}({shown})")
    method = calls[-1][0]
    lines[-1] = f"assert one.{method}({shown}).tolist() == truth.{method}({shown}).tolist()"
    return "\n".join(lines)


def run_scene(structure, seed, n_steps):
    """Run the steps of one scene, and return the number of pairs in each step.

    Raises
    ------
    DifferenceError
        With the seed, and the case to be pasted.
    """
    with np.errstate(all="ignore"):
        calls = _calls(seed, n_steps)
        if _first_difference(structure, calls) >= 0:
            shown = _as_python(structure, _cut_down(structure, calls))
            raise DifferenceError(f"{structure.__name__} differs from brute force, seed {seed}, {n_steps} steps:\n{shown}")
        truth, n_pairs = BruteForce(), 0
        for method, arguments in calls:
            answer = getattr(truth, method)(*arguments)
            n_pairs += len(answer) if method == "pairs" else 0
    return n_pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000, help="in all, shared by the structures: each does the same scenes")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    start, n_steps, n_pairs, number = time.perf_counter(), 0, 0, 0
    while n_steps < chosen.steps:
        for structure in STRUCTURES[1:]:
            try:
                n_pairs += run_scene(structure, chosen.seed + number, STEPS_PER_SCENE)
            except DifferenceError as difference:
                print(difference)
                return 1
            n_steps += STEPS_PER_SCENE
        number += 1
    names = ", ".join(structure.__name__ for structure in STRUCTURES[1:])
    print(
        f"{n_steps:,} steps in {number:,} scenes, {n_pairs:,} pairs, as brute force has them: {names}; {time.perf_counter() - start:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
