"""Start here: ``python main.py``; ``python main.py --help`` lists the commands."""

import os  # which Python has loaded already: Ctrl-C during an import would end with a traceback
import sys
import warnings

# Under `python -W error` Box2D's extension module, made by SWIG, would end the process by a signal: a warning becomes an exception in the
# middle of its start, where nobody looks for one.
warnings.filterwarnings("ignore", message="builtin type .* has no __module__ attribute", category=DeprecationWarning)


def _cannot_start(reason: str) -> None:
    sys.stderr.write("error: " + reason + "\n")
    sys.exit(2)


if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    _cannot_start("this program needs Python 3.11 to 3.13, and this is " + sys.version.split()[0])

root = os.path.dirname(os.path.realpath(__file__))
if root not in sys.path:  # as under `python -I`
    sys.path.insert(0, root)

try:
    from engine.common.interrupts import heed_interrupts

    heed_interrupts()
    from engine.cli.main import main
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] == "engine":
        raise
    _cannot_start(error.name + " is not installed: python -m pip install -r requirements.txt")
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
