"""The hub's settings: read as a box's are, and refused with what would do."""

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from kloplei.cli.main import build_parser
from kloplei.config.schema import ConfigError, shown
from kloplei_hub.cli import HUB, main
from kloplei_hub.settings import HubConfig, load_config, parse_config


def test_without_a_file_all_is_as_it_comes_and_a_file_says_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(
        '[house]\nname = "De Kelk"\nlanguage = "en"\n'
        '[database]\nweb = "dbname=house user=web password=secret"\n'
        "[broker]\ntls = true\nport = 8883\n"
    )

    config = load_config(file)

    assert (config.house.name, config.house.language, config.broker.port) == ("De Kelk", "en", 8883)
    assert config.ingest == HubConfig().ingest
    assert "secret" not in repr(config)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[hose]", r"there is no \[hose\]; did you mean house\?"),
        ('[house]\nlanguage = "ne"', 'language is "ne", but must be one of "nl"'),
        ('[database]\nweb = "user=web"', r"\[database\] web .* how libpq names a database"),
        ('[database]\nweb = "dbname=\'"', r"\[database\] web .* how libpq names a database"),
        ("[broker]\nport = 0", r"\[broker\] port is 0, but must be a whole number from 1"),
        ('[broker]\nhost = "broker.lan"\npassword = "x"', "set tls = true"),
        ('[ingest]\nproxy = "nginx"', r"\[ingest\] proxy .* one address, such as"),
        ("[house", "is not TOML"),
    ],
)
def test_what_cannot_be_used_is_told_with_what_can(written: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse_config(written, "hub.toml")


def test_a_command_that_cannot_be_done_says_why_in_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["ingest", "--config", str(tmp_path / "none.toml")]) == 2

    assert capsys.readouterr().err.startswith("kloplei-hub: ")


def test_the_page_tells_every_setting_with_its_default_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs/hub.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z]+\.[a-z_]+)` \| (.+?) \|", page, re.MULTILINE)
    config = HubConfig()
    expected = {}
    for section in fields(config):
        for one in fields(getattr(config, section.name)):
            value = getattr(getattr(config, section.name), one.name)
            told = "none" if value is None else f"`{shown(value)}`"
            expected[f"{section.name}.{one.name}"] = told

    assert dict(rows) == expected


def test_the_page_shows_settings_that_can_be_used_and_commands_that_are_there() -> None:
    page = (Path(__file__).parents[2] / "docs/hub.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (example,) = [one for one in examples if "[house]" in one]  # another one is a box's
    told = re.findall(r"^ {4}kloplei-hub (.+)$|`kloplei-hub ([^`]+)`", page, re.MULTILINE)
    asked = {" ".join(one) for one in told}

    assert parse_config(example, "hub.toml").house.name == "Café De Kelk"
    assert len(asked) > 10
    for words in (shlex.split(one) for one in asked if one.strip() != "admin"):
        build_parser(words[0], HUB).parse_args(words)


def test_its_help_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])

    assert "ingest" in capsys.readouterr().out
