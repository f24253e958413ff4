"""Damaged recordings are played or rejected in one line. More: ``python -m tests.hazards.fuzz_recordings 10000``."""

import pytest

from tests.hazards import fuzz_recordings

FILES = 250


def test_a_damaged_recording_is_played_or_rejected():
    seen = fuzz_recordings.fuzz(FILES)
    assert seen["played"] + seen["refused"] == FILES
    assert min(seen["played"], seen["refused"]) > FILES // 10 and seen["otherwise"], "nothing was broken, or nothing left whole"


def test_an_unexpected_exception_is_detected(monkeypatch):
    def careless(path):
        raise KeyError(str(path))

    monkeypatch.setattr(fuzz_recordings, "load_recording", careless)
    with pytest.raises(AssertionError, match=r"recording 0 0: KeyError: .*the file: b"):
        fuzz_recordings.fuzz(1)
