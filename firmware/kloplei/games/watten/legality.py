"""Why an action of Watten may not be done now: the one judge behind `decide` and offers (§ 10).

`Referee` is asked about everything. What of it needs a part of the rules of its own stands below,
in the order of a deal: raises, exchanging cards, revokes, results and corrections.
What only the two who know may do in Blind Watten is judged in `kloplei.games.watten.blind`.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import get_args

from kloplei.games import card_game
from kloplei.games.card_game import Correct, Deal, Misdeal, NewGame, Ready, Revoke
from kloplei.games.game import Action, Facts, Seat, seat_of
from kloplei.games.watten import actions, blind
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    SOLO_PLAYERS,
    TEAM_PLAYERS,
    TRICKS_IN_DEAL,
    Phase,
    State,
    decided_for,
    is_locked,
    opponents,
    side_of,
)
from kloplei.games.watten.trick import WELI, WELI_RANK, pack_of

REASONS = (
    *(
        "after_this_game",
        "already_announced",
        "already_shown",
        "answer_pending",
        "blind_cannot_revoke",
    ),
    *("card_lies_there", "deal_in_progress", "deal_unknown", "exchange_closed", "exchange_limit"),
    *("game_not_over", "game_over", "max_value", "no_deal", "no_signals", "no_trump_yet"),
    *("not_announced", "not_blind", "not_played_here", "not_sealed", "nothing_changed"),
    *("nothing_to_answer", "only_with_schlag_6", "own_raise", "points_out_of_range"),
    *("raise_locked", "same_side_raised_last", "schlag_first", "signals_off", "slate_not_clean"),
    *("too_late", "trick_count", "unknown_card", "weli_rank_forbidden", "wrong_player"),
)
"""Every code with which Watten refuses something; each has its sentence in ``words/``."""
_USUAL_LIMIT, _DEALER_LIMIT, _TWO_PLAYER_LIMIT = 3, 2, 4  # cards
MOST_EXCHANGED = _TWO_PLAYER_LIMIT
_OF_BOHEMIAN = (actions.TurnUp, actions.Exchange, Ready, actions.Result)
"""What may only be asked for where everybody plays alone."""
_BETWEEN_DEALS = (Deal, NewGame, Revoke, Correct, actions.Chalk)
_OF_BLIND = (*blind.SEALED_ACTIONS, actions.Show)
_DECIDED_BY_TRICKS = ("tricks", "corrected")
_MOST_DOWN, _MOST_UP = 20, 40  # points, where they run down: five tricks of hearts; bad luck


class Referee(card_game.Referee[Options, State]):
    """Judges actions on one state of the table."""

    @property
    def to_answer(self) -> tuple[Seat, ...]:
        """Who may answer for the side that is asked; one answer binds it."""
        if self.state.deal.offer_open:
            return (self.state.dealer,)
        if self.state.deal.raiser is None:
            return ()
        return opponents(self.options, self.state, self.state.deal.raiser)

    @property
    def announcers(self) -> tuple[Seat, ...]:
        """Who is to name Schlag or trump now; in Blind Watten who are to show a card."""
        options, state = self.options, self.state
        dealer, neighbour = state.dealer, state.neighbour
        if options.everyone_alone:
            return (dealer,)
        if options.variant == "blind":
            return state.knowing
        if len(state.seats) == SOLO_PLAYERS:
            return (neighbour,)
        if state.deal.schlag is None:
            return (neighbour, dealer) if options.schlag_tausch else (neighbour,)
        if not options.schlag_tausch:
            return (dealer,)
        return tuple(seat for seat in (dealer, neighbour) if seat != state.deal.schlag_by)

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        options, state = self.options, self.state
        if isinstance(action, _BETWEEN_DEALS):
            return self._why_not_by_name(action)
        if not state.deal_running:
            return "game_over" if state.phase is Phase.GAME_OVER else "no_deal"
        if isinstance(action, _OF_BLIND) and options.variant != "blind":
            return "not_blind"
        if isinstance(action, blind.SEALED_ACTIONS):
            return blind.why_not(options, state, action)
        if options.everyone_alone:
            return self._why_not_alone(action)
        if isinstance(action, _OF_BOHEMIAN):
            return "not_played_here"
        return self._why_not_by_name(action)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say."""
        written = chalkable(self.options)
        return {
            "seat": seat_of(action),
            "seats": self.to_answer,
            "next": self.announcers if self.options.variant == "blind" else self.announcers[0],
            "stake": self.state.deal.value,
            "limit": self.options.lock,
            "most": self.options.max_value,
            "low": written.start,
            "high": written.stop - 1,
        }

    def _why_not_deal(self) -> str | None:
        if self.state.deal_running:
            return "deal_in_progress"
        return "game_over" if self.state.phase is Phase.GAME_OVER else None

    def _why_not_new_game(self) -> str | None:
        return None if self.state.phase is Phase.GAME_OVER else "game_not_over"

    def _why_not_misdeal(self) -> str | None:
        early = self.state.phase in (Phase.ANNOUNCING, Phase.EXCHANGE)
        return None if early else "too_late"

    def _why_not_trick(self, seat: Seat) -> str | None:
        if reason := self._why_not_in_play():
            return reason
        blind_to_it = self.options.only_knowing_tell and seat not in self.state.knowing
        return "wrong_player" if blind_to_it else None

    def _why_not_trick_of(self, seat: Seat, took: Seat) -> str | None:
        if not self.options.only_knowing_tell:
            return "not_played_here"
        others = self.state.after(seat)[:-1] if seat in self.state.seats else ()
        return self._why_not_trick(seat) or (None if took in others else "wrong_player")

    def _why_not_in_play(self) -> str | None:
        if not self.state.deal.announced:
            return "not_announced"
        return "answer_pending" if self.state.deal.raiser is not None else None

    def _why_not_look_early(self, _: Seat) -> str | None:
        if self.options.look_early_penalty == "costs nothing":
            return "not_played_here"
        return None if self.state.phase is Phase.ANNOUNCING else "too_late"

    def _why_not_maschine(self, _: Seat) -> str | None:
        if not self.options.maschine or self.options.variant != "kritisch":
            return "not_played_here"
        if reason := self._why_not_in_play():
            return reason
        return "too_late" if decided_for(self.options, self.state) else None

    def _why_not_offer(self, seat: Seat) -> str | None:
        if seat != self.state.neighbour:
            return "wrong_player"
        deal = self.state.deal
        begun = deal.schlag is not None or deal.confirmed or deal.announced
        return "exchange_closed" if deal.offered or begun else None

    def _why_not_agree(self, seat: Seat) -> str | None:
        if not self.state.deal.offer_open:
            return "nothing_to_answer"
        return None if seat == self.state.dealer else "wrong_player"

    _why_not_refuse = _why_not_agree

    def _why_not_schlag(self, seat: Seat, rank: str) -> str | None:
        if self.options.variant == "blind":
            return "not_played_here"
        named = self.state.deal.schlag is not None
        if seat not in self.announcers and not (named and seat == self.state.deal.schlag_by):
            return "wrong_player"
        if named:
            return "already_announced"
        if self.state.deal.offer_open:
            return "answer_pending"
        if rank not in get_args(actions.Rank):
            return "unknown_card"
        forbidden = rank == WELI_RANK and not self.options.six_may_be_schlag
        return "weli_rank_forbidden" if forbidden else None

    def _why_not_trump(self, seat: Seat, suit: str) -> str | None:
        if self.options.everyone_alone:
            return self._why_not_turned_up(suit in get_args(actions.Suit), seat)
        if self.options.variant == "blind":
            return "not_played_here"
        if self.state.deal.schlag is None:
            return "schlag_first"
        if seat not in self.announcers:
            return "wrong_player"
        if self.state.deal.trump is not None:
            return "already_announced"
        return None if suit in get_args(actions.Suit) else "unknown_card"

    def _why_not_announced(self, seat: Seat) -> str | None:
        """Who did the naming says so: one who only listened would open play too early."""
        if self.options.variant == "blind":
            return "not_played_here"
        if self.state.deal.announced:
            return "already_announced"
        if seat not in (self.state.dealer, self.state.neighbour):
            return "wrong_player"
        return "answer_pending" if self.state.deal.offer_open else None

    def _why_not_alone(self, action: Action) -> str | None:
        """Return the reason *action* is refused where nobody has a partner, or None."""
        if isinstance(action, (actions.TurnUp, actions.Trump, Misdeal)):
            return self._why_not_by_name(action)
        if not isinstance(action, (*_OF_BOHEMIAN, actions.Trick)):
            return "not_played_here"
        if self.state.phase is Phase.ANNOUNCING:
            return "no_trump_yet"
        return None if isinstance(action, actions.Trick) else self._why_not_by_name(action)

    def _why_not_turnup(self, suit: str, rank: str) -> str | None:
        known = suit in get_args(actions.Suit) and rank in get_args(actions.Rank)
        if rank == WELI_RANK:
            known = suit == WELI.suit and self.options.has_weli
        return self._why_not_turned_up(known, self.state.dealer)

    def _why_not_turned_up(self, known: bool, seat: Seat) -> str | None:
        if self.state.phase is not Phase.ANNOUNCING:
            return "already_announced"
        if seat != self.state.dealer:
            return "wrong_player"
        return None if known else "unknown_card"

    def _why_not_exchange(self, seat: Seat, n: int) -> str | None:
        if self.state.phase is not Phase.EXCHANGE:
            return "exchange_closed"
        most = exchange_limit(self.options, self.state, seat)
        if seat in self.state.deal.exchanged or not 0 <= n <= most:
            return "exchange_limit"
        return "exchange_closed" if _was_passed_over(self.state, seat) else None

    def _why_not_ready(self) -> str | None:
        return None if self.state.phase is Phase.EXCHANGE else "exchange_closed"

    def _why_not_result(self, tricks: tuple[int, ...]) -> str | None:
        return None if _fits(self.state, tricks) else "trick_count"

    def _why_not_show(self) -> str | None:
        if self.state.deal.announced:
            return "already_announced"
        return "answer_pending" if self.state.deal.offer_open else None

    def _why_not_raise(self, seat: Seat) -> str | None:
        deal = self.state.deal
        if not deal.announced:
            return "not_announced"
        if decided_for(self.options, self.state):
            return "too_late"
        if is_locked(self.options, self.state, seat):
            return None if _raising_costs(self.options) else "raise_locked"
        own = side_of(self.options, self.state, seat)
        if deal.raiser in own:
            return "answer_pending"
        if deal.raiser is None and deal.raised_last in own:
            return "same_side_raised_last"
        highest = self.options.max_value
        return "max_value" if highest is not None and value_if_held(self.state) >= highest else None

    def _why_not_accept(self, seat: Seat) -> str | None:
        if self.state.deal.raiser is None:
            return "nothing_to_answer"
        own = side_of(self.options, self.state, seat)
        return "own_raise" if self.state.deal.raiser in own else None

    def _why_not_fold(self, seat: Seat) -> str | None:
        if self.options.concede_anytime and self.state.phase is Phase.PLAY:
            return "too_late" if decided_for(self.options, self.state) else None
        return self._why_not_accept(seat)

    def _why_not_signal(self, _: Seat) -> str | None:
        # In Blind Watten nobody has said what the Schlag is: a sign stays allowed with the six, and
        # showing hands is not, since either answer would give it away.
        six = self.state.deal.schlag == WELI_RANK
        return self._why_not_partners() or (
            "signals_off" if six or not self.options.signals else None
        )

    def _why_not_show_hands(self, _: Seat) -> str | None:
        six = self.state.deal.schlag == WELI_RANK
        return self._why_not_partners() or (None if six else "only_with_schlag_6")

    def _why_not_partners(self) -> str | None:
        """Return the reason partners may not tell each other anything, or None if they may."""
        if not self.state.deal.announced:
            return "not_announced"
        return "no_signals" if len(self.state.seats) != TEAM_PLAYERS else None

    def _why_not_revoke(self, seat: Seat) -> str | None:
        """Return why *seat* cannot have revoked in the running or the last deal, or None."""
        if not self.state.deal_running:
            return _why_not_late(self.options, self.state, seat)
        if not self.state.deal.announced:
            return "no_trump_yet" if self.options.everyone_alone else "not_announced"
        return _why_not_bound(self.options, self.state, seat, self.state.dealer)

    def _why_not_chalk(self, seat: Seat, points: int) -> str | None:
        if self.state.deal_running:
            return "deal_in_progress"
        if points not in chalkable(self.options):
            return "points_out_of_range"
        return "nothing_changed" if points == self.state.points[seat] else None

    def _why_not_correct(self, number: int, winner: Seat) -> str | None:
        if self.state.deal_running:
            return "deal_in_progress"
        deal = next((one for one in self.state.deals if one.number == number), None)
        if deal is None or deal.how not in _DECIDED_BY_TRICKS:
            return "deal_unknown"
        return "nothing_changed" if winner in deal.winners else None


def value_if_held(state: State) -> int:
    """Return what the deal is worth once an open raise is held; a raise asks for one more."""
    return state.deal.proposed or state.deal.value


def exchange_limit(options: Options, state: State, seat: Seat) -> int:
    """Return how many cards *seat* may exchange in a deal."""
    if options.bohemian_exchange == "4 with two players" and len(state.seats) == 2:
        return _TWO_PLAYER_LIMIT
    if options.bohemian_exchange == "3 for all" or seat != state.dealer:
        return _USUAL_LIMIT
    return _DEALER_LIMIT


def may_run_short(options: Options, state: State) -> bool:
    """Return whether the pack cannot serve every exchange: with five or six players."""
    wanted = sum(exchange_limit(options, state, seat) for seat in state.seats)
    return _undealt(options, state) < wanted


def cards_left(options: Options, state: State) -> int:
    """Return how many cards the pack still holds for who exchanges."""
    return max(0, _undealt(options, state) - state.deal.taken)


def results(state: State) -> Iterator[tuple[int, ...]]:
    """Yield every way in which the tricks of a deal can fall."""
    players = len(state.seats)
    for bars in combinations(range(TRICKS_IN_DEAL + players - 1), players - 1):
        edges = (-1, *bars, TRICKS_IN_DEAL + players - 1)
        yield tuple(right - left - 1 for left, right in pairwise(edges))


def chalkable(options: Options) -> range:
    """Return the points that may be written by hand; with enough of them the game is over."""
    if options.everyone_alone:
        return range(-_MOST_DOWN, options.bohemian_start + _MOST_UP + 1)
    return range(2 * options.target + 1)


def _raising_costs(options: Options) -> bool:
    """Return whether a locked side that raises is not stopped but pays for it."""
    return options.illegal_raise != "reject" or options.gestrichen_rule == "tense_auto_raise"


def _why_not_late(options: Options, state: State, seat: Seat) -> str | None:
    if not state.deals:
        return "no_deal"
    if reason := _why_not_bound(options, state, seat, state.deals[-1].dealer):
        return reason
    return None if state.may_take_back else "too_late"


def _why_not_bound(options: Options, state: State, seat: Seat, dealer: Seat) -> str | None:
    """Return why *seat* had no duty to follow in a deal of *dealer*, or None if it had."""
    knew = (dealer, state.after(dealer)[0])
    blind = options.variant == "blind" and seat not in knew
    return "blind_cannot_revoke" if blind else None


def _was_passed_over(state: State, seat: Seat) -> bool:
    """Return whether somebody after *seat* has exchanged: it goes around once, the dealer last."""
    turn = state.after(state.dealer).index
    return any(turn(seat) < turn(other) for other in state.deal.exchanged)


def _fits(state: State, tricks: tuple[int, ...]) -> bool:
    """Return whether *tricks* make a whole deal, and no fewer than were entered one by one."""
    if len(tricks) != len(state.seats) or sum(tricks) != TRICKS_IN_DEAL:
        return False
    entered = (state.deal.tricks[seat] for seat in sorted(state.seats))
    return all(n >= had for n, had in zip(tricks, entered, strict=True))


def _undealt(options: Options, state: State) -> int:
    return len(pack_of(options)) - TRICKS_IN_DEAL * len(state.seats)  # a card a trick in every hand
