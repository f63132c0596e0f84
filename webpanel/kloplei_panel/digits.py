"""A number as somebody may have written it into an address or a form."""


def whole(written: str, most: int) -> int | None:
    """Return the number that up to *most* plain digits spell, None if *written* is no such thing.

    Not with `int`, which also takes signs, blanks, underscores and the digits of other scripts,
    and takes its time over a million of them.
    """
    if not (written.isascii() and written.isdigit() and len(written) <= most):
        return None
    return int(written)
