"""Recordings: what happened in a demo as a file that grows while it happens."""

from engine.history.recordings.loading import load_recording
from engine.history.recordings.recorder import Recorder
from engine.history.recordings.recording import Recording
from engine.history.recordings.records import SUFFIX
from engine.history.recordings.tick_recorder import TickRecorder

__all__ = ["SUFFIX", "Recorder", "Recording", "TickRecorder", "load_recording"]
