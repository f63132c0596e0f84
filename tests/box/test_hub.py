"""A house and a box on one Debian: installed, paired, upgraded, and an evening that arrives."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.box.conftest import NEXT
from tests.box.machine import Machine, eventually, files_of
from tests.box.trees import RELEASES, booted_tree
from tests.packaging.conftest import build_in

PROGRAMS = ("kloplei-hub-ingest", "kloplei-hub-fold", "kloplei-hub-web")
NEW, KNOWN = ("--name", "Tafel 1", "--number", "1"), ("--for", "Tafel 1")
PADS = (17, 27, 22, 5, 6, 8, 9, 11)  # seats 1 to 8, as docs/config.md wires them
SETTINGS = '[pins]\nfactory = "mock"\n\n[uplink]\nenabled = true\n'
SECRETS = ("/etc/kloplei-hub/hub.toml", "/etc/kloplei-hub/owner.pgpass")
CERTIFICATE = "/etc/kloplei-hub/tls/broker.crt"
GIVEN = "kelk.example"  # the name that a certificate of somebody else is for

# Somebody whom the machine trusts, as it does Let's Encrypt, signs for GIVEN.
_SIGN = f"""
cd /root
openssl req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=Somebody \\
    -addext keyUsage=critical,keyCertSign -keyout some.key -out some.crt
openssl req -new -newkey rsa:2048 -nodes -subj /CN={GIVEN} -keyout privkey.pem -out given.csr
printf 'subjectAltName=DNS:{GIVEN}\\n' >ext
openssl x509 -req -in given.csr -CA some.crt -CAkey some.key -CAcreateserial -days 9 -extfile ext \\
    -out fullchain.pem
cp some.crt /usr/local/share/ca-certificates/
update-ca-certificates
echo 127.0.0.1 {GIVEN} >>/etc/hosts
"""
_LATER = """\
-- depends: 0002.rights

CREATE TABLE later AS SELECT count(*) AS entries FROM entries;
"""


@pytest.fixture(scope="module")
def hub_package(lanes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_in(tmp_path_factory.mktemp("hub"), "--hub")


@pytest.fixture(scope="module")
def next_hub_package(lanes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A later one, whose database has one table more."""
    folder = tmp_path_factory.mktemp("next-hub")
    built = build_in(folder, "--hub", NEXT)
    files = folder / "files"
    subprocess.run(["dpkg-deb", "--raw-extract", built, files], check=True)
    migrations = files / "usr/share/kloplei-hub/kloplei_hub/migrations"
    (migrations / "9999.later.sql").write_text(_LATER)
    packed = ["dpkg-deb", "--root-owner-group", "--build", str(files), str(built)]
    subprocess.run(packed, check=True, capture_output=True)
    return built


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tree(release: str, hub_package: Path, package: Path) -> Path:
    return booted_tree(release, hub_package, package, called="hub", besides=("nginx",))


@pytest.fixture(scope="module")
def house(
    tree: Path, hub_package: Path, package: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """A machine with both packages; the box has virtual pins, and may go with a house."""
    with Machine(tree, tmp_path_factory.mktemp("house")) as machine:
        machine.install(hub_package)
        machine.install(package)
        machine.fit_virtual_pins()
        machine.write("/etc/kloplei/kloplei.toml", SETTINGS)
        machine.run("systemctl", "restart", "kloplei-table", "kloplei-uplink")
        yield machine


@pytest.fixture
def paired(house: Machine) -> Machine:
    """The house with its box, at which somebody sits."""
    if "Tafel 1" not in house.run("kloplei-hub", "admin", "boxes"):
        pair(house, "http://localhost:8091")
        sit_down(house)
    eventually(lambda: is_online(house) and kept(house), 60)
    return house


def pair(house: Machine, address: str, *whom: str) -> str:
    """Let the box go with the house at *address*, and return which one the house names itself."""
    code, told = house.run("kloplei-hub", "admin", "pair", *(whom or NEW)).split(maxsplit=1)
    house.run("kloplei", "uplink", "pair", address, code)
    return told


def sit_down(house: Machine) -> None:
    """Let the next one knock at the box, and so sit down."""
    seated = len(house.board()["rows"])
    house.knock(PADS[seated])
    eventually(lambda: len(house.board()["rows"]) > seated, 30)


def kept(house: Machine) -> int:
    """Return how many entries the house has of its box."""
    return int(house.run("kloplei-hub", "admin", "boxes").split(" entries")[0].split()[-1])


def is_online(house: Machine) -> bool:
    return "online" in house.run("kloplei-hub", "admin", "boxes")


def handshake(house: Machine, name: str, *trusted: str) -> str:
    """Return what the broker answers who wants it to be *name*."""
    return house.says(
        *("sh", "-c", 'exec openssl s_client -connect localhost:8883 "$@" </dev/null', "sh"),
        *("-verify_return_error", "-verify_hostname", name, *trusted),
    )


def page(house: Machine, address: str) -> str:
    """Return the page at *address*, where it came from, and what is said of a failure."""
    fetch = "import sys, urllib.request as u; a = u.urlopen(sys.argv[1]); print(a.url, a.read())"
    return house.says("python3", "-c", fetch, address)


def test_its_install_sets_up_all_that_it_needs(house: Machine) -> None:
    for unit in (*PROGRAMS, "kloplei-hub-broker.path", "mosquitto"):
        eventually(lambda unit=unit: house.state(unit, "ActiveState") == "active", 60)  # type: ignore[misc]
    assert house.state("kloplei-hub-backup.timer", "ActiveState") == "inactive"
    assert house.run("stat", "-c", "%a %U %G", *SECRETS).splitlines() == [
        "640 root kloplei-hub",
        "600 root root",
    ]
    before = house.run("sha256sum", *SECRETS, CERTIFICATE)

    house.run("kloplei-hub-setup")

    assert house.run("sha256sum", *SECRETS, CERTIFICATE) == before


def test_a_box_is_paired_and_what_is_knocked_arrives(house: Machine) -> None:
    pair(house, "http://localhost:8091")
    for _ in range(3):
        sit_down(house)

    eventually(lambda: kept(house) >= 3, 60)
    boxes = house.run("kloplei-hub", "admin", "boxes")
    assert "Tafel 1" in boxes
    assert "online" in boxes


def test_another_name_is_one_command_and_the_box_comes_back_by_itself(paired: Machine) -> None:
    ours = ("-CAfile", "/etc/kloplei-hub/tls/ca.crt")
    assert "hostname mismatch" in handshake(paired, "lei.example", *ours).lower()
    began = paired.state("mosquitto", "InvocationID")

    paired.run("kloplei-hub-setup", "--names", "lei.example,192.168.77.5")

    assert "Verification: OK" in handshake(paired, "lei.example", *ours)
    assert "Verification: OK" in handshake(paired, "localhost", *ours)
    assert paired.state("mosquitto", "InvocationID") != began
    before = kept(paired)
    sit_down(paired)
    eventually(lambda: kept(paired) > before and is_online(paired), 60)


def test_nginx_comes_before_the_pages_by_one_command_and_leaves_its_own_be(house: Machine) -> None:
    """The panel of a box on the same machine has port 80 for its hotspot, and lets it go."""
    assert "apt-get install nginx" in house.says("kloplei-hub-setup", "--pages")
    house.install_named("nginx")
    panel = house.state("kloplei-panel", "InvocationID")

    house.run("kloplei-hub-setup", "--pages")

    assert "data-version" in eventually(lambda: wall(house, "http://localhost/"), 60)
    assert house.state("kloplei-panel", "InvocationID") != panel
    assert house.board()["rows"]
    assert "nginx.service" in house.state("kloplei-panel", "After").split()
    assert "Welcome to nginx" in page(house, "http://127.0.0.2/")
    assert house.run("ls", "-A", "/var/cache/kloplei-hub") == ""
    assert "data-version" in page(house, "http://localhost/wall/after/0")
    assert house.run("ls", "-A", "/var/cache/kloplei-hub") != ""


def wall(house: Machine, address: str) -> str:
    told = page(house, address)
    return told if "data-version" in told else ""


def test_a_copy_is_put_back_and_the_box_sends_what_came_since(paired: Machine) -> None:
    before = kept(paired)
    paired.run("systemctl", "start", "kloplei-hub-backup.service")
    copy = paired.run("sh", "-c", "ls /var/backups/kloplei-hub/*.dump").strip()
    sit_down(paired)
    eventually(lambda: kept(paired) > before, 60)

    paired.run("systemctl", "stop", *PROGRAMS)
    paired.run("kloplei-hub", "admin", "restore", copy)
    assert kept(paired) == before
    paired.run("systemctl", "start", *PROGRAMS)

    eventually(lambda: kept(paired) > before, 60)
    assert "byte for byte" in paired.run("kloplei-hub", "rebuild")


def test_an_upgrade_brings_the_database_up_to_date_and_keeps_all(
    paired: Machine, next_hub_package: Path
) -> None:
    before = kept(paired)
    paired.run("kloplei-hub", "admin", "season", "begin", "Herfst", "--since", "2026-09-01")
    secrets = paired.run("sha256sum", *SECRETS, CERTIFICATE)
    began = {unit: paired.state(unit, "InvocationID") for unit in PROGRAMS}

    paired.install(next_hub_package)

    assert paired.run("kloplei-hub", "--version").strip() == f"kloplei-hub {NEXT}"
    for unit in PROGRAMS:
        eventually(lambda unit=unit: paired.state(unit, "ActiveState") == "active", 60)  # type: ignore[misc]
        assert paired.state(unit, "InvocationID") != began[unit]
    assert paired.run("sha256sum", *SECRETS, CERTIFICATE) == secrets
    assert asked(paired, "SELECT entries FROM later") == str(before)
    assert asked(paired, "SELECT name FROM seasons WHERE name = 'Herfst'") == "Herfst"
    sit_down(paired)
    eventually(lambda: kept(paired) > before, 60)
    assert "byte for byte" in paired.run("kloplei-hub", "rebuild")


def asked(house: Machine, query: str) -> str:
    psql = ("runuser", "-u", "postgres", "--", "psql", "-At", "kloplei_hub", "-c", query)
    return house.run(*psql).strip()


def test_a_certificate_that_everybody_trusts_takes_the_place_of_the_houses_own(
    paired: Machine,
) -> None:
    paired.install_named("nginx")
    paired.run("sh", "-ec", _SIGN)
    given = ("--cert", "/root/fullchain.pem", "--key", "/root/privkey.pem")

    paired.run("kloplei-hub-setup", *given, "--pages")

    assert "Verification: OK" in handshake(paired, GIVEN, "-CApath", "/etc/ssl/certs")
    assert "data-version" in eventually(lambda: wall(paired, f"http://{GIVEN}/"), 60)
    assert f"https://{GIVEN}/ " in wall(paired, f"http://{GIVEN}/")
    # What the box knew of the house was the house's own authority.
    assert f"https://{GIVEN}" in pair(paired, f"https://{GIVEN}", *KNOWN)
    before = kept(paired)
    sit_down(paired)
    eventually(lambda: kept(paired) > before and is_online(paired), 60)

    paired.run("kloplei-hub-setup", "--names", "lei.example")  # and back again

    assert "Verification: OK" in handshake(paired, GIVEN, "-CAfile", "/etc/kloplei-hub/tls/ca.crt")
    pair(paired, "http://localhost:8091", *KNOWN)
    eventually(lambda: is_online(paired), 60)


def test_removed_it_keeps_the_house_and_purged_it_leaves_the_database_and_its_copies(
    paired: Machine,
) -> None:
    before = kept(paired)
    paired.install_named("nginx")
    paired.run("kloplei-hub-setup", "--pages")
    paired.run("systemctl", "start", "kloplei-hub-backup.service")
    paired.run("apt-get", "remove", "-y", "kloplei-hub")
    assert asked(paired, "SELECT count(*) FROM entries") == str(before)
    assert paired.run("ls", *SECRETS).split() == list(SECRETS)

    said = paired.run("apt-get", "purge", "-y", "kloplei-hub")

    assert "dropdb kloplei_hub" in said
    assert asked(paired, "SELECT count(*) FROM entries") == str(before)
    left = paired.says("find", "/etc", "/usr", "/var", "/run", "-name", "*kloplei-hub*")
    assert left.split()[0] == "/var/backups/kloplei-hub"
    assert all(one.startswith("/var/backups/kloplei-hub") for one in left.split())
    assert "kloplei-hub" not in paired.run("cat", "/etc/passwd", "/etc/group", "/etc/shadow")
    assert "Welcome to nginx" in page(paired, "http://localhost/")
    assert paired.state("mosquitto", "ActiveState") == "active"

    # Each line that it names is typed as it stands.
    for line in said.splitlines():
        if line.startswith("  ") and "sudo " in line:
            paired.run("sh", "-ec", line.replace("sudo -u", "runuser -u").replace("sudo ", ""))

    there = "SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles"
    known = paired.run("runuser", "-u", "postgres", "--", "psql", "-Atc", there)
    assert "kloplei" not in known
    assert paired.says("find", "/etc", "/usr", "/var", "-name", "*kloplei-hub*") == ""


def test_a_house_that_kept_nothing_leaves_nothing_but_its_database(
    tree: Path, hub_package: Path, tmp_path: Path
) -> None:
    with Machine(tree, tmp_path) as machine:
        # What it asks for is installed first, so that what is left is its own.
        machine.install(hub_package)
        machine.run("apt-get", "purge", "-y", "kloplei-hub")
        before = files_of(machine)
        machine.install(hub_package)

        machine.run("apt-get", "purge", "-y", "kloplei-hub")

        left = {one for one in files_of(machine) - before if "/postgresql/" not in one}
        assert left == set()
