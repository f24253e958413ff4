"""Statements of the engines' documentation about the tests, each with its page, section and address.

Box2D 2.3's manual is read in LiquidFun's Programmer's Guide, which keeps its text; pymunk's page is made from its docstrings.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BULLETS",
    "BULLETS_3",
    "COLLISION_SLOP",
    "ITERATIONS",
    "SMALLER_STEPS",
    "SUB_STEPS",
    "Quote",
    "box2d",
    "box2d3",
    "pymunk",
]

Place = tuple[str, str]
"""Page with section, and address."""

_GUIDE = "https://github.com/google/liquidfun/blob/master/liquidfun/Box2D/Box2D/Documentation/Programmers-Guide"
_BOX2D3 = "https://github.com/erincatto/box2d/blob/v3.1.0"
_PYMUNK = "https://www.pymunk.org/en/latest/pymunk.html"


class Quote(NamedTuple):
    """A summarized statement of a manual, with its page, section and address."""

    words: str
    page: str
    address: str


def _guide(chapter: str, section: str) -> Place:
    return f"Box2D 2.3 manual, {chapter.partition('_')[2].replace('_', ' ')}, {section}", f"{_GUIDE}/{chapter}.md"


def _simulation(section: str, anchor: str) -> Place:
    return f"Box2D 3.1 documentation, Simulation, {section}", f"{_BOX2D3}/docs/simulation.md#{anchor}"


def _member(name: str) -> Place:
    return f"pymunk documentation, {name}", f"{_PYMUNK}#pymunk.{name}"


BULLETS, ITERATIONS = _guide("Chapter06_Bodies", "Bullets"), _guide("Chapter02_Hello_Box2D", "Simulating the World")
BULLETS_3, SUB_STEPS = _simulation("Bullets", "bullets"), _simulation("World, Simulation", "simulation-1")
SMALLER_STEPS, COLLISION_SLOP = _member("Space.step"), _member("Space.collision_slop")


def box2d(words: str, chapter: str, section: str) -> Quote:
    """Return a quote of Box2D 2.3's manual."""
    return Quote(words, *_guide(chapter, section))


def box2d3(words: str, section: str, path: str = "docs/simulation.md", page: str = "Simulation") -> Quote:
    """Return a quote of Box2D 3.1's documentation, or of a header."""
    return Quote(words, f"Box2D 3.1 documentation, {page}, {section}", f"{_BOX2D3}/{path}")


def pymunk(words: str, member: str) -> Quote:
    """Return a quote of pymunk's documentation of a class or its member."""
    return Quote(words, *_member(member))
