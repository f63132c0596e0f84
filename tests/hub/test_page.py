"""docs/hub.md says what the hub does, and leaves no setting of hub.toml out."""

import re
from dataclasses import fields
from pathlib import Path

from kloplei.config.schema import shown
from kloplei_hub.cli import HUB
from kloplei_hub.settings import HubConfig

HERE = Path(__file__).parents[2]
PAGE = HERE / "docs/hub.md"


def test_every_setting_has_a_row_with_its_default_and_what_may_be() -> None:
    row = re.compile(r"^\| `([a-z]+\.\w+)` \| (.+?) \| (.+?) \|", re.MULTILINE)
    rows = {name: (default, may) for name, default, may in row.findall(PAGE.read_text())}
    config = HubConfig()

    settings = {}
    for section in fields(config):
        for one in fields(getattr(config, section.name)):
            value = getattr(getattr(config, section.name), one.name)
            default = "none" if value is None else f"`{shown(value)}`"
            settings[f"{section.name}.{one.name}"] = (default, one.metadata["check"].allowed)

    assert rows == settings


def test_every_command_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"kloplei-hub(?= ([a-z]+)\b(?!-))", PAGE.read_text()))

    assert {"admin", "ingest", "web", "rebuild"} <= named <= set(HUB.commands)


def test_every_file_that_the_page_names_is_made_by_the_package() -> None:
    made = "".join(one.read_text() for one in (HERE / "hub").rglob("kloplei-hub*") if one.is_file())
    folders = re.findall(r"`(/(?:etc|var)/[\w./-]*kloplei-hub[\w./-]*)`", PAGE.read_text())

    assert len(set(folders)) > 5
    assert [one for one in folders if Path(one).name not in made] == []
