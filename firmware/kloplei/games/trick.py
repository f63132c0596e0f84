"""What the judge of any game goes by and answers: who takes a trick, and by what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.cards import Card
from kloplei.games.game import Facts
from kloplei.games.scoreboard import Line

REASONS = ("all_folded", "no_trick", "no_tricks_here", "trick_size")
"""Why there is nothing to judge, where no game has a word of its own for it."""


class NoTrick(KlopleiError, ValueError):
    """These cards, or what was said of them, are no trick that somebody could take.

    Args:
        message: A sentence for who works with files and the command line.
        reason: A code that people are told of in their own language (``reason.<code>``).
        facts: What that sentence needs.
    """

    def __init__(self, message: str, reason: str = "no_trick", **facts: object) -> None:
        self.reason = reason
        self.facts: Facts = facts
        super().__init__(message)


class NotYet(NoTrick):
    """These cards are a trick that only those still to come can decide."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The card at *place*, from 0, takes the trick.

    *why* is a word of the game for what made it the best; None where the cards say it all.
    *besides* is what else came of the trick, in the game's own words, and *told* the same in
    sentences for people, the facts ``card`` being cards by name.
    """

    place: int
    why: str | None = None
    besides: Mapping[str, object] = field(default_factory=dict)
    told: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Rung:
    """*cards* that beat all on the rungs below, the best first.

    *why* is the word that `Taken` says of them. Of *equal* ones the first one played is the
    best. Without cards it is any card of what was led.
    """

    why: str
    cards: tuple[Card, ...] = ()
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Something that people have to say besides the cards: one of *values*, each a *kind*.

    Where there is a *usual* one, that is meant unless another is said. What has to be said
    only of tricks to which a certain card was led names that card as *led*.
    """

    values: tuple[str, ...]
    kind: str
    usual: str | None = None
    led: Card | None = None

    def concerns(self, cards: Sequence[Card]) -> bool:
        """Return whether it has to be said of the trick of *cards*."""
        return self.led is None or self.led in cards[:1]


@dataclass(frozen=True, slots=True)
class Bench:
    """What the judge of one table has before any card lies there.

    *said* is what the house rules tell it; *asks* is what people have to say as well, by word;
    *marks* are words that may be said of a card that lies there. A trick has *most* cards of
    the *pack*. *note* tells people what they should know of its ranks, where houses differ.
    """

    pack: Collection[Card]
    most: int
    said: Mapping[str, object] = field(default_factory=dict)
    asks: Mapping[str, Ask] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    note: Line | None = None
