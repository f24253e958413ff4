"""Damaged states of shared demos are loaded or rejected, and crash no process. More: ``python -m tests.hazards.fuzz_states 100000``."""

import json
import subprocess
import sys

import pytest

from tests.hazards import fuzz_states


def test_a_damaged_state_is_loaded_or_rejected(monkeypatch):
    monkeypatch.setattr(fuzz_states, "DEMOS", fuzz_states.DEMOS[:2])
    seen = fuzz_states.fuzz(60)
    assert seen["refused"] + seen["taken"] == 60 and min(seen["refused"], seen["taken"]) > 6


@pytest.mark.slow
def test_twenty_thousand_damaged_states_crash_no_process():
    run = subprocess.run([sys.executable, "-m", "tests.hazards.fuzz_states", "20000", "1"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    seen = json.loads(run.stdout)
    assert seen["refused"] + seen["taken"] == 20000 and seen["taken"] > 2000
