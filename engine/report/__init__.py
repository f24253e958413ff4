"""Presents results as tables for the terminal, Markdown and HTML, as charts drawn by matplotlib, and as pages from Jinja2 templates."""

from engine.report.report import Page, Part, Report, facts
from engine.report.tables import Cell, Chart, Curve, Link, Table, Value, meters

__all__ = ["Cell", "Chart", "Curve", "Link", "Page", "Part", "Report", "Table", "Value", "facts", "meters"]
