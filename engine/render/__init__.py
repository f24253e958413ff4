"""Pictures of worlds: camera, canvas, debug drawing, readouts. Drawing never computes collision.

Works without a display: a canvas draws on any pygame surface.
"""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # keep standard output for the program's own results
