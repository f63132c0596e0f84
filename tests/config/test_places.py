"""Which settings file is read, and where journal and socket are."""

import errno
import os
from pathlib import Path

import pytest

from kloplei.config import reader, settings
from kloplei.config.reader import load_config
from kloplei.config.schema import ConfigError
from kloplei.config.settings import Config


class TestTheFile:
    def test_none_asked_for_and_none_there_is_every_default(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(reader, "DEFAULT_PATH", tmp_path / "absent.toml")

        assert load_config() == Config()

    def test_none_asked_for_reads_the_boxs_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        own = tmp_path / "kloplei.toml"
        own.write_text("[table]\nseats = 3\n")
        monkeypatch.setattr(reader, "DEFAULT_PATH", own)

        assert load_config().table.seats == 3

    def test_one_asked_for_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"absent\.toml cannot be read \(No such file"):
            load_config(tmp_path / "absent.toml")

    def test_one_that_only_root_may_read_asks_for_sudo(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> str:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)

        with pytest.raises(ConfigError, match=r"\(Permission denied\); put sudo before"):
            load_config(tmp_path / "kloplei.toml")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="cannot be read"):
            load_config(tmp_path)

    def test_what_never_ends_is_no_settings_file(self, tmp_path: Path) -> None:
        """A disk image, named by a slip, was read into memory for minutes."""
        file = tmp_path / "kloplei.toml"
        with file.open("wb") as written:
            written.truncate(2_000_000)

        with pytest.raises(ConfigError, match=r"kloplei\.toml is too large for settings; name"):
            load_config(file)

    def test_what_is_not_utf8_is_told_where(self, tmp_path: Path) -> None:
        file = tmp_path / "kloplei.toml"
        file.write_bytes(b'[network]\nname = "Caf\xe9"\n')

        with pytest.raises(ConfigError, match=r"is not UTF-8 text \(byte 21\)"):
            load_config(file)

    def test_a_byte_order_mark_is_no_mistake(self, tmp_path: Path) -> None:
        file = tmp_path / "kloplei.toml"
        file.write_bytes(b"\xef\xbb\xbf[table]\nseats = 3\n")

        assert load_config(file).table.seats == 3


class TestPlaces:
    @pytest.fixture(autouse=True)
    def _at_home(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
        monkeypatch.setattr(settings, "BOX_DATA", tmp_path / "box/kloplei")
        monkeypatch.setattr(settings, "BOX_SOCKETS", tmp_path / "run/kloplei")

    def test_the_journal_is_the_boxs_where_it_may_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "box").mkdir()

        assert settings.default_data_dir() == tmp_path / "box/kloplei"

    def test_who_may_only_look_into_the_boxs_folder_looks_there(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """As the panel's unit does, for the keys that both units share."""
        (tmp_path / "box/kloplei").mkdir(parents=True)
        monkeypatch.setattr(
            "kloplei.config.settings.os.access", lambda _path, how: not how & os.W_OK
        )

        assert settings.default_data_dir() == tmp_path / "box/kloplei"

    def test_who_may_not_look_into_it_has_a_folder_of_ones_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "box/kloplei").mkdir(parents=True)
        monkeypatch.setattr(
            "kloplei.config.settings.os.access", lambda path, _how: path != settings.BOX_DATA
        )

        assert settings.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_else_it_is_the_users_own(self, tmp_path: Path) -> None:
        assert settings.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_xdg_says_where_that_is(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
        assert settings.default_data_dir() == tmp_path / "share/kloplei"
        monkeypatch.setenv("XDG_DATA_HOME", "relative/is/to/be/ignored")
        assert settings.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_both_units_find_the_socket_untold(self, tmp_path: Path) -> None:
        (tmp_path / "run/kloplei").mkdir(parents=True)

        assert settings.default_socket_path() == tmp_path / "run/kloplei/table.sock"

    def test_a_users_own_socket_lies_in_the_runtime_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

        assert settings.default_socket_path() == tmp_path / "kloplei.sock"


def test_pages_are_kept_in_the_cache_of_the_unit_or_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert settings.page_cache_dir() == tmp_path / "user/kloplei"
    assert (tmp_path / "user/kloplei").stat().st_mode & 0o777 == 0o700

    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "unit"))
    assert settings.page_cache_dir() == tmp_path / "unit"


def test_no_page_is_kept_where_others_may_write_or_nobody_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands there is run."""
    open_to_all, file = tmp_path / "open", tmp_path / "file"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    file.touch()

    for folder in (open_to_all, file, file / "below", Path("relative")):
        monkeypatch.setenv("CACHE_DIRECTORY", str(folder))
        assert settings.page_cache_dir() is None, folder
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert settings.page_cache_dir() is None
