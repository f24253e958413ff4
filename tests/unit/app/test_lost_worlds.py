"""A world lost in Box2D that cannot be restored does not close the window: the demo returns to the state before the failure."""

import pytest

from engine.app.session import Session
from engine.box2d._cache import Box2DCache
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec

VIEW = (0, 0, 640, 360)


@pytest.fixture
def fail(monkeypatch):
    """Return a patch that makes Box2D fail in its next calls of these methods."""

    def fail(**times):
        for name, n in times.items():
            left, works = [n], getattr(Box2DCache, name)

            def broken(*arguments, left=left, works=works, **more):
                if left[0]:
                    left[0] -= 1
                    raise AssertionError("out of memory")
                return works(*arguments, **more)

            monkeypatch.setattr(Box2DCache, name, broken)

    return fail


def test_a_step_that_loses_the_world_is_undone(hand, fail):
    hand.frame(45)
    session = hand.window.session
    history = session.timeline.history
    before, state = history.now, history.hash_at(history.now)
    fail(step=1, write_impulses=1)
    hand.frame(3)
    assert (
        "could not be rolled back" in session.timeline.failure
        and f"this is step {before}" in session.timeline.failure
        and session.clock.paused
    )
    assert history.now == before and history.at_tip and history.hash_at(before) == state
    session.clock.toggle_pause()
    hand.frame(10)
    assert history.now > before + 5 and not session.demo.stages[0].world.is_lost
    assert history.verify() is None


def test_an_input_that_loses_the_world_is_repeated(drop, fail):
    class Growing(drop):
        def on_key(self, key):
            self.stage.world.create_body(BodySpec((FixtureSpec(Circle(0.2)),), position=(5.0, 3.0)))
            return True

    session = Session(Growing(), VIEW, has_history=True)
    history = session.timeline.history
    assert history is not None
    for _ in range(20):
        session.advance(1.0 / 60.0)
    before = history.now
    fail(add_body=1, write_impulses=1)
    session.press("K")
    assert "could not be rolled back" in session.timeline.failure and history.now == before
    assert not session.demo.stages[0].world.is_lost and len(session.demo.stages[0].world.body_ids) == 3
    session.clock.paused = False
    for _ in range(20):
        session.advance(1.0 / 60.0)
    assert history.now > before and history.verify() is None


def test_the_demo_stays_at_the_keyframe_if_no_later_step_is_reachable(hand, fail):
    hand.frame(45)
    session = hand.window.session
    history = session.timeline.history
    before = history.now
    keyframe = max(step for step in history.keyframes if step <= before)
    assert keyframe < before
    # the step, putting it back, the ways to where it was: all break off, but for the last return to the keyframe
    fail(step=3, write_impulses=3)
    hand.frame(3)
    assert history.now == keyframe and session.clock.paused and not session.demo.stages[0].world.is_lost


def test_without_a_history_the_demo_restarts(drop, fail):
    session = Session(drop(), VIEW)
    for _ in range(5):
        session.advance(1.0 / 60.0)
    fail(step=1, write_impulses=1)
    session.advance(1.0 / 60.0)
    assert "was restarted" in session.timeline.failure and session.demo.steps == 0
    session.clock.paused = False
    session.advance(1.0 / 30.0)
    assert session.demo.steps > 0
