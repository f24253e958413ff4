"""Every demo, meddled with at random, rewound and played again: ``python -m tests.hazards.rewinding --steps 1000``.

Of each demo (`--demo ID`) and seed (`--seeds K`), `--steps` steps are taken while a `Meddler` grabs, drags, presses keys, drops files,
changes parameters and edits the worlds; `--solver NAME` drives them, Box2D unless named, and with `--switch NAME...` now and then another
of these. After each step poses and velocities must be
finite numbers. Then, or of these only what `--checks` names, which may be nothing,

1. wander: ten times a random step is gone back to, and played on from there to a random later step; once to the very end, step by step;
2. again: everything is played again from the beginning without a keyframe (`History.verify`), and by another demo of the same class;
3. undo: all that was done is undone, one after the other, and redone;
4. restores: everything is done again by a demo of which each world is put back, after fifty random steps, from its own snapshot of that
   moment. Not of Box2D, whose order of contacts no snapshot has;
5. branch: at a random step something else is done, the branch goes on, and is played again from the beginning.

Every step must come out with the same hash of all worlds: ids, poses, velocities and wakefulness of all bodies, bit for bit. Every ten
steps everything else must be the same too: specifications, contacts and manifolds with their impulses, what Box2D hides of bodies and
joints, the words in the readout, counts and colors. The window's shape is another each time, and so is how many keyframes are kept, for
neither must matter. A run that fails is made smaller: what was done is taken out piece by piece as long as it
still fails, and the rest is printed. Where only restores are asked for, nothing but the hashes is compared.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import blake2b

import numpy as np
import pytest

from engine.box2d import memory
from engine.common.errors import LabError
from engine.contracts import StepContacts
from engine.sim.actions import Action, ReleaseAll, Restart, SetSolver
from engine.sim.history import History, demo_hash
from engine.sim.registry import all_demos, find_demo
from engine.world import World
from engine.world.solver import DEFAULT, solvers
from tests.hazards.meddling import Meddler, sample_files

__all__ = ["RewindingError", "Run", "all_checks", "meddled", "smallest"]

N_WANDERINGS = 10
N_RESTORES = 50
LONGEST_WALK = 150
"""Steps played on after each of the ten, but one."""
MAX_UNDONE = 25
FEW = 2.0
"""In every second run keyframes may take so many times what the first takes before it is packed: most of them are thinned out, some six
stay, and many steps are taken again from afar."""
EVERY = 10
"""Steps from one reading of everything to the next; hashes are compared at each."""
SHRINKING_SECONDS = 60.0
MAX_LINES, MAX_WORDS = 40, 300
"""Printed of what is left, and of a line of it."""

MEASURING = frozenset({"broadphase"})
"""Demos that tell what the machine has done lately, which is no part of the past."""
_MILLISECONDS = re.compile(r"[\d.,]+ ms")
"""What a step cost is told too, and may be another each time."""

Tried = list[tuple[int, Action]]
"""What is attempted, each with the number of steps taken before it, ascending."""


class RewindingError(AssertionError):
    """A step that came out otherwise, or something that broke."""


@dataclass
class Run:
    """A demo that was played with.

    Attributes
    ----------
    history : History
    readings : dict
        Every few steps, a digest of everything that is told of the demo beside where its bodies are.
    seen : Counter
        What was done, and how often.
    tried : list
        The same in full.
    reads : bool
        Whether readings are taken.
    """

    history: History
    readings: dict[int, dict[str, bytes]] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    tried: Tried = field(default_factory=list)
    reads: bool = True

    def note(self):
        """Take the readings of a step just taken for the first time."""
        for stage in self.history.demo.stages:
            if not (np.isfinite(stage.world.poses).all() and np.isfinite(stage.world.velocities).all()):
                raise RewindingError(f"step {self.history.now}: a body has no finite pose or velocity")
        if self.reads and self.history.now % EVERY == 0:
            self.readings[self.history.now] = reading(self.history.demo)

    def check(self, what):
        """Raise `RewindingError` where the demo does not stand as it did when it was here first."""
        history = self.history
        if history.divergence is not None:
            raise RewindingError(f"{what}: step {history.divergence.step} went another way, bodies {history.divergence.bodies[:6]}")
        if history.inputs_applied == 0:
            if demo_hash(history.demo) != history.hash_at(history.now):
                raise RewindingError(f"{what}: the worlds of step {history.now} are others")
            then = self.readings.get(history.now)
            now = reading(history.demo) if then is not None else {}
            if then is not None and now != then:
                others = [name for name in now.keys() | then.keys() if now.get(name) != then.get(name)]
                words = "; ".join(f"{name} {told(history.demo).get(name)!r}"[:200] for name in sorted(others))
                raise RewindingError(f"{what}: of step {history.now} is another: {words}")

    def walk(self, until, what):
        """Play on to a step, and look at each."""
        while self.history.now < until:
            stepped(self.history)
            self.check(what)


def _columns(contacts):
    """Return all that contacts tell; of some the columns are made when they are asked for."""
    return [getattr(contacts, one.name) for one in fields(StepContacts)]


def told(demo):
    """What a demo tells and shows of itself beside where its bodies are, under a name each."""
    found = {"state": (demo.steps, sorted(demo.held), demo.grabbing, len(demo.dropped), sorted(demo.values.items()))}
    for tell in (demo.status, demo.summary):
        try:
            lines = tuple(tell())
        except LabError as error:
            lines = str(error)
        if demo.id not in MEASURING:
            found[tell.__name__] = _MILLISECONDS.sub("", repr(lines))
    for k, stage in enumerate(demo.stages):
        state, contacts = stage.world._model, stage.world.contacts
        colors = sorted(demo.body_colors(stage).items())
        found[f"picture {k}"] = colors, sorted(demo.outlined_bodies(stage)), stage.label, stage.own_bounds
        found[f"bodies {k}"] = [(body, entry.spec, entry.fixtures, entry.joints) for body, entry in state.bodies.items()]
        found[f"fixtures {k}"] = [
            (at, one.body, one.spec.density, one.spec.friction, one.spec.restitution, one.spec.sensor, one.spec.mask, one.spec.group)
            for at, one in state.fixtures.items()
        ]
        found[f"joints {k}"] = list(state.joints.items())
        found[f"settings {k}"] = stage.world.settings, stage.world.out_of_range, stage.world.step_index
        found[f"contacts {k}"] = [one.tobytes() if isinstance(one, np.ndarray) else one for one in _columns(contacts)]
        snapshot = stage.world.snapshot()
        kept, memory = snapshot.state, snapshot.state.memory
        if snapshot.solver != DEFAULT:
            found[f"solver {k}"] = flat(memory)
            continue
        found[f"solver {k}"] = memory.keys.tobytes(), memory.manifolds.tobytes(), sorted(kept.touching), kept.events
        if memory.internal is not None:
            found[f"internal state {k}"] = (
                memory.internal.bodies.tobytes(),
                memory.internal.joint_ids.tobytes(),
                memory.internal.joints.tobytes(),
            )
    return found


def flat(value):
    """All that a value is made of, with the bits of its arrays."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(flat, value))
    if is_dataclass(value):
        return [(one.name, flat(getattr(value, one.name))) for one in fields(value)]
    return value


def reading(demo):
    """A digest of each of them."""
    return {name: blake2b(repr(one).encode(), digest_size=8).digest() for name, one in told(demo).items()}


def stepped(history):
    try:
        history.step()
    except LabError:  # it failed when it was taken first, too, or the hash will tell
        return


def reshaped(demo, chance):
    """Lay the demo out for a window of another shape."""
    demo.arrange(chance.uniform(200.0, 2000.0), chance.uniform(200.0, 1200.0))


def meddled(
    kind,
    seed,
    steps,
    files=(),
    solver=None,
    reads=True,
    switch=(),
):
    """Return a demo after `steps` steps of random play."""
    chance = random.Random(f"shape {kind.id} {seed}")
    history = History(kind(seed, solver=solver))
    with pytest.MonkeyPatch.context() as patched:
        if chance.random() < 0.5:
            patched.setattr("engine.sim.keyframes.MAX_BYTES", round(FEW * history.n_bytes))
        return _meddled(history, seed, steps, files, reads, switch, chance)


def _meddled(history, seed, steps, files, reads, switch, chance):
    run = Run(history, reads=reads)
    meddler = Meddler(history, seed, files, solvers=switch)
    run.note()
    while history.now < steps:
        if chance.random() < 0.01:
            reshaped(history.demo, chance)
        meddler.step()
        run.note()
    run.seen, run.tried = meddler.seen, meddler.tried
    return run


def played(kind, seed, steps, tried, solver=None):
    """Return a demo after so many steps, to which exactly this was done; what it refused then it refuses again."""
    run = Run(History(kind(seed, solver=solver)))
    run.note()
    waiting = deque(tried)
    while True:
        while waiting and waiting[0][0] <= run.history.now:
            _, action = waiting.popleft()
            with suppress(LabError):
                run.history.act(action)
        if run.history.now == steps:
            return run
        stepped(run.history)
        run.note()


def wander(run, chance, wanderings=N_WANDERINGS):
    """Go back to as many steps, and play on from each."""
    history, end = run.history, demo_hash(run.history.demo)
    targets = [chance.randint(0, history.last) for _ in range(wanderings)]
    farthest = chance.choice(targets)
    for target in targets:
        reshaped(history.demo, chance)
        history.seek(target)
        run.check(f"gone back to {target}")
        until = history.last if target == farthest else min(chance.randint(target, history.last), target + LONGEST_WALK)
        run.walk(until, f"played from {target} to {until}")
        history.seek(history.last)
        run.check(f"back at the end, from {until}")
        if demo_hash(history.demo) != end:
            raise RewindingError(f"gone back to {target}, played to {until}: the end is another")


def again(run, chance):
    """Play everything again, here and in a demo that knows nothing of this one."""
    reshaped(run.history.demo, chance)
    found = run.history.verify()
    if found is not None:
        raise RewindingError(f"played again from the beginning: step {found.step} went another way, bodies {found.bodies[:6]}")
    demo = run.history.demo
    other = type(demo)(demo.seed, solver=run.history.start.chosen_solver)
    fresh = Run(History(other), run.readings)
    fresh.history.take_over(run.history.branch)
    fresh.walk(run.history.last, "played by another demo")


def undo_and_redo(run, _):
    """Take everything back, as far as that goes, and do it again."""
    history, end = run.history, demo_hash(run.history.demo)
    undone = 0
    while undone < MAX_UNDONE and history.undo():
        undone += 1
        run.check(f"undone {undone} times")
    for k in range(undone):
        if not history.redo():
            raise RewindingError(f"undone {undone} times, redone {k}: there is nothing to redo")
        run.check(f"undone {undone} times, redone {k + 1}")
    if (history.now, demo_hash(history.demo)) != (history.last, end):
        raise RewindingError(f"undone and redone {undone} times: the end is another")


def branch(run, chance):
    """Do something else in the past, go on, and play the branch again."""
    history = run.history
    at = chance.randint(0, history.last)
    history.seek(at)
    run.check(f"gone back to {at} for a branch")
    meddler = Meddler(history, chance.randrange(1000))
    meddler.act(Restart() if chance.random() < 0.2 else ReleaseAll())
    if not history.at_tip or history.last != at:
        raise RewindingError(f"done something else at {at}: still {history.last - at} steps ahead")
    run.readings = {step: one for step, one in run.readings.items() if step <= at}
    for _ in range(120):
        meddler.step()
        run.note()
    again(run, chance)
    history.seek(chance.randint(0, history.last))
    run.check("in the branch")
    run.walk(min(history.now + 130, history.last), "in the branch")


def restores(run, chance, n_restores=N_RESTORES):
    """Do everything again with worlds that are put back from their own snapshots on the way, and compare each step."""
    history = run.history
    demo = history.demo
    other = History(type(demo)(demo.seed, solver=run.history.start.chosen_solver))
    chosen = set(chance.sample(range(history.last), min(history.last, n_restores)))
    while other.now < history.last:
        for one in history.branch.inputs[other.now]:
            other.follow(one)  # with the body that the hand took: where a picture's point lies depends on how it was laid out
        if other.now in chosen:
            for stage in other.demo.stages:
                snapshot = stage.world.snapshot()
                if World.from_snapshot(snapshot).state_hash() != stage.world.state_hash():
                    raise RewindingError(f"restored at {other.now}: a world made of the snapshot is another")
                stage.world.restore(snapshot)
        stepped(other)
        if demo_hash(other.demo) != history.hash_at(other.now):
            raise RewindingError(f"restored on the way: the worlds of step {other.now} are others")


CHECKS = {
    "wander": wander,
    "again": again,
    "undo": undo_and_redo,
    "restores": restores,
    "branch": branch,
}


def all_checks(run, seed, wanderings=N_WANDERINGS, names=tuple(CHECKS)):
    """Raise `RewindingError` at the first that fails; `restores` of worlds that Box2D does not drive."""
    chance = random.Random(f"checks {seed}")
    for name in names:
        if name == "wander":
            wander(run, chance, wanderings)
        elif name != "restores" or DEFAULT not in {
            run.history.start.solver,
            *(action.solver for _, action in run.tried if isinstance(action, SetSolver)),
        }:
            CHECKS[name](run, chance)


def solvers_of(run):
    """Return the solvers that were to drive the worlds under way."""
    return {action.solver for _, action in run.tried if isinstance(action, SetSolver)}


def trouble(kind, seed, steps, tried, solver=None):
    """What goes wrong when exactly this is done, and played again from many steps; empty if nothing does."""
    try:
        run = played(kind, seed, steps, tried, solver)
        chance = random.Random(seed)
        for start in sorted(chance.sample(range(steps), min(steps, 4))):
            run.history.seek(start)
            run.walk(steps, f"played from {start}")
        again(run, chance)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def smallest(kind, seed, steps, tried, seconds=SHRINKING_SECONDS, solver=None):
    """Take out of what was done, halves first, whatever is not needed for it to go wrong; return the rest, and what goes wrong."""
    until = time.monotonic() + seconds
    last = trouble(kind, seed, steps, tried, solver)
    size = len(tried) // 2
    while last and size and time.monotonic() < until:
        at = 0
        while at < len(tried) and time.monotonic() < until:
            fewer = tried[:at] + tried[at + size :]
            found = trouble(kind, seed, steps, fewer, solver)
            if found:
                tried, last = fewer, found
            else:
                at += size
        size //= 2
    return tried, last


def main():
    """Run it, and print a line for each demo and seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--demo", action="append", help="only this one; more than once for several")
    parser.add_argument("--solver", choices=solvers(), help="what drives the worlds that demos leave to the run")
    parser.add_argument("--switch", nargs="*", choices=solvers(), default=(), help="what drives them now and then")
    parser.add_argument("--checks", nargs="*", choices=tuple(CHECKS), default=tuple(CHECKS))
    chosen = parser.parse_args()
    memory.load()
    began, n_faults, n_runs = time.monotonic(), 0, 0
    for kind in [find_demo(id) for id in chosen.demo] if chosen.demo else all_demos():
        files = sample_files(kind(0))
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            started, run = time.monotonic(), None
            n_runs += 1
            try:
                reads = bool({*chosen.checks} - {"restores"})
                run = meddled(kind, seed, chosen.steps, files, chosen.solver, reads, tuple(chosen.switch))
                all_checks(run, seed, names=chosen.checks)
                outcome = "the same to the last bit"
            except Exception as error:
                n_faults += 1
                outcome = f"FAULT {type(error).__name__}: {error}"[:MAX_WORDS]
            seen = run.seen if run is not None else Counter[str]()
            done = f"{seen['Grab']} grips, {seen['Edit']} edits, {seen['Drop']} files, {seen['Restart']} restarts"
            done += f", {seen['SetSolver']} solvers" if chosen.switch else ""
            print(f"{kind.id:24} seed {seed}: {outcome} ({done}; {time.monotonic() - started:.1f} s)", flush=True)
            if "FAULT" in outcome and run is not None:
                rest, words = smallest(kind, seed, chosen.steps, run.tried, solver=chosen.solver)
                print(f"  {len(rest)} of {len(run.tried)} deeds are enough: {words[:MAX_WORDS]}" if words else "  does not fail by itself")
                for at, action in rest[:MAX_LINES] if words else ():
                    print(f"    step {at}: {action}"[:MAX_WORDS].replace("\n", ""), flush=True)
    print(f"{n_runs} runs of {chosen.steps} steps, {n_faults} faults, {time.monotonic() - began:.0f} s")
    return 1 if n_faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
