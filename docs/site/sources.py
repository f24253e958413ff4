"""Writes the pages of the site as Sphinx reads them: with navigation, and with places for the players."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath

from docs.pictures.strips import page_of
from engine import trace
from engine.sim.demo import Demo
from engine.sim.registry import all_demos

__all__ = ["ALSO", "INSTEAD", "PLAYERS", "ROOT", "Sources", "all_pages", "write_sources"]

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = "players"
"""Folder of the players on the site."""

ALSO = {
    "docs/algorithms/contact_set.md": ("gjk", "sat", "manifold"),
    "docs/algorithms/edges.md": ("sat",),
    "docs/algorithms/simple.md": ("sat", "moving_discs"),
    "docs/dynamics/contacts.md": ("manifold",),
    "docs/dynamics/continuous_collision.md": ("conservative_advancement", "swept_sat"),
    "docs/dynamics/exact_forces.md": ("contact_forces",),
    "docs/dynamics/sequential_impulses.md": ("sequential_impulses",),
    "docs/dynamics/soft_constraints.md": ("soft_step",),
}
"""Pages that describe algorithms of other pages, with their steppers; `Algorithm.page` names an algorithm's own page."""

INSTEAD = {
    "bounding_volumes": "smallest_circle",  # has no world
    "broadphase": "grid",  # its boxes would take 20 MB
    "stepper": "gjk",
}
"""Demos whose sections have a stepper instead of a scene."""

_SECTIONS = "docs/README.md"
"""Page whose tables are the navigation."""
_CODE_OR_LINK = re.compile(
    r"^```.*?^```|(!?)\[((?:`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\(([^)\s]+)\)|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
_STRIP = re.compile(r"(?:\.\./)*img/steppers/(\w+)\.png")
_STRIP_COMMAND = re.compile(r"^`python main\.py step (\w+)`:\n\n", re.MULTILINE)
_PICTURE = re.compile(r"(?:\.\./)*(?:docs/)?img/(\w+)\.png")
_ROW = re.compile(r"(?<=\| )`(\w+)` \|")
"""Cell with the id of a demo, in the table of the gallery."""
_STEPS = re.compile(r"(?:^\d+\. .*\n(?: +.*\n)*)+", re.MULTILINE)
_START = re.compile(r"^python3 -m venv .* main\.py$", re.MULTILINE)
_TOP = re.compile(r"^## ", re.MULTILINE)


@dataclass
class Sources:
    """What was written: pages by their path in the project, and the players that they show.

    Attributes
    ----------
    pages : dict
        Markdown of each page; "index.md" is README.md.
    steppers, scenes : set of str
        Names of the algorithms, and ids of the demos.
    """

    pages: dict[str, str] = field(default_factory=dict)
    steppers: set[str] = field(default_factory=set)
    scenes: set[str] = field(default_factory=set)


def all_pages() -> list[Path]:
    """Return the pages that the site is made of."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def write_sources(pages: Iterable[Path], repository: str = "") -> Sources:
    """Return the pages of the site.

    Parameters
    ----------
    pages : iterable of Path
        Some of `all_pages`.
    repository : str
        Address of the project's files, to which links to code lead, such as ``https://github.com/OWNER/NAME/blob/main``; without it their
        text stays.
    """
    writer = _Writer({path.relative_to(ROOT).as_posix() for path in pages}, repository)
    for name in sorted(writer.names):
        writer.add_page(name)
    writer.add_demo_pages()
    writer.add_navigation()
    return writer.made


class _Writer:
    def __init__(self, names: set[str], repository: str) -> None:
        self.names, self.repository, self.made = names, repository.rstrip("/"), Sources()
        self.demos = {demo.id: demo for demo in all_demos()}
        table = _ROW.findall((ROOT / "docs" / "demos.md").read_text(encoding="utf-8"))
        self.gallery = [id for id in table if id in self.demos and "docs/demos.md" in names]
        own = {name: page_of(trace.algorithm(name))[0].relative_to(ROOT).as_posix() for name in trace.algorithms()}
        self.steppers = {page: [name for name in own if own[name] == page] for page in own.values()}

    def add_page(self, name: str) -> None:
        text = (ROOT / name).read_text(encoding="utf-8")
        if name in ALSO:
            text = self._with_steppers(name, text, ALSO[name])
        if name == "docs/demos.md":
            text = self._with_scenes(name, text)
        text = _STRIP_COMMAND.sub("", text)
        text = _CODE_OR_LINK.sub(lambda found: self._linked(name, found), text)
        self.made.pages[_on_site(name)] = text

    def _with_steppers(self, name: str, text: str, algorithms: Iterable[str]) -> str:
        """Put steppers at the end of the derivation."""
        parts = _TOP.split(text)
        at = next(k for k, part in enumerate(parts) if part.startswith("Derivation"))
        frames = "\n\n".join(self._stepper(name, algorithm) for algorithm in algorithms)
        parts[at] = f"{parts[at].rstrip()}\n\n### Step by step\n\n{frames}\n\n"
        return "## ".join(parts)

    def _with_scenes(self, name: str, text: str) -> str:
        """Put scenes below what to try in each section of a demo without a picture, and link the table's demos to their pages."""
        for demo in self.demos.values():
            section = text.find(f"\n## {demo.id}\n")
            end = text.find("\n## ", section + 1)
            if section >= 0 and f"img/{demo.id}.png" not in text[section:end]:
                steps = _STEPS.search(text, section, end)
                assert steps is not None, f"docs/demos.md: {demo.id} says nothing to try"
                text = f"{text[: steps.end()]}\n{self._scene(name, demo)}\n{text[steps.end() :]}"
        return _ROW.sub(lambda row: f"[`{row[1]}`](demos/{row[1]}.md) |" if row[1] in self.gallery else row[0], text)

    def add_demo_pages(self) -> None:
        """Add a page for each demo of the gallery."""
        for id in self.gallery:
            demo = self.demos[id]
            name = f"docs/demos/{demo.id}.md"
            tries = "\n".join(f"{k}. {words}" for k, (words, _) in enumerate(demo.tries, 1))
            scene = self._scene(name, demo)
            text = f"# {demo.title}\n\n{demo.watch}\n\n{scene}\n\n## Try it\n\n`python main.py run {demo.id}`\n\n{tries}\n\n"
            self.made.pages[name] = f"{text}[What the numbers mean, and where they end](../demos.md#the-gallery)\n"

    def add_navigation(self) -> None:
        """Add hidden tables of contents: the sections of `_SECTIONS` on the first page, and on each other page those in its folder."""
        self.made.pages.setdefault("index.md", "# Collision laboratory\n")
        pages = set(self.made.pages)
        placed = {"index.md"}
        for name in sorted(pages - {"index.md", _SECTIONS}):
            folder = PurePosixPath(name).parent if name.endswith("README.md") else PurePosixPath(name).with_suffix("")
            inside = [page for page in pages if PurePosixPath(page).parent == folder and page != name]
            if inside:
                links = [_resolved(name, link) for link in re.findall(r"\]\(([^)#\s]+)", self.made.pages[name])]
                ordered = sorted(inside, key=lambda page: (links.index(page) if page in links else len(links), page))
                self.made.pages[name] += _contents("", name, ordered)
                placed |= {*inside}
        for part in (ROOT / _SECTIONS).read_text(encoding="utf-8").split("\n**")[1:]:
            title, _, rows = part.partition("**\n")
            linked = dict.fromkeys(_resolved(_SECTIONS, link) for link in re.findall(r"\]\(([^)#\s]+)", rows))
            listed = [page for page in linked if page in pages and page not in placed]
            placed |= {*listed}
            if listed:
                self.made.pages["index.md"] += _contents(title, "index.md", listed)
        rest = sorted(pages - placed)
        if rest:
            self.made.pages["index.md"] += _contents("The project", "index.md", rest)

    def _linked(self, name: str, found: re.Match[str]) -> str:
        """Return a link as the site needs it: to a page, to the project's files, or its text alone; a player at its picture."""
        is_picture, text, link = found[1], found[2], found[3]
        if link is None:
            return found[0]
        if is_picture:
            strip, picture = _STRIP.fullmatch(link), _PICTURE.fullmatch(link)
            if strip is not None:
                return self._stepper(name, strip[1])
            if picture is not None and picture[1] in self.demos and picture[1] not in self.gallery:
                scene = self._scene(name, self.demos[picture[1]])
                return _first(scene) if name == "README.md" else f"{found[0]}\n\n{scene}"
            return found[0]
        target, _, anchor = link.partition("#")
        if ":" in link or not target:
            return found[0]
        text = _CODE_OR_LINK.sub(lambda inner: self._linked(name, inner), text)
        path = _resolved(name, target)
        if path in self.names or path.startswith("docs/demos/"):
            title = "" if re.fullmatch(r"(?:\w+/)*\w*(?:\.md|/)", text) else text
            return f"[{title}]({_relative(name, _on_site(path))}{'#' * bool(anchor)}{anchor})"
        return f"[{text}]({self.repository}/{path})" if self.repository else text

    def _stepper(self, name: str, algorithm: str) -> str:
        self.made.steppers.add(algorithm)
        title = trace.algorithm(algorithm).title
        return _frame(name, f"steppers/{algorithm}.html", title, f"python main.py step {algorithm}", "stepper")

    def _scene(self, name: str, demo: type[Demo]) -> str:
        if demo.id in INSTEAD:
            return self._stepper(name, INSTEAD[demo.id])
        self.made.scenes.add(demo.id)
        return _frame(name, f"scenes/{demo.id}.html", demo.title, f"python main.py run {demo.id}", "scene")


def _frame(name: str, player: str, title: str, command: str, kind: str) -> str:
    """Return a frame that shows a player, loaded when it is scrolled into view, with its command and a link to the player alone."""
    address = escape(_relative(name, f"{PLAYERS}/{player}"))
    return (
        f'<figure class="live {kind}"><iframe src="{address}" title="{escape(title)}" loading="lazy"></iframe>\n'
        f'<figcaption><a href="{address}">Open on a page of its own</a> · <code>{escape(command)}</code></figcaption></figure>'
    )


def _first(scene: str) -> str:
    """Return the first screen: a scene with the command beside it that starts the program."""
    command = _START.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert command is not None
    lines = escape(command[0].replace(" && ", "\n"))
    return f'<div class="first">{scene}\n<div><p>Start it, with CPython 3.11 to 3.14:</p><pre>{lines}</pre></div></div>'


def _on_site(name: str) -> str:
    return "index.md" if name == "README.md" else name


def _resolved(name: str, link: str) -> str:
    """Return the path, in the project, of a relative link on a page."""
    parts: list[str] = []
    for part in (*PurePosixPath(name).parent.parts, *PurePosixPath(link).parts):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    path = "/".join(parts)
    return f"{path}/README.md".lstrip("/") if (ROOT / path / "README.md").is_file() else path


def _relative(name: str, path: str) -> str:
    """Return the link from a page to a path."""
    return "../" * (len(PurePosixPath(name).parts) - 1) + path


def _contents(title: str, name: str, pages: Iterable[str]) -> str:
    lines = [_relative(name, page).removesuffix(".md") for page in pages]
    caption = f":caption: {title}\n" if title else ""
    return "\n".join(["", "```{toctree}", ":hidden:", f"{caption}", *lines, "```", ""])
