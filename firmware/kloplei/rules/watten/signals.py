"""The signs that partners at a Watten table know (§ 6): what one holds, and how one shows it."""

Signs = tuple[tuple[str, str], ...]
"""Words for what is held, and for the sign of it, the greatest first."""

_FINGERS: Signs = (
    ("trump-A", "right-thumb"),
    ("trump-K", "right-index"),
    ("trump-Q", "right-middle"),
    ("trump-J", "right-ring"),
    ("trump-low", "right-little"),
)
_TYROL: Signs = (
    ("rechte", "kiss"),
    ("linke", "wink"),
    ("two-linken", "eyes-closed"),
    ("three-linken", "eyes-closed-wink"),
    *_FINGERS,
    ("suit-C", "left-little"),
    ("suit-S", "left-ring"),
    ("suit-H", "left-middle"),
    ("suit-D", "left-index"),
    ("nothing", "ceiling"),
)
_KRITISCH: Signs = (
    ("martl", "kiss"),
    ("weli", "lips-right"),
    ("nell", "lips-left"),
    ("rechte", "wink-right"),
    ("linke", "wink-left"),
    *_FINGERS,
)


def signs_of(variant: str) -> Signs:
    """Return the signs of *variant*; Blind Watten has those of Tyrol, who plays alone none."""
    return {"bohemian": (), "kritisch": _KRITISCH}.get(variant, _TYROL)
