"""Settings as they are written, read as a box reads them."""

from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.schema import ConfigError
from kloplei.config.settings import Config

FILE = "kloplei.toml"


def parsed(written: str) -> Config:
    return parse_config(written, FILE)


def refusal_of(written: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parsed(written)
    return str(refused.value)


def settings() -> Iterator[tuple[str, str, Field[Any]]]:
    """Yield section, name and field of every setting but those of the seats."""
    for section in fields(Config):
        if section.name != "seats":
            for one in fields(getattr(Config(), section.name)):
                yield section.name, one.name, one
