"""The soft step, for the whole world in one kernel; see `_soft_step_kernel`. `WorldSettings.velocity_iterations` are its sub-steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common._lanes_kernel import WIDTH
from engine.common.arrays import FloatArray
from engine.dynamics._contact_kernel import BLOCK
from engine.dynamics._graph_kernel import COLORS
from engine.dynamics.methods._soft_step_kernel import soft_step
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.model import Scratch
from engine.dynamics.tolerances import MAX_FIRMNESS, MAX_YIELD
from engine.dynamics.workspace import Workspace
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "SoftStep"]

_SPARE = 4
"""Inverse of the fraction by which buffers grow."""
_SPARE_BLOCKS = 24
"""Capacity for blocks of contacts in addition to full ones: each color's last block is not full."""


class SoftStep(Method):
    """Sub-steps with soft contacts and relaxation."""

    title = "Soft step"
    settings = (
        Setting(
            "direct",
            "Direct solve",
            "auto",
            choices=("auto", "none", "joints", "all"),
            help="Rows of an island that are solved directly before the sweeps: none, joints, or all; auto: all if a contact is too soft.",
        ),
        Setting(
            "firmness",
            "Stiffness of the direct solve",
            4.0,
            1.0,
            MAX_FIRMNESS,
            help="Factor by which directly solved rows are stiffer; with auto, it follows from the load.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        settings, tables, n, direct = step.settings, step.tables, len(step.values), options["direct"]
        ended, n_blocks = np.empty(6 * n).reshape(n, 6), 1
        while n_blocks > 0:
            n_blocks = soft_step(
                step.values, ended, step.center, tables.masses, step.moves, step.drives, step.force, *settings.gravity,
                step.solved, step.rows.ints, step.floats, tables.materials, step.joints,
                _scratch_for(step.space, n, len(step.solved), n_blocks),
                settings.dt, settings.velocity_iterations, step.threshold,
                direct != "none", direct in ("auto", "all"), MAX_YIELD if direct == "auto" else 0.0, options["firmness"], step.trace,
            )  # fmt: skip
        return ended

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / settings.velocity_iterations


METHOD = SoftStep()


def _scratch_for(space: Workspace, n: int, n_contacts: int, n_blocks: int) -> Scratch:
    """Return the scratch arrays of the solver, with capacity for at least `n_blocks` blocks of contacts."""
    n_blocks = max(n_blocks, n_contacts // WIDTH + _SPARE_BLOCKS)
    known = space.scratch
    if known is None or len(known.last) != n + 1 or len(known.place) < n_contacts or len(known.rows) < n_blocks * WIDTH:
        n_contacts, n_blocks = n_contacts + n_contacts // _SPARE, n_blocks + n_blocks // _SPARE
        space.scratch = known = Scratch(
            records=np.empty((n + 1, WIDTH)),
            push=np.empty((n + 1, 3)),
            by_contacts=np.empty((n + 1, 3)),
            by_others=np.empty((n + 1, 3)),
            later=np.empty((n + 1, 3)),
            before=np.empty((n + 1, 3)),
            decay=np.empty((n + 1, 2)),
            inverse=np.empty((n + 1, 2)),
            last=np.empty(n + 1),
            place=np.empty(n_contacts, dtype=np.int64),
            color=np.empty(n_contacts, dtype=np.int64),
            status=np.empty(n + 1, dtype=np.uint64),
            counts=np.empty((2, COLORS), dtype=np.int64),
            constants=np.zeros((n + 1, WIDTH)),
            lanes=np.empty(n_blocks * BLOCK),
            pairs=np.empty(2 * n_blocks * WIDTH, dtype=np.int64),
            rows=np.empty(n_blocks * WIDTH, dtype=np.int64),
        )
    return known
