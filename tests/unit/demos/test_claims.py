"""Every number that a demo claims, measured on Box2D and on our own solver."""

from __future__ import annotations

import pytest

from demos.bridge import Bridge
from engine.box2d import memory
from engine.demo import Claim
from engine.sim.registry import all_demos

Values = dict[str, object]
DEFAULTS = {"filters": {"rate": 5}, "scattering": {"shots": 15}}
"""Values of the first run that differ from a demo's own: with more shots, our solver turns the outermost before they touch."""
MORE = {
    "buoyancy": [{"water": 1.6}],
    "catapult": [{"weight": 150, "stop": 60}],
    "dominoes": [{"gap": 0.6, "friction": 0.4}],
    "ghost_collisions": [{"slider": "disc", "rate": 6}],
    "newtons_cradle": [{"pulled": 2, "gap": 10}],
    "one_sided_platform": [
        {"jumpers": 10, "slowest": 4},
        {"jumpers": 1, "slowest": 7.6, "fastest": 8},
        {"jumpers": 1, "slowest": 7.5, "fastest": 8},
    ],
    "pyramid": [{"shape": "tower", "rows": 6}],
    "pulley": [{"mass_1": 1, "mass_2": 4, "ratio": 2}, {"mass_1": 5, "mass_2": 5, "ratio": 0.5}, {"mass_1": 2}],
    "radial_engine": [{"cylinders": 1}, {"cylinders": 9, "speed": -200}],
    "scattering": [{"restitution": 0.6}],
    "tilted_board": [{"turn": 20}],
    "tower_hit": [{"phase": phase, "shot": shot} for shot in ("bullet", "ball") for phase in (0, 0.4, 0.8)],
}
"""Further runs on Box2D."""
QUICK = {"pulley", "radial_engine", "scattering", "breakable", "bounce", "conveyor", "one_sided_platform"}
"""Demos whose claims the default suite checks on our own solver too."""


def _runs():
    for kind in all_demos():
        first = DEFAULTS.get(kind.id, {})
        solved = [("box2d", values) for values in (first, *MORE.get(kind.id, ()))]
        if kind.id != "ghost_collisions":  # it predicts what Box2D does
            solved.append(("soft_step", first))
        for solver, values in solved if kind.claims else ():
            marks = () if solver == "box2d" or kind.id in QUICK else pytest.mark.slow
            words = "-".join(f"{name}={value}" for name, value in values.items())
            yield pytest.param(kind, solver, values, id=f"{kind.id}-{solver}-{words}", marks=marks)


@pytest.mark.parametrize(("kind", "solver", "values"), list(_runs()))
def test_claims_hold_after_their_stated_times(kind, solver, values):
    memory.load()  # without it every keyframe would start joints from no impulse
    demo = kind(3, values, solver=solver)
    if isinstance(demo, Bridge):
        demo.world.destroy_body(demo.ball)  # with it the bridge needs a minute to come to rest
    for claim in sorted(kind.claims, key=lambda claim: claim.after):
        while demo.steps * demo.step_seconds < claim.after or claim.holds(demo) is None:
            assert demo.steps * demo.step_seconds < claim.after + 5.0, f"nothing was measured of {claim.what}"
            demo.sim.step()
        assert claim.holds(demo), claim.verdict(demo)


def test_a_claim_gives_both_numbers_and_a_verdict_only_when_possible():
    claim = Claim("sag", "m", 1.0, lambda demo: demo.measured, 2.0, lambda demo: demo.allowed, 1)
    demo = _Measured()
    for measured, allowed, steps, words, holds in (
        (None, 0.5, 60, "sag: ... (predicted 2.0)", None),
        (2.4, None, 60, "sag: 2.4 m (predicted 2.0)", None),
        (2.4, 0.5, 59, "sag: 2.4 m (predicted 2.0 within 0.5)", None),
        (2.4, 0.5, 60, "sag: 2.4 m (predicted 2.0 within 0.5)", True),
        (2.6, 0.5, 60, "sag: 2.6 m (predicted 2.0 within 0.5)", False),
        (2.05, 0.5, 60, "sag: 2.0 m (predicted 2.0)", True),
    ):
        demo.measured, demo.allowed, demo.steps = measured, allowed, steps
        verdict = claim.verdict(demo)
        assert verdict[0].replace("... m", "...") == words and claim.holds(demo) is holds
    assert claim._replace(predicted=lambda demo: None).verdict(demo) is None


class _Measured:
    measured: float | None
    allowed: float | None
    steps: int
    step_seconds = 1.0 / 60.0
