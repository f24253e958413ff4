"""The program's start: ``collision-lab`` where it is installed, ``python main.py`` in the project's folder, ``python -m engine`` in both.

If it cannot start, because of an unsupported Python version or a missing part, it reports the reason in one line. Worker processes import
this module as their parent's main module, so process-wide setup happens at import.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def _cannot_start(reason: str) -> None:
    sys.stderr.write("error: " + reason + "\n")
    sys.exit(2)


def _interrupted() -> None:
    sys.stderr.write("interrupted\n")
    sys.exit(130)


if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    _cannot_start("this program needs Python 3.11 to 3.14, and this is " + sys.version.split()[0])

try:
    from engine.common.interrupts import heed_interrupts

    heed_interrupts()  # before slow imports
except KeyboardInterrupt:
    _interrupted()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, that of the process unless another is given, and return its exit status."""
    try:
        from engine.cli.main import main as run

        return run(arguments)
    except ModuleNotFoundError as error:
        from engine.common.installation import told_missing, with_environment

        missing = (error.name or "").partition(".")[0]
        if missing in ("", "benchmarks", "demos", "engine", "sprites"):
            raise
        command = with_environment()
        _cannot_start(
            told_missing(missing) if command is None else f"{missing} is not installed for this Python; the environment has it: {command}"
        )
    except KeyboardInterrupt:
        _interrupted()
    return 2


if __name__ == "__main__":
    sys.exit(main())
