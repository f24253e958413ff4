"""What was made lately and is wanted again: texts, plates, discs. What every frame asks for stays, what changes in every frame goes."""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["Recent"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values by key in two generations: once the young one is full it becomes the old one, and what was the old one is forgotten.

    What is found among the old becomes young again. So a value that is asked for at least once while `most` others come is never lost,
    whereas emptying a full cache would make every caption of the window anew in one frame.

    Parameters
    ----------
    most : int
        Values of a generation, >= 1; twice as many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, None if it is not known, or no more."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Key, value: Value) -> Value:
        """Keep a value, and return it."""
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[key] = value
        return value
