"""``python -m kloplei_hub`` is the command ``kloplei-hub``."""

import sys

from kloplei_hub.cli import main

if __name__ == "__main__":
    sys.exit(main())
