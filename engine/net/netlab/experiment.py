"""Defines the settings of an experiment on a shared world, such as scene, clients, links and users."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.common.checks import choice, integer, seed_number, within
from engine.net.link import LinkSettings
from engine.net.messages import METHODS, SharedScene
from engine.net.netlab.random_user import RATE
from engine.net.script import ScriptedAction
from engine.net.server import MAX_ROLLBACK, ServerSettings
from engine.sim.users import MAX_USERS

__all__ = ["LINK_FIELDS", "SWEPT", "Experiment", "sweep"]

_MAX_STEPS = 1_000_000
_MAX_RATE = 60.0
LINK_FIELDS = ("latency", "jitter", "loss", "reorder", "duplicate", "bandwidth")
"""Numeric fields of a link."""
SWEPT = {
    **{name: name for name in LINK_FIELDS},
    "delay": "delay",
    "rollback": "rollback",
    "window-steps": "window",
    "clients": "n_clients",
    "rate": "rate",
}
"""For each quantity that can be swept, the field that it sets in the link or in the experiment."""
_SERVER, _LINK = ServerSettings(), LinkSettings()


@dataclass(frozen=True, slots=True)
class Experiment:
    """Settings of an experiment on a shared world.

    Attributes
    ----------
    scene : SharedScene
        Description of the demo.
    title : str
        Title of the demo.
    n_clients : int
        Number of clients, 1 to 64.
    link : LinkSettings
        Link between each client and the server, in each direction.
    steps : int
        Number of ticks to simulate and compare.
    seed : int
        Seed of links and users.
    method : str
        Synchronization method of the clients, one of `METHODS`.
    delay, rollback, window : int
        Ticks, see `ServerSettings`.
    script : tuple of ScriptedAction, optional
        Actions of the users; None for random users.
    rate : float
        Mean number of actions that a random user begins per second.
    join_at : int or None
        Tick at which the last client joins; None means at the start, with the others.

    Raises
    ------
    InvalidInputError
        A field is outside its range.
    """

    scene: SharedScene
    title: str = ""
    n_clients: int = 4
    link: LinkSettings = _LINK
    steps: int = 600
    seed: int = 0
    method: str = "prediction"
    delay: int = _SERVER.delay
    rollback: int = _SERVER.rollback
    window: int = _SERVER.window
    script: tuple[ScriptedAction, ...] | None = None
    rate: float = RATE
    join_at: int | None = None

    def __post_init__(self) -> None:
        integer("clients", self.n_clients, 1, MAX_USERS)
        integer("steps", self.steps, 1, _MAX_STEPS)
        seed_number("seed", self.seed)
        choice("method", self.method, METHODS)
        integer("delay", self.delay, 0, 1000)
        integer("rollback", self.rollback, 0, MAX_ROLLBACK)
        integer("window-steps", self.window, 1, 10_000)
        within("rate", self.rate, 0.0, _MAX_RATE)
        if self.join_at is not None:
            integer("join-at", self.join_at, 1, self.steps - 1)


def sweep(experiment: Experiment, name: str, values: Iterable[float]) -> list[Experiment]:
    """Return one experiment per value of a quantity in `SWEPT`; raises `InvalidInputError` if a value is outside its range."""
    varied = []
    for value in values:
        if name in LINK_FIELDS:
            changes: dict[str, Any] = {name: value}
            varied.append(replace(experiment, link=replace(experiment.link, **changes)))
        else:
            is_count = name != "rate" and math.isfinite(value) and value == int(value)
            changes = {SWEPT[name]: int(value) if is_count else value}
            varied.append(replace(experiment, **changes))
    return varied
