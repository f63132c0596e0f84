"""What games count, beside a second count from the definitions (docs/history.md)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from kloplei.games.catalogue import GAMES
from kloplei.games.statistics import Played
from kloplei.history.statistics import Book, Summed, likely_share, numbers, statistics_of
from kloplei.table.actions import TABLE_EVENTS, decode
from kloplei.table.history_client import Told as Number
from kloplei.table.seating import Seating, TableSetup, TableState
from tests.history import slow_statistics
from tests.history.journals import Scribe
from tests.history.played import Dice, Evening, as_asked
from tests.history.slow_statistics import Told
from tests.history.test_evenings import folded

HERE = Path(__file__).parent
BY_HAND: list[dict[str, Any]] = yaml.safe_load((HERE / "by_hand.yaml").read_text(encoding="utf-8"))
HOUSES: Mapping[str, tuple[tuple[str, dict[str, object], int], ...]] = {
    "toepen": (
        ("kroeg", {}, 3),
        ("kroeg", {"max_lives": 5, "tournament_points": "5/3/2/1/0"}, 5),
        ("laatste man", {"max_lives": 4, "whistle_penalty": 1}, 6),
        ("vijftien", {"over_knock_while_pending": True, "stake_in": "chips", "debt_chips": 3}, 4),
        ("seed", {"voluntary_fold": True, "all_in": "auto_stay", "max_lives": 4}, 4),
        ("siebenschraem", {"fold_price": "one_life", "rubber_end_timing": "immediate"}, 2),
    ),
    "watten": (
        ("tirol", {"target": 3, "schneider": True}, 4),
        ("turnier 11", {"gestrichen_rule": "forced_four", "revoke_remedy": "opponents_2"}, 3),
        ("vier kritische", {"maschine": True, "concede_anytime": True, "target": 5}, 2),
        ("blind", {"target": 5, "revoke_remedy": "lose_game"}, 4),
        ("blind", {"gestrichen_rule": "tense_auto_raise", "raise_lock": 3}, 4),
        ("boehmisch", {"bohemian_start": 8}, 5),
    ),
    "eenendertigen": (
        ("nl", {}, 4),
        ("nl", {"lives": 2, "payer": "all_out", "knocker_pays": 2}, 6),
        ("de", {"lives": 2}, 3),
    ),
    "tarok": (("dansk", {}, 3), ("grosstarock", {"b_king_last_also_king": True}, 4)),
}
_ENDS = ("HandEnded", "DealEnded")
EVENINGS = [(game, number) for game, houses in HOUSES.items() for number in range(len(houses))]


@cache
def an_evening(game: str, number: int) -> Evening:
    """Return an evening by the house rules of that *number*, the same each time."""
    preset, options, players = HOUSES[game][number]
    steps = 400 if game == "tarok" else 120  # bots think more than they tell
    return Dice(game, preset, options, seed=number).play(players, steps)


def counted(game: str, evening: Evening) -> Told:
    """Return what the game's own statistics count, by name."""
    told: Told = defaultdict(list)
    notes = GAMES[game].statistics.notes(evening.game)
    for step in evening.played:
        notes.follow(step)
    of_hands = chain.from_iterable(map(notes.of_hand, notes.finished()))
    for one in chain(of_hands, notes.of_evening()):
        who, against = evening.who(one.seq, one.seat), evening.who(one.seq, one.against)
        assert one.n == 1
        told[one.what, one.detail, who or "", against].append(float(one.value))
    return told


def in_order(told: Told) -> dict[object, list[float]]:
    return {key: sorted(values) for key, values in told.items()}


@pytest.mark.parametrize(("game", "number"), EVENINGS)
def test_a_game_counts_what_the_definitions_say(game: str, number: int) -> None:
    evening = an_evening(game, number)

    told = counted(game, evening)

    count_slowly = getattr(slow_statistics, game)
    slow = count_slowly(evening.played, evening.who, evening.game.options)
    assert in_order(told) == in_order(slow)


@pytest.mark.parametrize("game", HOUSES)
def test_an_evening_that_begins_in_the_middle_of_a_rubber_counts_its_own_hands(game: str) -> None:
    whole = an_evening(game, 0)
    ends = [at for at, one in enumerate(whole.played) if type(one.event).__name__ in _ENDS]
    begins = ends[1] + 1
    later = Evening(whole.game, whole.played[begins:], whole.names)

    told = counted(game, later)

    slow = getattr(slow_statistics, game)(later.played, later.who, later.game.options)
    assert in_order(told) == in_order(slow)
    assert any(hand for what, *hand in told if what in ("lives", "points", "swing"))


@pytest.mark.parametrize("game", HOUSES)
def test_the_evenings_have_seen_all_that_is_told(game: str) -> None:
    evenings = (an_evening(game, number) for number in range(len(HOUSES[game])))
    seen = {what for one in evenings for what, _, _, _ in counted(game, one)}

    assert {one.of for one in statistics_of(game)} - seen == set()


@pytest.mark.parametrize("evening", BY_HAND, ids=lambda evening: evening["title"])
def test_a_game_counts_what_was_counted_by_hand(evening: dict[str, Any]) -> None:
    told = counted(evening["game"], as_asked(evening))

    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for (what, detail, who, against), values in told.items():
        name = " ".join(filter(None, (what, detail, against)))
        found[who][name] = [sum(values), len(values)]
    assert dict(found) == evening["counts"]


@pytest.mark.parametrize(
    ("game", "players", "hands"),
    [("toepen", 5, 12), ("watten", 4, 12), ("tarok", 3, 3), ("eenendertigen", 4, 12)],
)
def test_the_history_adds_up_what_the_definitions_say(game: str, players: int, hands: int) -> None:
    scribe = Scribe(seed=players)
    scribe.begin(game, players)
    scribe.hands(hands, slate=0.3)

    (found,) = folded(scribe.entries)

    seating, evening = Seating(TableSetup()), Evening(None)
    state = TableState(game)
    for entry in scribe.entries:
        events = {**seating.game(state).events, **TABLE_EVENTS}
        event, before = decode(entry.event, entry.facts, events), state
        state = seating.apply(state, event)
        evening.played.append(Played(entry.seq, event, before.play, state.play))
    options = seating.game(state).options  # type: ignore[attr-defined]
    slow = getattr(slow_statistics, game)(
        evening.played, lambda _, seat: state.names.get(seat), options
    )
    names = {one.number: one.name for one in found.evening.line.players}
    added = {
        (what, detail, names[player], names.get(against or 0)): (one.n, pytest.approx(one.value))
        for (player, _, what, detail, against), one in found.counts.items()
    }
    assert added == {key: (len(values), sum(values)) for key, values in slow.items()}


@pytest.mark.parametrize("number", range(len(HOUSES["toepen"])))
def test_lives_add_up_to_what_the_hands_paid(number: int) -> None:
    preset, options, players = HOUSES["toepen"][number]
    evening = Dice("toepen", preset, options, seed=number, moves=0).play(players, steps=60)

    told = counted("toepen", evening)

    # What the rubbers' logs say when they are wiped, and in the end.
    wiped = [step.before for step in evening.played if type(step.event).__name__ == "SlateWiped"]
    hands = [hand for one in (*wiped, evening.played[-1].after) for hand in one.hands]
    paid = sum(sum(hand.paid) for hand in hands)
    assert paid > 0
    assert sum(sum(v) for (what, *_), v in told.items() if what == "lives") == paid


JAN, PIET, KEES = "p1", "p2", "p3"
NAMES = {JAN: "Jan", PIET: "Piet", KEES: "Kees"}


def row(
    player: str, what: str, value: float, n: int, detail: str = "", against: str = ""
) -> Summed:
    return player, "toepen", what, detail, against, value, n, value, value


def number(rows: list[Summed], player: str, key: str, detail: str = "") -> Number:
    (found,) = (
        one for one in numbers(rows, NAMES)[player] if (one.key, one.detail) == (key, detail)
    )
    return found


def test_a_share_stands_beside_that_of_the_table() -> None:
    rows = [row(JAN, "steal", 6, 10), row(PIET, "steal", 2, 10)]

    told = number(rows, JAN, "steal")

    assert (told.value, told.n, told.mean) == (0.6, 10, 0.4)
    assert told.low is not None
    assert told.high is not None
    assert 0.3 < told.low < 0.6 < told.high < 0.85


def test_a_number_on_few_cases_is_silent_but_says_on_how_many() -> None:
    rows = [row(JAN, "steal", 5, 9), row(PIET, "steal", 2, 11)]

    told = number(rows, JAN, "steal")

    assert (told.value, told.n, told.few, told.mean) == (None, 9, 10, 7 / 20)


def test_what_never_happened_is_not_told() -> None:
    assert numbers([], NAMES) == {}
    keys = {one.key for one in numbers([row(JAN, "won", 1, 1)], NAMES)[JAN]}
    assert keys == {"hands", "won"}


def test_sums_stand_beside_what_a_player_has_on_average_and_records_beside_the_tables() -> None:
    rows = [row(JAN, "lives", 30, 20), row(PIET, "lives", 10, 20), row(PIET, "streak", 4, 2)]
    rows.append(row(JAN, "streak", 7, 2))
    rows.append(row(KEES, "won", 1, 5))  # who has lost nothing

    assert (number(rows, JAN, "lives").value, number(rows, JAN, "lives").mean) == (30, 40 / 3)
    assert (number(rows, PIET, "streak").value, number(rows, PIET, "streak").mean) == (4, 7)


def test_kinds_are_told_one_by_one_and_together() -> None:
    rows = [row(JAN, "answer", 1, 5, "2"), row(JAN, "answer", 4, 5, "3")]

    assert number(rows, JAN, "folds").value == 0.5
    assert number(rows, JAN, "folds-at", "2").value == 0.2
    assert number(rows, JAN, "folds-at", "3").value == 0.8


def test_stakes_are_told_in_their_order() -> None:
    rows = [row(JAN, "answer", 1, 5, question) for question in ("10", "2", "armoede", "3")]

    told = [one.detail for one in numbers(rows, NAMES)[JAN] if one.key == "folds-at"]

    assert told == ["2", "3", "10", "armoede"]


def test_a_nemesis_is_told_by_name_and_from_enough_hands_alone() -> None:
    rows = [row(JAN, "taken", 9, 5, against=PIET), row(JAN, "taken", 20, 4, against=KEES)]

    told = number(rows, JAN, "nemesis")

    assert (told.against, told.value, told.n) == ("Piet", 9, 5)
    silent = number(rows[1:], JAN, "nemesis")
    assert (silent.against, silent.value, silent.n) == ("", None, 4)


def test_who_has_no_name_is_nobodys_nemesis() -> None:
    nobody = "g"
    rows = [row(JAN, "taken", 9, 5, against=PIET), row(JAN, "taken", 20, 9, against=nobody)]

    assert number(rows, JAN, "nemesis").against == "Piet"
    assert "nemesis" not in {one.key for one in numbers(rows[1:], NAMES)[JAN]}


def test_nobody_is_afraid_of_whom_they_never_folded_to() -> None:
    rows = [row(JAN, "folds-to", 0, 8, against=PIET)]

    assert "folds-to" not in {one.key for one in numbers(rows, NAMES)[JAN]}


def test_a_fold_is_worth_what_staying_costs_shrunk_towards_the_table() -> None:
    rows = [
        row(JAN, "fold", 10, 10, "2"),  # one life each
        row(JAN, "stay", 20, 10, "2"),  # two each
        row(PIET, "stay", 0, 10, "2"),  # nothing: the table's mean is one
        row(JAN, "fold", 3, 1, "7"),  # nobody ever stayed for 7
    ]

    told = number(rows, JAN, "fold-value")

    # Ten of Jan's own at 2, and ten at the table's mean of 1, make 1.5; folding cost 1.
    assert (told.value, told.n) == (0.5, 10)


def test_only_who_is_asked_about_is_told_and_the_table_is_everybody() -> None:
    rows = [row(JAN, "steal", 6, 10), row(PIET, "steal", 2, 10)]

    table = Book(players=2)
    for one in rows:
        table.enter(one)

    told = numbers(rows[:1], NAMES, {"toepen": table})

    assert told == {JAN: numbers(rows, NAMES)[JAN]}
    assert told[JAN][0].mean == 0.4


def test_a_game_of_a_later_version_is_left_out() -> None:
    assert numbers([(JAN, "pinochle", *row(JAN, "won", 1, 1)[2:])], NAMES) == {}


@pytest.mark.parametrize(("value", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20)])
def test_a_share_lies_within_what_is_likely(value: int, n: int) -> None:
    low, high = likely_share(value, n)

    assert 0 <= low <= value / n <= high <= 1
    assert high - low < 1
