"""From the scoreboard's offers to buttons and small forms, for any game.

The page knows no rules: what may be done now, and with which facts, stands in each `Offer`.
Only the order and the weight of well-known actions come from a table here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kloplei.rules.cards import RANKS, SUITS
from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Offer, Scoreboard
from kloplei_panel.reader import Reader

_SEAT = "seat"  # a choice of seats in an offer of the table: any of these may ask for it
_CARD = "card"  # a need whose values are cards, such as H10
_LOW_RANKS = "65432"
_FEW = 4  # so many values stand side by side as buttons; more become a list to choose from


Needs = Mapping[str, Sequence[object]]
"""The facts an action needs, with the values that are legal now; none means free text."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a well-known action appears: *order* from the top, *weight* as a style.

    *splits* is a (need, value) that gets a button of its own; *confirm* asks "sure?" first;
    *asks* are facts that may be typed but need not; *big* ones stand in reach of the thumb,
    the others behind "more". What is *anybodys* the keeper asks for as such, not for a seat.
    The last choice of one that *taps* is made by one tap, however many there are; one that
    *stays* is asked for again and again, so its sheet remains open.
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


_LOOKS = {
    "accept_knock": Look(-2, "amber", big=True, anybodys=True),
    "dismiss_knock": Look(-1, "plain", big=True, anybodys=True),
    "cancel": Look(0, "danger", big=True),
    "it_was_me": Look(1, "main", big=True),
    "stay": Look(2, "good", big=True),
    "fold": Look(3, "danger", big=True),
    "sit_down": Look(4, "main", big=True, asks=("name",)),
    "start": Look(5, "main", big=True),
    "deal": Look(6, "main", big=True),
    "drink": Look(7, "good", big=True),
    "knock": Look(8, "knock", big=True),
    "card": Look(8, "main", big=True, taps=True, stays=True),
    "confirm": Look(8, "main", big=True),
    "seal_schlag": Look(9, "plain", big=True, taps=True),
    "seal_trump": Look(9, "plain", big=True, taps=True),
    "trick": Look(10, "plain", big=True, confirm=True, splits=("n", 4)),
    "exchange": Look(11, "plain", big=True),
    "challenge": Look(12, "plain", big=True),
    "ready": Look(13, "plain", big=True),
    "undo": Look(30),
    "redo": Look(31),
    "misdeal": Look(60, confirm=True),
    "revoke": Look(61, confirm=True),
    "stand_up": Look(70, confirm=True),
    "wipe": Look(90, "danger", confirm=True),
    "new_evening": Look(91, "danger", confirm=True),
}
_PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a need: *value* as JSON for the form, *label* for the reader.

    *place* is a style that says where a card stands among the others.
    """

    value: str
    label: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in: a list of *choices*, or free text when there are none.

    An *optional* one may be left as it is.
    """

    need: str
    label: str
    choices: tuple[Choice, ...] = ()
    optional: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the reader types the value."""
        return not self.choices


@dataclass(frozen=True, slots=True)
class Control:
    """One thing to press.

    *seat* is the number as shown, None for the table; *fixed* facts go along unseen, *fields*
    are filled in first, and *finals* are the last choice, each one a button. *about* names
    whom the fixed facts mean. Nobody reads again what was chosen in a *secret* one.
    """

    action: str
    label: str
    seat: int | None
    look: Look
    fixed: tuple[tuple[str, str], ...] = ()
    fields: tuple[Field, ...] = ()
    finals: tuple[Choice, ...] = ()
    finals_need: str = ""
    finals_label: str = ""
    about: str = ""
    secret: bool = False

    @property
    def key(self) -> str:
        """A name for this control that stays the same from one picture to the next."""
        facts = "-".join(value.strip('"') for _, value in self.fixed)
        return "-".join(filter(None, (self.action, facts, str(self.seat or "table"))))

    @property
    def is_button(self) -> bool:
        """Whether one press does it, with nothing to fill in or to confirm."""
        return not (self.fields or self.finals or self.look.confirm)


def controls(
    offers: Iterable[Offer], seat: Seat | None, board: Scoreboard, reader: Reader
) -> list[Control]:
    """Return what *offers* of *seat* (None: of the table) come to, in the order to show."""
    made = [one for offer in offers for one in _of_offer(offer, seat, board, reader)]
    return sorted(made, key=lambda one: (one.look.order, one.action, not one.fixed))


def controls_at(seat: Seat, board: Scoreboard, reader: Reader) -> list[Control]:
    """Return what *seat* may do: its row's offers, and the table's that ask which seat."""
    row = board.row(seat)
    own = [one for one in board.offers if seat in one.choices.get(_SEAT, ())]
    return controls((*own, *(row.offers if row else ())), seat, board, reader)


def _of_offer(
    offer: Offer, seat: Seat | None, board: Scoreboard, reader: Reader
) -> Iterable[Control]:
    look = _LOOKS.get(offer.action, _PLAIN)
    if _SEAT in offer.choices and seat is None and not look.anybodys:
        return  # asked at the seat itself
    needs: Needs = {need: offer.choices.get(need, ()) for need in offer.needs}
    if look.splits and look.splits[1] in needs.get(look.splits[0], ()):
        need, value = look.splits
        rest = tuple(one for one in needs[need] if one != value)
        label = reader.say(f"control.{offer.action}.{value}")
        yield _control(offer, {**needs, need: (value,)}, look, seat, board, reader, label)
        if not rest:
            return
        needs = {**needs, need: rest}
        look = Look(look.order + 40)
    label = action_label(offer.action, reader)
    yield _control(offer, needs, look, seat, board, reader, label)


def _control(
    offer: Offer,
    needs: Needs,
    look: Look,
    seat: Seat | None,
    board: Scoreboard,
    reader: Reader,
    label: str,
) -> Control:
    fixed = {need: values[0] for need, values in needs.items() if len(values) == 1}
    fields = [_field(need, needs[need], board, reader) for need in needs if need not in fixed]
    choices = len(fields[-1].choices) if fields else 0
    finals = fields.pop() if 1 < choices <= _FEW or (choices and look.taps) else None
    optional = {need: (*offer.choices.get(need, ()),) for need in (*look.asks, *offer.choices)}
    fields += [
        replace(_field(need, values, board, reader), optional=True)
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
        ", ".join(
            _spoken(need, value, board, reader)
            for need, value in fixed.items()
            if isinstance(value, Seat)
        ),
        offer.secret,
    )


def _field(need: str, values: Sequence[object], board: Scoreboard, reader: Reader) -> Field:
    key = f"need.{need}"
    label = reader.say(key)
    if label == key:
        label = need.replace("_", " ").capitalize()
    if need == _CARD:
        return Field(need, label, tuple(_cards(values, reader)))
    choices = tuple(Choice(_json(one), _spoken(need, one, board, reader)) for one in values)
    return Field(need, label, choices)


def _cards(values: Sequence[object], reader: Reader) -> Iterable[Choice]:
    """Yield *values*, which are cards, from the best rank down, a column a suit."""
    left = set(values)
    for rank in (*reversed(RANKS), *_LOW_RANKS):
        for suit in SUITS:
            if (card := suit + rank) in left:
                yield Choice(_json(card), reader.named(_CARD, card), f"suit-{suit} rank-{rank}")


def action_label(action: str, reader: Reader) -> str:
    """Return what stands on the button of *action*."""
    return reader.word(f"action.{action}") or action.replace("_", " ").capitalize()


def _spoken(need: str, value: object, board: Scoreboard, reader: Reader) -> str:
    if isinstance(value, Seat):
        return board.names.get(value) or reader.say("seat.free", number=value.shown)
    key = f"choice.{need}.{value}"
    label = reader.say(key)
    if label != key:
        return label
    return reader.named(need, str(value)).replace("_", " ")


def _json(value: object) -> str:
    return json.dumps(value.shown if isinstance(value, Seat) else value)
