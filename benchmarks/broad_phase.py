"""Pairs of moving boxes, each frame: all our broad phases, shapely's STR tree, and both of pymunk's.

Four scenes: boxes of like size spread evenly; sizes log-normal; crowds in a world a thousand times as wide as one of them; a tall column.
Ours get the boxes and check them, shapely its geometries; pymunk moves its bodies and makes the boxes itself, which is part of its step.

A structure may stand in three kinds of rows, with a time of its own in each, for whoever takes turns shares the caches:

- the automatic choice, in turn with the `RIVALS` fastest fixed ones: is it as good as the best of them?
- the fastest fixed one, in turn with the peers, a row for each of them: how do we compare?
- all of ours in turn, the automatic one left out, fastest first: how do they compare with each other?
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

from benchmarks.measuring import Record, record
from benchmarks.moving_boxes import FRAMES, SCENES, Scene, frames_of, peers_of, seconds_a_frame
from engine.broadphase import STRUCTURES, Automatic

__all__ = ["run"]

ROUNDS = {1_000: 9, 10_000: 7, 100_000: 3}
"""How often each number of boxes is measured."""

MAX_FRAMES, MIN_FRAMES, BOXES_A_TURN = 5 * FRAMES, FRAMES // 2, 40_000
"""Frames in a turn, at most and at least, and how many boxes move in one between these."""

LONGEST = 0.1
"""Maximum seconds per frame: a structure that is slower in a trial of `N_TRIED` boxes is left out, which a note reports."""

LONGEST_QUICK = 0.05

N_TRIED = 1_000
"""Boxes of a trial; its time is multiplied by the ratio of the numbers, squared for brute force alone."""

RIVALS = 3
"""The fixed choices that are measured once more, in turn with the automatic one."""


def run(quick: bool = False) -> list[Record]:
    """Time scenes of growing size."""
    records = []
    for name, make in SCENES.items():
        for n, rounds in {min(ROUNDS): 3}.items() if quick else ROUNDS.items():
            records += _compared(f"{name}, {n:,} boxes", make(n), make(N_TRIED), rounds, LONGEST_QUICK if quick else LONGEST)
    return records


def _compared(name: str, scene: Scene, trial: Scene, rounds: int, longest: float) -> list[Record]:
    n = len(scene.boxes)
    n_frames = min(MAX_FRAMES, max(MIN_FRAMES, BOXES_A_TURN // n))
    ours, left_out = _structures(scene, trial, n_frames, longest)
    # fixed ones and the automatic one: first all, then the best of them and the automatic one in turn with nobody else
    seconds = seconds_a_frame(ours, rounds, n_frames)
    order = sorted(
        (structure for structure in ours if structure != Automatic.name), key=lambda structure: statistics.median(seconds[structure])
    )
    rivals = {structure: ours[structure] for structure in (Automatic.name, *order[:RIVALS])}
    close = seconds_a_frame(rivals, 3 * rounds, n_frames)
    best = min(order[:RIVALS], key=lambda structure: statistics.median(close[structure]))
    chooser = Automatic()
    pairs = chooser.pairs(scene.boxes)
    chose = f"against our fastest; chose the {chooser.chosen}"
    records = [record(f"{name}: automatic", "ms", close[Automatic.name], close[best], f"best fixed, {best}", chose)]
    # against the peers
    others, missing = peers_of(scene, n_frames)
    duel = seconds_a_frame({best: ours[best], **others}, rounds, n_frames)
    note = f"our fastest against peers; {len(pairs) / n:.1f} overlaps per body"
    records += [record(f"{name}: {best}", "ms", duel[best], duel[peer], peer, note) for peer in others]
    records += [record(f"{name}: {best}", "ms", duel[best], note=said) for said in missing]
    records += [
        record(f"{name}: {structure}", "ms", seconds[structure], note=f"among ours: {place} of {len(order)}")
        for place, structure in enumerate(order, 1)
    ]
    if left_out:
        records[-1] = _with_note(records[-1], f"{records[-1].note}; omitted: {', '.join(left_out)}")
    return records


def _structures(scene: Scene, trial: Scene, n_frames: int, longest: float) -> tuple[dict[str, Callable[[], None]], list[str]]:
    """Return a call for each structure that is not expected to take too long, and the names of the others."""
    calls, left_out = {}, []
    ratio = len(scene.boxes) / len(trial.boxes)
    for make in STRUCTURES:
        tried = seconds_a_frame({make.name: frames_of(make(), trial, MIN_FRAMES)}, 2, MIN_FRAMES)[make.name]
        expected = min(tried) * ratio * (ratio if make.name == "brute force" else 1.0)
        if expected <= longest:
            calls[make.name] = frames_of(make(), scene, n_frames)
        else:
            left_out.append(make.name)
    return calls, left_out


def _with_note(original: Record, note: str) -> Record:
    return Record(**{**original.as_json(), "note": note})  # type: ignore[arg-type]
