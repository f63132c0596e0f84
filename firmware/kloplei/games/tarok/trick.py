"""Who takes a trick of Tarok, and what became of pagat, kings and Fool in it (§ 2, § 5).

In come cards and what was said of them, out comes a `kloplei.games.trick.Taken` with sentences for
people; nothing here knows a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast, get_args

from kloplei.games.cards import SUITS, Card
from kloplei.games.scoreboard import Line
from kloplei.games.tarok.actions import FATES, Fate
from kloplei.games.tarok.cards import FOOL, PACK, PAGAT, TAROK, strength
from kloplei.games.tarok.options import PRESETS, Options
from kloplei.games.trick import Ask, Bench, NoTrick, NotYet, Taken

WHYS = ("tarok", "led suit")
"""What made a card the best."""
NOTES = ("red-natural", "red-reversed")
"""What people are told of the ranks."""
LAST = ("pagat_won", "pagat_beaten", "king_won", "king_beaten", "plain")
FOOLS = ("owner", "winner", "illegal", "late")
SENTENCES = (
    *(f"trick.{event}" for event in get_args(Fate)),
    *(f"trick.last_{came}" for came in LAST),
    *(f"trick.fool_{came}" for came in FOOLS),
)
"""The key of each of them."""
_CARDS = 3
_LAST = 25
_DIGITS = 2
_LATEST_BACK = {"a": 25, "b": 22, "c": 24}
"""The last trick from which the Fool goes back to its owner."""
_FORBIDDEN = 24  # in Danish Tarok
_LATEST_OF_1754 = 23
_TELLING = {"a": ("1", "24", "25"), "b": ("1", "23", "24", "25"), "c": ("1", "24", "25")}
"""Numbers of tricks with which the answer changes; "1" stands for all before the next."""
_NOTHING: Mapping[str, object] = {}


def bench(preset: str, written: Mapping[str, object]) -> Bench:
    """Return what a trick is judged by at a table with the house rules *preset* and *written*.

    Raises:
        BadOption: A house rule that Tarok does not have.
    """
    options = Options.from_mapping(written, PRESETS[preset])
    said = {"set": options.rule_set, "options": options.as_facts()}
    asks = {"trick": Ask(_TELLING[options.rule_set], "trick", usual="1")}
    if options.rule_set == "c":
        asks["named"] = Ask((*SUITS, TAROK), "suit", led=FOOL)
    return Bench(PACK, _CARDS, said, asks, note=Line(f"note.{NOTES[options.red_reversed]}"))


def judge(cards: Sequence[Card], said: Mapping[str, object]) -> Taken:
    """Return who takes the trick of *cards*, in the order they were played.

    Besides, of a whole trick: ``events``, what became of pagat and kings, by place from 1; or
    in the last one ``last``, what everybody played; ``fool``, whose it is now, ``owner`` or
    ``winner`` or ``illegal``; and ``warnings``.

    Args:
        cards: Three of them, or those that lie there already.
        said: The ``set`` a, b or c (c without), the number of the ``trick`` (an early one
            without), the suit ``named`` by who leads the Fool, and ``options``.

    Raises:
        NoTrick: These cards are no trick, or it was not said what they are judged by.
        BadOption: A house rule that Tarok does not have.
    """
    options, number = _options(said), _trick_number(said)
    if not 1 <= len(cards) <= _CARDS:
        raise NoTrick(
            f"A trick of Tarok has {_CARDS} cards, not {len(cards)}.", "trick_size", most=_CARDS
        )
    led = _led(options, cards, said)
    best = _best(options, cards, led)
    why = "tarok" if cards[best].suit == TAROK else "led suit"
    if len(cards) < _CARDS:
        return Taken(best, why)
    besides = _besides(options, number, cards, best)
    return Taken(best, why, besides, told(cards, best, besides))


def _options(said: Mapping[str, object]) -> Options:
    rule_set = str(said.get("set", "c")).strip().lower()
    written = {**cast("Mapping[str, object]", said.get("options", _NOTHING)), "rule_set": rule_set}
    return Options.from_mapping(written)


def _trick_number(said: Mapping[str, object]) -> int:
    written = str(said.get("trick", "1")).strip()
    readable = written.isdecimal() and len(written) <= _DIGITS
    if not readable or not 1 <= int(written) <= _LAST:
        raise NoTrick(f"The trick has a number from 1 to {_LAST}, not {written!r:.40}.")
    return int(written)


def _led(options: Options, cards: Sequence[Card], said: Mapping[str, object]) -> str:
    """Return the suit that had to be followed; taroks are one."""
    if cards[0] != FOOL:
        return cards[0].suit
    others = cards[1:]
    if not others:
        raise NotYet("The Fool alone takes no trick.")
    if options.rule_set != "c":
        return others[0].suit
    named = _named(said)
    # Who cannot follow names another suit by what he plays.
    answered = any(card.suit in (named, TAROK) for card in others)
    return named if answered else others[0].suit


def _named(said: Mapping[str, object]) -> str:
    known = (*SUITS, TAROK)
    if "named" not in said:
        raise NoTrick(f"Say what who led the Fool has named: {' '.join(known)}.", "not_announced")
    named = str(said["named"]).strip().upper()
    if named not in known:
        raise NoTrick(f"Named was {str(said['named'])!r:.40}; it can be {' '.join(known)}.")
    return named


def _best(options: Options, cards: Sequence[Card], led: str) -> int:
    """Return the place of the highest tarok, else of the highest card of the suit *led*."""
    suit = TAROK if any(card.suit == TAROK for card in cards) else led
    places = [place for place, card in enumerate(cards) if card.suit == suit]
    return max(places, key=lambda place: strength(cards[place], red_reversed=options.red_reversed))


def _besides(options: Options, number: int, cards: Sequence[Card], best: int) -> dict[str, object]:
    found: dict[str, object] = {}
    if number == _LAST:
        found["last"] = {place: _kind(options, card) for place, card in enumerate(cards, start=1)}
    elif events := _events(options, cards, best):
        found["events"] = events
    if FOOL in cards:
        found["fool"] = _fool(options, number)
    if FOOL in cards and options.rule_set == "a" and number > _LATEST_OF_1754:
        found["warnings"] = ["fool_late"]
    return found


def _kind(options: Options, card: Card) -> str:
    """Return what *card* is in the last trick; the game of 1754 has no kings there."""
    if card == PAGAT:
        return "pagat"
    return "king" if card.rank == "K" and options.rule_set != "a" else "other"


def _events(options: Options, cards: Sequence[Card], best: int) -> dict[str, list[int]]:
    """Return what became of pagat and kings, as far as this game asks, by place from 1."""
    found: dict[str, list[int]] = {}
    for place, card in enumerate(cards):
        kind = _kind(options, card)
        event = f"{kind}_{'home' if place == best else 'lost'}"
        if event in FATES[options.rule_set]:
            found.setdefault(event, []).append(place + 1)
    return found


def _fool(options: Options, number: int) -> str:
    """Return whose the Fool is after the trick, or that it may not be played to it."""
    if options.rule_set == "c" and number == _FORBIDDEN:
        return "illegal"
    return "owner" if number <= _LATEST_BACK[options.rule_set] else "winner"


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
