"""Arrays of numbers in few bytes: each column of 32-bit words as its differences from the column that it is most like.

Of a world that stands for a moment much is told twice, or nearly: where a body is, and where its centre is; where it was a step before; an
angle, and its sine. So the arrays are taken apart into columns of words, those of as many rows stand beside each other, and of each is kept

    the word itself | less the one above | less that of an earlier column | less that of the sine or cosine of an earlier column

whichever a sample of its rows finds to be the smallest. Where many of the differences are 0, a bit for each row says which are not. Their
four bytes go into four planes, for the first one or two have a pattern and the last ones none, and each plane is compressed by itself,
by Huffman's code and run lengths: longer strings do not recur. All is integer arithmetic on the bits, modulo 2^32, so that nothing is lost;
of the sine it need only be true that this process finds the same again.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choices", "ColumnReader", "ColumnWriter", "Layout"]

Words = NDArray[np.uint32]
Layout = tuple[int, ...]
"""Of one array how many bytes a word had, and for each column what it is told by, which of its rows are told, and which planes of these."""

Choices = dict[tuple[int, str, int, int, int], int]

_SAMPLE = 64
_FEW = 512
"""Words whose planes are not worth a code each."""
_UNKNOWN = -1
_PLAIN_BITS = 26.0
"""Of a float32 told as it is: three bytes of mantissa, and two bits of what its exponent and sign leave open."""
_WORTH_BITS = 3.0
"""That differences must be smaller by: few different numbers are many different differences."""
_ITSELF, _ABOVE, _OTHERS = 0, 1, 2
_FORMS = 3
"""An earlier column itself, its sine, its cosine."""
_NOTHING, _ALL, _MASKS = 0, 1, 2
_NARROWED = 0
_SLICE_BYTES = 64_000
"""Of columns that are packed at a time: about a millisecond."""
_COLUMN_BYTES = 2_000
"""As many take as long as it takes to begin a column."""


@dataclass(slots=True)
class _Group:
    """The columns of as many rows, and of those looked at the sampled rows with their sine and cosine, (columns, forms, samples)."""

    rows: NDArray[np.intp]
    columns: list[Words] = field(default_factory=list)
    _samples: list[Words] = field(default_factory=list)

    def samples(self) -> list[Words]:
        """Return the samples of all columns."""
        for column in self.columns[len(self._samples) :]:
            self._samples.append(np.stack([_formed(column[self.rows], form) for form in range(_FORMS)]))
        return self._samples


class ColumnWriter:
    """Packs arrays one after the other into one `content`; `ColumnReader` gives them back.

    `choices` has by what each column of arrays like these was told before, and takes in what is chosen anew.
    """

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices: Choices = {} if choices is None else choices
        self._n_arrays = 0
        self._n_in_slice = 0
        self._compressor = _compressor()
        self._parts: list[bytes] = []
        self._groups: dict[int, _Group] = {}
        self._masks: dict[bytes, int] = {}

    def write(self, array: NDArray[Any]) -> Generator[None, None, Layout]:
        """Take in an array of one or more axes without objects in it, contiguous in either order; yield wherever a slice is done."""
        width, words = _words(array)
        group = self._groups.get(len(words))
        if group is None:
            group = self._groups[len(words)] = _Group(_sampled(len(words)))
        told = [width]
        self._n_arrays += 1
        for k, column in enumerate(np.ascontiguousarray(words.T)):
            self._n_in_slice += column.nbytes + _COLUMN_BYTES
            if self._n_in_slice > _SLICE_BYTES:
                self._n_in_slice = 0
                yield
            place = self._n_arrays, array.dtype.str, width, k, len(group.columns)
            source = self._choices.get(place, _UNKNOWN)
            if source == _UNKNOWN:
                source = self._choices[place] = _source(column, group)
            told += (source, *self._put(_differences(column, source, group.columns)))
            group.columns.append(column)
        return tuple(told)

    def content(self) -> bytes:
        """Return all that was written; nothing can be written after it."""
        self._parts.append(self._compressor.flush())
        return b"".join(self._parts)

    def _put(self, differences: Words) -> tuple[int, int]:
        """Keep them, and return which rows are told and, as bits, which of their four planes."""
        is_told = differences != 0
        n_told = int(np.count_nonzero(is_told))
        if n_told == 0:
            return _NOTHING, 0
        rows = _ALL
        if 8 * n_told < 7 * len(differences):
            mask = np.packbits(is_told).tobytes()
            rows = self._masks.get(mask, -1)
            if rows < 0:
                rows = self._masks[mask] = _MASKS + len(self._masks)
                self._compress(mask)
            differences = differences[is_told]
        told = np.ascontiguousarray(differences[:, None].view(np.uint8).T)
        planes = [k for k, plane in enumerate(told) if plane.any()]
        for k in planes:
            self._compress(told[k].tobytes(), is_last=k == planes[-1] or n_told > _FEW)
        return rows, sum(1 << k for k in planes)

    def _compress(self, content: bytes, is_last: bool = True) -> None:
        """Compress some bytes; `is_last` of their kind, where the next ones are worth a code of their own."""
        self._parts.append(self._compressor.compress(content))
        if is_last:
            self._parts.append(self._compressor.flush(zlib.Z_PARTIAL_FLUSH))


class ColumnReader:
    """Gives back the arrays that a `ColumnWriter` has packed, in their order."""

    def __init__(self, content: bytes) -> None:
        self._content = zlib.decompress(content, -zlib.MAX_WBITS)
        self._at = 0
        self._groups: dict[int, list[Words]] = {}
        self._masks: list[NDArray[np.bool_]] = []

    def read(self, layout: Layout, dtype: np.dtype[Any], shape: tuple[int, ...], is_rows: bool) -> NDArray[Any]:
        """Return the next array, C-contiguous where `is_rows`, otherwise Fortran-contiguous; nobody else has it."""
        n = shape[0]
        group = self._groups.setdefault(n, [])
        width, told = layout[0], layout[1:]
        first = len(group)
        for source, rows, planes in zip(told[::3], told[1::3], told[2::3], strict=True):
            group.append(_restored(self._get(n, rows, planes), source, group))
        return _array(width, group[first:], dtype, shape, is_rows)

    def _get(self, n: int, rows: int, planes: int) -> Words:
        differences = np.zeros(n, dtype=np.uint32)
        if rows == _NOTHING:
            return differences
        if rows == _ALL:
            n_told = n
        else:
            if rows - _MASKS == len(self._masks):
                self._masks.append(np.unpackbits(self._next(-(-n // 8)), count=n).astype(np.bool_))
            mask = self._masks[rows - _MASKS]
            n_told = int(np.count_nonzero(mask))
        words = np.zeros((n_told, 4), dtype=np.uint8)
        for k in range(4):
            if planes >> k & 1:
                words[:, k] = self._next(n_told)
        if rows == _ALL:
            return words.view(np.uint32)[:, 0]
        differences[mask] = words.view(np.uint32)[:, 0]
        return differences

    def _next(self, n: int) -> NDArray[np.uint8]:
        self._at += n
        return np.frombuffer(self._content, dtype=np.uint8, count=n, offset=self._at - n)


def _compressor() -> Any:
    return zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_RLE)


def _words(array: NDArray[Any]) -> tuple[int, Words]:
    """Return an array as words (n, k), and how many bytes of it each word has.

    `_NARROWED`: float64 most of which are float32, as those, and in two more columns each what their bits lack.
    """
    rows = np.ascontiguousarray(array)
    n, size = len(rows), rows.dtype.itemsize
    if rows.nbytes == 0:
        return 4, np.zeros((n, 0), dtype=np.uint32)
    if rows.dtype == np.float64:
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = rows.astype(np.float32)
            lacking = rows.view(np.uint64) - narrow.astype(np.float64).view(np.uint64)
        if 4 * np.count_nonzero(lacking) <= lacking.size:
            return _NARROWED, np.hstack([narrow.reshape(n, -1).view(np.uint32), lacking.reshape(n, -1).view(np.uint32)])
    width = 4 if size % 4 == 0 else 2 if size % 2 == 0 else 1
    flat = rows.reshape(-1).view(np.uint32 if width == 4 else np.uint16 if width == 2 else np.uint8)
    return width, flat.astype(np.uint32, copy=False).reshape(n, -1)


def _array(width: int, columns: list[Words], dtype: np.dtype[Any], shape: tuple[int, ...], is_rows: bool) -> NDArray[Any]:
    if not columns:
        return np.zeros(shape, dtype, order="C" if is_rows else "F")
    words = np.stack(columns, axis=1)
    if width == _NARROWED:
        k = len(columns) // 3
        wide = np.ascontiguousarray(words[:, :k]).view(np.float32).astype(np.float64).view(np.uint64)
        found = (wide + np.ascontiguousarray(words[:, k:]).view(np.uint64)).view(np.float64)
    else:
        kind = np.uint32 if width == 4 else np.uint16 if width == 2 else np.uint8
        found = words.astype(kind, copy=False).reshape(-1).view(dtype)
    found = found.reshape(shape)
    return found if is_rows else np.asfortranarray(found)


def _sampled(n: int) -> NDArray[np.intp]:
    """Return the rows that are looked at, evenly spread; the first has none above it."""
    return np.linspace(min(1, n - 1), n - 1, min(n, _SAMPLE)).astype(np.intp) if n else np.zeros(0, dtype=np.intp)


def _source(column: Words, group: _Group) -> int:
    """Return what a column is told by: itself, the row above, or an earlier one by its number and form."""
    rows = group.rows
    if len(rows) == 0:
        return _ITSELF
    sample = column[rows]
    itself = np.minimum(_bits(sample), _PLAIN_BITS).mean() - _WORTH_BITS
    above = _bits(_folded(sample - column[rows - 1])).mean()
    best, source = (itself, _ITSELF) if itself <= above else (above, _ABOVE)
    if group.columns:
        bits = _bits(_folded(sample - np.concatenate(group.samples()))).mean(axis=1)
        k = int(bits.argmin())
        if bits[k] < best:
            source = _OTHERS + k
    return source


def _bits(words: Words) -> NDArray[np.float64]:
    """Return how many bits each number has."""
    return np.log2(words.astype(np.float64) + 1.0)


def _formed(column: Words, form: int) -> Words:
    """Return a column's words, or those of the sines or cosines of its numbers as float32."""
    if form == 0:
        return column
    with np.errstate(invalid="ignore", over="ignore"):
        turned = (np.sin if form == 1 else np.cos)(column.view(np.float32).astype(np.float64))
        return turned.astype(np.float32).view(np.uint32)


def _differences(column: Words, source: int, others: Sequence[Words]) -> Words:
    if source == _ITSELF:
        return column
    if source == _ABOVE:
        return _folded(np.diff(column, prepend=np.uint32(0)))
    which, form = divmod(source - _OTHERS, _FORMS)
    return _folded(column - _formed(others[which], form))


def _restored(differences: Words, source: int, others: Sequence[Words]) -> Words:
    if source == _ITSELF:
        return differences
    differences = (differences >> np.uint32(1)) ^ (np.uint32(0) - (differences & np.uint32(1)))
    if source == _ABOVE:
        return np.cumsum(differences, dtype=np.uint32)
    which, form = divmod(source - _OTHERS, _FORMS)
    return differences + _formed(others[which], form)


def _folded(differences: Words) -> Words:
    """Return small numbers for small differences of either sign: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return (differences << np.uint32(1)) ^ (np.uint32(0) - (differences >> np.uint32(31)))
