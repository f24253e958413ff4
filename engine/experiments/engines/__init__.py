"""Compares all engines by laws and exact answers, with their default settings and with those that their manuals recommend."""

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
