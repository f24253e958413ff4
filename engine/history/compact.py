"""A kept moment of a demo in a third of its memory: most of what it refers to belongs to that moment alone, and is packed.

`capture` holds on to whatever never changes, and half of that was made in the step before: contacts, manifolds, impulses, motion. When the
next moment has been kept, it is known what the two share; that stays where it is, once for all moments. The rest goes into one pickle,
compressed: read-only arrays, tuples, frozen sets, numbers, strings, and frozen dataclasses of such. Anything else is still referred to, as
it was: what is packed comes back as a copy, which must make no difference.

    moment k        [pickle: its own attributes] --> contacts of step k    --> packed
                                                 --> specifications  <----- moment k + 1: not packed
                                                 --> stages, worlds, functions: never packed

Of the contacts only that is packed which does not follow from the rest (`engine.world.solver.Solver.packed_contacts`).

An array comes back with the same bits, the same order of its elements in memory (a sum over rows depends on it), and read-only where it
was. The compression is zlib's fastest: the slower ones save a twentieth more, and take three times as long.
"""

from __future__ import annotations

import io
import pickle
import zlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.contracts import StepContacts
from engine.history.capture import CapturedState, snapshot_arrays
from engine.world import FixtureSpec, WorldSnapshot, load_solver

__all__ = ["CompactState", "compact"]

_LEVEL = 1
_ATOMS = frozenset({int, float, bool, str, bytes, complex, type(None), tuple, frozenset})
_REFERENCE_BYTES = 8
_OVERHEAD = 300
"""Bytes of the objects around: two tuples, a bytes, this object, an entry of a dictionary."""


class CompactState:
    """A moment, packed; `whole` unpacks it."""

    __slots__ = ("_content", "_references")

    def __init__(self, content: bytes, references: tuple[Any, ...]) -> None:
        self._content = content
        self._references = references

    @property
    def n_bytes(self) -> int:
        """What it takes beyond what it shares with other moments."""
        return len(self._content) + _REFERENCE_BYTES * len(self._references) + _OVERHEAD

    def whole(self) -> CapturedState:
        """Return what was packed."""
        content, references, n_in_place, worlds = _Unpacker(self._content, self._references).load()
        return CapturedState(content, references, n_in_place, worlds)


def compact(state: CapturedState, other: CapturedState) -> CompactState:
    """Pack a moment; what `other` holds too, which stays as it is, is referred to."""
    file = io.BytesIO()
    packer = _Packer(file, state, other)
    packer.dump((state.content, state.references, state.n_in_place, state.worlds))
    return CompactState(zlib.compress(file.getvalue(), _LEVEL), tuple(packer.references))


class _Packer(pickle.Pickler):
    """Pickles by value what is plain, and refers to everything else."""

    def __init__(self, file: io.BytesIO, state: CapturedState, other: CapturedState) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.references: list[Any] = []
        self._at: dict[int, int] = {}
        self._shared = {id(thing) for thing in other.references}
        for _, snapshot in other.worlds:
            self._shared.update(map(id, _shareable(snapshot)))
        self._is_plain: dict[type, bool] = {type(state.references[0]): False}
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
        if id(thing) not in self._shared and self._can_be_packed(thing, kind):
            return None
        self._at[id(thing)] = len(self.references)
        self.references.append(thing)
        return len(self.references) - 1

    def reducer_override(self, thing: Any) -> Any:
        """Take apart an array or a dataclass: `persistent_id` lets no other objects through."""
        if isinstance(thing, np.ndarray):
            return _taken_apart(thing)
        if id(thing) in self._contacts:
            snapshot = self._contacts[id(thing)]
            left = load_solver(snapshot.solver).packed_contacts(snapshot)
            return _contacts, (snapshot.solver, tuple(left), tuple(left.values()), snapshot.state.memory, snapshot.fixtures)
        if is_dataclass(thing):
            names = _names(thing)
            return _put_together, (type(thing), names, tuple(getattr(thing, name) for name in names))
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
    def __init__(self, content: bytes, references: tuple[Any, ...]) -> None:
        super().__init__(io.BytesIO(zlib.decompress(content)))
        self._references = references

    def persistent_load(self, at: int) -> Any:
        return self._references[at]


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


def _contacts(
    solver: str, names: tuple[str, ...], values: tuple[Any, ...], memory: object, fixtures: tuple[tuple[int, int, FixtureSpec], ...]
) -> StepContacts:
    return load_solver(solver).unpacked_contacts(dict(zip(names, values, strict=True)), memory, fixtures)


def _taken_apart(array: NDArray[Any]) -> tuple[Any, ...]:
    is_rows = bool(array.flags.c_contiguous)
    return _array, (array.dtype, array.shape, is_rows, bool(array.flags.writeable), array.tobytes("C" if is_rows else "F"))


def _array(dtype: Any, shape: tuple[int, ...], is_rows: bool, is_writeable: bool, content: bytes) -> NDArray[Any]:
    array = np.ndarray(shape, dtype, content, order="C" if is_rows else "F")  # read-only, for bytes are
    return array.copy(order="A") if is_writeable else array
