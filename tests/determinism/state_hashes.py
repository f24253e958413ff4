"""The state hash of every demo after some steps, for some seeds: stored before a change that should not affect results, and compared after
it.

    python -m tests.determinism.state_hashes --write [ID ...] # note them in state_hashes.json beside this file: of these demos, or of all
    python -m tests.determinism.state_hashes                  # status 1 and a line for each that is another one now
    python -m tests.determinism.state_hashes --print --solver soft_step --steps 60 [ID ...]   # as JSON, compared with nothing

A hash is a digest of the raw float bits of all bodies. It is valid only on one platform (another libm or compiler gives other bits), which
is stored with it; on another platform, the comparison reports this and exits with status 2.
"""

import argparse
import json
import platform
import sys
from pathlib import Path

from engine.app.headless import run_headless
from engine.common.installation import version_of
from engine.sim.registry import all_demos
from engine.world import solvers

FILE = Path(__file__).with_name("state_hashes.json")
STEPS = 300
SEEDS = (0, 1, 2)


def machine():
    """Return what a hash depends on besides the program."""
    return f"{platform.system()} {platform.machine()}, Box2D {version_of('Box2D')}, numpy {version_of('numpy')}"


def hashes(steps, seeds, ids, solver=None):
    """Return the hashes of the demos with these ids (all by default), one per seed, with worlds driven by `solver`."""
    computed = {}
    for demo in sorted(all_demos(), key=lambda demo: demo.id):
        if not ids or demo.id in ids:
            computed[demo.id] = [run_headless(demo, steps, seed, solver=solver)[0].state_hash for seed in seeds]
            sys.stderr.write(".")
    sys.stderr.write("\n")
    return computed


def main():
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", help="demos; without any, all")
    parser.add_argument("--write", action="store_true", help="note the hashes of these demos, of all where none is named")
    parser.add_argument("--print", action="store_true", help="print them as JSON, of one seed, and compare with nothing")
    parser.add_argument("--solver", choices=solvers(), help="with --print: what drives the worlds")
    parser.add_argument("--steps", type=int, default=STEPS, help="with --print")
    options = parser.parse_args()
    unknown = sorted(set(options.ids) - {demo.id for demo in all_demos()})
    if unknown:
        sys.stderr.write(f"there is no demo {', '.join(unknown)}\n")
        return 2
    if options.print:
        print(json.dumps(hashes(options.steps, (0,), options.ids, options.solver)))
        return 0
    if options.write:
        others = json.loads(FILE.read_text(encoding="utf-8"))["demos"] if options.ids else {}
        demos = dict(sorted({**others, **hashes(STEPS, SEEDS, options.ids)}.items()))
        noted = {"machine": machine(), "steps": STEPS, "seeds": SEEDS, "demos": demos}
        FILE.write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")
        return 0
    noted = json.loads(FILE.read_text(encoding="utf-8"))
    if noted["machine"] != machine():
        sys.stderr.write(f"the hashes noted are of {noted['machine']}, this is {machine()}\n")
        return 2
    now = hashes(noted["steps"], tuple(noted["seeds"]), options.ids)
    stored = {id: was for id, was in noted["demos"].items() if not options.ids or id in options.ids}
    differing = [(id, was, now.get(id, [])) for id, was in stored.items() if was != now.get(id)]
    for id, was, is_now in differing:
        print(f"{id}: noted {' '.join(was)}, now {' '.join(is_now) or 'gone'}")
    new = sorted(set(now) - set(noted["demos"]))
    for id in new:
        print(f"{id}: not noted yet; --write {id} notes it")
    print(f"{len(now)} demos, {len(noted['seeds'])} seeds, {noted['steps']} steps: {len(differing)} differ")
    return 1 if differing or new else 0


if __name__ == "__main__":
    sys.exit(main())
