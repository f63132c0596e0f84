"""The PIN and the key that both units share: made once, and for nobody else to read."""

import contextlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from kloplei.cli import main
from kloplei.demo.table import Demo, demo_config
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.keys import DAMAGED, KeyFile, KeysUnreadable, known_keys, panel_keys, renew_key
from kloplei.table.client import LogEntry, TableUnavailable
from kloplei.table.journal import Journal
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.table.uplink_client import HousePerson, TableCall
from kloplei.unit import _Evenings
from kloplei.words import Sentence
from tests.devices.chips import eventually

FILE = "panel-keys.json"


SOUND = {"pin": "1234", "secret_key": "k" * 64}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_whoever_comes_first_makes_them_and_they_stay(tmp_path: Path) -> None:
    data = tmp_path / "data"
    made = panel_keys(data)

    assert panel_keys(data) == made
    assert len(made.pin) == 4
    assert made.pin not in repr(made)
    assert made.secret_key not in repr(made)
    assert [one.name for one in data.iterdir()] == [FILE]


def test_keys_of_before_stay_and_get_a_pin_and_a_code_for_the_evening(tmp_path: Path) -> None:
    before = {"pin": "4711", "secret_key": "0f" * 32}
    (tmp_path / FILE).write_text(json.dumps(before))

    found = panel_keys(tmp_path)

    assert (found.pin, found.secret_key, found.replaced) == ("4711", "0f" * 32, "")
    assert re.fullmatch("[0-9]{4}", found.evening_pin)
    assert len(found.evening_code) * 5 >= 64
    assert json.loads((tmp_path / FILE).read_text()).items() >= before.items()


@pytest.mark.parametrize(("off_s", "stays"), [(3600.0, True), (-3600.0, True), (50_000.0, False)])
def test_a_power_cut_keeps_the_pin_of_the_evening_and_a_night_does_not(
    off_s: float, stays: bool, tmp_path: Path
) -> None:
    first = panel_keys(tmp_path, wall=lambda: 1e6)

    again = panel_keys(tmp_path, wall=lambda: 1e6 + off_s)

    assert (again.evening_code == first.evening_code) is stays
    assert (again.pin, again.secret_key) == (first.pin, first.secret_key)


@pytest.mark.parametrize(
    ("pin", "code"), [(None, None), ("1234", "A"), ("1", "A" * 16), ([], []), ("1234", "")]
)
def test_a_code_or_a_pin_of_the_evening_that_can_be_guessed_lets_nobody_in(
    tmp_path: Path, pin: object, code: object
) -> None:
    """A damaged file of keys said null, and the address /IN/None let every phone in."""
    kept = {**SOUND, "evening_pin": pin, "evening_code": code}
    (tmp_path / "panel-keys.json").write_text(json.dumps({**kept, "evening_at": 1000.0}))

    seen = KeyFile(tmp_path, known_keys(tmp_path)).read_evening()
    made = panel_keys(tmp_path, wall=lambda: 1000.0)

    assert seen == ("1234", "")
    assert (len(made.evening_pin), len(made.evening_code)) == (4, 16)
    assert (made.pin, made.secret_key, made.replaced) == ("1234", "k" * 64, "")


def test_a_new_key_leaves_pin_and_code_of_the_evening(tmp_path: Path) -> None:
    before = panel_keys(tmp_path)

    renew_key(tmp_path)

    after = panel_keys(tmp_path)
    assert after == replace(before, secret_key=after.secret_key)


def test_a_new_evening_at_the_table_has_a_pin_and_a_code_of_its_own(tmp_path: Path) -> None:
    with Demo(tmp_path, demo_config(locked=True), url="http://192.168.1.9/") as demo:
        before = demo.read_evening()

        demo.client.submit(None, "new_evening")

        assert eventually(lambda: demo.read_evening()[1] != before[1])
        assert eventually(lambda: demo._unit._look.code == demo.read_evening()[1])


class OneByOne:
    """*session* as who follows it sees it, if each of *steps* is seen by itself."""

    def __init__(self, session: Session, steps: Sequence[Callable[[], object]]) -> None:
        self.session, self.steps = session, steps
        self.onlookers = self

    def __getattr__(self, name: str) -> object:
        return getattr(self.session, name)

    def follow(self) -> Iterator[Scoreboard]:
        for step in self.steps:
            step()
            yield self.session.scoreboard()


def test_a_house_that_calls_for_round_after_round_leaves_the_evening_its_pin(
    tmp_path: Path,
) -> None:
    with (
        Journal(tmp_path / "kloplei.db") as journal,
        Session(journal, TableSetup(seats=4)) as session,
    ):
        session.submit(Seat(0), "sit_down", facts={"name": "Jan"})  # of the evening before

        def called(round_: int) -> None:
            people = tuple(HousePerson(10 * round_ + one, f"P{round_}{one}") for one in range(3))
            session.uplink.call(TableCall(f"1-{round_}-1", "Tafel 1", round_, "toepen", people))
            session.submit(None, "accept_call")

        first, second, third = (partial(called, round_) for round_ in (1, 2, 3))
        start, by_hand = (partial(session.submit, None, one) for one in ("start", "new_evening"))
        table = OneByOne(session, [first, second, start, by_hand, third])
        begun: list[set[str]] = []

        def begin() -> None:
            begun.append({row.name for row in session.scoreboard().rows})

        _Evenings(cast("Session", table), begin).run()

    assert begun == [{"P10", "P11", "P12"}, {"P20", "P21", "P22"}]


def test_an_evening_begins_though_the_table_was_silent_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every evening after it had the PIN of the first, and a table that closed left a traceback."""
    with (
        Journal(tmp_path / "kloplei.db") as journal,
        Session(journal, TableSetup(seats=4)) as session,
    ):
        for seat, name in enumerate(("Jan", "Piet", "Klaas")):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(None, "start")
        by_hand = partial(session.submit, None, "new_evening")
        comes = partial(session.submit, Seat(3), "sit_down", facts={"name": "Kees"})
        silences = [TableUnavailable(Sentence("table-silent"))]
        log = session.log

        def silent_at_first() -> tuple[LogEntry, ...]:
            if silences:
                raise silences.pop()
            return log()

        monkeypatch.setattr(session, "log", silent_at_first)
        begun: list[int] = []
        evenings = _Evenings(
            cast("Session", OneByOne(session, [by_hand, comes])),
            lambda: begun.append(session.scoreboard().seq),
        )

        evenings.run()

        assert begun == [session.scoreboard().seq]


def test_a_persons_own_folder_lets_nobody_in(tmp_path: Path) -> None:
    panel_keys(tmp_path / "data")

    assert mode(tmp_path / "data") == 0o700
    assert mode(tmp_path / "data" / FILE) == 0o600


def test_where_a_group_may_look_the_panels_user_reads_them_and_writes_nothing(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o750)
    panel_keys(tmp_path)

    assert mode(tmp_path / FILE) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_is_the_folders_owners(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 23456)
    panel_keys(tmp_path)

    owned = (tmp_path / FILE).stat()
    assert (owned.st_uid, owned.st_gid) == (12345, 23456)


def test_the_command_makes_them_says_so_and_tells_them_to_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "kloplei.toml"
    config.write_text(f'table.data = "{tmp_path}/data"\n')

    assert main(["keys", "--config", str(config)]) == 0

    kept = json.loads((tmp_path / "data" / FILE).read_text())
    said = "".join(capfd.readouterr())
    assert kept["pin"] not in said
    assert kept["secret_key"] not in said
    assert said.startswith(f"Made the PIN and the key: {tmp_path / 'data' / FILE}.")

    assert main(["keys", "--config", str(config)]) == 0
    assert "were there already" in capfd.readouterr().out

    (tmp_path / "data" / FILE).write_text("{}")
    assert main(["keys", "--config", str(config)]) == 0
    assert f"kept as {FILE}.damaged" in capfd.readouterr().out


def _link(path: Path) -> None:
    path.symlink_to(path.parent)


def test_keys_are_put_aside_beside_others_of_another_kind(tmp_path: Path) -> None:
    """A folder in their place, and then a file, stopped the table again and again."""
    for spoil in (Path.mkdir, Path.touch, Path.mkdir, Path.mkdir):
        with contextlib.suppress(FileNotFoundError):
            (tmp_path / FILE).unlink()
        spoil(tmp_path / FILE)
        if (tmp_path / FILE).is_dir():
            (tmp_path / FILE / "full").touch()

        assert panel_keys(tmp_path).replaced.startswith(DAMAGED)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.touch(),
        lambda path: path.write_text("{}"),
        lambda path: path.write_text('{"pin": "1234", "secret_key": ""}'),
        lambda path: path.write_text('{"pin": 1234, "secret_key": 5}'),
        lambda path: path.write_text("[" * 4000),
        lambda path: path.write_text(json.dumps({**SOUND, "evening_at": 10**400})),
        lambda path: path.write_bytes(b"\xff" * 99),
        _link,
        Path.mkdir,
        os.mkfifo,
    ],
)
def test_damaged_keys_are_put_aside_and_new_ones_made(
    spoil: Callable[[Path], object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They stopped the table, again and again, until somebody deleted them."""
    spoil(tmp_path / FILE)

    made = panel_keys(tmp_path)

    assert made.replaced == DAMAGED
    assert "kept as panel-keys.json.damaged" in caplog.text
    assert sorted(one.name for one in tmp_path.iterdir()) == [FILE, DAMAGED]
    assert replace(made, replaced="") == panel_keys(tmp_path)


def test_the_table_says_that_phones_have_to_be_let_in_again(tmp_path: Path) -> None:
    with Demo(tmp_path):
        pass
    (tmp_path / FILE).write_bytes(b"")

    with Demo(tmp_path) as demo:
        assert demo.keys.replaced
        assert [line.key for line in demo.client.scoreboard().notices] == ["notice.keys"]


def test_the_panel_serves_who_looks_on_until_the_table_has_made_keys(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    nobodys = known_keys(tmp_path)
    file = KeyFile(tmp_path, nobodys)

    assert [one.name for one in tmp_path.iterdir()] == [FILE]
    assert file.read() == nobodys != known_keys(tmp_path)

    made = panel_keys(tmp_path)

    assert file.read_key() == made.secret_key


def test_a_link_planted_where_keys_are_written_leads_nowhere(tmp_path: Path) -> None:
    """Made as root they were written through a link that the table's user had put there."""
    other = tmp_path / "shadow"
    other.write_text("root")
    data = tmp_path / "data"
    data.mkdir()
    for planted in (FILE, DAMAGED, f"{FILE}.{os.getpid()}", f".{FILE}.new"):
        (data / planted).symlink_to(other)

    panel_keys(data)
    renew_key(data)

    assert other.read_text() == "root"
    assert other.lstat().st_uid == os.geteuid()
    assert not (data / FILE).is_symlink()


def test_a_new_key_is_read_without_a_restart_and_the_pin_stays(tmp_path: Path) -> None:
    first = panel_keys(tmp_path)
    file = KeyFile(tmp_path, first)
    before = file.read_key()

    renew_key(tmp_path)

    assert before == first.secret_key
    assert file.read_key() == panel_keys(tmp_path).secret_key != before
    assert panel_keys(tmp_path).pin == first.pin
    assert [one.name for one in tmp_path.iterdir()] == [FILE]


def test_a_new_key_is_for_nobody_else_either(tmp_path: Path) -> None:
    panel_keys(tmp_path / "own")
    tmp_path.chmod(0o750)
    panel_keys(tmp_path)

    renew_key(tmp_path)
    renew_key(tmp_path / "own")

    assert mode(tmp_path / FILE) == 0o640
    assert mode(tmp_path / "own" / FILE) == 0o600


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("{")])
def test_a_key_that_cannot_be_read_leaves_the_last_one_in_force(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    file = KeyFile(tmp_path, panel_keys(tmp_path))
    key = file.read()

    spoil(tmp_path / FILE)

    assert file.read() == key


def test_where_there_is_no_key_none_is_renewed(tmp_path: Path) -> None:
    with pytest.raises(KeysUnreadable, match=FILE):
        renew_key(tmp_path)


def test_the_table_unit_renews_the_key_when_it_is_asked_to(tmp_path: Path) -> None:
    with Demo(tmp_path) as demo:
        before = demo.read_key()
        demo.client.door.forget_phones()

        assert demo.read_key() != before
