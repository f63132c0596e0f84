"""Of each part the worst trouble is told, and only what is new."""

import pytest

from kloplei.devices.pins import FaultRegistry
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from tests.devices.conftest import ListInbox


@pytest.fixture
def faults(inbox: ListInbox) -> FaultRegistry:
    return FaultRegistry(inbox)


def test_a_trouble_is_told_once_and_taken_back(faults: FaultRegistry, inbox: ListInbox) -> None:
    faults.tell("piezo 3", Trouble.HUM, "it hums")
    faults.tell("piezo 3", Trouble.HUM, "it hums")
    faults.heal("piezo 3", Trouble.HUM)
    faults.heal("piezo 3", Trouble.HUM)

    assert inbox.messages == [
        PartFailed("piezo 3", "it hums", Trouble.HUM),
        PartHealed("piezo 3"),
    ]


def test_the_worst_trouble_hides_the_others_until_it_is_over(
    faults: FaultRegistry, inbox: ListInbox
) -> None:
    faults.tell("piezos", Trouble.SLOW, "slow")
    faults.tell("piezos", Trouble.PART, "the bus is broken")
    faults.tell("piezos", Trouble.OVERRUN, "too much")
    faults.heal("piezos", Trouble.PART)
    faults.heal("piezos", Trouble.OVERRUN)

    assert [failed.trouble for failed in inbox.failures] == [
        Trouble.SLOW,
        Trouble.PART,
        Trouble.OVERRUN,
        Trouble.SLOW,
    ]


def test_each_part_has_troubles_of_its_own(faults: FaultRegistry, inbox: ListInbox) -> None:
    faults.tell("pad 1", Trouble.STORM, "a storm")
    faults.tell("pad 2", Trouble.STUCK, "stuck")
    faults.heal("pad 1", Trouble.STORM)

    assert inbox.messages[-1] == PartHealed("pad 1")
