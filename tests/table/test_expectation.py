"""What knocks a table expects, and how far that moves the line that a blow has to pass."""

from dataclasses import replace
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.knock.judgement import (
    DEAD_S,
    DOUBTFUL_LINE,
    KNOCK_LINE,
    Judgement,
    Verdict,
    eased,
    verdict,
)
from kloplei.table.core import Table
from kloplei.table.expectation import (
    BEGUN,
    FLOOR,
    MAY,
    NONE,
    OWED,
    OWN_VOICE,
    Expectation,
    Expectations,
)
from kloplei.table.messages import finding
from kloplei.table.seating import TableSetup
from tests.table.at_the_door import asks
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop

FIRST, SECOND, THIRD = Seat(0), Seat(1), Seat(2)
SHARES = st.floats(0.0, 1.0)


def judged(likelihood: float, seat: Seat | None = FIRST, at_s: float = 10.0) -> Judgement:
    return Judgement(
        at_s, at_s + 0.05, verdict(likelihood), likelihood, 0.5, seat, 0.0 if seat is None else 1.0
    )


def weighed(likelihood: float, *seats: float, seat: Seat | None = FIRST) -> Judgement:
    found = Expectations(lambda: Expectation(seats)).weigh(judged(likelihood, seat))
    assert found is not None
    return found


@pytest.mark.parametrize("expected", [OWED, BEGUN, MAY, NONE])
def test_while_the_box_speaks_nobody_is_heard_by_a_milder_line(expected: float) -> None:
    expectations = Expectations(lambda: Expectation((expected,)), lambda at_s: 10.0 <= at_s < 11.0)

    speaking = expectations.weigh(judged(0.4, at_s=10.5))
    silent = expectations.weigh(judged(0.4, at_s=12.0))

    assert speaking is not None
    assert silent is not None
    assert speaking.verdict is not Verdict.KNOCK
    assert speaking.line == eased(KNOCK_LINE, min(expected, OWN_VOICE))
    assert silent.line == eased(KNOCK_LINE, expected)


class Toepers(Tabletop):
    """Three who play toepen, of four seats; the first deals."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(MemoryJournal(), TableSetup(seats=4, game="toepen"))
        self.start(1, 2, 3)
        self.dealer = self.board.dealer
        assert self.dealer == FIRST

    @property
    def expected(self) -> tuple[float, ...]:
        return self.table.expectation().by_seat


def test_between_hands_little_is_expected_and_of_the_dealer_alone() -> None:
    assert Toepers().expected == (MAY, NONE, NONE, MAY)  # a free seat is taken by a knock


def test_in_play_anybody_who_may_knock_may() -> None:
    toepers = Toepers()

    toepers.ask(1, "deal")

    assert toepers.expected == (MAY, MAY, MAY, NONE)


def test_who_has_to_answer_is_expected_and_who_knocked_is_not() -> None:
    toepers = Toepers()
    toepers.ask(1, "deal")

    toepers.knock(2)

    assert toepers.expected == (OWED, NONE, OWED, NONE)


def test_who_has_answered_is_expected_no_more() -> None:
    toepers = Toepers()
    toepers.ask(1, "deal")
    toepers.knock(2)

    toepers.knock(3)

    assert toepers.expected == (OWED, NONE, NONE, NONE)


def test_the_rest_of_a_pattern_is_judged_as_it_comes() -> None:
    """A second false knock after a true one would fold: no answer is helped along twice."""
    toepers = Toepers()
    toepers.ask(1, "deal")
    toepers.knock(2)

    toepers.knock(1, settle=False)

    assert toepers.expected == (BEGUN, NONE, OWED, NONE)


def test_a_pattern_on_a_shared_sensor_may_be_anybodys() -> None:
    toepers = Toepers()

    toepers.knock(None, settle=False)

    assert toepers.expected == ()


def test_a_seat_that_is_asked_something_has_to_answer(tabletop: Tabletop) -> None:
    tabletop.knock(1, 5)
    assert tabletop.board.asking is not None

    assert tabletop.table.expectation().by_seat == (OWED, MAY, MAY, NONE)


def test_where_a_bar_runs_any_other_seat_may_stop_it(tabletop: Tabletop) -> None:
    tabletop.knock(1, 2)
    assert tabletop.board.grace is not None

    assert tabletop.table.expectation().by_seat == (NONE, MAY, MAY, MAY)


def test_while_a_doubt_stands_any_knock_may_be_the_answer() -> None:
    toepers = Toepers()
    toepers.knock(1, 2, doubtful=True)
    assert toepers.board.doubt is not None

    assert toepers.expected == ()


def test_while_a_phone_asks_to_be_let_in_knocks_for_it_are_judged_as_ever() -> None:
    toepers = Toepers()

    asks(toepers)

    assert toepers.expected == ()


@pytest.mark.parametrize(
    ("likelihood", "expected", "found"),
    [
        (0.3, OWED, Verdict.KNOCK),
        (0.3, BEGUN, Verdict.DOUBTFUL),
        (0.3, NONE, Verdict.NOISE),
        (0.2, OWED, Verdict.DOUBTFUL),
        (0.55, MAY, Verdict.DOUBTFUL),
        (0.7, NONE, Verdict.DOUBTFUL),
        (0.75, NONE, Verdict.KNOCK),
    ],
)
def test_the_line_is_milder_where_an_answer_is_owed_and_stricter_where_none_may_knock(
    likelihood: float, expected: float, found: Verdict
) -> None:
    assert weighed(likelihood, expected).verdict is found


@given(SHARES, st.floats(NONE, OWED))
def test_what_was_heard_is_told_as_it_was(likelihood: float, expected: float) -> None:
    before = judged(likelihood)

    after = weighed(likelihood, expected)

    assert replace(after, verdict=before.verdict, line=before.line) == before


@given(SHARES, st.floats(NONE, OWED))
def test_a_noise_never_becomes_a_knock_and_a_knock_never_noise(
    likelihood: float, expected: float
) -> None:
    change = (verdict(likelihood), weighed(likelihood, expected).verdict)

    assert change not in {(Verdict.NOISE, Verdict.KNOCK), (Verdict.KNOCK, Verdict.NOISE)}


@given(st.floats(0.0, FLOOR, exclude_max=True))
def test_what_hardly_sounded_like_a_knock_is_none_whoever_owes_one(likelihood: float) -> None:
    assert weighed(likelihood, OWED).verdict is Verdict.NOISE


@given(SHARES)
def test_where_nothing_is_known_of_a_game_nothing_moves(likelihood: float) -> None:
    assert weighed(likelihood) == judged(likelihood)
    assert weighed(likelihood).line == KNOCK_LINE


def test_what_nobody_can_place_may_be_the_answer() -> None:
    assert weighed(0.3, NONE, OWED, seat=None).verdict is Verdict.KNOCK


def test_a_seat_that_is_hardly_sure_counts_in_part() -> None:
    expected = Expectation((NONE, OWED))

    sure, unsure = expected.at(FIRST, 1.0), expected.at(FIRST, 0.8)

    assert sure == pytest.approx(NONE)
    assert NONE < unsure < OWED


def test_what_lies_between_two_seats_is_of_the_one_that_owes_an_answer() -> None:
    between = replace(judged(0.9, None), confidence=0.6, likely=((FIRST, 0.6), (SECOND, 0.4)))

    placed = Expectations(lambda: Expectation((NONE, OWED))).weigh(between)

    assert placed is not None
    assert placed.seat == SECOND
    assert placed.confidence == pytest.approx(0.4 * exp(2) / (0.4 * exp(2) + 0.6))


@pytest.mark.parametrize(
    ("likely", "expected"),
    [
        (((FIRST, 0.6), (SECOND, 0.4)), (OWED, OWED)),
        (((FIRST, 0.6), (SECOND, 0.4)), (MAY, NONE)),
        (((FIRST, 0.79), (SECOND, 0.21)), (NONE, OWED)),
        (((FIRST, 0.6), (SECOND, 0.4)), ()),
        ((), (NONE, OWED)),
    ],
)
def test_what_lies_between_two_seats_of_which_none_is_much_likelier_is_left_open(
    likely: tuple[tuple[Seat, float], ...], expected: tuple[float, ...]
) -> None:
    between = replace(judged(0.9, None), likely=likely)

    weighed = Expectations(lambda: Expectation(expected)).weigh(between)

    assert weighed is not None
    assert weighed.seat is None


def test_the_second_knock_between_two_seats_is_of_the_one_whose_the_first_was() -> None:
    """Else an answer of one knock would stand there, and a question whose the other was."""
    toepers = Toepers()
    toepers.ask(1, "deal")
    toepers.knock(2)
    expectations = Expectations(toepers.table.expectation)
    for _ in range(2):
        between = replace(
            judged(0.9, None, at_s=toepers.now_s), likely=((SECOND, 0.6), (THIRD, 0.4))
        )
        placed = expectations.weigh(between)
        assert placed is not None
        assert placed.seat == THIRD
        toepers.table.handle(finding(placed), toepers.now_s)
        toepers.wait(0.2)
    toepers.wait(0.5)

    assert toepers.board.asking is None
    in_hand = {row.seat for row in toepers.board.rows if "in_hand" in row.flags}
    assert in_hand == {FIRST, SECOND}, "two knocks fold"


def test_what_is_surely_of_a_seat_stays_that_ones_whoever_owes_an_answer() -> None:
    sure = replace(judged(0.9, FIRST), confidence=0.8, likely=((FIRST, 0.8), (SECOND, 0.2)))

    weighed = Expectations(lambda: Expectation((NONE, OWED))).weigh(sure)

    assert weighed is not None
    assert (weighed.seat, weighed.confidence) == (FIRST, 0.8)


def test_a_verdict_that_no_likelihood_led_to_stays() -> None:
    """Pads feel edges alone: theirs is doubtful for other reasons."""
    pad = replace(judged(0.5), verdict=Verdict.DOUBTFUL, part="pad 1")

    assert Expectations(lambda: Expectation((OWED,))).weigh(pad) == pad


@pytest.mark.parametrize("expected", [OWED, MAY, NONE])
def test_what_may_have_been_a_second_hand_stays_a_doubt(expected: float) -> None:
    """The judge says no more of it than that, however it sounded: it would have been lost."""
    second = replace(judged(DOUBTFUL_LINE), is_held=True)

    assert Expectations(lambda: Expectation((expected,))).weigh(second) == second


def test_the_echo_of_a_doubt_that_was_a_knock_is_none() -> None:
    """The judge took it for a doubt, after which it listens for no echo; it would have folded."""
    expectations = Expectations(lambda: Expectation((OWED, OWED)))
    expectations.weigh(judged(0.4))

    assert expectations.weigh(judged(0.9, at_s=10.0 + 0.9 * DEAD_S)) is None
    assert expectations.weigh(judged(0.9, None, at_s=10.0 + 0.9 * DEAD_S)) is None
    assert expectations.weigh(judged(0.9, SECOND, at_s=10.0 + 0.9 * DEAD_S)) is not None
    assert expectations.weigh(judged(0.9, at_s=10.0 + 1.5 * DEAD_S)) is not None
