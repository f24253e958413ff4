"""Plays, rewinds and replays demos at random, with a Hypothesis state machine.

``python -m tests.hazards.rewinding [--demo ID] [--examples 20] [--rules 60]`` is a long run over all demos. `--solver NAME` selects the
solver, Box2D by default, and `--switch NAME...` solvers to switch to at times; `--seed` makes other runs.

A `Meddler` grabs, drags, presses keys, drops files, changes parameters and edits the worlds, at the end of the history or in the past,
where a branch begins. In between, the history goes back to a step, plays on, undoes and redoes; everything is played again from the
beginning without a keyframe, and by another demo of the same class; and worlds that Box2D does not drive are put back, on the way, from
their own snapshots (no snapshot has Box2D's order of contacts).

Every repeated step must give the same hash of all worlds: ids, poses, velocities and awake flags of all bodies, bit for bit. Every ten
steps, everything else must be the same too: specifications, contacts and manifolds with their impulses, Box2D's hidden state of bodies and
joints, the readout, counts and colors. The window's shape and the number of keyframes vary, because neither may matter. Hypothesis shrinks
a failing run and prints the remaining rules.
"""

import argparse
import re
import time
from collections import Counter
from dataclasses import fields, is_dataclass
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from engine.box2d import memory
from engine.common.errors import LabError
from engine.contracts import StepContacts
from engine.sim.history import History, demo_hash
from engine.sim.registry import all_demos, find_demo
from engine.world import World
from engine.world.solver import DEFAULT, solvers
from tests.hazards.meddling import Meddler, sample_files

__all__ = ["RewindingError", "observed_state", "rewind"]

BUSY = 0.5
"""Chance that something is done between two steps."""
EVERY = 10
"""Steps from one reading of everything to the next; hashes are compared at each."""
MAX_UNDONE = 25
FEW = 2.0
"""In every second run keyframes may take so many times what the first takes before it is packed: most of them are thinned out, some six
stay, and many steps are taken again from afar."""

MEASURING = frozenset({"broadphase"})
"""Demos that report what the machine has done lately, which is no part of the past."""
_MILLISECONDS = re.compile(r"[\d.,]+ ms")
"""Times of steps, which are reported too and differ from run to run."""


class RewindingError(AssertionError):
    """A repeated step gave a different result."""


class Rewinding(RuleBasedStateMachine):
    """A demo under random actions; a subclass names it.

    Attributes
    ----------
    seen : Counter
        Actions of all examples, with their counts.
    readings : dict
        Every few steps, a digest of everything that the demo reports besides its bodies' poses.
    """

    kind = solver = None
    files = switch = ()
    patched = None

    @initialize(seed=st.integers(0, 99), are_few=st.booleans(), random=st.randoms(use_true_random=False))
    def begin(self, seed, are_few, random):
        self.history = History(self.kind(seed, solver=self.solver))
        self.meddler = Meddler(self.history, seed, self.files, BUSY, self.switch)
        self.readings = {}
        self.patched = pytest.MonkeyPatch()
        if are_few:
            self.patched.setattr("engine.sim.keyframes.MAX_BYTES", round(FEW * self.history.n_bytes))
        self.look("begun")
        self.meddle(random, 20)
        self.go(0.4, 800.0, 600.0)  # each rule once: a few random ones may leave some out
        self.walk(5)
        self.meddle(random, 5)
        self.undo_and_redo(3)
        self.undo()
        self.play_again()
        if self.can_put_back():
            self.put_back(random)

    def teardown(self):
        if self.patched is not None:
            self.patched.undo()
            self.seen.update(self.meddler.seen)

    # -- rules

    @rule(random=st.randoms(use_true_random=False), steps=st.integers(1, 20))
    def meddle(self, random, steps):
        """Play; in the past, the first action starts a branch."""
        self.meddler.random = self.meddler.maker.random = random
        for _ in range(steps):
            n_tried, was_at_end = len(self.meddler.tried), self.history.at_tip
            now = self.history.now
            self.meddler.step()
            for at, action in self.meddler.tried[n_tried:]:
                note(f"    step {at}: {action}")
            if self.history.at_tip and not was_at_end:
                self.forget(now)
            self.look("meddled with")

    @rule(share=st.floats(0.0, 1.0), width=st.floats(200.0, 2000.0), height=st.floats(200.0, 1200.0))
    def go(self, share, width, height):
        """Go to a step, in a window of another shape."""
        self.history.demo.arrange(width, height)
        self.history.seek(round(share * self.history.last))
        self.look("gone to")

    @rule(steps=st.integers(1, 150))
    def walk(self, steps):
        """Play on."""
        end = min(self.history.now + steps, self.history.last)
        while self.history.now < end:
            stepped(self.history)
            self.look("played again")

    @rule(n=st.integers(1, MAX_UNDONE))
    def undo_and_redo(self, n):
        self.history.seek(self.history.last)
        end, n_undone = (self.history.now, demo_hash(self.history.demo)), 0
        while n_undone < n and self.history.undo():
            n_undone += 1
            self.look(f"undone {n_undone} times")
        for k in range(n_undone):
            self.hold(self.history.redo(), f"undone {n_undone} times, redone {k}: there is nothing to redo")
            self.look(f"redone {k + 1} times")
        self.hold((self.history.now, demo_hash(self.history.demo)) == end, f"undone and redone {n_undone} times: the end is another")

    @rule()
    def undo(self):
        """And leave it undone."""
        self.history.undo()
        self.forget(self.history.now)
        self.look("undone")

    @rule()
    def play_again(self):
        """Replay from the beginning, here and in an independent demo."""
        self.hold(self.history.verify() is None, "played again from the beginning: a step went another way")
        other = self.another()
        other.take_over(self.history.branch)
        while other.now < self.history.last:
            stepped(other)
            self.look("played by another demo", other)

    def can_put_back(self):
        """True if no world may use Box2D, because snapshots lack its order of contacts."""
        return DEFAULT not in {self.history.start.solver, *self.switch}

    @precondition(can_put_back)
    @rule(random=st.randoms(use_true_random=False))
    def put_back(self, random):
        """Repeat everything with worlds that are restored from their own snapshots along the way."""
        other = self.another()
        while other.now < self.history.last:
            for done in self.history.branch.inputs[other.now]:
                other.follow(done)  # with the body that the hand took: where a picture's point lies depends on how it was laid out
            for stage in other.demo.stages if random.random() < 0.3 else ():
                snapshot = stage.world.snapshot()
                made = World.from_snapshot(snapshot).state_hash()
                self.hold(made == stage.world.state_hash(), f"restored at {other.now}: a world made of the snapshot is another")
                stage.world.restore(snapshot)
            stepped(other)
            self.hold(demo_hash(other.demo) == self.history.hash_at(other.now), f"restored on the way: step {other.now} is another")

    # -- checks

    def another(self):
        demo = self.history.demo
        return History(type(demo)(demo.seed, solver=self.history.start.chosen_solver))

    def forget(self, step):
        """Discard the readings after a step, because a branch begins."""
        self.readings = {at: digests for at, digests in self.readings.items() if at <= step}

    def hold(self, is_so, words):
        if not is_so:
            raise RewindingError(words)

    def look(self, words, history=None):
        """Raise `RewindingError` if the demo's state differs from that of its first visit."""
        history = history or self.history
        for stage in history.demo.stages:
            is_finite = np.isfinite(stage.world.poses).all() and np.isfinite(stage.world.velocities).all()
            self.hold(is_finite, f"step {history.now}: a body has no finite pose or velocity")
        apart = history.divergence
        self.hold(apart is None, apart and f"{words}: step {apart.step} went another way, bodies {apart.bodies[:6]}")
        if history.inputs_applied == 0:
            self.hold(demo_hash(history.demo) == self.history.hash_at(history.now), f"{words}: the worlds of step {history.now} are others")
            if history.now % EVERY == 0:
                now = {name: blake2b(repr(value).encode(), digest_size=8).digest() for name, value in observed_state(history.demo).items()}
                then = self.readings.setdefault(history.now, now)
                others = sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))
                self.hold(not others, f"{words}: of step {history.now} is another: {', '.join(others)}")


def stepped(history):
    try:
        history.step()
    except LabError:  # it failed when it was taken first, too, or the hash will differ
        return


def _columns(contacts):
    """Return all columns of the contacts; some are computed when they are read."""
    return [getattr(contacts, field.name) for field in fields(StepContacts)]


def observed_state(demo):
    """Return, by name, everything that a demo reports and shows besides its bodies' poses."""
    observed = {"state": (demo.steps, sorted(demo.held), demo.grabbing, len(demo.dropped), sorted(demo.values.items()))}
    for describe in (demo.status, demo.summary):
        try:
            lines = tuple(describe())
        except LabError as error:
            lines = str(error)
        if demo.id not in MEASURING:
            observed[describe.__name__] = _MILLISECONDS.sub("", repr(lines))
    for k, stage in enumerate(demo.stages):
        state, contacts = stage.world._model, stage.world.contacts
        colors = sorted(demo.body_colors(stage).items())
        observed[f"picture {k}"] = colors, sorted(demo.outlined_bodies(stage)), stage.label, stage.own_bounds
        observed[f"bodies {k}"] = [(body, entry.spec, entry.fixtures, entry.joints) for body, entry in state.bodies.items()]
        observed[f"fixtures {k}"] = [
            (
                at,
                fixture.body,
                fixture.spec.density,
                fixture.spec.friction,
                fixture.spec.restitution,
                fixture.spec.sensor,
                fixture.spec.mask,
                fixture.spec.group,
            )
            for at, fixture in state.fixtures.items()
        ]
        observed[f"joints {k}"] = list(state.joints.items())
        observed[f"settings {k}"] = stage.world.settings, stage.world.out_of_range, stage.world.step_index
        observed[f"contacts {k}"] = [column.tobytes() if isinstance(column, np.ndarray) else column for column in _columns(contacts)]
        snapshot = stage.world.snapshot()
        kept, memory = snapshot.state, snapshot.state.memory
        if snapshot.solver != DEFAULT:
            observed[f"solver {k}"] = flat(memory)
            continue
        observed[f"solver {k}"] = memory.keys.tobytes(), memory.manifolds.tobytes(), sorted(kept.touching), kept.events
        if memory.internal is not None:
            observed[f"internal state {k}"] = (
                memory.internal.bodies.tobytes(),
                memory.internal.joint_ids.tobytes(),
                memory.internal.joints.tobytes(),
            )
    return observed


def flat(value):
    """The complete contents of a value, with the bits of its arrays."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(flat, value))
    if is_dataclass(value):
        return [(field.name, flat(getattr(value, field.name))) for field in fields(value)]
    return value


def rewind(kind, examples, rules=10, seed=None, phases=(Phase.generate, Phase.shrink), **attributes):
    """Apply random actions to a demo and return them; raise `RewindingError` with the fewest rules that show a fault."""
    machine = type(kind.id, (Rewinding,), {"kind": kind, "seen": Counter(), **attributes})
    if seed is not None:
        machine = seeded(seed)(machine)
    profile = settings(
        max_examples=examples, stateful_step_count=rules, derandomize=seed is None, database=None, deadline=None, phases=phases,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=profile)
    return machine.seen


def main():
    """Run the test, and print a line for each demo."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--rules", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--demo", action="append", help="only this one; more than once for several")
    parser.add_argument("--solver", choices=solvers(), help="what drives the worlds that demos leave to the run")
    parser.add_argument("--switch", nargs="*", choices=solvers(), default=(), help="what drives them now and then")
    chosen = parser.parse_args()
    memory.load()
    n_faults = 0
    for kind in [find_demo(id) for id in chosen.demo] if chosen.demo else all_demos():
        started, outcome = time.monotonic(), "the same to the last bit"
        try:
            rewind(
                kind,
                chosen.examples,
                chosen.rules,
                chosen.seed,
                files=sample_files(kind(0)),
                solver=chosen.solver,
                switch=tuple(chosen.switch),
            )
        except Exception as error:
            n_faults += 1
            outcome = "\n  ".join((f"FAULT {type(error).__name__}: {error}", *getattr(error, "__notes__", ())))
        print(f"{kind.id:24} {outcome} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{n_faults} faults")
    return min(n_faults, 1)


if __name__ == "__main__":
    raise SystemExit(main())
