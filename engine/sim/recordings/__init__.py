"""Recordings contain the history of a demo, in a file that is written while the demo runs."""

from engine.sim.recordings.loading import load_recording
from engine.sim.recordings.recorder import Recorder
from engine.sim.recordings.recording import Recording
from engine.sim.recordings.records import SUFFIX
from engine.sim.recordings.tick_recorder import TickRecorder

__all__ = ["SUFFIX", "Recorder", "Recording", "TickRecorder", "load_recording"]
