"""Which boxes overlap, without asking every pair: broad phases, interchangeable."""

from engine.broadphase.automatic import Automatic
from engine.broadphase.brute_force import BruteForce
from engine.broadphase.bvh_bottom_up import BottomUpTree
from engine.broadphase.bvh_insertion import InsertionTree
from engine.broadphase.bvh_morton import MortonTree
from engine.broadphase.bvh_top_down import TopDownTree
from engine.broadphase.dynamic_tree import DynamicTree
from engine.broadphase.grid import Grid, HierarchicalGrid, UniformGrid
from engine.broadphase.interface import BroadPhase
from engine.broadphase.proxies import Proxies
from engine.broadphase.spatial_hash import SpatialHash
from engine.broadphase.sweep_and_prune import SweepAndPrune
from engine.broadphase.sweep_two_axes import SweepTwoAxes
from engine.broadphase.tree import Tree, TreeQuality, quality
from engine.broadphase.tree_pairs import pairs_between

__all__ = [
    "STRUCTURES",
    "Automatic",
    "BottomUpTree",
    "BroadPhase",
    "BruteForce",
    "DynamicTree",
    "Grid",
    "HierarchicalGrid",
    "InsertionTree",
    "MortonTree",
    "Proxies",
    "SpatialHash",
    "SweepAndPrune",
    "SweepTwoAxes",
    "TopDownTree",
    "Tree",
    "TreeQuality",
    "UniformGrid",
    "pairs_between",
    "quality",
]

STRUCTURES: tuple[type[Proxies], ...] = (
    BruteForce,
    SweepAndPrune,
    SweepTwoAxes,
    SpatialHash,
    UniformGrid,
    HierarchicalGrid,
    Grid,
    Automatic,
    DynamicTree,
    TopDownTree,
    BottomUpTree,
    InsertionTree,
    MortonTree,
)
"""All there are, the one that judges the others first: what the tests, the table and the scene go through."""
