"""Pictures of bodies in a scene file. They are base64-encoded PNGs, each drawn in a box in the body's frame.

    "pictures": [{"bodies": ["star"], "lower": [-0.5, -0.5], "upper": [0.5, 0.5], "png": "iVBORw0KGgo..."}]

The file is untrusted, so a picture's size, the checksums of its chunks, and the exact size of its decompressed pixels are checked before
the picture is decoded. Text, color profiles and animations, which can decompress to any size, are rejected.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.common.checks import point
from engine.common.errors import Described, InvalidInputError
from engine.common.limits import MAX_COORDINATE

__all__ = [
    "MAX_ALL_PICTURE_BYTES",
    "MAX_PICTURED_BODIES",
    "MAX_PICTURES",
    "MAX_PICTURE_BYTES",
    "MAX_PICTURE_SIDE",
    "BodyPicture",
    "check_png",
    "png_of",
]

MAX_PICTURE_SIDE = 1024
"""Maximum width and height, pixels. A body on the screen is smaller than this."""
MAX_PICTURE_BYTES = 400_000
"""Maximum size of an encoded picture, bytes; a photograph of 320 x 320 pixels takes 250,000 bytes."""
MAX_ALL_PICTURE_BYTES = 8_000_000
"""Maximum total size of the encoded pictures of a scene, bytes, so that they fit into its file with the bodies."""
MAX_PICTURES = 64
"""Maximum number of pictures in a scene. All of them are kept decoded, which takes 100 MB if they have the maximum size."""
MAX_PICTURED_BODIES = 2_000
"""Maximum number of bodies with a picture in a scene, because each picture is rotated and scaled for display."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Bytes per pixel by PNG color type: gray, RGB, palette, gray with alpha, RGBA."""
_PALETTE = 3
_MAX_PALETTE_BYTES = 3 * 256
"""Maximum size of a palette, bytes; each color takes three."""
_FILTERS = 4
_CHUNKS = frozenset({b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD", b"pHYs", b"tIME"})
"""Chunks allowed between header and pixels. They are small or have a fixed size."""


@dataclass(frozen=True, slots=True)
class BodyPicture:
    """Picture of one or more bodies.

    Parameters
    ----------
    bodies : sequence of int
        Indices of bodies in a scene, or ids in a world.
    png : bytes
    lower, upper : pair of float
        Corners of the box that the picture fills, in each body's frame, meters.

    Raises
    ------
    InvalidInputError
        The box or `bodies` is empty, or `check_png` rejects the picture.
    """

    bodies: tuple[int, ...]
    png: bytes
    lower: tuple[float, float]
    upper: tuple[float, float]

    def __post_init__(self) -> None:
        bodies = tuple(self.bodies)
        if not bodies or any(not isinstance(body, int) or isinstance(body, bool) or body < 0 for body in bodies):
            raise InvalidInputError("bodies", "at least one index of a body, from 0", self.bodies)
        lower, upper = point("lower", self.lower, "m"), point("upper", self.upper, "m")
        if not (lower[0] < upper[0] and lower[1] < upper[1]):
            raise InvalidInputError("upper", f"above and right of lower {lower}", upper)
        if max(map(abs, (*lower, *upper))) > MAX_COORDINATE:
            raise InvalidInputError("upper", f"numbers from {-MAX_COORDINATE:g} to {MAX_COORDINATE:g} m, as lower", upper)
        check_png("png", self.png)
        for name, value in (("bodies", bodies), ("lower", lower), ("upper", upper)):
            object.__setattr__(self, name, value)

    def as_json(self, names: Mapping[int, str | int]) -> dict[str, Any]:
        """Return the picture as plain data for a file; `names` maps its bodies to names or indices."""
        text = base64.b64encode(self.png).decode("ascii")
        return {"bodies": [names[body] for body in self.bodies], "lower": list(self.lower), "upper": list(self.upper), "png": text}


def png_of(text: str) -> bytes:
    """Decode a picture's base64 text from a file; the bytes may not be a PNG."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInputError("png", "a PNG picture in base64", Described("something else")) from None


def check_png(field: str, content: bytes) -> None:
    """Check that bytes are a complete, non-interlaced PNG with 8 bits per channel, within the limits of a scene.

    Raises
    ------
    InvalidInputError
        They are not; the message names the limit.
    """

    def refuse(found: str) -> InvalidInputError:
        size = f"{MAX_PICTURE_SIDE} x {MAX_PICTURE_SIDE} pixels and {MAX_PICTURE_BYTES} bytes"
        requirement = f"a PNG picture of at most {size}, 8 bits per channel, not interlaced"
        return InvalidInputError(field, requirement, Described(found))

    if not isinstance(content, bytes) or content[: len(_SIGNATURE)] != _SIGNATURE:
        raise refuse("something else")
    if len(content) > MAX_PICTURE_BYTES:
        raise refuse(f"{len(content)} bytes")
    at, expected, pixels = len(_SIGNATURE), -1, []
    kind, colors, has_palette, width = b"", 0, False, 0
    while kind != b"IEND":
        if at + 12 > len(content):
            raise refuse("one that is cut off")
        length, kind = struct.unpack_from(">I4s", content, at)
        body, end = content[at + 8 : at + 8 + length], at + 12 + length
        if end > len(content):
            raise refuse("one that is cut off")
        if zlib.crc32(content[at + 4 : end - 4]) != struct.unpack_from(">I", content, end - 4)[0]:
            raise refuse("a damaged one")
        if (kind == b"IHDR") != (expected < 0) or (kind == b"IHDR" and length != 13):
            raise refuse("a damaged one")
        if kind == b"IHDR":
            width, height, depth, colors, packing, filtering, interlaced = struct.unpack(">IIBBBBB", body)
            if not (1 <= width <= MAX_PICTURE_SIDE and 1 <= height <= MAX_PICTURE_SIDE):
                raise refuse(f"{width} x {height} pixels")
            if depth != 8 or colors not in _CHANNELS or packing or filtering or interlaced:
                raise refuse(f"one of kind {colors} with {depth} bits per channel{', interlaced' if interlaced else ''}")
            expected = height * (1 + width * _CHANNELS[colors])
        elif kind == b"IDAT":
            pixels.append(body)
        elif kind not in _CHUNKS and kind != b"IEND":
            raise refuse(f"one with {kind.decode('ascii', 'replace')!r} in it")
        if kind == b"PLTE" and (length % 3 or not 0 < length <= _MAX_PALETTE_BYTES):
            raise refuse("a damaged one")
        has_palette |= kind == b"PLTE"
        at = end
    if at != len(content) or (colors == _PALETTE and not has_palette):
        raise refuse("a damaged one")
    _check_pixels(b"".join(pixels), expected, 1 + width * _CHANNELS[colors], refuse)


def _check_pixels(packed: bytes, expected: int, row: int, refuse: Callable[[str], InvalidInputError]) -> None:
    """Decompress at most the expected size, and check the filter number at the beginning of each row."""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(packed, expected + 1)
    except zlib.error:
        raise refuse("a damaged one") from None
    if len(unpacked) != expected or max(unpacked[::row]) > _FILTERS:
        raise refuse("one with a wrong number of pixels" if len(unpacked) != expected else "a damaged one")
