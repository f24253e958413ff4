"""Broad phases: interchangeable structures that find overlapping boxes without testing every pair."""

from engine.broadphase.automatic import Automatic
from engine.broadphase.brute_force import BruteForce
from engine.broadphase.bvh import BottomUpTree, InsertionTree, QuadTree, TopDownTree
from engine.broadphase.grid import UniformGrid
from engine.broadphase.interface import BroadPhase
from engine.broadphase.spatial_hash import SpatialHash
from engine.broadphase.sweep_and_prune import SweepAndPrune, SweepTwoAxes
from engine.broadphase.tree import Tree
from engine.broadphase.tree_queries import TreeQuality, quality

__all__ = [
    "STRUCTURES",
    "Automatic",
    "BottomUpTree",
    "BroadPhase",
    "BruteForce",
    "InsertionTree",
    "QuadTree",
    "SpatialHash",
    "SweepAndPrune",
    "SweepTwoAxes",
    "TopDownTree",
    "Tree",
    "TreeQuality",
    "UniformGrid",
    "quality",
]

STRUCTURES: tuple[type[BroadPhase], ...] = (
    BruteForce,
    SweepAndPrune,
    SweepTwoAxes,
    SpatialHash,
    UniformGrid,
    Automatic,
    TopDownTree,
    BottomUpTree,
    InsertionTree,
    QuadTree,
)
"""All structures, starting with the reference for the others; used by tests, the table and the scene."""
