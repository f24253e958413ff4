"""Pictures of bodies in a scene file. They are base64-encoded PNGs, each drawn in a box in the body's frame.

    "pictures": [{"bodies": ["star"], "lower": [-0.5, -0.5], "upper": [0.5, 0.5], "png": "iVBORw0KGgo..."}]

The file is untrusted, so a picture's size is checked before Pillow decodes it; only Pillow decodes it later, too.
"""

from __future__ import annotations

import base64
import binascii
import io
import struct
from collections.abc import Mapping
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
_HEADER_BYTES = 24
"""Bytes up to and including width and height."""


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
    """Check that bytes are a PNG within the limits of a scene, by decoding it.

    Raises
    ------
    InvalidInputError
        They are not; the message names the limit.
    """
    from PIL import Image

    size = f"{MAX_PICTURE_SIDE} x {MAX_PICTURE_SIDE} pixels and {MAX_PICTURE_BYTES} bytes"
    requirement = f"a PNG picture of at most {size}"
    if len(content) > MAX_PICTURE_BYTES:
        raise InvalidInputError(field, requirement, Described(f"{len(content)} bytes"))
    width, height = struct.unpack_from(">II", content.ljust(_HEADER_BYTES), _HEADER_BYTES - 8)
    if content.startswith(_SIGNATURE) and max(width, height) > MAX_PICTURE_SIDE:
        raise InvalidInputError(field, requirement, Described(f"{width} x {height} pixels"))
    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as picture:
            picture.load()
    except Exception:  # Pillow raises many types for damaged files
        raise InvalidInputError(field, requirement, Described("one that cannot be decoded")) from None
