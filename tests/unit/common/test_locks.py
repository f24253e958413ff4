"""One program at a time holds a file, and leaves none behind."""

import subprocess
import sys
from pathlib import Path

from engine.common.locks import held
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]


def test_a_second_one_is_refused_at_once_and_the_next_may(tmp_path):
    path = tmp_path / ".lock"
    with held(path) as first, held(path) as second:
        assert first and not second
    with held(path) as third:
        assert third
    assert list(tmp_path.iterdir()) == []


def test_what_a_program_that_was_killed_held_is_free(tmp_path):
    path = tmp_path / ".lock"
    program = "import os, sys; from pathlib import Path; from engine.common.locks import held\nwith held(Path(sys.argv[1])): os._exit(9)"
    ended = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=False, timeout=PATIENCE)
    assert ended.returncode == 9 and path.exists()
    with held(path) as mine:
        assert mine
    assert list(tmp_path.iterdir()) == []
