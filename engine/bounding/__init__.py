"""Bounding volumes: simple volumes around shapes, which a broad phase tests first. Each contains its shape, even in exact arithmetic."""

from engine.bounding.boxes import box_area, fitted_box, least_area_box, refitted_box
from engine.bounding.capsule import least_area_capsule
from engine.bounding.circles import diagonal_circle, mean_circle, smallest_circle
from engine.bounding.cloud import Cloud, cloud_of
from engine.bounding.kdop import KDop, fitted_kdop
from engine.bounding.outlines import outline_area, outlines_overlap
from engine.bounding.volume import Volume, bounding_hull

__all__ = [
    "Cloud",
    "KDop",
    "Volume",
    "bounding_hull",
    "box_area",
    "cloud_of",
    "diagonal_circle",
    "fitted_box",
    "fitted_kdop",
    "least_area_box",
    "least_area_capsule",
    "mean_circle",
    "outline_area",
    "outlines_overlap",
    "refitted_box",
    "smallest_circle",
]
