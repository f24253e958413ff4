"""A joint of any kind, made from the rules of its fields."""

from dataclasses import MISSING, fields

from engine.world.fields import rule_of

__all__ = ["arguments"]


def arguments(kind):
    """Return the required fields of a kind of joint between bodies 0 and 1, or on joints 0 and 1; its points are 1 m apart."""
    names = [field.name for field in fields(kind) if field.default is MISSING]
    return {name: _value(rule_of(kind, name), name, k) for k, name in enumerate(names)}


def _value(rule, name, k):
    return {"whole": int(not name.endswith("_a")), "vector": (float(k), 0.5), "direction": (1.0, 0.0), "number": 1.0}[rule.kind]
