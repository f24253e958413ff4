"""Experiments on Box2D: a question, a world that asks it, our prediction, and what came of it."""

from engine.experiments.prediction import first_touch, predicts_tunnel, tunnel_chance
from engine.experiments.range import Panel, Range, build_range, fire_bullet
from engine.experiments.shot import ShotResult, run_shot
from engine.experiments.spec import DEFAULT_RADIUS, HALF_PHASE, TARGETS, ShotSpec, Target
from engine.experiments.verdict import verdict
from engine.experiments.volley import Volley, phases, run_volley
from engine.experiments.watch import Impact, Outcome, ShotWatch

__all__ = [
    "DEFAULT_RADIUS",
    "HALF_PHASE",
    "TARGETS",
    "Impact",
    "Outcome",
    "Panel",
    "Range",
    "ShotResult",
    "ShotSpec",
    "ShotWatch",
    "Target",
    "Volley",
    "build_range",
    "fire_bullet",
    "first_touch",
    "phases",
    "predicts_tunnel",
    "run_shot",
    "run_volley",
    "tunnel_chance",
    "verdict",
]
