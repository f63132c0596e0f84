"""One file holds what the box remembers: whole, sound, without secrets, and put back safely."""

import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kloplei.backup import ASIDE, BackupFailed, BadBackup, make_backup, read_backup, restore
from kloplei.cli import main
from kloplei.config.settings import JOURNAL, VOICE
from kloplei.diagnostics import doctor
from kloplei.games.game import Seat
from kloplei.keys import panel_keys
from kloplei.table.doctor_client import FindingState
from kloplei.table.journal import Journal
from kloplei.table.journal_file import JournalError
from kloplei.table.session import Session
from kloplei.table.voice_client import NAMES
from kloplei.voice.clips import encoded
from kloplei.voice.recorded import RecordedVoice
from tests.voice.test_packs import tone

NOW = datetime(2026, 5, 1, 23, 59, tzinfo=UTC)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evening.zip"


@pytest.fixture
def table(data: Path) -> Iterator[Session]:
    """A table that runs on that folder; three have sat down."""
    with closing(Journal(data / JOURNAL)) as journal, Session(journal) as table:
        for seat, name in enumerate(("Ann", "Bo", "Cor")):
            table.submit(Seat(seat), "sit_down", facts={"name": name})
        yield table


def names(data: Path) -> list[str]:
    """Return who sits at a table that runs on that folder."""
    with closing(Journal(data / JOURNAL)) as journal, Session(journal) as table:
        assert journal.salvaged is None
        return [row.name for row in table.scoreboard().rows]


def test_an_evening_is_kept_while_it_goes_on(table: Session, data: Path, file: Path) -> None:
    manifest = make_backup(data, file, NOW)
    table.submit(Seat(0), "rename", facts={"name": "Late"})

    restored = data.parent / "other"
    assert restore(file, restored) == manifest == read_backup(file)
    assert names(restored) == ["Ann", "Bo", "Cor"]
    assert manifest.made_at == "2026-05-01T23:59:00+00:00"


def test_what_a_house_says_itself_is_kept_and_what_it_replaces_lies_aside(
    table: Session, data: Path, file: Path
) -> None:
    RecordedVoice(data).keep(NAMES, "Ann", encoded(tone(300)))
    (data / VOICE / NAMES / ".junk.new").write_bytes(b"a cut")
    assert make_backup(data, file, NOW).format == 2
    other = data.parent / "other"
    other.mkdir()
    RecordedVoice(other).keep(NAMES, "Bo", encoded(tone(700)))

    restore(file, other)

    assert RecordedVoice(other).look().said[NAMES] == ("Ann",)
    assert RecordedVoice(other / ASIDE).look().said[NAMES] == ("Bo",)
    assert len(list((other / VOICE / NAMES).iterdir())) == 2


def test_a_backup_without_a_voice_is_one_that_boxes_of_before_read(
    table: Session, data: Path, file: Path
) -> None:
    assert make_backup(data, file, NOW).format == 1


def test_what_the_table_was_taught_is_kept_and_what_is_secret_is_not(
    table: Session, data: Path, file: Path
) -> None:
    (data / "tuning.toml").write_text("# taught\n")
    keys = panel_keys(data)

    make_backup(data, file, NOW)

    with zipfile.ZipFile(file) as archive:
        assert set(archive.namelist()) == {"manifest.json", JOURNAL, "tuning.toml"}
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert keys.secret_key.encode() not in whole
    assert keys.pin.encode() not in archive.comment


def test_a_table_that_runs_is_not_put_back(table: Session, data: Path, file: Path) -> None:
    make_backup(data, file, NOW)

    with pytest.raises(JournalError, match="Stop it first: sudo systemctl stop"):
        restore(file, data)

    assert not (data / ASIDE).exists()


def test_what_was_there_lies_aside(data: Path, file: Path) -> None:
    for name in ("Old", "New"):
        with closing(Journal(data / JOURNAL)) as journal, Session(journal) as table:
            action = "sit_down" if name == "Old" else "rename"
            table.submit(Seat(0), action, facts={"name": name})
        if name == "Old":
            make_backup(data, file, NOW)

    restore(file, data)

    assert names(data) == ["Old"]
    assert names(data / ASIDE) == ["New"]
    restore(file, data)  # and once more, over the first
    assert names(data) == names(data / ASIDE) == ["Old"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_is_put_back_is_for_its_owners_eyes_only(
    table: Session, data: Path, file: Path
) -> None:
    (data / "tuning.toml").write_text("# taught\n")
    make_backup(data, file, NOW)
    other = data.parent / "other"

    manifest = restore(file, other)

    modes = {name: stat.S_IMODE((other / name).stat().st_mode) for name in manifest.files}
    assert modes == {JOURNAL: 0o600, "tuning.toml": 0o600}


@pytest.fixture
def tables_own() -> Iterator[Path]:
    """A folder that the table's user owns, where that user gets to."""
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    with TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        own = Path(outer, "own")
        own.mkdir()
        os.chown(own, 12345, 23456)
        yield own


def test_what_roots_doctor_saves_of_a_damaged_journal_is_the_tables_own(
    table: Session, data: Path, file: Path, tables_own: Path
) -> None:
    """A maker who asked the doctor with sudo had a table that could not start any more."""
    make_backup(data, file, NOW)
    restore(file, tables_own)
    (tables_own / f"{JOURNAL}.lock").unlink(missing_ok=True)
    with (tables_own / JOURNAL).open("r+b") as journal:
        journal.truncate(3000)

    found = doctor._journal(tables_own)

    assert found.state is FindingState.BAD
    owned = {(one.stat().st_uid, one.stat().st_gid) for one in tables_own.rglob("*")}
    assert owned == {(12345, 23456)}


def test_what_root_puts_back_is_the_tables_own(
    table: Session, data: Path, file: Path, tables_own: Path
) -> None:
    """With sudo a maker left a journal and a lock that the table could not open."""
    make_backup(data, file, NOW)

    restore(file, tables_own)
    restore(file, tables_own)

    owned = {(one.stat().st_uid, one.stat().st_gid) for one in tables_own.rglob("*")}
    assert owned == {(12345, 23456)}
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_links_planted_where_root_puts_back_give_nothing_away(
    table: Session, data: Path, file: Path, tables_own: Path
) -> None:
    """Whatever a link of the table's user pointed to was given to that user, with its folder."""
    make_backup(data, file, NOW)
    roots = tables_own.parent / "roots"
    roots.mkdir()
    (roots / "shadow").write_text("root")
    (tables_own / ASIDE).symlink_to(roots)
    (tables_own / "shadow").symlink_to(roots / "shadow")
    (tables_own / f".{JOURNAL}.new").symlink_to(roots / "shadow")

    restore(file, tables_own)  # there is nothing yet to lay aside
    with pytest.raises(BackupFailed, match="Permission denied"):
        restore(file, tables_own)

    assert [one.name for one in roots.iterdir()] == ["shadow"]
    assert (roots / "shadow").read_text() == "root"
    assert (roots / "shadow").stat().st_uid == roots.stat().st_uid == 0
    assert names(tables_own) == ["Ann", "Bo", "Cor"]


def test_what_a_link_points_to_is_not_taken_into_a_backup(
    table: Session, data: Path, file: Path
) -> None:
    (data / "shadow").write_text("root")
    (data / "tuning.toml").symlink_to(data / "shadow")

    with pytest.raises(BackupFailed, match="symbolic links"):
        make_backup(data, file, NOW)


def test_an_encrypted_file_is_refused_in_words(table: Session, data: Path, file: Path) -> None:
    make_backup(data, file, NOW)
    raw = bytearray(file.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = raw.find(header)
        while at >= 0:
            raw[at + flags] |= 1
            at = raw.find(header, at + 1)
    file.write_bytes(raw)

    with pytest.raises(BadBackup, match="encrypted"):
        read_backup(file)


def test_without_a_journal_there_is_nothing_to_keep(data: Path, file: Path) -> None:
    with pytest.raises(BackupFailed, match="no journal"):
        make_backup(data, file, NOW)
    assert not file.exists()


def test_a_place_that_cannot_be_written_is_named(table: Session, data: Path) -> None:
    """It named a folder of ours with a random name, and sent people to look at their disk."""
    with pytest.raises(BackupFailed, match=r"^There is no folder .*nowhere; make it, or name"):
        make_backup(data, data / "nowhere" / "file.zip", NOW)
    with pytest.raises(BackupFailed, match=r"^\S+ is a folder; name the file to write in it\.$"):
        make_backup(data, data, NOW)


def test_a_damaged_journal_is_not_kept_but_mended_at_the_next_start(data: Path, file: Path) -> None:
    """A start reads from the snapshot on, and would not meet what is damaged before it."""
    with Journal(data / JOURNAL, reach=20) as journal, Session(journal) as table:
        for n in range(60):
            table.submit(Seat(0), "rename" if n else "sit_down", facts={"name": f"Ann {n}"})
    with closing(sqlite3.connect(data / JOURNAL)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{}' WHERE seq = 3")
    with Journal(data / JOURNAL, reach=20) as journal:
        assert journal.salvaged is None

    with pytest.raises(BackupFailed, match="damaged after entry 2"):
        make_backup(data, file, NOW)

    with Journal(data / JOURNAL) as journal:
        assert "ends at entry 2, where 61 had been written" in str(journal.salvaged)
    assert not file.exists()


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_backup_is_never_put_back(
    table: Session, data: Path, file: Path, seed: int
) -> None:
    make_backup(data, file, NOW)
    raw, luck = bytearray(file.read_bytes()), random.Random(seed)
    if seed % 4 > 1:
        raw[luck.randrange(len(raw))] ^= 1 << luck.randrange(8)
    elif seed % 4:  # where names, sizes and places stand
        raw[luck.randrange(raw.find(b"PK\x01\x02"), len(raw))] = luck.randrange(256)
    else:
        del raw[luck.randrange(len(raw)) :]
    file.write_bytes(raw)
    other = data.parent / "other"

    try:
        restore(file, other)
    except BadBackup as refusal:
        assert str(file) in str(refusal)
        assert not other.exists()
    else:  # a bit of the zip that says nothing, such as a time stamp
        assert names(other) == ["Ann", "Bo", "Cor"]


def repacked(file: Path, **changed: bytes | None) -> None:
    """Write *file* anew with other contents for some of its members; None leaves one out."""
    with zipfile.ZipFile(file) as archive:
        held: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
    held |= {name.replace("__", "."): raw for name, raw in changed.items()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, raw in held.items():
            if raw is not None:
                archive.writestr(name, raw)


def told(file: Path, **facts: object) -> bytes:
    with zipfile.ZipFile(file) as archive:
        return json.dumps(json.loads(archive.read("manifest.json")) | facts).encode()


def test_a_backup_that_is_none_is_refused_in_words(table: Session, data: Path, file: Path) -> None:
    make_backup(data, file, NOW)
    whole = file.read_bytes()
    manifests = {
        "Update this one first": told(file, format=3, kloplei="9.0"),
        "names files that no backup has": told(file, files={"../../etc/passwd": "", JOURNAL: ""}),
        "its manifest cannot be read": b"[1, 2]",
        "is not what was put in": told(file, files={JOURNAL: "0" * 64}),
    }

    for sentence, manifest in manifests.items():
        file.write_bytes(whole)
        repacked(file, manifest__json=manifest)
        with pytest.raises(BadBackup, match=sentence):
            read_backup(file)
    file.write_bytes(whole)
    repacked(file, manifest__json=None)
    with pytest.raises(BadBackup, match="no backup of Kloplei"):
        read_backup(file)
    for raw in (b"", b"not a zip"):
        file.write_bytes(raw)
        with pytest.raises(BadBackup, match="is damaged"):
            read_backup(file)
    with pytest.raises(BadBackup, match="There is no file"):
        read_backup(data / "nothing.zip")
    with pytest.raises(BadBackup, match="is a folder"):
        read_backup(data)


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER t BEFORE INSERT ON origin BEGIN DELETE FROM entries; END",
        "ALTER TABLE origin RENAME TO was; CREATE VIEW origin AS SELECT * FROM was",
    ],
)
def test_a_journal_in_which_somebody_planted_something_is_found(
    table: Session, data: Path, file: Path, planted: str
) -> None:
    """Such a trigger emptied the journal while it was put back."""
    make_backup(data, file, NOW)
    journal = data.parent / JOURNAL
    with zipfile.ZipFile(file) as archive:
        journal.write_bytes(archive.read(JOURNAL))
    for path in (journal, data / JOURNAL):
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(f"PRAGMA wal_checkpoint; {planted}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = journal.read_bytes()
    manifest = told(file, files={JOURNAL: hashlib.sha256(raw).hexdigest()})
    repacked(file, kloplei__db=raw, manifest__json=manifest)

    with pytest.raises(BadBackup, match="sound up to entry"):
        read_backup(file)
    with pytest.raises(BackupFailed, match="Restart the table"):
        make_backup(data, file, NOW)


def test_a_journal_that_was_edited_is_found(table: Session, data: Path, file: Path) -> None:
    make_backup(data, file, NOW)
    journal = data.parent / JOURNAL
    with zipfile.ZipFile(file) as archive:
        journal.write_bytes(archive.read(JOURNAL))
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("UPDATE entries SET seat = 2 WHERE seq = 2")
        connection.commit()
    raw = journal.read_bytes()
    manifest = told(file, files={JOURNAL: hashlib.sha256(raw).hexdigest()})
    repacked(file, kloplei__db=raw, manifest__json=manifest)

    with pytest.raises(BadBackup, match="sound up to entry 1 only"):
        read_backup(file)


def test_the_commands_keep_look_and_put_back(
    table: Session, data: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ["--config", str(data.parent / "kloplei.toml")]
    Path(config[1]).write_text(f'table.data = "{data}"\n')

    assert main(["backup", str(file), *config]) == 0
    assert main(["restore", "--check", str(file), *config]) == 0
    assert main(["restore", str(file), *config]) == 1  # a table runs on it
    assert main(["restore", str(data / "nothing.zip"), *config]) == 2

    said = capsys.readouterr()
    assert "reads back well" in said.out
    assert re.search(r"is sound: Kloplei [\w.]+, \d{4}-\d\d-\d\d \d\d:\d\d\.\n", said.out)
    assert "Stop it first" in said.err


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_backup_leaves_nothing_behind(
    table: Session, data: Path, file: Path, how: signal.Signals
) -> None:
    """Each once left a folder with a copy of the journal beside the backup."""
    (data.parent / "kloplei.toml").write_text(f'table.data = "{data}"\n')
    program = """if True:
        import sys
        from kloplei import backup
        from kloplei.cli.main import main
        def pack(*_):
            print("half", flush=True)
            sys.stdin.read()
        backup._pack = pack
        main(sys.argv[1:])
    """
    asked = ["backup", str(file), "--config", str(data.parent / "kloplei.toml")]
    with subprocess.Popen(
        [sys.executable, "-c", program, *asked],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as half:
        assert half.stdout is not None
        assert half.stdout.readline() == "half\n"
        running = {one.name for one in data.parent.glob(".kloplei-*")}
        make_backup(data, data.parent / "other.zip", NOW)
        assert {one.name for one in data.parent.glob(".kloplei-*")} == running != set()
        half.send_signal(how)

    if how is signal.SIGKILL:
        make_backup(data, file, NOW)

    assert not list(data.parent.glob(".*"))
