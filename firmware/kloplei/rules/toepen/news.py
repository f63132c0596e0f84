"""Which sentence tells an event of toepen; the keys stand in ``words/`` (``news.<key>``)."""

from kloplei.rules.game import Event, Seat
from kloplei.rules.scoreboard import Line, Tone
from kloplei.rules.toepen import events

_TOLD = frozenset(
    {
        *("challenge-clean", "challenge-dirty", "chalked", "corrected", "drank", "everyone-lost"),
        *("exchanged", "four", "hand-dropped", "hand-void", "hand-won", "hand-won-by-folds"),
        *("misdealt", "sang", "slate-wiped", "stood", "whistled"),
    }
)
_TONES = {
    **dict.fromkeys(_TOLD, Tone.TOLD),
    "knocked": Tone.SHOUT,
    "rubber-over": Tone.FANFARE,
    "toepkoning": Tone.CROWN,
}


def news_of(event: Event) -> Line | None:
    """Return the news that *event* is, or None if it says nothing that players wait for."""
    match event:
        case events.HandEnded():
            return _hand_ended(event)
        case events.RubberWon(winners=winners, crowned=crowned):
            return _rubber_won(winners, crowned)
        case events.Dealt(dealer=dealer, armoede=()):
            return _line("dealt", seat=dealer)
        case events.Dealt(armoede=armoede, stake=stake):
            return _line("armoede", seats=armoede, stake=stake)
        case events.ArmoedeSettled(armoede=armoede, stake=stake):
            return _line("armoede", seats=armoede, stake=stake) if armoede else None
        case events.Challenged(seat=seat, of=of, found=found, n=n):
            return _line(f"challenge-{found}", seat=seat, of=of, n=n)
        case events.Corrected(hand=hand, winner=winner):
            return _line("corrected", hand=hand, seat=winner)
        case events.Chalked(seat=seat, lives=lives):
            return _line("chalked", seat=seat, n=lives)
        case events.SlateWiped():
            return _line("slate-wiped")
        case _:
            return _move(event)


def _move(event: Event) -> Line | None:
    match event:
        case events.Knocked(seat=seat, stake=stake):
            return _line("knocked", seat=seat, stake=stake)
        case events.Stayed(seat=seat, stake=stake, forced=False):
            return _line("stayed", seat=seat, stake=stake)
        case events.Folded(seat=seat, n=n):
            return _line("folded", seat=seat, n=n)
        case events.TrickTaken(seat=seat, number=number):
            return _line("trick", seat=seat, number=number)
        case events.Exchanged(seat=seat):
            return _line("exchanged", seat=seat)
        case events.Whistled(seat=seat):
            return _line("whistled", seat=seat)
        case events.Stood(seat=seat):
            return _line("stood", seat=seat)
        case events.Sang(seat=seat):
            return _line("sang", seat=seat)
        case events.Drank(seat=seat):
            return _line("drank", seat=seat)
        case _:
            return None


def _hand_ended(event: events.HandEnded) -> Line:
    match event.how:
        case "trick":
            return _line("hand-won", seat=event.winner, n=event.stake)
        case "folds":
            return _line("hand-won-by-folds", seat=event.winner)
        case "four":
            return _line("four", seat=event.winner)
        case "everyone-lost":
            return _line("everyone-lost", seat=event.seat, n=event.stake)
        case "out":
            return _line("hand-dropped", seat=event.seat)
        case "revoke":
            return _line("hand-void", seat=event.seat)
        case _:
            return _line("misdealt")


def _rubber_won(winners: tuple[Seat, ...], crowned: tuple[Seat, ...]) -> Line:
    if not crowned:
        return _line("rubber-over", seats=winners)
    return _line("toepkoning", seat=crowned[0] if len(crowned) == 1 else crowned)


def _line(key: str, **facts: object) -> Line:
    return Line(f"news.{key}", facts, _TONES.get(key, Tone.PLAIN))
