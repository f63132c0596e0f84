"""Read a TOML file into a `Config`, or say in one sentence what is wrong with it."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kloplei.config.schema import ConfigError, shown
from kloplei.config.settings import GLASSES_OF, SPI_ALONE, Config, SeatPins, SlateConfig
from kloplei.config.wiring import check_wiring, default_wiring, seats_with_piezo
from kloplei.files import KlopleiError, reason_of
from kloplei.games.catalogue import GAMES, UnknownPreset, build_game
from kloplei.validation import Check, NotAllowed, meant, nearest

DEFAULT_PATH = Path("/etc/kloplei/kloplei.toml")

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")
NO_OTHERS: Mapping[str, str] = {}
_LARGEST = 1_000_000  # bytes; a disk image, named by a slip, would be read for minutes
_SEAT = "seat"  # [seat.3] in the file; `seats` in Config
_WORD = re.compile('"([^"]+)"')  # of those that a setting may be


def load_config(path: Path | None = None) -> Config:
    """Return the settings in the file at *path*.

    None reads `DEFAULT_PATH` if it is there, and else takes every default.

    Raises:
        ConfigError: The file cannot be read, or something in it cannot be used.
    """
    if path is None and not DEFAULT_PATH.exists():
        return Config()
    path = path or DEFAULT_PATH
    return parse_config(read_text(path), str(path))


def parse_config(written: str, file: str) -> Config:
    """Return the settings in *written*, TOML; *file* is named in errors.

    Raises:
        ConfigError: Something in it cannot be used.
    """
    sections = parse_sections(written, file)
    config = Config()
    seats = sections.pop(_SEAT, {})
    config = read_whole(config, sections, file, {"seats": _SEAT})
    config = replace(config, seats=_seats(config, seats, file))
    _check_game(config, file)
    _check_timing(config, file)
    _check_slate(config, file)
    _check_outsiders(config, file)
    check_wiring(config, file)
    _check_wood(config, file)
    return config


def parse_sections(written: str, file: str) -> dict[str, Any]:
    """Return what stands in *written*, TOML, section by section; *file* is named in errors.

    Raises:
        ConfigError: It is no TOML.
    """
    try:
        return tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{file} is not TOML of ours: brackets within brackets") from error
    except ValueError as error:
        # Python turns no more than some thousand digits into a number.
        raise ConfigError(f"{file} is not TOML of ours: a number without end") from error


def read_whole(
    whole: S, sections: Mapping[str, object], file: str, others: Mapping[str, str] = NO_OTHERS
) -> S:
    """Return *whole*, a dataclass of sections, with all that *sections* say.

    Args:
        whole: Its defaults.
        sections: By name, as they stand in the file.
        file: Named in errors.
        others: Fields of *whole* that somebody else reads, with the sections for them.

    Raises:
        ConfigError: Something in them cannot be used.
    """
    known = [one.name for one in fields(whole) if one.name not in others]
    for name, settings in sections.items():
        if name not in known:
            told = _meant(name, [*known, *others.values()])
            raise ConfigError(f"{file}: there is no [{name}]{told}")
        whole = replace(whole, **{name: read_section(getattr(whole, name), settings, name, file)})
    return whole


def read_text(path: Path) -> str:
    """Return the text of the settings file *path*.

    Raises:
        ConfigError: It cannot be read; the message says what to do.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        shut = isinstance(error, PermissionError)  # it may hold a PIN and a password
        step = "put sudo before the command" if shut else "name another file with --config"
        raise ConfigError(f"{path} cannot be read ({reason_of(error)}); {step}") from error
    if len(raw) > _LARGEST:
        raise ConfigError(f"{path} is too large for settings; name another file with --config")
    try:
        return raw.decode("utf-8-sig")  # editors on Windows begin with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as such"
        ) from error


def read_section(section: S, settings: object, name: str, file: str) -> S:
    """Return *section*, a frozen dataclass, with the values of *settings* in it.

    Raises:
        ConfigError: One of them cannot be used.
    """
    secrets = {one.name for one in fields(section) if not one.repr}
    if not isinstance(settings, dict):
        found = "is a secret not shown here" if secrets else f"is {shown(settings)}"
        raise ConfigError(f"{file}: {name} {found}, but must be a section: [{name}]")
    checks: dict[str, Check] = {one.name: one.metadata["check"] for one in fields(section)}
    read: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in checks:
            raise ConfigError(f"{file}: [{name}] has no setting {key}{_meant(key, checks)}")
        try:
            read[key] = checks[key].read(value)
        except NotAllowed as error:
            found = "is a secret not shown here" if key in secrets else f"is {shown(value)}"
            near = "" if key in secrets else _meant_value(value, checks[key].allowed)
            raise ConfigError(
                f"{file}: [{name}] {key} {found}, but must be {checks[key].allowed}{near}"
            ) from error
    return replace(section, **read)


def _seats(config: Config, settings: object, file: str) -> tuple[SeatPins, ...]:
    """Return what is wired at each seat: the default wiring, changed by ``[seat.N]``."""
    if not isinstance(settings, Mapping):
        raise ConfigError(f"{file}: seat is {shown(settings)}, but must be sections: [seat.1]")
    numbers = [str(number) for number in range(1, config.table.seats + 1)]
    for number in settings:
        if number not in numbers:
            raise ConfigError(
                f"{file}: [seat.{number}] is no seat of this table; [table] seats = "
                f"{config.table.seats} gives it [seat.1] to [seat.{numbers[-1]}]"
            )
    wired = default_wiring(config, seats_with_piezo(settings))
    return tuple(
        read_section(one, settings.get(number, {}), f"seat.{number}", file)
        for number, one in zip(numbers, wired, strict=True)
    )


def _check_game(config: Config, file: str) -> None:
    """Let the game itself judge its house rules."""
    table = config.table
    if table.preset is None and not table.options:
        return  # every game plays as it comes; it is not imported to say so
    try:
        build_game(table.game, table.preset, table.options)
    except UnknownPreset as error:
        presets = GAMES[table.game].presets
        near = nearest(table.preset or "", presets)
        raise ConfigError(
            f"{file}: [table] preset is {shown(table.preset)}, but {table.game} has "
            f"{', '.join(presets)}{'' if near is None else f'; did you mean {near}?'}"
        ) from error
    except KlopleiError as error:
        raise ConfigError(f"{file}: [table] options do not fit {table.game}: {error}") from error


def _check_timing(config: Config, file: str) -> None:
    timing = config.timing
    if timing.hold_s >= timing.undo_hold_s:
        raise ConfigError(
            f"{file}: [timing] hold_s is {timing.hold_s:g}, but must be less than undo_hold_s "
            f"({timing.undo_hold_s:g}): a longer hold means undo"
        )


def _check_wood(config: Config, file: str) -> None:
    wood = config.wood
    if wood.size is None and (wood.seats or wood.discs):
        raise ConfigError(f'{file}: [wood] names places, but no size; add size = "1.4x0.8"')
    if wood.size is None:
        return
    from kloplei.knock.geometry import NotAGeometry

    try:
        config.geometry_of(wood.told)
    except NotAGeometry as error:
        raise ConfigError(f"{file}: [wood] does not fit the table: {error}") from error


def _check_slate(config: Config, file: str) -> None:
    slate = config.slate
    _check_glass(slate, file)
    if slate.column_offset and slate.driver != "sh1106":
        raise ConfigError(
            f"{file}: [slate] column_offset is {slate.column_offset}, but a chip of the kind "
            f'{slate.driver} starts at column 0; if the picture stands off, it is an "sh1106": '
            "set driver to that"
        )
    if slate.sleep_after_s < slate.dim_after_s:
        raise ConfigError(
            f"{file}: [slate] sleep_after_s is {slate.sleep_after_s:g}, but must not be less than "
            f"dim_after_s ({slate.dim_after_s:g}): the slate dims first, then sleeps"
        )


def _check_glass(slate: SlateConfig, file: str) -> None:
    sizes = [str(glass) for glass in GLASSES_OF.get(slate.driver, ())]
    if sizes and slate.size is not None and slate.size not in sizes:
        raise ConfigError(
            f"{file}: [slate] size is {slate.size}, but a glass with the chip {slate.driver} has "
            f"{' or '.join(sizes)}; set size to that, or driver to the chip of yours"
        )
    if slate.driver in SPI_ALONE and slate.interface != "spi":
        raise ConfigError(
            f"{file}: [slate] interface is {slate.interface}, but the chip {slate.driver} has SPI "
            'alone: set interface = "spi"'
        )


def _check_outsiders(config: Config, file: str) -> None:
    home, webhook = config.home_assistant, config.webhook
    if (home.enabled or webhook.url) and not config.uplink.enabled:
        section = "home_assistant" if home.enabled else "webhook"
        raise ConfigError(
            f"{file}: [{section}] is told by the uplink unit: set [uplink] enabled = true"
        )
    if webhook.url and not webhook.secret:
        raise ConfigError(
            f"{file}: [webhook] url wants a secret, by which its other end knows us: set secret"
        )
    if home.host and home.password and not home.tls and not _is_at_home(home.host):
        raise ConfigError(
            f"{file}: [home_assistant] password would cross the network to {home.host} for all to "
            "read: set tls = true"
        )
    if home.authority is not None and not home.tls:
        raise ConfigError(
            f"{file}: [home_assistant] authority says who signed the broker's certificate, but "
            "tls is false: set tls = true, or leave authority out"
        )


def _is_at_home(host: str) -> bool:
    from kloplei.network.addresses import is_at_home

    return is_at_home(host)


def _meant(word: str, known: Mapping[str, object] | list[str]) -> str:
    return "; " + meant(word, known, f"there is {', '.join(sorted(known))}")


def _meant_value(value: object, allowed: str) -> str:
    """Return what *value* may have been meant to be, of the words that are *allowed*."""
    near = nearest(value, _WORD.findall(allowed)) if isinstance(value, str) else None
    return "" if near is None else f'; did you mean "{near}"?'
