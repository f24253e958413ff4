"""Pictures of bodies: cut along their outline, stored in scene files, and rejected in one line if invalid."""

import base64
import json
import struct
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pygame
import pytest

from engine.app.dropped_picture import _decoded, picture_of
from engine.app.files.opening import load_any_scene, load_dropped
from engine.app.files.saving import scene_maker
from engine.app.frame import FramePainter
from engine.app.session import Session
from engine.common.errors import InvalidInputError
from engine.scenes import Scene, load_scene, save_scene
from engine.scenes.pictures import MAX_PICTURE_BYTES, BodyPicture, check_png
from engine.sim.actions import DestroyBody, Drop
from engine.sim.scene_demo import scene_demo
from engine.world import BodySpec

RED, WHITE = (200, 30, 40), (255, 255, 255)


@pytest.fixture
def ring(tmp_path):
    """A red ring on white paper, without transparency."""
    picture = pygame.Surface((160, 120))
    picture.fill(WHITE)
    pygame.draw.circle(picture, RED, (80, 60), 50)
    pygame.draw.circle(picture, WHITE, (80, 60), 20)
    pygame.image.save(picture, str(tmp_path / "ring.png"))
    return tmp_path / "ring.png"


def png(width=2, height=2, raw=None, colors=6, *more, depth=8):
    raw = bytes(height * (1 + 4 * width)) if raw is None else raw
    head = struct.pack(">IIBBBBB", width, height, depth, colors, 0, 0, 0)
    chunks = ((b"IHDR", head), *more, (b"IDAT", zlib.compress(raw)), (b"IEND", b""))
    chunk_bytes = b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks)
    return b"\x89PNG\r\n\x1a\n" + chunk_bytes


def test_the_background_around_and_inside_an_opaque_drawing_is_removed(ring):
    """Issue 13: it was dropped with its white background, which the tracer had removed from the body."""
    shown = picture_of(load_dropped(str(ring), 1.2))
    assert shown is not None
    alpha = pygame.surfarray.array_alpha(shown)
    width, height = alpha.shape
    assert alpha[0, 0] == alpha[-1, -1] == alpha[width // 2, height // 2] == 0
    x = round(width * (80 + 35) / 160)
    assert alpha[x, height // 2] == 255 and shown.get_at((x, height // 2))[:3] == RED
    assert np.pi * (50**2 - 20**2) / (160 * 120) == pytest.approx(float((alpha > 127).mean()), rel=0.03)


def test_a_large_picture_is_scaled_down_before_it_is_copied(tmp_path):
    """Four bytes per pixel are the original; three more copies of the largest picture take 200 MB."""
    side = 2_500
    pixels = np.zeros((side, side, 4), dtype=np.uint8)
    pixels[100:-100, 100:-100] = 200
    path = tmp_path / "large.png"
    pygame.image.save(pygame.image.frombuffer(pixels, (side, side), "RGBA"), str(path))
    del pixels
    body = load_dropped(str(path), 1.2)
    tracemalloc.start()
    try:
        shown = picture_of(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert shown.get_size() == (640, 640)
    assert shown.get_at((2, 2)).a == 0
    assert tuple(shown.get_at((320, 320))) == pytest.approx((200, 200, 200, 200), abs=3)  # smoothscale rounds down, twice
    assert peak < 6 * side**2


def test_a_scene_keeps_the_pictures_of_its_bodies(drop, ring, tmp_path):
    demo = drop()
    session = Session(demo, (0, 0, 640, 480), has_history=True)
    for x in (-2.0, 2.0):  # the same file twice is kept once
        session.act(Drop.of(load_dropped(str(ring), 1.2), (x, 3.0)))
    for _ in range(10):
        demo.sim.step()
    save_scene(tmp_path / "rings.json", scene_maker(session)())
    ring.unlink()
    scene = load_any_scene(str(tmp_path / "rings.json"))
    assert [picture.bodies for picture in scene.pictures] == [(2, 3)] and len(scene.pictures[0].png) < 20_000
    again = scene_demo(scene)()
    reopened = Session(again, (0, 0, 640, 480), has_history=True)
    surface = pygame.Surface((640, 480))
    for restarts in (False, True):
        if restarts:
            reopened.restart()
        painter = FramePainter()
        painter.prepare(reopened)
        painter.paint(surface, reopened)
        for body in (2, 3):
            x, y = again.stages[0].world.state(body).position
            outer = surface.get_at([round(coordinate) for coordinate in reopened.view.camera.to_screen((x + 0.4, y))])[:3]
            assert abs(outer[0] - RED[0]) < 12 and max(outer[1:]) < 60
        assert not (pygame.surfarray.array3d(surface) > 245).all(axis=2).mean() > 0.005, "no paper"
    save_scene(tmp_path / "again.json", scene_maker(reopened)())
    assert load_scene(tmp_path / "again.json").pictures == scene.pictures
    reopened.act(DestroyBody(0, 2))
    assert [picture.bodies for picture in scene_maker(reopened)().pictures] == [(2,)], "places, not ids"
    reopened.undo()
    assert len(again.dropped) == 2 and all(body.is_there for body in again.dropped)


def test_a_noisy_photograph_keeps_the_largest_size_that_fits_in_a_scene(drop, tmp_path):
    noise = np.random.default_rng(7).integers(0, 256, (640, 640, 3)).astype(np.uint8)
    pygame.image.save(pygame.surfarray.make_surface(noise), str(tmp_path / "noise.png"))
    session = Session(drop(), (0, 0, 640, 480), has_history=True)
    session.act(Drop.of(load_dropped(str(tmp_path / "noise.png"), 1.2), (0.0, 3.0)))
    (picture,) = scene_maker(session)().pictures
    assert MAX_PICTURE_BYTES // 8 < len(picture.png) <= MAX_PICTURE_BYTES
    (tmp_path / "noise.png").unlink()


BROKEN = "got one that cannot be decoded"
HOSTILE = {
    "text": (b"<svg/>", BROKEN),
    "a bit": (png()[:50] + bytes([png()[50] ^ 1]) + png()[51:], BROKEN),
    "huge": (png(100_000, 100_000, b""), "got 100000 x 100000 pixels"),
    "wide": (png(1025, 1, b""), "got 1025 x 1 pixels"),
    "empty": (png(0, 5, b""), BROKEN),
    "short": (png(9, 9, b"abc"), BROKEN),
    "filter": (png(2, 2, b"\x09" * 18), BROKEN),
    "long palette": (png(2, 2, bytes(6), 3, (b"PLTE", bytes(771))), BROKEN),
    "kind": (png(2, 2, bytes(6), 5), BROKEN),
    "large": (png(2, 2, None, 6, (b"tRNS", bytes(MAX_PICTURE_BYTES))), f"got {len(png()) + MAX_PICTURE_BYTES + 12} bytes"),
}
ODD = {
    "bomb": lambda: png(2, 2, bytes(50_000_000)),
    "no palette": lambda: png(2, 2, bytes(6), 3),
    "torn palette": lambda: png(2, 2, bytes(6), 3, (b"PLTE", bytes(5))),
    "deep": lambda: png(2, 2, bytes(34), 6, depth=16),
    "words": lambda: png(2, 2, None, 6, (b"zTXt", zlib.compress(bytes(10_000_000)))),
    "more": lambda: png(2, 2) + b"more",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_invalid_picture_is_rejected_in_one_line(name):
    content, message = HOSTILE[name]
    with pytest.raises(InvalidInputError, match="png must be a PNG picture of at most 1024 x 1024 pixels") as caught:
        check_png("png", content)
    assert message in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 250


@pytest.mark.parametrize("name", ODD)
def test_oversized_picture_data_is_not_decompressed(name):
    check_png("png", ODD[name]())
    assert _decoded(ODD[name]()).get_size() == (2, 2)


@pytest.mark.parametrize("colors", [0, 2, 4, 6])
def test_all_picture_formats_are_accepted(colors):
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colors]
    assert BodyPicture((0,), png(3, 2, bytes(2 * (1 + 3 * channels)), colors), (0, 0), (1, 1)).bodies == (0,)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"png": "not base64!"}, "pictures[0].png must be a PNG picture in base64"),
        ({"png": 7}, "pictures[0].png must be text of at most 533337 characters, got 7"),
        ({"png": "A" * 600_000}, "pictures[0].png must be text of at most 533337 characters"),
        ({"bodies": [3]}, "pictures[0].bodies must be indices of 1 bodies, from 0"),
        ({"bodies": []}, "pictures[0].bodies must be a list of at least 1, got 0"),
        ({"bodies": ["nobody"]}, "pictures[0].bodies[0] must be the name of one body (none has it)"),
        ({"upper": [0, 0]}, "pictures[0].upper must be above and right of lower"),
        ({"lower": [-1e30, 0]}, "pictures[0].lower[0] must be a number from"),
        ({"script": 1}, "pictures[0].script must be a known field (bodies, lower, upper, png)"),
    ],
)
def test_a_wrong_picture_in_a_file_is_reported_with_its_line(changes, message, tmp_path):
    picture = {"bodies": [0], "lower": [0, 0], "upper": [1, 1], "png": base64.b64encode(png()).decode()}
    disc = {"fixtures": [{"shape": {"kind": "circle", "radius": 0.5}}]}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"format": "collision scene", "version": 1, "bodies": [disc], "pictures": [picture]}, indent=1))
    assert len(load_scene(path).pictures) == 1
    path.write_text(json.dumps({"format": "collision scene", "version": 1, "bodies": [disc], "pictures": [picture | changes]}, indent=1))
    with pytest.raises(InvalidInputError) as caught:
        load_scene(path)
    assert message in str(caught.value) and "scene.json, line " in str(caught.value)


def test_the_total_size_of_pictures_is_limited():
    many = BodyPicture((0,), png(), (0, 0), (1, 1))
    with pytest.raises(InvalidInputError, match="at most 2000 bodies with a picture"):
        Scene(bodies=(BodySpec(),) * 2001, pictures=(replace(many, bodies=tuple(range(2001))),))
    with pytest.raises(InvalidInputError, match=r"pictures must be at most one per body, got several for bodies\[0\]"):
        Scene(bodies=(BodySpec(),), pictures=(many, many))
    with pytest.raises(InvalidInputError, match="at most 64 pictures in all worlds together"):
        Scene(bodies=(BodySpec(),) * 65, pictures=tuple(replace(many, bodies=(k,)) for k in range(65)))
    noise = np.random.default_rng(3).integers(0, 256, 130_000, dtype=np.uint8).tobytes()
    large = png(433, 100, b"".join(b"\0" + noise[1299 * k : 1299 * (k + 1)] for k in range(100)), 2)
    assert 8_000_000 // 64 < len(large) < MAX_PICTURE_BYTES
    with pytest.raises(InvalidInputError, match="at most 8000000 bytes in all worlds together"):
        Scene(bodies=(BodySpec(),) * 64, pictures=tuple(BodyPicture((k,), large, (0, 0), (1, 1)) for k in range(64)))
