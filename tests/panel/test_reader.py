"""Numbers that come in with an address or a form."""

import pytest

from kloplei_panel.reader import whole


@pytest.mark.parametrize(("written", "number"), [("0", 0), ("7", 7), ("007", 7), ("999", 999)])
def test_plain_digits_are_a_number(written: str, number: int) -> None:
    assert whole(written, 3) == number


@pytest.mark.parametrize("written", ["", "-1", "+1", " 1", "1_0", "1.0", "²", "٣", "1000", "one"])
def test_anything_else_is_none(written: str) -> None:
    assert whole(written, 3) is None
