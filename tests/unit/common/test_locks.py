"""One program at a time holds a lock file, and leaves none behind."""

import subprocess
import sys
from pathlib import Path

from engine.common.locks import held
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]


def test_a_second_lock_is_rejected_until_the_first_is_released(tmp_path):
    path = tmp_path / ".lock"
    with held(path) as first, held(path) as second:
        assert first and not second
    with held(path) as third:
        assert third
    assert list(tmp_path.iterdir()) == []


def test_locks_of_a_killed_program_are_free(tmp_path):
    path = tmp_path / ".lock"
    program = "import os, sys; from pathlib import Path; from engine.common.locks import held\nwith held(Path(sys.argv[1])): os._exit(9)"
    ended = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=False, timeout=PATIENCE)
    assert ended.returncode == 9 and path.exists()
    with held(path) as mine:
        assert mine
    assert list(tmp_path.iterdir()) == []
