"""House rules go by the names that players know, wherever a page or the slate tells them."""

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.words import LANGUAGES, Words

OF_WATTEN = {
    "tirol": "Tirol",
    "suedtirol": "Südtirol",
    "kritisch": "Kritisch",
    "vier kritische": "Vier Kritische",
    "blind": "Blind (Ladinisch)",
    "boehmisch": "Böhmisch",
    "turnier 11": "Turnier 11",
}


def test_watten_goes_by_the_names_of_the_tirol() -> None:
    words = Words("de").of_game("watten")

    assert {one: words.say(f"preset.{one}") for one in GAMES["watten"].presets} == OF_WATTEN


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_preset_has_a_name_and_a_line_that_says_what_it_is(language: str, game: str) -> None:
    words = Words(language).of_game(game)

    assert words.say(f"game-note.{game}") != f"game-note.{game}"
    for preset in GAMES[game].presets:
        told = words.say("news.options", {"game": game, "preset": preset})
        assert words.say(f"preset.{preset}") in told
        assert words.say(f"game.{game}") in told
        assert words.say(f"preset-note.{preset}") != f"preset-note.{preset}"
        # They stand beside one another on every phone.
        assert words.say(f"preset.{preset}") != words.say(f"game.{game}")
    assert len({words.say(f"preset.{one}") for one in GAMES[game].presets}) == len(
        GAMES[game].presets
    )
