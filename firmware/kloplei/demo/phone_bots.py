"""Players with phones, for games that are deaf to the wood: they press what they are offered."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kloplei.rules.game import Facts, Seat
from kloplei.rules.scoreboard import Offer, Scoreboard

PAUSE_CHANCE = 0.4  # of a thought: somebody has to play the cards
OFTEN: Mapping[str, float] = {
    **dict.fromkeys(("start", "deal", "new_game", "schlag", "trump", "turnup", "confirm"), 4.0),
    **dict.fromkeys(("trick", "accept"), 4.0),
    **dict.fromkeys(("seal_schlag", "seal_trump", "exchange", "ready"), 1.0),
    "fold": 1.5,
    "raise": 0.3,
    "signal": 0.1,
}
"""How often a bot does what it may, beside everything else; what is missing it never does."""


@dataclass(frozen=True, slots=True)
class Press:
    """What a bot asks for on its phone; *seat* None asks for the table."""

    seat: Seat | None
    action: str
    facts: Facts = field(default_factory=dict)


def next_press(board: Scoreboard, dice: random.Random) -> Press | None:
    """Return what one of the bots would press about *board*, or None if all of them think."""
    offered = [(seat, offer) for seat, offer in _offered(board) if offer.action in OFTEN]
    if board.grace or not offered or dice.random() < PAUSE_CHANCE:
        return None
    weights = [OFTEN[offer.action] for _, offer in offered]
    ((seat, offer),) = dice.choices(offered, weights)
    # In the order of their names, so that the same dice play the same evening.
    facts = {need: dice.choice(offer.choices[need]) for need in sorted(offer.needs)}
    return Press(seat, offer.action, facts)


def _offered(board: Scoreboard) -> Iterator[tuple[Seat | None, Offer]]:
    """Yield what may be asked for, by whom; facts that are free text are not for bots."""
    owners = [(None, board.offers), *((row.seat, row.offers) for row in board.rows)]
    for seat, offers in owners:
        for offer in offers:
            if all(offer.choices.get(need) for need in offer.needs):
                yield seat, offer
