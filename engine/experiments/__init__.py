"""Experiments on Box2D: a question, a world that asks it, our prediction, and what came of it."""

from engine.experiments.first_contact import Impact
from engine.experiments.impact import Mover, first_touch, movers_of, stop_time, stop_window
from engine.experiments.prediction import hit_chance, predicts_hit, predicts_tunnel, tunnel_chance
from engine.experiments.range import Panel, Range, build_range, fire_bullet, range_settings
from engine.experiments.rules import Piece, RuleCost, RuleStepper, SweptImpact
from engine.experiments.shot import ShotResult, run_shot
from engine.experiments.shot_series import Jitter, ShotSeries, phases, run_burst, run_series, scatter
from engine.experiments.spec import (
    BULLET_SHAPES,
    DEFAULT_RADIUS,
    HALF_PHASE,
    RULES,
    TARGETS,
    BulletShape,
    Rule,
    ShotSpec,
    Target,
)
from engine.experiments.verdict import verdict
from engine.experiments.watch import Outcome, ShotWatch

__all__ = [
    "BULLET_SHAPES",
    "DEFAULT_RADIUS",
    "HALF_PHASE",
    "RULES",
    "TARGETS",
    "BulletShape",
    "Impact",
    "Jitter",
    "Mover",
    "Outcome",
    "Panel",
    "Piece",
    "Range",
    "Rule",
    "RuleCost",
    "RuleStepper",
    "ShotResult",
    "ShotSeries",
    "ShotSpec",
    "ShotWatch",
    "SweptImpact",
    "Target",
    "build_range",
    "fire_bullet",
    "first_touch",
    "hit_chance",
    "movers_of",
    "phases",
    "predicts_hit",
    "predicts_tunnel",
    "range_settings",
    "run_burst",
    "run_series",
    "run_shot",
    "scatter",
    "stop_time",
    "stop_window",
    "tunnel_chance",
    "verdict",
]
