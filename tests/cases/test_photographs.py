"""Photographs that record the orientation of the camera (issue 29): EXIF 2.3, tag 274."""

from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image

from engine.app.dropped_picture import picture_of
from engine.app.files.opening import load_dropped
from engine.decompose import trace_file
from engine.decompose.image import read_pixels

PHOTO = Path(__file__).parent / "16-photo-turned" / "in.jpg"
UPRIGHT = {
    1: lambda shown: shown,
    2: lambda shown: shown[:, ::-1],
    3: lambda shown: shown[::-1, ::-1],
    4: lambda shown: shown[::-1],
    5: lambda shown: shown.transpose(1, 0, 2),
    6: lambda shown: np.rot90(shown, 1),
    7: lambda shown: shown[::-1, ::-1].transpose(1, 0, 2),
    8: lambda shown: np.rot90(shown, -1),
}
"""Map from orientation tag to the stored pixels: the tag names the sides that row 0 and column 0 of the file are."""


def test_a_photograph_has_the_orientation_that_viewers_show():
    tracing = trace_file(PHOTO)
    (left, bottom), (right, top) = tracing.outline.aabb.lower, tracing.outline.aabb.upper
    assert (right - left, top - bottom) == pytest.approx((0.61, 1.61), abs=0.005)
    (left, bottom), (right, top) = tracing.picture.lower, tracing.picture.upper
    assert (right - left, top - bottom) == pytest.approx((1.0, 2.0))


def test_the_window_draws_it_in_the_traced_orientation():
    shown = picture_of(load_dropped(str(PHOTO), 1.0))
    width, height = shown.get_size()
    assert height == 2 * width


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
@pytest.mark.parametrize("orientation", UPRIGHT)
def test_all_eight_orientations(tmp_path, suffix, orientation):
    shown = np.zeros((40, 24, 3), dtype=np.uint8)
    shown[:16, :8], shown[:16, 8:] = (250, 0, 0), (0, 250, 0)  # red in the upper left corner, green beside it
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    path = tmp_path / f"photo{suffix}"
    how = {"lossless": True} if suffix == ".webp" else {}
    Image.fromarray(np.ascontiguousarray(UPRIGHT[orientation](shown))).save(path, exif=exif, **how)
    pixels = read_pixels(path)
    assert pixels.shape == (40, 24, 4)
    for row, column in ((4, 3), (4, 16), (28, 12)):
        assert np.abs(pixels[row, column, :3].astype(int) - shown[row, column]).max() < 40
    assert np.array_equal(read_pixels(path, (8, 0, 16, 10)), pixels[:10, 8:])


@pytest.mark.parametrize("exif", [b"", b"Exif\0\0", b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12", b"Exif\0\0XX" + b"\xff" * 40, b"\xff" * 60])
@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
def test_invalid_exif_is_ignored(tmp_path, suffix, exif):
    path = tmp_path / f"photo{suffix}"
    Image.new("RGB", (20, 30), (9, 9, 9)).save(path, exif=exif)
    assert read_pixels(path).shape == (30, 20, 4)


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_an_unknown_orientation_is_ignored(tmp_path, value):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = value
    Image.new("L", (20, 30), 9).save(tmp_path / "photo.jpg", exif=exif)
    assert read_pixels(tmp_path / "photo.jpg").shape == (30, 20, 4)
