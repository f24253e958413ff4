"""The only importer of Box2D: the solver of that name (`engine.box2d.solver`), and Box2D's own answers to single questions (`oracle`)."""

from engine.common.installation import require

require("Box2D")
