"""``python -m docs.pictures``."""

import sys

from docs.pictures import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
