"""The trace of a manifold: what was tried and done, in order, in an array of the caller's.

A row is one step, its kind first; what a step has none of is NaN, and rows that were not needed stay NaN::

    kind       side          number                         value                        x0 y0, x1 y1
    TRIED      whose edge    edge                           its separation               the edge (the nearest points, where side is -1)
    REFERENCE  whose edge    edge                           its separation               the edge
    INCIDENT   whose edge    edge                           cosine to the reference edge the edge
    CLIPPED    whose plane   reference vertex it is at      ends left: 2, 1 or 0         what is left of the incident edge
    POINT      1 kept, 0 not feature id, NaN where not kept gap along the normal         the end, and the point midway

Without a trace, None, the compiler makes kernels in which none of this is left: the question costs what it cost before.

Sides are 0 for A, 1 for B, -1 for neither: two centres, or two corners. While the kernels run, coordinates are those of the frame they
work in; the chapter turns them to the world's.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["CLIPPED", "INCIDENT", "MANIFOLD_TRACE_WIDTH", "POINT", "REFERENCE", "TRIED", "record", "record_edge"]

TRIED, REFERENCE, INCIDENT, CLIPPED, POINT = 0.0, 1.0, 2.0, 3.0, 4.0

MANIFOLD_TRACE_WIDTH = 8
"""Numbers of a row."""


@kernel
def _write(
    trace: FloatArray, kind: float, side: float, number: float, value: float, x0: float, y0: float, x1: float, y1: float
) -> None:  # fmt: skip
    at = 0
    while at < trace.shape[0] and not np.isnan(trace[at, 0]):
        at += 1
    if at < trace.shape[0]:
        trace[at, 0], trace[at, 1], trace[at, 2], trace[at, 3] = kind, side, number, value
        trace[at, 4], trace[at, 5], trace[at, 6], trace[at, 7] = x0, y0, x1, y1


@inlined_kernel
def record(
    trace: FloatArray | None, kind: float, side: float, number: float, value: float, x0: float, y0: float, x1: float, y1: float
) -> None:  # fmt: skip
    """Write a step to the first free row of `trace`, if there is one."""
    if trace is not None:
        _write(trace, kind, side, number, value, x0, y0, x1, y1)


@inlined_kernel
def record_edge(trace: FloatArray | None, kind: float, side: float, vertices: FloatArray, edge: int, value: float) -> None:
    """Write a step that is about an edge."""
    if trace is not None:
        after = (edge + 1) % vertices.shape[0]
        x0, y0, x1, y1 = vertices[edge, 0], vertices[edge, 1], vertices[after, 0], vertices[after, 1]
        _write(trace, kind, side, float(edge), value, x0, y0, x1, y1)
