"""Reference scenes for solvers: the outcome is known, as a formula or as a limit that a good solver keeps.

Each scene is a function; its docstring derives the outcome, its rows have the measured error and the error demanded. The
command ``references`` runs them on any solver, and the tests hold our own to the demand. To be read in this order: `lab` (worlds, rows,
the table of scenes), `motion`, `collisions`, `swinging`, `standing` (against exact solutions), `piles`, `chains` (quality).
"""

# isort: off
from engine.experiments.references import motion, collisions, swinging, standing, piles, chains  # they enter their scenes in this order
from engine.experiments.references.lab import REFERENCES, Lab, Reference, Row

__all__ = ["REFERENCES", "Lab", "Reference", "Row", "chains", "collisions", "motion", "piles", "standing", "swinging"]
