"""All engines on one bench: what is right by a law or an exact answer, and what each engine does, as it comes and as its manual advises."""

from engine.experiments.engines import collisions, laws, piles
from engine.experiments.engines.bench import TESTS, Cell, Column, Measured, Row, Task, Test, columns_of, measure_cell

__all__ = [
    "TESTS",
    "Cell",
    "Column",
    "Measured",
    "Row",
    "Task",
    "Test",
    "collisions",
    "columns_of",
    "laws",
    "measure_cell",
    "piles",
]
