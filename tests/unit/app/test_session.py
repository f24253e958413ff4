"""A session: going back to earlier edits, and acting in the past."""

import pytest

from engine.app.session import Session
from engine.geometry import Circle
from engine.sim.actions import CreateBody, Drag, Grab, PressKey, Release, SetVelocity
from engine.sim.history import demo_hash
from engine.world import BodySpec, FixtureSpec

FRAME = 1.0 / 60.0


def ball(x):
    return BodySpec((FixtureSpec(Circle(0.2)),), position=(x, 3.0))


@pytest.fixture
def session(drop):
    """A floor and a disc, bodies 0 and 1, paused at step 0."""
    session = Session(drop(), (0, 0, 640, 480), has_history=True)
    session.clock.paused = True
    return session


def history_of(session):
    assert session.timeline.history is not None
    return session.timeline.history


def world_of(session):
    return session.demo.stages[0].world


def run(session, frames):
    session.clock.paused = False
    for _ in range(frames):
        session.advance(FRAME)
    session.clock.paused = True


def test_going_back_shows_what_had_been_built_by_then(session):
    first = session.act(CreateBody.of(0, ball(2.0)))
    run(session, 30)
    second = session.act(CreateBody.of(0, ball(4.0)))
    run(session, 30)
    history, end = history_of(session), demo_hash(session.demo)
    session.timeline.seek(0)
    assert history.now == 0 and world_of(session).body_ids == (0, 1, first)
    session.timeline.seek(30)
    assert world_of(session).body_ids == (0, 1, first, second)
    session.timeline.back()
    assert history.now == 29 and world_of(session).body_ids == (0, 1, first)
    session.clock.request_step()
    session.advance(FRAME)
    assert history.now == 30 and world_of(session).body_ids == (0, 1, first, second), "one step back and one on is where one was"
    session.timeline.to_the_end()
    assert demo_hash(session.demo) == end and history.divergence is None and history.verify() is None
    session.undo()
    assert history.now == 30 and world_of(session).body_ids == (0, 1, first)
    session.timeline.redo()
    assert history.now == 60 and demo_hash(session.demo) == end


def test_an_edit_in_the_past_keeps_earlier_edits(session):
    first = session.act(CreateBody.of(0, ball(2.0)))
    run(session, 60)
    session.timeline.seek(0)
    second = session.act(CreateBody.of(0, ball(4.0)))
    assert history_of(session).last == 0 and world_of(session).body_ids == (0, 1, first, second)


def test_a_grip_in_the_past_is_released_when_a_new_branch_begins(session):
    session.act(PressKey("left"))
    assert session.act(Grab(world_of(session).state(1).position))
    for k in range(20):
        session.act(Drag((0.1 * k, 4.0)))
        run(session, 1)
    session.act(Release())
    session.driver.release_key("left")
    run(session, 20)
    session.timeline.seek(10)
    assert session.demo.grabbing and session.demo.held == {"left"}, "as it was then"
    session.act(CreateBody.of(0, ball(4.0)))
    assert not session.demo.grabbing and session.demo.held == set()
    run(session, 20)
    assert history_of(session).verify() is None
    session.undo()
    assert history_of(session).now == 10 and not session.demo.grabbing


def test_a_long_rewind_takes_several_frames_and_an_action_waits_for_it(session):
    run(session, 50)
    history = history_of(session)
    session.timeline.longest_way = 0.0  # a step a frame
    session.timeline.seek(10)
    assert (history.now, history.last) == (1, 50), "from the keyframe at the beginning"
    message = session.messages.now
    assert message.words == "Going to step 10; now at 1"
    session.clock.toggle_pause()
    session.advance(FRAME)
    assert history.now == 2 and not session.clock.paused
    session.clock.toggle_pause()
    session.act(CreateBody.of(0, ball(2.0)))
    assert (history.now, history.last) == (10, 10) and history.verify() is None
    assert session.messages.now is None, "it has arrived"
    run(session, 40)
    session.timeline.seek(30)
    history.seek(5)  # a film is taken
    for _ in range(3):
        session.advance(FRAME)
    assert history.now == 5 and session.messages.now is None
    session.timeline.seek(30)
    for _ in range(40):
        session.advance(FRAME)
    assert history.now == 30 and history.divergence is None and session.messages.now is not message


def test_plots_follow_the_branch_restored_by_redo(session):
    run(session, 20)
    session.act(SetVelocity(0, 1, (3.0, 0.0), 0.0))
    run(session, 40)
    series = session.timeline.series
    moved = series.curve(0, 1, "x").copy()
    session.undo()
    run(session, 60)
    assert series.curve(0, 1, "x")[60] == pytest.approx(moved[0])
    session.timeline.redo()
    assert history_of(session).now == 60
    assert series.curve(0, 1, "x")[:61] == pytest.approx(moved)


def test_focus_changes_and_keys_in_the_past_keep_the_future(session):
    session.press("left")
    assert session.act(Grab(world_of(session).state(1).position))
    run(session, 40)
    end = demo_hash(session.demo)
    session.timeline.seek(20)
    session.driver.release_all()
    session.driver.release_key("left")
    session.driver.release()
    assert history_of(session).last == 40 and session.demo.grabbing and session.demo.held == {"left"}
    session.timeline.to_the_end()
    assert demo_hash(session.demo) == end
    session.advance(FRAME)
    assert not session.demo.grabbing and session.demo.held == set(), "there it is let go of"
    assert history_of(session).verify() is None


def test_a_demo_without_a_history_accepts_actions(drop):
    session = Session(drop(), (0, 0, 640, 480))
    assert session.timeline.history is None
    made = session.act(CreateBody.of(0, ball(2.0)))
    session.press("space")
    session.driver.release_all()
    assert world_of(session).is_body(made) and not session.demo.held
