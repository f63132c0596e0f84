"""Every title can be won, is not won by a hair less, and they are shared out as friends would."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.games.statistics import Counts, Total
from kloplei.history.titles import MOST_TITLES, TITLES, announced, titles_of
from kloplei.table.history_client import Evening, Title
from kloplei.words import LANGUAGES, Words
from tests.history.made import Night
from tests.words.sources import facts_in, sentences

DOCS = Path(__file__).parents[2] / "docs/history.md"
Made = Night | tuple[Night, Mapping[tuple[str, int], tuple[float, int]]]


def plain(night: Night, times: int = 6) -> Night:
    """Play *times* hands that nobody earns anything by, each won by the next."""
    for at in range(times):
        night.hand(1 + at % len(night.names))
    return night


def lives(night: Night, *lost: int) -> Night:
    """Play a hand that nobody won and that left everybody with so many lives *lost*."""
    return night.hand(paid={one: n for one, n in zip(night.everybody, lost, strict=True) if n})


def alternating(night: Night, *winners: tuple[int, ...]) -> Night:
    for won in winners:
        night.hand(*won)
    return night


def closed(*winners: int) -> Night:
    """Return an evening of rubbers that *winners* won, each by the one hand it had."""
    night = Night()
    for winner in winners:
        night.hand(winner).rubber(winner)
    return night


def watten(*winners: tuple[int, ...], how: str = "tricks", knocks: tuple[int, ...] = ()) -> Night:
    night = Night(game="watten")
    for won in winners:
        night.hand(*won, how=how, knocks=knocks, paid=dict.fromkeys(won, 2))
    return night


def tarok(*swings: tuple[int, int, int]) -> Night:
    night = Night("A", "B", "C", game="tarok")
    for swing in swings:
        night.hand(paid=dict(enumerate(swing, start=1)), how="booked")
    return night


def home(*players: int, line: str = "pagat_home") -> Night:
    night = tarok(*[(0, 0, 0)] * 6)
    for player in players:
        night.hand(
            how="booked", told=(Line(f"ledger.{line}", {"seat": Seat(player - 1)}),), paid={}
        )
    return night


def thirty_one(times: int = 6) -> Night:
    """Return an evening of 31 of which each hand costs the second and third in turn."""
    night = Night("A", "B", "C", game="eenendertigen")
    for at in range(times):
        night.hand(how="lowest", paid={2 + at % 2: 1, 1: 1 if at % 3 == 0 else 0})
    return night


def escapes(n: int, *, limit: int = 10) -> Night:
    night = lives(plain(Night(), 2), 1, limit - 3, 0, 0)  # player 2 has one life left
    for _ in range(n):
        night.hand(2, paid={}).hand(3, paid={1: 1})
    return night.hand(3, paid={2: 1}).rubber(3)


def behind(n: int) -> Night:
    night = plain(lives(Night(), n, 0, 0, 0), 0)
    night.hand(1, paid={2: 9, 3: 9, 4: 10}).rubber(1)
    return plain(night, 4)


def asked(stays: int, folds: int, *, wins: int = 0) -> Night:
    """Return an evening in which player 1 was asked by all others in turn."""
    night = Night()
    for at in range(stays + folds):
        other, third = 2 + at % 3, 2 + (at + 1) % 3
        winner = 1 if at < wins else third
        left = {1: 1} if at >= stays else {}
        night.hand(winner, knocks=(other,), folded=left | {5 - (at + 2) % 3 - 1: 1})
    return night


def knocking(*who: int, folded: Mapping[int, int] | None = None, how: str = "trick") -> Night:
    night = Night()
    for one in who:
        others = [player for player in night.everybody if player != one]
        winner = one if how == "folds" else others[one % 3]
        night.hand(winner, knocks=(one,), how=how, folded=folded or {})
    return night


def felt(*strengths: float) -> Night:
    night = plain(Night())
    for at, strength in enumerate(strengths):
        night.hand(1 + at % 4, knocks=((1, strength),))
    return night


WON: Mapping[str, tuple[Made, Made]] = {
    "fire": (
        (thirty_one(), {("laid.three_aces", 1): (1, 1)}),
        (thirty_one(), {("laid.three_alike", 1): (1, 1)}),
    ),
    "clean-slate": (
        lives(plain(Night(), 0).hand(1, paid={2: 1}, times=5), 2, 9, 5, 6).rubber(1),
        lives(plain(Night(), 0).hand(1, paid={2: 1}, times=5), 3, 9, 5, 6).rubber(1),
    ),
    "cat": (escapes(3), escapes(2)),
    "phoenix": (behind(4), behind(3)),
    "hat-trick": (closed(2, 1, 1, 1, 2, 3), closed(2, 1, 1, 2, 1, 3)),
    "schneider": (
        watten(*[(1, 3)] * 6, (2, 4), (2, 4)).rubber(1, 3),
        watten(*[(1, 3)] * 6, (2, 4), (2, 4), (2, 4)).rubber(1, 3),
    ),
    "daredevil": (
        plain(Night()).hand(1, knocks=(2, 1, 2, 1)),
        plain(Night()).hand(1, knocks=(2, 1, 2)),
    ),
    "strategist": (
        Night().hand(2, folded={1: 1}, times=6).hand(1, times=6).rubber(1),
        Night().hand(2, folded={1: 1}, times=6).hand(1, times=7).rubber(1),
    ),
    "bookkeeper": (
        Night().hand(2, paid={1: 1, 3: 2, 4: 2}, times=15),
        Night().hand(2, paid={1: 1, 3: 2, 4: 2}, times=14).hand(3, paid={1: 2, 2: 2}),
    ),
    "marathon": (plain(Night(), 20).rubber(1), plain(Night(), 19).rubber(1)),
    "thirty-one": (
        (thirty_one(), {("laid.thirty_one", 2): (2, 2)}),
        (thirty_one(), {("laid.thirty_one", 1): (1, 1), ("laid.thirty_one", 2): (1, 1)}),
    ),
    "good-feeling": (
        (thirty_one(), {("caught", 1): (0, 4)}),
        (thirty_one(), {("caught", 1): (1, 5), ("caught", 2): (0, 3)}),
    ),
    "express": (
        plain(plain(Night()).hand(3, times=4)),
        plain(plain(Night(), 4).hand(3, times=3), 2),
    ),
    "fox": (
        knocking(1, 1, 1, 2, 2, 3, how="folds"),
        knocking(1, 1, 2, 2, 3, 4, how="folds"),
    ),
    "nemesis": (
        knocking(1, 1, 1, 1, 2, 2, folded={3: 1}),
        knocking(1, 1, 1, 2, 2, 2, folded={3: 1}),
    ),
    "silent": (
        alternating(knocking(3, 3), (1,), (2,), (1,), (2,), (1,), (4,), (1,)),
        alternating(knocking(3, 3, 1), (1,), (2,), (1,), (2,), (1,), (4,), (1,)),
    ),
    "nerves": (asked(6, 0, wins=3), asked(6, 0, wins=2)),
    "finisher": (closed(1, 2, 1, 3, 4, 4, 1), closed(1, 2, 3, 4, 1, 2, 3, 4)),
    "bull": (
        watten(*[(1, 3)] * 3, *[(2, 4)] * 3, how="given-up", knocks=(1,)),
        watten(*[(1, 3)] * 2, *[(2, 4)] * 4, how="given-up", knocks=(1,)),
    ),
    "rock": (
        watten(*[(1, 3)] * 3, *[(2, 4)] * 3, knocks=(2,)),
        watten(*[(1, 3)] * 2, *[(2, 4)] * 4, knocks=(2,)),
    ),
    "tightrope": (
        (watten(*[(1, 3), (2, 4)] * 3), {("gestrichen", 1): (2, 3)}),
        (watten(*[(1, 3), (2, 4)] * 3), {("gestrichen", 1): (1, 3)}),
    ),
    "shepherd": (home(2, 2, 1, 2), home(2, 2, 1, 1)),
    "ultimo": (home(2, line="king_ultimo_won"), home(2, line="king_ultimo_lost")),
    "detective": (
        (plain(Night()), {("challenge", 1): (2, 3)}),
        (plain(Night()), {("challenge", 1): (1, 3)}),
    ),
    "honest": (
        (plain(Night()), {("bluff", 1): (0, 2)}),
        (plain(Night()), {("bluff", 1): (1, 3)}),
    ),
    "big-catch": (
        tarok(*[(5, -5, 0)] * 5, (-30, 60, -30)),
        tarok(*[(5, -5, 0)] * 5, (-29, 59, -30)),
    ),
    "summit": (
        tarok((-30, 10, 20), *[(0, 5, -5)] * 4, (100, -50, -50)),
        tarok((-30, 10, 15), *[(0, 0, 0)] * 4, (100, -50, -50)),
    ),
    "golden-dealer": (
        plain(plain(Night(), 3).hand(1, dealer=1).hand(2, dealer=3), 2)
        .hand(1, dealer=1, times=2)
        .hand(2, dealer=1)
        .hand(1, dealer=1),
        plain(plain(Night(), 3).hand(1, dealer=1), 2).hand(1, dealer=1, times=2).hand(2),
    ),
    "wall": (asked(6, 1), asked(5, 2)),
    "drummer": (knocking(*[1] * 6, *[2, 3, 4] * 3), knocking(*[1] * 6, *[2, 3, 4] * 4)),
    "thunder": (felt(0.9, 0.95, 0.99), felt(0.9, 0.95, 0.89)),
    "velvet": (felt(0.5, 0.2, 0.3, 0.1), felt(0.5, 0.2, 0.3, 0.6)),
    "lightning": (
        (plain(Night()), {("answer-s", 1): (18, 6), ("answer-s", 2): (40, 6)}),
        (plain(Night()), {("answer-s", 1): (19, 6), ("answer-s", 2): (2, 5)}),
    ),
    "thinker": (
        (plain(Night()), {("answer-s", 1): (36, 6)}),
        (plain(Night()), {("answer-s", 1): (35, 6)}),
    ),
    "metronome": (
        tarok(*[(5, -5, 0)] * 5, *[(-5, 5, 0)] * 2),
        tarok(*[(5, -5, 0)] * 4, *[(-5, 5, 0)] * 4),
    ),
    "untouched": (
        Night("A", "B", "C", game="eenendertigen")
        .hand(how="lowest", paid={2: 1}, times=3)
        .hand(how="lowest", paid={3: 1}, times=3),
        Night("A", "B", "C", game="eenendertigen")
        .hand(how="lowest", paid={2: 1, 3: 1}, times=5)
        .hand(how="lowest", paid={1: 1}),
    ),
    "early-bird": (
        plain(Night().hand(4, times=3), 4),
        plain(Night().hand(4, times=2), 5),
    ),
    "night-owl": (
        plain(Night(), 9).hand(4, times=3),
        plain(Night(), 8).hand(4, times=3),
    ),
    "host": (
        plain(Night()).round(1, 2, 3, 4, amount=2).round(2, 3),
        plain(Night()).round(1, 2, 3, 4).round(2, 3),
    ),
}
"""Of each title an evening in which it is won, and one in which it is missed by a hair."""


def _kind(what: str) -> tuple[str, str]:
    name, _, detail = what.partition(".")
    return name, detail


def counts_of(made: Made) -> tuple[Evening, Counts]:
    night, told = made if isinstance(made, tuple) else (made, {})
    counts: Counts = {
        (player, night.game, *_kind(what), None): Total(value, n)
        for (what, player), (value, n) in told.items()
    }
    return night.evening(), counts


def earned(key: str, made: Made) -> tuple[Title, ...]:
    """Return the title *key*, if the evening *made* earns it; all others were given last week."""
    found = titles_of(*counts_of(made), [other for other in TITLES if other != key])
    return tuple(one for one in found if one.key == key)


def test_there_are_some_thirty_and_the_docs_tell_each() -> None:
    told = re.findall(r"^\| (.+) \| `([a-z-]+)` \|", DOCS.read_text(encoding="utf-8"), re.M)
    titles = {key: Words("en").say(f"title.{key}") for key in TITLES}

    assert set(WON) == set(TITLES)
    assert 30 <= len(TITLES) <= 45
    assert titles.items() <= {(key, name) for name, key in told}


@pytest.mark.parametrize("key", TITLES)
def test_a_title_can_be_won_and_not_by_a_hair_less(key: str) -> None:
    won, missed = WON[key]

    assert len(earned(key, won)) == 1
    assert earned(key, missed) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_has_a_name_a_rule_and_a_reason_with_all_its_facts(language: str) -> None:
    words, names = Words(language), {Seat(at): f"N{at}" for at in range(4)}
    for key, (won, _) in WON.items():
        why = earned(key, won)[0].why
        told = words.say(why.key, why.facts, names)

        assert "…" not in told
        assert {f"title.{key}", f"title.{key}.how", why.key} <= set(sentences(language))
        used = set().union(*map(facts_in, sentences(language)[why.key]))
        assert used == set(why.facts) - ({"n"} if "n" not in used else set()), key


def grand() -> Evening:
    """Return an evening in which everybody has earned something, and player 1 most."""
    night = Night().hand(1, knocks=(1,), how="folds", folded={2: 1, 3: 1, 4: 1}, times=4)
    night.hand(2, knocks=(3,), times=3).hand(3, knocks=(2, 4, 2, 4))
    night.hand(4, folded={1: 1}, knocks=(2,), times=6)
    return night.round(2, 1, 3, 4, amount=3).evening()


@pytest.mark.parametrize("hands", [0, 1, 5])
def test_who_hardly_played_has_no_title(hands: int) -> None:
    night = Night().hand(1, knocks=(2, 1, 2, 1), dealer=1, times=hands).round(2, 1, amount=4)

    assert titles_of(night.evening(), {}) == ()


def test_at_most_three_and_not_all_to_one_where_others_have_earned_some() -> None:
    titles = titles_of(grand(), {})

    assert len(titles) == MOST_TITLES
    assert len({title.player for title in titles}) == MOST_TITLES


def test_nobody_has_three_even_if_nobody_else_has_earned_any() -> None:
    night = Night().hand(1, knocks=(1,), how="folds", folded={2: 1, 3: 1, 4: 1}, times=8)

    assert [title.player for title in titles_of(night.evening(), {})] == [1, 1]


def test_what_was_given_last_week_steps_back() -> None:
    first = titles_of(grand(), {})
    second = titles_of(grand(), {}, [title.key for title in first])
    earlier = [title.key for title in (*second, *first)]
    third = titles_of(grand(), {}, earlier)

    assert {one.key for one in first} & {one.key for one in second} == set()
    assert {one.key for one in third} != {one.key for one in second}


def test_the_same_three_never_come_twice_running_even_if_there_are_no_others() -> None:
    night = Night().hand(4, times=3).hand(1).hand(2).hand(3).round(2, 1, amount=2)
    night.hand(1, knocks=(3,), times=6)
    once = [title.key for title in titles_of(night.evening(), {})]
    again = [title.key for title in titles_of(night.evening(), {}, once)]

    assert len(once) == MOST_TITLES
    assert set(again) != set(once)


def test_two_who_are_equal_share_a_title_and_three_have_none() -> None:
    two = Night().round(1, 3, amount=2).round(2, 3, amount=2)
    three = Night().round(1, 4, amount=2).round(2, 4, amount=2).round(3, 4, amount=2)

    shared = earned("host", plain(two))

    assert [(one.player, one.shared) for one in shared] == [(1, (2,))]
    assert earned("host", plain(three)) == ()


def test_two_games_in_one_evening_are_looked_at_by_themselves() -> None:
    """A run of hands does not go on in another game, and each game wants its few hands."""
    night = plain(Night()).hand(1, times=3).wipe("watten").hand(1, 3, how="tricks", times=3)
    only_six = Night().hand(1, times=4).hand(2).hand(3).wipe("watten").hand(1, 3, times=5)

    assert earned("express", night) == ()
    assert [one.player for one in earned("express", only_six)] == [1]


def test_the_same_evening_has_the_same_titles() -> None:
    assert titles_of(grand(), {}, ["wall"]) == titles_of(grand(), {}, ["wall"])


def test_no_title_speaks_of_drinking_or_of_money_lost() -> None:
    unkind = ("drunk", "drink", "beer", "money", "lost chips")
    said = [one for key, one in sentences("en").items() if key.startswith("title.")]

    assert [
        forms for forms in said if any(word in " ".join(forms).lower() for word in unkind)
    ] == []


@pytest.mark.parametrize("how", ["misdeal", "revoke", "void"])
def test_a_hand_that_was_never_played_out_earns_nothing(how: str) -> None:
    night = plain(Night(), 5).hand(1, how=how, times=9)
    rule: Callable[..., tuple[Title, ...]] = titles_of

    assert rule(night.evening(), {}) == ()


def test_a_title_is_announced_by_name_whoever_sits_there_by_now() -> None:
    why = Line("title.wall.why", {"n": 14, "of": 15, "other": Seat(1)})
    evening = plain(Night()).evening()
    names = {one.number: one.name for one in evening.line.players}

    shared = Title("wall", 3, why, shared=(1,))
    (line,) = announced(replace(evening, titles=(Title("wall", 3, why),)))
    (of_two,) = announced(replace(evening, titles=(shared,)))

    assert line.facts["name"] == (names[3],)
    assert line.facts["why"] == {
        "key": "title.wall.why",
        "facts": {"n": 14, "of": 15, "other": names[2]},
    }
    assert names[3] in Words("nl").say(line.key, line.facts)
    assert f"De Muur: {names[3]} en {names[1]}, 14" in Words("nl").say(of_two.key, of_two.facts)


@pytest.mark.parametrize(
    ("language", "of_one"),
    [
        ("nl", {"had", "haalde", "ging", "gaf", "klopte", "legde", "stond", "werd", "won"}),
        ("de", {"hat", "ist", "lag", "war"}),
        ("en", {"was", "is", "has"}),
    ],
)
def test_a_reason_goes_with_two_who_share_a_title(language: str, of_one: set[str]) -> None:
    """A verb that goes with one says "Thijs en Joost: won"; what another did is another's."""
    reasons = {
        key: form
        for key, forms in sentences(language).items()
        if key.startswith("title.") and key.endswith(".why")
        for form in forms
        if "{other}" not in form
    }

    assert {key for key, form in reasons.items() if of_one & set(form.split())} == set()
