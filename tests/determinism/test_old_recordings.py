"""Recordings and a scene file from before `engine.world` was separated from Box2D still play, to the last bit."""

import json
from pathlib import Path

import pytest

from engine.app.files.opening import load_any_scene
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.sim.recordings import load_recording
from engine.sim.recordings.recording import present_makers
from engine.sim.recordings.verifying import verify
from engine.sim.replaying import replay

FOLDER = Path(__file__).with_name("recordings")


@pytest.mark.parametrize("name", ["by_hand", "every_joint"])
def test_an_old_recording_plays(name):
    recording = load_recording(FOLDER / f"{name}.rec")
    assert recording.is_ended and recording.steps == 130 and recording.n_inputs > 20
    here = present_makers()
    verdict = verify(recording, replay(recording))
    if any(recording.header.makers[maker] != here[maker] for maker in ("platform", "Box2D")) or "memory" in verdict.foreign:
        pytest.skip(f"another libm, or another Box2D, has other bits: {verdict.foreign}")
    assert verdict.is_same, verdict.words


def test_an_old_scene_file_is_read_as_it_was_recorded():
    """The file has numbers that float32 cannot represent; the recording contains the scene as loaded."""
    scene = load_any_scene(str(FOLDER / "every_joint.json"))
    recorded = load_recording(FOLDER / "every_joint.rec").header.scene
    assert recorded is not None
    assert len(scene.bodies) == 21 and len(scene.joints) == 11
    plain = json.loads(json.dumps(dict(recorded)))
    assert scene_from_json(plain) == scene_from_json(json.loads(json.dumps(scene_as_json(scene))))
