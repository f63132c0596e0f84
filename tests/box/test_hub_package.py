"""The hub's Debian package: what it brings and asks for, beside the box's on one machine.

It takes a minute to build both, so this goes with what boots them (make test-box).
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import kloplei
from tests.packaging.conftest import HERE, hub_package, hub_unpacked, package, tools, unpacked
from tests.packaging.test_deb import BROUGHT, field, script

__all__ = ["hub_package", "hub_unpacked", "package", "tools", "unpacked"]
CODE = "usr/share/kloplei-hub"
UNITS = {
    "kloplei-hub-ingest.service",
    "kloplei-hub-fold.service",
    "kloplei-hub-web.service",
    "kloplei-hub-broker.path",
}


def files_in(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if not one.is_dir()}


def test_it_is_one_package_of_the_same_version_and_lintian_has_nothing_to_say(
    hub_package: Path,
) -> None:
    """It takes its time: the package is built for this and all that follow, and looked over."""
    found = subprocess.run(["lintian", hub_package], capture_output=True, text=True)

    assert hub_package.name == f"kloplei-hub_{kloplei.__version__}_all.deb"
    assert field(hub_package, "Architecture") == "all"
    assert (found.returncode, found.stdout) == (0, "")


def test_no_file_of_it_is_in_the_way_of_the_boxs_package(
    unpacked: Path, hub_unpacked: Path
) -> None:
    """Building the box's takes its time as well."""
    assert files_in(unpacked) & files_in(hub_unpacked) == set()
    own = re.compile(r"(^|/)_?kloplei-hub([./-]|$)")
    assert [one for one in files_in(hub_unpacked) if not own.search(one)] == []


def test_what_the_units_start_and_name_is_there(hub_unpacked: Path) -> None:
    for unit in (HERE / "hub/systemd").iterdir():
        brought = (hub_unpacked / "usr/lib/systemd/system" / unit.name).read_text()
        assert brought == unit.read_text()
        for program in re.findall(r"^Exec\w+=(/usr/\S*kloplei\S*)", brought, re.MULTILINE):
            assert os.access(hub_unpacked / program.lstrip("/"), os.X_OK)
        for page in re.findall(r"^Documentation=file://(\S+)", brought, re.MULTILINE):
            assert (hub_unpacked / page.lstrip("/")).is_file()


def test_programs_are_switched_on_and_nightly_copies_are_not(hub_package: Path) -> None:
    after = script(hub_package, "postinst")

    # Where somebody has switched it on, it stays so.
    assert re.findall(r"was-enabled '(\S+timer)'", after) == ["kloplei-hub-backup.timer"]
    started = re.findall(r"deb-systemd-invoke .*", after)
    assert len(started) == 1
    for unit in UNITS:
        assert any(unit in line for line in started)
    assert not any("backup" in line for line in started)
    assert after.index("kloplei-hub-setup") < after.index("deb-systemd-invoke")


def test_it_brings_both_packages_with_their_words(hub_unpacked: Path) -> None:
    for folder in ("firmware/kloplei", "webpanel/kloplei_panel", "hub/kloplei_hub"):
        for source in (HERE / folder).rglob("*"):
            if source.suffix in BROUGHT:
                brought = source.with_suffix(BROUGHT[source.suffix])
                assert (hub_unpacked / CODE / brought.relative_to((HERE / folder).parent)).is_file()
    assert list((hub_unpacked / CODE / "kloplei_hub/migrations").glob("*.sql"))
    limits = f"{CODE}/kloplei_hub/broker-limits.conf"
    assert (hub_unpacked / limits).is_file()
    assert f"/{limits}" in (hub_unpacked / "usr/sbin/kloplei-hub-setup").read_text()


def test_what_is_carried_is_not_asked_of_debian_and_the_rest_is(hub_package: Path) -> None:
    asked = field(hub_package, "Depends")
    pinned = re.findall(r"^(\S+)==", (HERE / "hub/packaging/carried.txt").read_text(), re.MULTILINE)
    wanted = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]

    for one in wanted["optional-dependencies"]["hub"]:
        name = re.split("[<>=]", one)[0]
        assert (f"python3-{name.replace('_', '-')}" in asked) != (name in pinned), name
    assert {"mosquitto", "postgresql", "openssl"} <= set(re.split(r"[ ,]+", asked))
    assert "kloplei" not in field(hub_package, "Conflicts") + field(hub_package, "Breaks")


def test_what_is_carried_is_what_the_tests_run_with() -> None:
    carried = (HERE / "hub/packaging/carried.txt").read_text()
    kept = (HERE / "constraints.txt").read_text()

    pins = re.findall(r"^(\S+==\S+) \\\n +(--hash=\S+)", carried, re.MULTILINE)
    assert len(pins) == 5
    assert [one for pin in pins for one in pin if one not in kept] == []


def test_the_command_starts_out_of_its_own_folder_with_what_it_brings(hub_unpacked: Path) -> None:
    """Of this Python only what Debian would bring is used besides."""
    code = hub_unpacked / CODE
    told = (
        f"import sys; sys.path.insert(0, {str(code)!r}); import kloplei_hub.ingest, kloplei, paho; "
        "import kloplei_hub.ratings, kloplei_hub.web.serving, yoyo, openskill; "
        "print(kloplei_hub.__file__, kloplei.__file__, paho.__file__, yoyo.__file__)"
    )

    done = subprocess.run([sys.executable, "-I", "-c", told], capture_output=True, text=True)

    assert done.stdout.count(str(code)) == 4, done.stderr


def test_only_a_purge_takes_settings_away_and_the_database_stays(hub_package: Path) -> None:
    last = script(hub_package, "postrm").split("# Automatically added", 1)[0]

    assert last.index("= purge ]") < last.index("rm -rf /etc/kloplei-hub")
    assert not re.search(r"^ *(sudo .*)?dropdb", last, re.MULTILINE)
    assert "dropdb kloplei_hub" in last
    assert "rm -rf" not in script(hub_package, "prerm")


def test_the_scripts_are_shell_that_every_debian_reads() -> None:
    for name in ("kloplei-hub-setup", "backup"):
        subprocess.run(["dash", "-n", HERE / "hub/packaging" / name], check=True)
