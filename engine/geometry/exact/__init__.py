"""Exact arithmetic on float64 numbers: cores and their distances, rays, boxes and masses, without a rounded step before the result."""
