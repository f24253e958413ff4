"""A kept moment of a demo in a fifth of its memory: most of what it refers to belongs to that moment alone, and is packed.

`capture` holds on to whatever never changes, and half of that was made in the step before: contacts, manifolds, impulses, motion. When the
next moment has been kept, it is known what the two share; that stays where it is, once for all moments. The rest goes into one pickle,
compressed: read-only arrays, tuples, frozen sets, numbers, strings, and frozen dataclasses of such. Anything else is still referred to, as
it was: what is packed comes back as a copy, which must make no difference.

    moment k        [pickle: its own attributes] --> contacts of step k    --> packed
                                                 --> specifications  <----- moment k + 1: not packed
                                                 --> stages, worlds, functions: never packed

Arrays are packed by their columns (`engine.history.columns`). Of the contacts only that is packed which does not follow from the rest
(`engine.world.solver.Solver.packed_contacts`), of the pairs that touch only those of which the contacts tell something else.

An array comes back with the same bits, the same order of its elements in memory (a sum over rows depends on it), and read-only where it
was. All this takes ten milliseconds of a thousand bodies, and is done in slices of one or two.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.contracts import StepContacts
from engine.history.capture import CapturedState, snapshot_arrays
from engine.history.columns import Choices, ColumnReader, ColumnWriter
from engine.world import FixtureSpec, WorldSnapshot, load_solver
from engine.world.snapshot import SolverState

__all__ = ["CompactState", "compact", "compacting"]

_LEVEL = 1
_FEW_ROWS = 64
"""Arrays of fewer stand in the pickle as they are."""
_ATOMS = frozenset({int, float, bool, str, bytes, complex, type(None), tuple, frozenset})
_REFERENCE_BYTES = 8
_OVERHEAD = 300
"""Bytes of the objects around: two tuples, a bytes, this object, an entry of a dictionary."""


class CompactState:
    """A moment, packed; `whole` unpacks it."""

    __slots__ = ("_columns", "_content", "_references")

    def __init__(self, content: bytes, columns: bytes, references: tuple[Any, ...]) -> None:
        self._content = content
        self._columns = columns
        self._references = references

    @property
    def n_bytes(self) -> int:
        """What it takes beyond what it shares with other moments."""
        return len(self._content) + len(self._columns) + _REFERENCE_BYTES * len(self._references) + _OVERHEAD

    def whole(self) -> CapturedState:
        """Return what was packed."""
        file, columns = io.BytesIO(zlib.decompress(self._content)), ColumnReader(self._columns)
        arrays = []
        for dtype, shape, is_rows, is_writeable, layout in pickle.load(file):
            array = columns.read(layout, self._references[dtype], shape, is_rows)
            array.flags.writeable = is_writeable
            arrays.append(array)
        worlds, content, references, n_in_place, stages = _Unpacker(file, self._references, arrays).load()
        return CapturedState(content, references, n_in_place, worlds, stages)


def compact(state: CapturedState, other: CapturedState) -> CompactState:
    """Pack a moment; what `other` holds too, which stays as it is, is referred to."""
    return next(packed for packed in compacting(state, other) if packed is not None)


def compacting(state: CapturedState, other: CapturedState, choices: Choices | None = None) -> Iterator[CompactState | None]:
    """Do the same in slices, with None after each but the last, and the packed moment then; `choices` are those of moments before."""
    file = io.BytesIO()
    packer = _Packer(file, state, other)
    yield from packer.pack_contacts()
    packer.dump((state.worlds, state.content, state.references, state.n_in_place, state.stages))  # worlds first: motion tells the most
    yield None
    writer, layouts = ColumnWriter(choices), []
    for array in packer.arrays:
        layout = yield from writer.write(array)
        is_rows, is_writeable = bool(array.flags.c_contiguous), bool(array.flags.writeable)
        layouts.append((packer.refer(array.dtype), array.shape, is_rows, is_writeable, layout))
    content = zlib.compress(pickle.dumps(layouts, pickle.HIGHEST_PROTOCOL) + file.getvalue(), _LEVEL)
    yield CompactState(content, writer.content(), tuple(packer.references))


class _Packer(pickle.Pickler):
    """Pickles by value what is plain, and refers to everything else."""

    def __init__(self, file: io.BytesIO, state: CapturedState, other: CapturedState) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.references: list[Any] = []
        self.arrays: list[NDArray[Any]] = []
        """Packed by their columns, beside the pickle."""
        self._at: dict[int, int] = {}
        self._shared = {id(thing) for thing in other.references}
        for _, snapshot in other.worlds:
            self._shared.update(map(id, _shareable(snapshot)))
        self._is_plain: dict[type, bool] = {type(state.references[0]): False}
        self._left: dict[int, dict[str, Any]] = {}
        """By the contacts they are left of."""
        self._contacts = {id(snapshot.contacts): snapshot for _, snapshot in state.worlds}
        self._own = {id(array) for _, snapshot in state.worlds for array in snapshot_arrays(snapshot)}
        """Arrays that could be written to, and are not: they belong to the snapshot."""

    def persistent_id(self, thing: Any) -> int | None:
        kind = type(thing)
        if kind in _ATOMS and id(thing) not in self._shared:
            return None
        at = self._at.get(id(thing))
        if at is not None:
            return at
        if id(thing) in self._shared or not self._can_be_packed(thing, kind):
            return self.refer(thing)
        if kind is not np.ndarray or not thing.ndim or len(thing) < _FEW_ROWS:
            return None
        self.arrays.append(thing)
        at = self._at[id(thing)] = -len(self.arrays)
        return at

    def pack_contacts(self) -> Iterator[None]:
        """Find what of each world's contacts must be packed, one world in a slice: before all is dumped."""
        for thing, snapshot in self._contacts.items():
            self._left[thing] = dict(load_solver(snapshot.solver).packed_contacts(snapshot))
            yield None

    def refer(self, thing: Any) -> int:
        """Return by which number a thing is referred to."""
        at = self._at.get(id(thing))
        if at is None:
            at = self._at[id(thing)] = len(self.references)
            self.references.append(thing)
        return at

    def reducer_override(self, thing: Any) -> Any:
        """Take apart a small array or a dataclass: `persistent_id` lets no other objects through."""
        if isinstance(thing, np.ndarray):
            return _taken_apart(thing)
        if id(thing) in self._contacts:
            snapshot = self._contacts[id(thing)]
            left = self._left[id(thing)]
            touches = _spread(left, snapshot)
            memory = snapshot.state.memory  # before the columns, most of which are like one in it
            return _contacts, (snapshot.solver, memory, snapshot.fixtures, touches, tuple(left), tuple(left.values()))
        if is_dataclass(thing):
            names = _names(thing)
            values = {name: getattr(thing, name) for name in names}
            if isinstance(thing, SolverState) and thing.touching:
                pairs = _pairs(thing.contacts)
                values["touching"] = tuple(sorted(pairs - thing.touching)), tuple(sorted(thing.touching - pairs))
                return _solver_state, (tuple(values.items()),)
            return _put_together, (type(thing), names, tuple(values.values()))
        return NotImplemented

    def _can_be_packed(self, thing: Any, kind: type) -> bool:
        if kind is np.ndarray:
            is_fixed = not thing.flags.writeable or id(thing) in self._own
            return is_fixed and not thing.dtype.hasobject and (thing.flags.c_contiguous or thing.flags.f_contiguous)
        known = self._is_plain.get(kind)
        if known is None:
            parameters = getattr(kind, "__dataclass_params__", None)
            known = self._is_plain[kind] = parameters is not None and bool(parameters.frozen)
        return known


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, references: tuple[Any, ...], arrays: list[NDArray[Any]]) -> None:
        super().__init__(file)
        self._references = references
        self._arrays = arrays

    def persistent_load(self, at: int) -> Any:
        return self._references[at] if at >= 0 else self._arrays[-1 - at]


def _shareable(snapshot: WorldSnapshot) -> list[Any]:
    """Return what two snapshots may have in common: each column, each entry of the three lists, and the specification in it."""
    found = [getattr(part, one.name) for part in (snapshot, snapshot.state) for one in fields(part)]
    found = [thing for thing in found if is_dataclass(thing) or (isinstance(thing, tuple) and thing)]
    found += [*snapshot.bodies, *snapshot.fixtures, *snapshot.joints]
    found += [spec for _, spec, _ in snapshot.bodies]
    found += [spec for _, _, spec in snapshot.fixtures]
    found += [joint for _, joint in snapshot.joints]
    return found


def _names(thing: Any) -> tuple[str, ...]:
    """Return the names of all attributes that are set: fields, and what a dataclass without slots has been given besides."""
    listed = {one.name: None for one in fields(thing)} | dict.fromkeys(getattr(thing, "__dict__", ()))
    return tuple(name for name in listed if hasattr(thing, name))


def _put_together(kind: type, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    thing: Any = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(thing, name, value)
    return thing


def _spread(left: dict[str, Any], snapshot: WorldSnapshot) -> NDArray[np.bool_] | None:
    """Give the poses of the bodies that touch something a row for each body, as all else of the bodies has; return which ones touch."""
    poses, contacts = left.get("poses"), snapshot.contacts
    ids = np.array([body for body, _, _ in snapshot.bodies], dtype=np.int64)
    touches: NDArray[np.bool_] = np.isin(ids, np.concatenate((contacts.body_a, contacts.body_b)))
    if poses is None or len(poses) != touches.sum():
        return None
    left["poses"] = np.zeros((len(ids), *poses.shape[1:]))
    left["poses"][touches] = poses
    for array in (left["poses"], touches):
        array.flags.writeable = False
    return touches


def _contacts(
    solver: str,
    memory: object,
    fixtures: tuple[tuple[int, int, FixtureSpec], ...],
    touches: NDArray[np.bool_] | None,
    names: tuple[str, ...],
    values: tuple[Any, ...],
) -> StepContacts:
    left = dict(zip(names, values, strict=True))
    if touches is not None:
        left["poses"] = left["poses"][touches]
    return load_solver(solver).unpacked_contacts(left, memory, fixtures)


def _taken_apart(array: NDArray[Any]) -> tuple[Any, ...]:
    is_rows = bool(array.flags.c_contiguous)
    return _array, (array.dtype, array.shape, is_rows, bool(array.flags.writeable), array.tobytes("C" if is_rows else "F"))


def _array(dtype: Any, shape: tuple[int, ...], is_rows: bool, is_writeable: bool, content: bytes) -> NDArray[Any]:
    array = np.ndarray(shape, dtype, content, order="C" if is_rows else "F")  # read-only, for bytes are
    return array.copy(order="A") if is_writeable else array


def _solver_state(values: tuple[tuple[str, Any], ...]) -> SolverState:
    given = dict(values)
    gone, more = given["touching"]
    given["touching"] = frozenset(_pairs(given["contacts"]).difference(gone).union(more))
    return SolverState(**given)


def _pairs(contacts: StepContacts) -> frozenset[tuple[int, int]]:
    """Return the pairs of fixtures in contact."""
    return frozenset(zip(contacts.fixture_a.tolist(), contacts.fixture_b.tolist(), strict=True))
