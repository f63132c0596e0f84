"""What each event of Tarok does to the state, and which sentence tells it (§ 9).

An event comes in, a new state goes out, with the event as its latest news. Nothing here refuses or
judges: old journals replay through it under the rules of today. `Course` besides knows how a line
of the ledger is paid.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from kloplei.frozen import replace
from kloplei.games import card_game
from kloplei.games.card_game import Telling, shown, told
from kloplei.games.game import Event, Facts, Seat
from kloplei.games.scoreboard import Line, Tone
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import AnyEntry, Booked
from kloplei.games.tarok.options import Options
from kloplei.games.tarok.state import Phase, PlayedHand, Pots, State

_NOTHING = Pots()


def said_of(entry: AnyEntry) -> Line:  # noqa: C901 - a flat list, a case an entry
    """Return what was told of the running hand, in the words of its ledger where it has any."""
    match entry:
        case actions.HandVoided():
            return Line("news.hand-voided")
        case actions.ResultTold():
            return Line("news.result")
        case actions.Declared(what="taroks", pagat=bool()):
            return _taroks(entry)
        case actions.Declared(seat=seat, what=what, count=count, suit=suit):
            of_a_suit = {} if suit is None else {"suit": suit}
            return ledger_line(what, seat=seat, count=count, **of_a_suit)
        case actions.FateTold(seat=seat, what=what):
            return ledger_line(what, seat=seat)
        case actions.Fined(seat=seat):
            return ledger_line("fine", seat=seat)
        case actions.WrongDiscardFound(seat=seat):
            return Line("news.wrong-discard", {"seat": seat})
        case actions.FoolLeft(seat=seat):
            return ledger_line("excuse_alone", seat=seat)
        case actions.LastTrickTold(seat=seat):
            return ledger_line("last_trick", seat=seat)
        case actions.LastCardTold(seat=seat, card="pagat"):
            return Line("news.last-card-pagat", {"seat": seat})
        case actions.LastCardTold(seat=seat):
            return Line("news.last-card-king", {"seat": seat})
        case actions.FeatTold(seat=seat, what=what, announced=before, made=made):
            outcome = "made" if made else "failed"
            # A plain one is said alike in all games; Grosstarock books how it was announced.
            plain = what == "tout" or (what == "nolo" and made and before is None)
            told = {} if before is None else {"announced": before}
            return ledger_line(what if plain else f"{what}_{outcome}", seat=seat, **told)
        case actions.FeatUnclaimed(seat=seat):
            return Line("news.feat-unclaimed", {"seat": seat})
        case actions.PointsCounted(seat=seat, points=points):
            return Line("news.points-counted", {"seat": seat, "points": points})
    raise TypeError(f"{entry!r} is no entry of Tarok")


def quoted(entries: Iterable[AnyEntry]) -> tuple[Facts, ...]:
    """Return what was told by *entries*, for a sentence that quotes it."""
    return tuple(said_of(one).as_fact() for one in entries)


def asked_about(feat: actions.FeatTold) -> Line:
    """Return the question whether *feat* was made, of which nobody spoke."""
    match feat.what:
        case "vole":
            return Line("prompt.untold-vole", {"seat": feat.seat})
        case "tout":
            return Line("prompt.untold-tout", {"seat": feat.seat})
    return Line("prompt.untold-nolo", {"seat": feat.seat})


def ledger_line(name: str, **facts: object) -> Line:
    """Return how the ledger's line *name* is said."""
    return Line(f"ledger.{name}", facts)


def _moved(state: State, line: actions.Booked, times: int = 1) -> State:
    scores = (a + times * b for a, b in zip(state.scores, line.amounts, strict=True))
    pots = Pots(state.pots.king + times * line.king, state.pots.pagat + times * line.pagat)
    return replace(state, scores=tuple(scores), pots=pots)


def _taroks(told: actions.Declared) -> Line:
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


def _end_of_hand(event: actions.HandEnded) -> Line:
    is_void = event.how == actions.VOID
    return (told("thrown-in", hand="number") if is_void else told("booked", hand="number"))(event)


def _end_of_evening(event: actions.EveningSettled) -> Line:
    if event.winners:
        return Line("news.won", {"seats": event.winners}, Tone.FANFARE)
    return Line("news.settled", {}, Tone.TOLD)


class Course(card_game.Course[Options, State]):
    """Events told so far, and the table they lead to."""

    sentences: ClassVar[Mapping[type[Event], Telling]] = {
        actions.Dealt: shown("dealt", seat="dealer"),
        actions.SitterChosen: shown("sits-out", "seat"),
        actions.Passed: shown("passed", "seat"),
        **dict.fromkeys(actions.ENTRIES, said_of),
        actions.HandEnded: _end_of_hand,
        actions.HandReopened: told("reopened", hand="number"),
        actions.EveningSettled: _end_of_evening,
        actions.SlateWiped: told("slate-wiped"),
    }

    def after(self, event: Event) -> State:
        """Return the state after *event*; some is told by what stood there before it."""
        return super().after(event).telling(self._told_beside(event))

    def _told_beside(self, event: Event) -> Line | None:
        """Return what to tell of *event* by the state before it, None where it says all itself.

        What is struck out is told by what it said. Of hands that are booked once more after an
        older one was put right, that one alone is told.
        """
        before = self.state
        if isinstance(event, actions.EntryTakenBack):
            said = said_of(before.entries[event.number - 1]).as_fact()
            return Line("news.entry-taken-back", {"said": said})
        if isinstance(event, actions.HandReopened) and event.number < len(before.hands):
            return Line("news.reopened-early", {"hand": event.number}, Tone.TOLD)
        anew = before.news if before.news and before.news.key == "news.booked-anew" else None
        if anew and (before.waiting or before.phase is Phase.HAND):
            return replace(anew)  # told once more, and no news of before
        if isinstance(event, actions.HandEnded) and before.waiting:
            return Line("news.booked-anew", {"hand": event.number}, Tone.TOLD)
        return None

    def _when_sitter_chosen(self, event: actions.SitterChosen, state: State) -> State:
        return replace(state, sitter=event.seat)

    def _when_dealt(self, event: actions.Dealt, state: State) -> State:
        return replace(
            state,
            phase=Phase.HAND,
            dealer=event.dealer,
            sitter=event.sitter,
            entries=(),
            lines=(),
            passed=(),
            waiting=state.waiting[1:],
            opened=True,
            paid=True,
        )

    def _when_passed(self, event: actions.Passed, state: State) -> State:
        return replace(state, passed=(*state.passed, event.seat))

    def _when_declared(self, event: AnyEntry, state: State) -> State:
        return replace(state, entries=(*state.entries, event))

    _when_fined = _when_fate_told = _when_last_trick_told = _when_last_card_told = _when_declared
    _when_feat_told = _when_fool_left = _when_wrong_discard_found = _when_declared
    _when_points_counted = _when_feat_unclaimed = _when_declared
    _when_result_told = _when_hand_voided = _when_declared

    def _when_entry_taken_back(self, event: actions.EntryTakenBack, state: State) -> State:
        at = event.number - 1
        return replace(state, entries=(*state.entries[:at], *state.entries[at + 1 :]))

    def _when_booked(self, event: actions.Booked, state: State) -> State:
        return replace(_moved(state, event), lines=(*state.lines, event))

    def _when_hand_ended(self, event: actions.HandEnded, state: State) -> State:
        is_void = event.how == actions.VOID
        next_sitter = None if state.waiting else state.next_sitter
        played = PlayedHand(
            number=event.number,
            how=event.how,
            dealer=state.dealer,
            sitter=state.sits_out,
            entries=state.entries,
            lines=state.lines,
        )
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            dealer=event.dealer,
            sitter=state.sitter if is_void else next_sitter,
            next_sitter=state.next_sitter if state.waiting else None,
            entries=(),
            lines=(),
            passed=(),
            paid=is_void,
            hands=(*state.hands, played),
        )

    def _when_hand_reopened(self, event: actions.HandReopened, state: State) -> State:
        before, (hand, *after) = state.hands[: event.number - 1], state.hands[event.number - 1 :]
        paid = tuple(line for line in hand.lines if line.line in actions.PAID_AT_THE_DEAL)
        played = [line for line in hand.lines if line not in paid]
        for line in (*played, *(line for one in after for line in one.lines)):
            state = _moved(state, line, times=-1)
        return replace(
            state,
            phase=Phase.HAND,
            dealer=hand.dealer,
            sitter=hand.sitter,
            entries=hand.entries,
            lines=paid,
            passed=(),
            waiting=tuple(after),
            next_sitter=None if state.paid else state.sitter,
            paid=True,
            hands=before,
        )

    def _when_evening_settled(self, event: actions.EveningSettled, state: State) -> State:
        return replace(state, phase=Phase.SETTLED)

    def _when_slate_wiped(self, event: actions.SlateWiped, state: State) -> State:
        return State(state.seats, state.dealer, (0,) * len(state.scores), news=state.news)

    def pay(
        self,
        line: str,
        amounts: Mapping[Seat, int],
        *,
        into: Pots = _NOTHING,
        seat: Seat | None = None,
        count: int | None = None,
    ) -> None:
        """Book *line*: *amounts* by seat, and what goes *into* the pots (less than 0: out)."""
        by_seat = tuple(amounts.get(Seat(n), 0) for n in range(len(self.state.scores)))
        self.tell(Booked(line, by_seat, into.king, into.pagat, seat, count))

    def each(
        self,
        line: str,
        seat: Seat,
        value: int,
        *,
        into: Pots = _NOTHING,
        count: int | None = None,
    ) -> None:
        """Let *seat* get *value* from each opponent, or pay it, and put so much *into* the pots."""
        # Seats and pots of a line come to nothing together. What goes into the pots is paid by
        # *seat* alone, so it is its own part that makes up for them, never an opponent's.
        opponents = [one for one in self.state.active if one != seat]
        own = value * len(opponents) - into.total
        amounts = {seat: own, **dict.fromkeys(opponents, -value)}
        self.pay(line, amounts, into=into, seat=seat, count=count)
