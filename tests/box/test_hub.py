"""A house and a box on one Debian: installed, paired, and an evening that arrives."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.box.machine import Machine, eventually
from tests.box.trees import RELEASES, booted_tree
from tests.packaging.conftest import build_in

PROGRAMS = ("kloplei-hub-ingest", "kloplei-hub-fold", "kloplei-hub-web")
PADS = (17, 27, 22)  # seats 1 to 3, as docs/config.md wires them
SETTINGS = '[pins]\nfactory = "mock"\n\n[uplink]\nenabled = true\n'


@pytest.fixture(scope="module")
def hub_package(lanes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_in(tmp_path_factory.mktemp("hub"), "--hub")


@pytest.fixture(scope="module", params=RELEASES)
def house(
    request: pytest.FixtureRequest,
    hub_package: Path,
    package: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Machine]:
    """A machine with both packages; the box has virtual pins, and may go with a house."""
    tree = booted_tree(request.param, hub_package, package, called="hub")
    with Machine(tree, tmp_path_factory.mktemp(request.param)) as machine:
        machine.install(hub_package)
        machine.install(package)
        machine.fit_virtual_pins()
        machine.write("/etc/kloplei/kloplei.toml", SETTINGS)
        machine.run("systemctl", "restart", "kloplei-table", "kloplei-uplink")
        yield machine


def kept(house: Machine) -> int:
    """Return how many entries the house has of its box."""
    return int(house.run("kloplei-hub", "admin", "boxes").split(" entries")[0].split()[-1])


def test_its_install_sets_up_all_that_it_needs(house: Machine) -> None:
    for unit in (*PROGRAMS, "kloplei-hub-broker.path", "mosquitto"):
        eventually(lambda unit=unit: house.state(unit, "ActiveState") == "active", 60)  # type: ignore[misc]
    assert house.state("kloplei-hub-backup.timer", "ActiveState") == "inactive"
    assert house.run("stat", "-c", "%a %G", "/etc/kloplei-hub/hub.toml").split() == [
        "640",
        "kloplei-hub",
    ]
    before = house.run("sha256sum", "/etc/kloplei-hub/hub.toml", "/etc/kloplei-hub/tls/broker.crt")

    house.run("kloplei-hub-setup")

    after = house.run("sha256sum", "/etc/kloplei-hub/hub.toml", "/etc/kloplei-hub/tls/broker.crt")
    assert after == before


def test_a_box_is_paired_and_what_is_knocked_arrives(house: Machine) -> None:
    code = house.run("kloplei-hub", "admin", "pair", "--name", "Tafel 1", "--number", "1").split()[
        0
    ]

    house.run("kloplei", "uplink", "pair", "http://localhost:8091", code)
    for pad in PADS:
        said = house.table_seq()
        house.knock(pad)
        eventually(lambda said=said: house.table_seq() > said, 30)  # type: ignore[misc]

    eventually(lambda: kept(house) >= len(PADS), 60)
    boxes = house.run("kloplei-hub", "admin", "boxes")
    assert "Tafel 1" in boxes
    assert "online" in boxes


def test_a_copy_is_put_back_and_the_box_sends_what_came_since(house: Machine) -> None:
    before = kept(house)
    house.run("systemctl", "start", "kloplei-hub-backup.service")
    copy = house.run("sh", "-c", "ls /var/backups/kloplei-hub/*.dump").strip()

    house.run("systemctl", "stop", *PROGRAMS)
    house.run("kloplei-hub", "admin", "restore", copy)
    house.run("systemctl", "start", *PROGRAMS)

    eventually(lambda: kept(house) >= before > 0, 60)
    assert "byte for byte" in house.run("kloplei-hub", "rebuild")


def test_a_purge_takes_settings_and_leaves_the_database(house: Machine) -> None:
    said = house.run("apt-get", "purge", "-y", "kloplei-hub")

    assert "dropdb kloplei_hub" in said
    assert house.says("ls", "/etc/kloplei-hub", "/var/lib/kloplei-hub").count("No such file") == 2
    there = "SELECT 1 FROM pg_database WHERE datname = 'kloplei_hub'"
    assert "1" in house.run("runuser", "-u", "postgres", "--", "psql", "-Atc", there)
