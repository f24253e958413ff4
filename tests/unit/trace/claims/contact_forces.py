"""What a step of contact forces claims; see `solvers`."""

from __future__ import annotations

from functools import partial

from tests.unit.trace.claims import solvers

check = partial(solvers.check, method="contact_forces")
