"""Python values as plain data for MessagePack, and back.

None, bool, int, float, str, bytes and lists are stored directly. Every other value is a map with a single entry, keyed by its kind::

    {"int": bytes of an integer beyond 64 bits}
    {"tuple": [1, 2]}      {"set": ["a"]}      {"dict": [[key, value], ...]}      {"deque": [maximum length, [...]]}
    {"array": [dtype, shape, is_by_columns, is_writeable]}      the contents of all arrays follow the plain data, in the same order
    {"spec": MessagePack of {"kind": "circle", ...}}            specifications and shapes, as in a scene file (`engine.scenes.codec`)
    {"action": MessagePack of the action}                       (`engine.sim.actions`)
    {"object": [class, {attribute: value}]}     {"enum": [class, member]}     {"random": [state, increment, ...]}
    {"stage": 0}           a part of the running program: the demo, its simulation, a stage, a world
    {"same": 7}            reference to mutable value number 7, counted from 0: shared objects stay shared

Names in the data never cause imports or calls. Classes must belong to this program or the demo's file, be loaded already, and have
instances that consist only of data (`_own_class`); instances are created without their constructor. Specifications are validated.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import os
import sys
import types
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from engine.common.content_cache import ContentCache
from engine.common.errors import LabError
from engine.scenes.codec import from_plain, to_plain
from engine.scenes.kinds import KINDS
from engine.sim.actions import Action, decode_action, encode_action
from engine.sim.demo import Demo, Simulation
from engine.sim.stage import Stage
from engine.world import World

__all__ = ["MAX_DEPTH", "StateError", "ValueReader", "ValueWriter", "can_be_set", "class_name", "decode_spec", "encode_spec"]

MAX_DEPTH = 40
"""Maximum nesting depth of values."""
_PACKAGES = ("engine", "demos", "sprites")
"""Packages whose classes may occur in a state."""
_MAX_DIMENSIONS, _MAX_ELEMENTS = 4, 2**31
_MAX_ENCODED_BYTES = 16_000_000
"""Maximum total size of the encoded specifications that are cached, bytes; enough for 30,000 bodies, 500 bytes each."""
_ATOMS = (type(None), bool, int, float, str, bytes)
_DTYPES: Mapping[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
}
_SPECS = frozenset(KINDS.values())
_SEQUENCES: Mapping[str, type] = {"tuple": tuple, "set": set, "frozenset": frozenset}
_MAPPINGS: Mapping[str, type] = {"dict": dict, "counter": Counter}
_NAMES = {kind: name for name, kind in (*_SEQUENCES.items(), *_MAPPINGS.items())}
_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("collections:defaultdict", "collections:OrderedDict"), "a dict"),
    **{"builtins:range": "its numbers", "builtins:complex": "two floats", "builtins:bytearray": "bytes"},
    **{"random:Random": "a generator of self.rng(name)", **dict.fromkeys(("pathlib:PosixPath", "pathlib:WindowsPath"), "its str")},
}
"""Suggested replacements for unsupported classes, for error messages."""
_GENERATOR = "PCG64"
_UNFINISHED = object()


class StateError(LabError):
    """A value cannot be part of a state, or data is not a valid state."""


# -- specifications ---------------------------------------------------------------------------------------------------

_encoded: dict[int, tuple[object, bytes]] = {}
_n_encoded_bytes = 0


def encode_spec(spec: object, plain: Callable[[Any], object] = lambda spec: to_plain(spec, np.float64)) -> bytes:
    """Encode an immutable specification as MessagePack; cached, because keyframes share most specifications."""
    global _n_encoded_bytes
    known = _encoded.get(id(spec))
    if known is not None:
        return known[1]
    content = msgspec.msgpack.encode(plain(spec))
    if _n_encoded_bytes + len(content) > _MAX_ENCODED_BYTES:
        _encoded.clear()
        _n_encoded_bytes = 0
    _encoded[id(spec)] = spec, content
    _n_encoded_bytes += len(content)
    return content


@ContentCache
def decode_spec(content: bytes) -> Any:
    """Decode and validate a specification or shape from `encode_spec`; cached.

    Raises
    ------
    InvalidInputError, msgspec.DecodeError
        `content` is not a valid specification.
    """
    return from_plain(msgspec.msgpack.decode(content), kinds=KINDS, precision=np.float64)


# -- classes ----------------------------------------------------------------------------------------------------------


def class_name(kind: type) -> str:
    """Return the name of a class as ``module:qualified.name``."""
    return f"{kind.__module__}:{kind.__qualname__}"


def can_be_set(kind: type, name: str) -> bool:
    """Return True if instances may have an attribute of this name, that is, if it shadows no method or property of the class."""
    known = getattr(kind, name, None)
    is_slot = isinstance(known, types.MemberDescriptorType)
    return name.isidentifier() and not name.startswith("__") and (is_slot or not (callable(known) or hasattr(known, "__get__")))


def _own_class(name: str, module: str) -> type:
    """Return a loaded class of this program, or of a file in the demo's folder, whose instances consist only of data.

    Raises
    ------
    StateError
        There is no such class.
    """
    return _loaded_class(name, module) if len(name) <= 200 else _no_class(name)


@functools.lru_cache(maxsize=4096)
def _loaded_class(name: str, own_module: str) -> type:
    module, _, path = name.partition(":")
    kind: Any = sys.modules.get(module) if _is_own(module, own_module) else None
    for part in path.split("."):
        kind = vars(kind).get(part) if isinstance(kind, types.ModuleType | type) else None
    return kind if isinstance(kind, type) and class_name(kind) == name and _is_data(kind, own_module) else _no_class(name)


def _no_class(name: str) -> type:
    raise StateError(f"{name!r:.80} is not a class whose instances can be part of a state")


def _is_own(module: str, own_module: str) -> bool:
    """Return True if a module belongs to this program, or is in the folder of the demo's module."""
    if module.partition(".")[0] in _PACKAGES or module == own_module:
        return True
    file, own_file = (getattr(sys.modules.get(name), "__file__", None) for name in (module, own_module))
    return file is not None and own_file is not None and os.path.dirname(file) == os.path.dirname(own_file)


def _is_data(kind: type, own_module: str) -> bool:
    """Return True if instances of a class consist only of their attributes."""
    if issubclass(kind, enum.Enum):
        return True
    if issubclass(kind, Demo | Simulation | Stage | World | BaseException | type) or kind in _SPECS:
        return False
    if issubclass(kind, tuple):
        return hasattr(kind, "_fields")
    bases = kind.__mro__[:-1]
    if any(not (_is_own(base.__module__, own_module) or base.__module__ in ("typing", "abc")) or "__del__" in vars(base) for base in bases):
        return False
    return dataclasses.is_dataclass(kind) or not any(hook in vars(base) for base in bases for hook in ("__setattr__", "__setstate__"))


@functools.lru_cache(maxsize=4096)
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Return the attribute names common to all instances of a class; None if they vary by instance."""
    if issubclass(kind, tuple):
        return tuple(kind._fields)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return None


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots


def _attributes(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    names = _field_names(kind)
    if names is not None:
        return {name: getattr(value, name) for name in names}
    slots = {name: getattr(value, name) for name in _slots(kind) if not name.startswith("__") and hasattr(value, name)}
    return slots | getattr(value, "__dict__", {})


# -- writing ----------------------------------------------------------------------------------------------------------


class ValueWriter:
    """Encodes values as plain data; use one writer per state, so that shared objects stay shared.

    Parameters
    ----------
    parts : mapping of (kind, number) to object
        Parts of the running program that are written as references, such as ``("stage", 0)``.
    module : str
        Name of the demo's module: its classes, and those of files in its folder, are allowed in addition to the program's.

    Attributes
    ----------
    arrays : list of bytes
        Contents of all arrays written so far.
    """

    def __init__(self, parts: Mapping[tuple[str, int], object], module: str) -> None:
        self.arrays: list[bytes] = []
        self._module = module
        self._parts = {id(part): {name: number} for (name, number), part in parts.items()}
        self._begun: dict[int, tuple[int, object]] = {}

    def write(self, value: Any, path: str, depth: int = 0) -> Any:
        """Encode a value as plain data; `path` is its place, for error messages.

        Raises
        ------
        StateError
            The value, or a nested one, cannot be part of a state; the message names it.
        """
        kind = type(value)
        if kind is int and not -(2**63) <= value < 2**63:
            return {"int": value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)}
        if kind is str:
            return _checked_text(value, path)
        if kind in _ATOMS:
            return value
        part = self._parts.get(id(value))
        if part is not None:
            return part
        if depth == MAX_DEPTH:
            raise StateError(f"{path} must be nested at most {MAX_DEPTH} levels deep")
        if kind in (tuple, frozenset):
            return {_NAMES[kind]: self._items(value, path, depth)}
        if kind in _SPECS:
            return {"spec": encode_spec(value)}
        if isinstance(value, Action):
            return {"action": encode_action(value.without_files())}
        begun = self._begun.get(id(value))
        if begun is not None:
            return {"same": begun[0]}
        self._begun[id(value)] = len(self._begun), value
        return self._write_mutable(value, kind, path, depth)

    def _items(self, value: Any, path: str, depth: int) -> list[Any]:
        listed = _sorted(value) if isinstance(value, set | frozenset) else value
        return [self.write(item, f"{path}[{k}]", depth + 1) for k, item in enumerate(listed)]

    def _write_mutable(self, value: Any, kind: type, path: str, depth: int) -> Any:
        if kind is list:
            return self._items(value, path, depth)
        if kind is set:
            return {"set": self._items(value, path, depth)}
        if kind is deque:
            return {"deque": [value.maxlen, self._items(value, path, depth)]}
        if kind in _MAPPINGS.values():
            below = depth + 1
            pairs = [[self.write(key, f"{path} (a key)", below), self.write(value[key], f"{path}[{key!r:.40}]", below)] for key in value]
            return {_NAMES[kind]: pairs}
        if kind is np.ndarray or isinstance(value, np.generic):
            return {"array": self._array(value, path)}
        if kind is np.random.Generator:
            return {"random": _plain_generator(value, path)}
        if isinstance(value, enum.Enum):
            return {"enum": [self._class(kind, path), value.name]}
        name = self._class(kind, path)
        return {"object": [name, {key: self.write(item, f"{path}.{key}", depth + 1) for key, item in _attributes(value).items()}]}

    def _class(self, kind: type, path: str) -> str:
        name = class_name(kind)
        try:
            _own_class(name, self._module)
        except StateError:
            raise StateError(
                f"{path} is of type {name}, which cannot be part of a state: keep {_INSTEAD.get(name, 'plain data')}"
            ) from None
        return name

    def _array(self, array: Any, path: str) -> list[Any]:
        is_scalar = not isinstance(array, np.ndarray)
        by_columns = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
        self.arrays.append(array.tobytes("F" if by_columns else "C"))
        shape = None if is_scalar else _shape(list(array.shape), f"{path}: ")
        return [_plain_dtype(array.dtype, path), shape, by_columns, bool(array.flags.writeable)]


def _plain_dtype(dtype: np.dtype[Any], path: str) -> str | list[Any]:
    """Return the name of a scalar dtype, or a list of ``[name, dtype, shape]`` for the fields of a structured dtype."""
    if dtype.names is not None and dtype.fields is not None:
        fields = [(name, dtype.fields[name][0]) for name in dtype.names]
        plain = [[name, _plain_dtype(field.base, path), list(field.shape)] for name, field in fields]
        if _dtype_of(plain, f"{path}: ") != dtype:
            raise StateError(f"{path} is an array of {dtype}, which cannot be part of a state")
        return plain
    if _DTYPES.get(dtype.name) != dtype:
        raise StateError(f"{path} is an array of {dtype}, which cannot be part of a state")
    return dtype.name


def _checked_text(value: str, path: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise StateError(f"{path} must be text without lone surrogates, got {value!a:.80}") from None
    return value


def _sorted(value: Any) -> list[Any]:
    """Return the elements of a set in sorted order, if they are comparable, so that the order does not depend on insertion."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def _plain_generator(value: np.random.Generator, path: str) -> list[Any]:
    state: dict[str, Any] = dict(value.bit_generator.state)
    if state["bit_generator"] != _GENERATOR:
        raise StateError(f"{path} is a random number generator of the kind {state['bit_generator']}, which cannot be part of a state")
    numbers = [state["state"]["state"], state["state"]["inc"]]
    return [*(number.to_bytes(16, "little") for number in numbers), int(state["has_uint32"]), int(state["uinteger"])]


# -- reading ----------------------------------------------------------------------------------------------------------


class ValueReader:
    """Decodes values from plain data, in the order in which they were written.

    Parameters
    ----------
    parts, module
        As for `ValueWriter`, for the demo that gets the state.
    arrays : bytes
        Concatenated contents of all arrays.
    """

    def __init__(self, parts: Mapping[tuple[str, int], object], module: str, arrays: bytes) -> None:
        self._parts = parts
        self._module = module
        self._arrays, self._taken = arrays, 0
        self._begun: list[Any] = []

    def read(self, plain: Any, depth: int = 0) -> Any:
        """Decode a value.

        Raises
        ------
        LabError, msgspec.DecodeError, TypeError, ValueError, OverflowError
            `plain` is not an encoded value; `engine.sim.state.decode_state` makes a `StateError` of any of these.
        """
        kind = type(plain)
        if kind in _ATOMS:
            return plain
        if depth == MAX_DEPTH:
            raise StateError(f"a value must be nested at most {MAX_DEPTH} levels deep")
        if kind is list:
            made: list[Any] = []
            self._begun.append(made)
            made.extend(self.read(item, depth + 1) for item in plain)
            return made
        if kind is not dict or len(plain) != 1:
            raise StateError(f"a value must be a map with one entry, got {plain!r:.80}")
        (name, content), *_ = plain.items()
        reader = _READERS.get(name)
        if reader is not None:
            return reader(self, name, content, depth + 1)
        if type(content) is not int or (name, content) not in self._parts:
            raise StateError(f"there is no {name!r:.40} {content!r:.40}")
        return self._parts[name, content]

    @property
    def is_at_end(self) -> bool:
        """True if the contents of all arrays have been consumed."""
        return self._taken == len(self._arrays)

    def _take(self, n: int) -> bytes:
        begin, self._taken = self._taken, self._taken + n
        if self._taken > len(self._arrays):
            raise StateError(f"arrays must have {self._taken} bytes, got {len(self._arrays)}")
        return self._arrays[begin : self._taken]

    def _end(self, at: int, value: Any) -> Any:
        self._begun[at] = value
        return value

    def _begin(self, value: Any = _UNFINISHED) -> int:
        self._begun.append(value)
        return len(self._begun) - 1

    def _same(self, name: str, plain: Any, depth: int) -> Any:
        if type(plain) is not int or not 0 <= plain < len(self._begun) or self._begun[plain] is _UNFINISHED:
            raise StateError(f"there is no value with index {plain!r:.40}")
        return self._begun[plain]

    def _sequence(self, name: str, plain: Any, depth: int) -> Any:
        at = self._begin() if name == "set" else None
        made = _SEQUENCES[name]([self.read(item, depth) for item in _list(plain)])
        return made if at is None else self._end(at, made)

    def _mapping(self, name: str, plain: Any, depth: int) -> Any:
        made = _MAPPINGS[name]()
        self._begin(made)
        for pair in _list(plain):
            key, value = _list(pair, 2)
            key = self.read(key, depth)
            made[key] = self.read(value, depth)
        return made

    def _deque(self, name: str, plain: Any, depth: int) -> Any:
        maxlen, items = _list(plain, 2)
        made: deque[Any] = deque(maxlen=maxlen)
        self._begin(made)
        made.extend(self.read(item, depth) for item in _list(items))
        return made

    def _array(self, name: str, plain: Any, depth: int) -> Any:
        kind, shape, by_columns, is_writeable = _list(plain, 4)
        dtype, sizes = _dtype_of(kind), [] if shape is None else _shape(shape)
        n = 1
        for size in sizes:
            n *= size
        content = self._take(n * dtype.itemsize)
        if kind == "bool" and content.strip(b"\0\1"):
            raise StateError("flags must be 0 or 1")
        array = np.frombuffer(content, dtype=dtype).reshape(sizes, order="F" if by_columns is True else "C").copy(order="K")
        array.flags.writeable = is_writeable is True
        at = self._begin()
        return self._end(at, array[()] if shape is None else array)

    def _object(self, name: str, plain: Any, depth: int) -> Any:
        class_of, attributes = _list(plain, 2)
        if type(class_of) is not str or type(attributes) is not dict:
            raise StateError("an object must have a class and a map of attributes")
        kind = _own_class(class_of, self._module)
        own = _field_names(kind)
        if own is not None and set(own) != attributes.keys():
            raise StateError(f"a {kind.__name__} must have the attributes {', '.join(own)}")
        if own is None and not all(type(key) is str and can_be_set(kind, key) for key in attributes):
            raise StateError(f"a {kind.__name__} cannot have the attributes {list(attributes)!r:.80}")
        if issubclass(kind, enum.Enum):
            raise StateError(f"a {kind.__name__} must be encoded as a member of the enumeration, not as an object")
        if issubclass(kind, tuple):
            at = self._begin()
            return self._end(at, tuple.__new__(kind, [self.read(attributes[key], depth) for key in own or ()]))
        made = object.__new__(kind)
        self._begin(made)
        for key, item in attributes.items():
            object.__setattr__(made, key, self.read(item, depth))
        return made

    def _enum(self, name: str, plain: Any, depth: int) -> Any:
        class_of, member = _list(plain, 2)
        kind = _own_class(class_of, self._module) if type(class_of) is str else type(None)
        if not issubclass(kind, enum.Enum) or type(member) is not str or member not in kind.__members__:
            raise StateError(f"there is no member {member!r:.80} of {class_of!r:.80}")
        at = self._begin()
        return self._end(at, kind.__members__[member])

    def _random(self, name: str, plain: Any, depth: int) -> Any:
        match plain:
            case [bytes(state), bytes(inc), int(has_more), int(more)] if (
                len(state) == len(inc) == 16 and 0 <= more < 2**32 and has_more in (0, 1)
            ):
                numbers: Any = {"state": int.from_bytes(state, "little"), "inc": int.from_bytes(inc, "little") | 1}
            case _:
                raise StateError("a random number generator must have its state")
        bits = np.random.PCG64(0)
        bits.state = {"bit_generator": _GENERATOR, "state": numbers, "has_uint32": has_more, "uinteger": more}
        at = self._begin()
        return self._end(at, np.random.Generator(bits))


_READERS: Mapping[str, Callable[[ValueReader, str, Any, int], Any]] = {
    "same": ValueReader._same,
    **dict.fromkeys(_SEQUENCES, ValueReader._sequence),
    **dict.fromkeys(_MAPPINGS, ValueReader._mapping),
    "deque": ValueReader._deque,
    "int": lambda reader, name, plain, depth: int.from_bytes(plain, "little", signed=True),
    "array": ValueReader._array,
    "spec": lambda reader, name, plain, depth: decode_spec(plain),
    "action": lambda reader, name, plain, depth: decode_action(plain),
    "object": ValueReader._object,
    "enum": ValueReader._enum,
    "random": ValueReader._random,
}


def _shape(plain: Any, place: str = "") -> list[int]:
    sizes: list[int] = _list(plain)
    if len(sizes) > _MAX_DIMENSIONS or any(type(size) is not int or not 0 <= size <= _MAX_ELEMENTS for size in sizes):
        raise StateError(f"{place}an array must have at most {_MAX_DIMENSIONS} dimensions, got the shape {sizes!r:.80}")
    return sizes


def _dtype_of(plain: Any, place: str = "", depth: int = 0) -> np.dtype[Any]:
    if isinstance(plain, str) and plain in _DTYPES:
        return _DTYPES[plain]
    if type(plain) is not list or depth > 2 or not 0 < len(plain) <= 32:
        raise StateError(f"{place}unsupported dtype: {plain!r:.80}")
    fields: list[Any] = []
    for field in plain:
        match field:
            case [str(name), kind, [*shape]] if kind != "bool" and len(shape) < 3 and all(type(n) is int and 0 < n <= 16 for n in shape):
                fields.append((name, _dtype_of(kind, place, depth + 1), tuple(shape)))
            case _:
                raise StateError(f"{place}unsupported dtype: {field!r:.80}")
    return np.dtype(fields)


def _list(plain: object, n: int | None = None) -> list[Any]:
    if type(plain) is not list or n not in (None, len(plain)):
        raise StateError(f"a list{'' if n is None else f' of {n}'} is required, got {plain!r:.80}")
    return plain
