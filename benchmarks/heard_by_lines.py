"""Say which knocks are in recordings, by lines of the company of blows that are others than ours.

    python benchmarks/heard_by_lines.py LINES RECORDING...

It runs in a process of its own, by whatever judge the Kloplei there has (`benchmarks.recordings`).
LINES is a `CompanyLines` as JSON; what comes out is a part of what ``kloplei listen --json`` says.
"""

import json
import sys
from collections.abc import Sequence

from kloplei.knock.detector import CompanyLines
from kloplei.recordings._listening import Found, as_json, listen
from kloplei.recordings.wav import open_recording


def main(arguments: Sequence[str]) -> None:
    """Print a line for each recording."""
    lines = CompanyLines(**json.loads(arguments[0]))
    for name in arguments[1:]:
        with open_recording(name) as recording:
            found = Found()
            for judgement in listen(recording, lines=lines):
                found.add(judgement)
            print(as_json(name, recording, found))


if __name__ == "__main__":
    main(sys.argv[1:])
