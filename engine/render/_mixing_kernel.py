"""A colour over another, in the pixel of a surface: 32 bits, of which the lower 24 are red, green and blue, in whatever order.

Two of the three bytes are mixed in one multiplication, as there are eight bits of room after each::

    0x00RR00BB * share  =  0xRRrrBBbb       the upper byte of each is what the mixture is, the lower one is rounded away
    0x0000GG00 * share  =  0x00GGgg00

Source: the two halves of a word as two numbers: L. Lamport, "Multiple byte processing with full-word instructions", CACM 18, 1975.
"""

from __future__ import annotations

from engine.common.jit import inlined_kernel

__all__ = ["WHOLE", "mixed"]

WHOLE = 256
OUTER_BYTES, MIDDLE_BYTE = 0xFF00FF, 0x00FF00
"""Of a pixel: red, green, blue, in whatever order; the fourth byte becomes 0."""
OUTER_HALVES, MIDDLE_HALF = 0x800080, 0x008000
"""Half of the last place, so that what is cut off is rounded."""


@inlined_kernel
def mixed(ground: int, shade: int, share: int) -> int:
    """Return a pixel of which `shade` takes so many 256ths: two bytes in one multiplication, with eight bits of room after each."""
    keep = WHOLE - share
    outer = ((ground & OUTER_BYTES) * keep + (shade & OUTER_BYTES) * share + OUTER_HALVES) >> 8
    middle = ((ground & MIDDLE_BYTE) * keep + (shade & MIDDLE_BYTE) * share + MIDDLE_HALF) >> 8
    return (outer & OUTER_BYTES) | (middle & MIDDLE_BYTE)
