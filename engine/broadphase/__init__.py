"""Which boxes overlap, without asking every pair: broad phases, interchangeable."""

from engine.broadphase.brute_force import BruteForce
from engine.broadphase.grid import Grid, HierarchicalGrid, UniformGrid
from engine.broadphase.interface import BroadPhase

__all__ = ["BroadPhase", "BruteForce", "Grid", "HierarchicalGrid", "UniformGrid"]
