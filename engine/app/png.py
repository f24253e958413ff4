"""A picture as the content of a PNG file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pygame

__all__ = ["png_bytes"]


def png_bytes(surface: pygame.Surface) -> bytes:
    """Return a surface as the content of a PNG file.

    Pillow makes it: pygame-ce 2.5.8 never lets go of an object that it has saved into, nor of all that was written there, and of a file
    on a full disk it writes half and says nothing.
    """
    import pygame
    from PIL import Image

    mode: Literal["RGB", "RGBA"] = "RGBA" if surface.get_flags() & pygame.SRCALPHA else "RGB"
    content = io.BytesIO()
    Image.frombytes(mode, surface.get_size(), pygame.image.tobytes(surface, mode)).save(content, "PNG")
    return content.getvalue()
