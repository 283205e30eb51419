"""`python -m app` is the `callsheet` command."""

import sys

from app.cli import main

sys.exit(main())
