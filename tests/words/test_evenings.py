"""Whatever happens in an evening can be said in all languages, with nothing left open."""

import random
from collections.abc import Iterator
from functools import cache

import pytest

from kloplei.games import toepen, watten
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Action, Facts, Game, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Offer, Scoreboard
from kloplei.games.toepen.actions import Knock
from kloplei.games.watten.actions import Raise
from kloplei.table.client import BadRequest
from kloplei.table.messages import PartFailed
from kloplei.words import LANGUAGES, Words
from tests.table.seated import TIMINGS, Tabletop
from tests.words.sources import facts_in, own_key, sentences

Said = dict[str, list[tuple[str, Line, dict[Seat, str]]]]
"""By its key every sentence that was said: in which game, and who sat where."""

Houses = list[tuple[str, str, dict[str, object]]]

STEPS = 220
PLACES = 5
ROUNDS, MOST_ROUNDS = 2, 3  # an evening in every house is a round
FEW = 9
"""So many of some two hundred sentences may need more luck than these evenings have."""
SHOWN = ("prompt.", "news.", "show.", "ask.", "how.", "phase.", "flag.")
"""The families of what stands on a slate; whatever people do, most of it comes up some day."""
IN_THE_LOG = (
    "news.nothing",
    "news.recovered",
    "news.signalled",
    "show.title",
    "show.hushed",
    "show.speaks",
)
"""What no table tells on the slate by itself: notes, what became of a journal that was gone, what
the history found and what the caller does."""
TOEPEN: tuple[tuple[str, dict[str, object]], ...] = (
    ("kroeg", {"max_lives": 4}),
    ("seed", {"max_lives": 3, "exchange_limit": 1, "max_stake": 3}),
    ("laatste man", {"max_lives": 4, "voluntary_fold": "yes", "whistle_penalty": 1}),
    ("kroeg", {"max_lives": 5, "folded_last_trick": "everyone_loses", "jack_bonus": "minus_1"}),
    ("kroeg", {"max_lives": 6, "four_of_a_kind": "instant_win_3", "blind_knock": "on"}),
    ("seed", {"max_lives": 5, "over_knock_while_pending": "yes", "fold_price": "one_life"}),
    ("laatste man", {"max_lives": 3, "rubber_end_timing": "immediate", "all_in": "must_stay"}),
    (
        "kroeg",
        {"max_lives": 2, "rubber_end_timing": "immediate", "armoede": "off", "stake_in": "chips"},
    ),
)
WATTEN: tuple[tuple[str, dict[str, object]], ...] = (
    ("tirol", {"target": 5, "schlag_tausch": "yes"}),
    ("tirol", {"target": 11, "gestrichen_rule": "forced_four", "raise_lock": 4}),
    (
        "suedtirol",
        {
            "target": 7,
            "raise_lock": 2,
            "revoke_remedy": "opponents_2",
            "illegal_raise": "opponents_2",
        },
    ),
    ("vier kritische", {"target": 9, "maschine": "on", "look_early_penalty": "opponents_2"}),
    ("blind", {"target": 9, "max_value": 3}),
    ("boehmisch", {"bohemian_start": 9}),
    ("turnier 11", {"raise_lock": "none", "revoke_remedy": "opponents_value"}),
)
TAROK: tuple[tuple[str, dict[str, object]], ...] = (
    ("dansk", {"sitter": "chosen"}),
    ("grosstarock", {}),
    ("taroc 1754", {}),
    ("dansk", {"only_points": True}),
)
EENENDERTIGEN: tuple[tuple[str, dict[str, object]], ...] = (
    ("nl", {"ties": "nobody_loses", "lives": 2}),
    ("de", {"payer": "nobody", "lives": 2, "three_alike": "ends_deal"}),
)
HOUSES = [
    *(("toepen", *house) for house in TOEPEN),
    *(("watten", *house) for house in WATTEN),
    *(("tarok", *house) for house in TAROK),
]
OF_FEW_WORDS = [("eenendertigen", *house) for house in EENENDERTIGEN]
"""Houses in which an evening or two say all; in the round they would only take time."""
OFTEN = (
    *("trick", "stay", "fold", "knock", "deal", "drink", "sit_down", "start", "exchange"),
    *("schlag", "trump", "show", "accept", "turnup", "raise", "offer", "agree", "new_game"),
    *("announced", "confirm", "seal_schlag", "seal_trump", "card", "show_hands"),
    *("last_trick", "fate", "points", "book", "result", "lowest", "lay", "redo"),
)
SELDOM = ("wipe", "new_evening", "stand_up", "options", "undo", "chalk", "misdeal")
ODD: tuple[tuple[str, dict[str, object]], ...] = (
    *((name, {}) for name in ("knock", "stay", "fold", "deal", "drink", "exchange", "ready")),
    *((name, {}) for name in ("revoke", "misdeal", "four", "jack", "blind_knock", "redo")),
    *((name, {}) for name in ("start", "stand_up", "cancel", "it_was_me", "wipe", "undo")),
    *((name, {}) for name in ("raise", "accept", "offer", "agree", "refuse", "signal", "show")),
    *((name, {}) for name in ("show_hands", "maschine", "look_early", "new_game")),
    ("schlag", {"rank": "6"}),
    ("trump", {"suit": "H"}),
    ("turnup", {"suit": "S", "rank": "9"}),
    ("exchange", {"n": 9}),
    ("result", {"tricks": [1, 1]}),
    ("trick", {"n": 2}),
    ("trick", {"n": 4}),
    ("challenge", {"of": Seat(1), "found": "clean"}),
    ("challenge", {"of": Seat(2), "found": "dirty"}),
    ("sing", {"why": "bored"}),
    ("correct", {"hand": 99, "winner": Seat(0)}),
    ("chalk", {"lives": 99}),
    ("payout", {"chips": 1}),
    ("sit_down", {"name": "Bo"}),
    ("rename", {"name": "Bo"}),
    ("rename", {"name": " "}),
    ("swap", {"of": Seat(1)}),
    ("start", {"dealer": Seat(4)}),
    ("undo", {"steps": 2}),
    ("undo", {"steps": 999}),
    ("redo", {"steps": 999}),
)
BECOMING: tuple[tuple[str, dict[str, object]], ...] = (
    ("rename", {"name": "Ada"}),
    ("recognise", {"remember": True}),
    ("stand_up", {}),
)


class Evening:
    """One evening of people who do whatever comes to mind; keeps every line on the slate."""

    def __init__(self, number: int, said: Said, houses: Houses) -> None:
        self._luck = random.Random(number)
        self._said = said
        game, preset, options = houses[number % len(houses)]
        self._top = Tabletop(
            build=lambda name, preset, options: game_kind(name).build(preset, options),
            presets=lambda name: game_kind(name).presets,
            game=game,
            preset=preset,
            options=options,
            seats=PLACES,
        )

    def play(self) -> None:
        for place in range(1, PLACES):
            self._top.ask(place, "sit_down")
            self._listen()
        for action, facts in BECOMING:
            self._top.ask(1, action, facts=facts)
            self._listen()
        for _ in ("sits down", "is the one of before"):
            self._top.knock(1)
            self._listen()
        self._top.ask(1, "recognise", facts={"guest": True})
        self._listen()
        for _ in range(STEPS):
            self._do_something()
            self._listen()

    def _do_something(self) -> None:
        chance = self._luck.random()
        if chance < 0.15:
            self._top.knock(self._luck.choice((*range(1, PLACES + 1), None)), self._knocks())
        elif chance < 0.18:
            self._top.hold(self._luck.randint(1, PLACES))
        elif chance < 0.21:
            self._press(self._luck.randint(1, PLACES), self._knocks())
        elif chance < 0.30:
            name, facts = self._luck.choice(ODD)
            self._ask(self._luck.randint(1, PLACES), name, facts)
        else:
            self._take_an_offer()

    def _press(self, seat: int, times: int) -> None:
        for _ in range(times):
            self._top.press(seat, 0.1)
        self._top.wait(TIMINGS.gap_s)

    def _knocks(self) -> int:
        return self._luck.choice((1, 1, 2, 2, 3, 3, 4, 5, 5))

    def _take_an_offer(self) -> None:
        board = self._top.board
        offered: list[tuple[int | None, Offer]] = [(None, offer) for offer in board.offers]
        offered += [(row.seat.shown, offer) for row in board.rows for offer in row.offers]
        weights = [self._weight(offer) for _, offer in offered]
        seat, offer = self._luck.choices(offered, weights)[0]
        facts: dict[str, object] = {"name": self._luck.choice("ABCDEFG")}
        facts |= {"amounts": self._amounts(board), "king": 0, "pagat": 0, "chips": 1}
        facts |= {
            "short": "Abe",
            "stake": self._luck.randint(1, 9),
            "folded": [-1 for _ in board.rows],
        }
        facts |= {need: self._luck.choice(values) for need, values in offer.choices.items()}
        place = facts.pop("seat", None)
        if isinstance(place, Seat):
            seat = place.shown
        wanted = {*offer.needs, *({"preset"} if offer.action == "options" else ())}
        self._ask(seat, offer.action, {name: facts[name] for name in wanted})

    def _amounts(self, board: Scoreboard) -> list[int]:
        """Return a result of a hand, in which somebody wins from the next one."""
        won = 5 * self._luck.randint(1, 8)
        return [won, -won, *(0 for _ in board.rows[2:])]

    def _weight(self, offer: Offer) -> float:
        return 12.0 if offer.action in OFTEN else 0.4 if offer.action in SELDOM else 1.0

    def _ask(self, seat: int | None, name: str, facts: Facts) -> None:
        try:
            self._top.ask(seat, name, facts=facts)
        except IllegalAction as refusal:
            self._note(Line(f"reason.{refusal.reason}", refusal.facts), self._top.board)
        except BadRequest:
            pass

    def _listen(self) -> None:
        board = self._top.board
        for line in _lines(board):
            self._note(line, board)
        for entry in self._top.table.log(1):
            for line in entry.before:
                self._note(line, board)

    def _note(self, line: Line, board: Scoreboard) -> None:
        own = own_key(board.game, line.key)
        kept = self._said.setdefault(own if own in sentences("en") else line.key, [])
        if len(kept) < 40:
            kept.append((board.game, line, board.names))


def _lines(board: Scoreboard) -> Iterator[Line]:
    told = (board.prompt, board.news, board.asking, board.refused, board.shown, *board.notices)
    yield from (line for line in told if line is not None)
    yield from (Line(hand.how) for hand in board.hands)
    yield from (Line(f"flag.{flag}") for row in board.rows for flag in row.flags)
    yield from (Line(f"count.{count}") for row in board.rows for count in row.counts)
    yield Line(f"phase.{board.phase}")
    if board.grace:
        yield Line(f"action.{board.grace.action}")


@cache
def all_that_was_said() -> Said:
    """Play the evenings, once for all tests.

    What comes up in them is a matter of luck, and of every change to the offers of a game. So bad
    luck costs more evenings, and what never comes up costs them all.
    """
    said: Said = {}
    for number in range(ROUNDS * len(OF_FEW_WORDS)):
        Evening(number, said, OF_FEW_WORDS).play()
    for number in range(MOST_ROUNDS * len(HOUSES)):
        if number >= ROUNDS * len(HOUSES) and len(unseen(said)) <= FEW:
            break
        Evening(number, said, HOUSES).play()
    return said


def unseen(said: Said) -> list[str]:
    """Return the sentences that are for the slate and did not come up."""
    known = (key for key in sentences("en") if key.startswith(SHOWN))
    known = (key for key in known if not key.startswith(IN_THE_LOG))
    # With German cards it is the same that is said.
    known = (key for key in known if ".german." not in key)
    return sorted(key for key in known if ".without-" not in key and key not in said)


@pytest.mark.timeout(300)  # the first one waits for all the evenings
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_of_an_evening_can_be_said(language: str) -> None:
    """The first one takes its time: it plays the evenings of all houses, for every language."""
    words = Words(language)

    for key, lines in all_that_was_said().items():
        for game, line, names in lines:
            said = words.of_game(game).say(line.key, line.facts, names)
            assert said not in (key, line.key)
            assert not any(odd in said for odd in ("{", "}", "None", "…", "()", key)), said


def test_the_evenings_have_seen_nearly_everything() -> None:
    missed = unseen(all_that_was_said())

    assert len(missed) <= FEW, missed


def test_the_evenings_have_met_most_refusals() -> None:
    met = {key for key in all_that_was_said() if key.startswith("reason.")}

    assert len(met) > 30, sorted(met)


@pytest.mark.parametrize(
    ("game", "action", "reasons"),
    [
        (toepen.Toepen(), Knock(Seat(1)), toepen.REASONS),
        (watten.Watten(), Raise(Seat(1)), watten.REASONS),
    ],
    ids=["toepen", "watten"],
)
def test_a_refusal_of_the_game_only_tells_what_the_game_knows(
    game: Game[object], action: Action, reasons: tuple[str, ...]
) -> None:
    with pytest.raises(IllegalAction) as refused:
        game.decide(game.start((Seat(0), Seat(1), Seat(2)), Seat(0)), action)

    for reason in reasons:
        told = facts_in(sentences("en")[f"reason.{reason}"][-1])
        assert told <= set(refused.value.facts), reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_the_box_can_be_said(language: str) -> None:
    top = Tabletop(seats=PLACES)
    top.table.handle(PartFailed("slate", "No OLED answers. Check SDA."), top.now_s)
    top.press(1, 60.0)
    lines = [*top.board.notices, Line("notice.fault"), Line("notice.dropped", {"n": 2})]
    lines += [Line("notice.journal", {"message": "The disk is full."})]
    lines += [Line("notice.salvaged", {"message": "Entries 1-100 are sound."})]

    for line in lines:
        said = Words(language).say(line.key, line.facts)

        assert said != line.key
        assert "…" not in said
