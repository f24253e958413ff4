"""Measurements: each a ratio against a peer in the same run."""
