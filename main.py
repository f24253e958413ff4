"""Start here: ``python main.py``; ``python main.py --help`` lists the commands."""

import os  # which Python has loaded already: Ctrl-C during an import would end with a traceback
import sys

root = os.path.dirname(os.path.realpath(__file__))
if root not in sys.path:  # as under `python -I`
    sys.path.insert(0, root)

try:
    from engine.__main__ import main
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
