"""The command line. Commands import their dependencies when they run, so that ``--help`` is fast."""

from engine.common.installation import require

require("typer", "rich")
