import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.app.clock import SPEEDS, FixedClock, speed_name

STEP = 1.0 / 60.0


def test_a_frame_as_long_as_a_step_takes_one_step():
    clock = FixedClock(STEP)
    assert [clock.advance(STEP) for _ in range(100)] == [1] * 100


def test_slow_motion_takes_a_hundredth_of_the_steps_and_draws_between_them():
    clock = FixedClock(STEP)
    clock.speed = 0.01
    fractions = []
    n_steps = 0
    for _ in range(200):
        n_steps += clock.advance(STEP)
        fractions.append(clock.fraction)
    assert n_steps == 2
    assert len({round(fraction, 3) for fraction in fractions}) >= 99


def test_a_long_frame_does_not_delay_later_frames():
    clock = FixedClock(STEP, max_steps=4)
    assert clock.advance(10.0) == 4
    assert clock.lag > 0.5
    assert clock.advance(STEP) == 1, "the rest is forgotten"


def test_lag_fades_once_frames_are_short_again():
    clock = FixedClock(STEP)
    clock.advance(5.0)
    for _ in range(300):
        clock.advance(STEP)
    assert clock.lag < 0.05


def test_no_step_is_taken_while_paused():
    clock = FixedClock(STEP)
    clock.paused = True
    assert [clock.advance(1.0) for _ in range(5)] == [0] * 5
    assert clock.fraction == 1.0
    clock.paused = False
    assert clock.advance(STEP) == 1, "the time of the pause is not made up for"


def test_single_step_is_exactly_one():
    clock = FixedClock(STEP)
    clock.request_step()
    assert clock.paused
    assert [clock.advance(1.0) for _ in range(3)] == [1, 0, 0]


def test_speed_levels_have_a_minimum_and_a_maximum():
    clock = FixedClock(STEP)
    for _ in range(5):
        clock.faster()
    assert clock.speed == SPEEDS[0] == 8.0
    for _ in range(20):
        clock.slower()
    assert clock.speed == SPEEDS[-1] == 0.01
    clock.faster()
    assert clock.speed == 1 / 64
    clock.speed = 0.3  # between two notches
    clock.slower()
    assert clock.speed == 0.25


def test_a_new_step_length_keeps_the_fraction():
    clock = FixedClock(STEP)
    clock.advance(0.5 * STEP)
    clock.step_seconds = STEP / 4
    assert clock.fraction == pytest.approx(0.5)


@given(st.lists(st.one_of(st.floats(0.0, 0.2), st.sampled_from([math.nan, math.inf, -1.0])), max_size=60), st.sampled_from(SPEEDS))
def test_steps_never_run_ahead_of_time(frames, speed):
    clock = FixedClock(STEP)
    clock.speed = speed
    n_steps = sum(clock.advance(elapsed) for elapsed in frames)
    passed = sum(elapsed for elapsed in frames if math.isfinite(elapsed) and elapsed > 0.0)
    assert n_steps <= speed * passed / STEP + 1e-3
    assert 0.0 <= clock.fraction <= 1.0
    assert 0.0 <= clock.lag <= 1.0


def test_names():
    assert [speed_name(speed) for speed in SPEEDS] == ["8x", "4x", "2x", "1/1", "1/2", "1/4", "1/8", "1/16", "1/32", "1/64", "1/100"]
