"""What passes a check, and what is said of what does not."""

import pytest

from kloplei.validation import Check, NotAllowed, list_of, narrowed, number, switch, whole

SEATS = whole(1, 8)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (SEATS, 1),
        (SEATS, 8),
        (number(0, 1), 0.5),
        (switch(), False),
        (narrowed(SEATS, "an even number", lambda one: one % 2 == 0), 4),
    ],
)
def test_what_may_be_passes_as_it_is(check: Check, value: object) -> None:
    assert check.read(value) == value
    assert type(check.read(value)) is type(value)


def test_a_whole_number_is_a_number_and_a_list_becomes_a_tuple() -> None:
    found = list_of(number(0, 1), 0, 2).read([0, 1])

    assert found == (0.0, 1.0)
    assert [type(one) for one in found] == [float, float]


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (SEATS, 9, "holds 9, but must hold a whole number from 1 to 8"),
        (SEATS, True, "holds True, but must hold a whole number from 1 to 8"),
        (SEATS, 2.0, "holds 2.0, but must hold a whole number from 1 to 8"),
        (number(-3, 0.5), float("nan"), "holds nan, but must lie from -3 to 0.5"),
        (number(0, 1), float("inf"), "holds inf, but must lie from 0 to 1"),
        (number(0, 1), 10**400, "holds a number without end, but must lie from 0 to 1"),
        (number(0, 1), False, "holds False, which is no number"),
        (number(0, 1), "x" * 999, "holds 'xxxxxxxxxxxx...xxxxxxxxxxxxx', which is no number"),
        (switch(), 1, "holds 1, but must hold true or false"),
        (list_of(SEATS, 2, 2), [1], "must be a list of 2"),
        (list_of(SEATS, 0, 2), (1, 2), "must be a list of 0 to 2"),
        (list_of(SEATS, 0, 2), [1, 9], "holds 9, but must hold a whole number from 1 to 8"),
        (narrowed(SEATS, "an even one", lambda one: one % 2 == 0), 3, "must hold an even one"),
    ],
)
def test_what_may_not_be_is_said_in_words_that_go_on_from_its_name(
    check: Check, value: object, said: str
) -> None:
    with pytest.raises(NotAllowed) as refused:
        check.read(value)

    assert said in str(refused.value)
