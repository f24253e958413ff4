"""Damaged pictures, drawings and body files are loaded or refused in one line. More: ``python -m tests.hazards.fuzz_files 20000``."""

import pytest

from tests.hazards import fuzz_files

FILES = 150


@pytest.mark.parametrize("kind", fuzz_files.KINDS)
def test_a_damaged_file_is_loaded_or_refused(kind):
    seen = fuzz_files.fuzz(kind, FILES)
    assert seen["loaded"] + seen["refused"] == FILES
    assert min(seen["loaded"], seen["refused"]) > FILES // 20, "nothing was broken, or nothing left whole"


def test_a_stray_exception_is_noticed(monkeypatch):
    """A loader that lets another error through ends the run, with the file that shows it."""

    def careless(path):
        raise KeyError(str(path))

    good, words, _ = fuzz_files._KINDS["body"]
    monkeypatch.setitem(fuzz_files._KINDS, "body", (good, words, careless))
    with pytest.raises(AssertionError, match=r"body 0 0: KeyError: .*the file: b"):
        fuzz_files.fuzz("body", 1)
