"""The slate as reviewed: each reference picture was looked at before it went in."""

import dataclasses

import pytest
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter, ImageOps
from PIL.Image import Resampling, Transform

from kloplei.config.settings import SMALL_GLASS, Glass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Heard, Line, Scoreboard
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.drawing import SMALL, FrameTime, blank, width_of, with_letters
from kloplei.slate.picture import DisplaySettings, draw
from kloplei.table.client import WELCOME
from kloplei.words import LANGUAGES, Words
from kloplei.words.letters import CODE_PAGE
from tests.slate.boards import SCENES, flagged, seating, table
from tests.slate.redraw import FOLDERS, drawn, kept
from tests.slate.redraw import pictures as all_pictures
from tests.slate.scene import Scene
from tests.words.sources import sentences

WIDTH, HEIGHT = SMALL_GLASS
IN = "HTTP://192.168.178.123:8080/IN/VIJFKEERGEKLOPT7"


def qr_codes(image: Image.Image) -> list[str]:
    """Return what a phone reads off *image*, with the dark rim of the glass around it."""
    seen = ImageOps.expand(image.convert("L").resize((WIDTH * 2, HEIGHT * 2), 0), 24, 0)
    return [code.text for code in zxingcpp.read_barcodes(seen)]


@pytest.mark.parametrize("glass", FOLDERS, ids=str)
def test_the_slate_looks_as_reviewed(glass: Glass) -> None:
    now = {name: (image.size, image.tobytes()) for name, image in kept(glass).items()}
    reviewed = {
        path.stem: (glass, Image.open(path).convert(blank(glass).mode).tobytes())
        for path in FOLDERS[glass].glob("*.png")
    }

    assert set(reviewed) == set(now)
    assert [name for name in now if now[name] != reviewed[name]] == [], (
        "these have changed: run python -m tests.slate.redraw and look at them"
    )


def test_a_phone_reads_the_address_and_the_evenings_code_off_the_slate() -> None:
    assert qr_codes(drawn(SCENES["join"])) == [IN]


@pytest.mark.parametrize("tilt", [0, 7, 15, 30])
@pytest.mark.parametrize("lean", [0.0, 0.1, 0.2])
def test_a_phone_reads_it_held_askew_and_out_of_focus(tilt: int, lean: float) -> None:
    """With a rim of one and a half modules a third of these was not found."""
    glass = drawn(SCENES["join"]).convert("L").resize((WIDTH * 5, HEIGHT * 5), 0)
    seen = ImageOps.expand(glass, 120, 0)
    wide, high = seen.size
    corners = (-lean * high, 0, 0, high, wide, high, wide + lean * high, 0)
    seen = seen.transform(seen.size, Transform.QUAD, corners, Resampling.BILINEAR)
    seen = seen.rotate(tilt, Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(3))

    assert [code.text for code in zxingcpp.read_barcodes(seen)] == [IN]


def test_the_code_of_an_evening_that_began_before_is_shown_as_it_is() -> None:
    look = dataclasses.replace(SCENES["join"].look, code="vijf-keer_klop-9")

    assert qr_codes(drawn(dataclasses.replace(SCENES["join"], look=look))) == [
        "http://192.168.178.123:8080/in/vijf-keer_klop-9"
    ]


def test_who_is_not_at_the_table_reads_the_address_alone() -> None:
    look = dataclasses.replace(SCENES["join"].look, is_covered=True)

    assert qr_codes(drawn(dataclasses.replace(SCENES["join"], look=look))) == [
        "HTTP://192.168.178.123:8080/"
    ]


def test_a_code_that_would_make_the_modules_too_small_is_left_out() -> None:
    url = "http://kloplei.in.de-gouden-leeuw.aan-de-haven.example:8080/"
    look = DisplaySettings(join=JoinAddress(url), pin="4711", code="VIJFKEERGEKLOPT7")

    assert qr_codes(drawn(Scene(seating(0), after_s=7.0, look=look))) == [url.upper()]


def test_a_phone_reads_the_wifi_off_the_slate() -> None:
    assert qr_codes(drawn(SCENES["wifi"])) == ["WIFI:T:WPA;S:Café De Klop;P:proost-proost;;"]


@pytest.mark.parametrize(
    "url",
    ["http://10.0.0.7/", "http://kloplei.local:8080/", "http://192.168.1.2:8080/?" + "x" * 70],
)
def test_any_address_fits_into_a_code(url: str) -> None:
    picture = drawn(Scene(seating(0), after_s=7.0, look=DisplaySettings(join=JoinAddress(url))))

    assert [code.casefold() for code in qr_codes(picture)] == [url]


def test_a_new_hotspot_stands_on_the_slate_with_its_password() -> None:
    assert qr_codes(drawn(SCENES["hotspot"])) == ["WIFI:T:WPA;S:Kloplei;P:bamokido-4729;;"]


def test_no_code_stands_where_it_would_lead_nowhere() -> None:
    assert qr_codes(drawn(SCENES["offline"])) == []


def test_a_wifi_without_password_is_open() -> None:
    join_address = JoinAddress("http://10.0.0.7/", Wifi('de; "klop"'))
    picture = drawn(Scene(seating(), after_s=16.0, look=DisplaySettings(join=join_address)))

    assert qr_codes(picture) == ['WIFI:S:de\\; \\"klop\\";;']


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_letters(language: str) -> None:
    assert with_letters(Words(language)).language == language


def test_shifted_pictures_lose_nothing() -> None:
    """The last column and row are room to move, but for the code's own light border."""
    for name, picture in all_pictures().items():
        if name in ("join", "wifi", "hotspot"):
            continue
        right = picture.crop((WIDTH - 1, 0, WIDTH, HEIGHT)).getbbox()
        foot = picture.crop((0, HEIGHT - 1, WIDTH, HEIGHT)).getbbox()
        assert (right, foot) == (None, None), name


def test_the_name_of_who_folded_stays_as_it_was() -> None:
    """A stroke through it made "6tan" of "Stan" on a full slate."""
    board = table((3, 7, 0, 5, 9, 2, 6, 8))
    folded = flagged(board, {3: ("folded",)})

    before, after = drawn(Scene(board)), drawn(Scene(folded))

    name = (9, 24, 45, 32)
    assert before.crop(name).tobytes() == after.crop(name).tobytes()
    assert before.tobytes() != after.tobytes()


def test_a_seat_may_still_be_taken_when_it_is_possible_to_start() -> None:
    """The hint only said how to begin, and a fourth guest did not know that a knock would do."""
    board = seating(0, 1, 2)

    hints = {
        drawn(Scene(board, after_s=at_s)).crop((0, 52, WIDTH, HEIGHT)).tobytes()
        for at_s in (0.0, 4.0)
    }

    assert len(hints) == 2


def test_a_broken_part_is_told_in_the_language_of_the_slate() -> None:
    """Half of the page was English: the sentence that a technician needs."""
    other = dataclasses.replace(SCENES["notice"].board.notices[0], facts={"part": "pad 3"})
    scene = SCENES["notice"]

    told = dataclasses.replace(scene, board=dataclasses.replace(scene.board, notices=(other,)))

    assert drawn(told).tobytes() == drawn(scene).tobytes()


def test_a_knock_shows_at_once_whose_it_is() -> None:
    quiet = table((3, 7, 0, 5))
    words = Words("nl")

    def rows_lit_differently(seat: int) -> tuple[int, int]:
        heard = dataclasses.replace(quiet, heard=Heard(Seat(seat), 1))
        before = draw(quiet, FrameTime(now_s=60.0), words, DisplaySettings()).image
        after = draw(heard, FrameTime(now_s=60.0), words, DisplaySettings()).image
        changed = [y for y in range(HEIGHT) if _row(before, y) != _row(after, y)]
        return min(changed), max(changed)

    first, second = rows_lit_differently(0), rows_lit_differently(1)

    assert first[1] < second[0]


def _row(image: Image.Image, y: int) -> bytes:
    return image.crop((0, y, WIDTH, y + 1)).tobytes()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is written on sheets from now on, a line each."""
    lines: list[str] = []
    write_text = ImageDraw.ImageDraw.text

    def heard(draw: ImageDraw.ImageDraw, at: object, text: bytes, **kwargs: object) -> None:
        lines.append(text.decode(CODE_PAGE).strip())
        write_text(draw, at, text, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", heard)
    return lines


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("glass", FOLDERS, ids=str)
def test_no_sentence_is_cut_on_any_slate(glass: Glass, language: str, written: list[str]) -> None:
    """What ends in three dots is a name: of five who treat, "trakteren" was left off."""
    cut = {}
    for name, scene in SCENES.items():
        written.clear()
        drawn(dataclasses.replace(scene, language=language), glass)
        if told := _cut_within(scene.board, written):
            cut[name] = told

    assert cut == {}


LONG = (
    "Wilhelmina-Maria v.d",
    "Jan-Willem Christiaa",
    "Bartholomäus Maximil",
    "Anna-Lena Marie-Soph",
)


@pytest.mark.parametrize("language", ["nl", "ja"])
@pytest.mark.parametrize("glass", FOLDERS, ids=str)
def test_no_name_is_so_long_that_a_sentence_is_cut(
    glass: Glass, language: str, written: list[str]
) -> None:
    """It was told who asked, and not for what: "Jan-Willem Christiaa: Laatste s"."""
    cut = {}
    for name, scene in SCENES.items():
        rows = [
            dataclasses.replace(row, name=LONG[at % len(LONG)])
            for at, row in enumerate(scene.board.rows)
        ]
        board = dataclasses.replace(scene.board, rows=tuple(rows))
        written.clear()
        drawn(dataclasses.replace(scene, board=board, language=language), glass)
        if told := _cut_within(board, written):
            cut[name] = told
        asked = [one for one in (board.grace, board.doubt) if one is not None]
        if asked and language == "nl" and glass.width == SMALL_GLASS.width:
            wide = [one for one in written if ": " in one and width_of(one, SMALL) > glass.width]
            assert wide == [], name

    assert cut == {}


def _cut_within(board: Scoreboard, written: list[str]) -> list[str]:
    """Return what of *written* ends in three dots and is no name of *board*."""
    called = board.called.players if board.called is not None else ()
    names = [*(row.name for row in board.rows), *called]
    ends = [one.removesuffix("…") for one in written if one.endswith("…")]
    return [one for one in ends if not any(one and who.startswith(one) for who in names)]


PARTS = sorted(key.removeprefix("part.") for key in sentences("en") if key.startswith("part."))
NOTICES = [key for key in sorted(sentences("en")) if key.startswith("notice.")]
_SAID = [key for key in NOTICES if ".without-" not in key and key != WELCOME]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("glass", FOLDERS, ids=str)
@pytest.mark.parametrize("runs", [False, True], ids=["page", "passing"])
def test_no_notice_is_cut_on_any_slate(
    *, glass: Glass, language: str, runs: bool, written: list[str]
) -> None:
    """On the low glass an English one ended in "Make room, t…": phones have room for its cause."""
    message = "No OLED answers at 0x3C on I2C bus 1. Check SDA and SCL, then: kloplei doctor"
    board = SCENES["play-4" if runs else "between-hands"].board
    cut, pictures = {}, set[bytes]()
    for key in _SAID:
        for part in PARTS:
            facts = {"part": f"{part} 8", "message": message, "n": 12, "seat": Seat(1)}
            line = Line(key, facts)
            written.clear()
            moment = FrameTime(now_s=1.0 if runs else 9.0, trouble_s=0.5, trouble=line)
            noticed = dataclasses.replace(board, notices=(line,))
            words, look = with_letters(Words(language)), DisplaySettings(glass=glass)
            pictures.add(draw(noticed, moment, words, look).image.tobytes())
            if told := [one for one in written if one.endswith("…")]:
                cut[f"{key} {part}"] = told

    assert cut == {}
    assert len(pictures) > len(_SAID)  # that they are drawn at all
