"""Impulses pair by pair and shock propagation; see `_shock_propagation_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.dynamics.methods._contact_graph_kernel import contact_layers
from engine.dynamics.methods._shock_propagation_kernel import Graph, Plan, shock_propagation
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.model import READ, SUM

__all__ = ["METHOD", "ShockPropagation"]


class ShockPropagation(Method):
    """Solves collisions first, then contacts by sweeps over the contact graph; the last sweep freezes the graph layer by layer.

    No impulse is kept from step to step.
    """

    title = "Shock propagation"
    settings = (
        Setting("sweeps", "Sweeps", 5, 1, 100, is_whole=True, help="Sweeps over all contacts in a step, including the last one."),
        Setting(
            "collision_passes",
            "Collision passes",
            5,
            0,
            100,
            is_whole=True,
            help="Passes over the pairs that collide before the sweeps begin.",
        ),
        Setting(
            "restitution_from",
            "Restitution of the first sweep",
            -0.8,
            -1.0,
            0.0,
            help="Restitution of the first sweep; later sweeps approach the restitution of the bodies.",
        ),
        Setting(
            "shock",
            "Freeze layers",
            "on",
            choices=("on", "off"),
            help="In the last sweep, keeps each layer of a stack still while the layer above is solved.",
        ),
        Setting(
            "points",
            "Points of a pair",
            "together",
            choices=("together", "one_by_one"),
            help="Solves both contact points of a pair together, or one by one, the deepest first.",
        ),
        Setting(
            "static_ratio",
            "Static friction ratio",
            1.0,
            1.0,
            10.0,
            help="Ratio of static friction to the fixtures' friction, which acts while they slide.",
        ),
        Setting("push_share", "Overlap removed per sweep", 0.05, 0.0, 1.0, help="Fraction of an overlap that a sweep removes."),
        Setting("push_sweeps", "Push-apart sweeps", 2, 0, 20, is_whole=True, help="Sweeps that push overlapping bodies apart."),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        bodies, contacts, joints = step.bodies(step.dt), step.contacts, step.joints
        joined = joints.bodies[(joints.kind != SUM) & (joints.mode != READ)]
        lower, component, layer = contact_layers(contacts.bodies, contacts.normal, *step.gravity, joined, bodies.inverse)
        order = np.argsort(layer[contacts.bodies].max(axis=1), kind="stable")
        plan = Plan(
            options["sweeps"],
            options["collision_passes"],
            options["restitution_from"],
            options["push_share"],
            options["push_sweeps"],
            options["shock"] == "on",
            options["points"] == "one_by_one",
            options["static_ratio"],
        )
        graph = Graph(lower, order, component, layer)
        traced(shock_propagation)(bodies, contacts, joints, step.restitution, graph, plan, step.threshold, step.dt, step.soft_h)
        return step.ended(bodies)


METHOD = ShockPropagation()
