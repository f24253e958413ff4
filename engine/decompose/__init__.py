"""Conversion of pictures and drawings to convex pieces: trace an outline, simplify it, decompose it, and save the body.

The libraries that this needs are imported when the first file is read, not here.
"""

from engine.decompose.body_file import BodyFile, body_as_json, body_from_json, body_of_file, load_body, save_body
from engine.decompose.outline import Outline, Part, signed_area
from engine.decompose.repair import repaired
from engine.decompose.simplify import simplified
from engine.decompose.tracing import Picture, Tracing, outline_of_image, outline_of_svg, trace_file

__all__ = [
    "BodyFile",
    "Outline",
    "Part",
    "Picture",
    "Tracing",
    "body_as_json",
    "body_from_json",
    "body_of_file",
    "load_body",
    "outline_of_image",
    "outline_of_svg",
    "repaired",
    "save_body",
    "signed_area",
    "simplified",
    "trace_file",
]
