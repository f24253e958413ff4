"""Registry of the demos. A module in `demos/` registers its class; there is no list to be kept by hand."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable
from typing import TypeVar

from engine.common.errors import InvalidInputError
from engine.common.words import shown
from engine.sim.demo import Demo

__all__ = ["Registry", "all_demos", "broken_demos", "find_demo", "register"]

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
    "Where Box2D surprises",
)
"""In the order of a course: what falls, what is shot, what is built of them, how it is checked. Any other category comes after these."""

_DemoClass = TypeVar("_DemoClass", bound=type[Demo])


class Registry:
    """Demo classes by id."""

    def __init__(self) -> None:
        self._classes: dict[str, type[Demo]] = {}
        self.broken: dict[str, str] = {}
        """Modules that could not be imported, and why."""

    def register(self, *, id: str, category: str, title: str, watch: str) -> Callable[[_DemoClass], _DemoClass]:
        """Return the class decorator that enters a demo.

        Parameters
        ----------
        id : str
            Stable, snake_case.
        category, title : str
            Where and how the browser lists it.
        watch : str
            One or two sentences: what to watch.

        Raises
        ------
        InvalidInputError
            The id is not snake_case, or another class has it.
        """
        if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", id) is None:
            raise InvalidInputError("id", "snake_case", id)

        def enter(demo: _DemoClass) -> _DemoClass:
            other = self._classes.get(id)
            if other is not None and (other.__module__, other.__qualname__) != (demo.__module__, demo.__qualname__):
                raise InvalidInputError("id", f"unlike that of {other.__module__}.{other.__qualname__}", id)
            demo.id, demo.category, demo.title, demo.watch = id, category, title, watch
            self._classes[id] = demo
            return demo

        return enter

    def discover(self, package: str = "demos") -> None:
        """Import every module of `package`, so that its demos register.

        One that cannot be imported is left out, and reported once on standard error: it must not take all others with it.
        """
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            name = f"{package}.{module.name}"
            if module.name.startswith("_") or name in self.broken:
                continue
            try:
                importlib.import_module(name)
            except Exception as error:
                self.broken[name] = f"{type(error).__name__}: {error}"
                sys.stderr.write(f"note: {name} is left out, it cannot be imported: {shown(self.broken[name])}\n")

    def all(self) -> tuple[type[Demo], ...]:
        """Return the demos by category, in the order of `_CATEGORIES`, then title."""
        place = {category: k for k, category in enumerate(_CATEGORIES)}
        return tuple(
            sorted(self._classes.values(), key=lambda demo: (place.get(demo.category, len(place)), demo.category, demo.title, demo.id))
        )

    def find(self, id: str) -> type[Demo]:
        """Return the demo of that id.

        Raises
        ------
        InvalidInputError
            There is none; the message names those there are.
        """
        if id not in self._classes:
            raise InvalidInputError("demo", "one of " + ", ".join(sorted(self._classes)), id)
        return self._classes[id]


_REGISTRY = Registry()
register = _REGISTRY.register


def all_demos() -> tuple[type[Demo], ...]:
    """Import and return all demos, by category, in the order of a course, then title."""
    _REGISTRY.discover()
    return _REGISTRY.all()


def broken_demos() -> dict[str, str]:
    """Import all demos and return the modules for which that failed, with the reason."""
    _REGISTRY.discover()
    return dict(_REGISTRY.broken)


def find_demo(id: str) -> type[Demo]:
    """Import all demos and return the one of that id, or raise `InvalidInputError`."""
    _REGISTRY.discover()
    return _REGISTRY.find(id)
