"""The only package that imports Box2D, which is used as a solver (`engine.box2d.solver`) and as a reference for queries (`oracle`)."""

import warnings

from engine.common.installation import require

__all__ = ["BOX2D_VERSION"]

require("Box2D")

# Under `python -W error` the SWIG extension module would crash the process: its initialization does not handle a warning that is raised as
# an exception.
warnings.filterwarnings("ignore", message="builtin type .* has no __module__ attribute", category=DeprecationWarning)

BOX2D_VERSION = "2.3.0"
"""Version of the C++ library in the wheel (PyPI Box2D 2.3.10), inferred from its behavior because the wheel does not state it."""
