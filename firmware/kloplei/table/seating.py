"""The table around the game: who sits where, what is played, has it begun.

`Seating` decides and applies like a game does; it asks the game where players may move.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.table.actions import (
    ChooseOptions,
    NewEvening,
    Rename,
    SitDown,
    StandUp,
    Start,
    Swap,
    Wipe,
)
from kloplei.table.client import Unreadable
from kloplei.table.events import (
    EveningBegun,
    OptionsChosen,
    Renamed,
    RubberAbandoned,
    SatDown,
    Started,
    StoodUp,
    Swapped,
    house_rules,
)
from kloplei.table.names import checked_name, lent_name
from kloplei.table.state import AnyGame, TableSetup, TableState


class Seating:
    """Decides and applies what is asked of the table rather than of the game.

    Args:
        setup: The places, and the games that are played there.
    """

    def __init__(self, setup: TableSetup) -> None:
        self.seats = setup.seats
        self.presets = setup.presets
        self.games = setup.games
        self._language = setup.language
        self._build = lru_cache(maxsize=16)(
            lambda name, preset, options: setup.build(name, preset, dict(options))
        )

    def game(self, state: TableState) -> AnyGame:
        """Return the game of *state*, house rules and all."""
        return self._build(state.game, state.preset, state.options)

    def hears_wood(self, state: TableState) -> bool:
        """Return whether blows on the wood may mean anything: always, until a game is begun."""
        return state.play is None or self.game(state).hears_wood(state.play)

    def why_not_reseat(self, state: TableState) -> str | None:
        """Return the reason players may not come, go or swap now, or None if they may."""
        return None if state.play is None else self.game(state).why_not_reseat(state.play)

    def why_not_sit_down(self, state: TableState) -> str | None:
        """Return the reason nobody may join now, whatever the seat, or None."""
        if state.play is not None and len(state.names) >= self.game(state).max_seats:
            return "too_many_players"
        return self.why_not_reseat(state)

    def why_not_stand_up(self, state: TableState) -> str | None:
        """Return the reason nobody may leave now, or None."""
        if state.play is not None and len(state.names) <= self.game(state).min_seats:
            return self.why_not_reseat(state) or "too_few_players"
        return self.why_not_reseat(state)

    def why_not_start(self, state: TableState) -> str | None:
        """Return the reason the game cannot begin, or None if it can."""
        if state.play is not None:
            return "already_started"
        return _wrong_number(self.game(state), len(state.names))

    def why_not_wipe(self, state: TableState) -> str | None:
        """Return the reason the slate cannot be wiped, or None if it can."""
        if state.play is None:
            return "not_started"
        return None if self.why_not_reseat(state) else "slate_clean"

    def decide(self, state: TableState, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: It may not be done now.
            Unreadable: Options that make no game.
        """
        match action:
            case SitDown(seat, called):
                self._demand(None if seat not in state.names else "seat_taken", seat=seat)
                self._demand(self.why_not_sit_down(state), n=self.game(state).max_seats)
                return (SatDown(seat, self._name(state, seat, called)),)
            case StandUp(seat):
                name = _sitting(state, seat)
                self._demand(self.why_not_stand_up(state), n=self.game(state).min_seats)
                return (StoodUp(seat, name),)
            case Swap(seat, of):
                _sitting(state, seat)
                self._demand("same_seat" if of == seat else self.why_not_reseat(state), seat=seat)
                return (Swapped(seat, of),)
            case Rename(seat, called):
                before = _sitting(state, seat)
                others = (name for one, name in state.names.items() if one != seat)
                return (Renamed(seat, checked_name(called, others), before),)
            case Start():
                return (self._started(state, action),)
            case ChooseOptions():
                return (self._chosen(state, action),)
            case Wipe():
                self._demand(self.why_not_wipe(state))
                return (RubberAbandoned(),)
            case NewEvening():
                self._demand(None if state.play is not None else "not_started")
                return (begun(state),)
            case _:
                raise TypeError(f"{action!r} is nothing the table decides")

    def apply(self, state: TableState, event: Event) -> TableState:
        """Return the table after *event*; never refuses, so that old journals replay."""
        names = dict(state.names)
        match event:
            case SatDown(seat, name) | Renamed(seat, name):
                return self._with_names(state, names | {seat: name}, {})
            case StoodUp(seat):
                names.pop(seat, None)
                return self._with_names(state, names, {})
            case Swapped(seat, of):
                moved = {seat: of, of: seat}
                names = {moved.get(one, one): name for one, name in names.items()}
                return self._with_names(state, names, moved)
            case OptionsChosen():
                return self._with_options(state, event)
            case Started(seats, dealer):
                return replace(state, play=self.game(state).start(seats, dealer))
            case RubberAbandoned():
                return replace(state, play=self._reseated(state, state, {}))
            case EveningBegun(game, preset, options, players):
                return TableState(game, preset, options, dict(players))
            case _:
                return replace(state, play=self.game(state).apply(state.play, event))

    def _demand(self, why_not: str | None, **facts: object) -> None:
        if why_not is not None:
            raise IllegalAction(why_not, **facts)

    def _name(self, state: TableState, seat: Seat, called: str | None) -> str:
        if called is None or not called.strip():
            return lent_name(seat, self._language, state.names.values())
        return checked_name(called, state.names.values())

    def _started(self, state: TableState, action: Start) -> Started:
        wanted = _wanted(self.game(state), len(state.names))
        self._demand(self.why_not_start(state), n=wanted)
        asked = (action.dealer, action.seat if action.seat in state.names else None)
        dealer = next((seat for seat in asked if seat is not None), state.seated[0])
        self._demand(None if dealer in state.names else "seat_empty", seat=dealer)
        return Started(state.seated, dealer)

    def _chosen(self, state: TableState, action: ChooseOptions) -> OptionsChosen:
        self._demand(self.why_not_reseat(state))
        same = action.game in (None, state.game)
        chosen = OptionsChosen(
            game=action.game or state.game,
            preset=state.preset if same and action.preset is None else action.preset,
            options=house_rules(action.options),
        )
        try:
            game = self._build(chosen.game, chosen.preset, chosen.options)
        except (ValueError, LookupError) as error:
            raise Unreadable(str(error)) from error
        if state.play is not None and same:
            players = len(state.names)
            self._demand(_wrong_number(game, players), n=_wanted(game, players))
        return chosen

    def _with_names(
        self, state: TableState, names: Mapping[Seat, str], moved: Mapping[Seat, Seat]
    ) -> TableState:
        after = replace(state, names=names)
        if set(names) == set(state.names) and not moved:
            return after
        return replace(after, play=self._reseated(state, after, moved))

    def _with_options(self, state: TableState, chosen: OptionsChosen) -> TableState:
        after = replace(
            state, game=chosen.game, preset=chosen.preset, options=chosen.options, play=None
        )
        if chosen.game != state.game:
            # What one game counts means nothing in another: start again with who sits.
            return after
        return replace(after, play=self._reseated(state, after, {}))

    def _reseated(self, old: TableState, new: TableState, moved: Mapping[Seat, Seat]) -> Any:
        if old.play is None:
            return None
        stayed = {seat: moved.get(seat, seat) for seat in old.seated}
        kept = {seat: to for seat, to in stayed.items() if to in new.names}
        return self.game(new).reseat(old.play, new.seated, kept)


def begun(state: TableState) -> EveningBegun:
    """Return the beginning of an evening with all that outlives the one in *state*."""
    players = tuple(sorted(state.names.items()))
    return EveningBegun(state.game, state.preset, state.options, players)


def _sitting(state: TableState, seat: Seat) -> str:
    if seat not in state.names:
        raise IllegalAction("not_seated", seat=seat)
    return state.names[seat]


def _wrong_number(game: AnyGame, players: int) -> str | None:
    if players < game.min_seats:
        return "too_few_players"
    return "too_many_players" if players > game.max_seats else None


def _wanted(game: AnyGame, players: int) -> int:
    """Return the number of players that *players* should be more of, or no more than."""
    return game.min_seats if players < game.min_seats else game.max_seats
