"""Writes the players of the site: the steps of algorithms on their examples, and a few seconds of demos."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from docs.site.sources import ROOT, Sources
from engine import player, trace
from engine.app.files.opening import load_any_scene
from engine.common.errors import LabError
from engine.compare.pair.file import load_pair
from engine.player import Page
from engine.sim.actions import PressKey
from engine.sim.registry import find_demo
from engine.sim.scene_demo import scene_demo

if TYPE_CHECKING:
    from engine.sim.stage import RefereeFactory

__all__ = ["KEYS", "scene_page", "stepper_page", "write_players"]

KEYS = {"car": "right", "one_sided_platform": "j", "walker": "right"}
"""Keys that are held down in a scene."""

_WORKBENCH = ROOT / "sprites" / "samples" / "seesaw.json"
"""Scene that stands for what a visitor builds on the empty bench."""
_PAIR = ROOT / "demos" / "pairs" / "manifold.json"


def stepper_page(name: str) -> Page:
    """Return the steps of an algorithm on its example."""
    algorithm = trace.algorithm(name)
    return player.show(algorithm.steps(algorithm.example))


def scene_page(id: str, referee: RefereeFactory | None, seconds: float) -> Page:
    """Return the first seconds of a demo.

    Parameters
    ----------
    referee : callable or None
        As in `Demo`; without it no difference is marked.
    seconds : float
        Simulated length.

    Raises
    ------
    LabError
        The demo does not use its key of `KEYS`.
    """
    if id == "pair":
        return player.show(load_pair(_PAIR))
    kind = scene_demo(load_any_scene(str(_WORKBENCH)), str(_WORKBENCH)) if id == "workbench" else find_demo(id)
    demo = kind(referee=referee)
    if id in KEYS and not demo.sim.act(PressKey(KEYS[id])):
        raise LabError(f"the demo {id} does not use the key {KEYS[id]}")
    return player.show(demo, seconds)


def write_players(folder: Path, sources: Sources, referee: RefereeFactory | None, seconds: float, advance: Callable[[], object]) -> None:
    """Write the players that pages show, scenes of that simulated length; `advance` is called after each.

    Raises
    ------
    OSError
        A file cannot be written.
    """
    made = [(f"steppers/{name}.html", lambda name=name: stepper_page(name)) for name in sorted(sources.steppers)]
    made += [(f"scenes/{id}.html", lambda id=id: scene_page(id, referee, seconds)) for id in sorted(sources.scenes)]
    for kind in ("steppers", "scenes"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for name, page in made:
        page().save(folder / name)
        advance()
