"""Kinds of joints. Each is found by its module: its specification, the labels of its settings, and its rows of constraints."""

from importlib import import_module
from pkgutil import iter_modules

from engine.world.joints.interface import JointSpec

__all__ = ["JOINT_SPECS"]

_KINDS = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if module.name not in ("interface", "rows"))

JOINT_SPECS: tuple[type[JointSpec], ...] = tuple(getattr(module, name) for module in _KINDS for name in module.__all__)
"""All joint specification classes."""
