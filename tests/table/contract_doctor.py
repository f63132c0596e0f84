"""What every `TableClient` keeps of its doctor, in memory or over a socket."""

import threading

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, TableClient
from kloplei.table.doctor_client import Finding, FindingState
from kloplei.table.session import Session
from tests.table.contract import TAME, THIJS, TableClientContract


class DoctorContract(TableClientContract):
    """The part of the contract that `TableClient.doctor` keeps."""

    def test_a_table_without_a_doctor_finds_nothing_and_tries_nothing(
        self, client: TableClient
    ) -> None:
        assert client.doctor.examine() == ()
        with pytest.raises(BadRequest, match="No doctor"):
            client.doctor.knock(THIJS)
        with pytest.raises(BadRequest, match="No doctor"):
            client.doctor.show_test_picture()
        with pytest.raises(BadRequest, match="No doctor"):
            client.doctor.judge_picture("right")

    def test_what_the_doctor_found_arrives_as_it_was_said(
        self, client: TableClient, session: Session
    ) -> None:
        session.doctor = HouseCall()

        assert client.doctor.examine() == HouseCall.FOUND
        assert client.doctor.judge_picture("left-2") == Finding(
            "slate", FindingState.POOR, Line("slate.off", {"seen": "left-2"})
        )

    def test_the_doctor_knocks_and_shows_what_was_asked(
        self, client: TableClient, session: Session
    ) -> None:
        session.doctor = house_call = HouseCall()

        client.doctor.knock(TAME, 3)
        client.doctor.knock(THIJS)
        client.doctor.show_test_picture()
        client.doctor.explain()
        client.doctor.hush(quiet=True)

        assert house_call.did == [(TAME, 3), (THIJS, 1), "picture", "explain", "quiet"]

    def test_a_doctor_that_takes_its_time_holds_nobody_up(
        self, client: TableClient, session: Session
    ) -> None:
        session.doctor = house_call = HouseCall()
        house_call.may_go_on.clear()
        examining = threading.Thread(target=client.doctor.examine)
        examining.start()
        assert house_call.began.wait(60)

        seq = client.submit(THIJS, "sit_down")

        assert client.scoreboard().seq == seq
        house_call.may_go_on.set()
        examining.join()


class HouseCall:
    """A doctor that has an answer ready, and notes what it was asked to do."""

    FOUND = (
        Finding(
            "pins", FindingState.BAD, Line("pins.held", {"pin": 17}), Line("do.pins", {"pin": 17})
        ),
        Finding("clock", FindingState.GOOD, Line("clock.good")),
    )

    def __init__(self) -> None:
        self.did: list[object] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def examine(self) -> tuple[Finding, ...]:
        self.began.set()
        self.may_go_on.wait(60)
        return self.FOUND

    def knock(self, seat: Seat, times: int = 1) -> None:
        self.did.append((seat, times))

    def show_test_picture(self) -> None:
        self.did.append("picture")

    def explain(self) -> None:
        self.did.append("explain")

    def hush(self, *, quiet: bool) -> None:
        self.did.append("quiet" if quiet else "speak")

    def judge_picture(self, seen: str) -> Finding:
        return Finding("slate", FindingState.POOR, Line("slate.off", {"seen": seen}))
