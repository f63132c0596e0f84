"""Which sentence tells an event of Watten; the keys stand in ``words/`` (``news.<key>``)."""

from kloplei.rules.game import Event
from kloplei.rules.scoreboard import Line, Tone
from kloplei.rules.watten import events

_TOLD = frozenset(
    {
        *("chalked", "corrected"),
        *("cards-exchanged", "counted", "deal-taken-back", "deal-won", "given-up", "hand-void"),
        *("hands-shown", "misdealt", "new-cards-refused", "new-cards-taken", "penalty"),
        "slate-wiped",
    }
)
_TONES = {**dict.fromkeys(_TOLD, Tone.TOLD), "raised": Tone.SHOUT, "game-won": Tone.FANFARE}


def news_of(event: Event) -> Line | None:
    """Return the news that *event* is, or None if it says nothing that players wait for."""
    match event:
        case events.DealEnded():
            return _deal_ended(event)
        case events.GameWon(winners=winners):
            return _line("game-won", seats=winners)
        case events.Dealt(dealer=dealer):
            return _line("dealt", seat=dealer)
        case events.DealTakenBack(seat=seat):
            return _line("deal-taken-back", seat=seat)
        case events.Corrected(hand=hand, winners=winners):
            return _line("corrected", hand=hand, seats=winners)
        case events.Chalked(seats=seats, number=number):
            return _line("chalked", seats=seats, points=number)
        case events.SlateWiped():
            return _line("slate-wiped")
        case events.Raised(seat=seat, proposed=proposed):
            return _line("raised", seat=seat, stake=proposed)
        case events.Held(seat=seat, value=value):
            return _line("held", seat=seat, stake=value)
        case events.TrickTaken(seat=seat, number=number):
            return _line("trick", seat=seat, number=number)
        case events.CardLaid(seat=seat, card=card):
            return _line("card", seat=seat, card=card)
        case events.SealOpened(rank=rank, suit=suit):
            return _line("seal-opened", rank=rank, suit=suit)
        case _:
            return _before_play(event)


def _before_play(event: Event) -> Line | None:
    match event:
        case events.NewCardsOffered(seat=seat, dealer=dealer):
            return _line("new-cards-offered", seat=seat, of=dealer)
        case events.NewCardsTaken():
            return _line("new-cards-taken")
        case events.NewCardsRefused(seat=seat):
            return _line("new-cards-refused", seat=seat)
        case events.SchlagNamed(seat=seat, rank=rank):
            return _line("schlag", seat=seat, rank=rank)
        case events.TrumpNamed(seat=seat, suit=suit):
            return _line("trump", seat=seat, suit=suit)
        case events.NamedAloud(seat=seat):
            return _line("named-aloud", seat=seat)
        case events.CardsShown(seats=seats):
            return _line("cards-shown", seats=seats)
        case events.ShowConfirmed(seat=seat):
            return _line("show-confirmed", seat=seat)
        # What is under the seal is no fact of any sentence before `SealOpened`.
        case events.SchlagSealed(seat=seat):
            return _line("schlag-sealed", seat=seat)
        case events.TrumpSealed(seat=seat):
            return _line("trump-sealed", seat=seat)
        case events.FourForced(proposed=proposed):
            return _line("four-forced", stake=proposed)
        case events.TurnedUp(suit=suit, rank=rank):
            return _line("turned-up", suit=suit, rank=rank)
        case events.CardsExchanged(seat=seat, n=n):
            return _line("cards-exchanged", seat=seat, cards=n)
        case events.HandsShown(seat=seat):
            return _line("hands-shown", seat=seat)
        case _:
            return None  # a sign is for one's partner only


def _deal_ended(event: events.DealEnded) -> Line:
    match event.how:
        case "counted":
            return _line("counted")
        case "tricks" | "maschine":
            return _line("deal-won", seats=event.winners, points=event.scored)
        case "given-up":
            return _line("given-up", seat=event.seat, seats=event.winners, points=event.scored)
        case "misdeal" if not event.winners:
            return _line("misdealt")
        case "revoke" if not event.winners:
            return _line("hand-void", seat=event.seat)
        case _:
            return _line("penalty", seat=event.seat, seats=event.winners, points=event.scored)


def _line(key: str, **facts: object) -> Line:
    return Line(f"news.{key}", facts, _TONES.get(key, Tone.PLAIN))
