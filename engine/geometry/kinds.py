"""The kinds of shapes, as integers for kernels.

=========  =======================  ==================================  ==============================
kind       core                     radius around the core              skin: what of it is no surface
=========  =======================  ==================================  ==============================
CIRCLE     its center               its own                             none
POLYGON    its corners              its skin                            all of it
CAPSULE    two points (one where    its own                             none
           they are the same)
SEGMENT    as a capsule             its skin                            all of it
=========  =======================  ==================================  ==============================
"""

from __future__ import annotations

__all__ = ["CAPSULE", "CIRCLE", "POLYGON", "SEGMENT"]

CIRCLE = 0
POLYGON = 1
CAPSULE = 2
SEGMENT = 3
