"""The steppers of our own solvers, as one table: `engine.dynamics.methods`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.contracts.trace import Mark, View
from engine.dynamics.methods.protocol import StepBegin
from engine.dynamics.traced import traced_step
from engine.geometry import Circle, Polygon
from engine.scenes.scene import SceneWorld
from engine.trace._solver_steps import SolverDecoder
from engine.trace.protocol import PLANE, Algorithm, TraceSteps, code
from engine.trace.scene_case import SceneCase
from engine.world import BodySpec, BodyState, FixtureSpec, World, WorldSettings

__all__ = ["ALGORITHMS", "stack"]

_IMPULSES = View("impulses", "accumulated normal impulse, both points", x="step", y="N s")
_FORCES = View("impulses", "normal forces, both points", x="step", y="N")


def stack(solver: str, settings: Mapping[str, float | str], with_disc: bool = True) -> SceneCase:
    """Return two boxes, the upper one five times as heavy and sliding, and optionally a disc on top, after one step.

    The soft step has two sub-steps, the other methods follow their settings.
    """
    ground = BodySpec((FixtureSpec(Polygon.box(3.0, 0.25), friction=0.6),), "static", (0.0, -0.25))
    light = BodySpec((FixtureSpec(Polygon.box(0.6, 0.4), 1.0, 0.6),), position=(0.0, 0.4))
    heavy = BodySpec((FixtureSpec(Polygon.box(0.5, 0.4), 5.0, 0.6),), position=(0.1, 1.2), linear_velocity=(0.6, 0.0))
    disc = BodySpec((FixtureSpec(Circle(0.3), 1.0, 0.6),), position=(0.2, 1.9))
    world = WorldSettings(velocity_iterations=2, solver_settings=tuple(settings.items()))
    return SceneCase.of_scene(SceneWorld(world, (ground, light, heavy, *[disc] * with_disc), solver=solver), taken=1)


class SolverStepper(Algorithm[SceneCase]):
    """One step of a world by one of our methods.

    Attributes
    ----------
    lines : mapping of str to int
        The line of the pseudocode for each kind of step.
    sweep_word : str
        Name of a sweep in captions.
    """

    decoder = SolverDecoder

    def __init__(
        self, method: str, title: str, page: str, text: str, beside: tuple[str, ...], settings: Mapping[str, float | str],
        sweep_word: str = "Sweep", view: View = _IMPULSES, with_disc: bool = True,
    ) -> None:  # fmt: skip
        """Read the pseudocode from a text in which "#" at the end of a line precedes the kinds of steps that the line covers."""
        rows = [line.partition("#")[::2] for line in code(text)]
        self.name, self.title, self.page, self.beside = method, title, f"solvers/{method}.md{page}", beside  # type: ignore[misc]
        self.pseudo_code = tuple(words.rstrip() for words, _ in rows)  # type: ignore[misc]
        self.lines = {kind: line for line, (_, kinds) in enumerate(rows) for kind in kinds.split()}
        self.views = PLANE, view  # type: ignore[misc]
        self.sweep_word, self._stack = sweep_word, (settings, with_disc)

    @property
    def example(self) -> SceneCase:
        return stack(self.name, *self._stack)

    def query(self, case: SceneCase) -> tuple[BodyState, ...]:
        world = World.from_snapshot(case.before(self.name))
        world.step()
        return tuple(world.state(body) for body in world.body_ids)

    def steps(self, case: SceneCase) -> TraceSteps:
        snapshot = case.before(self.name)
        motion, events = traced_step(snapshot)
        problem = next((event.problem for event in events if isinstance(event, StepBegin)), None)
        states = tuple(
            BodyState((x, y), angle, (vx, vy), spin, awake)
            for (x, y, angle, vx, vy, spin), awake in zip(motion.values.tolist(), motion.awake.tolist(), strict=True)
        )
        return TraceSteps(SolverDecoder(self, case, states, snapshot=snapshot, problem=problem).decode(events), self, case)

    def scenery(self, case: SceneCase) -> tuple[Mark, ...]:
        return case.scenery_of(self.name)


ALGORITHMS: tuple[Algorithm[Any], ...] = (
    SolverStepper(
        "sequential_impulses", "Sequential impulses: one impulse at a time", "#how-it-works", """
        v = v + dt (g + F / m)                             # free
        reapply the last step's impulses                   # warm
        repeat:
          solve all joints                                 # joints
          for each contact, each point, along the normal:
            P = max(P - m (rate + bias), 0)                # normal
            apply the change of P to B, the opposite to A
          for each point of it, along the tangent:
            P_t = P_t - m_t rate, within +- mu P           # tangent
        x = x + dt v                                       # answer
        """,
        ("soft_step", "xpbd"), {"iterations": 3},
    ),
    SolverStepper(
        "soft_step", "Soft step: sub-steps, soft contacts, relaxation", "", """
        apply restitution                                     # bounce
        repeat in each sub-step of h:
          v = v + h (g + F / m)                               # free
          reapply the last sub-step's impulses                # warm
          solve all joints                                    # joints
          for each soft contact: both points along the normal
            w = rate + bias + give P >= 0, P >= 0, w P = 0    # pair
          or a point alone
            P = max(P - share m (rate + bias) - kept P, 0)    # normal
          and then along the tangent: within +- mu P          # tangent
          x = x + h v                                         # move
          take back what pushed crammed bodies apart          # taken_back
          repeat without pushing apart (relaxation)           # answer
        """,
        ("sequential_impulses", "xpbd"), {}, sweep_word="Sub-step", with_disc=False,
    ),
    SolverStepper(
        "xpbd", "XPBD: positions first, velocities from them", "#derivation", """
        repeat in each sub-step of h:
          v = v + h (g + F / m)                                      # free
          x = x + h v                                                # fly
          solve all joints                                           # joints
          for each contact, each point:
            overlaps by C: P = P - (C / h + s P) / (w + s), P >= 0   # placed
            move the bodies apart by h P / m
            if it has slid: move it back if that takes at most mu P  # held
          v = (x - x before) / h                                     # velocities
          for each point that was pushed:
            its normal velocity is set by restitution                # restored
            sliding friction slows it, by at most mu P               # slid answer
        """,
        ("avbd", "soft_step", "sequential_impulses"), {"sub_steps": 2}, sweep_word="Sub-step", with_disc=False,
    ),
    SolverStepper(
        "avbd", "AVBD: minimizing the energy, body by body", "#derivation", """
        y = where all bodies would be without contacts and joints  # free
        start there, less the gravity carried by contacts          # fly
        repeat:
          for each body alone, the others fixed:
            Newton: (M / h^2 + sum k J^T J) dx = residual force    # descent
          for each contact, each point:
            f = max(f - k C, 0); friction within +- mu f           # dual
            k = k + beta |C| of each row within its bounds
        v = (x - x before) / h                                     # velocities answer
        apply restitution                                          # restored
        """,
        ("xpbd", "penalty", "sequential_impulses"), {"iterations": 3}, sweep_word="Iteration",
    ),
    SolverStepper(
        "shock_propagation", "Shock propagation", "#a-step", """
        collide pairs that would overlap, with the old velocities
        v = v + dt (g + F / m)                                     # free
        repeat, e rising from -0.8 to 0:
          solve all joints                                         # joints
          for each contact from the ground up:
            both points: K P = -(1 + e) u, neither pulls           # collide
            friction: static if within the cone, else mu P
        layer by layer from the ground up: the same,
          with infinite mass below each pair
        x = x + dt v                                               # move
        move overlapping bodies apart, velocities unchanged        # apart answer
        """,
        ("sequential_impulses",), {"sweeps": 3, "push_sweeps": 1},
    ),
    SolverStepper(
        "penalty", "Penalty springs", "#derivation", """
        repeat in each sub-step of h:
          for each contact, each point that overlaps by d:
            F = max(k d - c d', 0)                                   # force
            F_t = -k stretch - c_t slip, within +- mu F
            pull the joints together with springs
          v = v + h (g + F / m), or another integrator               # free
          limit the energy returned to e^2 of the energy absorbed    # restored
          x = x + h v                                                # move answer
        """,
        ("sequential_impulses", "xpbd", "avbd"), {"sub_steps": 5}, sweep_word="Sub-step", view=_FORCES,
    ),
    SolverStepper(
        "contact_forces", "Contact forces: collisions in time, forces by pivoting", "#how-it-works", """
        until the step is over:                                     # answer free warm joints
          impulses where touching points approach                   # collision normal tangent
          integrate, at each stage of RK4:
            forces: a = A f + b >= 0, f >= 0, f a = 0               # forces
              grow the next force, until a row                      # pivot
              reaches its bound or is free: a pivot
          if that makes anything overlap: halve the time and retry
          move there                                                # move
        """,
        ("sequential_impulses",), {}, view=_FORCES,
    ),
)  # fmt: skip
