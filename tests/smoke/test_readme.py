"""The README and the pages show what the library prints."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("page", "fewest"),
    [("README.md", 7), ("docs/world.md", 9), ("docs/library.md", 50), ("docs/many_worlds.md", 9), ("docs/dynamics/README.md", 8)],
)
def test_examples_run_as_printed(page, fewest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # library.md writes files
    results = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert results.attempted >= fewest
    assert results.failed == 0
