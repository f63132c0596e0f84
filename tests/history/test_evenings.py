"""Evenings as they are cut out of a journal, and what is told of each."""

from collections.abc import Callable, Iterator

import pytest

from kloplei.frozen import replace
from kloplei.games.card_game import Correct, Deal, Misdeal, Ready
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.toepen import actions as toepen
from kloplei.history.evenings import NIGHT_S, Fold, Folded
from kloplei.history.steps import HoldingSteps, Written
from kloplei.table import actions
from kloplei.table.history_client import Evening, Knock, PlayedHand, PlayedRubber, Settlement
from kloplei.table.journal import Entry
from kloplei.table.timeline import steps_of
from tests.history.journals import Scribe

A, B, C, D = (Seat(n) for n in range(4))


def holding(entries: list[Entry]) -> Iterator[Written]:
    steps = HoldingSteps(is_new=True)
    for step in steps_of(entries):
        yield from steps.take(step)
    yield from steps.pending


def folded(entries: list[Entry]) -> list[Folded]:
    """Return all evenings of *entries*, the last one as far as it goes."""
    fold, found = Fold(), []
    for written in holding(entries):
        ended = fold.take(written)
        found += [ended] if ended else []
        if (again := fold.retold()) is not None:
            found[-1] = again
    running = fold.running()
    return [*found, running] if running else found


def told(scribe: Scribe) -> list[Evening]:
    return [one.evening for one in folded(scribe.entries)]


def a_hand(scribe: Scribe, winner: Seat = A) -> None:
    """Play one hand of toepen without a knock."""
    scribe.do(Deal())
    if scribe.state.play.hand.armoede:
        scribe.do(Ready())
        for seat in scribe.state.play.hand.to_answer:
            scribe.do(toepen.Stay(seat))
    scribe.do(toepen.Trick(winner, 4))


@pytest.fixture
def scribe() -> Scribe:
    """A table of toepen with three players, at its beginning."""
    scribe = Scribe()
    scribe.begin("toepen", 3)
    return scribe


def test_a_hand_is_told_with_its_knocks_and_who_paid(scribe: Scribe) -> None:
    scribe.do(Deal())
    knocked = toepen.Knocked(B, 2, (C, A), strength=80, waited_s=1.5)
    scribe.write(toepen.ExchangeClosed(()))
    scribe.write(knocked)
    scribe.do(toepen.Stay(C))
    scribe.do(toepen.Fold(A))
    scribe.do(toepen.Trick(C, 4))

    (evening,) = told(scribe)

    assert evening.hands == (
        PlayedHand(
            *(1, "toepen", 1, (3,), Line("how.trick")),
            paid={1: 1, 2: 2},
            tallies={1: 1, 2: 2, 3: 0},
            stake=2,
            knocks=(Knock(2, 2, 0.8, 1.5),),
            folded={1: 1},
            dealer=1,
        ),
    )
    assert [one.name for one in evening.line.players] == ["Thijs", "Tame", "Thomas"]
    assert (evening.line.hands, evening.winners, evening.turning) == (1, (3,), 1)


def test_a_rubber_is_told_with_who_treated_whom(scribe: Scribe) -> None:
    while scribe.state.play.phase != "rubber_over":
        a_hand(scribe, B)
    for seat in sorted(scribe.state.play.owes_drink):
        scribe.do(toepen.Drink(seat))
    a_hand(scribe, A)

    (evening,) = told(scribe)

    (rubber,) = evening.rubbers
    owing = evening.settled[0].payer
    assert (rubber.number, rubber.game, rubber.winners, rubber.last_hand) == (1, "toepen", (2,), 10)
    assert rubber.losers == (1, 3)
    assert evening.settled == tuple(Settlement(one, 2, 1, "round", 1) for one in (1, 3))
    assert owing == 1
    assert (evening.hands[9].tallies[1], evening.hands[10].rubber) == (10, 2)
    assert evening.hands[10].tallies == {1: 0, 2: 1, 3: 1}
    assert evening.winners == (2,)


@pytest.mark.parametrize(
    ("game", "players", "hands"),
    [("toepen", 5, 12), ("watten", 4, 12), ("tarok", 3, 2), ("eenendertigen", 4, 12)],
)
def test_what_is_told_last_stands_on_the_slate(game: str, players: int, hands: int) -> None:
    """Corrections and all: dice play, and put right what they please."""
    scribe = Scribe(seed=players)
    scribe.begin(game, players)
    for _ in range(hands):
        scribe.hands(1, slate=0.5)
        fell, state = scribe.seating.game(scribe.state), scribe.state.play
        slate = fell.on_slate(state)  # type: ignore[attr-defined]
        if not slate.hands:
            continue
        (evening,) = told(scribe)
        last = evening.hands[-1]

        stands = {int(seat) + 1: slate.tallies[seat] for seat in scribe.state.seated}
        assert last.tallies == stands
        assert len([one for one in evening.hands if one.rubber == last.rubber]) == len(slate.hands)
        paid = fell.finished(state, slate.hands[-1]).shown.paid  # type: ignore[attr-defined]
        assert last.paid == {int(seat) + 1: n for seat, n in paid.items()}


def test_lives_paid_add_up_to_what_stands_on_the_slate(scribe: Scribe) -> None:
    scribe.hands(30)

    (evening,) = told(scribe)

    rubbers: dict[int, list[PlayedHand]] = {}
    for one in evening.hands:
        rubbers.setdefault(one.rubber, []).append(one)
    assert len(rubbers) > 1
    for hands in rubbers.values():
        for player, lost in hands[-1].tallies.items():
            assert lost == sum(one.paid.get(player, 0) for one in hands)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("game", "players", "steps"),
    [("toepen", 4, 60), ("watten", 4, 60), ("tarok", 3, 40), ("eenendertigen", 5, 60)],
)
def test_what_was_taken_back_leaves_nothing(game: str, players: int, steps: int, seed: int) -> None:
    scribe = Scribe(seed)
    scribe.begin(game, players)
    for _ in range(steps):
        scribe.step(slate=0.3)
        if scribe.undoable > 1 and scribe.dice.random() < 0.2:
            scribe.undo(scribe.dice.randint(1, min(8, scribe.undoable - 1)))
        if scribe.redoable and scribe.dice.random() < 0.6:
            scribe.redo(scribe.dice.randint(1, scribe.redoable))
    scribe.begin(game, players)  # what could be done again cannot any more

    plain = [entry for written in holding(scribe.entries) for entry in written.entries]
    found, wanted = folded(scribe.entries), folded(plain)

    assert [replace(one.evening, undone=0) for one in found] == [one.evening for one in wanted]
    assert [one.counts for one in found] == [one.counts for one in wanted]


def test_steps_that_were_taken_back_are_counted(scribe: Scribe) -> None:
    a_hand(scribe)
    a_hand(scribe)
    scribe.undo(2)
    a_hand(scribe)
    scribe.undo()
    scribe.redo()

    (evening,) = told(scribe)

    assert (evening.undone, evening.line.hands) == (2, 2)


def test_an_evening_begins_where_somebody_says_so_and_one_without_a_hand_is_none(
    scribe: Scribe,
) -> None:
    a_hand(scribe)
    for players in (2, 4, 3):
        scribe.begin("toepen" if players > 2 else "eenendertigen", players)
        if players != 4:
            scribe.do(Deal())
            scribe.do(Misdeal())

    assert [(len(one.line.players), one.line.games) for one in told(scribe)] == [
        (3, ("toepen",)),
        (2, ("eenendertigen",)),
        (3, ("toepen",)),
    ]


def _hours(scribe: Scribe, hours: float) -> None:
    assert scribe.now is not None
    scribe.now += hours * 3600


@pytest.mark.parametrize(
    ("hours", "in_hand", "evenings"), [(7.9, False, 1), (8.1, False, 2), (8.1, True, 1)]
)
def test_after_a_night_another_evening_begins_between_two_hands(
    scribe: Scribe, hours: float, in_hand: bool, evenings: int
) -> None:
    a_hand(scribe)
    if in_hand:
        scribe.do(Deal())
    _hours(scribe, hours)
    if in_hand:
        scribe.do(toepen.Trick(A, 4))
    else:
        a_hand(scribe)

    found = told(scribe)

    assert [one.line.hands for one in found] == ([2] if evenings == 1 else [1, 1])
    assert found[-1].hands[-1].tallies == {1: 0, 2: 2, 3: 2}  # the state goes on
    assert all(one.line.at and one.line.until for one in found)
    if evenings == 2:
        assert (found[1].line.at or 0) - (found[0].line.until or 0) > NIGHT_S


def test_a_clock_that_nobody_set_tells_no_time_and_parts_nothing() -> None:
    scribe = Scribe(now=20.0)
    scribe.begin("toepen", 3)
    a_hand(scribe)
    _hours(scribe, 30)
    a_hand(scribe)
    scribe.now = None
    a_hand(scribe)
    scribe.now = 1_777_000_000.0
    a_hand(scribe)

    (evening,) = told(scribe)

    assert (evening.line.at, evening.line.hands) == (1_777_000_020.0, 4)


def test_a_clock_that_is_set_back_ends_no_evening_before_it_began() -> None:
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    scribe.hands(2)
    before = scribe.now
    scribe.now = (before or 0) - 40 * 86_400
    scribe.hands(2)

    (evening,) = told(scribe)

    assert evening.line.at is not None
    assert evening.line.at < (evening.line.until or 0) == before
    assert len(evening.hands) == 4


@pytest.mark.parametrize("lost", [slice(1), slice(None, None, 2)], ids=["beginning", "half"])
def test_a_journal_without_its_beginning_holds_up_nothing_behind_it(lost: slice) -> None:
    scribe = Scribe(seed=4)
    scribe.begin("toepen", 4)
    scribe.hands(9)
    whole = list(scribe.entries)
    scribe.begin("eenendertigen", 4)
    scribe.hands(3)
    gone = {one.seq for one in whole[lost]}

    found = folded([one for one in scribe.entries if one.seq not in gone])

    assert found[-1].evening.line.games == ("eenendertigen",)
    assert found[-1].evening.line.hands == 3


def test_people_are_followed_wherever_they_sit(scribe: Scribe) -> None:
    a_hand(scribe, B)
    scribe.do(actions.Swap(A, B))
    scribe.do(actions.Swap(C, D))
    a_hand(scribe, A)  # Tame sits there now
    scribe.do(actions.SitDown(C, "Femke"))
    scribe.do(actions.StandUp(B))  # Thijs
    a_hand(scribe, C)
    scribe.do(actions.Rename(C, "Fem"))
    scribe.do(actions.SitDown(B, "thijs"))
    a_hand(scribe, B)

    (evening,) = told(scribe)

    names = {one.number: one.name for one in evening.line.players}
    assert list(names.values()) == ["Thijs", "Tame", "Thomas", "Fem"]
    assert [one.winners for one in evening.hands] == [(2,), (2,), (4,), (1,)]
    assert [one.paid for one in evening.hands] == [
        {1: 1, 3: 1},
        {1: 1, 3: 1},
        {2: 1, 3: 1},
        {2: 1, 3: 1, 4: 1},
    ]
    assert 1 not in evening.hands[2].tallies


@pytest.mark.parametrize("what", [actions.StandUp(B), actions.Rename(B, "Fem")])
def test_what_was_counted_of_somebody_stays_theirs(what: Action) -> None:
    """Whoever stood up had lost all that was counted since somebody had moved last."""
    scribe = Scribe()
    scribe.begin("toepen", 4)
    a_hand(scribe, B)
    a_hand(scribe, B)
    before = folded(scribe.entries)[0].counts

    scribe.do(what)

    assert folded(scribe.entries)[0].counts == before


def test_two_games_make_one_evening(scribe: Scribe) -> None:
    a_hand(scribe)
    scribe.do(actions.Wipe())
    scribe.do(actions.ChooseOptions("eenendertigen", options={"lives": 5}))
    scribe.do(actions.Start())
    scribe.hands(3)

    (evening,) = told(scribe)

    assert evening.line.games == ("toepen", "eenendertigen")
    assert [(one.game, one.preset, one.first) for one in evening.games] == [
        ("toepen", "kroeg", 1),
        ("eenendertigen", "nl", 2),
    ]
    assert evening.games[1].changed == (
        Line("rule.changed", {"option": "lives", "option-value": 5}),
    )
    assert [one.rubber for one in evening.hands] == [1, 2, 2, 2]


def test_a_hand_that_was_corrected_counts_as_it_was_in_the_end(scribe: Scribe) -> None:
    a_hand(scribe, A)
    a_hand(scribe, B)
    a_hand(scribe, C)
    scribe.do(Correct(1, C))
    scribe.do(toepen.Chalk(B, 7))

    (evening,) = told(scribe)

    assert [one.corrected for one in evening.hands] == [True, False, False]
    assert (evening.hands[0].winners, evening.hands[0].paid) == ((3,), {1: 1, 2: 1})
    assert [one.tallies for one in evening.hands] == [
        {1: 1, 2: 1, 3: 0},
        {1: 2, 2: 1, 3: 1},
        {1: 3, 2: 7, 3: 1},
    ]
    assert evening.corrections == 2


@pytest.mark.parametrize(
    ("game", "players", "seed"),
    [("toepen", 4, 2), ("toepen", 4, 21), ("watten", 4, 46), ("eenendertigen", 3, 12)],
)
def test_a_night_changes_nothing_of_what_is_told_of_hands(
    game: str, players: int, seed: int
) -> None:
    """What is put right on the slate after it is put right where it was played."""
    scribe = Scribe(seed)
    scribe.begin(game, players)
    scribe.hands(3)
    night = len(scribe.entries)
    scribe.play(40, slate=2.0)
    asleep = [
        replace(one, at=(one.at or 0) + 9 * 3600) if one.seq > night else one
        for one in scribe.entries
    ]

    apart = [one.evening for one in folded(asleep)]

    (together,) = told(scribe)
    assert len(apart) == 2
    assert [_in_short(one) for evening in apart for one in evening.hands] == [
        _in_short(one) for one in together.hands
    ]
    assert any(one.corrected for one in apart[0].hands)


def _in_short(one: PlayedHand) -> object:
    return one.winners, one.how, one.paid, one.tallies, one.corrected, one.knocks


def test_a_hand_of_last_evening_is_put_right_in_what_is_counted_of_it(scribe: Scribe) -> None:
    a_hand(scribe, A)
    _hours(scribe, 10)
    scribe.do(toepen.Chalk(B, 7))
    a_hand(scribe, A)
    scribe.do(Correct(1, C))

    found = folded(scribe.entries)

    assert [one.evening.hands[0].tallies for one in found] == [
        {1: 1, 2: 7, 3: 0},
        {1: 1, 2: 8, 3: 1},
    ]
    won = [
        {who: n.value for (who, _, what, *_), n in one.counts.items() if what == "won"}
        for one in found
    ]
    assert won == [{1: 0, 2: 0, 3: 1}, {1: 1, 2: 0, 3: 0}]


def test_what_is_counted_of_a_hand_is_put_right_after_house_rules_have_changed(
    scribe: Scribe,
) -> None:
    a_hand(scribe, A)
    scribe.do(actions.ChooseOptions(options={"jack_bonus": "minus_1"}))
    scribe.do(Correct(1, B))

    (found,) = folded(scribe.entries)

    won = {
        player: one.value for (player, _, what, *_), one in found.counts.items() if what == "won"
    }
    assert won == {1: 0, 2: 1, 3: 0}


def test_who_was_as_low_is_no_correction() -> None:
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    from kloplei.games.eenendertigen.actions import Lowest

    scribe.do(Deal())
    scribe.do(Lowest(A))
    scribe.do(Lowest(B))

    (evening,) = told(scribe)

    assert (evening.hands[0].paid, evening.hands[0].corrected) == ({1: 1, 2: 1}, False)


def test_a_hole_in_the_journal_is_told_around(scribe: Scribe) -> None:
    a_hand(scribe)
    lost = scribe.state
    recovered = actions.Recovered(
        *(lost.game, lost.preset, lost.options, tuple(lost.names.items())),
        dealer=B,
        tallies=((A, 4), (B, 1), (C, 2)),
        lost=2,
    )
    scribe.write(actions.EntryLost(), actions.EntryLost(), recovered)
    a_hand(scribe, B)

    (evening,) = told(scribe)

    assert [one.tallies for one in evening.hands] == [{1: 0, 2: 1, 3: 1}, {1: 5, 2: 1, 3: 3}]
    assert [one.rubber for one in evening.hands] == [1, 2]


def unknown(entries: list[Entry], at: int) -> list[Entry]:
    return [replace(one, event="Juggled", facts={}) if one.seq == at else one for one in entries]


def unfit(entries: list[Entry], at: int) -> list[Entry]:
    return [replace(one, facts={"n": 3}) if one.seq == at else one for one in entries]


def impossible(entries: list[Entry], at: int) -> list[Entry]:
    facts = {"game": "toepen", "preset": "kroeg", "options": [["max_lives", -4]], "players": []}
    return [
        replace(one, event="OptionsChosen", facts=facts) if one.seq == at else one
        for one in entries
    ]


@pytest.mark.parametrize("spoil", [unknown, unfit, impossible])
def test_what_cannot_be_read_ends_the_telling_of_that_evening(
    scribe: Scribe, spoil: Callable[[list[Entry], int], list[Entry]]
) -> None:
    a_hand(scribe)
    at = len(scribe.entries) + 1
    a_hand(scribe)
    scribe.begin("toepen", 4)
    a_hand(scribe)

    found = [one.evening for one in folded(spoil(scribe.entries, at))]

    assert [(one.line.hands, one.broken) for one in found] == [(1, True), (1, False)]


def test_tarok_tells_what_was_booked_and_who_paid_whom() -> None:
    from kloplei.games.tarok import actions as tarok

    scribe = Scribe()
    scribe.begin("tarok", 3)
    scribe.do(Deal())
    scribe.do(tarok.TellFate(B, "pagat_home"))
    scribe.do(tarok.LastTrick(B))
    scribe.do(tarok.Points(A, 31))
    scribe.do(tarok.Points(B, 26))
    scribe.do(tarok.Book())
    scribe.do(tarok.Settle())

    (evening,) = told(scribe)

    (hand,) = evening.hands
    assert Line("ledger.last_trick", {"seat": Seat(1), "count": None}) in hand.told
    assert sum(hand.tallies.values()) == 0
    assert evening.rubbers[0].winners == (2,)
    assert {one.unit for one in evening.settled} == {"chips"}
    assert {one.payee for one in evening.settled} == {2}


def test_a_rubber_that_a_correction_reopened_is_none(scribe: Scribe) -> None:
    for _ in range(9):
        a_hand(scribe, B)
    scribe.do(toepen.Chalk(C, 2))
    a_hand(scribe, B)
    assert told(scribe)[0].rubbers
    scribe.do(Correct(10, A))

    (evening,) = told(scribe)

    assert evening.rubbers == ()
    scribe.hands(1)
    assert all(isinstance(one, PlayedRubber) for one in told(scribe)[0].rubbers)
