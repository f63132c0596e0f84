"""``python -m kloplei`` is the command ``kloplei``."""

import sys

from kloplei.cli import main

sys.exit(main())
