"""What a lesson comes to, and the sentences in which it is told."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import Gathered, MarkedKnock, SensorSetup, decibels, loudness_of
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.remarks import Grade, Remark
from kloplei.knock.signal import Window
from kloplei.knock.tuning import USUAL_KNOCK_DB, TuningResult, weigh
from kloplei.words import Words
from tests.knock.lessons import FOUR_PIEZOS, PADS, THREE, edge, stroke

UNTUNED = Calibration()


@dataclass
class FakeJudge:
    """Knows a blow by its loudest sample; confuses what it is told to confuse."""

    knocks_from: float = 0.0
    taken_for: Mapping[float, Seat | None] = field(default_factory=dict)
    learned: list[Counter[Seat | None]] = field(default_factory=list)

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        loud = loudness_of(judged) * 10 ** (calibration.gain_db / 20)
        verdict = Verdict.KNOCK if loud >= self.knocks_from else Verdict.NOISE
        seat = self.taken_for.get(judged.at_s, Seat(int(judged.at_s // 100)))
        return replace(judged, verdict=verdict, seat=seat)

    def learn(
        self, calibration: Calibration, examples: Sequence[MarkedKnock]
    ) -> Calibration | None:
        self.learned.append(Counter(one.seat for one in examples))
        return None


def came_to(gathered: Gathered, judge: FakeJudge | None = None) -> TuningResult:
    judge = judge or FakeJudge()
    return weigh(gathered, UNTUNED, judge.rejudge, judge.learn)


def table(setup: SensorSetup = FOUR_PIEZOS, peak: float = 0.2, **more: object) -> Gathered:
    """Return three seats that knocked five times each, seat n from n times 100 s on."""
    knocks = {
        seat: tuple(stroke(100.0 * seat + n, peak, seat=seat) for n in range(5)) for seat in THREE
    }
    gathered = Gathered(setup, floor=(0.002,) * 4, knocks=knocks)
    return replace(gathered, **more)  # type: ignore[arg-type]


def found(result: TuningResult, key: str) -> Remark:
    """Return the remark whose key begins with *key*."""
    (remark,) = (one for one in result.remarks if one.line.key.startswith(key))
    return remark


def keys(result: TuningResult) -> set[str]:
    return {one.line.key for one in result.remarks}


@pytest.mark.parametrize(
    ("glass", "grade", "db"),
    [(0.02, Grade.GOOD, 20), (0.1, Grade.FAIR, 6), (0.2, Grade.POOR, 0), (0.4, Grade.POOR, -6)],
)
def test_how_far_knocks_are_above_the_loudest_glass(glass: float, grade: Grade, db: int) -> None:
    result = came_to(table(glasses=(stroke(0, 0.01), stroke(1, glass))))

    remark = found(result, "tuning.above-glass")

    assert (remark.grade, remark.line.facts["db"]) == (grade, db)


def test_the_softest_seat_counts() -> None:
    soft = {**table().knocks, Seat(2): tuple(stroke(200.0 + n, 0.02) for n in range(5))}

    result = came_to(table(knocks=soft, glasses=(stroke(0, 0.02),)))

    assert found(result, "tuning.above-glass").line.facts["db"] == 0
    assert found(result, "tuning.faint-seats").line.facts["seats"] == (Seat(2),)


def test_gain_brings_knocks_to_what_the_judge_knows() -> None:
    result = came_to(table(peak=0.05))

    assert result.calibration is not None
    assert result.calibration.gain_db + decibels(0.05) == pytest.approx(USUAL_KNOCK_DB, abs=0.05)
    assert result.calibration.floor == (0.002,) * 4


def test_gain_has_an_end() -> None:
    result = came_to(table(peak=0.001))

    assert result.calibration is not None
    assert result.calibration.gain_db == 20.0


def test_loud_knocks_are_not_turned_down() -> None:
    """Softer ones will come."""
    loud = {seat: (stroke(100.0 * seat, 0.9),) * 5 for seat in THREE}

    result = came_to(Gathered(FOUR_PIEZOS, knocks=loud))

    assert result.calibration is not None
    assert result.calibration.gain_db == 0.0


def test_its_effect_on_the_knocks_is_told() -> None:
    result = came_to(table(peak=0.05), FakeJudge(knocks_from=0.1))

    remark = found(result, "tuning.knocks-known")

    assert (remark.grade, dict(remark.line.facts)) == (
        Grade.GOOD,
        {"n": 15, "of": 15, "before": 0},
    )


def test_a_glass_that_would_be_taken_for_a_knock_is_told() -> None:
    gathered = table(glasses=(stroke(0, 0.19), stroke(1, 0.01), stroke(2, 0.01)))

    result = came_to(gathered, FakeJudge(knocks_from=0.1))

    facts = found(result, "tuning.glasses-mistaken").line.facts
    assert (facts["n"], facts["of"]) == (1, 3)


@dataclass
class LineJudge(FakeJudge):
    """Knows a knock by its loudest sample alone, and listens as strictly as it is told."""

    line: float = 0.1

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        loud = loudness_of(judged)
        verdict = (
            Verdict.KNOCK if loud >= self.line + calibration.strictness / 20 else Verdict.NOISE
        )
        return replace(judged, verdict=verdict)


@pytest.mark.parametrize(
    ("glass", "strictness"),
    [
        (0.09, 0.0),  # none would be mistaken
        (0.12, 0.5),
        (0.16, 1.5),
        (0.19, 0.0),  # as loud as the knocks: strictness would only cost some of them
    ],
)
def test_glasses_teach_how_strict_to_be_as_far_as_knocks_bear_it(
    glass: float, strictness: float
) -> None:
    gathered = table(glasses=(stroke(0, glass),))

    result = weigh(gathered, UNTUNED, LineJudge().rejudge, None)

    assert result.calibration is not None
    assert result.calibration.strictness == strictness
    assert found(result, "tuning.knocks-known").grade is Grade.GOOD


def test_seats_that_sound_alike_are_named_together() -> None:
    judge = FakeJudge(taken_for={100.0: Seat(2), 200.0: Seat(1), 0.0: Seat(0)})

    remark = found(came_to(table(), judge), "tuning.seats-alike")

    assert dict(remark.line.facts) == {"seats": (Seat(1), Seat(2)), "n": 2, "of": 10}


def test_a_knock_is_never_tried_on_what_it_taught() -> None:
    judge = FakeJudge()

    came_to(table(), judge)

    all_of_it, *tries = judge.learned
    assert all_of_it == dict.fromkeys(THREE, 5)
    assert tries == [dict.fromkeys(THREE, 4)] * 5


def test_seats_that_nobody_confuses_are_good_news() -> None:
    assert found(came_to(table()), "tuning.seats-apart").grade is Grade.GOOD


def test_knocks_that_stay_nobodys_are_counted() -> None:
    judge = FakeJudge(taken_for={0.0: None, 100.0: None})

    result = came_to(table(), judge)

    assert dict(found(result, "tuning.seats-unsure").line.facts) == {"n": 2, "of": 15}
    assert "tuning.seats-apart" not in keys(result)


def test_one_seat_alone_is_not_confused_with_itself() -> None:
    alone = {Seat(0): table().knocks[Seat(0)]}

    result = came_to(table(knocks=alone))

    assert not {"tuning.seats-apart", "tuning.seats-alike"} & keys(result)
    assert found(result, "tuning.seats-skipped").line.facts["seats"] == (Seat(1), Seat(2))


def test_a_sensor_that_no_knock_moved_is_named() -> None:
    gathered = table(floor=(0.002, 0.002, 0.002, 0.03))

    result = came_to(gathered)

    assert found(result, "tuning.sensors-deaf").line.facts["part"] == ("piezo 4",)


def test_a_sensor_that_hums_is_named() -> None:
    result = came_to(table(humming=(1, 3)))

    assert found(result, "tuning.sensors-hum").line.facts["part"] == ("piezo 2", "piezo 4")


CORNERS = SensorSetup(seats=tuple(map(Seat, range(4))), piezos=(None,) * 4)
OWN = SensorSetup(seats=CORNERS.seats, piezos=CORNERS.seats)


def round_the_table(
    setup: SensorSetup, lost_db: Mapping[int, float], *, far_db: float = 8.0, usual: float = 0.4
) -> Gathered:
    """Return knocks of four seats, each beside its disc; every step on takes *far_db*.

    The hands differ by 6 dB, and the converter adds its silence.
    """

    def felt(seat: int, disc: int) -> float:
        steps = min((seat - disc) % 4, (disc - seat) % 4)
        loud = usual * 10 ** ((3 * (-1) ** seat - far_db * steps - lost_db.get(disc, 0.0)) / 20)
        return float((loud**2 + 0.002**2) ** 0.5)

    def at(seat: int, n: int) -> Judgement:
        begun_s = 100.0 * seat + n
        channels = tuple((0.0, felt(seat, disc)) for disc in range(4))
        window = Window(begun_s, begun_s - 0.01, 4000.0, channels)
        return Judgement(begun_s, begun_s, Verdict.KNOCK, 0.9, 0.5, Seat(seat), 0.9, window=window)

    knocks = {seat: tuple(at(seat, n) for n in range(5)) for seat in setup.seats}
    return Gathered(setup, floor=(0.002,) * 4, knocks=knocks)


def loose(gathered: Gathered) -> dict[object, object]:
    return {
        one.line.facts["part"]: one.line.facts["db"]
        for one in came_to(gathered).remarks
        if one.line.key == "tuning.disc-loose"
    }


@pytest.mark.parametrize("setup", [OWN, CORNERS])
@pytest.mark.parametrize("lost_db", [12, 20])
def test_a_disc_that_is_loose_is_named_with_its_figure(setup: SensorSetup, lost_db: int) -> None:
    assert loose(round_the_table(setup, {2: lost_db})) == {setup.disc_name(2): lost_db}


def test_a_loose_disc_is_called_as_the_doctor_calls_it() -> None:
    """The tuning counted sensors from 1, where doctor and drawing have the channel from 0."""
    on_an_interface = replace(CORNERS, channels=(4, 5, 6, 7))

    found = [list(loose(round_the_table(one, {2: 12}))) for one in (OWN, CORNERS, on_an_interface)]

    assert found == [["piezo 3"], ["corner piezo 2"], ["corner piezo 6"]]


@pytest.mark.parametrize("setup", [OWN, CORNERS])
def test_glue_that_differs_a_little_and_a_large_table_make_no_disc_loose(
    setup: SensorSetup,
) -> None:
    assert loose(round_the_table(setup, {1: 6.0}, far_db=14.0)) == {}


@pytest.mark.parametrize("setup", [OWN, CORNERS])
def test_a_disc_that_nobody_knocked_near_is_far_and_not_loose(setup: SensorSetup) -> None:
    table = round_the_table(setup, {}, far_db=12.0)
    here = {seat: table.knocks[seat] for seat in (Seat(0), Seat(1))}

    assert loose(replace(table, knocks=here)) == {}


def test_knocks_that_are_soft_everywhere_ask_for_glue_with_the_figure() -> None:
    soft = came_to(round_the_table(OWN, dict.fromkeys(range(4), 20.0)))
    usual = came_to(round_the_table(OWN, {}, usual=0.2))

    remark = found(soft, "tuning.discs-faint")
    assert (remark.grade, remark.line.facts["db"]) == (Grade.FAIR, 17)
    assert "tuning.discs-faint" not in keys(usual)


def test_two_wires_that_are_crossed_are_named() -> None:
    crossed = {
        Seat(0): tuple(stroke(n, seat=Seat(1)) for n in range(5)),
        Seat(1): tuple(stroke(100.0 + n, seat=Seat(0)) for n in range(5)),
        Seat(2): table().knocks[Seat(2)],
    }

    result = came_to(table(knocks=crossed))

    said = [dict(one.line.facts) for one in result.remarks if one.line.key == "tuning.crossed"]
    assert said == [{"seat": Seat(0), "of": Seat(1)}, {"seat": Seat(1), "of": Seat(0)}]


def test_of_pads_it_can_only_be_told_which_ones_answer() -> None:
    knocks = {seat: tuple(edge(n, seat) for n in range(5)) for seat in THREE[:2]}

    result = came_to(Gathered(PADS, knocks=knocks))

    assert result.calibration is None
    assert [(one.grade, one.line.key, one.line.facts["seats"]) for one in result.remarks] == [
        (Grade.GOOD, "tuning.pads-answer", THREE[:2]),
        (Grade.POOR, "tuning.pads-silent", THREE[2:]),
    ]


def test_nothing_gathered_proposes_nothing() -> None:
    result = came_to(Gathered(FOUR_PIEZOS))

    assert result == TuningResult((), None)


def test_what_the_table_was_taught_before_stays_where_nothing_new_is_known() -> None:
    judge = FakeJudge()

    result = weigh(table(), Calibration(strictness=0.7), judge.rejudge, judge.learn)

    assert result.calibration is not None
    assert result.calibration.strictness == 0.7


def test_a_table_that_attributes_no_seat_hears_nothing_about_them() -> None:
    result = weigh(table(), UNTUNED, FakeJudge().rejudge, None)

    assert not {"tuning.seats-apart", "tuning.seats-alike"} & keys(result)
    assert result.calibration is not None


def test_every_remark_is_a_sentence() -> None:
    judge = FakeJudge(knocks_from=0.1, taken_for={100.0: Seat(2)})
    gathered = table(
        glasses=(stroke(0, 0.19),),
        buzz=0.15,
        buzzed=(stroke(1, 0.15),),
        humming=(0,),
        floor=(0.002, 0.002, 0.002, 0.03),
    )

    result = came_to(gathered, judge)

    assert len(result.remarks) >= 8
    said = [Words("en").say(one.line.key, one.line.facts) for one in result.remarks]
    assert [one for one in said if one.startswith("tuning.") or "…" in one] == []


def test_of_a_pad_whose_pulses_were_timed_it_is_told_which_way_to_turn_it() -> None:
    rang_s = {Seat(0): 0.0235, Seat(1): 0.1, Seat(2): 0.006}
    knocks = {
        seat: tuple(replace(edge(n, seat), rang_s=lasts_s) for n in range(5))
        for seat, lasts_s in rang_s.items()
    }

    told = came_to(Gathered(PADS, knocks=knocks)).remarks[1:]

    assert [(one.line.key, one.line.facts["seat"], one.grade) for one in told] == [
        ("tuning.pad-set", Seat(0), Grade.GOOD),
        ("tuning.pad-coarser", Seat(1), Grade.FAIR),
        ("tuning.pad-finer", Seat(2), Grade.FAIR),
    ]
    assert told[1].line.facts["db"] == 6


@pytest.mark.parametrize(
    ("passed", "key"), [(None, "pad-set"), (0, "pad-set"), (1, "pad-set"), (2, "pad-coarser")]
)
def test_glasses_beside_a_pad_turn_its_trimmer_where_most_of_them_pass(
    passed: int | None, key: str
) -> None:
    """As `kloplei doctor --pads` would turn it."""
    assert on_pad(0.0235, passed).line.key == f"tuning.{key}"


def test_where_glasses_pass_a_pad_that_is_set_well_it_is_said_to_keep_them_away() -> None:
    told = on_pad(0.0163, 3)

    assert (told.line.key, told.grade) == ("tuning.pad-passes", Grade.FAIR)


def on_pad(rang_s: float, passed: int | None) -> Remark:
    """Return what is said of the trimmer of a pad that is down so long for knocks and glasses."""
    felt = [replace(edge(n, Seat(0)), rang_s=rang_s) for n in range(8)]
    glasses = None if passed is None else tuple(felt[5 : 5 + passed])
    gathered = Gathered(PADS, knocks={Seat(0): tuple(felt[:5])}, beside={Seat(0): glasses})
    return came_to(gathered).remarks[-1]
