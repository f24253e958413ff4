"""Recordings: what happened in a demo as a file that grows while it happens, and the way from the file back to the demo."""

from engine.app.recordings.layout import SUFFIX
from engine.app.recordings.loading import load_recording
from engine.app.recordings.recorder import Recorder
from engine.app.recordings.recording import Recording, replay

__all__ = ["SUFFIX", "Recorder", "Recording", "load_recording", "replay"]
