"""How a sentence is said: names, lists, plurals, and facts that nobody knows."""

import gettext
import re
from pathlib import Path

import pytest

import kloplei
import kloplei_panel
from kloplei.games.cards import GERMAN_SUITS
from kloplei.games.game import Facts, Seat
from kloplei.words import LANGUAGES, Words, catalogue

NAMES = {Seat(0): "Anna", Seat(1): "Bo", Seat(2): "Cees"}
LISTS = {
    "nl": "Anna, Bo en Cees",
    "en": "Anna, Bo and Cees",
    "de": "Anna, Bo und Cees",
    "da": "Anna, Bo og Cees",
    "ja": "Anna、BoとCees",
}
NEWCOMERS = {"nl": "plek 8", "en": "seat 8", "de": "Platz 8", "da": "plads 8", "ja": "席8"}


@pytest.mark.parametrize("language", LISTS)
def test_seats_are_listed_as_people_do(language: str) -> None:
    said = Words(language).say("news.rubber-over", {"seats": tuple(NAMES)}, NAMES)

    assert LISTS[language] in said


@pytest.mark.parametrize(
    ("seats", "said"),
    [((0,), "Eerst antwoorden: Anna."), ((0, 2), "Eerst antwoorden: Anna en Cees.")],
)
def test_a_list_of_one_or_two_needs_no_comma(seats: tuple[int, ...], said: str) -> None:
    facts = {"seats": tuple(map(Seat, seats))}

    assert Words("nl").say("reason.answer_pending", facts, NAMES) == said


@pytest.mark.parametrize("language", NEWCOMERS)
def test_a_seat_without_a_player_is_named_by_its_number_from_one(language: str) -> None:
    said = Words(language).say("news.sat-down", {"seat": Seat(7)}, NAMES)

    assert NEWCOMERS[language] in said


@pytest.mark.parametrize(
    ("language", "n", "said"),
    [
        ("nl", 0, "Er zijn minstens 0 spelers nodig."),
        ("nl", 1, "Er is minstens één speler nodig."),
        ("nl", 2, "Er zijn minstens 2 spelers nodig."),
        ("en", 1, "It takes at least one player."),
        ("en", 3, "It takes at least 3 players."),
        ("de", 1, "Es braucht mindestens einen Spieler."),
        ("da", 3, "Der skal mindst 3 spillere til."),
        ("ja", 1, "1人以上必要です。"),
        ("ja", 3, "3人以上必要です。"),
    ],
)
def test_a_number_picks_the_plural(language: str, n: int, said: str) -> None:
    assert Words(language).say("reason.too_few_players", {"n": n}) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("nl", "antwoord in gemiddeld 0,3 s"),
        ("en", "answered in 0.3 s on average"),
        ("de", "Antwort im Schnitt nach 0,3 s"),
        ("da", "svarer på 0,3 s i snit"),
        ("ja", "返答は平均0.3秒"),
    ],
)
def test_a_fraction_has_the_decimal_point_of_its_language(language: str, said: str) -> None:
    assert Words(language).say("title.lightning.why", {"seconds": 0.3}) == said


def test_a_whole_number_of_seconds_has_no_fraction() -> None:
    assert Words("nl").say("title.lightning.why", {"seconds": 2.0}).endswith(" 2 s")


def test_pages_that_have_sentences_of_their_own_write_fractions_alike() -> None:
    pages = Words("de", domain="panel", folder=Path(kloplei_panel.__file__).parent / "words")

    assert "1,5 dB" in pages.say("ears.move.louder", {"amount": 1.5})


def test_nobody_writes_a_fraction_for_people_but_the_words() -> None:
    """Only what is drawn has points of its own: a chart reads the same everywhere."""
    firmware, pages = Path(kloplei.__file__).parent, Path(kloplei_panel.__file__).parent
    folders = [firmware / one for one in ("history", "slate", "table", "games", "cli", "demo")]
    written = {
        source.name
        for folder in (*folders, pages)
        for source in folder.rglob("*.py")
        if re.search(r"\{[^{}'\"]*:[+]?\.[1-9]f\}", source.read_text(encoding="utf-8"))
    }

    assert written == {"_charts.py", "hearing.py"}


def test_a_number_does_no_harm_where_nothing_is_counted() -> None:
    assert Words("en").say("reason.slate_clean", {"n": 2}) == "The slate is clean already."


@pytest.mark.parametrize("nothing", [{}, {"fold": None}, {"fold": ()}])
def test_a_sentence_does_without_a_fact_that_is_not_known(nothing: Facts) -> None:
    facts = {"seat": Seat(0), "seats": (Seat(1),), "stake": 2}

    said = Words("nl").say("prompt.stay-or-fold", {**facts, **nothing}, NAMES)

    assert said == "Anna toept: 2! Bo: meegaan of passen?"


def test_a_fact_that_a_sentence_cannot_do_without_is_left_open() -> None:
    assert Words("nl").say("news.dealt", {"seat": None}) == "… heeft gedeeld."


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("nl", "Toepen, huisregels: Laatste man."),
        ("ja", "トゥーペンのハウスルール：最後の一人。"),
    ],
)
def test_a_fact_with_a_word_of_its_own_is_said_by_it(language: str, said: str) -> None:
    facts = {"game": "toepen", "preset": "laatste man"}

    assert Words(language).say("news.options", facts) == said


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("pad 3", "het klopplaatje van plek 3"),
        ("button 8", "de knop van plek 8"),
        ("shared pad", "het gedeelde klopplaatje"),
        ("lamp", "de lamp"),
        ("spring 4", "spring 4"),
    ],
)
def test_a_part_is_said_in_the_language_of_the_sentence(part: str, said: str) -> None:
    """The slate told a Dutch table that "pad 3" was broken."""
    facts = {"part": part, "message": "Mend it."}

    assert Words("nl").say("notice.part", facts) == f"Doet het niet: {said}. Mend it."


@pytest.mark.parametrize(
    ("language", "game", "card", "said"),
    [
        *(("nl", "toepen", "HK", "♥H"), ("nl", "tarok", "KH", "♥H"), ("nl", "tarok", "CC", "♣R")),
        *(("en", "tarok", "10S", "♠10"), ("de", "watten", "DQ", "♦O"), ("de", "tarok", "QD", "♦D")),
        *(("en", "tarok", "T21", "tarok 21"), ("de", "tarok", "T2", "Tarock 2")),
        *(("da", "tarok", "T1", "pagat"), ("da", "tarok", "EX", "scies"), ("en", "", "X9", "X9")),
    ],
)
def test_a_card_is_said_by_its_sign_whichever_way_its_pack_is_written(
    language: str, game: str, card: str, said: str
) -> None:
    assert Words(language).of_game(game).name("card", card) == said


def test_a_name_is_said_as_it_is_whatever_it_looks_like() -> None:
    names = {Seat(0): "{stake} %s kroeg"}

    said = Words("nl").say("news.dealt", {"seat": Seat(0)}, names)

    assert said == "{stake} %s kroeg heeft gedeeld."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reason_nobody_has_words_for_is_still_a_refusal(language: str) -> None:
    said = Words(language).say("reason.pot_is_empty")

    assert "pot is empty" in said
    assert said != "reason.pot_is_empty"


def test_any_other_key_without_a_sentence_comes_back() -> None:
    assert Words("nl").say("prompt.juggle", {"seat": Seat(0)}) == "prompt.juggle"


@pytest.mark.parametrize("language", ["xx", "", "nl_NL", "../nl"])
def test_a_language_we_do_not_speak_falls_back_to_english(language: str) -> None:
    words = Words(language)

    assert (words.language, words.say("action.stay")) == ("en", "Stay")


def test_without_catalogues_keys_come_back(tmp_path: Path) -> None:
    words = Words("nl", folder=tmp_path)

    assert words.say("prompt.deal", {"seat": Seat(0)}) == "prompt.deal"
    assert words.say("reason.no_hand") == "reason.no_hand"


@pytest.mark.parametrize(
    ("wait_s", "said"),
    [(5, "5 s"), (90, "90 s"), (91, "2 min"), (600, "10 min"), (841, "15 min"), (900, "15 min")],
)
def test_a_long_wait_is_told_in_minutes_and_never_too_short(wait_s: int, said: str) -> None:
    sentence = Words("en").say("reason.door_wait", {"wait_s": wait_s})

    assert sentence == f"Ask again in {said}, or enter the PIN."


FOLDERS = (Path(catalogue.__file__).parent, Path(kloplei_panel.__file__).parent / "words")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_found_that_gettext_finds(language: str) -> None:
    """Nothing is read before it is asked for, so the keys have to stand in order."""
    written = [one for folder in FOLDERS for one in folder.glob(f"{language}/LC_MESSAGES/*.mo")]
    assert len(written) >= 4

    for path in written:
        with path.open("rb") as file:
            whole = gettext.GNUTranslations(file)
        ours = catalogue._MessageFile(path)
        keys = {key if isinstance(key, str) else key[0] for key in whole._catalog}  # type: ignore[attr-defined]
        for key in keys:
            assert ours.find(key, None) == whole.gettext(key)
            forms = {n: whole.ngettext(key, "", n) or None for n in (0, 1, 2, 5, 21)}
            assert {n: ours.find(key, n) for n in forms} == {
                n: None if found == key else found for n, found in forms.items()
            }
            assert ours.find(f"{key}.and-more", None) is ours.find(key[:-1] + "~", 1) is None


def test_what_is_no_catalogue_is_told_by_name(tmp_path: Path) -> None:
    other = tmp_path / "other.mo"
    other.write_bytes(bytes(100))

    with pytest.raises(OSError, match=r"other\.mo is no compiled catalogue"):
        catalogue._MessageFile(other)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("nl", "eikels Unter, harten koning, Weli en bellen 7"),
        ("en", "Unter of acorns, king of hearts, Weli and 7 of bells"),
        ("de", "Eichel Unter, Herz König, Weli und Schell 7"),
        ("da", "agern Unter, hjerter konge, Weli og bjælder 7"),
        ("ja", "どんぐりのウンター、ハートのケーニヒ、ヴェーリと鈴の7"),
    ],
)
def test_german_cards_are_called_by_their_own_names(language: str, said: str) -> None:
    words = Words(language).of_game("watten", GERMAN_SUITS)
    cards = [words.name("card", one) for one in ("CJ", "HK", "D6", "D7")]

    assert words.listed(cards) == said


def test_french_cards_keep_their_names_beside_german_ones() -> None:
    french = Words("en").of_game("watten")
    french.of_game("watten", GERMAN_SUITS)

    assert [french.name("card", "CJ"), french.name("suit", "C")] == ["♣J", "clubs"]
