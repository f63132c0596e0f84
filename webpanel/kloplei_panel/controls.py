"""Controls: from the scoreboard's offers to buttons and small forms, for any game.

The page knows no rules: what may be done now, and with which facts, stands in each `Offer`. Only
the order and the weight of well-known actions come from tables of `ButtonStyle`: what lies under
the thumb, what asks "sure?". Those of the table itself stand here, each game has its own in its
module of `kloplei_panel.games`.
"""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import cast
from urllib.parse import urlencode

from kloplei.frozen import dataclass, replace
from kloplei.games.cards import LOW_TO_HIGH, SUITS, Card
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Offer, Posting, Scoreboard
from kloplei.table.client import SWAP
from kloplei.words.letters import NAME_MAX, SHORT_MAX
from kloplei_panel.games import game_panel
from kloplei_panel.reader import Reader


@dataclass(frozen=True, slots=True)
class ButtonStyle:
    """How a well-known action appears.

    Args:
        order: From the top, rising.
        weight: A style.
        big: Whether it stands in reach of the thumb; the others are behind "more".
        confirm: Whether it asks "sure?" first.
        splits: A (need, value) that gets a button of its own.
        asks: Facts that may be typed but need not.
        anybodys: Whether the keeper asks for it as such, not for a seat.
        taps: Whether its last choice is made by one tap, however many there are.
        stays: Whether it is asked for again and again, so that its sheet remains open.
        waits: Whether others may call it off for some seconds.
        on_game_page: Whether it is asked for there, below the slate, and nowhere else.
        answers: Whether it is what its seat says to what the table asks of it; it fills half of
            the phone until then.
    """

    order: int = 50
    weight: str = "plain"
    big: bool = False
    confirm: bool = False
    splits: tuple[str, object] | None = None
    asks: tuple[str, ...] = ()
    anybodys: bool = False
    taps: bool = False
    stays: bool = False
    waits: bool = False
    on_game_page: bool = False
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a need: *value* as JSON for the form, *label* for the reader.

    *place* is a style that says where a card stands among the others, *sign* or *picture*, a
    symbol of ``cards.svg``, stands before the label. What that leaves out is *called* aloud.
    """

    value: str
    label: str
    place: str = ""
    sign: str = ""
    picture: str = ""
    called: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """What one player has of something that is told player by player: a number of *choices*."""

    name: str
    choices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in: a list of *choices*, or free text when there are none.

    An *optional* one may be left as it is. One that has *shares* is a number for each player,
    *total* together if that is always the same.
    """

    need: str
    label: str
    choices: tuple[Choice, ...] = ()
    optional: bool = False
    shares: tuple[Share, ...] = ()
    total: int | None = None

    @property
    def longest(self) -> int:
        """How many characters may be typed."""
        return _LONGEST.get(self.need, _TEXT_MAX)

    @property
    def is_number(self) -> bool:
        """Whether the reader types a number for it."""
        return self.need in _NUMBERS and not self.choices

    @property
    def is_text(self) -> bool:
        """Whether the reader types the value."""
        return not self.choices and not self.shares


@dataclass(frozen=True, slots=True)
class Control:
    """One thing to press.

    Args:
        action: What is asked for.
        label: In the reader's language.
        seat: Its number as shown, None for the table.
        look: Where and how it stands.
        fixed: Facts that go along unseen, as JSON.
        fields: What is filled in first.
        finals: The last choice, each one a button.
        finals_need: Of which fact these are values.
        finals_label: What is asked above them.
        about: Whom the fixed facts mean.
        secret: Whether nobody is to read again what was chosen.
        spoken_of: Which step it means, with whom, or at which price.
        brings: What it would write down.
        beside: What it stands with, where the same can be asked for elsewhere on the page.
    """

    action: str
    label: str
    seat: int | None
    look: ButtonStyle
    fixed: tuple[tuple[str, str], ...] = ()
    fields: tuple[Field, ...] = ()
    finals: tuple[Choice, ...] = ()
    finals_need: str = ""
    finals_label: str = ""
    about: str = ""
    secret: bool = False
    spoken_of: str = ""
    brings: tuple[Posting, ...] = ()
    beside: str = ""

    def __hash__(self) -> int:
        # Few others have as much in common, and there may be forty choices.
        return hash((self.action, self.label, self.seat, self.fixed))

    @property
    def key(self) -> str:
        """A name for this control that stays the same from one picture to the next."""
        facts = "-".join(value.strip('"') for _, value in self.fixed)
        return "-".join(
            filter(None, (self.action, facts, self.beside or str(self.seat or "table")))
        )

    def asks(self, seen: object) -> str:
        """Return what its form says unseen, in one field; *seen* is the slate it stands on."""
        waits = {"waits": 1} if self.look.waits else {}
        return folded(self.action, self.seat, seen, self.fixed, **waits)

    @property
    def is_button(self) -> bool:
        """Whether one press does it, with nothing to fill in or to confirm."""
        return not (self.fields or self.finals or self.look.confirm)


OF_THE_TABLE: Mapping[str, ButtonStyle] = {
    "accept_knock": ButtonStyle(-2, "amber", big=True, anybodys=True),
    "dismiss_knock": ButtonStyle(-1, "plain", big=True, anybodys=True),
    "accept_call": ButtonStyle(2, "amber", big=True, anybodys=True),
    "dismiss_call": ButtonStyle(29, anybodys=True),
    "cancel": ButtonStyle(0, "danger", big=True, anybodys=True),
    "it_was_me": ButtonStyle(1, "main", big=True),
    "sit_down": ButtonStyle(4, "main", big=True, asks=("name",)),
    "recognise": ButtonStyle(72, confirm=True),
    "shorten": ButtonStyle(20, "amber", big=True),
    "start": ButtonStyle(5, "main", big=True),
    "undo": ButtonStyle(30, anybodys=True, waits=True),
    "redo": ButtonStyle(31, anybodys=True, waits=True),
    "stand_up": ButtonStyle(70, confirm=True),
    "wipe": ButtonStyle(90, "danger", confirm=True),
    "new_evening": ButtonStyle(91, "danger", confirm=True),
}
_PLAIN_LOOK = ButtonStyle()
# What is played with lies under the thumb where a game says nothing of looks.
_PLAY_LOOK = ButtonStyle(big=True)
_SUIT = "suit"
_LONGEST: Mapping[str, int] = {"name": NAME_MAX, "short": SHORT_MAX}
_TEXT_MAX = 40
# A choice of seats in an offer of the table: any of these may ask for it.
_SEAT = "seat"
# A need whose values are numbers of hands, as the evening's table counts them.
_HAND = "hand"
# Needs whose values are numbers, more of them than anybody could list.
_NUMBERS = frozenset({"chips"})
# A need whose values are cards, such as H10.
_CARD = "card"
SIGNS = {"H": "♥", "D": "♦", "S": "♠", "C": "♣"}
# In the order: what is left of an action that has a button of its own.
_FURTHER_DOWN = 40
# So many values stand side by side as buttons; more become a list to choose from.
_FEW = 4
# A hand of Tarok offers sixty, and most of them again after each change.
_MOST_KEPT = 1024
_kept: dict[Hashable, tuple[Control, ...]] = {}
Needs = Mapping[str, Sequence[object]]
"""The facts an action needs, with the values that are legal now; none means free text."""


def folded(
    action: str,
    seat: int | None,
    seen: object,
    fixed: Iterable[tuple[str, object]] = (),
    **more: object,
) -> str:
    """Return all that a form says unseen as one field says it: `requests.unfold_form`.

    *fixed* are facts, as JSON. A sheet of Tarok has hundreds, and a phone reads it at each change.
    """
    facts = {f"fact.{need}": value for need, value in fixed}
    return urlencode({"seat": seat or "", "action": action, "seen": seen, **more, **facts})


def controls(
    offers: Iterable[Offer], seat: Seat | None, board: Scoreboard, reader: Reader
) -> list[Control]:
    """Return what *offers* of *seat* (None: of the table) come to, in the order to show.

    What waits already is not asked for a second time; where it may be true of *seat* as well, the
    button says with whom.
    """
    asked = (offer for offer in offers if not _waits(offer, seat, board))
    read = (board.game, board.plays_for_pot, *board.names.items(), reader.language, reader.game)
    made = [one for offer in asked for one in _found(offer, seat, board, reader, read)]
    if board.grace and board.grace.seat is not None:
        too = reader.say("control.as_well", name=reader.name_at(board.grace.seat, board.names))
        made = [
            replace(one, spoken_of=too) if one.action == board.grace.action else one for one in made
        ]
    made = [
        replace(one, spoken_of=_price_of(one, seat, board, reader)) if one.look.answers else one
        for one in made
    ]
    return sorted(made, key=lambda one: (one.look.order, one.action, not one.fixed))


def _price_of(answer: Control, seat: Seat | None, board: Scoreboard, reader: Reader) -> str:
    """Return what *answer* is about in the words of the game, or what it says already."""
    row = None if seat is None else board.row(seat)
    if row is None or board.prompt is None or seat not in board.to_answer:
        return answer.spoken_of
    told = board.prompt.facts
    stake, fold = told.get("stake"), told.get("fold")
    if fold is None:
        fold = row.committed  # it costs one more than another
    if answer.spoken_of or stake is None or fold is None:
        return answer.spoken_of
    return reader.known(f"answer.{answer.action}", stake=stake, fold=fold) or ""


def _waits(offer: Offer, seat: Seat | None, board: Scoreboard) -> bool:
    """Whether *offer* waits already, unless it may be true of *seat* as well."""
    if board.grace is None or offer.action != board.grace.action:
        return False
    own = GAMES[board.game].actions.get(offer.action) if board.game in GAMES else None
    return own is None or not own.of_several or seat == board.grace.seat


def controls_at(seat: Seat, board: Scoreboard, reader: Reader) -> list[Control]:
    """Return what *seat* may do: its row's offers, and the table's that ask which seat."""
    row = board.row(seat)
    own = [one for one in board.offers if seat in one.choices.get(_SEAT, ())]
    offers = (_to_free_seats(one, board, reader) for one in (row.offers if row else ()))
    return controls((*own, *filter(None, offers)), seat, board, reader)


def _to_free_seats(offer: Offer, board: Scoreboard, reader: Reader) -> Offer | None:
    """Return what of *offer* is the reader's: only the keeper moves others."""
    if offer.action != SWAP or reader.may_move_others:
        return offer
    free = tuple(seat for seat in offer.choices["of"] if seat not in board.names)
    return replace(offer, choices={"of": free}) if free else None


def action_label(action: str, reader: Reader, board: Scoreboard | None = None) -> str:
    """Return what stands on the button of *action*; it may be another where a pot is played for."""
    of_pot = (
        reader.known(f"for_pot.{action}") if board is not None and board.plays_for_pot else None
    )
    return of_pot or reader.word(f"action.{action}") or action.replace("_", " ").capitalize()


def look_of(action: str, game: str) -> ButtonStyle:
    """Return how *action* looks at a table that plays *game*."""
    if found := OF_THE_TABLE.get(action):
        return found
    looks = getattr(game_panel(game), "LOOKS", None)
    if looks is not None:
        return cast("ButtonStyle", looks.get(action, _PLAIN_LOOK))
    own = GAMES[game].actions.get(action) if game in GAMES else None
    return _PLAIN_LOOK if own is None or own.rewrites else _PLAY_LOOK


def _found(
    offer: Offer, seat: Seat | None, board: Scoreboard, reader: Reader, read: Hashable
) -> tuple[Control, ...]:
    """Return what *offer* comes to, as it did last time unless what it hangs on is another.

    *read* is all that it hangs on of *board* and *reader*, but for what some alone tell.
    """
    if offer.about or offer.brings or _HAND in offer.choices:
        return tuple(_of_offer(offer, seat, board, reader))
    # Spelt out: 1 and True are the same key, and not the same answer.
    choices = repr(offer.choices)
    key = (read, seat, offer.action, offer.needs, choices, offer.secret)
    known = _kept.get(key)
    if known is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        known = _kept[key] = tuple(_of_offer(offer, seat, board, reader))
    return known


def _of_offer(
    offer: Offer, seat: Seat | None, board: Scoreboard, reader: Reader
) -> Iterable[Control]:
    look = look_of(offer.action, board.game)
    if _SEAT in offer.choices and seat is None and not look.anybodys:
        # Asked at the seat itself.
        return
    needs: Needs = {need: offer.choices.get(need, ()) for need in offer.needs}
    if look.splits and look.splits[1] in needs.get(look.splits[0], ()):
        need, value = look.splits
        rest = tuple(one for one in needs[need] if one != value)
        label = reader.say(f"control.{offer.action}.{value}")
        yield _control(offer, {**needs, need: (value,)}, look, seat, board, reader, label)
        if not rest:
            return
        needs = {**needs, need: rest}
        look = ButtonStyle(look.order + _FURTHER_DOWN)
    label = action_label(offer.action, reader, board)
    yield _control(offer, needs, look, seat, board, reader, label)


def _control(
    offer: Offer,
    needs: Needs,
    look: ButtonStyle,
    seat: Seat | None,
    board: Scoreboard,
    reader: Reader,
    label: str,
) -> Control:
    fixed = {need: values[0] for need, values in needs.items() if len(values) == 1}
    asked = {need: values for need, values in needs.items() if need not in fixed}
    fields = [_field(offer.action, need, asked[need], board, reader) for need in asked]
    choices = len(fields[-1].choices) if fields else 0
    finals = fields.pop() if 1 < choices <= _FEW or (choices and look.taps) else None
    optional = {need: (*offer.choices.get(need, ()),) for need in (*look.asks, *offer.choices)}
    fields += [
        replace(_field(offer.action, need, values, board, reader), optional=True)
        for need, values in optional.items()
        if need not in needs and need != _SEAT
    ]
    return Control(
        offer.action,
        label,
        None if seat is None else seat.shown,
        look,
        tuple((need, _json(value)) for need, value in fixed.items()),
        tuple(fields),
        finals.choices if finals else (),
        finals.need if finals else "",
        finals.label if finals else "",
        ", ".join(filter(None, (_about(need, one, board, reader) for need, one in fixed.items()))),
        offer.secret,
        reader.tell(offer.about, board) if offer.about else "",
        offer.brings,
    )


def _about(need: str, value: object, board: Scoreboard, reader: Reader) -> str:
    """Return what to say of a fact that leaves no choice: whose it is, or of which hand."""
    if isinstance(value, Seat):
        return _spoken(need, value, board, reader)
    if need != _HAND:
        return ""
    return f"{reader.say('need.hand')} {_spoken(need, value, board, reader)}"


def _field(
    action: str, need: str, values: Sequence[object], board: Scoreboard, reader: Reader
) -> Field:
    label = (
        # What one action asks for may mean another thing elsewhere.
        reader.known(f"need.{action}.{need}")
        or reader.known(f"need.{need}", most=_LONGEST.get(need))
        or need.replace("_", " ").capitalize()
    )
    if need == _CARD:
        return Field(need, label, tuple(_cards(values, reader)))
    if shares := _shares(values, board):
        totals = {sum(value) for value in values if isinstance(value, tuple)}
        return Field(need, label, shares=shares, total=totals.pop() if len(totals) == 1 else None)
    if need == _SUIT and set(values) <= set(SUITS):
        values = [suit for suit in SUITS if suit in values]
    return Field(need, label, tuple(_choice(need, one, board, reader) for one in values))


def _choice(need: str, value: object, board: Scoreboard, reader: Reader) -> Choice:
    label = _spoken(need, value, board, reader)
    if need == _SUIT and value in SUITS:
        suit = str(value)
        picture = reader.drawn(suit) or ""
        return Choice(_json(value), label, f"suit-{suit}", "" if picture else SIGNS[suit], picture)
    return Choice(_json(value), label)


def _hand_told(number: object, board: Scoreboard) -> str:
    """Return hand *number* with whose tally it moved, and by how much where that is who won."""
    hand = next((one for one in board.hands if one.number == number), None)
    if hand is None:
        # By its number alone nobody knows it again.
        return ""
    paid = [name for seat, name in board.names.items() if hand.paid.get(seat)]
    won = hand.paid.get(hand.winner, 0) if hand.winner is not None else 0
    return " · ".join((str(number), *paid, *([f"{won:+d}"] if won else [])))


def _shares(values: Sequence[object], board: Scoreboard) -> tuple[Share, ...]:
    """Return what each player may have, where every one of *values* has a number for each."""
    rows = board.rows
    if not values or not all(isinstance(one, tuple) and len(one) == len(rows) for one in values):
        return ()
    columns = list(zip(*cast("Sequence[tuple[object, ...]]", values), strict=True))
    if not all(type(number) is int for column in columns for number in column):
        return ()
    numbers = cast("list[tuple[int, ...]]", columns)
    return tuple(
        Share(row.name, tuple(sorted(set(column))))
        for row, column in zip(rows, numbers, strict=True)
    )


def _cards(values: Sequence[object], reader: Reader) -> Iterable[Choice]:
    """Yield *values*, which are cards, from the best rank down, a column a suit."""
    left = set(values)
    for rank in reversed(LOW_TO_HIGH):
        for suit in SUITS:
            if (card := suit + rank) in left:
                called, place = reader.named(_CARD, card), f"suit-{suit} rank-{rank}"
                if picture := reader.drawn(suit):
                    face = reader.face(Card(suit, rank))
                    yield Choice(_json(card), face, place, picture=picture, called=called)
                else:
                    yield Choice(_json(card), called, place)


def _spoken(need: str, value: object, board: Scoreboard, reader: Reader) -> str:
    if isinstance(value, Seat):
        return board.names.get(value) or reader.say("seat.free", number=value.shown)
    if need == _HAND and (hand := _hand_told(value, board)):
        return hand
    told = reader.known(f"choice.{need}.{value}")
    return told or reader.named(need, str(value)).replace("_", " ")


def _json(value: object) -> str:
    return json.dumps(value.shown if isinstance(value, Seat) else value)
