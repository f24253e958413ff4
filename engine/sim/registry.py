"""Registry of demos. Modules in `demos/` register their classes with a decorator."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable
from typing import TypeVar

from engine.common.errors import InvalidInputError
from engine.common.installation import laboratory
from engine.common.words import shown
from engine.sim.demo import Demo

__all__ = ["Registry", "all_demos", "find_demo", "register"]

_CATEGORIES = (
    "Build your own",
    "Shapes and contacts",
    "Fast bullets",
    "Stacks and towers",
    "Machines and joints",
    "Materials",
    "Impacts",
    "Filters and sensors",
    "Two answers compared",
    "Algorithms",
    "Limitations of Box2D",
)
"""Categories in the order of the demo list, from basic to advanced; other categories follow."""

_DemoClass = TypeVar("_DemoClass", bound=type[Demo])


class Registry:
    """Demo classes by id."""

    def __init__(self) -> None:
        self._classes: dict[str, type[Demo]] = {}
        self.broken: dict[str, str] = {}
        """Error messages of modules that could not be imported, by module name."""

    def register(self, *, id: str, category: str, title: str, watch: str) -> Callable[[_DemoClass], _DemoClass]:
        """Return a class decorator that registers a demo.

        Parameters
        ----------
        id : str
            Stable id in snake_case.
        category, title : str
            Category and title in the demo list.
        watch : str
            One or two sentences about what to watch.

        Raises
        ------
        InvalidInputError
            The id is not snake_case, or is used by another class.
        """
        if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", id) is None:
            raise InvalidInputError("id", "snake_case", id)

        def enter(demo: _DemoClass) -> _DemoClass:
            other = self._classes.get(id)
            if other is not None and (other.__module__, other.__qualname__) != (demo.__module__, demo.__qualname__):
                raise InvalidInputError("id", f"different from that of {other.__module__}.{other.__qualname__}", id)
            demo.id, demo.category, demo.title, demo.watch = id, category, title, watch
            self._classes[id] = demo
            return demo

        return enter

    def discover(self, package: str = "demos") -> None:
        """Import every module of `package`, which registers its demos.

        Modules that cannot be imported are skipped and reported once on standard error.
        """
        laboratory()
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            name = f"{package}.{module.name}"
            if module.name.startswith("_") or name in self.broken:
                continue
            try:
                importlib.import_module(name)
            except Exception as error:
                self.broken[name] = f"{type(error).__name__}: {error}"
                sys.stderr.write(f"note: {name} is omitted because it cannot be imported: {shown(self.broken[name])}\n")

    def all(self) -> tuple[type[Demo], ...]:
        """Return all demos, sorted by category in the order of `_CATEGORIES`, then by title."""
        place = {category: k for k, category in enumerate(_CATEGORIES)}
        return tuple(
            sorted(self._classes.values(), key=lambda demo: (place.get(demo.category, len(place)), demo.category, demo.title, demo.id))
        )

    def find(self, id: str) -> type[Demo]:
        """Return the demo with this id.

        Raises
        ------
        InvalidInputError
            There is no such demo; the message lists all ids.
        """
        if id not in self._classes:
            raise InvalidInputError("demo", "one of " + ", ".join(sorted(self._classes)), id)
        return self._classes[id]


_REGISTRY = Registry()
register = _REGISTRY.register


def all_demos() -> tuple[type[Demo], ...]:
    """Import and return all demos, sorted by category, then by title."""
    _REGISTRY.discover()
    return _REGISTRY.all()


def find_demo(id: str) -> type[Demo]:
    """Import all demos and return the one with this id, or raise `InvalidInputError`."""
    _REGISTRY.discover()
    return _REGISTRY.find(id)
