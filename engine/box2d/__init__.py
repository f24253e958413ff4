"""The only importer of Box2D: the solver of that name (`engine.box2d.solver`), and Box2D's own answers to single questions (`oracle`)."""

import warnings

from engine.common.installation import require

require("Box2D")

# Under `python -W error` the extension module, made by SWIG, would end the process by a signal: a warning becomes an exception in the
# middle of its start, where nothing looks for one.
warnings.filterwarnings("ignore", message="builtin type .* has no __module__ attribute", category=DeprecationWarning)
