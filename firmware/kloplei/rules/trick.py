"""What the judge of any game answers: who takes a trick, and by what."""

from dataclasses import dataclass

from kloplei.errors import KlopleiError


class NoTrick(KlopleiError, ValueError):
    """These cards, or what was said of them, are no trick that somebody could take."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The card at *place*, from 0, takes the trick.

    *why* is a word of the game for what made it the best; None where the cards say it all.
    """

    place: int
    why: str | None = None
