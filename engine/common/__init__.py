"""Base of all layers: errors, checked conversion, tolerances, limits, named random streams."""
