"""Writes the page of the player: one HTML file with its style, its script and the recordings, which loads no other file.

The script is the modules of `web`, joined in the order of their imports. The page's content security policy allows only that script and
that style, by their hashes, so text from a scene cannot run.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from importlib.resources import files

from engine.common.words import shown
from engine.render import palette
from engine.report.page import render_page

__all__ = ["player_page"]

_IMPORT = re.compile(r'^import \{.*?\} from "\./(\w+)\.js";\n', re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def player_page(title: str, recordings: Sequence[str]) -> str:
    """Return a page with a player for each recording, encoded by `engine.player.encoding`."""
    from markupsafe import Markup

    parts = {"script": Markup(_script()), "style": Markup(_style())}
    return render_page("page.html", "player/web", title=shown(title), recordings=recordings, **parts)


@functools.cache
def _script() -> str:
    """Return all modules as one, each after those that it imports."""
    joined: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in joined:
            source = _read(f"{name}.js")
            for imported in _IMPORT.findall(source):
                add(imported)
            joined[name] = _EXPORT.sub("", _IMPORT.sub("", source))

    add("main")
    return "\n".join(joined.values())


def _style() -> str:
    dark, light = palette.DARK.css(), palette.LIGHT.css()
    themes = f":root {{ --fill-share: {palette.FILL_SHARE}; {dark} }}\n@media (prefers-color-scheme: light) {{ :root {{ {light} }} }}\n"
    return themes + _read("player.css")


def _read(name: str) -> str:
    return (files("engine.player") / "web" / name).read_text(encoding="utf-8")
