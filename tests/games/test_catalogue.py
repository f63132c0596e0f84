"""The games there are, and how they are built."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from kloplei.files import KlopleiError
from kloplei.games.cards import read_cards
from kloplei.games.catalogue import (
    GAMES,
    GameKind,
    UnknownGame,
    UnknownPreset,
    build_game,
    game_kind,
)
from kloplei.games.house_rules import BadOption
from kloplei.games.toepen import PRESETS, Toepen
from kloplei.games.trick import NoTrick

JUDGED = [kind for kind in GAMES.values() if kind.has_tricks]
WITHOUT_TRICKS = GameKind("x", "kloplei.games.toepen", "kroeg")


@pytest.mark.parametrize(
    "asked",
    [
        lambda: WITHOUT_TRICKS.pack,
        lambda: WITHOUT_TRICKS.judge(read_cards(["H7"])),
        WITHOUT_TRICKS.bench,
    ],
)
def test_a_game_without_tricks_says_so(asked: Callable[[], object]) -> None:
    with pytest.raises(NoTrick, match="X has no tricks to judge; toepen, watten, tarok have"):
        asked()


def test_a_new_table_plays_the_default_preset() -> None:
    game = build_game("toepen")

    assert isinstance(game, Toepen)
    assert game.options == PRESETS["kroeg"]


def test_options_come_on_top_of_the_preset() -> None:
    game = build_game("toepen", "laatste man", {"max_lives": 7})

    assert isinstance(game, Toepen)
    assert (game.options.rubber_mode, game.options.max_lives) == ("last_standing", 7)


@pytest.mark.parametrize("kind", GAMES.values(), ids=list(GAMES))
def test_every_preset_of_every_game_can_be_built(kind: GameKind) -> None:
    assert kind.default_preset in kind.presets
    for preset in kind.presets:
        assert kind.build(preset).name == kind.name


def test_a_table_plays_the_games_there_are_and_no_other() -> None:
    with pytest.raises(UnknownGame, match=f"only knows {', '.join(GAMES)}; it does not know"):
        build_game("bridge")


def test_a_game_judges_its_tricks() -> None:
    kind, cards = game_kind("toepen"), read_cards(["H7", "HA", "H10", "S10"])

    assert kind.judge(cards).place == 2
    assert kind.judge(cards, {"folded": {2}}).place == 0


def test_a_judge_is_told_nothing_that_its_game_does_not_know() -> None:
    with pytest.raises(NoTrick, match="A trick of toepen has no schlag; it may have folded"):
        game_kind("toepen").judge(read_cards(["H7"]), {"schlag": "10"})


@pytest.mark.parametrize("kind", JUDGED, ids=lambda kind: kind.name)
def test_every_game_with_tricks_says_what_its_judge_goes_by(kind: GameKind) -> None:
    for preset in kind.presets:
        bench = kind.bench(preset)
        cards = sorted(bench.pack, key=str)[: bench.most]
        said = {**bench.said, **{word: ask.values[0] for word, ask in bench.asks.items()}}

        assert set(said) | set(bench.marks) <= set(kind.judged_by or ())
        assert 0 <= kind.judge(cards, said).place < bench.most
        with pytest.raises(NoTrick) as refused:
            kind.judge(sorted(bench.pack, key=str)[: bench.most + 1], said)
        assert (refused.value.reason, refused.value.facts) == ("trick_size", {"most": bench.most})


def test_house_rules_reach_the_judge() -> None:
    watten = game_kind("watten")

    named = {preset: watten.bench(preset).asks["schlag"].values for preset in ("tirol", "kritisch")}
    assert set(named["kritisch"]) == set(named["tirol"]) - {"6"}
    assert set(watten.bench("boehmisch", {"bohemian_schlag": "no rank"}).asks) == {"trump"}
    assert len(watten.bench("tirol", {"weli": "not in the pack"}).pack) == 32
    assert watten.bench("suedtirol").said["options"] == {"guate": "on"}


def test_where_cards_are_always_worth_the_same_there_is_no_ladder() -> None:
    assert game_kind("toepen").ladder({}) == ()


def test_unknown_names_are_told_what_there_is() -> None:
    with pytest.raises(
        UnknownGame, match=f"only knows {', '.join(GAMES)}; it does not know the game 'skat'"
    ):
        build_game("skat")
    with pytest.raises(UnknownPreset, match="no preset 'cafe'; it has seed, kroeg, vijftien"):
        build_game("toepen", "cafe")
    with pytest.raises(BadOption):
        build_game("toepen", options={"max_lives": "many"})


def test_every_complaint_is_one_of_ours() -> None:
    assert issubclass(UnknownGame, KlopleiError)
    assert issubclass(UnknownPreset, KlopleiError)


def test_no_game_is_imported_before_it_is_asked_for() -> None:
    loaded = "import sys, kloplei.games.catalogue; print('kloplei.games.toepen' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)

    assert done.stdout.strip() == "False"
