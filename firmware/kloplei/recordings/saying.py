"""What the command says: answers on stdout, complaints on stderr, on any terminal."""

import sys


def can_draw() -> bool:
    """Return whether whoever reads our answers knows blocks."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def complain(sentence: str) -> None:
    """Say on stderr what is wrong."""
    print(f"kloplei: {sentence}", file=sys.stderr)


def say(text: str) -> None:
    """Print *text*, however little the terminal can spell, and at once."""
    # A name that the terminal cannot spell must not stop the answer; and whoever reads gets
    # each line when it is known.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
