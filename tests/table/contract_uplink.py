"""What every `TableClient` keeps of its uplink, in memory or over a socket."""

from types import SimpleNamespace
from typing import cast

import pytest

from kloplei.games.game import IllegalAction
from kloplei.table.client import BadRequest, TableClient
from kloplei.table.outbox import Outbox
from kloplei.table.session import Session
from kloplei.table.uplink_client import (
    EraBegun,
    HouseEntry,
    HubWish,
    OutsiderStatus,
    StepsAfter,
    TableCall,
    UplinkStatus,
)
from kloplei.words import Sentence
from tests.table.contract import TAME, THIJS
from tests.table.contract_people import PeopleContract, sit
from tests.table.seated import FullDisk

STEPS = StepsAfter(
    *("b0", "e2", 4, "5a", 9),
    (HouseEntry(5, 5, 1.5, 0, "pad", "Knocked", '{"seat":0}', "5b"),),
    EraBegun("e1", 4, "5a", supersedes=True),
)
CALL = TableCall("7", "Tafel 7", round=3, game="toepen")


class UplinkContract(PeopleContract):
    """The part of the contract that `TableClient.uplink` keeps."""

    def test_a_table_without_an_outbox_tells_no_steps(self, client: TableClient) -> None:
        assert client.uplink.status() == UplinkStatus()
        assert client.uplink.agreed() == ()
        with pytest.raises(BadRequest, match="no house"):
            client.uplink.steps(0)

    def test_steps_arrive_as_they_were_told(self, client: TableClient, session: Session) -> None:
        session.uplink.fit_outbox(cast("Outbox", SimpleNamespace(steps=lambda *_: STEPS)))

        assert client.uplink.steps(4) == STEPS

    def test_who_agrees_gets_an_id_of_the_house_until_they_take_it_back(
        self, client: TableClient
    ) -> None:
        thijs, tame = sit(client, THIJS, "Thijs"), sit(client, TAME, "Tame")

        client.uplink.agree(thijs, True)
        ((known),) = client.uplink.agreed()
        assert known.name == "Thijs"
        assert known.id not in (thijs, tame)
        client.uplink.agree(thijs, True)
        assert client.uplink.agreed() == (known,)
        client.people.rename(thijs, "Matthijs")
        assert client.uplink.agreed()[0].name == "Matthijs"

        client.uplink.agree(thijs, False)
        assert client.uplink.agreed() == ()
        with pytest.raises(IllegalAction, match="no_such_person"):
            client.uplink.agree(123_456_789, True)

    def test_who_is_forgotten_is_not_known_in_the_house_any_more(
        self, client: TableClient, disk: FullDisk
    ) -> None:
        thijs = sit(client, THIJS, "Thijs")
        client.uplink.agree(thijs, True)

        client.people.forget(thijs)

        assert client.uplink.agreed() == ()
        assert not disk.people.agreed

    def test_a_wish_waits_until_it_is_taken_up(self, client: TableClient) -> None:
        old = UplinkStatus("connected", "old.example", has=4)
        assert client.uplink.wish() is None
        client.uplink.report(old)

        client.uplink.pair(" hub.example ", "12-34")
        client.uplink.report(old)  # it has not heard of it yet
        assert client.uplink.wish() == HubWish("hub.example", "12-34")
        client.uplink.report(UplinkStatus("pairing", "hub.example"))
        outsiders = (
            OutsiderStatus("home_assistant", trouble=Sentence("home-nowhere")),
            OutsiderStatus("webhook", 4.5),
        )
        trouble = UplinkStatus(
            "refused", "hub.example", trouble=Sentence("no-uplink"), outsiders=outsiders
        )
        client.uplink.report(trouble)

        assert client.uplink.wish() is None
        assert client.uplink.status() == trouble

        client.uplink.pair("", "")
        client.uplink.report(trouble)
        assert client.uplink.wish() == HubWish("", "")
        client.uplink.report(UplinkStatus())
        assert client.uplink.wish() is None

    def test_a_call_is_told_to_whoever_asks(self, client: TableClient) -> None:
        assert client.uplink.called() is None

        client.uplink.call(CALL)

        assert client.uplink.called() == CALL
