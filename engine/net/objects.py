"""Python objects as plain data for MessagePack, and back: values, containers, arrays, and instances of this program's own classes.

An atom (None, bool, int of 64 bits, float, str, few bytes) stands for itself; everything else is a list that begins with a tag::

    [LIST, [...]]          [DICT, [key, value, ...]]          [OBJECT, class, [field, ...]]          [ARRAY, dtype, shape, ...]
    [AGAIN, k]             the k-th thing that is no atom, in the order in which they begin: two references to one object stay so

Bytes of arrays, and other long ones, stand behind all that, one after the other in the same order.

What is of the running program is never told but found again: the demo, its stages and worlds by their number, a function at the same
place of a demo like it (`ObjectReader.read`, `like`).

Nothing is imported or called by a name that came: a class is one of this program's own that is loaded already, of data alone (`own_class`),
and its instances are made without its constructor. Specifications and shapes go through `engine.scenes.codec` and their own checks.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
import types
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.errors import LabError
from engine.scenes.codec import KINDS, from_plain, to_plain
from engine.sim.subject import CapturedInPlace
from engine.world import World

__all__ = ["DEEPEST", "ObjectReader", "ObjectWriter", "StateError", "class_name", "may_be_set"]

DEEPEST = 40
"""Things in things."""
_PACKAGES = ("engine", "demos", "sprites")
"""Whose classes may come."""
_FEW_BYTES = 64
_MOST_WHOLE_BYTES = 32
"""Of a whole number that 64 bits do not hold: the state of a random number generator has 16."""
_MOST_DIMENSIONS, _MOST_ELEMENTS = 4, 2**31
_DTYPES: Mapping[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
}
_SPECS = frozenset(KINDS.values())
_PLACES = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)
"""Found again at the same place."""
_GENERATOR = "PCG64"

(
    AGAIN,
    LIST,
    TUPLE,
    SET,
    FROZENSET,
    DICT,
    COUNTER,
    DEQUE,
    ARRAY,
    SCALAR,
    OBJECT,
    ENUM,
    SPEC,
    GENERATOR,
    WHOLE,
    THING,
    PLACE,
    METHOD,
    LONG,
) = range(19)
_UNFINISHED = object()


class StateError(LabError):
    """A state cannot be told, or what came is none."""


def _plain_array(array: NDArray[Any], path: str) -> tuple[list[Any], bytes]:
    """Return an array as ``[dtype, shape, is_by_columns, is_writeable], bytes``; `path` is where it stands, for the message.

    Raises
    ------
    StateError
        Its elements are of another kind than numbers and flags.
    """
    by_columns = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    content = array.tobytes("F" if by_columns else "C")
    return [_plain_dtype(array.dtype, path), list(array.shape), by_columns, bool(array.flags.writeable)], content


def _plain_dtype(dtype: np.dtype[Any], path: str) -> str | list[Any]:
    """Return the name of a kind of number, or of a record ``[field, kind, shape]`` of each field."""
    if dtype.names is not None and dtype.fields is not None:
        fields = [(name, dtype.fields[name][0]) for name in dtype.names]
        return [[name, _plain_dtype(one.base, path), list(one.shape)] for name, one in fields]
    if _DTYPES.get(dtype.name) != dtype:
        raise StateError(f"{path} is an array of {dtype}, which cannot be told")
    return dtype.name


def _dtype_of(plain: Any, depth: int = 0) -> np.dtype[Any]:
    if isinstance(plain, str) and plain in _DTYPES:
        return _DTYPES[plain]
    if type(plain) is not list or depth > 2 or not 0 < len(plain) <= 32:
        raise StateError(f"no kind of number: {plain!r:.80}")
    fields: list[Any] = []
    for one in plain:
        match one:
            case [str(name), kind, [*shape]] if kind != "bool" and len(shape) < 3 and all(type(n) is int and 0 < n <= 16 for n in shape):
                fields.append((name, _dtype_of(kind, depth + 1), tuple(shape)))
            case _:
                raise StateError(f"no kind of number: {one!r:.80}")
    return np.dtype(fields)


def _array_of(plain: Any, take: Callable[[int], bytes]) -> NDArray[Any]:
    """Return the array of such data, in memory of its own; `take` gives so many bytes.

    Raises
    ------
    StateError
        It is none, or there are not as many bytes.
    """
    match plain:
        case [kind, [*shape], bool(by_columns), bool(is_writeable)] if len(shape) <= _MOST_DIMENSIONS:
            dtype = _dtype_of(kind)
        case _:
            raise StateError("an array must have a kind and a shape")
    n = 1
    for size in shape:
        if type(size) is not int or not 0 <= size <= _MOST_ELEMENTS:
            raise StateError(f"an array must have a shape, got {shape!r:.80}")
        n *= size
    content = take(n * dtype.itemsize)
    if kind == "bool" and content.strip(b"\0\1"):
        raise StateError("flags must be 0 or 1")
    array = np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if by_columns else "C").copy(order="K")
    array.flags.writeable = is_writeable
    return array


# -- classes ----------------------------------------------------------------------------------------------------------


def own_class(name: str) -> type:
    """Return the class ``module:qualified.name``, if it is one of this program's own, loaded already, whose instances are data.

    Raises
    ------
    StateError
        It is not.
    """
    return _own_class(name) if len(name) <= 200 else _no_class(name)


@functools.lru_cache(maxsize=4096)
def _own_class(name: str) -> type:
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module) if module.partition(".")[0] in _PACKAGES else None
    for part in path.split("."):
        found = vars(found).get(part) if isinstance(found, types.ModuleType | type) else None
    return found if isinstance(found, type) and class_name(found) == name and _is_data(found) else _no_class(name)


def _no_class(name: str) -> type:
    raise StateError(f"{name!r:.80} is no class whose instances can be told")


def class_name(kind: type) -> str:
    """Return the name under which a class is found again."""
    return f"{kind.__module__}:{kind.__qualname__}"


def _is_data(kind: type) -> bool:
    """Tell whether instances of a class of this program are nothing but their attributes."""
    if issubclass(kind, enum.Enum):
        return True
    if issubclass(kind, CapturedInPlace | World | BaseException | type) or kind in _SPECS:
        return False
    if issubclass(kind, tuple):
        return hasattr(kind, "_fields")
    bases = kind.__mro__[:-1]
    if any(base.__module__.partition(".")[0] not in (*_PACKAGES, "typing", "abc") or "__del__" in vars(base) for base in bases):
        return False
    return dataclasses.is_dataclass(kind) or not any(hook in vars(base) for base in bases for hook in ("__setattr__", "__setstate__"))


@functools.lru_cache(maxsize=4096)
def _fields(kind: type) -> tuple[str, ...] | None:
    """Return the names of what instances of a class consist of; None where each has its own."""
    if issubclass(kind, tuple):
        return tuple(kind._fields)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return None


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots


def _attributes(thing: Any) -> dict[str, Any]:
    """Return what an instance of a class of data consists of."""
    kind: Any = type(thing)
    names = _fields(kind)
    if names is not None:
        return {name: getattr(thing, name) for name in names}
    found = {name: getattr(thing, name) for name in _slots(kind) if not name.startswith("__") and hasattr(thing, name)}
    return found | getattr(thing, "__dict__", {})


# -- out --------------------------------------------------------------------------------------------------------------


class ObjectWriter:
    """Turns objects into plain data; one for all that belongs together, so that what is shared stays shared.

    Parameters
    ----------
    things : sequence of object
        Told by their number.

    Attributes
    ----------
    classes : list of (name, names of attributes)
    content : list of bytes
        To be told as well.
    """

    def __init__(self, things: Sequence[object]) -> None:
        self.classes: list[tuple[str, tuple[str, ...]]] = []
        self.content: list[bytes] = []
        self._class_at: dict[tuple[type, tuple[str, ...]], int] = {}
        self._things = {id(thing): k for k, thing in enumerate(things)}
        self._told: dict[int, int] = {}
        self._kept: list[object] = []

    def write(self, value: Any, path: str, depth: int = 0) -> Any:
        """Return plain data of a value; `path` is where it stands, for the message.

        Raises
        ------
        StateError
            It, or something in it, cannot be told; names it.
        """
        kind = type(value)
        if value is None or kind in (bool, float, str):
            return value
        if kind is bytes:
            if len(value) <= _FEW_BYTES:
                return value
            self.content.append(value)
            return [LONG, len(value)]
        if kind is int:
            return value if -(2**63) <= value < 2**63 else [WHOLE, value.to_bytes(_MOST_WHOLE_BYTES, "little", signed=True)]
        thing = self._things.get(id(value))
        if thing is not None:
            return [THING, thing]
        told = self._told.get(id(value))
        if told is not None:
            return [AGAIN, told]
        if depth == DEEPEST:
            raise StateError(f"{path} is more than {DEEPEST} things deep")
        if isinstance(value, _PLACES):
            return [PLACE, value.__qualname__ if not isinstance(value, np.ufunc) else value.__name__]
        self._told[id(value)] = len(self._kept)
        self._kept.append(value)
        return self._write(value, kind, path, depth + 1)

    def _write(self, value: Any, kind: type, path: str, depth: int) -> Any:
        if kind in _TAGS:
            tag = _TAGS[kind]
            listed = _sorted(value) if tag in (SET, FROZENSET) else value
            items = [self.write(one, f"{path}[{k}]", depth) for k, one in enumerate(listed)]
            return [tag, items] if tag != DEQUE else [tag, items, value.maxlen]
        if kind is dict or kind is Counter:
            pairs: list[Any] = []
            for key, one in value.items():
                pairs += self.write(key, f"{path} (a key)", depth), self.write(one, f"{path}[{key!r:.40}]", depth)
            return [DICT if kind is dict else COUNTER, pairs]
        if kind is np.ndarray:
            plain, content = _plain_array(value, path)
            self.content.append(content)
            return [ARRAY, *plain]
        if isinstance(value, np.generic) and value.dtype.name in _DTYPES:
            return [SCALAR, value.dtype.name, value.tobytes()]
        if kind is np.random.Generator:
            return [GENERATOR, *_plain_generator(value, path)]
        if kind in _SPECS:
            return [SPEC, to_plain(value, np.float64)]
        if kind is types.MethodType:
            return [METHOD, self.write(value.__self__, path, depth), value.__func__.__qualname__]
        if isinstance(value, enum.Enum) and kind.__module__.partition(".")[0] in _PACKAGES:
            return [ENUM, class_name(kind), value.name]
        return self._write_object(value, path, depth)

    def _write_object(self, value: Any, path: str, depth: int) -> Any:
        kind = self._as(value)
        try:
            own_class(class_name(kind))
        except StateError:
            raise StateError(f"{path} is of {class_name(type(value))}, which cannot be told") from None
        attributes = _attributes(value)
        if kind is not type(value):
            attributes = {name: attributes[name] for name in _fields(kind) or ()}
        names = tuple(attributes)
        at = self._class_at.setdefault((kind, names), len(self.classes))
        if at == len(self.classes):
            self.classes.append((class_name(kind), names))
        return [OBJECT, at, [self.write(one, f"{path}.{name}", depth) for name, one in attributes.items()]]

    def _as(self, value: Any) -> type:
        """Return the class as which an object is told: of one whose columns are made when they are asked for, the one that has them."""
        kind = type(value)
        while "__reduce__" in vars(kind) and dataclasses.is_dataclass(kind.__base__):
            kind = kind.__base__
        return kind


_TAGS: Mapping[type, int] = {list: LIST, tuple: TUPLE, set: SET, frozenset: FROZENSET, deque: DEQUE}


def _sorted(value: Any) -> list[Any]:
    """Return the elements of a set in an order that does not depend on how it came to be, where they have one."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def _plain_generator(value: np.random.Generator, path: str) -> list[Any]:
    state: dict[str, Any] = dict(value.bit_generator.state)
    if state["bit_generator"] != _GENERATOR:
        raise StateError(f"{path} is a generator of random numbers of the kind {state['bit_generator']}, which cannot be told")
    numbers = [state["state"]["state"], state["state"]["inc"]]
    return [*(one.to_bytes(16, "little") for one in numbers), int(state["has_uint32"]), int(state["uinteger"])]


# -- back -------------------------------------------------------------------------------------------------------------


class ObjectReader:
    """Turns plain data into objects again; in the same order as they were written.

    Parameters
    ----------
    things : sequence of object
        As the writer had them.
    classes, content : object, bytes
        What the writer's were, of `content` all together.

    Raises
    ------
    StateError
        A class is none whose instances can be told.
    """

    def __init__(self, things: Sequence[object], classes: object, content: bytes) -> None:
        self._things = things
        self._content, self._taken = content, 0
        self._made: list[Any] = []
        self._classes = [_class_of(one) for one in _list(classes)]

    def read(self, plain: Any, like: Any = None, depth: int = 0) -> Any:
        """Return the value of plain data; `like` is what stands at its place in a demo like it, where functions are found.

        Raises
        ------
        StateError, InvalidInputError
            It is none.
        """
        kind = type(plain)
        if plain is None or kind in (bool, int, float, str, bytes):
            return plain
        if kind is not list or not plain or type(plain[0]) is not int or not 0 <= plain[0] < len(_READERS):
            raise StateError(f"no value: {plain!r:.80}")
        if depth == DEEPEST:
            raise StateError(f"a value is more than {DEEPEST} things deep")
        reader, length = _READERS[plain[0]]
        if len(plain) != length:
            raise StateError(f"a value of the kind {plain[0]} has {length - 1} parts, got {len(plain) - 1}")
        return reader(self, plain, like, depth + 1)

    @property
    def is_whole(self) -> bool:
        """Whether all of the content has been used."""
        return self._taken == len(self._content)

    def _take(self, n: int) -> bytes:
        """Return the next bytes of the content."""
        at = self._taken
        self._taken += n
        return _bytes(self._content[at : self._taken], n)

    def _begin(self, thing: Any = _UNFINISHED) -> int:
        self._made.append(thing)
        return len(self._made) - 1

    def _end(self, at: int, thing: Any) -> Any:
        self._made[at] = thing
        return thing

    def _again(self, plain: list[Any], like: Any, depth: int) -> Any:
        made = self._made[_index(plain[1], len(self._made))]
        if made is _UNFINISHED:
            raise StateError("a value is part of itself")
        return made

    def _long(self, plain: list[Any], like: Any, depth: int) -> Any:
        return self._take(_index(plain[1], len(self._content) + 1))

    def _thing(self, plain: list[Any], like: Any, depth: int) -> Any:
        return self._things[_index(plain[1], len(self._things))]

    def _items(self, plain: Any, like: Any, depth: int) -> Iterator[Any]:
        others = like if isinstance(like, list | tuple | deque) else ()
        for k, one in enumerate(_list(plain)):
            yield self.read(one, others[k] if k < len(others) else None, depth)

    def _list(self, plain: list[Any], like: Any, depth: int) -> Any:
        found: list[Any] = []
        self._begin(found)
        found.extend(self._items(plain[1], like, depth))
        return found

    def _tuple(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        return self._end(at, tuple(self._items(plain[1], like, depth)))

    def _set(self, plain: list[Any], like: Any, depth: int) -> Any:
        found: set[Any] = set()
        self._begin(found)
        found.update(_hashable(one) for one in self._items(plain[1], None, depth))
        return found

    def _frozenset(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        return self._end(at, frozenset(_hashable(one) for one in self._items(plain[1], None, depth)))

    def _dict(self, plain: list[Any], like: Any, depth: int) -> Any:
        found: dict[Any, Any] = {} if plain[0] == DICT else Counter()
        self._begin(found)
        pairs = _list(plain[1])
        if len(pairs) % 2:
            raise StateError("a table must have a value for each key")
        others = like if isinstance(like, dict) else {}
        for k in range(0, len(pairs), 2):
            key = _hashable(self.read(pairs[k], None, depth))
            found[key] = self.read(pairs[k + 1], others.get(key), depth)
        return found

    def _deque(self, plain: list[Any], like: Any, depth: int) -> Any:
        most = plain[2]
        if most is not None and (type(most) is not int or not 0 <= most <= 1_000_000):
            raise StateError(f"a queue must have a length, got {most!r:.80}")
        found: deque[Any] = deque(maxlen=most)
        self._begin(found)
        found.extend(self._items(plain[1], like, depth))
        return found

    def _array(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        return self._end(at, _array_of(plain[1:], self._take))

    def _scalar(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        return self._end(at, _array_of([plain[1], [], False, False], lambda n: _bytes(plain[2], n))[()])

    def _object(self, plain: list[Any], like: Any, depth: int) -> Any:
        kind, names = self._classes[_index(plain[1], len(self._classes))]
        values = _list(plain[2])
        if len(values) != len(names):
            raise StateError(f"a {kind.__name__} has {len(names)} attributes, got {len(values)}")
        others = like if type(like) is kind else None
        if issubclass(kind, tuple):
            at = self._begin()
            return self._end(
                at,
                tuple.__new__(kind, [self.read(one, getattr(others, name, None), depth) for name, one in zip(names, values, strict=True)]),
            )
        made = object.__new__(kind)
        self._begin(made)
        for name, one in zip(names, values, strict=True):
            object.__setattr__(made, name, self.read(one, getattr(others, name, None), depth))
        return made

    def _enum(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        kind = own_class(_text(plain[1]))
        if not issubclass(kind, enum.Enum) or plain[2] not in kind.__members__:
            raise StateError(f"{kind.__name__} has no {plain[2]!r:.80}")
        return self._end(at, kind.__members__[plain[2]])

    def _spec(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        return self._end(at, from_plain(plain[1], kinds=KINDS, precision=np.float64))

    def _generator(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        match plain[1:]:
            case [bytes(state), bytes(inc), int(has_more), int(more)] if (
                len(state) == len(inc) == 16 and 0 <= more < 2**32 and has_more in (0, 1)
            ):
                numbers: Any = {"state": int.from_bytes(state, "little"), "inc": int.from_bytes(inc, "little") | 1}
            case _:
                raise StateError("a generator of random numbers must have its state")
        bits = np.random.PCG64(0)
        bits.state = {"bit_generator": _GENERATOR, "state": numbers, "has_uint32": has_more, "uinteger": more}
        return self._end(at, np.random.Generator(bits))

    def _whole(self, plain: list[Any], like: Any, depth: int) -> Any:
        if type(plain[1]) is not bytes or len(plain[1]) > _MOST_WHOLE_BYTES:
            raise StateError("a whole number must be bytes")
        return int.from_bytes(plain[1], "little", signed=True)

    def _place(self, plain: list[Any], like: Any, depth: int) -> Any:
        name = like.__name__ if isinstance(like, np.ufunc) else getattr(like, "__qualname__", None)
        if not isinstance(like, _PLACES) or name != plain[1]:
            raise StateError(f"there must be {plain[1]!r:.80} at the same place here")
        return like

    def _method(self, plain: list[Any], like: Any, depth: int) -> Any:
        at = self._begin()
        if not isinstance(like, types.MethodType) or like.__func__.__qualname__ != plain[2]:
            raise StateError(f"there must be {plain[2]!r:.80} at the same place here")
        owner = self.read(plain[1], like.__self__, depth)
        if type(owner) is not type(like.__self__):
            raise StateError(f"{plain[2]!r:.80} must be of a {type(like.__self__).__name__}")
        return self._end(at, types.MethodType(like.__func__, owner))


_READERS: Sequence[tuple[Callable[[ObjectReader, list[Any], Any, int], Any], int]] = (
    (ObjectReader._again, 2),
    (ObjectReader._list, 2),
    (ObjectReader._tuple, 2),
    (ObjectReader._set, 2),
    (ObjectReader._frozenset, 2),
    (ObjectReader._dict, 2),
    (ObjectReader._dict, 2),
    (ObjectReader._deque, 3),
    (ObjectReader._array, 5),
    (ObjectReader._scalar, 3),
    (ObjectReader._object, 3),
    (ObjectReader._enum, 3),
    (ObjectReader._spec, 2),
    (ObjectReader._generator, 5),
    (ObjectReader._whole, 2),
    (ObjectReader._thing, 2),
    (ObjectReader._place, 2),
    (ObjectReader._method, 3),
    (ObjectReader._long, 2),
)
"""By tag, with the length of its list."""


def _class_of(plain: Any) -> tuple[type, tuple[str, ...]]:
    match plain:
        case [str(name), [*names]] if all(type(one) is str for one in names):
            kind = own_class(name)
        case _:
            raise StateError("a class must have a name and the names of its attributes")
    own = _fields(kind)
    if own is not None and own != tuple(names):
        raise StateError(f"a {kind.__name__} has other attributes here: {', '.join(own)}")
    if own is None and (len(set(names)) != len(names) or not all(may_be_set(kind, one) for one in names)):
        raise StateError(f"a {kind.__name__} cannot have the attributes {names!r:.80}")
    return kind, tuple(names)


def may_be_set(kind: type, name: str) -> bool:
    """Tell whether an instance may have an attribute: none that hides a method or a property of its class."""
    known = getattr(kind, name, None)
    is_slot = isinstance(known, types.MemberDescriptorType)
    return name.isidentifier() and not name.startswith("__") and (is_slot or not (callable(known) or hasattr(known, "__get__")))


def _index(plain: object, n: int) -> int:
    if type(plain) is not int or not 0 <= plain < n:
        raise StateError(f"a number below {n} must name a thing, got {plain!r:.80}")
    return plain


def _bytes(plain: object, n: int) -> bytes:
    if type(plain) is not bytes or len(plain) != n:
        raise StateError(f"{n} bytes must stand here, got {plain!r:.80}")
    return plain


def _list(plain: object) -> list[Any]:
    if type(plain) is not list:
        raise StateError(f"a list must stand here, got {plain!r:.80}")
    return plain


def _text(plain: object) -> str:
    if type(plain) is not str:
        raise StateError(f"a text must stand here, got {plain!r:.80}")
    return plain


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        raise StateError(f"a {type(value).__name__} is no key") from None
    return value
