"""Blocks of a page that are made: what stands between its mark and the next end."""


def filled(text: str, mark: str, lines: str) -> str:
    """Return *text* with *lines* between ``<!-- mark -->`` and the next ``<!-- end -->``.

    Raises:
        ValueError: They do not stand there, or the mark stands there twice.
    """
    return replaced_between(text, f"<!-- {mark} -->\n", "<!-- end -->\n", lines)


def replaced_between(text: str, begin: str, end: str, made: str) -> str:
    """Return *text* with *made* between *begin*, which stands there once, and the next *end*.

    Raises:
        ValueError: They do not stand there so.
    """
    before, begun, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not begun or not ended or begin in rest:
        name = begin.strip("<!- >\n")
        raise ValueError(f"the page has no place for {name}: one mark, and its end behind it")
    return f"{before}{begin}{made}{end}{after}"
