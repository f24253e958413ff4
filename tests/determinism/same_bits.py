"""Demos give the same bits in every situation: ``python -m tests.determinism.same_bits [--solver NAME] [--steps N] [ID ...]``.

The state hashes of demos after some steps, each situation in its own process:

once
twice         two runs one after the other
beside        while two threads of the same process keep both cores busy with the library's own kernels
AVX2          machine code for a processor without AVX-512, NumPy's own too, compiled into a folder of its own (minutes)

The status is 1, with a line for each demo whose hashes differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from engine.world import solvers
from tests.determinism.state_hashes import hashes

__all__ = ["SITUATIONS", "hashes_in_process"]

ROOT = Path(__file__).resolve().parents[2]
STEPS = 300
NO_AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
SITUATIONS = ("once", "twice", "beside", "AVX2")


def hashes_in_process(situation, steps, ids, solver):
    """Return the hashes of each run of a situation, computed in a separate process."""
    options = ["--situation", situation, "--steps", str(steps), *(("--solver", solver) if solver else ()), *ids]
    with tempfile.TemporaryDirectory() as folder:
        changed = {}
        if situation == "AVX2":
            changed = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CACHE_DIR": folder, "NPY_DISABLE_CPU_FEATURES": NO_AVX512}
        command = [sys.executable, "-m", "tests.determinism.same_bits", *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **changed})
    if done.returncode != 0:
        raise RuntimeError(f"{situation} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    runs = json.loads(done.stdout.splitlines()[-1])
    return runs


def run(situation, steps, ids, solver):
    """Return the hashes of a situation, computed in this process."""
    over = threading.Event()
    others = [threading.Thread(target=_keep_busy, args=(over,)) for _ in range(2 if situation == "beside" else 0)]
    for thread in others:
        thread.start()
    try:
        return [hashes(steps, (0,), ids, solver) for _ in range(2 if situation == "twice" else 1)]
    finally:
        over.set()
        for thread in others:
            thread.join()


def _keep_busy(over):
    """Compute manifolds of boxes until the end is requested."""
    from engine.geometry import Polygon
    from engine.query import batch

    shapes, poses = batch.ShapeBatch([Polygon.box(0.5, 0.5)]), np.zeros((500, 3))
    poses[:, 0] = np.linspace(0.0, 1.5, 500)
    while not over.is_set():
        batch.manifold(shapes, np.zeros((500, 2), dtype=np.int64), np.zeros((500, 3)), poses)


def main():
    """Run all situations, or a single one in its own process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", help="demos; without any, all")
    parser.add_argument("--solver", choices=solvers(), help="what drives the worlds")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--situation", choices=SITUATIONS, help="only this one, its hashes as JSON")
    options = parser.parse_args()
    if options.situation:
        print(json.dumps(run(options.situation, options.steps, options.ids, options.solver)))
        return 0
    runs = [
        (situation, run_hashes)
        for situation in SITUATIONS
        for run_hashes in hashes_in_process(situation, options.steps, options.ids, options.solver)
    ]
    (_, first), *others = runs
    differing = sorted({f"{id}: another one {situation}" for situation, run in others for id in first if run[id] != first[id]})
    print("\n".join([*differing, f"{len(first)} demos, {options.steps} steps, {len(runs)} runs: {len(differing)} differ"]))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
