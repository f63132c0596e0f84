"""Of each part the worst trouble is told, and only what is new."""

import pytest

from kloplei.devices.pins import FaultRegistry
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from tests.devices.conftest import ListInbox


@pytest.fixture
def complaints(inbox: ListInbox) -> FaultRegistry:
    return FaultRegistry(inbox)


def test_a_trouble_is_told_once_and_taken_back(complaints: FaultRegistry, inbox: ListInbox) -> None:
    complaints.tell("piezo 3", Trouble.HUM, "it hums")
    complaints.tell("piezo 3", Trouble.HUM, "it hums")
    complaints.heal("piezo 3", Trouble.HUM)
    complaints.heal("piezo 3", Trouble.HUM)

    assert inbox.messages == [
        PartFailed("piezo 3", "it hums", Trouble.HUM),
        PartHealed("piezo 3"),
    ]


def test_the_worst_trouble_hides_the_others_until_it_is_over(
    complaints: FaultRegistry, inbox: ListInbox
) -> None:
    complaints.tell("piezos", Trouble.SLOW, "slow")
    complaints.tell("piezos", Trouble.PART, "the bus is broken")
    complaints.tell("piezos", Trouble.OVERRUN, "too much")
    complaints.heal("piezos", Trouble.PART)
    complaints.heal("piezos", Trouble.OVERRUN)

    assert [failed.trouble for failed in inbox.failures] == [
        Trouble.SLOW,
        Trouble.PART,
        Trouble.OVERRUN,
        Trouble.SLOW,
    ]


def test_each_part_has_troubles_of_its_own(complaints: FaultRegistry, inbox: ListInbox) -> None:
    complaints.tell("pad 1", Trouble.STORM, "a storm")
    complaints.tell("pad 2", Trouble.STUCK, "stuck")
    complaints.heal("pad 1", Trouble.STORM)

    assert inbox.messages[-1] == PartHealed("pad 1")
