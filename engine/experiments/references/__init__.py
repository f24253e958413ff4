"""Reference scenes for solvers with a known result: a formula, or a limit that a good solver meets.

Each scene is a function; its docstring derives the result, and its rows have the measured and the allowed error. The command ``references``
runs them on any solver, and the tests check our own solvers. Read the modules in this order: `lab` (worlds, rows, the table of scenes),
`motion`, `collisions`, `swinging`, `standing` (compared with exact solutions), `piles`, `chains` (quality).
"""

# isort: off
from engine.experiments.references import motion, collisions, swinging, standing, piles, chains  # scenes register in this order
from engine.experiments.references.lab import REFERENCES, Lab, Reference, Row

__all__ = ["REFERENCES", "Lab", "Reference", "Row", "chains", "collisions", "motion", "piles", "standing", "swinging"]
