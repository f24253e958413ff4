"""What every layer may use: errors, checked conversion, tolerances, limits, named random streams."""
