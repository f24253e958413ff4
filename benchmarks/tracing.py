"""Tracing costs nothing when it is off: kernels as they are, without a trace, against the same sources without
any tracing code; and what a trace costs where there is one.

The other source is made here: of a kernel's module, and of all that it imports which record, the calls of `record` and whatever is done for
a trace alone (``if trace is not None``) are cut out of the syntax tree, and what is left is compiled beside the first. So both sides differ
in nothing else. Nothing of it is kept on disk.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.measuring import Record, record, seconds_in_turn
from benchmarks.moving_boxes import SCENES
from benchmarks.pairs import make_pairs
from benchmarks.time_of_impact import TURN, make_sweeps
from engine.common import jit
from engine.common._record_kernel import TRACE_WIDTH
from engine.common.arrays import FloatArray
from engine.geometry import Polygon
from engine.narrowphase.batched import IN_ORDER, poses_with_rotation, traced_rows
from engine.narrowphase.rules import EXACT
from engine.narrowphase.scratch import core_of
from engine.query.batch import ShapeBatch

__all__ = ["run", "silenced"]

_RECORDER = "engine.common._record_kernel"
_PREFIX = "silent_"

_Call = Callable[[ModuleType, FloatArray | None], Any]
"""Runs the kernel of a module, the one that is there or the silent one, with a trace or none, and returns its answer."""


class _Silencer(ast.NodeTransformer):
    """Takes out calls of `record`, and blocks that run with a trace only."""

    def visit(self, node: ast.AST) -> Any:
        """Transform what is in a node, then the node; a block that is left with nothing passes."""
        self.generic_visit(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "record":
            return None
        if isinstance(node, ast.If) and _needs_trace(node.test) and not node.orelse:
            return None
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node


def _needs_trace(test: ast.expr) -> bool:
    """Return whether a condition holds with a trace only."""
    all_of = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(ast.unparse(condition) == "trace is not None" for condition in all_of)


def _tells(name: str) -> bool:
    """Return whether a module of kernels records, or imports one that does."""
    if not (name.startswith("engine.") and name.endswith("_kernel")) or name == _RECORDER:
        return False
    imported = [node.module for node in ast.walk(_parsed(name)) if isinstance(node, ast.ImportFrom) and node.module is not None]
    return _RECORDER in imported or any(map(_tells, imported))


def _parsed(name: str) -> ast.Module:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"), spec.origin)


def silenced(name: str) -> ast.Module:
    """Return the syntax tree of a module without its tracing code."""
    module: ast.Module = _Silencer().visit(_parsed(name))
    return module


def silent(name: str) -> ModuleType:
    """Return the kernel module of that name without its tracing code."""
    own = _PREFIX + name.replace(".", "_")
    if own in sys.modules:
        return sys.modules[own]
    source = silenced(name)
    for node in ast.walk(source):
        if isinstance(node, ast.ImportFrom) and node.module is not None and _tells(node.module):
            node.module = silent(node.module).__name__
    module = ModuleType(own)
    sys.modules[own] = module
    origin = importlib.util.find_spec(name).origin  # type: ignore[union-attr]
    with patch.object(jit, "_module_cache", lambda _: None):  # its machine code is not that of the file it is made of
        exec(compile(ast.fix_missing_locations(source), origin or name, "exec"), module.__dict__)
    return module


def _asked_distances(n: int) -> _Call:
    """Return a call that computes the distances of n pairs of nearby polygons."""
    shapes = [core_of(Polygon.regular(corners, 0.7)) for corners in (5, 6)]
    angles = np.linspace(0.0, 40.0, n)
    poses = np.column_stack((1.2 * np.cos(angles), 1.2 * np.sin(angles), np.cos(3.0 * angles), np.sin(3.0 * angles)))
    drivers: dict[str, Any] = {}

    def call(kernels: ModuleType, trace: FloatArray | None) -> Any:
        if kernels.__name__ not in drivers:
            drivers[kernels.__name__] = _all_distances(kernels.distance_one)
        return drivers[kernels.__name__](*shapes, poses, trace)

    return call


def _all_distances(distance_one: Any) -> Any:
    def distances(a: Any, b: Any, poses: FloatArray, trace: FloatArray | None) -> FloatArray:
        distances, simplex = np.empty(poses.shape[0]), np.zeros(7, dtype=np.int64)
        for k in range(poses.shape[0]):
            simplex[0] = 0
            if trace is not None:
                trace[0, 0] = 0.0
            answer = distance_one(
                False, a + (0.0, 0.0, 1.0, 0.0), b + (poses[k, 0], poses[k, 1], poses[k, 2], poses[k, 3]), simplex, trace
            )  # fmt: skip
            distances[k] = answer[2]
        return distances

    with patch.object(jit, "_module_cache", lambda _: None):
        return jit.kernel(distances)


def _asked_manifolds(n: int) -> _Call:
    cases = make_pairs("polygons", n)
    packed = ShapeBatch(cases.shapes).packed
    poses = poses_with_rotation(cases.poses_a), poses_with_rotation(cases.poses_b)
    rows = traced_rows(packed, cases.pairs, *poses, EXACT, None)

    def call(kernels: ModuleType, trace: FloatArray | None) -> Any:
        kernels.manifold_pairs(packed.arrays, cases.pairs, *poses, EXACT, rows.arrays, IN_ORDER, trace)
        return rows.points

    return call


def _asked_impacts(n: int) -> _Call:
    cases = make_pairs("polygons", n)
    packed, start_end = ShapeBatch(cases.shapes).packed, make_sweeps(cases, TURN)
    centers = np.zeros((n, 2))
    sweeps = (*start_end[:2], centers, *start_end[2:], centers)
    columns = np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n, dtype=np.int64)

    def call(kernels: ModuleType, trace: FloatArray | None) -> Any:
        kernels.times_of_impact(packed.arrays, cases.pairs, sweeps, 1.0, kernels.ADVANCEMENT, False, columns, trace)
        return columns[1]

    return call


def _inserted_leaves(n: int) -> _Call:
    boxes = SCENES["uniform"](n).boxes

    def call(kernels: ModuleType, trace: FloatArray | None) -> Any:
        nodes, links, heights = np.zeros((2 * n, 4)), np.zeros((2 * n, 3), dtype=np.int64), np.zeros(2 * n, dtype=np.int64)
        kernels.insert_leaves(np.arange(n), boxes, 0.1, nodes, links, heights, np.array((-1, -1, 1)), trace)
        return nodes

    return call


_ASKED: dict[str, tuple[str, Callable[[int], _Call], int]] = {
    "distance of two polygons": ("engine.narrowphase._distance_kernel", _asked_distances, 2_000),
    "manifold of two polygons": ("engine.narrowphase._manifold_kernel", _asked_manifolds, 2_000),
    "time of impact of two polygons": ("engine.continuous._impact_kernel", _asked_impacts, 2_000),
    "insertion into the dynamic tree": ("engine.broadphase._dynamic_tree_kernel", _inserted_leaves, 2_000),
}
"""By name: the module, what is asked of it, how many."""

_ROWS_EACH = 200
"""Room in the trace for each."""

_REPEATS = 10
"""Calls that are timed together."""


def run(quick: bool = False) -> list[Record]:
    """Time each kernel in turn without a trace, without any tracing code, and with a trace."""
    return [row for name in _ASKED for row in _measured(name, quick)]


def _measured(name: str, quick: bool) -> list[Record]:
    module, make_call, most = _ASKED[name]
    n, rounds = (100, 3) if quick else (most, 41)
    call, ours, bare = make_call(n), importlib.import_module(module), silent(module)
    trace = np.zeros((_ROWS_EACH * n, TRACE_WIDTH))

    def ask(kernels: ModuleType, recording: FloatArray | None) -> None:
        for _ in range(_REPEATS):
            trace[0, 0] = 0.0
            call(kernels, recording)

    answer = call(ours, None).copy()
    assert np.array_equal(answer, call(bare, None), equal_nan=True) and np.array_equal(answer, call(ours, trace), equal_nan=True)
    n_rows = trace[0, 0] / (1 if make_call is _asked_distances else n)  # a distance begins its trace anew
    calls = {"ours": lambda: ask(ours, None), "bare": lambda: ask(bare, None), "traced": lambda: ask(ours, trace)}
    times = seconds_in_turn(calls, rounds)
    each = {side: [total / (_REPEATS * n) for total in seconds] for side, seconds in times.items()}
    note = f"{n:,} calls, bit-identical results"
    return [
        record(name, "us", each["ours"], each["bare"], "without any tracing code", note),
        record(f"  {name}, traced", "us", each["traced"], each["ours"], "without tracing", f"about {n_rows:.0f} rows each"),
    ]
