"""Simulation of demos: worlds, demo logic and user actions, independent of windows, drawing and the clock."""
