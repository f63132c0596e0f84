"""The first hand of a new box: told step by step, gone at the first knock, and never again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import Config, SlateConfig, TableConfig
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import GUIDE, Line, Scoreboard
from kloplei.knock import KnockHeard
from kloplei.slate.drawing import SMALL, blank, inner, wrap
from kloplei.slate.faces.overlays import _MOST_LINES, _SIDE_PX
from kloplei.table.client import BadRequest
from kloplei.table.guide import GUIDE_FILE, GUIDE_S, Guide, GuideFile, follow_guide
from kloplei.table.messages import Announced, ButtonPressed
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.unit import TableUnit
from kloplei.words import LANGUAGES, Words
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop
from tests.until import until

DEAL = Line(f"{GUIDE}sit-down")
NAMES = ("Ann", "Bo", "Cor")


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(MemoryJournal(), TableSetup(game="toepen")) as session:
        yield session


def told_of(guide: Guide, session: Session) -> str | None:
    line = guide.next(session.scoreboard())
    return None if line is None else line.key.removeprefix(GUIDE)


def seat_all(session: Session) -> None:
    for at, name in enumerate(NAMES):
        session.submit(Seat(at), "sit_down", facts={"name": name})


def play_hand(session: Session) -> None:
    session.submit(None, "deal")
    session.submit(Seat(0), "trick", facts={"n": 4})


def test_a_hand_of_toepen_is_told_step_by_step(session: Session) -> None:
    guide = Guide(wanted=True)
    told = [told_of(guide, session)]
    seat_all(session)
    told.append(told_of(guide, session))
    session.submit(Seat(0), "start")
    told.append(told_of(guide, session))
    session.submit(None, "deal")
    told.append(told_of(guide, session))
    session.submit(Seat(1), "knock")
    told.append(told_of(guide, session))
    session.submit(Seat(2), "stay")
    session.submit(Seat(0), "stay")
    told.append(told_of(guide, session))
    session.submit(Seat(0), "trick", facts={"n": 4})
    told.append(told_of(guide, session))

    assert told == ["sit-down", "begin", "deal", "exchange-or-play", "stay-or-fold", "play", "end"]
    assert guide.is_over


def test_each_step_is_told_once_and_after_the_hand_nothing_more(session: Session) -> None:
    guide = Guide(wanted=True)
    seat_all(session)
    assert told_of(guide, session) == "begin"
    assert told_of(guide, session) is None

    session.submit(Seat(0), "start")
    told_of(guide, session)
    play_hand(session)

    assert told_of(guide, session) == "end"
    play_hand(session)
    assert told_of(guide, session) is None


def test_who_asks_is_told_of_the_hand_that_comes(session: Session) -> None:
    guide = Guide(wanted=False)
    seat_all(session)
    session.submit(Seat(0), "start")
    play_hand(session)
    assert told_of(guide, session) is None

    guide.begin()
    told = [told_of(guide, session)]
    play_hand(session)
    told.append(told_of(guide, session))

    assert told == ["deal", "end"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_led_into_its_first_hand(game: str) -> None:
    guide = Guide(wanted=True)
    with Session(MemoryJournal(), TableSetup(game=game)) as session:
        seat_all(session)
        session.submit(Seat(3), "sit_down", facts={"name": "Dirk"})
        if game == "tarok":
            session.submit(Seat(3), "stand_up")
        session.submit(Seat(0), "start")

        assert told_of(guide, session) in {"deal", "next-deal"}
        session.submit(None, "deal")
        assert told_of(guide, session) is not None


def test_a_step_gives_way_to_the_first_knock_and_to_a_press(tabletop: Tabletop) -> None:
    for seen in (
        KnockHeard(Seat(1), 0.5, tabletop.now_s),
        KnockHeard(Seat(1), 0.5, tabletop.now_s, True),
        ButtonPressed(Seat(1), tabletop.now_s),
    ):
        tabletop.table.handle(Announced((DEAL,), GUIDE_S, gives_way=True), tabletop.now_s)
        assert tabletop.board.shown == DEAL

        tabletop.table.handle(seen, tabletop.now_s)

        assert tabletop.board.shown is None


def test_where_nobody_knocks_it_goes_by_itself(tabletop: Tabletop) -> None:
    tabletop.table.handle(Announced((DEAL,), GUIDE_S, gives_way=True), tabletop.now_s)
    tabletop.wait(GUIDE_S - 1)
    assert tabletop.board.shown == DEAL

    tabletop.wait(1.0)

    assert tabletop.board.shown is None


def test_a_title_stays_whoever_knocks(tabletop: Tabletop) -> None:
    tabletop.table.handle(Announced((DEAL,)), tabletop.now_s)

    tabletop.table.handle(KnockHeard(Seat(1), 0.5, tabletop.now_s), tabletop.now_s)

    assert tabletop.board.shown == DEAL


def test_a_box_keeps_that_it_has_told(tmp_path: Path) -> None:
    file = GuideFile(tmp_path)

    assert (file.is_wanted(is_new=True), file.is_wanted(is_new=False)) == (True, False)
    file.keep(told=False)
    assert file.is_wanted(is_new=False)
    file.keep(told=True)
    assert not file.is_wanted(is_new=True)


@pytest.mark.parametrize("spoilt", ["", "[1", "7", '{"told": "no"}', "[" * 900, "[" * 200_000])
def test_a_file_that_says_nothing_starts_no_lesson(tmp_path: Path, spoilt: str) -> None:
    (tmp_path / GUIDE_FILE).write_text(spoilt)

    assert not GuideFile(tmp_path).is_wanted(is_new=True)


class Followed:
    """A table that shows *boards*, and is gone."""

    def __init__(self, *boards: Scoreboard | None) -> None:
        self.boards = boards

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        yield from self.boards


class ToldInbox:
    def __init__(self) -> None:
        self.told: list[object] = []

    def put(self, message: object) -> None:
        self.told.append(message)


SITTING = Scoreboard(game="toepen", phase="seating")


def test_a_disk_that_takes_nothing_ends_no_evening(tmp_path: Path) -> None:
    (tmp_path / GUIDE_FILE).mkdir()
    inbox = ToldInbox()

    follow_guide(Guide(wanted=True), Followed(SITTING), inbox, GuideFile(tmp_path))

    assert inbox.told == [Announced((DEAL,), GUIDE_S, gives_way=True)]


def test_the_guide_goes_on_behind_a_board_that_it_stumbles_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    inbox = ToldInbox()
    table = Followed(Scoreboard(game="no game of ours", phase="play", seq=3), None, SITTING)

    class Stumbling(Guide):
        def next(self, board: Scoreboard) -> Line | None:
            if board is not SITTING:
                raise LookupError(board.game)
            return super().next(board)

    follow_guide(Stumbling(wanted=True), table, inbox, GuideFile(tmp_path))

    assert inbox.told == [Announced((DEAL,), GUIDE_S, gives_way=True)]
    assert [one.getMessage() for one in caplog.records] == [
        "the guide stumbled over entry 3, and looks on"
    ]


CONFIG = Config(slate=SlateConfig(driver="none"))


def test_a_new_box_begins_by_itself_and_another_start_does_not(tmp_path: Path) -> None:
    with TableUnit(CONFIG, tmp_path, pin_factory=MockFactory()) as unit:
        session = unit.session
        until(lambda: session.scoreboard().shown == DEAL)
        seat_all(session)
        session.submit(Seat(0), "start")
        play_hand(session)
        until(lambda: (shown := session.scoreboard().shown) and shown.key == f"{GUIDE}end")
        until(lambda: not GuideFile(tmp_path).is_wanted(is_new=True))

    with TableUnit(CONFIG, tmp_path, pin_factory=MockFactory()) as unit:
        unit.session.doctor.explain()
        until(lambda: (shown := unit.session.scoreboard().shown) and shown.key == f"{GUIDE}deal")


def test_a_house_that_wants_no_guide_has_none(tmp_path: Path) -> None:
    config = Config(table=TableConfig(guide=False), slate=SlateConfig(driver="none"))
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        with pytest.raises(BadRequest, match="guides nobody"):
            unit.session.doctor.explain()

        assert unit.session.scoreboard().shown is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_fits_the_foot_of_the_slate(game: str, language: str) -> None:
    keys = {
        *("sit-down", "begin", "end", "deal", "exchange-or-play", "play", "stay-or-fold"),
        *("next-deal", "schlag", "hold-or-give-up", "declare", "last-trick"),
        *("swap-or-knock", "last-turn"),
    }
    words = Words(language).of_game(game)
    names = {Seat(at): name for at, name in enumerate(("Thijs", "Tame", "Thomas"))}
    facts = {"seat": Seat(2), "seats": (Seat(0), Seat(2))}

    said = {key: words.say(GUIDE + key, facts, names) for key in keys}
    lines = {
        key: len(wrap(one, SMALL, inner(blank())[0] - 2 * _SIDE_PX, 99))
        for key, one in said.items()
    }

    assert {key: n for key, n in lines.items() if n > _MOST_LINES} == {}
