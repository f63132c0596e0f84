"""The table around the game: who sits where and is called what, what is played, has it begun.

`TableState` is all that stands at the table, `TableSetup` what it was set up with. `Seating`
decides and applies like a game does; it asks the game where players may move. Pure, but for the
game that it keeps once built.

A snapshot of the journal is a state as JSON (`dump_state`, `load_state`). It says of which classes
it was made and which fields they had: one of another Kloplei is passed over, and all is replayed.
"""

import json
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, is_dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import count
from typing import Any, get_args, get_type_hints

from kloplei import __version__
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import CardGame
from kloplei.games.cards import FRENCH, GERMAN_SUITS
from kloplei.games.catalogue import (
    GAMES,
    UnknownGame,
    UnknownPreset,
    build_game,
    game_kind,
)
from kloplei.games.game import Action, Event, Facts, Game, IllegalAction, Seat, Slate
from kloplei.games.house_rules import BadOption, HouseRules, UnknownOption
from kloplei.games.scoreboard import Scoreboard
from kloplei.table import actions
from kloplei.table.client import BadRequest
from kloplei.table.gestures import ANYBODY, Timings
from kloplei.table.people import KnownPeople, KnownPerson
from kloplei.table.schema import JOURNAL, dump, load
from kloplei.words import Sentence, Words
from kloplei.words.catalogue import lent_by
from kloplei.words.letters import NAME_MAX, SHORT_MAX, chalked_name, folded, with_short

_OURS = "kloplei."
_UNFIT = (
    *(KlopleiError, ImportError, AttributeError, LookupError, TypeError, ValueError),
    *(ArithmeticError, MemoryError, RecursionError),  # what asks for more than there is
)
# Hangul's and Braille's blanks, which Unicode calls letters and signs.
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"


def lent_name(seat: Seat, language: str, taken: Iterable[str]) -> str:
    """Return the name that *seat* lends to whoever sits down without one; nobody of *taken* has it.

    It is written down with the seat; `Words.called` says it in another language.
    """
    name = Words(language).say("seat.lent", {"number": seat.shown})
    used = {_folded(one) for one in taken}
    tries = (name if again == 1 else f"{name} ({again})" for again in count(1))
    return next(one for one in tries if _folded(one) not in used)


def checked_name(asked: str, taken: Iterable[str]) -> str:
    """Return *asked* as it will be chalked: trimmed, single spaces, 1 to 20 characters.

    Raises:
        IllegalAction: ``bad_name``, or ``name_taken`` when one of *taken* reads the same.
    """
    name = _joined(asked)
    if not 1 <= len(name) <= NAME_MAX or not all(map(_chalkable, name)):
        shown = "".join(one if _chalkable(one) else "\N{REPLACEMENT CHARACTER}" for one in name)
        raise IllegalAction("bad_name", name=shown[:NAME_MAX], most=NAME_MAX)
    if _folded(name) in {_folded(one) for one in taken}:
        raise IllegalAction("name_taken", name=name)
    return name


def free_name(asked: str, taken: Iterable[str]) -> str:
    """Return *asked* as it will be chalked, with a number behind it where one of *taken* has it."""
    try:
        name = checked_name(asked, ())
    except IllegalAction:
        name = "?"
    used = {_folded(one) for one in taken}
    tries = (name if again == 1 else f"{name[: NAME_MAX - 4]} ({again})" for again in count(1))
    return next(one for one in tries if _folded(one) not in used)


def reads_same(one: str, other: str) -> bool:
    """Return whether nobody could tell both names apart."""
    return _folded(one) == _folded(other)


def has_no_letters(name: str) -> bool:
    """Return whether a slate can write nothing of *name*."""
    return not chalked_name(name)


def _joined(asked: str) -> str:
    """Return *asked* with single spaces; empty where nobody would see anything of it."""
    # Only blanks are trimmed and joined: a tab or a line break is not a slip but a bad name.
    spaced = (" " if _is_blank(one) else one for one in unicodedata.normalize("NFC", asked))
    name = " ".join(filter(None, "".join(spaced).split(" ")))
    # Marks (M) stand on letters; where there is none, they are a blank as well.
    return "" if all(one == " " or unicodedata.category(one)[0] == "M" for one in name) else name


def _is_blank(character: str) -> bool:
    return unicodedata.category(character) == "Zs" or character in _FILLERS


def _chalkable(character: str) -> bool:
    # Cc, Cf, Cs, Co, Cn: controls, direction marks and what no font draws; Zl, Zp: line breaks.
    kind = unicodedata.category(character)
    return kind[0] != "C" and kind not in ("Zl", "Zp")


def _folded(name: str) -> str:
    # One lent in another language reads the same to whoever reads in that.
    if (lent := lent_by(name)) is not None:
        return " ".join(lent)
    return folded(name)


AnyGame = Game[Any]
BuildGame = Callable[[str, str | None, Mapping[str, object]], AnyGame]
"""From a game's name, a preset (None = the game's own) and house rules on top of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetup:
    """What a table is set up with, before anything has happened at it.

    Args:
        seats: Places at the table.
        game: Played at a table with an empty journal.
        preset: Of that game; None is the game's own.
        options: House rules on top of the preset.
        language: For the names that seats lend.
        undo: Whose steps a seat may take back: anybody's, or its own alone.
        suits: Of the pack on the table, `FRENCH` or `GERMAN`; None goes by the game.
        timings: How long to listen, wait and show.
        wall: Seconds since the epoch, for the journal; None where nobody knows the time.
        build: Makes a game from its name, preset and house rules; may raise `KlopleiError`.
        presets: Names the presets of a game, to offer them.
        games: Those there are to choose from.
    """

    seats: int = 8
    game: str = "toepen"
    preset: str | None = None
    options: Facts = field(default_factory=dict)
    language: str = "nl"
    undo: str = ANYBODY
    suits: str | None = None
    timings: Timings = field(default_factory=Timings)
    wall: Callable[[], float] | None = time.time
    build: BuildGame = build_game
    presets: Callable[[str], tuple[str, ...]] = lambda game: game_kind(game).presets
    games: tuple[str, ...] = tuple(GAMES)


@dataclass(frozen=True, slots=True)
class TableState:
    """All that stands at the table at one moment; *names* only holds seats that are taken.

    *people* says who of them is somebody whom the box knows, by id; all others are guests. *left*
    is what those are called who left what stands on the slate, by the seat they had, and
    *left_people* who of them is somebody.
    """

    game: str
    preset: str | None = None
    options: actions.Options = ()
    names: Mapping[Seat, str] = field(default_factory=dict)
    play: Any = None  # the game's own state; None until somebody starts
    left: Mapping[Seat, str] = field(default_factory=dict)
    people: Mapping[Seat, int] = field(default_factory=dict)
    left_people: Mapping[Seat, int] = field(default_factory=dict)

    @property
    def seated(self) -> tuple[Seat, ...]:
        """Seats that are taken, clockwise from the slate."""
        return tuple(sorted(self.names))


class Seating:
    """Decides and applies what is asked of the table rather than of the game.

    Args:
        setup: The places, and the games that are played there.
    """

    def __init__(self, setup: TableSetup) -> None:
        self.seats = setup.seats
        self.presets = setup.presets
        self.games = setup.games
        self.undo = setup.undo
        self.people = KnownPeople(setup.language)
        self._language = setup.language
        self._suits = setup.suits
        self._build = setup.build
        self._built = lru_cache(maxsize=16)(
            lambda name, preset, options: setup.build(name, preset, dict(options))
        )

    def game(self, state: TableState) -> AnyGame:
        """Return the game of *state*, house rules and all."""
        return self._built(state.game, state.preset, state.options)

    def german_suits(self, state: TableState) -> tuple[str, ...]:
        """Return what each of `SUITS` is in the pack on the table; nothing of a French one."""
        packs = GAMES[state.game].suits if state.game in GAMES else (FRENCH,)
        if (self._suits if self._suits in packs else packs[0]) == FRENCH:
            return ()
        rules = _rules_of(self.game(state))
        return GERMAN_SUITS if rules is None else rules.german_suits

    def hears_wood(self, state: TableState) -> bool:
        """Return whether blows on the wood may mean anything: always, until a game is begun."""
        return state.play is None or self.game(state).hears_wood(state.play)

    def why_not_reseat(self, state: TableState) -> str | None:
        """Return the reason players may not come, go or swap now, or None if they may."""
        return None if state.play is None else self.game(state).why_not_reseat(state.play)

    def is_clean(self, state: TableState) -> bool:
        """Return whether nothing stands on the slate that another game would take away."""
        return state.play is None or self.game(state).is_clean(state.play)

    def why_not_change(self, state: TableState) -> str | None:
        """Return the reason house rules may not change now, or None if they may."""
        return None if state.play is None else self.game(state).why_not_change(state.play)

    def why_not_sit_down(self, state: TableState) -> str | None:
        """Return the reason nobody may join now, whatever the seat, or None."""
        if state.play is not None and len(state.names) >= self.game(state).max_seats:
            return "too_many_players"
        return self.why_not_reseat(state)

    def why_not_stand_up(self, state: TableState, seat: Seat) -> str | None:
        """Return the reason *seat* may not leave now, or None."""
        if why_not := self.why_not_reseat(state):
            return why_not
        if state.play is not None and len(state.names) <= self.game(state).min_seats:
            return "too_few_players"
        names = {one: name for one, name in state.names.items() if one != seat}
        return self._why_not_go_on(state, replace(state, names=names))

    def why_not_start(self, state: TableState) -> str | None:
        """Return the reason the game cannot begin, or None if it can."""
        if state.play is not None:
            return "already_started"
        return _wrong_number(self.game(state), len(state.names))

    def why_not_wipe(self, state: TableState) -> str | None:
        """Return the reason the slate cannot be wiped, or None if it can."""
        if state.play is None:
            return "not_started"
        return "slate_clean" if self.is_clean(state) else None

    def decide(self, state: TableState, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: It may not be done now.
            BadRequest: Options that make no game.
        """
        match action:
            case actions.SitDown(seat):
                self._demand(None if seat not in state.names else "seat_taken", seat=seat)
                self._demand(self.why_not_sit_down(state), n=self.game(state).max_seats)
                return (self._sat_down(state, action),)
            case actions.StandUp(seat):
                name = _sitting(state, seat)
                self._demand(self.why_not_stand_up(state, seat), n=self.game(state).min_seats)
                return (actions.StoodUp(seat, name, state.people.get(seat)),)
            case actions.Recognise():
                return (self._recognised(state, action),)
            case actions.Swap(seat, of):
                _sitting(state, seat)
                self._demand("same_seat" if of == seat else self.why_not_reseat(state), seat=seat)
                return (actions.Swapped(seat, of, free=of not in state.names),)
            case actions.Rename(seat, called):
                before = _guest(state, seat)
                others = (name for one, name in state.names.items() if one != seat)
                return (actions.Renamed(seat, checked_name(called, others), before),)
            case actions.Shorten(seat, short):
                _guest(state, seat)
                return (_shortened(state, seat, short),)
            case actions.Start():
                return (self._started(state, action),)
            case actions.ChooseOptions():
                return (self._chosen(state, action),)
            case actions.Wipe():
                self._demand(self.why_not_wipe(state))
                return (actions.RubberAbandoned(),)
            case actions.NewEvening():
                self._demand(None if state.play is not None else "not_started")
                return (begun(state),)
            case _:
                raise TypeError(f"{action!r} is nothing the table decides")

    def called_to(
        self, state: TableState, game: str | None, called: tuple[tuple[str, int], ...]
    ) -> actions.EveningBegun:
        """Return the evening that begins with who is *called*, by name and id, seat by seat."""
        names = tuple((Seat(at), name) for at, (name, _) in enumerate(called))
        people = tuple((Seat(at), person) for at, (_, person) in enumerate(called))
        if game in (None, state.game) or game not in self.games:
            rules = state.preset, state.options
            return actions.EveningBegun(state.game, *rules, names, people)
        return actions.EveningBegun(game, None, (), names, people)

    def apply(self, state: TableState, event: Event) -> TableState:
        """Return the table after *event*; never refuses, so that old journals replay."""
        after = self._applied(state, event)
        if isinstance(event, actions.StoodUp) and not self.is_clean(state):
            return _with_one_left(after, event)
        if after.left and self.is_clean(after):
            return replace(after, left={}, left_people={})
        return after

    def _applied(self, state: TableState, event: Event) -> TableState:
        names = dict(state.names)
        if isinstance(event, actions.OptionsChosen | actions.EveningBegun | actions.Recovered):
            event = replace(event, options=self._in_numbers(event))
        match event:
            case actions.SatDown(seat, name) | actions.Renamed(seat, name):
                after = self._with_names(state, self._apart(names | {seat: name}), {})
                return _with_person(after, seat, event.person)
            case actions.Recognised(seat, person, name):
                names = self._apart(names | {seat: name})
                return _with_person(replace(state, names=names), seat, person)
            case actions.StoodUp(seat):
                names.pop(seat, None)
                return _with_person(self._with_names(state, names, {}), seat, None)
            case actions.Swapped(seat, of):
                moved = {seat: of, of: seat}
                names = {moved.get(one, one): name for one, name in names.items()}
                people = {moved.get(one, one): person for one, person in state.people.items()}
                return replace(self._with_names(state, names, moved), people=people)
            case actions.OptionsChosen():
                return self._with_options(state, event)
            case actions.Started(seats, dealer):
                return replace(state, play=self.game(state).start(seats, dealer))
            case actions.RubberAbandoned():
                return replace(state, play=self._wiped(state, state, {}))
            case actions.EveningBegun():
                return self._begun_with(event)
            case actions.Recovered():
                return self._recovered(event)
            case actions.EntryLost():
                return state
            case _:
                return replace(state, play=self.game(state).apply(state.play, event))

    def _in_numbers(
        self, event: actions.OptionsChosen | actions.EveningBegun | actions.Recovered
    ) -> actions.Options:
        """Return the house rules of *event*, with 1 where an older Kloplei wrote true."""
        rules = dict(event.options)
        while any(isinstance(value, bool) for value in rules.values()):
            try:
                self._build(event.game, event.preset, rules)
                break
            except BadOption as error:
                option = str((error.facts or {}).get("option"))
                if not isinstance(value := rules.get(option), bool):
                    break
                rules[option] = int(value)
        return actions.house_rules(rules)

    def _recovered(self, event: actions.Recovered) -> TableState:
        state = self._begun_with(event)
        if event.dealer is None:
            return state
        counts = {(seat, what): number for seat, what, number in event.counts}
        slate = Slate(dict(event.tallies), counts, dict(event.pots))
        return replace(state, play=self.game(state).recover(state.seated, event.dealer, slate))

    def _begun_with(self, event: actions.EveningBegun | actions.Recovered) -> TableState:
        names, people = self._apart(dict(event.players)), dict(event.people)
        return TableState(event.game, event.preset, event.options, names, people=people)

    def _apart(self, names: dict[Seat, str]) -> dict[Seat, str]:
        """Return *names* so that no two are alike.

        Where somebody is forgotten the seat's own name stands in their place, and another one may
        have come to be called so.
        """
        if len({_folded(name) for name in names.values()}) == len(names):
            return names
        apart = dict(names)
        # First the seat whose own name it is: who sits elsewhere chose to be called so.
        for seat in sorted(names, key=lambda one: str(one.shown) not in names[one]):
            others = [name for one, name in apart.items() if one != seat]
            if lent_by(apart[seat]) and _folded(apart[seat]) in map(_folded, others):
                apart[seat] = lent_name(seat, self._language, others)
        return apart

    def _demand(self, why_not: str | None, **facts: object) -> None:
        if why_not is not None:
            raise IllegalAction(why_not, **facts)

    def _sat_down(self, state: TableState, action: actions.SitDown) -> actions.SatDown:
        seat, called = action.seat, action.called or ""
        if action.person is not None:
            return actions.SatDown(seat, *self._known(state, seat, action.person))
        others = state.names.values()
        if _joined(called).strip():
            name = checked_name(called, others)
            return actions.SatDown(seat, name, self._new(seat, name) if action.remember else None)
        self._demand("no_name" if action.remember else None, seat=seat)
        back = state.left.get(seat)
        if back is not None and _folded(back) not in map(_folded, others):
            # With what was lost there: the game takes them for the same.
            return actions.SatDown(seat, back, state.left_people.get(seat))
        return actions.SatDown(seat, lent_name(seat, self._language, others))

    def _recognised(self, state: TableState, action: actions.Recognise) -> actions.Recognised:
        seat, name = action.seat, _sitting(state, action.seat)
        match action.person, action.remember, action.guest:
            case int(person), False, False:
                name, known = self._known(state, seat, person)
                return actions.Recognised(seat, known, name)
            case None, True, False:
                _guest(state, seat)
                return actions.Recognised(seat, self._new(seat, name), name)
            case None, False, True:
                self._demand(None if seat in state.people else "is_guest", seat=seat)
                others = (name for one, name in state.names.items() if one != seat)
                return actions.Recognised(seat, None, lent_name(seat, self._language, others))
        raise BadRequest(Sentence("recognise-one"))

    def _known(self, state: TableState, seat: Seat, person: int) -> tuple[str, int]:
        """Return the name and the id of that *person*, who may take *seat*."""
        found = self.people.find(person)
        if found is None or found.hidden:
            raise IllegalAction("no_such_person")
        for at, seated in state.people.items():
            self._demand(
                "person_seated" if seated == found.id else None, name=found.name, place=at.shown
            )
        others = (name for one, name in state.names.items() if one != seat)
        return checked_name(found.name, others), found.id

    def _new(self, seat: Seat, name: str) -> int:
        """Return the id of who is to be remembered as *name*, which a seat lends to nobody."""
        self._demand("no_name" if lent_by(name) else None, seat=seat)
        alike = self._alike(name)
        if alike is None:
            return self.people.next_id
        # Who was only remembered in a step that was taken back is still free to be.
        self._demand(None if self.people.unseen(alike.id) else "name_known", name=alike.name)
        return alike.id

    def _alike(self, name: str) -> KnownPerson | None:
        return next((one for one in self.people if reads_same(one.name, name)), None)

    def as_of_today(self, state: TableState, seq: int | None = None) -> TableState:
        """Return *state*, which stood after entry *seq*, with what people are called today."""
        names, people = self.people.today(state.names, state.people, seq)
        left, left_people = self.people.today(state.left, state.left_people, seq)
        names = self._apart(names)
        return replace(state, names=names, people=people, left=left, left_people=left_people)

    def _started(self, state: TableState, action: actions.Start) -> actions.Started:
        wanted = _wanted(self.game(state), len(state.names))
        self._demand(self.why_not_start(state), n=wanted)
        asked = (action.dealer, action.seat if action.seat in state.names else None)
        dealer = next((seat for seat in asked if seat is not None), state.seated[0])
        self._demand(None if dealer in state.names else "seat_empty", seat=dealer)
        return actions.Started(state.seated, dealer)

    def _chosen(self, state: TableState, action: actions.ChooseOptions) -> actions.OptionsChosen:
        self._demand(self.why_not_change(state))
        same = action.game in (None, state.game)
        chosen = actions.OptionsChosen(
            game=action.game or state.game,
            preset=state.preset if same and action.preset is None else action.preset,
            options=actions.house_rules(action.options),
        )
        try:
            # Not the one that is kept: true would pass for 1 there, and be read as neither later.
            game = self._build(chosen.game, chosen.preset, dict(chosen.options))
        except (ValueError, LookupError) as error:
            raise BadRequest(_why_no_game(error, chosen)) from error
        if state.play is not None and same:
            players = len(state.names)
            self._demand(_wrong_number(game, players), n=_wanted(game, players))
        self._demand(self._why_not_go_on(state, _playing(state, chosen)))
        return replace(chosen, changed=_changed(self.game(state), game) if same else ())

    def _with_names(
        self, state: TableState, names: Mapping[Seat, str], moved: Mapping[Seat, Seat]
    ) -> TableState:
        after = replace(state, names=names)
        if set(names) == set(state.names) and not moved:
            return after
        return replace(after, play=self._reseated(state, after, moved))

    def _with_options(self, state: TableState, chosen: actions.OptionsChosen) -> TableState:
        after = replace(_playing(state, chosen), play=None)
        if chosen.game != state.game:
            # What one game counts means nothing in another: start again with who sits.
            return after
        return replace(after, play=self._reseated(state, after, {}))

    def _why_not_go_on(self, old: TableState, new: TableState) -> str | None:
        """Return why what stands on the slate cannot go on in *new*, or None if it can."""
        if new.game != old.game:
            return self._why_not_another(old)
        if self.is_clean(old):
            return None
        kept = _who_stays(old, new, {})
        return self.game(new).why_not_go_on(old.play, new.seated, kept, self.game(old))

    def _why_not_another(self, old: TableState) -> str | None:
        """Return why another game cannot follow: it would take away what stands or lies there."""
        if not self.is_clean(old):
            return "slate_not_clean"
        left = old.play is not None and self.game(old).scoreboard(old.play).pots
        return "pot_not_empty" if left and any(left.values()) else None

    def _reseated(self, old: TableState, new: TableState, moved: Mapping[Seat, Seat]) -> Any:
        """Return the play of *old* with who sits in *new*: what stands on the slate goes on."""
        if self.is_clean(old):
            return self._wiped(old, new, moved)
        return self.game(new).go_on(old.play, new.seated, _who_stays(old, new, moved))

    def _wiped(self, old: TableState, new: TableState, moved: Mapping[Seat, Seat]) -> Any:
        if old.play is None:
            return None
        return self.game(new).reseat(old.play, new.seated, _who_stays(old, new, moved))


def _changed(before: AnyGame, game: AnyGame) -> actions.Options:
    """Return which house rules of *game* are otherwise than *before*, and what they are now."""
    old, new = _rules_of(before), _rules_of(game)
    return () if old is None or new is None else actions.house_rules(new.changed_since(old))


def _rules_of(game: AnyGame) -> HouseRules | None:
    """Return the house rules of *game*; None where it is no `CardGame`, as nobody says it must."""
    rules: HouseRules | None = game.options if isinstance(game, CardGame) else None
    return rules


def _playing(state: TableState, chosen: actions.OptionsChosen) -> TableState:
    """Return *state* by the rules that were *chosen*; what stands on the slate is the same."""
    return replace(state, game=chosen.game, preset=chosen.preset, options=chosen.options)


def _who_stays(old: TableState, new: TableState, moved: Mapping[Seat, Seat]) -> dict[Seat, Seat]:
    """Return where who sat in *old* and sits in *new* has come to, as *moved* says."""
    stayed = {seat: moved.get(seat, seat) for seat in old.seated}
    return {seat: to for seat, to in stayed.items() if to in new.names}


def begun(state: TableState) -> actions.EveningBegun:
    """Return the beginning of an evening with all that outlives the one in *state*."""
    players, people = tuple(sorted(state.names.items())), tuple(sorted(state.people.items()))
    return actions.EveningBegun(state.game, state.preset, state.options, players, people)


def standing(state: TableState, board: Scoreboard) -> actions.Recovered:
    """Return what stands in *state*, between two deals, and on its *board*."""
    return actions.Recovered(
        game=state.game,
        preset=state.preset,
        options=state.options,
        players=begun(state).players,
        people=begun(state).people,
        dealer=board.dealer,
        tallies=tuple((row.seat, row.tally) for row in board.rows),
        counts=tuple((row.seat, what, n) for row in board.rows for what, n in row.counts.items()),
        pots=tuple(sorted(board.pots.items())),
    )


def dump_state(state: TableState) -> str:
    """Return *state* as JSON, with all that tells whether it is still the same Kloplei's.

    What people are called does not stand in it.
    """
    state = replace(
        state, names=_guests(state.names, state.people), left=_guests(state.left, state.left_people)
    )
    play: Any = None if state.play is None else type(state.play)
    written = {
        "kloplei": __version__,
        "play": None if play is None else f"{play.__module__}:{play.__qualname__}",
        "shapes": [_shapes(TableState), _shapes(play)],
        "state": [dump(replace(state, play=None), form=JOURNAL), dump(state.play, form=JOURNAL)],
    }
    return json.dumps(written, separators=(",", ":"))


def load_state(written: str) -> TableState | None:
    """Return the state that `dump_state` made *written* of, None where this Kloplei has another."""
    try:
        told = json.loads(written)
        play = None if told["play"] is None else _ours(told["play"])
        shapes = [_shapes(TableState), _shapes(play)]
        if (told["kloplei"], told["shapes"]) != (__version__, shapes):
            return None
        state, played = told["state"]
        return replace(
            load(TableState, state, JOURNAL),
            play=None if play is None else load(play, played, JOURNAL),
        )
    except _UNFIT:
        return None


def _why_no_game(error: Exception, chosen: actions.OptionsChosen) -> str:
    """Return why there is no game as *chosen*, in any language where *error* is one of ours."""
    english, game = str(error), chosen.game
    match error:
        case UnknownGame():
            facts: Facts = {"word": _quoted(game), "games": ", ".join(GAMES)}
            return Sentence.sent(english, "unknown-game", facts)
        case UnknownPreset():
            presets = ", ".join(game_kind(game).presets)
            facts = {"game": game, "word": _quoted(chosen.preset), "presets": presets}
            return Sentence.sent(english, "unknown-preset", facts)
        case UnknownOption(facts=dict(told)):
            return Sentence.sent(english, "unknown-option", {"game": game, **told})
        case BadOption(facts=dict(told)):
            return Sentence.sent(english, "bad-option", told)
    return english


def _quoted(word: object) -> str:
    return f"{word!r:.40}"


def _sitting(state: TableState, seat: Seat) -> str:
    if seat not in state.names:
        raise IllegalAction("not_seated", seat=seat)
    return state.names[seat]


def _guest(state: TableState, seat: Seat) -> str:
    """Return what the guest at *seat* is called; what a person is called, the keeper changes."""
    name = _sitting(state, seat)
    if seat in state.people:
        raise IllegalAction("is_person", seat=seat)
    return name


def _guests(names: Mapping[Seat, str], people: Mapping[Seat, int]) -> Mapping[Seat, str]:
    return {seat: "" if seat in people else name for seat, name in names.items()}


def _with_person(state: TableState, seat: Seat, person: int | None) -> TableState:
    if state.people.get(seat) == person:
        return state
    people = {one: each for one, each in state.people.items() if one != seat}
    return replace(state, people=people if person is None else people | {seat: person})


def _with_one_left(state: TableState, event: actions.StoodUp) -> TableState:
    people = {one: each for one, each in state.left_people.items() if one != event.seat}
    if event.person is not None:
        people[event.seat] = event.person
    return replace(state, left={**state.left, event.seat: event.name}, left_people=people)


def _shortened(state: TableState, seat: Seat, short: str) -> actions.Renamed:
    before = _sitting(state, seat)
    if not has_no_letters(before):
        raise IllegalAction("needs_no_short_name", name=before)
    others = (chalked_name(name) for one, name in state.names.items() if one != seat)
    chalked = chalked_name(short)
    if not chalked or chalked != " ".join(short.split()) or len(chalked) > SHORT_MAX:
        raise IllegalAction("bad_short_name", most=SHORT_MAX)
    return actions.Renamed(seat, with_short(before, checked_name(chalked, others)), before)


def _wrong_number(game: AnyGame, players: int) -> str | None:
    if players < game.min_seats:
        return "too_few_players"
    return "too_many_players" if players > game.max_seats else None


def _wanted(game: AnyGame, players: int) -> int:
    """Return the number of players that *players* should be more of, or no more than."""
    return game.min_seats if players < game.min_seats else game.max_seats


def _ours(where: str) -> Any:
    """Return the dataclass *where*, which must be one of ours: a file is to run nothing."""
    module, _, name = where.partition(":")
    if not module.startswith(_OURS):
        raise LookupError(where)
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise LookupError(where)
    return kind


@cache
def _shapes(kind: Any) -> dict[str, dict[str, str]]:
    """Return the fields of *kind*, and of every dataclass that it may hold, by name."""
    shapes: dict[str, dict[str, str]] = {}
    waiting = [kind]
    while waiting:
        one = waiting.pop()
        waiting += get_args(one)
        if is_dataclass(one) and isinstance(one, type) and one.__qualname__ not in shapes:
            hints = get_type_hints(one)
            held = {each.name: hints[each.name] for each in fields(one) if each.init}
            shapes[one.__qualname__] = {name: str(hint) for name, hint in held.items()}
            waiting += held.values()
    return shapes
