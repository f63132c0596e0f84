"""What the table top is like, said where the table is tuned: in force at once, and kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.config.settings import AdcConfig, Config, TableConfig, WoodConfig
from kloplei.games.game import IllegalAction
from kloplei.knock.calibration import Calibration
from kloplei.knock.geometry import Spot, TableSize, ToldWood
from kloplei.review.calibrations import CalibrationArchive
from kloplei.review.tuning import wood_setup_of
from kloplei.table.client import BadRequest
from kloplei.words import LANGUAGES, Words, sentence_of
from tests.review.evening import Evening

CORNERS = Config(
    table=TableConfig(seats=6), adc=AdcConfig(enabled=True, corners=(0, 1, 2, 3)), seats=()
)
SIZE = TableSize(1.4, 0.8)


def at(folder: Path, config: Config = CORNERS) -> Evening:
    return Evening(folder, wood=wood_setup_of(config))


def test_a_table_that_nobody_measured_is_asked_about(tmp_path: Path) -> None:
    stand = at(tmp_path).do("look")

    assert stand.wood is not None
    assert (stand.wood.told, stand.wood.discs, stand.wood.around) == ("nobody", "corners", 6)


def test_with_one_piezo_nobody_is_asked(tmp_path: Path) -> None:
    lone = replace(CORNERS, adc=AdcConfig(enabled=True, corners=(0,)))

    assert at(tmp_path, lone).do("look").wood is None
    with pytest.raises(BadRequest, match="takes two piezos"):
        at(tmp_path, lone).do("wood", size="1.4x0.8")


def test_what_is_said_is_in_force_at_once_and_at_the_next_start(tmp_path: Path) -> None:
    evening, heard = at(tmp_path), list[Calibration]()
    evening.shelf.follow(heard.append)

    stand = evening.do("wood", size="1.4x0.8", top="planks", seats=4, discs="corners")

    told = ToldWood(SIZE, planks=True, seats=4, discs="corners")
    assert [one.wood for one in heard] == [told]
    assert CalibrationArchive(tmp_path).load().wood == told
    assert stand.wood is not None
    assert (stand.wood.told, stand.wood.planks) == ("table", True)
    assert stand.wood.places == SIZE.seats(4)
    assert stand.wood.spots == SIZE.corners(4)
    assert not stand.in_force.tuned  # it has learned nothing


def test_the_settings_are_told_until_somebody_says_otherwise(tmp_path: Path) -> None:
    evening = at(tmp_path, replace(CORNERS, wood=WoodConfig(size=TableSize(1.1, 1.1, True))))

    by_settings = evening.do("look").wood
    at_the_table = evening.do("wood", size="1.2").wood
    taken_back = evening.do("wood", size="").wood

    said = [(one.told, one.size) for one in (by_settings, at_the_table, taken_back) if one]
    assert said == [("settings", "1.1"), ("table", "1.2"), ("settings", "1.1")]


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"size": "big"}, '"big" is no size of a table'),
        ({"size": "1.4x0.8", "top": "jelly"}, '"jelly" is not known'),
        ({"size": "1.4x0.8", "seats": 7}, "7 seats around it cannot be: the table has 6"),
        ({"size": "1.4x0.8", "discs": "here"}, '"here" names no places'),
        ({"size": "1.4x0.8", "discs": "0.1x0.1"}, "1 places for 4 piezos"),
        (
            {"size": "1.4x0.8", "discs": "0x0, 1x0, 0.01x0.01, 1x0.8"},
            "Two piezos at the same place",
        ),
        ({"size": "0.5x0.5", "discs": "0.1x0.1, 0.2x0.2, 1x1, 0x0"}, "1x1 is beside the table"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    tmp_path: Path, facts: dict[str, object], sentence: str
) -> None:
    evening = at(tmp_path)

    with pytest.raises(BadRequest, match=sentence) as refused:
        evening.do("wood", **facts)

    said = sentence_of(refused.value)
    assert len({Words(language).tell(said) for language in LANGUAGES}) == len(LANGUAGES)
    assert CalibrationArchive(tmp_path).load() == Calibration()


@pytest.mark.parametrize("size", ["1,4x0,8", "1.4X0.8", "1,4 × 0,8", " 1.4x0.8 "])
def test_a_size_is_read_as_people_write_it(tmp_path: Path, size: str) -> None:
    """Half of the languages that the box speaks have a comma there."""
    stand = at(tmp_path).do("wood", size=size, seats=4)

    assert stand.wood is not None
    assert (stand.wood.size, stand.wood.told) == ("1.4x0.8", "table")


def test_while_somebody_tunes_the_table_top_stays_as_it_is(tmp_path: Path) -> None:
    evening = at(tmp_path)
    evening.do("begin")

    with pytest.raises(IllegalAction, match="tuning"):
        evening.do("wood", size="1.4x0.8")


def test_what_does_not_fit_a_table_any_more_leaves_it_to_the_settings() -> None:
    """Somebody pulled a disc since."""
    named = ToldWood(SIZE, discs=(Spot(0, 0), Spot(1, 0), Spot(1, 0.5)))

    assert CORNERS.geometry_by(named) is None
    told = replace(CORNERS, wood=WoodConfig(size=SIZE))
    assert told.geometry_by(named) == told.geometry
