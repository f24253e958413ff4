"""python -m benchmarks [NAMES]: the same as `python main.py bench`."""

import sys

from engine.cli.main import main

sys.exit(main(["bench", *sys.argv[1:]]))
