"""What commands say on standard error while they work, where that is no terminal."""

from __future__ import annotations

import time

import pytest

from engine.app.commands import output


def test_what_takes_long_is_told_in_plain_lines_each_later_than_the_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "PATIENCE", 0.1)
    with output.progress("firing", 1_200) as advance:
        advance()
        time.sleep(0.9)
    first, second, *others = capsys.readouterr().err.splitlines()
    assert first == "firing: 1 of 1,200, 0 s so far" and second.startswith("firing: 1 of 1,200") and len(others) <= 2
    with output.warming():
        time.sleep(0.3)
    assert capsys.readouterr().err.startswith("loading the algorithms (compiling them, the first time only), 0 s so far\n")


def test_what_is_soon_done_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with output.warming(), output.progress("firing", 3) as advance:
        advance()
    assert capsys.readouterr().err == ""
