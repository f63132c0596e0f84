"""Who takes a trick of toepen (§ 11)."""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from kloplei.games.cards import PIQUET, Card
from kloplei.games.trick import Bench, NoTrick, Taken

MOST_SEATS = 8
HIGH_TO_LOW = ("10", "9", "8", "7", "A", "K", "Q", "J")


def bench(_preset: str, _options: Mapping[str, object]) -> Bench:
    """Return what a trick is judged by; no house rule changes that."""
    return Bench(PIQUET, MOST_SEATS, marks=("folded",))


def judge(cards: Sequence[Card], said: Mapping[str, object]) -> Taken:
    """Return who takes the trick of *cards*; ``folded`` among what is *said* holds places, from 0.

    Raises:
        NoTrick: No card at all, more than eight, or nobody left to take it.
    """
    return Taken(trick_winner(cards, cast("Collection[int]", said.get("folded", ()))))


def trick_winner(cards: Sequence[Card], folded: Collection[int] = ()) -> int:
    """Return the place, from 0, of the card that takes the trick.

    The led suit is that of the first card. If who led has *folded* (places, from 0), it
    stays so while a card of that suit from somebody still in lies there; otherwise the
    first card of somebody still in sets the suit.

    Raises:
        NoTrick: No card at all, more than eight, or nobody left to take it.
    """
    if not 1 <= len(cards) <= MOST_SEATS:
        raise NoTrick(
            f"A trick of toepen has 1 to {MOST_SEATS} cards, not {len(cards)}.",
            "trick_size",
            most=MOST_SEATS,
        )
    if any(not 0 <= place < len(cards) for place in folded):
        raise NoTrick("Only somebody whose card lies there can have folded.")
    counting = [place for place in range(len(cards)) if place not in folded]
    if not counting:
        raise NoTrick("Everybody has folded, so nobody takes this trick.", "all_folded")
    following = [place for place in counting if cards[place].suit == cards[0].suit]
    if not following:
        new_suit = cards[counting[0]].suit
        following = [place for place in counting if cards[place].suit == new_suit]
    return min(following, key=lambda place: HIGH_TO_LOW.index(cards[place].rank))
