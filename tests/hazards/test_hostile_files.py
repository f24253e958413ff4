"""Each kind of hostile file, small: loaded, or refused in one line. All at full size: ``python -m tests.hazards.hostile_files``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.common.errors import LabError
from engine.compare.pair.file import load_pair
from engine.decompose import load_body, trace_file
from engine.demo.scene_demo import load_any_scene
from engine.history.recordings.loading import load_recording
from tests.hazards import hostile_files
from tests.hazards.hostile import KINDS

SMALL = 40
LOADERS = {".svg": (trace_file, load_any_scene), ".png": (trace_file,), ".gif": (trace_file,), ".rec": (load_recording,)}
PLAIN = (load_any_scene, load_body, load_pair)


@pytest.mark.parametrize("name", KINDS)
def test_a_small_one_is_loaded_or_refused_in_a_line(tmp_path: Path, name: str) -> None:
    kind = KINDS[name]
    path = tmp_path / f"hostile{kind.suffix}"
    path.write_bytes(kind.make(SMALL))
    for load in LOADERS.get(kind.suffix, PLAIN):
        try:
            load(str(path))
        except LabError as error:
            assert str(error)
            assert str(error).isprintable()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="wait4")
def test_the_battery_measures_and_judges(tmp_path: Path) -> None:
    path = tmp_path / "hostile.svg"
    path.write_bytes(KINDS["deep"].make(200))
    found = hostile_files.run(["trace", str(path)])
    assert found.status == 2
    assert "nested at most 64 deep" in found.last_line
    assert found.faults == []
    assert found.processor > 0.0
    assert 10_000_000 < found.n_bytes < hostile_files.MOST_BYTES
    bad = hostile_files.Outcome(1.0, 2.0 * hostile_files.MOST_SECONDS, 2 * hostile_files.MOST_BYTES, -11, "Traceback\x1b")
    assert bad.faults == ["status -11", "slow", "large", "traceback", "control character"]
