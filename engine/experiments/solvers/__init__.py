"""The bench of methods: their results in scenes with known outcome, and their cost.

To be read in this order: `scenes` (what is built, what counts as standing), `measures` (what is measured, from poses alone), `trial` (one
method in one scene), `bench` (all of them).
"""

from engine.experiments.solvers.bench import DEFAULT_BUDGET, Need, Plan, Rung, Tried, needs, tried
from engine.experiments.solvers.scenes import GROUPS, SCENES, BenchScene, chosen_scenes, write_scenes
from engine.experiments.solvers.trial import Cell, Variant, chosen_variants, start_of

__all__ = [
    "DEFAULT_BUDGET",
    "GROUPS",
    "SCENES",
    "BenchScene",
    "Cell",
    "Need",
    "Plan",
    "Rung",
    "Tried",
    "Variant",
    "chosen_scenes",
    "chosen_variants",
    "needs",
    "start_of",
    "tried",
    "write_scenes",
]
