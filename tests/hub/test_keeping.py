"""What boxes send, in a real database as the user who may do no more than that."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from kloplei.frozen import replace
from kloplei.table.uplink_client import EraBegun, HouseEntry, HousePerson
from kloplei.uplink.wire import AgreedPeople, Have, Online, Steps, encode
from kloplei_hub._keeping import Keeper, Mail, Receipt
from kloplei_hub._telling import Folder
from kloplei_hub.database import Connection, connect
from kloplei_hub.people import UnheededName, add_person, forget_person, unheeded_names
from tests.history.test_reading import anything
from tests.hub.journals import Journal, link_of
from tests.until import PATIENCE_S

NOW = datetime(2031, 12, 31, 23, 0, tzinfo=UTC)
JOURNAL = Journal("e", (2, 1, 3))


@pytest.fixture
def keeper(dsn: str, house: Connection) -> Iterator[Keeper]:
    house.execute("INSERT INTO boxes (box, retired) VALUES ('a', false), ('b', false), ('c', true)")
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_ingest"), autocommit=True) as mine:
        yield Keeper(mine, lambda: NOW)


def sent(box: str, body: bytes, leaf: str = "steps") -> Mail:
    return Mail(box, leaf, body)


def one(keeper: Keeper, mail: Mail) -> Receipt:
    (kept,) = keeper.keep([mail])
    return kept


def lies(house: Connection, era: str = "e") -> list[int]:
    found = house.execute("SELECT seq FROM entries WHERE era = %s ORDER BY box, seq", (era,))
    return [seq for (seq,) in found]


def test_entries_come_out_as_they_went_in_with_the_month_they_came(
    keeper: Keeper, house: Connection
) -> None:
    odd = replace(JOURNAL.entries(0, 2)[1], at=None, seat=None, facts='{"name":"\\u0000é"}')
    steps = replace(JOURNAL.steps(0, 2), entries=(JOURNAL.entries(0, 2)[0], odd))

    kept = one(keeper, sent("a", encode(steps)))

    assert kept.have == Have("e", 2, JOURNAL.link(2))
    rows = house.execute("SELECT seq, step, at, seat, via, event, facts, link FROM entries")
    facts = odd.facts.replace("é", "\\u00e9")
    assert rows.fetchall() == [
        (1, 2, 1.0, 0, "pad", "Knocked", '{"n":1}', None),
        (2, 2, None, None, "pad", "Knocked", facts, JOURNAL.link(2)),
    ]
    place = house.execute("SELECT DISTINCT tableoid::regclass::text, month::text FROM entries")
    assert place.fetchall() == [("entries_2031_12", "2031-12-01")]


def test_many_boxes_and_messages_are_one_transaction(keeper: Keeper, house: Connection) -> None:
    late, early = sent("a", JOURNAL.body(3)), sent("a", JOURNAL.body(0, 3))
    other = sent("b", JOURNAL.body())

    kept = keeper.keep([late, early, other, late, early])

    assert [found.kind for found in kept] == ["gap", "kept", "kept", "kept", "known"]
    assert lies(house) == [*range(1, 7), *range(1, 7)]
    stands = house.execute("SELECT box, seq FROM eras ORDER BY box").fetchall()
    assert stands == [("a", 6), ("b", 6)]
    assert dict(keeper.newest()) == dict.fromkeys("ab", Have("e", 6, JOURNAL.link(6)))


@pytest.mark.parametrize(("box", "seen"), [("c", "unknown"), ("d", "unknown"), ("a", "malformed")])
def test_who_does_not_go_with_the_house_and_what_nobody_can_read_is_refused(
    keeper: Keeper, house: Connection, box: str, seen: str
) -> None:
    keeper.keep([sent("b", JOURNAL.body())])
    body = b'{"era":"e"' if box == "a" else JOURNAL.body()

    refused, kept = keeper.keep([sent(box, body), sent("a", JOURNAL.body(0, 2))])

    assert refused.have is not None
    assert (refused.have.refused, refused.entries) == (seen, 0)
    assert kept.kind == "kept"
    assert lies(house) == [1, 2, *range(1, 7)]


def test_a_malformed_one_is_answered_with_what_is_here(keeper: Keeper) -> None:
    keeper.keep([sent("a", JOURNAL.body())])

    refused = one(keeper, sent("a", b"[" * 100_000))

    assert refused.have == Have("e", 6, JOURNAL.link(6), "malformed")


def test_a_twin_is_quarantined_and_stays_so(keeper: Keeper, house: Connection) -> None:
    keeper.keep([sent("a", JOURNAL.body())])

    twin = one(keeper, sent("a", replace(JOURNAL, story="other").body()))

    assert twin.have == Have("e", 6, JOURNAL.link(6), "twin")
    assert one(keeper, sent("a", JOURNAL.body(6))).have == twin.have
    assert house.execute("SELECT quarantined FROM eras").fetchall() == [("twin",)]
    assert keeper.newest() == [("a", twin.have)]


def test_an_era_that_supersedes_leaves_nothing_of_what_was_behind_its_beginning(
    keeper: Keeper, house: Connection
) -> None:
    alike = replace(JOURNAL, told_alike=1)
    keeper.keep([sent("a", alike.body())])
    after = replace(alike, era="f", story="without a name")
    begun = EraBegun("e", 2, alike.link(2), supersedes=True)

    asked, told = keeper.keep([sent("a", after.body(6, begun=begun)), sent("a", after.body(2))])

    assert asked.have == Have("f", 2, alike.link(2))
    assert told.have == Have("f", 6, after.link(6))
    assert (lies(house), lies(house, "f")) == ([], [1, 2, 3, 4, 5, 6])
    assert one(keeper, sent("a", alike.body())).have == Have("e", 0, "", "twin")
    assert keeper.newest() == [("a", told.have)]


def test_an_era_goes_on_behind_another_and_overlaps_it(keeper: Keeper, house: Connection) -> None:
    before = replace(JOURNAL, told_alike=2)
    keeper.keep([sent("a", before.body())])
    after = Journal("f", (2, 1, 1), "after", 2)
    begun = EraBegun("e", 3, before.link(3))

    keeper.keep([sent("a", after.body(3, begun=begun))])
    again = one(keeper, sent("a", after.body(0)))
    twin = one(keeper, sent("a", replace(after, story="twin").body(2)))

    assert (lies(house), lies(house, "f")) == ([1, 2, 3, 4, 5, 6], [4])
    assert (again.kind, again.have) == ("known", Have("f", 4, after.link(4)))
    assert twin.have == Have("f", 4, after.link(4), "twin")


def test_boards_and_people_are_noted_and_whoever_waits_is_woken(
    keeper: Keeper, house: Connection
) -> None:
    house.execute("LISTEN boards; LISTEN steps; LISTEN evenings")
    house.execute("INSERT INTO people (person, name) VALUES (7, 'Thijs')")
    house.execute("INSERT INTO claims VALUES ('a', 7), ('b', 7)")  # called to both tables
    people = AgreedPeople((HousePerson(7, "Thijs"), HousePerson(8, "Tame")))

    keeper.keep(
        [
            sent("a", encode(Online(True, "0.2.0")), "online"),
            sent("a", b'{"seq": 3, "rows": []}', "board"),
            sent("a", encode(people), "people"),
            sent("b", encode(AgreedPeople(people.people[:1])), "people"),
            sent("a", JOURNAL.body()),
        ]
    )
    keeper.keep([sent("a", encode(AgreedPeople(())), "people")])

    expected = {("boards", "a"), ("steps", "a"), ("evenings", "a"), ("evenings", "b")}
    woken: set[tuple[str, str]] = set()
    for told in house.notifies(timeout=PATIENCE_S):
        woken.add((told.channel, told.payload))
        if woken >= expected:
            break
    assert woken >= expected
    assert house.execute("SELECT online, version FROM boxes WHERE box = 'a'").fetchall() == [
        (True, "0.2.0")
    ]
    assert house.execute("SELECT board FROM boards").fetchall() == [('{"seq":3,"rows":[]}',)]
    known = house.execute("SELECT person, name, agreed FROM people ORDER BY 1").fetchall()
    assert known == [(7, "Thijs", True), (8, "", False)]


def people_of(house: Connection) -> list[tuple[int, str, bool]]:
    return house.execute("SELECT person, name, agreed FROM people ORDER BY 1").fetchall()


def told_of(*people: tuple[int, str]) -> bytes:
    return encode(AgreedPeople(tuple(HousePerson(*one) for one in people)))


def test_a_box_renames_nobody_but_whom_it_brought_or_was_handed(
    keeper: Keeper, house: Connection
) -> None:
    """Whoever listed the id of somebody else's regular renamed them for the whole house."""
    house.execute("INSERT INTO people (person, name) VALUES (9, 'Nel')")  # by the referee
    keeper.keep([sent("a", told_of((7, "Thijs")), "people")])

    keeper.keep([sent("b", told_of((7, "Vlegel"), (8, "Tame"), (9, "Vlegel")), "people")])

    assert people_of(house) == [(7, "Thijs", True), (8, "Tame", True), (9, "Nel", True)]
    assert unheeded_names(house) == [
        UnheededName("b", 9, "Nel", "Vlegel"),
        UnheededName("b", 7, "Thijs", "Vlegel"),
    ]
    house.execute("INSERT INTO claims VALUES ('b', 9)")  # called to that table
    keeper.keep([sent("a", told_of((7, "Matthijs")), "people")])
    keeper.keep([sent("b", told_of((7, "Matthijs"), (8, "Tame"), (9, "Nel P.")), "people")])
    assert people_of(house) == [(7, "Matthijs", True), (8, "Tame", True), (9, "Nel P.", True)]
    assert unheeded_names(house) == []


def unheeded(house: Connection) -> list[tuple[str]]:
    """What the box that did not bring them calls somebody."""
    return house.execute("SELECT unheeded FROM box_people WHERE box = 'b'").fetchall()


def test_who_no_longer_agrees_is_named_by_no_box_that_did_not_bring_them(
    keeper: Keeper, house: Connection
) -> None:
    listed = sent("b", told_of((7, "Matthijs")), "people")
    keeper.keep([sent("a", told_of((7, "Thijs")), "people"), listed])

    keeper.keep([sent("a", told_of(), "people")])
    assert unheeded(house) == [("",)]
    keeper.keep([listed])

    assert (people_of(house), unheeded(house)) == ([(7, "", False)], [("",)])
    keeper.keep([sent("a", told_of((7, "Thijs")), "people")])
    assert people_of(house) == [(7, "Thijs", True)]
    keeper.keep([listed])
    assert unheeded(house) == [("Matthijs",)]
    forget_person(house, 7)
    assert unheeded(house) == [("",)]
    keeper.keep([sent("a", told_of((7, "Thijs")), "people"), listed])
    assert (people_of(house), unheeded(house)) == ([(7, "", False)], [("",)])


def test_who_has_no_claim_on_somebody_takes_no_name_from_them_by_leaving_them_out(
    keeper: Keeper, house: Connection
) -> None:
    """Whoever had no name any more was then called what that box liked."""
    nel = add_person(house, "Nel")
    listed = sent("b", told_of((nel, "Vlegel")), "people")

    keeper.keep([listed, sent("b", told_of(), "people"), listed])

    assert people_of(house) == [(nel, "Nel", True)]


@pytest.mark.parametrize(
    ("leaf", "body"),
    [
        ("online", b"{}"),
        ("online", json.dumps({"online": True, "version": "a\0"}).encode()),
        ("board", b"[]"),
        ("board", b'{"seq": NaN}'),
        ("board", b"\xff"),
        ("board", b" " * 1_000_001),
        ("people", json.dumps({"people": [{"id": 0, "name": "x"}]}).encode()),
        ("people", json.dumps({"people": [{"id": 2**53, "name": "x"}]}).encode()),
        ("people", json.dumps({"people": [{"id": 1, "name": "\ud800"}]}).encode()),
        ("people", json.dumps({"people": [{"id": 1, "name": "x" * 61}]}).encode()),
        ("people", json.dumps({"people": [{"id": 1, "name": "x"}] * 1001}).encode()),
        ("board", json.dumps({"game": "\ud800"}).encode()),
        ("have", b"{}"),
    ],
)
def test_what_is_none_is_left_out_and_the_rest_is_kept(
    keeper: Keeper, house: Connection, leaf: str, body: bytes
) -> None:
    refused, kept = keeper.keep([sent("a", body, leaf), sent("a", JOURNAL.body())])

    assert (refused.kind, refused.have, kept.kind) == ("refused", None, "kept")
    assert house.execute("SELECT 1 FROM boards UNION ALL SELECT 1 FROM people").fetchall() == []


class Replaced:
    """A box that was put back from a backup, and on which somebody was forgotten then.

    Era ``f`` goes on from ``e``, and ``g`` stands in the place of both.
    """

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.entries = anything(seed, 70).entries
        self.ends = [0, *(one.seq for one in self.entries if one.seq == one.step)]
        self.first, self.second = sorted(self.dice.sample(self.ends[5:-5], 2))
        self.last = self.ends[-1]

    def link(self, era: str, seq: int) -> str:
        """Of a step that eras have in common it is the same in them."""
        shared = "e" if seq <= self.first else "f" if seq <= self.second and era == "g" else era
        return link_of(seq, shared) if seq else ""

    def steps(self, era: str, after: int, upto: int) -> Steps:
        told = tuple(
            HouseEntry(
                *(one.seq, one.step, one.at, one.seat, one.via, one.event),
                json.dumps(dict(one.facts)),
                self.link(era, one.seq) if one.seq == one.step else None,
            )
            for one in self.entries
            if after < one.seq <= upto
        )
        begun = {
            "f": EraBegun("e", self.first, self.link("e", self.first)),
            "g": EraBegun("f", self.second, self.link("f", self.second), True, ("e", "f")),
        }
        return Steps(era, after, self.link(era, after), told, begun.get(era))

    def some(self) -> Steps:
        """Some of what it may have sent at any time."""
        after, upto = sorted(self.dice.sample(self.ends, 2))
        return self.steps(self.dice.choice("efg"), after, upto)


@pytest.mark.parametrize("seed", range(4))
def test_in_whatever_order_eras_come_what_replaces_parent_and_grandparent_ends_alike(
    keeper: Keeper, house: Connection, dsn: str, seed: int
) -> None:
    story, boxes = Replaced(seed), [f"box{n}" for n in range(8)]
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_fold"), autocommit=True) as mine:
        folder = Folder(mine, "nl")
        for box in boxes:
            house.execute("INSERT INTO boxes (box) VALUES (%s)", (box,))
            for _ in range(4):
                keeper.keep([sent(box, encode(story.some())) for _ in range(3)])
                folder.fold(box)
            have = 0
            while have < story.last:  # in the last one it goes on from where the house is
                kept = one(keeper, sent(box, encode(story.steps("g", have, story.last))))
                assert kept.have is not None
                assert kept.have.refused is None
                have = kept.have.seq
            folder.fold(box)

    expected = [("g", one.seq, story.link("g", one.seq)) for one in story.entries]
    ask = "SELECT era, seq, link FROM entries WHERE box = %s ORDER BY seq"
    tell = "SELECT era, after, last, told, counts FROM evenings WHERE box = %s ORDER BY after"
    told = [house.execute(tell, (box,)).fetchall() for box in boxes]
    for box in boxes:
        rows = house.execute(ask, (box,)).fetchall()
        assert [(era, seq) for era, seq, _ in rows] == [one[:2] for one in expected]
        assert all(link in (None, one[2]) for (*_, link), one in zip(rows, expected, strict=True))
    assert told == [told[0]] * len(boxes)
    assert told[0]


@pytest.mark.parametrize("behind", [2, 6])
def test_what_replaces_parent_and_grandparent_has_its_beginning_from_both(
    keeper: Keeper, house: Connection, behind: int
) -> None:
    """What of it lay with the grandparent went with that, and the box was told it is kept."""
    journal = Journal("e", (1,) * 9)
    for era, after, begun in (
        ("e", 0, None),
        ("f", 4, EraBegun("e", 4, journal.link(4))),
        ("g", behind, EraBegun("f", behind, journal.link(behind), True, ("e", "f"))),
    ):
        told = replace(journal.steps(after, 9, begun), era=era)
        kept = one(keeper, sent("a", encode(told)))

    assert kept.have == Have("g", 9, journal.link(9))
    assert [lies(house, era) for era in "efg"] == [[], [], [*range(1, 10)]]


def test_who_went_on_from_what_is_gone_is_told_anew_and_who_went_on_from_that(
    keeper: Keeper, house: Connection
) -> None:
    """``g`` and ``h`` went on from ``f``, which went on from what ``e`` had and ``i`` has not."""
    journal = Journal("e", (1,) * 9)

    def sends(era: str, upto: int, begun: EraBegun | None, after: int = 0) -> Receipt:
        steps = replace(journal.steps(after, upto, begun), era=era)
        return one(keeper, sent("a", encode(steps)))

    sends("e", 5, None)
    for era, upto, parent, after in (("f", 7, "e", 4), ("g", 9, "f", 6), ("h", 9, "f", 2)):
        sends(era, upto, EraBegun(parent, after, journal.link(after)), after)
    sends("i", 4, EraBegun("e", 2, journal.link(2), True), 2)

    ask = "SELECT era, parent, after, seq FROM eras WHERE superseded IS NULL ORDER BY era"
    assert house.execute(ask).fetchall() == [
        *(("f", None, 0, 0), ("g", None, 0, 0), ("h", "i", 2, 9), ("i", None, 0, 4))
    ]
    assert lies(house, "g") == []
    told = sends("g", 9, EraBegun("f", 6, journal.link(6)))
    assert (told.have, lies(house, "g")) == (Have("g", 9, journal.link(9)), [*range(1, 10)])
