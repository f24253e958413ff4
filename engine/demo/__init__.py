"""What a demo is: the base class, its parameters, its worlds, where demos are found. It knows no pixel, no window and no time of day.

A demo is one file: a class derived from `Demo` under `@register(...)`, with `Parameter` for what can be set.
"""

from engine.demo.base import Demo, StatusLine
from engine.demo.parameters import Parameter
from engine.demo.registry import register
from engine.demo.stage import Stage

__all__ = ["Demo", "Parameter", "Stage", "StatusLine", "register"]
