"""Notes in the status strip: each is shown once, and again only after its cause has been absent for long."""

import pytest

from engine.app.session import Session
from engine.app.status_strip import Notes, _cells

FRAME = 1.0 / 60.0


@pytest.fixture
def session(drop):
    return Session(drop(), (0, 0, 640, 480))


def notes_during(notes, session, seconds, is_slow=False, shows_nothing=False):
    """Let time pass, and return the messages shown, without consecutive repetitions."""
    said = []
    for _ in range(round(seconds / FRAME)):
        notes.advance(FRAME, is_slow, shows_nothing)
        note = notes.now(session, False)
        if note is not None and (not said or said[-1] != note[0]):
            said.append(note[0])
    return said


def test_slow_running_is_reported_once_and_again_only_after_a_delay(session):
    notes = Notes()
    session.clock.lag = 0.23
    assert notes_during(notes, session, 1.0, is_slow=True) == [], "a long frame or two are none"
    assert notes_during(notes, session, 1.0) == []
    assert notes_during(notes, session, 600.0, is_slow=True) == [
        "Running at 77 % of the chosen speed: other programs are using the processor"
    ]
    assert notes.now(session, False) is None
    for _ in range(9):  # it comes and goes
        assert notes_during(notes, session, 3.0) == [] == notes_during(notes, session, 3.0, is_slow=True)
    assert notes_during(notes, session, 61.0) == []
    assert len(notes_during(notes, session, 5.0, is_slow=True)) == 1


def test_a_note_stays_readable_while_the_state_flickers(session):
    notes = Notes()
    session.clock.lag = 0.23
    said = notes_during(notes, session, 2.1, is_slow=True)
    session.clock.lag = 0.01
    assert len(said) == 1 and notes_during(notes, session, 3.0) == said, "it keeps the share of the slow time"
    assert notes.now(session, False) is not None
    notes_during(notes, session, 1.5)
    assert notes.now(session, False) is None


def test_notes_of_one_demo_are_not_shown_in_the_next(session, twins):
    notes = Notes()
    session.clock.lag = 0.23
    assert len(notes_during(notes, session, 12.0, is_slow=True)) == 1
    assert notes_during(notes, Session(twins(), (0, 0, 640, 480)), 12.0, is_slow=True) == []


def test_the_note_that_nothing_is_in_view_stays_and_gives_way_to_messages(session):
    notes = Notes()
    assert notes_during(notes, session, 120.0, shows_nothing=True) == ["Nothing is in view. Press Home."]
    session.messages.say("done")
    assert notes_during(notes, session, FRAME, shows_nothing=True) == ["done"]
    session.timeline.failure = "it broke"
    assert notes_during(notes, session, FRAME, shows_nothing=True) == ["Stopped: it broke  (R restarts)"]
    session.timeline.failure = ""
    session.messages.advance(60.0)
    assert notes_during(notes, session, FRAME) == []
    assert notes_during(notes, session, 10.0, shows_nothing=True) == []


def test_the_strip_shows_the_actual_speed_while_it_is_slow(session):
    def speed():
        return {caption: value for caption, value, _ in _cells(session, 0)}["speed"]

    assert speed() == "1/1"
    session.clock.lag = 0.23
    assert speed() == "1/1 (77 %)"
    session.clock.paused = True
    assert speed() == "paused"
