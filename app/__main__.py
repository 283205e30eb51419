"""`python -m app` is the `callsheet` command."""

import sys

from app.cli import main

if __name__ == "__main__":  # `callsheet index` spawns processes, which import this module under another name
    sys.exit(main())
