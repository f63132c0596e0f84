"""The referee: trails that two may add to, calls to tables, results that come in by themselves."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from kloplei.games.scoreboard import Line
from kloplei.table.history_client import Evening, EveningLine, PlayedHand, PlayedRubber, Player
from kloplei.table.schema import WORLD, dump, load
from kloplei.table.uplink_client import TableCall
from kloplei.uplink.wire import spelled
from kloplei_hub.database import Connection, connect
from kloplei_hub.draws import Match
from kloplei_hub.folding import TournamentWorker
from kloplei_hub.referee import HouseReferee, TournamentMemory
from kloplei_hub.tournaments import CameOut, Drawn, Ended, Joined, NotNow, Opened
from tests.until import PATIENCE_S, until

WATTEN = Opened("Feest", "watten", "monster", 2, (1, 2), seed=3)


@pytest.fixture
def referee(house: Connection) -> HouseReferee:
    house.execute("INSERT INTO boxes (box, name, number) VALUES ('a', 'Tafel 1', 1), ('b', '', 2)")
    for person in range(1, 9):
        house.execute("INSERT INTO people (person, name) VALUES (%s, %s)", (person, f"P{person}"))
    return HouseReferee(house)


def begun(referee: HouseReferee) -> tuple[int, Drawn]:
    number = referee.open(WATTEN)
    for person in range(1, 9):
        referee.tell(number, Joined(person))
    return number, referee.draw(number)


def tell_evening(
    house: Connection,
    table: int,
    rubbers: Iterable[tuple[Match, bool]],
    *,
    after: int = 0,
    under_way: bool = False,
) -> None:
    """Let the fold have told an evening at *table*: matches, and whether the first side won.

    Of one more rubber a hand has been played where one is *under_way*.
    """
    told, people = [], [one for match, _ in rubbers for one in match.players]
    numbers = {person: at for at, person in enumerate(dict.fromkeys(people), 1)}
    for at, (match, first_won) in enumerate(rubbers, 1):
        first, last = ([numbers[one] for one in side] for side in match.sides)
        won, lost = (first, last) if first_won else (last, first)
        told.append(PlayedRubber(at, "watten", tuple(won), tuple(lost), at))
    players = tuple(Player(at, "", person) for person, at in numbers.items())
    line = EveningLine(1, None, None, ("watten",), players, 1, len(told))
    hand = PlayedHand(1, "watten", len(told) + 1, (1,), Line("won"), {}, {})
    evening = Evening(line, (), (hand,) if under_way else (), tuple(told), ())
    house.execute(
        "INSERT INTO evenings (box, era, after, last, told, counts) "
        "VALUES (%s, 'e', %s, 9, %s, '{}') ON CONFLICT (box, era, after) "
        "DO UPDATE SET told = excluded.told",
        ("ab"[table - 1], after, spelled(dump(evening))),
    )


def test_who_is_called_is_handed_to_that_table(referee: HouseReferee, house: Connection) -> None:
    _, drawn = begun(referee)

    claims = set(house.execute("SELECT box, person FROM claims").fetchall())

    assert claims == {("ab"[one.table - 1], who) for one in drawn.matches for who in one.players}


def test_a_draw_calls_its_players_to_their_tables(referee: HouseReferee, house: Connection) -> None:
    house.execute("LISTEN calls")

    number, drawn = begun(referee)

    told = {box: json.loads(call) for box, call in house.execute("SELECT box, told FROM calls")}
    calls = {box: load(TableCall, plain, WORLD) for box, plain in told.items()}
    for match in drawn.matches:
        call = calls["ab"[match.table - 1]]
        assert call.id == f"{number}-1-{match.table}"
        assert [(one.id, one.name) for one in call.players] == [
            (one, f"P{one}") for one in match.players
        ]
    assert (calls["a"].table, calls["b"].table) == ("Tafel 1", "2")
    heard = house.notifies(timeout=PATIENCE_S, stop_after=2)
    assert sorted(one.payload for one in heard) == ["a", "b"]


def test_results_come_in_by_themselves_and_are_taken_once(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    first, last = drawn.matches
    tell_evening(house, first.table, [(first, True)])

    assert referee.take_results() == 1
    assert referee.take_results() == 0
    assert [one.table for one in referee.read(number).running] == [last.table]

    tell_evening(house, last.table, [(last, False)])
    assert referee.take_results() == 1
    assert referee.draw(number).number == 2
    assert referee.take_results() == 0


def test_what_was_played_before_the_draw_is_no_result(
    referee: HouseReferee, house: Connection
) -> None:
    _, drawn = begun(referee)
    again = HouseReferee(house)
    old = drawn.matches[0]
    tell_evening(house, old.table, [(old, True)])
    number = again.open(WATTEN)
    for person in range(1, 9):
        again.tell(number, Joined(person))
    same = again.draw(number)
    match = next(one for one in same.matches if one.table == old.table)

    assert match == old
    again.take_results()
    assert (1, old.table) not in again.read(number).results

    tell_evening(house, old.table, [(old, True), (old, False)])
    again.take_results()
    assert again.read(number).results[1, old.table].ranks == (2, 1)


def test_a_rubber_that_was_under_way_at_the_draw_is_no_result(
    referee: HouseReferee, house: Connection
) -> None:
    """The same four sit there still, and were in the middle of one when they were drawn."""
    _, drawn = begun(referee)
    old = drawn.matches[0]
    tell_evening(house, old.table, [(old, True)], under_way=True)
    number = referee.open(WATTEN)
    for person in range(1, 9):
        referee.tell(number, Joined(person))
    assert referee.draw(number).matches[0] == old

    tell_evening(house, old.table, [(old, True), (old, False)])
    referee.take_results()
    assert (1, old.table) not in referee.read(number).results

    tell_evening(house, old.table, [(old, True), (old, False), (old, True)])
    referee.take_results()
    assert referee.read(number).results[1, old.table].ranks == (1, 2)


def test_a_table_that_was_put_back_from_a_backup_since_the_draw_has_results(
    referee: HouseReferee, house: Connection
) -> None:
    """What it plays from then on lies before the evening that it had lost."""
    for table in (1, 2):
        tell_evening(house, table, [], after=500)
    number, drawn = begun(referee)
    for match in drawn.matches:
        tell_evening(house, match.table, [(match, True)], after=200)

    assert referee.take_results() == 2
    both = referee.draw(number)
    for before, match in zip(drawn.matches, both.matches, strict=True):
        tell_evening(house, match.table, [(before, True), (match, False)], after=200)
    assert referee.take_results() == 2
    assert referee.otherwise() == ()


def test_a_round_that_an_older_house_drew_has_results(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    first, last = drawn.matches
    since = {first.table: (0, 1), last.table: (0, 0)}
    older = dump(replace(drawn, since=since, told={}))
    told = "UPDATE tournament_trail SET facts = %s WHERE (tournament, event) = (%s, 'Drawn')"
    house.execute(told, (spelled(older), number))

    for match in drawn.matches:
        tell_evening(house, match.table, [(match, True)])
    HouseReferee(house).take_results()

    assert [table for _, table in HouseReferee(house).read(number).results] == [last.table]


def test_a_table_that_corrects_its_rubber_corrects_the_tournament(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    match = drawn.matches[0]
    for first_won in (True, False):
        tell_evening(house, match.table, [(match, first_won)])
        referee.take_results()

    lines = [line.event for line in referee.trail(number) if isinstance(line.event, CameOut)]
    assert [one.ranks for one in lines] == [(1, 2), (2, 1)]
    assert lines[1].why == "corrected at the table"
    assert lines[0].source == lines[1].source


def test_the_referees_word_stands_whatever_the_table_says(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    match = drawn.matches[0]
    referee.decide(number, match.table, (2, 1), "Referee", "they misread the slate")

    tell_evening(house, match.table, [(match, True)])

    assert referee.take_results() == 0
    assert referee.read(number).results[1, match.table].by == "Referee"
    with pytest.raises(NotNow, match="rank"):
        referee.decide(number, match.table, (3,), "Referee", "")
    with pytest.raises(NotNow, match="table 7"):
        referee.decide(number, 7, (1, 2), "Referee", "")


def test_who_is_two_in_the_house_is_one_after_a_merge(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    match = drawn.matches[0]
    house.execute("INSERT INTO people (person, name) VALUES (99, 'P1 at home')")
    one = match.players[0]
    house.execute("UPDATE people SET merged = %s WHERE person = 99", (one,))
    sides = tuple(tuple(99 if who == one else who for who in side) for side in match.sides)
    players = tuple(99 if who == one else who for who in match.players)

    tell_evening(house, match.table, [(Match(match.table, players, sides), True)])

    assert referee.take_results() == 1
    assert referee.read(number).results[1, match.table].ranks == (1, 2)


def test_who_is_found_to_be_two_in_a_tournament_is_one_in_it(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    match = drawn.matches[0]
    house.execute("INSERT INTO people (person, name) VALUES (99, 'P1 and nobody else')")
    house.execute("UPDATE people SET merged = 99 WHERE person = %s", (match.players[0],))
    today = referee.read(number).rounds[0].matches[0]

    tell_evening(house, match.table, [(today, True)])

    assert today.players[0] == 99
    assert referee.take_results() == 1
    assert referee.read(number).standings()[0].player == min(today.sides[0])
    assert referee.join(number, 99) is False


def test_a_tournament_that_goes_on_by_itself_draws_and_ends(
    referee: HouseReferee, house: Connection
) -> None:
    number = referee.open(replace(WATTEN, auto=True))
    for person in range(1, 9):
        referee.join(number, person)
    assert referee.go_on() == 0  # the referee begins, when all are there
    told: dict[int, list[tuple[Match, bool]]] = {1: [], 2: []}
    drawn: Drawn | None = referee.draw(number)
    while drawn is not None:
        for match in drawn.matches:
            told[match.table].append((match, True))
            tell_evening(house, match.table, told[match.table])
        referee.go_on()
        rounds = referee.read(number).rounds
        drawn = rounds[-1] if len(rounds) > drawn.number else None

    stands = referee.read(number)
    assert len(stands.rounds) == 2
    assert stands.is_over
    assert referee.go_on() == 0


def test_what_has_not_gone_on_is_not_folded_again_for_each_who_looks(
    referee: HouseReferee, house: Connection
) -> None:
    memory = TournamentMemory()
    quiet, other = begun(referee)[0], referee.open(WATTEN)
    before = dict(HouseReferee(house, memory).read_all())

    referee.tell(other, Joined(1))
    after = dict(HouseReferee(house, memory).read_all())

    assert after[quiet] is before[quiet]
    assert [len(one[other].players) for one in (before, after)] == [0, 1]
    house.execute("UPDATE people SET merged = 8 WHERE person = 1")
    assert HouseReferee(house, memory).read(other).players == (8,)
    assert dict(HouseReferee(house).read_all()) == dict(HouseReferee(house, memory).read_all())


def test_two_programs_at_once_write_each_thing_once(
    dsn: str, referee: HouseReferee, house: Connection
) -> None:
    number = referee.open(replace(WATTEN, auto=True))
    for person in range(1, 9):
        referee.join(number, person)
    drawn = referee.draw(number)

    def has_gone_on(from_round: int) -> bool:
        stands = referee.read(number)
        return stands.is_over or len(stands.rounds) > from_round

    fold = dsn.replace("user=kloplei_hub", "user=kloplei_fold")
    with TournamentWorker(fold, look_s=1), TournamentWorker(fold, look_s=1):
        for number_now in (1, 2):
            for match in drawn.matches:
                tell_evening(house, match.table, [(match, True)], after=number_now)
                house.execute("SELECT pg_notify('evenings', 'a')")
            until(partial(has_gone_on, number_now))
            drawn = referee.read(number).rounds[-1]

    events = [line.event for line in referee.trail(number)]
    assert [one.number for one in events if isinstance(one, Drawn)] == [1, 2]
    came_out = [(one.round, one.table) for one in events if isinstance(one, CameOut)]
    assert sorted(came_out) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert sum(isinstance(one, Ended) for one in events) == 1


def test_a_draw_beside_another_does_not_go_into_the_trail(
    dsn: str, referee: HouseReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = referee.open(WATTEN)
    for person in range(1, 9):
        referee.join(number, person)
    with connect(dsn, autocommit=True) as other:
        theirs, since = HouseReferee(other), referee._since

        def slow(drawn: Drawn) -> Drawn:
            theirs.draw(number)
            return since(drawn)

        monkeypatch.setattr(referee, "_since", slow)
        with pytest.raises(NotNow, match="Somebody else"):
            referee.draw(number)

    assert len(referee.read(number).rounds) == 1


def test_who_has_not_sat_down_is_called_again(referee: HouseReferee, house: Connection) -> None:
    number, drawn = begun(referee)
    first, last = drawn.matches
    rows = [{"person": one} for one in first.players]
    add = "INSERT INTO boards (box, board) VALUES (%s, %s)"
    house.execute(add, ("ab"[first.table - 1], json.dumps({"rows": rows})))
    ask = "SELECT box, until FROM calls ORDER BY box"
    before: dict[str, datetime] = dict(house.execute(ask).fetchall())
    now = datetime.now(UTC)

    referee.go_on(now + timedelta(minutes=1))
    assert dict(house.execute(ask).fetchall()) == before
    referee.go_on(now + timedelta(minutes=6))
    after: dict[str, datetime] = dict(house.execute(ask).fetchall())
    assert [box for box in before if after[box] != before[box]] == ["ab"[last.table - 1]]
    referee.go_on(now + timedelta(hours=2))
    assert dict(house.execute(ask).fetchall()) == after

    house.execute("DELETE FROM calls")  # killed between the draw and the call
    referee.go_on(now)
    assert [box for (box,) in house.execute("SELECT box FROM calls")] == ["ab"[last.table - 1]]
    assert number in referee.running()


@pytest.mark.parametrize("rows", [7, None, {"a": 1}, [1, None, "x"], [{"person": [1]}, {}]])
def test_a_scoreboard_that_makes_no_sense_ends_no_tournament(
    referee: HouseReferee, house: Connection, rows: object
) -> None:
    """One box that sent it stopped the tournaments of the whole house."""
    begun(referee)
    add = "INSERT INTO boards (box, board) VALUES ('a', %s), ('b', '{}')"
    house.execute(add, (json.dumps({"rows": rows}),))
    house.execute("DELETE FROM calls")

    referee.go_on()

    assert house.execute("SELECT box FROM calls ORDER BY box").fetchall() == [("a",), ("b",)]


def test_an_earlier_result_is_put_right(referee: HouseReferee) -> None:
    number, drawn = begun(referee)
    for match in drawn.matches:
        referee.decide(number, match.table, (1, 2), "Referee", "")
    referee.draw(number)

    referee.decide(number, 1, (2, 1), "Referee", "the slate was misread", 1)

    stands = referee.read(number)
    assert stands.results[1, 1].ranks == (2, 1)
    assert {one.table for one in stands.running} == {1, 2}
    with pytest.raises(NotNow, match="round 9"):
        referee.decide(number, 1, (2, 1), "Referee", "", 9)


def test_a_rubber_that_is_told_otherwise_by_now_is_found(
    referee: HouseReferee, house: Connection
) -> None:
    number, drawn = begun(referee)
    for match in drawn.matches:
        tell_evening(house, match.table, [(match, True)])
    referee.take_results()
    assert referee.otherwise() == ()
    referee.draw(number)  # what came out a round ago is not looked at any more

    tell_evening(house, 1, [(drawn.matches[0], False)])

    assert referee.take_results() == 0
    assert referee.otherwise() == ((number, 1, 1),)


def test_two_referees_add_to_one_trail(dsn: str, referee: HouseReferee) -> None:
    number = referee.open(WATTEN)
    with connect(dsn, autocommit=True) as other:
        for person in range(1, 9):
            (referee if person % 2 else HouseReferee(other)).tell(number, Joined(person))

    assert referee.read(number).players == tuple(range(1, 9))
    assert [line.number for line in referee.trail(number)] == list(range(1, 10))


def test_what_is_over_stays_so(referee: HouseReferee) -> None:
    number, _ = begun(referee)
    referee.end(number, "Referee")

    assert referee.running() == ()
    assert referee.all() == (number,)
    with pytest.raises(NotNow, match="over"):
        referee.tell(number, Joined(9))
    with pytest.raises(NotNow, match="no tournament 77"):
        referee.read(77)


def test_the_programs_of_the_web_may_do_all_of_it_and_rewrite_nothing(
    dsn: str, referee: HouseReferee
) -> None:
    number, _ = begun(referee)
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_web"), autocommit=True) as web:
        theirs = HouseReferee(web)
        assert theirs.read(number).players == tuple(range(1, 9))
        for match in theirs.read(number).running:
            theirs.decide(number, match.table, (1, 2), "Referee", "")
        assert theirs.draw(number).number == 2
        with pytest.raises(Exception, match="permission denied"):
            web.execute("UPDATE tournament_trail SET facts = '{}'")
