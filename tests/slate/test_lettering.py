import pytest
from PIL import Image, ImageDraw

from kloplei.games.card_game import Deal
from kloplei.games.eenendertigen import Eenendertigen
from kloplei.games.game import Choose, Gesture, Seat
from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    SMALL,
    cut,
    largest_fitting,
    shout_centred,
    width_of,
    wrap,
    write,
)
from kloplei.slate.faces.overlays import largest_setting
from kloplei.words import LANGUAGES, Words
from kloplei.words.letters import chalked_name, legible


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
        ("太郎", ""),
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
        ("阿部", ""),
        ("阿部 (Abe)", "Abe"),
        ("阿部 Abe", "Abe"),
        ("🍺🍺", ""),
        ("Tame 🍺", "Tame"),
        ("!?", "!?"),
        ("🍺!", ""),
    ],
)
def test_of_a_name_in_other_letters_the_short_one_is_chalked(name: str, chalked: str) -> None:
    assert chalked_name(name) == chalked


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "ja"])
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
