"""Published comparisons, repeated with the functions of this library: the published results and ours.

Each study is a function; its docstring describes the method, and docs/studies has its page. The command ``studies`` runs them. Read the
modules in this order: `study` (tables, charts, clocks), `integrators`, `overlap_tests`, `extremes`, `contact_graphs`,
`pushing_apart`.
"""

# isort: off
from engine.experiments.studies import integrators, overlap_tests, extremes, pushing_apart  # in this order
from engine.experiments.studies.study import STUDIES, Results, Study
from engine.report import Chart, Curve, Table

__all__ = [
    "STUDIES",
    "Chart",
    "Curve",
    "Results",
    "Study",
    "Table",
    "extremes",
    "integrators",
    "overlap_tests",
    "pushing_apart",
]
