"""Blocks of a page that are made: what stands between its mark and the next end."""


def filled(text: str, mark: str, lines: str) -> str:
    """Return *text* with *lines* between ``<!-- mark -->`` and the next ``<!-- end -->``."""
    before, rest = text.split(f"<!-- {mark} -->\n")
    _, after = rest.split("<!-- end -->\n", 1)
    return f"{before}<!-- {mark} -->\n{lines}<!-- end -->\n{after}"
