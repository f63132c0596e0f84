"""A game may have its own sentence where games mean different things by one word."""

import re

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.words import LANGUAGES, Words
from tests.words.sources import own_key, package_of, sentences, shared_key

KEYS = {game: {*package_of(game).GAME.actions, *package_of(game).Phase} for game in GAMES}
SAME_IN_ALL = {
    *("action.deal", "action.exchange", "action.misdeal", "action.ready", "action.revoke"),
    *("action.trick", "phase.exchange", "phase.play", "phase.between_hands"),
    *("action.drink", "action.chalk", "phase.rubber_over"),
}
"""What everybody means the same by, whatever is played."""
OF_TOEPEN = {
    "nl": "toep|meegaan|passen|boom|levens?",
    "en": "toep|stay|fold|rubber|lives|life",
    "de": "toep|mitgehen|gehen|passen|leben",
    "da": "toep|pas|liv",
    "ja": "トゥープ|勝負|ライフ",
}
"""Words that only who plays toepen says; "gehen" nobody may be asked to press (§ 1)."""


def labels(game: str) -> set[str]:
    """Return the keys of all that is pressed and of all phases of *game*."""
    families = {"action": GAMES[game].build().actions, "phase": KEYS[game]}
    known = sentences("en")
    return {f"{family}.{one}" for family, names in families.items() for one in names} & set(known)


@pytest.mark.parametrize("game", list(GAMES)[1:])
def test_a_game_has_its_own_label_wherever_another_means_something_else(game: str) -> None:
    """Watten asked to "stay or fold", and put "Fold" on the button that gives up."""
    others = set().union(*(labels(one) for one in list(GAMES)[: list(GAMES).index(game)]))
    shared = (labels(game) & others) - SAME_IN_ALL

    assert shared
    for language in LANGUAGES:
        lacking = {key for key in shared if own_key(game, key) not in sentences(language)}
        assert lacking == set(), language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("family", "name"),
    [("action", "raise"), ("action", "accept"), ("action", "fold"), ("phase", "answering")],
)
def test_watten_says_raise_hold_and_give_up_in_its_own_words(
    language: str, family: str, name: str
) -> None:
    said = sentences(language)
    kept_for_watten = name in {"raise", "accept"}  # toepen knows no such thing

    assert (f"{family}.{name}" if kept_for_watten else f"{family}.watten.{name}") in said
    assert name in KEYS["watten"]
    assert (name in KEYS["toepen"]) is not kept_for_watten


@pytest.mark.parametrize("language", OF_TOEPEN)
def test_nothing_that_is_pressed_in_watten_is_said_in_words_of_toepen(language: str) -> None:
    words = Words(language).of_game("watten")

    said = {key: words.say(key) for key in labels("watten")}

    foreign = re.compile(rf"\b({OF_TOEPEN[language]})\b" if language != "ja" else OF_TOEPEN["ja"])
    assert [key for key, label in said.items() if foreign.search(label.lower())] == []
    assert len({said[key] for key in ("action.raise", "action.accept", "action.fold")}) == 3


def test_german_bids_holds_and_gives_up() -> None:
    words = Words("de").of_game("watten")

    said = [words.say(f"action.{one}") for one in ("raise", "accept", "fold")]

    assert said == ["Bieten", "Halten", "Aufgeben"]


def test_a_game_without_a_sentence_of_its_own_says_the_shared_one() -> None:
    words = Words("en")

    assert words.of_game("watten").say("action.deal") == words.say("action.deal") == "Deal"
    assert words.of_game("tarok").say("action.fold") == "Fold"
    assert words.of_game("").say("action.fold") == "Fold"


def test_the_words_of_one_game_do_not_stick() -> None:
    words = Words("en")
    in_watten = words.of_game("watten")

    assert (words.say("action.fold"), in_watten.say("action.fold")) == ("Fold", "Give up")
    assert in_watten.of_game("toepen").say("action.fold") == "Fold"


def test_a_key_without_any_sentence_comes_back_as_it_was_asked_for() -> None:
    words = Words("en").of_game("watten")

    assert words.say("prompt.juggle", {"seat": Seat(0)}) == "prompt.juggle"
    assert words.say("reason.pot_is_empty") == Words("en").say("reason.pot_is_empty")


def test_every_sentence_of_one_game_is_said_instead_of_another() -> None:
    """One that stands for nothing would never be found."""
    known = set(sentences("en"))
    stands_for = {shared_key(key) for key in known if shared_key(key) != key}

    assert stands_for
    # Of French cards none has a name of its own: it is the six of diamonds.
    assert stands_for - known == {"card.D6"}
