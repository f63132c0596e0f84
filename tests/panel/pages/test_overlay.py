"""The overlay of a stream: all of it is in the address, and nothing on it can be pressed."""

import re

import pytest

from tests.panel.conftest import Phone


@pytest.mark.parametrize("corner", ["top-left", "top-right", "bottom-left", "bottom-right"])
def test_the_address_says_where_it_stands_and_how_loud(phone: Phone, corner: str) -> None:
    page = phone.get(f"/overlay?corner={corner}&theme=quiet").text

    assert f"at-{corner}" in page
    assert "theme-quiet" in page


@pytest.mark.parametrize("path", ["/overlay", "/overlay?corner=middle&theme=%22%3E"])
def test_what_nobody_can_mean_is_as_the_house_has_it(phone: Phone, path: str) -> None:
    page = phone.get(path).text

    assert "overlay theme-loud at-top-left" in page


def test_there_is_nothing_to_press_and_nothing_to_remember(phone: Phone) -> None:
    response = phone.get("/overlay")

    assert re.findall("<(?:a|button|form|input|select|summary)[ >]", response.text) == []
    assert "Set-Cookie" not in response.headers


def test_players_tallies_and_the_stake_are_drawn_anew(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(1, "knock")

    drawn = phone.get("/overlay/slate").text

    assert '<strong id="price-2">2' in drawn
    assert drawn.count("asked") == 3 + 1  # the seats, and the price
