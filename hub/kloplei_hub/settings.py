"""Every setting of the hub with its default; docs/hub.md says what each is for.

A section of ``hub.toml`` is a frozen dataclass, `HubConfig` is all of them, read and checked as
those of the box are (`kloplei.config.reader`).
"""

from collections.abc import Mapping
from dataclasses import field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from kloplei.config.reader import parse_sections, read_text, read_whole
from kloplei.config.schema import ConfigError, one_of, path, secret, setting, text
from kloplei.frozen import dataclass
from kloplei.validation import Check, narrowed, switch, whole
from kloplei.words.catalogue import LANGUAGES

DEFAULT_PATH: Final = Path("/etc/kloplei-hub/hub.toml")
_LONGEST = 1000


def _dsn(default: str) -> str:
    """Declare how a program reaches the database; a password in it stays out of logs."""
    allowed = 'how libpq names a database, such as "dbname=kloplei_hub user=kloplei_web"'
    check = narrowed(text(1, _LONGEST), allowed, _names_database)
    return field(default=default, repr=False, metadata={"check": check})


def _names_database(dsn: str) -> bool:
    try:
        return bool(conninfo_to_dict(dsn).get("dbname"))
    except ProgrammingError:
        return False


def _host() -> Check:
    return text(1, 253, "a name or an address")


def _port() -> Check:
    return whole(1, 65535)


def _proxy() -> Check:
    return narrowed(text(0, 45), 'one address, such as "127.0.0.1", or "" for none', _is_address)


def _is_address(written: str) -> bool:
    try:
        return not written or bool(ip_address(written))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class HouseConfig:
    """``[house]``: what the house is called, and which language it speaks.

    *address* is where its pages are found from outside, with ``https://``; empty where nobody
    but this machine and its network asks.
    """

    name: str = setting("Kloplei", text(1, 60))
    language: str = setting("nl", one_of(*LANGUAGES))
    address: str = setting("", text(0, 200))


@dataclass(frozen=True, slots=True)
class DatabaseConfig:
    """``[database]``: how each program reaches PostgreSQL, as a user with least rights."""

    owner: str = _dsn("dbname=kloplei_hub user=kloplei_hub")
    ingest: str = _dsn("dbname=kloplei_hub user=kloplei_ingest")
    fold: str = _dsn("dbname=kloplei_hub user=kloplei_fold")
    web: str = _dsn("dbname=kloplei_hub user=kloplei_web")


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """``[broker]``: where Mosquitto is for the hub, and where for the boxes.

    *authority* signed its certificate, where the system does not know them: boxes are told as well.
    Home Assistant may listen here as *home_user* where it has a *home_password*: then boxes tell
    moments and slates as well. *passwords* and *rights* are Mosquitto's files of both, which the
    hub writes; None where it does not. It is told to read them again by *reload*, a command, or by
    a signal to who stands in *pidfile*.
    """

    host: str = setting("127.0.0.1", _host())
    port: int = setting(1883, _port())
    tls: bool = setting(False, switch())
    authority: Path | None = setting(None, path())
    user: str = setting("kloplei-hub", text(1, 60))
    password: str | None = secret(text(1, 200))
    home_user: str = setting("home-assistant", text(1, 60))
    home_password: str | None = secret(text(1, 200))
    passwords: Path | None = setting(None, path())
    rights: Path | None = setting(None, path())
    reload: str | None = setting(None, text(1, _LONGEST))
    pidfile: Path | None = setting(None, path())
    boxes_host: str = setting("", text(0, 253))
    boxes_port: int = setting(8883, whole(0, 65535))
    boxes_tls: bool = setting(True, switch())


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """``[ingest]``: where a program takes requests on this machine.

    The *proxy* at that address is believed who asks through it, and under which name; everybody
    else is who they are. Empty: there is none.
    """

    host: str = setting("127.0.0.1", _host())
    port: int = setting(8090, _port())
    proxy: str = setting("127.0.0.1", _proxy())

    def believed(self) -> Mapping[str, Any]:
        """Return how waitress is told whom to believe."""
        told = "x-forwarded-for x-forwarded-host x-forwarded-proto"
        return {"trusted_proxy": self.proxy, "trusted_proxy_headers": told} if self.proxy else {}


@dataclass(frozen=True, slots=True)
class WebConfig(ListenConfig):
    """``[web]``: where the pages take requests, how many at once, and who may read of people.

    *key* is the file of what signs cookies, made at the first start. With *people* "all" everybody
    may read the pages of people, else those alone who have a name here.
    """

    threads: int = setting(16, whole(4, 256))
    key: Path | None = setting(None, path())
    people: str = setting("signed-in", one_of("signed-in", "all"))


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """``[metrics]``: who may read ``/metrics``; without a *token* this machine alone."""

    token: str | None = secret(text(16, 200, "a secret"))


@dataclass(frozen=True, slots=True)
class PushConfig:
    """``[push]``: where calls are pushed to.

    With *anywhere* also within the house's own network and without https, to a receiver of one's
    own; without it to the internet alone, whatever a browser names.
    """

    anywhere: bool = setting(False, switch())


@dataclass(frozen=True, slots=True)
class HubConfig:
    """All settings of the hub."""

    house: HouseConfig = field(default_factory=HouseConfig)
    database: DatabaseConfig = field(default_factory=DatabaseConfig)
    broker: BrokerConfig = field(default_factory=BrokerConfig)
    ingest: ListenConfig = field(default_factory=lambda: ListenConfig(port=8091))
    web: WebConfig = field(default_factory=WebConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    push: PushConfig = field(default_factory=PushConfig)


def load_config(path: Path | None = None) -> HubConfig:
    """Return the settings in the file at *path*; None reads `DEFAULT_PATH` if it is there.

    Raises:
        ConfigError: The file cannot be read, or something in it cannot be used.
    """
    if path is None and not DEFAULT_PATH.exists():
        return HubConfig()
    path = path or DEFAULT_PATH
    return parse_config(read_text(path), str(path))


def parse_config(written: str, file: str) -> HubConfig:
    """Return the settings in *written*, TOML; *file* is named in errors.

    Raises:
        ConfigError: Something in it cannot be used.
    """
    config = read_whole(HubConfig(), parse_sections(written, file), file)
    broker = config.broker
    if broker.tls is False and broker.password and broker.host not in _HERE:
        raise ConfigError(
            f"{file}: [broker] password would cross the network to {broker.host} for all to read: "
            "set tls = true"
        )
    return config


_HERE = ("127.0.0.1", "::1", "localhost")
