"""Chipmunk (pymunk) as a solver; the only package that imports pymunk."""

from engine.common.installation import require, version_of

__all__ = ["CHIPMUNK_VERSION"]

require("pymunk")

CHIPMUNK_VERSION = version_of("pymunk")
"""Version of pymunk, which contains its own build of Chipmunk."""
