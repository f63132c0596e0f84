"""The outbox: whole steps go, and nothing sealed, no name of who did not agree, no bare link."""

import json
import random
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kloplei.files import KlopleiError
from kloplei.games.catalogue import build_game
from kloplei.games.game import NO_FACTS, Facts, Seat
from kloplei.games.scoreboard import Line, Row, Scoreboard
from kloplei.table._journal_pages import Pages
from kloplei.table.actions import decode
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.core import Table
from kloplei.table.journal import Journal
from kloplei.table.journal_file import begin_era, connect, open_to_read, superseded
from kloplei.table.outbox import Outbox, for_house
from kloplei.table.people import WITH_NAMES, read_register
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.uplink_client import MOST_ENTRIES, EraBegun, HouseEntry, HousePerson, StepsAfter
from tests.panel.blind_deals import RANKS, SUITS, Deal

NAMES = ("Thijs", "Tame", "Thomas", "Stan")


class Pub:
    """A table with a journal on disk, and the outbox that reads it; seats count from 1."""

    def __init__(self, path: Path, **settings: object) -> None:
        self.journal = Journal(path)
        self.table = Table(self.journal, TableSetup(wall=None, **settings))  # type: ignore[arg-type]
        self.outbox = Outbox(path)
        self._now_s = 0.0

    def ask(self, seat: int | None, action: str, facts: Facts = NO_FACTS) -> bool:
        """Ask for it, and return whether it was done."""
        self._now_s += 10.0
        try:
            place = None if seat is None else Seat(seat - 1)
            self.table.submit(place, action, facts=facts, now_s=self._now_s)
        except KlopleiError:
            return False
        self.table.settle()
        return True

    def steps(self, after: int = 0, most: int = MOST_ENTRIES) -> StepsAfter:
        return self.outbox.steps(after, most, self.table.people.make_house_key)

    def all_steps(self, most: int = MOST_ENTRIES) -> list[HouseEntry]:
        """Return all that may be fetched now, piece by piece."""
        found: list[HouseEntry] = []
        while entries := self.steps(found[-1].seq if found else 0, most).entries:
            found += entries
        return found


def pub_at(path: Path, **settings: object) -> Iterator[Pub]:
    pub = Pub(path, **settings)
    yield pub
    pub.journal.close()


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    yield from pub_at(tmp_path / "kloplei.db", seats=4)


def sit(pub: Pub, *, remember: bool = False) -> None:
    for seat, name in enumerate(NAMES, 1):
        assert pub.ask(seat, "sit_down", {"name": name, "remember": remember})


def begin_blind(pub: Pub) -> None:
    assert pub.ask(None, "options", {"game": "watten", "preset": "blind"})
    sit(pub)
    assert pub.ask(4, "start")


def facts_of(entry: HouseEntry) -> Mapping[str, object]:
    told: Mapping[str, object] = json.loads(entry.facts)
    return told


def test_all_that_was_played_goes_in_whole_steps(pub: Pub) -> None:
    sit(pub)
    pub.ask(1, "start")
    pub.ask(1, "deal")

    entries = pub.all_steps(most=2)

    assert [one.seq for one in entries] == list(range(1, pub.journal.last_seq + 1))
    assert {one.seq for one in entries if one.link} == {one.step for one in entries}
    told = pub.steps(entries[0].step)
    assert (told.box, told.era) == pub.journal.origin
    assert (told.last, told.begun) == (pub.journal.last_seq, None)
    assert told.link == entries[0].link
    written = [(one.event, one.seat, one.via) for one in pub.journal.entries()]
    assert [(one.event, one.seat, one.via) for one in entries] == written


def test_a_step_of_more_entries_than_may_go_goes_whole(pub: Pub) -> None:
    pub.journal.append([("Undone", {"n": n}) for n in range(7)], seat=None, via="table", at=None)
    pub.table.settle()

    assert len(pub.steps(0, 3).entries) == 7


@pytest.mark.parametrize(("after", "most"), [(-1, 5), (99, 5), (0, 0), (0, MOST_ENTRIES + 1)])
def test_where_no_step_ends_nothing_is_told(pub: Pub, after: int, most: int) -> None:
    sit(pub)

    with pytest.raises(BadRequest):
        pub.steps(after, most)


def test_a_journal_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableUnavailable, match="nowhere"):
        Outbox(tmp_path / "nowhere.db").steps(0, 5, lambda: None)


def test_a_link_is_sealed_and_stays_the_same(pub: Pub) -> None:
    """Whoever knows all but a name could find it by trying: the chain is over names as well."""
    sit(pub)
    with closing(sqlite3.connect(pub.journal.path)) as connection:
        bare = {link.hex() for (link,) in connection.execute("SELECT link FROM chain")}

    links = [one.link for one in pub.all_steps() if one.link]

    assert len(set(links)) == len(bare)
    assert not bare & set(links)
    assert [one.link for one in pub.all_steps() if one.link] == links


def test_an_era_says_what_it_goes_on_from(tmp_path: Path) -> None:
    path = tmp_path / "kloplei.db"
    for pub in pub_at(path, seats=4):
        sit(pub)
        first = pub.steps().era
    with closing(connect(path)) as connection:
        begin_era(connection)
    for pub in pub_at(path, seats=4):
        last = pub.journal.last_seq
        pub.ask(1, "stand_up")

        told = pub.steps(last)

        assert told.begun == EraBegun(first, last, told.link)
        assert told.era != first


def test_an_era_without_somebody_supersedes_the_one_before(pub: Pub) -> None:
    sit(pub)
    before = pub.steps()
    person = pub.table.people.adopt("Tame")

    pub.table.people.forget(person)

    begun = pub.steps().begun
    assert begun is not None
    assert (begun.era, begun.supersedes) == (before.era, True)
    assert begun.link in {one.link for one in before.entries}
    assert begun.after < pub.journal.last_seq


def test_a_house_that_was_away_hears_of_all_eras_that_were_replaced(pub: Pub) -> None:
    sit(pub)
    eras = []
    for name in ("Tame", "Thomas"):
        eras.append(pub.steps().era)
        pub.table.people.forget(pub.table.people.adopt(name))

    begun = pub.steps().begun

    assert begun is not None
    assert (begun.era, begun.replaced) == (eras[-1], tuple(eras))


def test_a_journal_written_anew_still_tells_what_a_forgetting_replaced(pub: Pub) -> None:
    sit(pub)
    first = pub.steps().era
    pub.table.people.forget(pub.table.people.adopt("Tame"))
    second = pub.steps().era

    pub.journal.path.unlink()
    pub.ask(1, "stand_up")

    assert pub.steps().era not in (first, second)
    with closing(open_to_read(pub.journal.path)) as connection:
        told = superseded(connection, second)
    assert told is not None
    assert told[0] == first


def test_who_agreed_stands_there_by_the_id_of_the_house_and_nobody_else(pub: Pub) -> None:
    sit(pub, remember=True)
    people = {one.name: one.id for one in pub.table.people.people()}
    pub.table.people.agree(people["Tame"], True)
    ((tame,),) = (pub.table.people.agreed(),)
    pub.ask(2, "stand_up")
    pub.ask(2, "sit_down", {"name": "Oom Piet"})
    pub.ask(2, "rename", {"name": "Piet"})
    pub.ask(2, "recognise", {"person": people["Tame"]})
    pub.ask(1, "recognise", {"guest": True})
    pub.ask(1, "start")
    pub.ask(None, "new_evening")

    entries = pub.all_steps()

    written = dump(entries, form=WORLD)
    assert not any(name in json.dumps(written) for name in (*NAMES, "Piet"))
    assert not any(str(one) in json.dumps(written) for one in people.values())
    of_people = [facts_of(one) for one in entries if one.event in WITH_NAMES]
    told = [facts.get("person") for facts in of_people if "person" in facts]
    assert told == [tame.id, tame.id, tame.id, None]
    assert of_people[-1]["players"] == [[0, ""], [1, ""], [2, ""], [3, ""]]
    assert of_people[-1]["people"] == [[1, tame.id]]


_WHO: tuple[tuple[str, Facts], ...] = (
    *(("sit_down", {"name": name}) for name in ("Jannetje", "Berend", "Jannetje ")),
    *(("sit_down", {"name": name, "remember": True}) for name in ("Wubbo", "Fenna")),
    *(("rename", {"name": "Gerrit-Jan"}), ("rename", {"name": "berend"})),
    *(("recognise", {"remember": True}), ("recognise", {"guest": True}), ("stand_up", {})),
    *(("swap", {"of": 2}), ("swap", {"of": 4}), ("undo", {}), ("undo", {"steps": 3})),
    *(("redo", {}), ("start", {}), ("new_evening", {}), ("deal", {})),
)
_CALLED = ("jannetje", "berend", "wubbo", "fenna", "gerrit")


@pytest.mark.parametrize("seed", range(4))
def test_whatever_people_do_no_name_goes_and_only_ids_of_the_agreed(seed: int, pub: Pub) -> None:
    dice = random.Random(seed)
    people, ever = pub.table.people, set()
    for _ in range(80):
        pub.ask(dice.randrange(1, 5), *dice.choice(_WHO))
        if known := [one.id for one in people.people()]:
            with suppress(KlopleiError):
                people.agree(dice.choice(known), dice.random() < 0.6)
                if dice.random() < 0.1:
                    people.merge(dice.choice(known), dice.choice(known))
        with suppress(KlopleiError):
            if dice.random() < 0.1:
                people.adopt(dice.choice(("Jannetje", "berend")))
            elif known and dice.random() < 0.03:
                people.forget(dice.choice(known))
        ever |= {one.id for one in people.people()}
        entries, agreed = pub.all_steps(), people.agreed()
        assert names_in(dump(entries, form=WORLD)) == set()
        assert {one for entry in entries for one in ids_in(entry)} <= {one.id for one in agreed}
        board = for_house(pub.table.scoreboard(), agreed)
        assert names_in(dump(board, form=WORLD)) <= names_in([one.name for one in agreed])
    assert ever


def names_in(told: object) -> set[str]:
    written = json.dumps(told).casefold()
    return {name for name in _CALLED if name in written}


def ids_in(entry: HouseEntry) -> list[object]:
    facts = json.loads(entry.facts)
    told = [facts.get("person"), *(person for _, person in facts.get("people", ()))]
    return [one for one in told if one is not None]


def test_what_the_house_gets_is_told_as_the_table_tells_it(pub: Pub) -> None:
    """What was sealed comes with the event that opens it, and counts from there on."""
    begin_blind(pub)
    assert pub.ask(None, "deal")
    assert pub.ask(1, "seal_schlag", {"rank": "10"})
    assert pub.ask(4, "seal_trump", {"suit": "C"})
    assert pub.ask(2, "raise")
    assert pub.ask(1, "fold")

    game, state = build_game("watten", "blind", {}), None
    for entry in pub.all_steps():
        facts = facts_of(entry)
        if entry.event == "Started":
            state = game.start(tuple(map(Seat, range(4))), Seat(3))
        elif entry.event in game.events:
            state = game.apply(state, decode(entry.event, facts, game.events))

    assert state is not None
    (deal,) = state.deals
    assert (deal.seal.rank, deal.seal.suit) == ("10", "C")


def test_a_guest_who_turned_out_to_be_somebody_goes_as_them(pub: Pub) -> None:
    sit(pub)
    tame = pub.table.people.adopt("Tame")
    pub.table.people.agree(tame, True)
    ((known,),) = (pub.table.people.agreed(),)

    (facts,) = [facts_of(one) for one in pub.all_steps() if '"seat":1' in one.facts]

    assert facts == {"seat": 1, "name": "", "person": known.id}


def test_who_agreed_is_kept_with_the_journal_whatever_becomes_of_it(pub: Pub) -> None:
    sit(pub, remember=True)
    pub.table.people.agree(pub.table.people.people()[0].id, True)
    before = (pub.table.people.agreed(), pub.steps().link)
    register = pub.journal.people

    found = Pages(pub.journal.path).people()
    assert (found.agreed, found.house_key) == (register.agreed, register.house_key)
    pub.journal.path.unlink()
    pub.ask(4, "stand_up")  # it is written anew

    with closing(open_to_read(pub.journal.path)) as connection:
        kept = read_register(connection)
    assert (kept.agreed, kept.house_key) == (register.agreed, register.house_key)
    assert (pub.table.people.agreed(), pub.steps().link) == before


def test_nothing_is_told_of_an_event_that_nobody_knows(pub: Pub) -> None:
    pub.journal.append([("Gossip", {"of": "Thijs"})], seat=None, via="Thijs", at=None)

    (entry,) = pub.steps().entries

    assert (entry.event, entry.via, entry.facts) == ("Gossip", "phone", "{}")


# Seals. What differs at random from one journal to the next is left out of what is compared.


def fetched(pub: Pub) -> bytes:
    """Return all bytes that the uplink can get now, wherever about the end it begins to ask."""
    told = []
    last = pub.journal.last_seq
    for after in (0, *range(max(1, last - 4), last + 2)):
        try:
            told.append(json.dumps(dump(pub.steps(after), form=WORLD)))
        except BadRequest as error:
            told.append(str(error))
    return re.sub(r"\b[0-9a-f]{16}([0-9a-f]{48})?\b", "", "\n".join(told)).encode()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_sealed_the_same_bytes_can_be_fetched(seed: int, tmp_path: Path) -> None:
    deal = Deal(seed)
    heard: list[list[bytes]] = []
    for number in (0, 1):
        for pub in pub_at(tmp_path / f"{number}.db", seats=4):
            begin_blind(pub)
            heard.append([])
            for ask in (*deal.until_the_end(number), *deal.last[:-1]):
                pub.ask(ask.seat, ask.action, ask.facts)
                heard[-1].append(fetched(pub))
            assert "Sealed" not in heard[-1][-1].decode()

            assert pub.ask(deal.last[-1].seat, "card", deal.last[-1].facts)
            opened = {one.event: facts_of(one) for one in pub.all_steps()}
            assert opened["SealOpened"] == {
                "rank": deal.seals[number].rank,
                "suit": deal.seals[number].suit,
            }
            assert not opened["SchlagSealed"]["rank"]
    assert heard[0] == heard[1]


ENDS = {"SealOpened", "RubberAbandoned", "EveningBegun", "Started", "OptionsChosen"}
_MOVES = (
    *(("seal_schlag", {"rank": rank}) for rank in RANKS[:2]),
    *(("seal_trump", {"suit": suit}) for suit in SUITS[:2]),
    *(("deal", {}), ("undo", {}), ("undo", {"steps": 2}), ("redo", {}), ("misdeal", {})),
    *(("trick", {}), ("fold", {}), ("wipe", {}), ("new_evening", {}), ("raise", {})),
)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_sealed_never_goes_before_it_is_open_and_never_for_good(
    seed: int, tmp_path: Path
) -> None:
    dice = random.Random(seed)
    for pub in pub_at(tmp_path / "kloplei.db", seats=4):
        begin_blind(pub)
        had = 0
        for _ in range(60):
            action, facts = dice.choice(_MOVES)
            pub.ask(dice.choice((1, 4, None)), action, facts)
            for entry in pub.steps(had).entries:
                had = entry.seq
                if entry.event.endswith("Sealed"):
                    assert not {*facts_of(entry).values()} & {*RANKS, *SUITS}
                    after = {one.event for one in pub.journal.entries(had)}
                    assert after & ENDS
        pub.ask(None, "new_evening")
        pub.ask(None, "start")

        assert pub.all_steps()[-1].seq == pub.journal.last_seq


def test_a_board_for_the_house_holds_names_of_the_agreed_alone(pub: Pub) -> None:
    sit(pub, remember=True)
    people = {one.name: one.id for one in pub.table.people.people()}
    pub.table.people.agree(people["Tame"], True)
    ((tame,),) = (pub.table.people.agreed(),)
    moves: tuple[tuple[int | None, str, Facts], ...] = (
        *((3, "recognise", {"guest": True}), (3, "rename", {"name": "Thomasso"})),
        *((2, "swap", {"of": 3}), (1, "start", NO_FACTS), (1, "deal", NO_FACTS)),
        *((3, "raise", NO_FACTS), (1, "fold", NO_FACTS), (2, "stay", NO_FACTS)),
        *((2, "undo", NO_FACTS), (None, "wipe", NO_FACTS), (1, "stand_up", NO_FACTS)),
    )
    seen = ""
    for seat, action, facts in moves:
        pub.ask(seat, action, facts)
        board = pub.table.scoreboard()
        given = for_house(board, pub.table.people.agreed())
        written = json.dumps(dump(given, form=WORLD))
        seen += json.dumps(dump(board, form=WORLD))

        assert not any(name in written for name in ("Thijs", "Thomas", "Stan"))
        assert [(row.name, row.person) for row in given.rows if row.person] == [("Tame", tame.id)]
        assert len(given.rows) == len(board.rows)
        assert given.seq == board.seq
    assert '"name": "Thijs", "' in seen


def test_a_line_of_who_sits_there_speaks_of_the_seat() -> None:
    quoted = Line("news.renamed", {"name": "Gijs", "before": "Bo", "seat": Seat(1)}).as_fact()
    board = Scoreboard(
        *(
            "toepen",
            "seating",
            (
                *(Row(Seat(0), 0, name="Gijs"), Row(Seat(1), 0, name="Tame", person=7)),
                Row(Seat(2), 0, name="Wim"),
            ),
        ),
        news=Line("step.told", {"of": ("Tame", "Bo"), "step": quoted, "n": 3}),
    )

    given = for_house(board, (HousePerson(99, "Tame"), HousePerson(98, "Wim")))

    assert given.news == Line(
        "step.told",
        {
            "of": ("Tame", None),
            "step": {
                "key": "news.renamed",
                "facts": {"name": Seat(0), "before": None, "seat": Seat(1)},
            },
            "n": 3,
        },
    )
    # A guest may be called as somebody whom the house knows.
    assert [(row.name, row.person) for row in given.rows] == [("", None), ("Tame", 99), ("", None)]
