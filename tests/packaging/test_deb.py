"""The Debian package: what it brings, what it asks for, and that it is the same each time."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import kloplei
from kloplei.cli.main import build_parser
from kloplei.config.reader import load_config, parse_config
from kloplei.config.settings import Config
from scripts.installed_pages import installed
from tests.docs.test_links import PAGES, leads_somewhere
from tests.packaging.conftest import HERE, build_in

CODE = "usr/share/kloplei"
BROUGHT = {".po": ".mo"} | {
    one: one
    for one in (
        *(".py", ".html", ".js", ".css", ".svg", ".woff2", ".pil", ".pbm", ".txt", ".json"),
        ".toml",
    )
}
"""By what a file of the sources ends, how it ends in the package."""


def field(package: Path, name: str) -> str:
    told = subprocess.run(["dpkg-deb", "-f", package, name], capture_output=True, text=True)
    return told.stdout.strip()


def script(package: Path, name: str) -> str:
    told = subprocess.run(["dpkg-deb", "-I", package, name], capture_output=True, text=True)
    return told.stdout


def test_one_package_serves_every_machine_under_the_version_of_the_code(package: Path) -> None:
    """It takes its time: the package is built for this and all that follow."""
    assert package.name == f"kloplei_{kloplei.__version__}_all.deb"
    assert field(package, "Architecture") == "all"
    assert field(package, "Version") == kloplei.__version__


def test_the_same_sources_make_the_same_package_byte_by_byte(package: Path, tmp_path: Path) -> None:
    """It takes its time: a second package is built, from nothing but what both carry."""
    carried = Path("build/carried")
    shutil.copytree(package.parents[1] / carried, tmp_path / carried)

    assert build_in(tmp_path).read_bytes() == package.read_bytes()


def test_lintian_has_nothing_to_say(package: Path) -> None:
    """It takes its time: lintian looks at each file of the package in turn, with a dozen tools."""
    found = subprocess.run(["lintian", package], capture_output=True, text=True)

    assert found.stdout == ""
    assert found.returncode == 0


def test_files_lie_where_no_other_package_puts_any(unpacked: Path) -> None:
    files = {str(one.relative_to(unpacked)) for one in unpacked.rglob("*") if not one.is_dir()}

    assert not any("dist-packages" in one or "site-packages" in one for one in files)
    assert not any(one.startswith(("lib/", "usr/local/")) for one in files)
    own = re.compile(r"(^|/)_?(60-)?kloplei([./-]|$)")
    assert [one for one in files if not own.search(one)] == []


def test_what_the_units_start_and_name_is_there(unpacked: Path) -> None:
    for unit in (HERE / "systemd").glob("*.service"):
        brought = (unpacked / "usr/lib/systemd/system" / unit.name).read_text()
        assert brought == unit.read_text()
        for program in re.findall(r"^Exec\w+=[+!-]*(/usr/\S+)", brought, re.MULTILINE):
            assert (unpacked / program.lstrip("/")).is_file()
        for page in re.findall(r"^Documentation=file://(\S+)", brought, re.MULTILINE):
            assert (unpacked / page.lstrip("/")).is_file()


def test_package_and_script_switch_on_every_unit(package: Path) -> None:
    units = {one.name for one in (HERE / "systemd").glob("*.service")}
    listed = re.search(r'^UNITS="(.*)"$', (HERE / "scripts/install").read_text(), re.MULTILINE)

    after = script(package, "postinst")

    assert set(re.findall(r"deb-systemd-helper enable '([\w.-]+)'", after)) == units
    assert listed
    assert set(listed[1].split()) == units


@pytest.mark.parametrize(
    ("source", "goes_to"),
    [
        ("systemd/kloplei.sysusers", "usr/lib/sysusers.d/kloplei.conf"),
        ("systemd/kloplei.tmpfiles", "usr/lib/tmpfiles.d/kloplei.conf"),
        ("systemd/60-kloplei.rules", "usr/lib/udev/rules.d/60-kloplei.rules"),
        ("systemd/kloplei.modprobe", "usr/lib/modprobe.d/kloplei.conf"),
        ("packaging/kloplei.toml", "etc/kloplei/kloplei.toml"),
    ],
)
def test_it_brings(unpacked: Path, source: str, goes_to: str) -> None:
    assert (unpacked / goes_to).read_text() == (HERE / source).read_text()


def test_every_page_comes_along_and_every_link_of_it_leads_somewhere(unpacked: Path) -> None:
    """Those to the hardware's pages, and the README's own, led to nothing on a box."""
    doc = unpacked / "usr/share/doc/kloplei"
    pages = sorted(doc.rglob("*.md"))
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    ]

    assert {one.name for one in pages} == {one.name for one in PAGES} - {"CONTRIBUTING.md"} | {
        "systemd.md"
    }
    assert len(links) > 100
    lost = [
        (page.name, link) for page, link in links if not leads_somewhere(str(page), f"]({link})")
    ]
    assert lost == []


def test_an_installed_page_says_what_it_says_here(unpacked: Path) -> None:
    def bare(page: Path) -> str:
        return re.sub(r"\[([^\[\]]*)\]\([^)\s]+\)", r"\1", page.read_text())

    for source, place in installed().items():
        there = unpacked / "usr/share/doc/kloplei" / place
        if source.suffix == ".md":
            assert bare(there) == bare(source)
        elif source.is_file():
            assert there.read_bytes() == source.read_bytes()


def test_words_templates_and_weights_come_along(unpacked: Path) -> None:
    for folder in ("firmware/kloplei", "webpanel/kloplei_panel"):
        for source in (HERE / folder).rglob("*"):
            if source.suffix in BROUGHT:
                brought = source.with_suffix(BROUGHT[source.suffix])
                assert (unpacked / CODE / brought.relative_to((HERE / folder).parent)).is_file()


def test_what_is_carried_is_not_asked_of_debian_and_the_rest_is(package: Path) -> None:
    asked = field(package, "Depends")
    pinned = re.findall(r"^(\S+)==", (HERE / "packaging/carried.txt").read_text(), re.MULTILINE)
    wanted = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    more = wanted["optional-dependencies"]
    names = [*wanted["dependencies"], *more["panel"], *more["uplink"]]
    debian = {"pillow": "pil", "pyyaml": "yaml"}

    for name in (re.match(r"[\w.-]+", one)[0].lower() for one in names):  # type: ignore[index]
        asks = f"python3-{debian.get(name, name)}" in asked
        assert asks != (name in pinned), name
    assert "python3-gpiozero" not in asked
    # Debian has none, Raspberry Pi OS has.
    assert field(package, "Recommends") == "libsndfile1, python3-lgpio"


def test_the_settings_file_is_the_admins_and_says_what_holds_anyway(
    package: Path, unpacked: Path
) -> None:
    settings = unpacked / "etc/kloplei/kloplei.toml"
    told = subprocess.run(["dpkg-deb", "-I", package, "conffiles"], capture_output=True, text=True)

    assert told.stdout.split() == ["/etc/kloplei/kloplei.toml"]
    assert load_config(settings) == Config()


def test_every_line_of_the_settings_file_can_be_switched_on() -> None:
    written = (HERE / "packaging/kloplei.toml").read_text()
    switched_on = re.sub(r"^# (?=\w+ = )", "", written, flags=re.MULTILINE)

    config = parse_config(switched_on, "kloplei.toml")

    assert "# table" not in switched_on
    # They stand as they are by default; but for a network, which has none.
    assert (config.table, config.slate, config.lamp) == (
        Config().table,
        Config().slate,
        Config().lamp,
    )
    assert (config.buzzer, config.panel) == (Config().buzzer, Config().panel)
    assert config.network.name == "Cafe de Klop"


def test_only_a_purge_takes_away_what_the_box_remembers_and_it_says_so(package: Path) -> None:
    last = script(package, "postrm")

    ours, debhelpers = last.split("# Automatically added", 1)
    assert "rm -rf /var/lib/kloplei" in ours
    assert ours.index("= purge ]") < ours.index("echo") < ours.index("rm -rf /var/lib/kloplei")
    assert "rm -rf" not in script(package, "prerm")
    assert debhelpers


def test_the_shells_complete_every_command(unpacked: Path) -> None:
    bash = unpacked / "usr/share/bash-completion/completions/kloplei"
    words = 'COMP_WORDS=(kloplei "$1"); COMP_CWORD=1; _shtab_kloplei; echo "${COMPREPLY[@]}"'

    told = subprocess.run(
        ["bash", "-c", f"source {bash}; {words}", "bash", "re"], capture_output=True, text=True
    )

    assert {"replay", "restore"} <= set(told.stdout.split()), told.stderr
    zsh = unpacked / "usr/share/zsh/vendor-completions/_kloplei"
    assert zsh.read_text().startswith("#compdef kloplei")


def test_the_manual_page_tells_of_every_command(unpacked: Path) -> None:
    page = subprocess.run(
        ["zcat", unpacked / "usr/share/man/man1/kloplei.1.gz"], capture_output=True, text=True
    ).stdout

    assert "hears a knock on the pub table" in page
    commands = re.findall(r"^    (\w+)", build_parser().format_help(), re.MULTILINE)
    assert {"run", "panel", "backup", "replay"} <= set(commands)
    assert [one for one in commands if f"kloplei {one}" not in page.replace("\\", "")] == []
