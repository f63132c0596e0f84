"""Read a TOML file into a `Config`, or say in one sentence what is wrong with it."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kloplei.config.schema import ConfigError, shown
from kloplei.config.settings import Config, SeatPins
from kloplei.config.wiring import check_wiring, default_wiring, seats_with_piezo
from kloplei.files import KlopleiError, reason_of
from kloplei.games.catalogue import GAMES, UnknownPreset, build_game
from kloplei.validation import Check, NotAllowed, meant, nearest

DEFAULT_PATH = Path("/etc/kloplei/kloplei.toml")

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")
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
    return parse_config(_read(path), str(path))


def parse_config(written: str, file: str) -> Config:
    """Return the settings in *written*, TOML; *file* is named in errors.

    Raises:
        ConfigError: Something in it cannot be used.
    """
    try:
        sections = tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{file} is not TOML of ours: brackets within brackets") from error
    except ValueError as error:
        # Python turns no more than some thousand digits into a number.
        raise ConfigError(f"{file} is not TOML of ours: a number without end") from error
    config = Config()
    seats = sections.pop(_SEAT, {})
    known = [one.name for one in fields(config) if one.name != "seats"]
    for section, settings in sections.items():
        if section not in known:
            raise ConfigError(f"{file}: there is no [{section}]{_meant(section, [*known, _SEAT])}")
        read = _section(getattr(config, section), settings, section, file)
        config = replace(config, **{section: read})
    config = replace(config, seats=_seats(config, seats, file))
    _check_game(config, file)
    _check_timing(config, file)
    _check_slate(config, file)
    check_wiring(config, file)
    return config


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # editors on Windows begin with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as such"
        ) from error
    except OSError as error:
        shut = isinstance(error, PermissionError)  # it may hold a PIN and a password
        step = "put sudo before the command" if shut else "name another file with --config"
        raise ConfigError(f"{path} cannot be read ({reason_of(error)}); {step}") from error


def _section(section: S, settings: object, name: str, file: str) -> S:
    """Return *section*, a frozen dataclass, with the values of *settings* in it."""
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
        _section(one, settings.get(number, {}), f"seat.{number}", file)
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


def _check_slate(config: Config, file: str) -> None:
    slate = config.slate
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


def _meant(word: str, known: Mapping[str, object] | list[str]) -> str:
    return "; " + meant(word, known, f"there is {', '.join(sorted(known))}")


def _meant_value(value: object, allowed: str) -> str:
    """Return what *value* may have been meant to be, of the words that are *allowed*."""
    near = nearest(value, _WORD.findall(allowed)) if isinstance(value, str) else None
    return "" if near is None else f'; did you mean "{near}"?'
