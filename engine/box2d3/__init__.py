"""Box2D 3.1 (pyb2d3) as a solver; the only package that imports pyb2d3."""

from engine.common.installation import require, version_of

__all__ = ["BOX2D3_VERSION"]

require("pyb2d3")

BOX2D3_VERSION = f"3.1, pyb2d3 {version_of('pyb2d3')}"
"""Version of Box2D and of its Python binding."""
