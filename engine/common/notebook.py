"""Shows results in notebooks. The page is made by `engine.player`, a higher layer, which is loaded by name when a notebook asks for it."""

from __future__ import annotations

from importlib import import_module

__all__ = ["Shown"]


class Shown:
    """Base class of objects that a notebook shows as a page that plays; see `engine.player.show`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module("engine.player").show(self)._repr_html_()
        return html
