"""The state of a demo as it stands, captured so that it can be restored: worlds by their snapshots, everything else as a pickle.

What a demo and its stages hold is walked by `pickle`, with four exceptions. A `World` is captured as its snapshot and restored in place. A
`CapturedInPlace`, such as a stage, and the demo, stay the objects they are, for the window holds them too; their attributes are restored.
What never changes, frozen dataclasses, read-only arrays, functions, is captured by reference, and so shared between all moments. And
what belongs to the window or the referee is left out (`not_captured`): rewinding a demo does not make the window forget who is watching.

A demo may hold whatever it likes but what cannot be restored: a generator in the middle of its work, an open file. Such a demo is told
so by name (`CaptureError`).
"""

from __future__ import annotations

import io
import pickle
import types
from dataclasses import dataclass, fields, is_dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.common.errors import LabError
from engine.sim.subject import CapturedInPlace
from engine.world import World, WorldSnapshot

if TYPE_CHECKING:
    from engine.sim.subject import Subject

__all__ = ["CaptureError", "CapturedState", "capture", "captured_attributes", "put_back", "restore", "snapshot_arrays"]

_BY_REFERENCE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc)
_PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None), tuple, list, dict})
_Entry = TypeVar("_Entry", bound=tuple[Any, ...])
_NEVER = (types.GeneratorType, types.CoroutineType, io.IOBase)


class CaptureError(LabError):
    """A demo holds something that cannot be restored."""


@dataclass(frozen=True, slots=True)
class CapturedState:
    """A moment of a demo: the pickle of all attributes, what it refers to, how many are captured in place, the worlds, and which of
    them the stages show."""

    content: bytes
    references: tuple[Any, ...]
    n_in_place: int
    worlds: tuple[tuple[World, WorldSnapshot], ...]
    stages: tuple[int, ...] = ()

    @property
    def raw(self) -> bytes:
        """x, y, angle, vx, vy, omega of every body of every stage, as `engine.history.state_log.raw_states` has them."""
        return b"".join(self.worlds[at][1].motion.values.astype("<f4").tobytes() for at in self.stages)

    @property
    def n_bytes(self) -> int:
        """About what this moment takes beyond what other moments share with it: the pickle, and the worlds' arrays."""
        return len(self.content) + sum(_snapshot_bytes(snapshot) for _, snapshot in self.worlds)


class _Capturer(pickle.Pickler):
    """Pickles with references; meets worlds, and what is captured in place, on its way."""

    def __init__(self, file: io.BytesIO, demo: Subject) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.references: list[Any] = [demo]
        self.in_place: list[CapturedInPlace] = []
        self.worlds: list[World] = []
        self._at: dict[int, int] = {id(demo): 0}

    def persistent_id(self, thing: Any) -> int | None:
        if type(thing) in _PLAIN:  # as most are: a list of a thousand ids
            return None
        at = self._at.get(id(thing))
        if at is not None:
            return at
        if isinstance(thing, _NEVER):
            raise CaptureError(f"a demo that holds a {type(thing).__name__} cannot be rewound")
        if isinstance(thing, CapturedInPlace):
            self.in_place.append(thing)
        elif isinstance(thing, World):
            self.worlds.append(thing)
        elif not _never_changes(thing):
            return None
        self._at[id(thing)] = len(self.references)
        self.references.append(thing)
        return len(self.references) - 1


class _Restorer(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, references: tuple[Any, ...]) -> None:
        super().__init__(file)
        self._references = references

    def persistent_load(self, at: int) -> Any:
        return self._references[at]


def capture(demo: Subject, like: CapturedState | None = None) -> CapturedState:
    """Return the demo's state, between two steps; specifications that stand in another one too are listed in both by the same tuples.

    Raises
    ------
    CaptureError
        It holds something that cannot be restored.
    """
    file = io.BytesIO()
    capturer = _Capturer(file, demo)
    try:
        capturer.dump(captured_attributes(demo))
        done = 0
        while done < len(capturer.in_place):  # more may be met on the way
            met = capturer.in_place[done]
            capturer.dump((met, captured_attributes(met)))
            done += 1
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise CaptureError(f"{type(demo).__name__} cannot be rewound: {error}") from error
    before = {id(world): snapshot for world, snapshot in like.worlds} if like is not None else {}
    worlds = tuple((world, _alike(world.snapshot(), before.get(id(world)))) for world in capturer.worlds)
    stages = tuple(capturer.worlds.index(stage.world) for stage in demo.stages)
    return CapturedState(file.getvalue(), tuple(capturer.references), len(capturer.in_place), worlds, stages)


def restore(demo: Subject, state: CapturedState) -> None:
    """Bring a demo back to a moment captured of it."""
    restorer = _Restorer(io.BytesIO(state.content), state.references)  # one for all, as one capturer wrote all
    restored = restorer.load()
    in_place = [restorer.load() for _ in range(state.n_in_place)]
    for world, snapshot in state.worlds:
        world.restore(snapshot)
    put_back(demo, restored)
    for met, attributes in in_place:
        put_back(met, attributes)


def captured_attributes(thing: object) -> dict[str, Any]:
    """Return the attributes of a demo, or of what is captured in place, that are part of the past."""
    others = _not_captured(thing)
    return {name: value for name, value in vars(thing).items() if name not in others}


def put_back(thing: object, wanted: dict[str, Any]) -> None:
    """Give it these in place of its `captured_attributes`."""
    attributes, others = vars(thing), _not_captured(thing)
    for name in [name for name in attributes if name not in wanted and name not in others]:
        del attributes[name]
    attributes.update(wanted)


def _not_captured(thing: object) -> frozenset[str]:
    """Return the names of attributes that are no part of the past, of its class and of all base classes."""
    return frozenset().union(*(vars(kind).get("not_captured", ()) for kind in type(thing).__mro__))


def _never_changes(thing: Any) -> bool:
    if isinstance(thing, np.ndarray):
        return not thing.flags.writeable
    if isinstance(thing, _BY_REFERENCE):
        return True
    parameters = getattr(type(thing), "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def _alike(snapshot: WorldSnapshot, other: WorldSnapshot | None) -> WorldSnapshot:
    """Return the snapshot with the entries of bodies, fixtures and joints that the other one has too, or the whole lists, taken from it."""
    if other is None:
        return snapshot
    return replace(
        snapshot,
        bodies=_same(snapshot.bodies, other.bodies),
        fixtures=_same(snapshot.fixtures, other.fixtures),
        joints=_same(snapshot.joints, other.joints),
    )


def _same(entries: tuple[_Entry, ...], others: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    if len(entries) == len(others) and all(map(_are_same, zip(*entries, strict=True), zip(*others, strict=True))):
        return others
    known = {entry[0]: entry for entry in others}
    return tuple(known[entry[0]] if _are_same(entry, known.get(entry[0], ())) else entry for entry in entries)


def _are_same(things: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Tell whether they are equal numbers, and the same specifications, the objects themselves: 0.0 equals -0.0."""
    if len(things) != len(others):
        return False
    if all(map(is_, things, others)):
        return True
    return all(a is b or (isinstance(a, int | tuple) and a == b) for a, b in zip(things, others, strict=True))


def snapshot_arrays(snapshot: WorldSnapshot) -> list[NDArray[Any]]:
    """Return the arrays of a snapshot, which belong to it alone, or never change."""
    arrays: list[NDArray[Any]] = []
    waiting: list[Any] = [snapshot.motion, snapshot.contacts, snapshot.state.memory]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, np.ndarray):
            arrays.append(thing)
        elif is_dataclass(thing):
            waiting += [getattr(thing, one.name) for one in fields(thing)]
    return arrays


def _snapshot_bytes(snapshot: WorldSnapshot) -> int:
    """Return the bytes of a snapshot's arrays, and about 100 for each body, fixture and joint, whose specifications are shared."""
    listed = len(snapshot.bodies) + len(snapshot.fixtures) + len(snapshot.joints)
    return sum(array.nbytes for array in snapshot_arrays(snapshot)) + _ENTRY_BYTES * listed


_ENTRY_BYTES = 100
