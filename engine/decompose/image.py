"""The outline of the opaque area of a picture.

The alpha is interpolated linearly between the centers of pixels, and the contour is at the threshold: an antialiased edge is recovered to a
small fraction of a pixel.

       0    0    0    0           alpha at the centers of pixels; a row and a column of 0 around it
         .----------.              closes contours at the picture's edge: an opaque pixel at the
       0 |  1    1  | 0            edge ends half a pixel from its center, at the end of the picture
         '-----.    |
       0    0   \\ 1 | 0            y is up: row 0 is the highest
                 '--'

A picture without transparency is read as a drawing on paper: the outline is the area that differs from the single color of its border,
including inner areas, so that a letter keeps its holes. If the border has several colors (a photograph), or nothing differs, the whole
picture is the outline. A note records the choice.

Coverage of a pixel of such a drawing: at an edge its color is between the paper's and that of the adjacent ink, so the coverage is its
distance from the paper over the greatest distance in the 3 x 3 pixels around it.

       paper  rim   rim   ink      distance from the paper    0    25   150   255
         .     o     o     O       opacity                    0   1/6   0.6    1

The rim consists of pixels that share a side with paper, or with a rim pixel that is less than half covered (a slanted edge spreads over
two). Deeper pixels are solid in any color: a light area inside is not a hole. Colors within `_PAPER_GRAIN` of the paper's are paper, and
the greatest distance around counts as at least twice that, because compression changes plain colors by as much.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import finite, integer, positive
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.files import open_plain
from engine.common.limits import MAX_CONTOUR_CORNERS
from engine.decompose.outline import Outline, settled

__all__ = ["PICTURE_SUFFIXES", "Crop", "Opacity", "contour_of_opacity", "four_pixels", "opacity_threshold", "read_opacity", "read_pixels"]

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_TAIL = 4096
"""Number of bytes at the end of a PNG that must contain its last chunk: some programs append a few bytes."""
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tga", ".ico", ".ppm", ".pgm")

Crop = tuple[int, int, int, int]
"""Left, top, width, height, pixels, from the picture's upper left corner."""

Bytes = NDArray[np.uint8]
Shares = NDArray[np.float32]
_Value = TypeVar("_Value", bound=np.generic)

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TGA", "ICO", "PPM")
"""Accepted formats of Pillow. Some others start a program (EPS) or print to standard error (TIFF) when they read a file."""
_MAX_PIXELS = 4096 * 4096
"""Maximum number of pixels, which take a second: a file of a few kilobytes can claim to be a picture of gigabytes."""
_MAX_WEBP_PIXELS = 12_000_000
"""The same for a WebP: libwebp and Pillow hold four copies of it at once (measured: 256 MB for 4096 x 4096, others take 64 to 130)."""
_MAX_SIDE = 65_535
"""Maximum side, pixels: the limit of JPEG. A strip one pixel high with the maximum area takes half a gigabyte, and has no outline."""
_MAX_FILE = 64_000_000
"""Maximum file size, bytes."""
_PAPER_GRAIN = 24
"""Variation of a plain background per channel, in steps of 255, caused by JPEG of medium quality."""
_BAND = 1_000_000
"""Number of pixels processed at a time: intermediate results then take tens of megabytes instead of a gigabyte for the largest picture."""
_CONTOUR_BAND = 4 * _BAND
"""The same for the contour, which must be joined where bands meet: for noise, this takes as long as everything else."""
_RIM = 2
"""Width of a drawn edge, pixels: a slanted one crosses two pixels between paper and ink."""
_OPAQUE = 255
_WORD_STEPS = 257
"""65535 / 255: from sixteen bits to eight."""


@dataclass(frozen=True, slots=True)
class Opacity:
    """Opacity of each pixel: `alpha` float32 (height, width), 0 to 1, with row 0 at the top; the rectangle examined; notes.

    `is_whole`: figure and background cannot be distinguished, and the picture's own rectangle is the outline.
    """

    alpha: Shares
    crop: Crop | None
    notes: tuple[str, ...]
    is_whole: bool = False

    @property
    def is_hard_edged(self) -> bool:
        """True if each pixel is opaque or clear, so that the position of an edge is known to half a pixel."""
        return not bool(((self.alpha > 0.0) & (self.alpha < 1.0)).any())


def read_opacity(path: str | os.PathLike[str], crop: Iterable[int] | None = None) -> Opacity:
    """Return the opacity of a picture, or of a rectangle of it.

    Parameters
    ----------
    path : path-like
        A PNG, or another picture that Pillow reads. The first frame of an animation is used.
    crop : (left, top, width, height), optional
        Pixels; entirely inside the picture, after rotation by its EXIF orientation, if any.

    Raises
    ------
    InvalidInputError
        The file does not exist, is not a picture, is damaged or too large, or `crop` is outside the picture.
    """
    pixels, checked, notes = _read(path, crop)
    if pixels[:, :, 3].min() < _OPAQUE:
        held = np.ascontiguousarray(pixels[:, :, 3])
        del pixels
        alpha = np.divide(held, _OPAQUE, dtype=np.float32)
    else:
        alpha, note = _on_paper(pixels[:, :, :3])
        notes.append(note)
    return Opacity(alpha, checked, tuple(notes), bool(alpha.min() == 1.0))


def read_pixels(path: str | os.PathLike[str], crop: Iterable[int] | None = None) -> Bytes:
    """Return the picture, or a rectangle of it, as uint8 (height, width, 4): red, green, blue, alpha; errors as in `read_opacity`."""
    return _read(path, crop)[0]


def _read(path: str | os.PathLike[str], crop: Iterable[int] | None) -> tuple[Bytes, Crop | None, list[str]]:
    """Return the pixels, the checked crop, and notes."""
    name = os.fspath(path)
    notes: list[str] = []
    with _told_as_picture(name):
        from PIL import Image

        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > _MAX_FILE:
                raise InvalidInputError(name, f"a picture of at most {_MAX_FILE // 1_000_000} MB", Described("a larger file"))
            with Image.open(file, formats=_FORMATS) as picture:
                width, height = picture.size
                most = _MAX_WEBP_PIXELS if picture.format == "WEBP" else _MAX_PIXELS
                if width < 1 or height < 1 or width * height > most:
                    raise _too_large(name, f"{width} x {height}", most)
                if max(width, height) > _MAX_SIDE:
                    raise InvalidInputError(name, f"a picture of at most {_MAX_SIDE} pixels per side", Described(f"{width} x {height}"))
                _turn_upright(picture)
                width, height = picture.size
                checked = None if crop is None else _checked_crop(crop, width, height)
                n_frames = getattr(picture, "n_frames", 1)
                if n_frames > 1:
                    notes.append(f"It is an animation; the first of its {n_frames} frames is used.")
                pixels = _as_rgba(picture)
    if checked is not None:
        left, top, width, height = checked
        pixels = pixels[top : top + height, left : left + width]
    return pixels, checked, notes


def _turn_upright(picture: Any) -> None:
    """Rotate and mirror a photograph by its orientation (EXIF 2.3, tag 274), as every viewer does; broken tags are ignored."""
    from PIL import ImageOps

    picture.load()
    try:
        ImageOps.exif_transpose(picture, in_place=True)
    except MemoryError:
        raise
    except Exception:  # Pillow's reader can raise any exception for a broken EXIF
        return


def contour_of_opacity(alpha: Shares | FloatArray, pixels_per_metre: float, threshold: float = 0.5, name: str = "picture") -> Outline:
    """Return the outline where `alpha` exceeds the threshold, holes and all parts; the origin is the picture's lower left corner.

    Parameters
    ----------
    alpha : float32 or float64 (height, width)
        0 to 1; row 0 is the highest.
    pixels_per_metre : float
        > 0.
    threshold : float
        Greater than 0 and less than 1.
    name : str
        Name for error messages.

    Raises
    ------
    InvalidShapeError
        No pixel is more opaque than the threshold.

    References
    ----------
    contourpy's "serial" generator: marching squares, with outer lines and holes sorted out.
    """
    import shapely

    scale = positive("pixels_per_metre", pixels_per_metre)
    level = float(alpha.dtype.type(opacity_threshold(threshold)))
    height, width = alpha.shape
    _check_corners(alpha, level, name)
    x = (np.arange(width + 2) - 0.5) / scale
    y = (height + 0.5 - np.arange(height + 2)) / scale
    bands = []
    # Bands are rows of squares between the centers of pixels; each begins where the previous one ends.
    for top, end in _bands(height + 1, width + 2, _CONTOUR_BAND):
        padded = np.zeros((end - top + 1, width + 2))
        held = alpha[max(top - 1, 0) : end]
        first = int(top == 0)
        padded[first : first + len(held), 1:-1] = held
        bands.append(_contour(x, y[top : end + 1], padded, level))
    polygons = [polygon for band in bands for polygon in band]
    if not polygons:
        raise InvalidShapeError(name, f"opaque somewhere (alpha above {level:g})", Described("a fully transparent picture"))
    contour = shapely.MultiPolygon(polygons) if len(bands) == 1 else shapely.union_all(polygons)
    return Outline.from_shapely(settled(contour))


def _contour(x: FloatArray, y: FloatArray, padded: FloatArray, level: float) -> list[Any]:
    """Return polygons around the area above the level, in a rectangle of a grid."""
    import contourpy
    import shapely

    # a pixel exactly at the threshold would be a corner of four lines, or of none
    padded[padded == level] = np.nextafter(level, 0.0)
    generator = contourpy.contour_generator(x, y, padded, name="serial", fill_type=contourpy.FillType.OuterOffset)
    points, offsets = cast(tuple[list[FloatArray], list[IntArray]], generator.filled(level, np.inf))
    polygons = []
    for ring_points, ends in zip(points, offsets, strict=True):
        rings = np.split(ring_points, ends[1:-1])
        polygons.append(shapely.Polygon(rings[0], rings[1:]))
    return polygons


def _bands(height: int, width: int, n_pixels: int = _BAND) -> Iterator[tuple[int, int]]:
    """Yield the first row and the end of bands of a picture with about this many pixels each."""
    rows = max(1, n_pixels // width)
    for first in range(0, height, rows):
        yield first, min(height, first + rows)


def _check_corners(alpha: Shares | FloatArray, level: float, name: str) -> None:
    """Reject a picture whose contour has too many corners: there is one between every solid pixel and its empty neighbor."""
    solid = alpha > level
    n_corners = sum(int(np.count_nonzero(pixels != other)) for pixels, other in ((solid[1:], solid[:-1]), (solid[:, 1:], solid[:, :-1])))
    n_corners += sum(int(np.count_nonzero(side)) for side in (solid[0], solid[-1], solid[:, 0], solid[:, -1]))
    if n_corners > MAX_CONTOUR_CORNERS:
        raise InvalidShapeError(name, f"a picture whose contour has at most {MAX_CONTOUR_CORNERS} corners", Described(str(n_corners)))


def opacity_threshold(value: float) -> float:
    """Return the alpha beyond which a pixel is solid, as a float greater than 0 and less than 1."""
    level = finite("threshold", value)
    if not 0.0 < level < 1.0:
        raise InvalidInputError("threshold", "greater than 0 and less than 1", value)
    return level


def four_pixels(field: str, crop: Iterable[int]) -> Crop:
    """Return a given crop as four unchecked values."""
    try:
        left, top, width, height = crop
    except (TypeError, ValueError):
        raise InvalidInputError(field, "left, top, width, height in pixels", crop) from None
    return left, top, width, height


def _checked_crop(crop: Iterable[int], width: int, height: int) -> Crop:
    left, top, wide, high = (integer(f"crop[{k}]", number) for k, number in enumerate(four_pixels("crop", crop)))
    if not (0 <= left < left + wide <= width and 0 <= top < top + high <= height):
        requirement = f"left,top,width,height of a rectangle within the picture's {width} x {height} pixels"
        raise InvalidInputError("crop", requirement, Described(f"{left},{top},{wide},{high}"))
    return left, top, wide, high


@contextlib.contextmanager
def _told_as_picture(name: str) -> Iterator[None]:
    """Context that turns any error of Pillow's readers on a broken file into a one-line message, and silences warnings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InvalidInputError:
        raise
    except OSError as error:
        if error.strerror:
            raise InvalidInputError(name, f"a file that can be read ({error.strerror})", name) from None
        raise InvalidInputError(name, "a picture that can be read", Described(_plainly(error, name))) from None
    except MemoryError:
        raise InvalidInputError(name, "a picture that fits into memory", Described("a larger one")) from None
    except Exception as error:  # readers of a broken file can raise any exception: struct.error, SyntaxError, KeyError
        if type(error).__name__ == "DecompressionBombError":  # Pillow's own limit, ten times ours
            raise _too_large(name, "hundreds of millions") from None
        raise InvalidInputError(name, "a picture that can be read", Described(_plainly(error, name))) from None


def _too_large(name: str, size: str, most: int = _MAX_PIXELS) -> InvalidInputError:
    kind = "WebP" if most == _MAX_WEBP_PIXELS else "picture"
    return InvalidInputError(name, f"a {kind} of 1 to {most // 1_000_000} million pixels", Described(size))


def _plainly(error: Exception, name: str) -> str:
    words = str(error).partition("\n")[0]
    if _is_cut_short(name):
        return "a truncated one: its end is missing"
    if "cannot identify image file" in words:
        return "a file of another kind"
    return f"a broken one ({words or type(error).__name__})"


def _is_cut_short(name: str) -> bool:
    """Return True if a file begins like a PNG but lacks its last chunk, as after an aborted download or on a full disk."""
    with contextlib.suppress(OSError), open_plain(name) as file:
        begin = file.read(len(_PNG_SIGNATURE))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _PNG_TAIL, 0))
        return len(begin) > 1 and _PNG_SIGNATURE.startswith(begin) and b"IEND" not in file.read()
    return False


def _as_rgba(picture: Any) -> Bytes:
    """Return (height, width, 4) bytes; 16-bit, 32-bit and float grays are scaled to eight bits, which Pillow would truncate."""
    width, height = picture.size
    picture.load()
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    bands = list(_bands(height, width))
    if not picture.mode.startswith(("I", "F")):
        for first, end in bands:
            pixels[first:end] = np.asarray(picture.crop((0, first, width, end)).convert("RGBA"))
        return pixels

    def grays(band: tuple[int, int]) -> FloatArray:
        values = np.asarray(picture.crop((0, band[0], width, band[1])), dtype=np.float64)
        return np.where(np.isfinite(values), values, 0.0)

    largest = max(float(grays(band).max()) for band in bands)
    steps = _WORD_STEPS if picture.mode.startswith("I") and largest > _OPAQUE else 1.0 if largest > 1.0 else 1.0 / _OPAQUE
    clear = picture.info.get("transparency")  # the transparent gray of a PNG
    for first, end in bands:
        values = grays((first, end))
        pixels[first:end, :, :3] = np.clip(values / steps, 0, _OPAQUE).astype(np.uint8)[:, :, None]
        pixels[first:end, :, 3] = np.where(values == clear, 0, _OPAQUE) if isinstance(clear, int) else _OPAQUE
    return pixels


def _on_paper(colors: Bytes) -> tuple[Shares, str]:
    """Return the opacity of a drawing on paper of one color, or of the whole picture, and a note on the choice."""
    height, width = colors.shape[:2]
    border = np.concatenate((colors[0], colors[-1], colors[:, 0], colors[:, -1])).astype(np.int64)
    paper = np.median(border, axis=0)
    if np.abs(border - paper).max() > _PAPER_GRAIN:
        note = "It has neither transparency nor a border of one color, so the whole picture is the outline."
        return np.ones((height, width), dtype=np.float32), note
    away = np.empty((height, width), dtype=np.uint8)
    for first, end in _bands(height, width):
        away[first:end] = np.abs(colors[first:end].astype(np.int16) - np.rint(paper).astype(np.int16)).max(axis=2)
    if away.max() <= _PAPER_GRAIN:
        return np.ones((height, width), dtype=np.float32), "It has no transparency and only one color, so the whole picture is the outline."
    word = "".join(f"{round(float(channel)):02x}" for channel in paper)
    return _coverage(away), f"It has no transparency, so the color of its border, #{word}, is treated as background everywhere."


def _coverage(away: Bytes) -> Shares:
    """Return the coverage of each pixel, 0 to 1, from the distance of its color to the background's, in steps of 255."""
    greatest = np.maximum(_greatest_around(away), 2 * _PAPER_GRAIN)
    share: Shares = np.divide(away, greatest, dtype=np.float32)
    del greatest
    np.minimum(share, np.float32(1.0), out=share)
    thin = away <= _PAPER_GRAIN
    for _ in range(_RIM):
        rim = _with_sides(thin)
        thin |= rim & (share < 0.5)
    share[~rim] = 1.0
    return share


def _with_sides(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the chosen pixels and those that share a side with one, but not only a corner, where one-pixel lines would leak."""
    dilated = chosen.copy()
    dilated[1:] |= chosen[:-1]
    dilated[:-1] |= chosen[1:]
    dilated[:, 1:] |= chosen[:, :-1]
    dilated[:, :-1] |= chosen[:, 1:]
    return dilated


def _greatest_around(values: NDArray[_Value]) -> NDArray[_Value]:
    """Return the maximum of the 3 x 3 pixels around each, ignoring those outside the picture."""
    greatest = values.copy()
    np.maximum(greatest[1:], values[:-1], out=greatest[1:])
    np.maximum(greatest[:-1], values[1:], out=greatest[:-1])
    across = greatest.copy()
    np.maximum(across[:, 1:], greatest[:, :-1], out=across[:, 1:])
    np.maximum(across[:, :-1], greatest[:, 1:], out=across[:, :-1])
    return across
