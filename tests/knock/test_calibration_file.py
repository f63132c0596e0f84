"""A calibration survives its way to disk, and a broken one is refused in one sentence."""

import re
import tomllib
from dataclasses import replace

import pytest

from kloplei.files import KlopleiError
from kloplei.knock.calibration import FIRST_JUDGE, JUDGE, Calibration, Correction
from kloplei.knock.calibration_file import NotACalibration, as_toml, from_toml
from kloplei.knock.geometry import Spot, TableSize, ToldWood
from kloplei.knock.localization import SeatFinder
from tests.knock.seated import knock, knocks, learned_from, table

WARY = Correction(4000, -0.5, {"crest": 1.25, "slope": -0.031})
PLAIN = Calibration(gain_db=-3.5, floor=(0.004, 0.0031), strictness=0.4)


@pytest.fixture(scope="module")
def tuned() -> Calibration:
    return replace(PLAIN, places=learned_from(knocks(table(41, 4, 2), 3)))


def test_what_was_learned_survives_its_way_to_disk(tuned: Calibration) -> None:
    for calibration in (Calibration(), PLAIN, tuned, replace(tuned, correction=WARY)):
        assert from_toml(as_toml(calibration)) == calibration


def test_a_table_that_was_made_warier_by_an_earlier_version_stays_as_wary() -> None:
    read = from_toml(
        "version = 1\n[distrust]\nrate_hz = 4000\nbias = -0.5\nweights = {crest = 1.25}"
    )

    assert read.correction == Correction(4000, -0.5, {"crest": 1.25}, only_stricter=True)
    assert read.judge == FIRST_JUDGE
    assert from_toml(as_toml(read)) == read


def test_what_was_taught_counts_on_top_of_the_judge_of_its_time() -> None:
    places_alone = from_toml("version = 1\ngain_db = 6.0")
    of_today = from_toml("version = 1\nstrictness = 0.5\njudge = 2")

    assert from_toml("version = 1\nstrictness = 0.5").judge == FIRST_JUDGE
    assert (places_alone.judge, of_today.judge) == (JUDGE, JUDGE)
    with pytest.raises(NotACalibration, match="judge holds 3"):
        from_toml("version = 1\njudge = 3")


def test_what_seats_are_called_survives_as_it_was_written() -> None:
    named = replace(PLAIN, labels=("Anna", 'Bram "de Klop" \\', 7, "かな", "🂡"))

    assert from_toml(as_toml(named)) == named


def test_a_calibration_read_back_tells_the_same_seats(tuned: Calibration) -> None:
    window = knock(table(41, 4, 2), 2, 50)
    again = from_toml(as_toml(tuned)).places

    assert SeatFinder((), again).seat_of(window) == SeatFinder((), tuned.places).seat_of(window)


def test_people_can_read_it(tuned: Calibration) -> None:
    text = as_toml(tuned)

    assert "seat = 1\n" in text
    assert "seat = 0\n" not in text
    assert all(len(line) < 250 for line in text.splitlines())
    assert len(tomllib.loads(text)["knock"]) == 12


def test_what_is_not_told_stands_at_its_default() -> None:
    assert from_toml("version = 1") == Calibration()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no version"),
        ("version = 2", "version 2, and this Kloplei reads version 1"),
        ("version = true", "version True"),
        ('version = "1"', "version '1'"),
        ("version = ", "not TOML"),
        ("version = 1" + "0" * 5000, "not TOML"),
        ("x = " + "[" * 5000, "not TOML"),
        ("version = 0x" + "f" * 5000, "without end"),
        ("version = 1\nloud = 3", "no 'loud'"),
        ("version = 1\ngain_db = nan", "gain_db holds nan"),
        ("version = 1\ngain_db = inf", "gain_db holds inf"),
        ("version = 1\ngain_db = 1000", "must lie from -60 to 60"),
        ("version = 1\ngain_db = 1" + "0" * 400, "gain_db holds a number without end"),
        ("version = 1\ngain_db = '3'", "no number"),
        ("version = 1\ngain_db" + ".a" * 3000 + " = 1", "no number"),
        ("version = 1\nstrictness = true", "no number"),
        ("version = 1\nfloor = 0.1", "list of 0 to 16"),
        ("version = 1\nfloor = [2]", "from 0 to 1"),
        (f"version = 1\nfloor = {[0] * 17}", "list of 0 to 16"),
        ("version = 1\nlabels = 'Anna'", "labels must be a list of 0 to 16"),
        ("version = 1\nlabels = [true]", "labels holds True, but must hold numbers, or names"),
        ("version = 1\nlabels = ['']", "labels holds '', but must"),
        ("version = 1\nlabels = [0x" + "f" * 5000 + "]", "labels holds a number without end"),
        ("version = 1\ndistrust = 3", "distrust must be a section of its own: [distrust]"),
        (
            "version = 1\n[distrust]\nbias = 1",
            "rate_hz None, but must have one of 8000, 4000, 2000",
        ),
        ("version = 1\n[distrust]\nrate_hz = 4000.0", "rate_hz 4000.0, but must"),
        ("version = 1\n[distrust]\nrate_hz = [4000]", "rate_hz [4000], but must"),
        ("version = 1\n[distrust]\nrate_hz = 4000", "distrust.weights must be a section"),
        ("version = 1\n[distrust]\nrate_hz = 4000\nweights = {}", "bias holds None"),
        (
            "version = 1\n[distrust]\nrate_hz = 4000\nbias = 0\nweights = {crest = inf}",
            "distrust crest holds inf",
        ),
        (
            "version = 1\n[distrust]\nrate_hz = 4000\nbias = 0\nweights = {colour = 1}",
            "distrust.weights has no 'colour'",
        ),
        ("version = 1\nknock = []", "list of 1 to"),
        ("version = 1\nknock = [3]", "[[knock]]"),
        ("version = 1\n[[knock]]\nseat = 1", "lacks felt"),
        ("version = 1\n[[knock]]\nchair = 1", "no 'chair'"),
    ],
)
def test_what_is_no_calibration_is_refused_in_one_sentence(text: str, complaint: str) -> None:
    with pytest.raises(NotACalibration, match=re.escape(complaint)) as refused:
        from_toml(text)

    assert isinstance(refused.value, KlopleiError)
    assert isinstance(refused.value, ValueError)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("was", "becomes", "complaint"),
    [
        (r"seat = 1", "seat = 0", "number from 1 to 16"),
        (r"seat = 1", "seat = 1.0", "number from 1 to 16"),
        (r"felt = \[true, true\]", "felt = [1, true]", "true or false"),
        (r"felt = \[true, true\]", "felt = [true]", "levels_db must be a list of 1"),
        (r"felt = \[true, true\]", "felt = [false, true]", "felt by 1 of the piezos"),
        (r"arrivals_ms = \[\[", "arrivals_ms = [[nan, ", "knock 1 arrivals_ms"),
        (r"arrivals_ms = .*", "arrivals_ms = [[1.0, 2.0, inf], [1.0, 2.0, 3.0]]", "holds inf"),
        (r"levels_db = .*", "levels_db = [[1.0], [1.0, 2.0]]", "as many numbers in each row"),
        (r"levels_db = .*", "levels_db = [[1.0], [1.0]]", "likeness must be a list of 2"),
        (r"likeness = \[\[", "likeness = [[], [", "likeness must be a list of 1"),
    ],
)
def test_knocks_that_do_not_fit_are_refused(
    tuned: Calibration, was: str, becomes: str, complaint: str
) -> None:
    broken = re.sub(was, becomes, as_toml(tuned), count=1)

    with pytest.raises(NotACalibration, match=re.escape(complaint)):
        from_toml(broken)


def test_a_seat_with_a_single_knock_left_is_refused(tuned: Calibration) -> None:
    text = as_toml(tuned)
    parts = text.split("[[knock]]")

    with pytest.raises(NotACalibration, match="seat 4"):
        from_toml("[[knock]]".join(parts[:11]))


@pytest.mark.parametrize(
    "wood",
    [
        ToldWood(TableSize(1.4, 0.8), planks=True, seats=4, discs="corners"),
        ToldWood(TableSize(1.1, 1.1, is_round=True)),
        ToldWood(
            TableSize(1.4, 0.8),
            seats=(Spot(0.1, 0.2), Spot(1.0, 0.2)),
            discs=(Spot(0.0, 0.0), Spot(1.4, 0.8)),
        ),
    ],
)
def test_what_was_said_of_the_table_top_survives(wood: ToldWood) -> None:
    told = replace(PLAIN, wood=wood)

    assert from_toml(as_toml(told)) == told


@pytest.mark.parametrize(
    "told",
    [
        'size = "big"',
        'top = "planks"',
        'size = "1.4x0.8"\ntop = "jelly"',
        'size = "1.4x0.8"\ndiscs = "here"',
        'size = "1.4x0.8"\nlegs = 4',
    ],
)
def test_a_table_top_that_is_none_is_refused(told: str) -> None:
    with pytest.raises(NotACalibration, match="wood"):
        from_toml(f"version = 1\n[wood]\n{told}")


def test_at_which_rate_it_was_heard_is_kept_and_files_of_before_were_heard_at_4000() -> None:
    fast = Calibration(gain_db=2.0, rate_hz=8000)

    assert from_toml(as_toml(fast)) == fast
    assert "rate_hz" not in as_toml(Calibration(gain_db=2.0))
    assert from_toml("version = 1\ngain_db = 2.0").rate_hz == 4000
    with pytest.raises(NotACalibration, match="a calibration has rate_hz 44100"):
        from_toml("version = 1\nrate_hz = 44100")
