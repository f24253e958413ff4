"""Recordings and films on the command line, also across processes."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from engine.cli.main import main
from engine.sim.recordings import load_recording
from engine.sim.recordings.records import Part, encode_record, records_of, start_of_file
from engine.sim.state_log import StateLog
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "a.rec"
    star = ROOT / "sprites" / "samples" / "paw.png"
    command = ["run", "simple_shapes", "--steps", "90", "--seed", "2", "--set", "count=6", "--drop", str(star)]
    assert main([*command, "--record-inputs", str(path)]) == 0
    return path


def test_it_plays_bit_for_bit(recording, tmp_path, capsys):
    assert main(["replay", str(recording), "--verify", "--json", str(tmp_path / "found.json")]) == 0
    assert "all 90 steps were reproduced bit for bit" in capsys.readouterr().out
    report = json.loads((tmp_path / "found.json").read_text())
    assert report["verified"]["same"] and report["steps"] == 90 and report["inputs"] == 1 and report["seconds"] == 1.5
    assert report["hash"] == load_recording(recording).branch.states.hashes[90].hex()


def test_a_difference_is_named_and_sets_the_status(recording, tmp_path, capsys):
    broken = start_of_file()
    for _, record in records_of(recording.read_bytes(), "a"):
        if isinstance(record, Part) and record.step < 61 <= record.step + record.n_steps:
            k, after = 61 - record.step - 1, list(record.after_each_step("part"))
            hashes, bodies, digests = (list(column) for column in zip(*after, strict=True))
            digests[k], hashes[k] = bytes([digests[k][0] ^ 1]) + digests[k][1:], bytes(16)
            record = Part.of(record.step, record.n_inputs, record.inputs, StateLog(hashes, bodies, digests, record.states))
        broken += encode_record(record)
    (tmp_path / "b.rec").write_bytes(broken)
    body = load_recording(recording).branch.states.bodies[61][0][0]
    assert main(["replay", str(tmp_path / "b.rec"), "--verify"]) == 1
    assert f"step 61 is the first to differ: body {body} of world 0" in capsys.readouterr().out


def test_the_table_and_a_truncated_recording(recording, tmp_path, capsys):
    (tmp_path / "c.rec").write_bytes(recording.read_bytes()[:-20])
    assert main(["replay", str(tmp_path / "c.rec"), "--headless"]) == 0
    said = capsys.readouterr().out
    assert re.search("is ended +no", said) and "Simple shapes, recorded, seed 2" in said


def test_a_picture_and_a_film_in_slow_motion(recording, tmp_path):
    picture, film = tmp_path / "a.png", tmp_path / "a.gif"
    command = ["replay", str(recording), "--screenshot", str(picture), "--at", "40", "--record", str(film), "--size", "160x90"]
    assert main([*command, "--from", "30", "--to", "42", "--speed", "0.25", "--fps", "20"]) == 0
    with Image.open(picture) as image:
        assert image.size == (1280, 720)
    with Image.open(film) as moving:
        lasting = []
        for k in range(moving.n_frames):
            moving.seek(k)
            lasting.append(moving.info["duration"])
        # 0.2 s at a quarter of the speed: 16 frames, and the first
        assert moving.size == (160, 90) and lasting == [50] * 17 and moving.info["loop"] == 0


def test_a_film_of_a_run(tmp_path):
    film = tmp_path / "run.mp4"
    assert main(["run", "simple_shapes", "--steps", "20", "--set", "count=3", "--record", str(film), "--size", "161x91"]) == 0
    import imageio_ffmpeg

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(film), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    ran = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    assert all(words in ran.stderr for words in (b"h264", b"160x90", b"60 fps"))
    size = 160 * 90 * 3
    assert len(ran.stdout) == 21 * size and ran.stdout[:size] != ran.stdout[20 * size :]
    assert [path.name for path in tmp_path.iterdir()] == ["run.mp4"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay", "missing.rec"], "missing.rec"),
        (["replay", "{file}", "--record", "x.avi"], ".mp4 or .gif"),
        (["replay", "{file}", "--record", "x.gif", "--fps", "60"], "from 1 to 50"),
        (["replay", "{file}", "--record", "x.mp4", "--size", "9000x20"], "--size must be from"),
        (["replay", "{file}", "--record", "x.mp4", "--size", "big"], "WIDTHxHEIGHT"),
        (["replay", "{file}", "--record", "x.mp4", "--from", "50", "--to", "20"], "--to must be"),
        (["replay", "{file}", "--screenshot", "x.png", "--at", "91"], "from 0 to 90"),
        (["run", "simple_shapes", "--steps", "9", "--record-inputs", "{file}"], "does not exist yet"),
    ],
)
def test_mistakes_are_reported_in_one_line(arguments, words, recording, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = recording.read_bytes()
    assert main([argument.replace("{file}", str(recording)) for argument in arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert recording.read_bytes() == before and not list(tmp_path.iterdir())
