"""Time the way from a sprite's file to convex fixtures by stages: reading and contour, repair, simplification, decomposition."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.measuring import Record, record
from engine.decompose import trace_file
from engine.decompose.decompose import decompose
from sprites.figure_outline import PICTURE, PIXELS_PER_METRE

__all__ = ["run"]

_SIDE = 256
_FRAME = (0, 0, 408, 432)


def run(quick: bool = False) -> list[Record]:
    """Time the standing frame of the bird, and a sprite of 256 x 256 pixels that is drawn here; all kernels are compiled before."""
    rounds = 3 if quick else 25
    records = []
    with tempfile.TemporaryDirectory() as folder:
        sprite = Path(folder) / "sprite.png"
        Image.fromarray(_sprite()).save(sprite)
        for title, path, scale, crop in (("256 x 256 sprite", sprite, 100.0, None), ("bird, 408 x 432", PICTURE, PIXELS_PER_METRE, _FRAME)):
            times: dict[str, list[float]] = {}
            for number in range(rounds + 1):
                started = time.thread_time()
                tracing = trace_file(path, scale, crop=crop)
                traced = time.thread_time()
                pieces = decompose(tracing.outline).pieces
                ended = time.thread_time()
                if number > 0:  # the first round loads libraries and kernels
                    stages = {"whole": ended - started, **tracing.seconds, "decompose": ended - traced}
                    for stage, seconds in stages.items():
                        times.setdefault(stage, []).append(seconds)
            outline = tracing.outline
            note = f"{tracing.contour.n_vertices} vertices, {outline.n_vertices} within 5 mm, {len(pieces)} pieces"
            records += [record(f"trace {title}, {stage}", "ms", seconds, note=note) for stage, seconds in times.items()]
    return records


def _sprite() -> np.ndarray:
    """A wavy figure with two holes and soft edges, of three colors: alpha falls from 1 to 0 within a pixel."""
    at = np.arange(_SIDE) - 0.5 * (_SIDE - 1)
    x, y = at[None, :], at[:, None]
    turn, away = np.arctan2(y, x), np.hypot(x, y)
    depth = 96.0 + 14.0 * np.cos(5.0 * turn) + 8.0 * np.sin(11.0 * turn) - away
    for left, top in ((-34.0, -24.0), (30.0, 18.0)):
        depth = np.minimum(depth, np.hypot(x - left, y - top) - 16.0)
    pixels = np.zeros((_SIDE, _SIDE, 4), dtype=np.uint8)
    pixels[:, :, 0], pixels[:, :, 1], pixels[:, :, 2] = 200, np.clip(90 + x, 0, 255), np.clip(120 + y, 0, 255)
    pixels[:, :, 3] = np.round(255.0 * np.clip(depth + 0.5, 0.0, 1.0))
    return pixels
