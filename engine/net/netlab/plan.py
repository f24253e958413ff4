"""The plan of an experiment: scene, number of clients, links, hands and method."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.common.checks import choice, integer, seed_number, within
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net.link import LinkSettings
from engine.net.messages import METHODS
from engine.net.netlab.random_user import RATE, RandomUser, ScriptedUser
from engine.net.script import Script, ScriptedAct
from engine.net.server import ServerSettings
from engine.sim.users import MAX_USERS

__all__ = ["LINK_FIELDS", "MAX_STEPS", "SWEPT", "Plan", "swept"]

_PERFECT = LinkSettings()
_USUAL = ServerSettings()
MAX_STEPS = 1_000_000
_MAX_RATE = 60.0
LINK_FIELDS = ("latency", "jitter", "loss", "reorder", "duplicate", "bandwidth")
"""Numeric fields of a link."""
SWEPT = {**{name: name for name in LINK_FIELDS}, "delay": "delay", "window-steps": "window", "clients": "n_clients", "rate": "rate"}
"""Quantities that can be swept, with their field: of the link, both ways, or of the plan."""


@dataclass(frozen=True, slots=True)
class Plan:
    """See the module.

    Attributes
    ----------
    scene : dict
        How the demo is made, plain data (`engine.net.scene.scene_of`).
    title : str
        Of the demo, for people.
    n_clients : int
        1 to 64.
    up, down : LinkSettings
        The way to the server, and the way back.
    steps : int
        Ticks that are played and compared.
    seed : int
        Of links and hands.
    method : str
        By which clients keep up, one of `METHODS`.
    delay, window : int
        Ticks, see `ServerSettings`.
    script : tuple of ScriptedAct, optional
        None for random hands.
    rate : float
        Things that a random hand begins a second.
    join_at : int or None
        Tick at which the last client comes; None: with the others, at the beginning.

    Raises
    ------
    InvalidInputError
        One is outside its range.
    """

    scene: dict[str, Any]
    title: str = ""
    n_clients: int = 4
    up: LinkSettings = _PERFECT
    down: LinkSettings = _PERFECT
    steps: int = 600
    seed: int = 0
    method: str = "prediction"
    delay: int = _USUAL.delay
    window: int = _USUAL.window
    script: tuple[ScriptedAct, ...] | None = None
    rate: float = RATE
    join_at: int | None = None

    def __post_init__(self) -> None:
        integer("clients", self.n_clients, 1, MAX_USERS)
        integer("steps", self.steps, 1, MAX_STEPS)
        seed_number("seed", self.seed)
        choice("method", self.method, METHODS)
        integer("delay", self.delay, 0, 1000)
        integer("window-steps", self.window, 1, 10_000)
        within("rate", self.rate, 0.0, _MAX_RATE)
        if self.join_at is not None:
            integer("join-at", self.join_at, 1, self.steps - 1)

    @property
    def server_settings(self) -> ServerSettings:
        return ServerSettings(delay=self.delay, window=self.window)

    def hands(self, client: int) -> RandomUser | ScriptedUser:
        """Return the hands of a client, numbered from 0."""
        if self.script is not None:
            return ScriptedUser(Script(self.script, client + 1))
        return RandomUser(stream(self.seed, "hand", client), self.rate)

    def joins_at(self, client: int) -> int:
        """Return the tick at which a client, numbered from 0, joins."""
        return self.join_at if self.join_at is not None and client == self.n_clients - 1 else 0


def swept(plan: Plan, name: str, values: Iterable[float]) -> list[Plan]:
    """Return a plan for each value of one of `SWEPT`.

    Raises
    ------
    InvalidInputError
        There is none of that name, or a value is outside its range.
    """
    if name not in SWEPT:
        raise InvalidInputError("sweep", "NAME=LIST, NAME one of " + ", ".join(SWEPT), name)
    plans = []
    for value in values:
        if name in LINK_FIELDS:
            changes: dict[str, Any] = {name: value}
            plans.append(replace(plan, up=replace(plan.up, **changes), down=replace(plan.down, **changes)))
        else:
            is_count = name != "rate" and math.isfinite(value) and value == int(value)
            changes = {SWEPT[name]: int(value) if is_count else value}
            plans.append(replace(plan, **changes))
    return plans
