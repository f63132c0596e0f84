"""What every `TableClient` keeps of people, in memory or over a socket."""

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.table.client import BadRequest, TableClient
from kloplei.table.people_client import Forgotten, Person
from tests.table.contract import TAME, THIJS, THOMAS, TableClientContract


def sit(client: TableClient, seat: Seat, name: str, *, remember: bool = True) -> int:
    """Let *name* sit down at *seat*, and return who that is."""
    client.submit(seat, "sit_down", facts={"name": name, "remember": remember})
    (row,) = (one for one in client.scoreboard().rows if one.seat == seat)
    return row.person or 0


def found(client: TableClient) -> dict[str, Person]:
    return {one.name: one for one in client.people.people()}


class PeopleContract(TableClientContract):
    """The part of the contract that `TableClient.people` keeps."""

    def test_who_is_remembered_is_told_and_offered_where_free(self, client: TableClient) -> None:
        thijs, tame = sit(client, THIJS, "Thijs"), sit(client, TAME, "Tame")
        sit(client, THOMAS, "Thomas", remember=False)
        client.submit(THIJS, "stand_up")

        people = client.people.people()

        assert [(one.id, one.name, one.seat) for one in people] == [
            (thijs, "Thijs", None),
            (tame, "Tame", TAME),
        ]
        assert [one.id for one in client.people.offered(THIJS)] == [thijs]
        assert [one.id for one in client.people.offered(Seat(3))] == [thijs]
        with pytest.raises(BadRequest):
            client.people.offered(Seat(99))

    def test_a_new_name_stands_everywhere_at_once(self, client: TableClient) -> None:
        thijs = sit(client, THIJS, "Thijs")
        seen = client.scoreboard().seq

        client.people.rename(thijs, " Matthijs ")

        assert client.scoreboard().names == {THIJS: "Matthijs"}
        assert client.log()[0].names == {THIJS: "Matthijs"}
        assert client.submit(TAME, "sit_down", seen=seen) > seen

    def test_two_who_are_one_are_merged(self, client: TableClient) -> None:
        one = sit(client, THIJS, "Jan")
        client.submit(THIJS, "stand_up")
        two = sit(client, TAME, "Jan de B")

        client.people.merge(two, one)

        assert {name: each.seat for name, each in found(client).items()} == {"Jan": TAME}
        assert client.scoreboard().rows[0].person == one
        with pytest.raises(IllegalAction, match="same_person"):
            client.people.merge(two, one)

    def test_who_is_hidden_is_offered_to_nobody(self, client: TableClient) -> None:
        thijs = sit(client, THIJS, "Thijs")
        client.submit(THIJS, "stand_up")

        client.people.hide(thijs, True)
        assert client.people.offered(THIJS) == ()
        assert found(client)["Thijs"].hidden

        client.people.hide(thijs, False)
        assert [one.id for one in client.people.offered(THIJS)] == [thijs]

    def test_a_guest_of_before_becomes_somebody(self, client: TableClient) -> None:
        sit(client, THIJS, "Opa", remember=False)
        client.submit(THIJS, "stand_up")
        sit(client, TAME, "opa", remember=False)

        opa = client.people.adopt("OPA")

        assert client.scoreboard().rows[0].person == opa
        assert found(client)["opa"].seat == TAME
        client.submit(TAME, "stand_up")
        assert client.people.adopt("opa") == opa
        assert sit(client, THIJS, "opa", remember=False) == 0  # a guest who comes later

    def test_who_was_no_guest_here_takes_over_what_paper_tells_of_that_name(
        self, client: TableClient
    ) -> None:
        thijs = sit(client, THIJS, "Thijs")

        assert client.people.adopt("thijs") == thijs
        assert client.scoreboard().rows[0].person == thijs
        assert [*found(client)] == ["Thijs"]

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            *(("Tame", "name_known"), ("Thomas", "name_taken"), ("a\tb", "bad_name")),
            *((" ", "bad_name"), ("Plek 7", "no_name"), ("Seat 7", "no_name")),
        ],
    )
    def test_a_name_that_cannot_be_is_refused(
        self, client: TableClient, name: str, reason: str
    ) -> None:
        thijs = sit(client, THIJS, "Thijs")
        sit(client, TAME, "Tame")
        sit(client, THOMAS, "Thomas", remember=False)

        with pytest.raises(IllegalAction) as refused:
            client.people.rename(thijs, name)

        assert refused.value.reason == reason
        assert client.scoreboard().names[THIJS] == "Thijs"

    def test_nobody_unknown_is_changed(self, client: TableClient) -> None:
        thijs, tame = sit(client, THIJS, "Thijs"), sit(client, TAME, "Tame")

        for change, reason in (
            (lambda: client.people.rename(0, "X"), "no_such_person"),
            (lambda: client.people.hide(-1, True), "no_such_person"),
            (lambda: client.people.merge(thijs, 0), "no_such_person"),
            (lambda: client.people.forget(0), "no_such_person"),
            (lambda: client.people.merge(thijs, tame), "sat_together"),
            (lambda: client.people.adopt("Nobody"), "no_such_name"),
            (lambda: client.people.adopt("Plek 1"), "no_such_name"),
        ):
            with pytest.raises(IllegalAction) as refused:
                change()
            assert refused.value.reason == reason

    def test_no_two_are_called_the_same_once_somebody_is_another(self, client: TableClient) -> None:
        """A phone's right goes where the name of its person goes."""
        jan = sit(client, TAME, "Jan")
        client.submit(TAME, "stand_up")
        thijs = sit(client, THIJS, "Thijs")
        sit(client, TAME, "jan", remember=False)

        with pytest.raises(IllegalAction) as refused:
            client.people.merge(thijs, jan)

        assert refused.value.reason == "name_taken"
        assert client.scoreboard().names == {THIJS: "Thijs", TAME: "jan"}

    def test_who_is_forgotten_is_a_guest_at_once(self, client: TableClient) -> None:
        sit(client, TAME, "Thijs", remember=False)
        client.submit(TAME, "stand_up")
        thijs = sit(client, THIJS, "Thijs")
        seen = client.scoreboard().seq

        forgotten = client.people.forget(thijs)

        assert forgotten == Forgotten(entries=2, copies=0)
        assert client.people.people() == ()
        assert client.scoreboard().names == {THIJS: "Plek 1"}
        assert "Thijs" not in str(client.log())
        assert client.submit(TAME, "sit_down", seen=seen) > seen

    def test_who_never_came_to_sit_is_not_told(self, client: TableClient) -> None:
        sit(client, THIJS, "Thijs")

        client.submit(None, "undo")
        assert client.people.people() == ()

        client.submit(None, "redo")
        assert list(found(client)) == ["Thijs"]
