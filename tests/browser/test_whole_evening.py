"""What a room hears and sees of an evening, without a look at the cards."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kloplei.config.settings import VoiceConfig
from kloplei.demo.bots import WITH_THOUGHT, next_press
from kloplei.demo.table import Demo, demo_config, for_show
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import GUIDE, Hand, Scoreboard
from kloplei.table.client import Frame
from kloplei.table.session import Session
from kloplei.voice.calls import phrases
from kloplei.voice.recorded import RecordedVoice
from kloplei.words import Words
from tests.browser.conftest import TIMINGS, House, Visitors, picture, wait_for_seq
from tests.browser.test_calls import TOLD, expect_called
from tests.until import until
from tests.voice.test_recorded import CLIP

pytestmark = pytest.mark.browser
HANDS = 6


@pytest.fixture
def game() -> str:
    return "toepen"


@pytest.fixture
def is_new() -> bool:
    """Whether the box has had no evening yet, and leads through the first hand."""
    return False


@pytest.fixture
def house(game: str, is_new: bool) -> Iterator[House]:
    clock = ManualSchedule()
    config = demo_config(game=game)
    if is_new:
        config = replace(for_show(config), voice=VoiceConfig())
    with Demo(config=config, timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


def recording(house: House, screen: Page, hands: int) -> Iterator[tuple[str, Scoreboard]]:
    """Yield what stands on *screen* after each step of bots, and what the table knows."""
    table, dice = house.demo.client, random.Random(4)
    while len(table.scoreboard().hands) < hands:
        board = table.scoreboard()
        press = WITH_THOUGHT.get(board.game, next_press)(board, dice)
        if press is None:
            continue
        with suppress(IllegalAction):
            wait_for_seq(screen, table.submit(press.seat, press.action, facts=press.facts))
            yield " ".join(screen.locator("#table").inner_text().split()), table.scoreboard()


def who_and_why(hand: Hand, board: Scoreboard, words: Words) -> str:
    """Return who *hand* is told by, and by what: who won it, who paid, or who got most chips."""
    if hand.ledger:
        most = max(hand.paid.values())
        best = [board.names[seat] for seat, chips in hand.paid.items() if chips == most > 0]
        return f"{best[0]} +{most}" if len(best) == 1 else ""
    seats = next((side for side in board.duel if hand.winner in side), (hand.winner,))
    if hand.winner is None:
        seats = tuple(seat for seat, lives in hand.paid.items() if lives > 0)
    names = " · ".join(board.names[seat] for seat in seats if seat is not None)
    return f"{names} {words.say(hand.how, {})}" if names else ""


@pytest.mark.parametrize("game", ["toepen", "watten", "eenendertigen", "tarok"])
@pytest.mark.parametrize("language", ["nl", "ja"])
def test_the_large_screen_alone_tells_who_won_each_hand_and_why(
    house: House, visitors: Visitors, game: str, language: str
) -> None:
    screen = visitors.open(f"/tv?lang={language}", 1280, 720)
    words, before, tells = Words(language).of_game(game), 0, 0

    for text, board in recording(house, screen, HANDS):
        if len(board.hands) <= before:
            continue
        before, told = len(board.hands), who_and_why(board.hands[-1], board, words)
        tells += bool(told)
        assert told in text
        picture(screen, f"why-{game}-{language}")
    assert before == HANDS
    assert tells >= HANDS - 2  # all chips may go into the pots


@pytest.mark.parametrize("is_new", [True], ids=["new box"])
def test_the_first_hand_is_led_on_slate_large_screen_phone_and_aloud_alike(
    house: House, visitors: Visitors, tmp_path: Path
) -> None:
    table = house.demo.client
    assert isinstance(table, Session)
    table.voice = voice = RecordedVoice(tmp_path, "nl")
    for text in phrases("nl"):
        voice.keep("nl", text, CLIP)
    words = Words("nl").of_game("toepen")
    screen, phone = visitors.open("/tv?lang=nl", 1280, 720), visitors.open("/?seat=2&lang=nl")
    screen.evaluate(TOLD)
    with screen.expect_response("**/api/v1/calls?after=0"):
        screen.locator("#calls").click()

    table.submit(None, "deal")
    for hand in (2, 3):
        until(lambda: is_led(table.scoreboard()))
        line = table.scoreboard().shown
        assert line is not None
        told = words.say(line.key, line.facts, table.scoreboard().names)
        for page in (screen, phone):
            expect(page.locator(".shown")).to_have_text(told)
        expect_called(screen, told.rpartition(": ")[2])  # names are clips of their own
        led = house.demo.virtual.oled.frame
        # Who knocks on has no more of it, anywhere.
        house.demo.knock(hand, 1)
        house.pass_time(TIMINGS.gap_s / 4)
        for page in (screen, phone):
            expect(page.locator(".shown")).to_have_count(0)
        until(partial(differs, house, led))
        house.pass_time()
    assert table.scoreboard().stake == 2


def is_led(board: Scoreboard) -> bool:
    return board.shown is not None and board.shown.key.startswith(GUIDE)


def differs(house: House, frame: Frame | None) -> bool:
    return house.demo.virtual.oled.frame != frame
