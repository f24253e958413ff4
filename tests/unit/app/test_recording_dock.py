"""Recordings, films and opened recordings in the window, operated by simulated input."""

import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pygame
import pytest
from PIL import Image

from engine.app.panels import recording_dock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.panels.timeline_dock import TimelineDock
from engine.app.window import Window
from engine.box2d import memory
from engine.sim.actions import ChangeWorld, Grab
from engine.sim.history import History, demo_hash
from engine.sim.recordings import load_recording
from engine.sim.recordings.verifying import verify
from engine.sim.registry import find_demo
from engine.sim.replaying import record, replay
from tests.unit.app.controls import place
from tests.unit.app.hand import dock_of, frames, key
from tests.unit.app.written import Written, noting_words
from tests.waiting import until

CONTROL = pygame.KMOD_CTRL


@pytest.fixture
def window(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo = find_demo("simple_shapes")
    window = Window((1000, 480), (demo,), demo(0, {"count": 6}))
    yield window
    window.handle(pygame.event.Event(pygame.QUIT))


def words(window):
    return " / ".join(message.words for message in window.session.messages._waiting)


def test_a_key_starts_and_stops_a_recording(window, tmp_path):
    frames(window, 10)
    key(window, pygame.K_r, CONTROL)
    (path,) = tmp_path.glob("simple_shapes-*.rec")
    assert str(path) in words(window) and window.session.recorder is not None
    assert "including the 10 steps so far" in words(window)
    frames(window, 30)
    window.session.act(Grab((0.0, 1.0)))
    key(window, pygame.K_r, CONTROL)
    assert window.session.recorder is None
    history = window.session.timeline.history
    recording = load_recording(path)
    assert recording.branch.states.hashes == history.branch.states.hashes[: recording.steps + 1] and recording.steps >= 38
    assert recording.begun == 10 and f"Recorded {recording.steps} steps, 10 of them before the recording began, into" in words(window)
    assert verify(recording, replay(recording)).is_same
    key(window, pygame.K_r, CONTROL)
    assert len(list(tmp_path.glob("*.rec"))) == 2


@pytest.mark.parametrize("way", ["button", "leave", "quit", "ctrl c"])
def test_a_recording_ends_completely(window, way, tmp_path):
    frames(window, 3)
    rect = place(window, "Record")
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=rect.center, button=1))
    frames(window, 5)
    if way == "button":
        window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=rect.center, button=1))
    elif way == "leave":
        key(window, pygame.K_ESCAPE)
        assert window.browsing
    elif way == "ctrl c":
        window.break_off()
    else:
        window.handle(pygame.event.Event(pygame.QUIT))
        assert not window.running
    (path,) = tmp_path.glob("*.rec")
    assert load_recording(path).is_ended


def test_a_folder_that_rejects_files_is_reported(window, monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "cwd", lambda: tmp_path / "nowhere")
    frames(window)
    key(window, pygame.K_r, CONTROL)
    assert "Cannot record: recording must be a file that can be created" in words(window) and window.session.recorder is None


def test_the_last_seconds_become_a_film_while_the_window_runs(window, monkeypatch, tmp_path):
    monkeypatch.setattr(recording_dock, "SECONDS", 0.5)
    frames(window, 100)
    history, dock = window.session.timeline.history, dock_of(window, RecordingDock)
    window.session.clock.toggle_pause()
    end = demo_hash(window.session.demo)
    window.session.clock.speed = 0.5
    last = history.last
    key(window, pygame.K_f, CONTROL | pygame.KMOD_SHIFT)

    def is_written():
        assert window.session.clock.paused
        if dock.is_busy:
            window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(400, 200), button=1))  # nobody acts meanwhile
            frames(window)
        return not dock.is_busy

    until(is_written, look=0.005)
    n_frames = int(0.5 * 25 / 0.5 + 1e-6) + 1
    assert not dock.is_busy and f"{n_frames / 25:.2f} s in {n_frames} frames written to" in words(window)
    assert history.last == last and history.now == last and demo_hash(window.session.demo) == end and history.divergence is None
    (path,) = tmp_path.glob("*.gif")
    with Image.open(path) as film:
        assert film.n_frames == n_frames
        assert film.size[0] == min(window.session.view.camera.view[2] // 2 * 2, 800)
        first = film.convert("RGB").tobytes()
        film.seek(film.n_frames - 1)
        assert film.convert("RGB").tobytes() != first
    assert [path.suffix for path in tmp_path.iterdir()] == [".gif"]


def test_escape_cancels_the_film(window, tmp_path):
    frames(window, 60)
    history = window.session.timeline.history
    assert history is not None
    rect = place(window, "Film, MP4")
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=rect.center, button=1))
    assert dock_of(window, RecordingDock).is_busy
    with noting_words():
        surface = Written(window.size)
        window.show(surface)
    (hint_rect,) = [place for words, place in surface.words if "Esc cancels" in words]
    assert pygame.Rect(dock_of(window, RecordingDock)._timeline.place).contains(hint_rect), "not over the picture"
    frames(window)
    key(window, pygame.K_ESCAPE)
    assert not dock_of(window, RecordingDock).is_busy and not window.browsing and not list(tmp_path.iterdir())
    assert history.now == history.last and "Nothing was written" in words(window)


def test_a_dropped_recording_is_played_to_its_end(window, tmp_path):
    memory.load()
    history = History(find_demo("simple_shapes")(5, {"count": 7}))
    recorder = record(history, tmp_path / "x.rec")
    for step in range(60):
        if step == 40:
            history.act(ChangeWorld(0, {"gravity": (0.0, 4.0)}))
        history.step()
    recorder.close()
    frames(window)
    window.handle(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "x.rec")))
    until(lambda: (frames(window), window.session.recording is not None)[1], look=0.005)
    played = window.session.timeline.history
    assert played.last == 60 and window.session.demo.seed == 5
    assert not window.session.clock.paused and played.now < 20
    frames(window, 80)
    assert played.now == 60 and window.session.clock.paused and "The recording ends here" in words(window)
    assert demo_hash(window.session.demo) == history.hash_at(60) and played.divergence is None
    window.session.clock.toggle_pause()
    frames(window, 5)
    assert played.now > 60


def recorded_from(step, last, path):
    """Record from a step on, in another window."""
    memory.load()
    history = History(find_demo("simple_shapes")(5, {"count": 7}))
    for _ in range(step):
        history.step()
    recorder = record(history, path)
    for _ in range(last - step):
        history.step()
    recorder.close()
    return history


def test_a_recording_plays_from_its_marked_step_and_can_be_scrubbed(window, tmp_path):
    """Issue 13: recorded from step 5,380 on, a replay could not be used before all of it had been played."""
    recorded = recorded_from(60, 90, tmp_path / "x.rec")
    frames(window)
    window.navigator.play(load_recording(tmp_path / "x.rec"))
    session, history = window.session, window.session.timeline.history
    session.timeline.longest_way = 0.0  # a step a frame
    frames(window, 30)
    assert 20 <= history.now < 40 and "Going to step 60" in words(window)
    session.timeline.longest_way = math.inf
    frames(window, 3)
    assert 60 <= history.now < 66 and not session.clock.paused
    timeline = window.app.dock(TimelineDock)
    at = timeline.x_of(12, history), timeline.bar.centery
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
    window.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1))
    frames(window, 3)
    assert abs(history.now - 12) <= 1 and session.clock.paused
    key(window, pygame.K_END)
    frames(window, 3)
    assert history.now == 90 and history.divergence is None and demo_hash(session.demo) == recorded.hash_at(90)
    assert session.clock.paused and "The recording ends here" in words(window)


def test_a_differing_step_is_reported_once(window, tmp_path):
    recorded_from(0, 30, tmp_path / "x.rec")
    recording = load_recording(tmp_path / "x.rec")
    recording.branch.states.hashes[20] = bytes(16)
    window.navigator.play(recording)
    frames(window, 40)
    assert words(window).count("step 20 is the first to differ") == 1


def test_a_local_recording_can_be_scrubbed_at_once(window, tmp_path):
    frames(window, 40)
    key(window, pygame.K_r, CONTROL)
    frames(window, 20)
    key(window, pygame.K_r, CONTROL)
    frames(window, 30)
    (path,) = tmp_path.glob("*.rec")
    session, history = window.session, window.session.timeline.history
    last = history.last
    key(window, pygame.K_ESCAPE)
    window.navigator.play(load_recording(path))
    frames(window, 2)
    assert window.session is session and history.last == last and 40 <= history.now < 46
    assert "steps 40 to 61 of the timeline" in words(window)
    frames(window, 40)
    assert history.now == 61 and session.clock.paused and "The recording ends here" in words(window)


def test_a_broken_recording_is_reported_in_one_line(window, tmp_path):
    (tmp_path / "x.rec").write_bytes(b"nonsense")
    window.handle(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "x.rec")))
    until(lambda: (frames(window), "cannot be used" in words(window))[1], look=0.005)
    assert "x.rec cannot be used: it must be a recording of this program" in words(window)


def test_a_recording_of_another_program_s_demo_is_reported_in_one_line(window, tmp_path):
    recorder = record(History(find_demo("simple_shapes")(0)), tmp_path / "y.rec")
    recorder.close()
    recording = load_recording(tmp_path / "y.rec")
    window.navigator.play(replace(recording, header=msgspec.structs.replace(recording.header, demo="tomorrow")))
    assert "the recording cannot be opened: demo must be a demo of this program" in words(window)


def test_ctrl_c_leaves_no_partial_film(window, tmp_path):
    frames(window, 20)
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_f, mod=CONTROL, unicode="f"))
    frames(window, 2)
    assert dock_of(window, RecordingDock).is_busy
    window.break_off()
    assert not dock_of(window, RecordingDock).is_busy and not list(tmp_path.iterdir())
