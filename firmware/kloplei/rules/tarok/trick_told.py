"""What came of a trick of Tarok in sentences, as people are told it (§ 2, § 5)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast, get_args

from kloplei.rules.cards import Card
from kloplei.rules.scoreboard import Line
from kloplei.rules.tarok.cards import FOOL
from kloplei.rules.tarok.tariff import Fate

LAST = ("pagat_won", "pagat_beaten", "king_won", "king_beaten", "plain")
FOOLS = ("owner", "winner", "illegal", "late")
SENTENCES = (
    *(f"trick.{event}" for event in get_args(Fate)),
    *(f"trick.last_{came}" for came in LAST),
    *(f"trick.fool_{came}" for came in FOOLS),
)
"""The key of each of them."""


def told(cards: Sequence[Card], best: int, besides: Mapping[str, object]) -> tuple[Line, ...]:
    """Return what came *besides* of the trick of *cards*, of which the one at *best* took it."""
    return (*_of_play(cards, besides), *_of_the_last(cards, best, besides), *_of_the_fool(besides))


def _of_play(cards: Sequence[Card], besides: Mapping[str, object]) -> Iterator[Line]:
    events = cast("Mapping[str, Sequence[int]]", besides.get("events", {}))
    for event, places in events.items():
        for place in places:
            yield Line(f"trick.{event}", {"card": str(cards[place - 1])})


def _of_the_last(cards: Sequence[Card], best: int, besides: Mapping[str, object]) -> Iterator[Line]:
    if "last" not in besides:
        return
    kinds = cast("Mapping[int, str]", besides["last"])
    counting = {place: kind for place, kind in kinds.items() if kind != "other"}
    for place, kind in counting.items():
        came = "won" if place == best + 1 else "beaten"
        yield Line(f"trick.last_{kind}_{came}", {"card": str(cards[place - 1])})
    if not counting and all(card.rank != "K" for card in cards):
        yield Line("trick.last_plain")


def _of_the_fool(besides: Mapping[str, object]) -> Iterator[Line]:
    if "fool_late" in cast("Sequence[str]", besides.get("warnings", ())):
        yield Line("trick.fool_late", {"card": str(FOOL)})
    if "fool" in besides:
        yield Line(f"trick.fool_{besides['fool']}", {"card": str(FOOL)})
