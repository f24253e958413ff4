"""What the demo `bullet` calls its targets and rules, and the keys that choose them."""

from __future__ import annotations

from engine.experiments.spec import Rule, Target

__all__ = ["ALSO", "CHOICES", "LANE_KEYS", "NAMES", "RULE_MEANINGS", "RULE_NAMES", "TARGET_KEYS", "WITH_ZONE", "WORDS"]

IN_TURN: tuple[Target, ...] = ("static", "dynamic", "blade")
OTHERS: tuple[Target, ...] = ("static", "kinematic", "dynamic", "blade", "head_on", "sensor")
CHOICES: tuple[tuple[Target, ...], ...] = (IN_TURN, *((target,) for target in OTHERS))
WORDS = ("each", "wall", "moving", "plate", "blade", "bullet", "sensor")
ALSO = ("", "static", "kinematic", "dynamic", "", "head_on", "")
WITH_ZONE: tuple[Target, ...] = ("static", "dynamic")
"""Targets that stand still and upright: a discrete step is caught exactly if it ends in the zone before the middle."""
TARGET_KEYS = ("t", "w", "m", "p", "b", "o", "e")  # for the choices, in their order
LANE_KEYS = ("f2", "f3", "f4", "f5", "f6")
NAMES: dict[Target, str] = {
    "static": "static wall",
    "kinematic": "moving wall",
    "dynamic": "free thin plate",
    "blade": "spinning blade",
    "head_on": "another bullet",
    "sensor": "sensor",
}
RULE_NAMES: dict[Rule, str] = {
    "discrete": "CCD off",
    "default": "Box2D's default",
    "bullet": "CCD on (bullet flag)",
    "substeps": "Our sub-steps",
    "swept": "Our swept test",
}
RULE_MEANINGS: dict[Rule, str] = {
    "discrete": "checks only where each step ends",
    "default": "checks between steps, but only static bodies",
    "bullet": "checks between steps, everything solid",
    "substeps": "takes steps too short to jump over anything",
    "swept": "finds the first touch and stops the step there",
}
