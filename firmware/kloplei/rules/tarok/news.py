"""Which sentence tells an event of Tarok; the keys stand in ``words/`` (``news.<key>``)."""

from kloplei.rules.game import Event
from kloplei.rules.scoreboard import Line, Tone
from kloplei.rules.tarok import entries, events
from kloplei.rules.tarok.entries import AnyEntry


def news_of(event: Event) -> Line | None:
    """Return the news that *event* is, or None if it says nothing that players wait for."""
    match event:
        case events.Dealt(dealer=dealer):
            return Line("news.dealt", {"seat": dealer})
        case events.SitterChosen(seat=seat):
            return Line("news.sits-out", {"seat": seat})
        case events.HandEnded(number=number, how="void"):
            return Line("news.thrown-in", {"hand": number}, Tone.TOLD)
        case events.HandEnded(number=number):
            return Line("news.booked", {"hand": number}, Tone.TOLD)
        case events.EveningSettled(winners=winners) if winners:
            return Line("news.won", {"seats": winners}, Tone.FANFARE)
        case events.EveningSettled():
            return Line("news.settled", {}, Tone.TOLD)
        case events.HandReopened(number=number):
            return Line("news.reopened", {"hand": number}, Tone.TOLD)
        case events.Passed(seat=seat):
            return Line("news.passed", {"seat": seat})
        case events.SlateWiped():
            return Line("news.slate-wiped", {}, Tone.TOLD)
        case events.EntryTakenBack(number=number):
            return Line("news.entry-taken-back", {"number": number})
        case entries.Entry() | entries.ResultTold() | entries.HandVoided():
            return said_of(event)
        case _:
            return None


def said_of(entry: AnyEntry) -> Line:
    """Return what was told of the running hand, in the words of its ledger where it has any."""
    match entry:
        case entries.HandVoided():
            return Line("news.hand-voided")
        case entries.ResultTold():
            return Line("news.result")
        case entries.Declared(what="taroks", pagat=bool()):
            return _taroks(entry)
        case entries.Declared(seat=seat, what=what, count=count):
            return ledger_line(what, seat=seat, count=count)
        case entries.FateTold(seat=seat, what=what):
            return ledger_line(what, seat=seat)
        case entries.Fined(seat=seat) | entries.WrongDiscardFound(seat=seat):
            return ledger_line("fine", seat=seat)
        case entries.FoolLeft(seat=seat):
            return ledger_line("excuse_alone", seat=seat)
        case entries.LastTrickTold(seat=seat):
            return ledger_line("last_trick", seat=seat)
        case entries.LastCardTold(seat=seat, card="pagat"):
            return Line("news.last-card-pagat", {"seat": seat})
        case entries.LastCardTold(seat=seat):
            return Line("news.last-card-king", {"seat": seat})
        case entries.FeatTold(seat=seat, what=what, made=made):
            outcome = "made" if made else "failed"
            # A plain one is said alike in all games; Grosstarock books how it was announced.
            plain = what == "tout" or (what == "nolo" and made)
            return ledger_line(what if plain else f"{what}_{outcome}", seat=seat)
        case entries.PointsCounted(seat=seat, points=points):
            return Line("news.points-counted", {"seat": seat, "points": points})
    raise TypeError(f"{entry!r} is no entry of Tarok")


def _taroks(told: entries.Declared) -> Line:
    """Return taroks with what has to be said of them aloud: pagat, and in Grosstarock the Fool."""
    facts = {"seat": told.seat, "count": told.count}
    match told.pagat, told.fool:
        case True, True:
            return Line("news.taroks-with-both", facts)
        case True, _:
            return Line("news.taroks-with-pagat", facts)
        case _, True:
            return Line("news.taroks-with-fool", facts)
    return Line("news.taroks-without-pagat", facts)


def ledger_line(name: str, **facts: object) -> Line:
    """Return how the ledger's line *name* is said."""
    return Line(f"ledger.{name}", facts)
