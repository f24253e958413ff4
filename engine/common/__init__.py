"""Utilities of all packages: errors, checked conversion, tolerances, limits, named random streams."""
