"""The soft step, contact by contact: `engine.dynamics._soft_step_kernel`. Eight contacts without a body in common are solved at once."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "SoftStep"]


class SoftStep(SolverStepper):
    """Sub-steps with soft contacts and relaxation."""

    title = "Soft step: sub-steps, soft contacts, relaxation"
    page = "solvers/soft_step.md"
    method = "soft_step"
    pseudo_code = (
        "apply restitution",
        "repeat in each sub-step of h:",
        "  v = v + h (g + F / m)",
        "  reapply the last sub-step's impulses",
        "  solve all joints",
        "  for each soft contact: each point along the normal",
        "    P = max(P - share m (rate + bias) - kept P, 0)",
        "  and then along the tangent: within +- mu P",
        "  x = x + h v",
        "  repeat without pushing apart (relaxation)",
    )
    sweep_word = "Sub-step"
    lines = {"bounce": 0, "free": 2, "warm": 3, "joints": 4, "normal": 6, "tangent": 7, "move": 8, "answer": 9}  # noqa: RUF012
    beside = ("sequential_impulses", "xpbd")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {}, with_disc=False)


ALGORITHM = SoftStep()
