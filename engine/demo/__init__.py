"""Demos: the base class, its parameters, its worlds, where demos are found. The package knows no pixel, no window and no time of day.

A demo is one file: a class derived from `Demo` under `@register(...)`, with `Parameter` for what can be set.
"""

from engine.sim.claims import Claim
from engine.sim.demo import Demo, StatusLine
from engine.sim.parameters import Parameter
from engine.sim.registry import register
from engine.sim.stage import Stage

__all__ = ["Claim", "Demo", "Parameter", "Stage", "StatusLine", "register"]
