"""Damaged pictures, drawings and body files are loaded or rejected in one line. More: ``python -m tests.hazards.fuzz_files 20000``."""

import pytest

from tests.hazards import fuzz_files

FILES = 150


@pytest.mark.parametrize("kind", fuzz_files.KINDS)
def test_a_damaged_file_is_loaded_or_rejected(kind):
    seen = fuzz_files.fuzz(kind, FILES)
    assert seen["loaded"] + seen["refused"] == FILES
    assert min(seen["loaded"], seen["refused"]) > FILES // 20, "nothing was broken, or nothing left whole"


def test_an_unexpected_exception_is_detected(monkeypatch):
    """A loader that raises another error ends the run with the file that causes it."""

    def careless(path):
        raise KeyError(str(path))

    good, words, _ = fuzz_files._KINDS["body"]
    monkeypatch.setitem(fuzz_files._KINDS, "body", (good, words, careless))
    with pytest.raises(AssertionError, match=r"body 0 0: KeyError: .*the file: b"):
        fuzz_files.fuzz("body", 1)
