"""Muting two of a contact listener's four callbacks for a part of a step: what a call into Python for each of a thousand contacts costs.

Box2D calls a listener through its table of virtual functions, to which the first word of the object points:

    listener -> table of pybox2d's class       Begin  End  Pre  Post      each calls into Python, 0.4 us with nothing in it
                table without PreSolve         Begin  End   -   Post      - is b2ContactListener's own function, which does nothing
                table without PostSolve        Begin  End  Pre   -

Three words of a step need to be heard (`engine.box2d.listener`): the first PreSolve, the first PostSolve, and all that belongs to an
impact. In between the listener points to one of the other two tables, which are made once and stay. With 200 boxes in a heap a step takes
0.15 ms so, as without a listener, and 0.34 with one that hears everything.

Where the table has another layout (Windows), or anything in it is not where it should be, or `self_test` finds a difference, there is
nothing to mute with: slower, and equal.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

import Box2D

__all__ = ["Tables", "find_tables"]

_WORD = 8
_BEFORE, _BEGIN, _PRE_SOLVE, _POST_SOLVE, _END = 2, 2, 4, 5, 16
"""Words before the first function, rows of functions, and the end of what is copied (Itanium C++ ABI, 2.5: two destructors come first)."""


class Tables(NamedTuple):
    """Addresses of tables of virtual functions: of all four callbacks, without PreSolve, without PostSolve."""

    whole: int
    without_pre_solve: int
    without_post_solve: int


class _Symbol(ctypes.Structure):
    """`Dl_info` of dlfcn.h."""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("at", ctypes.c_void_p)]


_kept: list[ctypes.Array[ctypes.c_uint64]] = []
"""The tables that were made: an object may point to one until the process ends."""


def find_tables(listener: Any) -> Tables | None:
    """Return the tables for a listener of a class written in Python, or None where they are not where they should be."""
    if sys.platform == "win32" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return None
    silent = Box2D.b2ContactListener()
    whole, base = (_word(int(one.this)) for one in (listener, silent))
    functions = [_word(base + _WORD * k) for k in range(_POST_SOLVE + 1)] + [_word(whole + _WORD * k) for k in range(_POST_SOLVE + 1)]
    places = (whole - _BEFORE * _WORD, whole + _END * _WORD, base, *functions)
    if len({_library(at) for at in places}) != 1 or _library(whole) is None:
        return None
    if any(_word(whole + _WORD * k) == _word(base + _WORD * k) for k in range(_BEGIN, _POST_SOLVE + 1)):
        return None  # the class does not override them
    made = [whole]
    for row in (_PRE_SOLVE, _POST_SOLVE):
        table = (ctypes.c_uint64 * (_BEFORE + _END))(*(_word(whole + _WORD * k) for k in range(-_BEFORE, _END)))
        table[_BEFORE + row] = _word(base + _WORD * row)
        _kept.append(table)
        made.append(ctypes.addressof(table) + _WORD * _BEFORE)
    return Tables(*made)


def _word(at: int) -> int:
    return ctypes.c_uint64.from_address(at).value


def _library(at: int) -> int | None:
    """Return where the library begins in which an address lies."""
    found = _Symbol()
    is_known: int = ctypes.CDLL(None).dladdr(ctypes.c_void_p(at), ctypes.byref(found))
    return found.base if is_known else None
