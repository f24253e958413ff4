"""Keyframes are restored exactly; if they take too many bytes, they are thinned evenly."""

from itertools import pairwise

import pytest

from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.sim.history import History
from engine.sim.keyframes import RECENT, Keyframes
from engine.sim.state import StateError, encode_state
from engine.world import BodySpec, FixtureSpec, World


class Pile(Demo):
    """Discs on a floor."""

    id = "pile"

    def build(self):
        world = self.add_stage(World()).world
        world.create_body(BodySpec((FixtureSpec(Polygon.box(4.0, 0.5)),), type="static"))
        for k in range(6):
            world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.1 * k, 1.0 + 0.7 * k)))


class Writer(Pile):
    """A pile that stores so many numbers that no other process would accept its state."""

    def before_step(self):
        self.noted = [0.1 * k for k in range(600_000)] if self.steps == 59 else []


def test_an_oversized_state_can_be_restored_but_not_recorded():
    history = History(Writer(0))
    for _ in range(62):
        history.step()
    history.seek(60)
    assert history.now == 60 and len(history.demo.noted) == 600_000
    with pytest.raises(StateError, match="a state must have at most 12000000 bytes without its arrays"):
        encode_state(history.demo)
    keyframes = Keyframes()
    keyframes.add(0, history.demo)
    with pytest.raises(StateError, match="a state must have at most"):
        keyframes.compressed(0)


def kept(n):
    """Return this many keyframes of a demo, sixty steps apart."""
    demo, keyframes = Pile(0), Keyframes()
    for k in range(n):
        keyframes.add(60 * k, demo)
        keyframes.tidy()
    return keyframes


def test_thinned_keyframes_are_evenly_spaced_and_the_last_minute_is_kept(monkeypatch):
    n_bytes = kept(3).n_bytes / 3
    monkeypatch.setattr("engine.sim.keyframes.MAX_BYTES", round(150 * n_bytes))
    keyframes = kept(400)
    steps = keyframes.steps
    assert keyframes.n_bytes <= 150 * n_bytes
    assert steps[0] == 0 and steps[-1] == 60 * 399
    recent = [step for step in steps if step > steps[-1] - RECENT]
    assert recent == list(range(steps[-1] - RECENT + 60, steps[-1] + 1, 60))
    gaps = [after - before for before, after in pairwise(steps)]
    even = (steps[-1] - RECENT) / (len(steps) - len(recent))
    assert max(gaps) <= 2.0 * even + 60
    assert not keyframes.has_room()


class Many(Demo):
    """A disc that falls on one of many discs."""

    id = "many"

    def build(self):
        world = self.add_stage(World()).world
        for k in range(int(self.seed)):
            world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), type="static", position=(k, 0.0)))
        world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(2.1, 0.8)))


def test_with_many_bodies_there_are_twice_as_many():
    for bodies, expected in ((600, [0, 60]), (601, [0, 30, 60])):
        history = History(Many(bodies - 1))
        for _ in range(65):
            history.step()
        assert list(history.keyframes) == expected
        history.seek(40)
        history.seek(65)
        assert history.divergence is None and history.verify() is None
