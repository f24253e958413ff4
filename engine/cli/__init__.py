"""The command line. Each command imports what it needs when it runs, so that ``--help`` is there at once."""

from engine.common.installation import require

require("typer", "rich")
