"""The only importer of Box2D: the solver of that name (`engine.box2d.solver`), and Box2D's own answers to single questions (`oracle`)."""

import warnings

from engine.common.installation import require

__all__ = ["BOX2D_VERSION"]

require("Box2D")

# Under `python -W error` the extension module, made by SWIG, would end the process by a signal: a warning becomes an exception in the
# middle of its start, where nothing looks for one.
warnings.filterwarnings("ignore", message="builtin type .* has no __module__ attribute", category=DeprecationWarning)

BOX2D_VERSION = "2.3.0"
"""The C++ library inside the wheel, which does not name it; by its behavior (PyPI Box2D 2.3.10)."""
