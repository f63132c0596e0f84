from pathlib import Path

import pytest
from PIL import Image, ImageDraw

import kloplei
from kloplei.games.card_game import Deal
from kloplei.games.eenendertigen import Eenendertigen
from kloplei.games.game import Choose, Gesture, Seat
from kloplei.slate import drawing
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    SMALL,
    breaks_words,
    cut,
    cut_names,
    largest_fitting,
    narrowed,
    shout_centred,
    width_of,
    wrap,
    write,
)
from kloplei.slate.faces.overlays import largest_setting
from kloplei.words import LANGUAGES, Words
from kloplei.words.letters import chalked_name, is_japanese, legible, place_of
from tests.slate.boards import SCENES
from tests.slate.redraw import drawn
from tests.words.sources import sentences


@pytest.mark.parametrize(
    ("name", "chalked"),
    [
        ("Søren", "Søren"),
        ("Jörg Groß", "Jörg Groß"),
        ("Ægir Åse", "Ægir Åse"),
        ("Łukasz", "Lukasz"),
        ("Dvořák", "Dvorák"),
        ("Zoe\u0308", "Zoë"),
        ("Ana 🍺", "Ana"),
        ("👨‍👩‍👧 Jansen", "Jansen"),
        ("ﬁets", "fiets"),
        ("太郎", "太郎"),
        ("たろう！", "たろう！"),
        ("Ｔａｒｏ\u3000ﾀﾛｳ", "Taro ﾀﾛｳ"),
        ("김 Владимир", ""),
        ("a\u00a0 b", "a b"),
    ],
)
def test_names_are_chalked_with_the_letters_we_have(name: str, chalked: str) -> None:
    assert legible(name) == chalked


@pytest.mark.parametrize("width", range(0, 43, 3))
def test_a_cut_name_fits(width: int) -> None:
    shown = cut("Willemijntje", BOLD, width)

    assert width_of(shown, BOLD) <= width
    assert shown == "" or shown.endswith("…")


@pytest.mark.parametrize(
    ("names", "width", "shown"),
    [
        ("Bo, Bartholomäus", 200, "Bo, Bartholomäus"),
        ("Bo, Bartholomäus", 60, "Bo, Bartholomä."),
        ("Maximilian, Bartholomäus", 60, "Maximi., Bartho."),
    ],
)
def test_long_names_are_cut_alike_rather_than_the_last_one_alone(
    names: str, width: int, shown: str
) -> None:
    """Of two long names the second was "Ba…", and of five who treat what they do was missing."""
    assert cut_names(names, SMALL, width) == shown
    assert width_of(shown, SMALL) <= width


def test_a_name_that_fits_is_not_cut() -> None:
    assert cut("Tame", BOLD, width_of("Tame", BOLD)) == "Tame"


def test_sentences_break_between_words() -> None:
    lines = wrap("Tame heeft al getoept; laat een ander ook eens.", SMALL, 121, 3)

    assert " ".join(lines) == "Tame heeft al getoept; laat een ander ook eens."
    assert all(width_of(line, SMALL) <= 121 for line in lines)


def test_a_word_wider_than_the_line_is_broken() -> None:
    lines = wrap("W" * 40, SMALL, 60, 99)

    assert "".join(lines) == "W" * 40
    assert all(width_of(line, SMALL) <= 60 for line in lines)


def test_what_is_too_much_ends_in_an_ellipsis() -> None:
    lines = wrap("een twee drie vier vijf zes zeven acht", SMALL, 40, 2)

    assert len(lines) == 2
    assert lines[-1].endswith("…")


def test_letters_are_as_large_as_fits() -> None:
    assert largest_fitting("Bo", 60, (LARGE, BOLD)) is LARGE
    assert largest_fitting("Bo" * 9, 60, (LARGE, BOLD)) is BOLD


@pytest.mark.parametrize("text", ["inzet", "stay", "deelt", "komt uit", "r", "f"])
def test_the_last_letter_is_whole(text: str) -> None:
    """A t at the end lost its bar, a y its arm: the slate said "inzel"."""
    alone, followed = (Image.new("1", (60, 14)) for _ in range(2))

    write(ImageDraw.Draw(alone), 1, 3, text, SMALL)
    write(ImageDraw.Draw(followed), 1, 3, f"{text} .", SMALL)

    box = (0, 0, 1 + width_of(text, SMALL), 14)
    assert alone.crop(box).tobytes() == followed.crop(box).tobytes()
    assert alone.getbbox() == alone.crop(box).getbbox()


@pytest.mark.parametrize("half_pixels", range(80, 84))
def test_a_shout_is_a_pixel_heavier_wherever_it_stands(half_pixels: int) -> None:
    """A number that ended in .5 was rounded to the even one: some words stood there thin."""
    once, twice = Image.new("1", (128, 40)), Image.new("1", (128, 40))
    write(ImageDraw.Draw(once), 20, 10, "KLOP", HUGE)

    shout_centred(ImageDraw.Draw(twice), half_pixels / 2, 10, "KLOP", HUGE)

    assert ink_width(twice) == ink_width(once) + 1


def ink_width(image: Image.Image) -> int:
    left, _, right, _ = image.getbbox() or (0, 0, 0, 0)
    return right - left


@pytest.mark.parametrize(
    ("name", "chalked"),
    [
        ("Thijs", "Thijs"),
        ("Thijs (2)", "Thijs (2)"),
        ("阿部", "阿部"),
        ("阿部 (Abe)", "Abe"),
        ("阿部 Abe", "阿部 Abe"),
        ("颯太 (2)", "2"),
        ("김", ""),
        ("김 (Kim)", "Kim"),
        ("김 Kim", "Kim"),
        ("阿彁 (Abe)", "Abe"),
        ("阿彁 Abe", "Abe"),
        ("阿彁", ""),
        ("阿部 🍺", "阿部"),
        ("🍺🍺", ""),
        ("Tame 🍺", "Tame"),
        ("!?", "!?"),
        ("🍺!", ""),
    ],
)
def test_of_a_name_in_other_letters_the_short_one_is_chalked(name: str, chalked: str) -> None:
    assert chalked_name(name) == chalked


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", ["nl", "de"])
def test_a_choice_of_knocks_stands_on_a_line_of_its_own(language: str, preset: str) -> None:
    """The number stood at the end of one line, and what it was for on the next."""
    game, who = Eenendertigen.of_house(preset, {}), Seat(1)
    (dealt,) = game.decide(start := game.start((Seat(0), who), Seat(0)), Deal())
    asked = game.meaning(game.apply(start, dealt), who, Gesture(3))
    assert isinstance(asked, Choose)
    words = Words(language).of_game(game.name)
    said = words.say(f"ask.{asked.key}", {**asked.facts, "seat": who}, {who: "Annemarijke"})

    _, lines = largest_setting(said, 110, 64)

    assert lines == said.split("\n")
    assert len(lines) == len(asked.choices) + 1

    longest = said.replace("Annemarijke", "Thomas mit dem lange")
    _, lines = largest_setting(longest, 110, 64)

    assert lines[-len(asked.choices) :] == said.split("\n")[1:]


ON_PHONES_ALONE = "♠♥♦♣→"  # suits are drawn on the slate, and what a rule was is left out there
LETTERS = (Path(kloplei.__file__).parent / "words" / "letters.txt").read_text("utf-8").rstrip("\n")
FONTS = Path(drawing.__file__).parent / "fonts"
SENTENCE = "Thijsは降りて2ライフ失いました。（配り直し）"


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_a_slate_may_say_is_written_with_letters_that_it_has(language: str) -> None:
    """Where one is missing: ``python -m scripts.make_fonts``."""
    said = {letter for forms in sentences(language).values() for letter in "".join(forms)}

    missing = {one for one in said if not one.isspace() and legible(one) != one}

    assert missing <= set(ON_PHONES_ALONE)


def test_every_japanese_font_has_every_letter_that_is_listed() -> None:
    assert list(LETTERS) == sorted(set(LETTERS))
    for kana in drawing._KANA.values():
        blank = [
            one
            for number, one in enumerate(LETTERS)
            if drawing._glyph(kana, number).getbbox() is None
        ]
        sheet = (FONTS / f"{kana.name}.pbm").read_bytes()
        height = kana.size_px * len(LETTERS)

        assert blank == []
        assert sheet.startswith(b"P4\n%d %d\n" % (kana.size_px, height))
        assert len(drawing._sheet(kana.name)) == height * -(-kana.size_px // 8)


@pytest.mark.parametrize("name", ["さくら", "ケンタ", "佐々木", "颯太", "莉子", "渡邊", "ｹﾝﾀ"])
def test_names_in_kana_and_of_the_kanji_for_names_are_chalked_as_they_are(name: str) -> None:
    assert chalked_name(name) == name


def test_a_table_without_kana_reads_no_japanese_font() -> None:
    for kept in (drawing._sheet, drawing._glyph):
        kept.cache_clear()
    for picture in ("play-4", "rubber-over", "call-danish", "notice"):
        drawn(SCENES[picture])
    assert drawing._sheet.cache_info().currsize == 0

    drawn(SCENES["japanese"])

    assert drawing._sheet.cache_info().currsize == 1


def test_japanese_fonts_take_less_than_half_a_megabyte_all_together() -> None:
    names = {kana.name for kana in drawing._KANA.values()}

    assert sum(len(drawing._sheet(name)) for name in names) < 500_000


def test_kana_stand_beside_letters_and_touch_none() -> None:
    sheet = Image.new("1", (60, 14))
    write(ImageDraw.Draw(sheet), 0, 3, "席6番", SMALL)

    columns = [sheet.crop((x, 0, x + 1, 14)).getbbox() is not None for x in range(60)]
    dark = [x for x in range(width_of("席6番", SMALL)) if not columns[x]]

    assert any(x < 12 for x in dark)
    assert any(14 < x < 20 for x in dark)
    assert ink_width(sheet) == width_of("席6番", SMALL)


@pytest.mark.parametrize("y", [-3, 0, 5, 14])
def test_kana_stay_inside_the_box_that_they_are_written_in(y: int) -> None:
    """A word at the top of a column lost its dots, one at the foot its feet."""
    free, narrow = Image.new("1", (40, 40)), Image.new("1", (40, 10))
    write(ImageDraw.Draw(free), 0, 15, "勝負", SMALL)
    write(ImageDraw.Draw(narrow), 0, y, "勝負", SMALL)

    _, top, _, _ = free.getbbox() or (0, 0, 0, 0)

    assert free.crop((0, top, 40, top + 10)).tobytes() == narrow.tobytes()


@pytest.mark.parametrize("width", range(30, 130, 7))
def test_japanese_lines_end_behind_a_word_and_begin_with_no_stop(width: int) -> None:
    lines = wrap(SENTENCE, SMALL, width, 99)

    assert "".join(lines) == SENTENCE
    assert all(width_of(line, SMALL) <= width for line in lines)
    assert not any(line[0] in "、。）ー" for line in lines)
    if not breaks_words(SENTENCE, SMALL, width):
        assert {line[-1] for line in lines[:-1]} <= set("はて。フり")


def test_katakana_stand_half_as_wide_rather_than_that_a_word_is_cut() -> None:
    ten = width_of("ノックの後で", SMALL)

    assert cut("ノックの後で", SMALL, ten) == "ノックの後で"
    assert cut("ノックの後で", SMALL, ten - 1) == "ﾉｯｸの後で"
    assert cut("ノックの後で", SMALL, 30) == "ノッ…"
    assert narrowed("ガッツ、ポーズ！") == "ｶﾞｯﾂ､ﾎﾟｰｽﾞ!"
    assert narrowed("Thijs (2)!") == "Thijs (2)!"


def test_what_no_font_has_is_left_out_of_a_line() -> None:
    assert place_of("한") is None
    assert place_of("A") is None
    assert is_japanese("Aの") and not is_japanese("Søren – “Bo”…")
    assert width_of("あ한あ", SMALL) == width_of("ああ", SMALL)
