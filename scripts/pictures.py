"""Make the pictures of the docs: the demo plays known deals, a browser looks at them."""

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from kloplei.config.settings import SlateConfig
from kloplei.demo.table import Demo, demo_config, on_glass
from kloplei.diagnostics.doctor import TableDoctor
from kloplei.diagnostics.findings import bad, good, poor
from kloplei.diagnostics.registry import Examination
from kloplei.games.game import Seat
from kloplei.table.history_client import Player
from kloplei.table.session import Session
from kloplei_panel.app import create_app
from kloplei_panel.context import PanelSettings
from kloplei_panel.server import Server
from tests.panel.past import Past, titled, toepen

FOLDER = Path(__file__).parents[1] / "docs/pictures"
CHROMIUM = os.environ.get(
    "KLOPLEI_CHROMIUM",
    # One that opens no windows, if there is one: it does half as much for the same pages.
    shutil.which("/usr/bin/chromium-headless-shell") or "/usr/bin/chromium",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
JOIN_URL = "http://192.168.1.23:8080/"  # what a phone in a house network would be told
SLATE_SCALE = 6
PATIENCE_S = 10.0
SHOUTED_S = 1.5  # a raise fills the slate for a moment
FANFARE_S = 5.0  # and so long a fanfare
MOST_BREAK_S = 120  # by then the break has told all that it has
SETTLED_S = 0.7  # fragments are fetched and swapped after an event

WATTEN_TRICK = ("HA", "S9", "D6", "H9")
TAROK_TRICK = ("T14", "EX", "KH")
TAROK_PILE = "fives=3&queens=1&cavaliers=2&jacks=1&size=27"

PHONE = {"width": 390, "height": 844}
TALL = {"width": 390, "height": 1280}  # a page that is longer than a phone
SCREEN = {"width": 1280, "height": 800}
TV = {"width": 1920, "height": 1080}
OVERLAY = {"width": 960, "height": 540}


def play_a_known_hand(demo: Demo) -> None:
    """Leave the table at the moment that shows most: Tame is poor, Thomas has knocked to 3."""
    table = demo.client
    for at, lives in enumerate((3, 9, 6, 4)):
        table.submit(Seat(at), "chalk", facts={"lives": lives}, via="table")
    table.submit(Seat(3), "deal")
    for at in (2, 3, 0):
        table.submit(Seat(at), "stay")
    table.submit(Seat(2), "knock")
    table.submit(Seat(3), "fold")


def play_a_known_hand_in_japanese(demo: Demo) -> None:
    """Leave the table at the same moment, with people of other names."""
    for at, name in enumerate(("阿部", "さくら", "ケンタ", "颯太")):
        demo.client.submit(Seat(at), "rename", facts={"name": name}, via="table")
    play_a_known_hand(demo)


def rest_after_a_known_evening(demo: Demo) -> None:
    """Leave the table as after an evening that has earned three titles."""
    names = ("Thijs", "Tame", "Thomas", "Stan")
    players = tuple(Player(at, name, at) for at, name in enumerate(names, 1))
    evening = titled(toepen(0, players, hands=60))
    cast("Session", demo.client).history = Past({0: evening})


def one_trick_before_the_end(demo: Demo) -> None:
    """Leave the table where whoever takes the last trick wins the rubber."""
    table = demo.client
    for at, lives in enumerate((8, 6, 8, 8)):
        table.submit(Seat(at), "chalk", facts={"lives": lives}, via="table")
    table.submit(None, "deal", via="table")
    table.submit(Seat(0), "knock")
    for at in (1, 2, 3):
        table.submit(Seat(at), "stay")


def take_the_last_trick(demo: Demo) -> None:
    """Let Tame take it."""
    demo.client.submit(Seat(1), "trick", facts={"n": 4})


def play_a_known_deal_of_watten(demo: Demo) -> None:
    """Leave the table at an open raise: one team is gestrichen, and the other one asks for 3."""
    table = demo.client
    for winner in (1, 0, 1, 0, 1, 1, 1, 1):
        announce(demo)
        for _ in range(3):
            table.submit(Seat(winner), "trick", via="table")
    announce(demo)
    for at in (1, 2):
        table.submit(Seat(at), "trick")
    table.submit(Seat(0), "raise")


def play_a_hand_of_tarok_to_its_count(demo: Demo) -> None:
    """Leave the table where the last trick is told, and piles are counted."""
    table = demo.client
    table.submit(None, "deal", via="table")
    leader = table.scoreboard().leader
    table.submit(leader, "last_trick")


def play_hands_of_tarok(demo: Demo) -> None:
    """Leave the table in its third hand: two have moved chips, and both pots have grown."""
    table = demo.client
    for _ in range(2):
        tell_a_hand_of_tarok(demo)
    table.submit(None, "deal", via="table")
    *others, dealer = in_the_order_of_play(demo)
    for at in (dealer, *others):
        table.submit(at, "pass")


def tell_a_hand_of_tarok(demo: Demo) -> None:
    """Deal; who leads loses a king and takes the last trick, the dealer has eleven taroks."""
    table = demo.client
    table.submit(None, "deal", via="table")
    leader, *_, dealer = in_the_order_of_play(demo)
    table.submit(dealer, "declare", facts={"what": "taroks", "count": 11, "pagat": True})
    table.submit(leader, "fate", facts={"what": "king_lost"})
    table.submit(dealer, "fate", facts={"what": "pagat_home"})
    table.submit(leader, "last_trick", via="table")
    for at, points in ((leader, 31), (dealer, 29)):
        table.submit(at, "points", facts={"points": points})
    table.submit(None, "book", via="table")


def tell_half_a_hand_of_tarok(demo: Demo) -> None:
    """Leave the table where one pile is counted: the next one is asked for."""
    play_hands_of_tarok(demo)
    table = demo.client
    leader, between, dealer = in_the_order_of_play(demo)
    table.submit(leader, "declare", facts={"what": "cavalry_half", "suit": "H"})
    table.submit(between, "fate", facts={"what": "pagat_home"})
    table.submit(dealer, "last_trick", via="table")
    table.submit(dealer, "points", facts={"points": 31})


def settle_an_evening_of_tarok(demo: Demo) -> None:
    """Leave the table when everybody has got a share of the pots, and losers have to pay."""
    play_hands_of_tarok(demo)
    table = demo.client
    table.submit(None, "throw_in", via="table")
    table.submit(None, "book", via="table")
    table.submit(None, "settle", via="table")
    time.sleep(FANFARE_S)


def in_the_order_of_play(demo: Demo) -> list[Seat]:
    """Return who plays the running hand, the first lead first and the dealer last."""
    board = demo.client.scoreboard()
    playing = [row.seat for row in board.rows if "in_hand" in row.flags]
    between = [seat for seat in playing if seat not in (board.leader, board.dealer)]
    return [seat for seat in (board.leader, *between, board.dealer) if seat is not None]


def announce(demo: Demo) -> None:
    """Deal, and name nine and hearts."""
    table = demo.client
    table.submit(None, "deal", via="table")
    for action, facts in (("schlag", {"rank": "9"}), ("trump", {"suit": "H"})):
        for row in table.scoreboard().rows:
            if any(offer.action == action for offer in row.offers):
                table.submit(row.seat, action, facts=facts)
                break


def main() -> int:
    """Write all pictures; return 0."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with served(Demo(url=JOIN_URL), play_a_known_hand) as (demo, url):
            picture_of_slate(demo, "slate")
            picture_of_page(browser, f"{url}/?seat=1", PHONE, "phone")
            picture_of_page(browser, f"{url}/demo", SCREEN, "demo")
            picture_of_page(browser, f"{url}/tv", TV, "tv")
        with served(Demo(), play_a_known_hand, join_url="") as (demo, url):
            fit_a_doctor(demo)
            picture_of_page(browser, f"{url}/doctor?lang=en", TALL, "doctor")
        with served(Demo(url=JOIN_URL), play_a_known_hand) as (_, url):
            picture_of_page(browser, f"{url}/overlay?lang=nl", OVERLAY, "overlay")
        with served(Demo(url=JOIN_URL), one_trick_before_the_end) as (demo, url):
            picture_of_moment(browser, f"{url}/tv", partial(take_the_last_trick, demo), "tv-won")
        with served(Demo(url=JOIN_URL), rest_after_a_known_evening) as (_, url):
            picture_of_ceremony(browser, f"{url}/tv?theme=loud&lang=en", "tv-titles")
        with served(Demo(config=demo_config("ja")), play_a_known_hand_in_japanese) as (demo, _):
            picture_of_slate(demo, "slate-japanese")
        for size, name in (("256x64", "slate-wide"), ("128x32", "slate-low")):
            config = on_glass(demo_config(), size)
            with served(Demo(config=config, url=JOIN_URL), play_a_known_hand) as (demo, _):
                picture_of_slate(demo, name)
        with served(watten(), play_a_known_deal_of_watten) as (demo, url):
            picture_of_slate(demo, "watten-slate")
            picture_of_page(browser, f"{url}/?seat=2&lang=de", PHONE, "watten-phone")
            picture_of_trick(browser, f"{url}/judge?lang=de", WATTEN_TRICK, "watten-judge")
        with served(tarok(), play_a_hand_of_tarok_to_its_count) as (_, url):
            picture_of_trick(browser, f"{url}/judge?lang=en", TAROK_TRICK, "tarok-judge")
            picture_of_page(browser, f"{url}/count?lang=en&{TAROK_PILE}", PHONE, "tarok-count")
        with served(tarok(), play_hands_of_tarok) as (demo, _):
            picture_of_slate(demo, "tarok-slate")
        with served(tarok(), tell_half_a_hand_of_tarok) as (demo, url):
            seat = in_the_order_of_play(demo)[-1].shown
            picture_of_page(browser, f"{url}/?seat={seat}&lang=en", TALL, "tarok-phone")
        with served(tarok(), settle_an_evening_of_tarok) as (demo, _):
            picture_of_slate(demo, "tarok-slate-settled")
        browser.close()
    return 0


def fit_a_doctor(demo: Demo) -> None:
    """Let the doctor find what is often wrong in a box that somebody has just built."""
    session = cast("Session", demo.client)
    found = (
        bad("i2c", "i2c.other", "do.i2c-address", address="0x3C", other="0x3D"),
        poor("power", "power.was-low", "do.better-supply"),
        good("board", "board.good", model="Raspberry Pi Zero 2 W Rev 1.0"),
        good("pin library", "library.good", gpiozero="2.0.1.post3", through="lgpio 0.2.2.0"),
        good("pins", "pins.good", count=18),
        good("temperature", "temperature.good", degrees=48),
    )
    examination = Examination({"box": lambda: found})
    session.doctor = TableDoctor(
        session, seats=8, examination=examination, show=None, slate=SlateConfig()
    )


def watten() -> Demo:
    """Return a demo at which Watten is played, in German."""
    config = demo_config("de")
    return Demo(config=replace(config, table=replace(config.table, game="watten")), url=JOIN_URL)


def tarok() -> Demo:
    """Return a demo at which Danish Tarok is played."""
    config = demo_config("en")
    return Demo(config=replace(config, table=replace(config.table, game="tarok")), url=JOIN_URL)


@contextmanager
def served(
    demo: Demo, play: Callable[[Demo], None], join_url: str = JOIN_URL
) -> Iterator[tuple[Demo, str]]:
    """Serve *demo* as *play* leaves it; yield it with the address of its pages."""
    with demo:
        app = create_app(demo.client, settings=PanelSettings(join_url=join_url), demo=demo)
        with Server(app, "127.0.0.1", 0) as server:
            play(demo)
            wait_for(lambda: demo.client.frame() is not None, "the slate stays dark")
            time.sleep(SETTLED_S + SHOUTED_S)
            yield demo, f"http://127.0.0.1:{server.port}"


def picture_of_slate(demo: Demo, name: str) -> None:
    """Write what stands on the OLED, magnified, in the blue-white of the glass."""
    frame = demo.client.frame()
    if frame is None:
        raise SystemExit("the slate went dark")
    mode = "1" if frame.depth == 1 else "L"
    bits = Image.frombytes(mode, (frame.width, frame.height), frame.bits).convert("L")
    glass = Image.merge(
        "RGB", (bits.point(lambda v: v * 200 // 255), bits.point(lambda v: v * 230 // 255), bits)
    )
    size = (frame.width * SLATE_SCALE, frame.height * SLATE_SCALE)
    save(glass.resize(size, Image.Resampling.NEAREST), name)


def picture_of_page(browser: Browser, url: str, size: dict[str, int], name: str) -> None:
    """Write the page at *url* as a window of *size* pixels shows it."""
    page = browser.new_page(viewport=size)  # type: ignore[arg-type]
    page.goto(url)
    page.wait_for_timeout(1000 * SETTLED_S)
    save(Image.open(io.BytesIO(page.screenshot())), name)
    page.close()


def picture_of_moment(browser: Browser, url: str, happens: Callable[[], None], name: str) -> None:
    """Write what fills the screen at *url* once it *happens*."""
    page = browser.new_page(viewport=TV, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(url)
    page.wait_for_timeout(1000 * SETTLED_S)
    happens()
    page.locator(".moment").wait_for()
    page.wait_for_timeout(1000 * SETTLED_S)
    save(Image.open(io.BytesIO(page.screenshot())), name)
    page.close()


def picture_of_ceremony(browser: Browser, url: str, name: str) -> None:
    """Write the screen at *url* as it hands out a title, once nobody has played a while."""
    page = browser.new_page(viewport=TV, reduced_motion="no-preference")  # type: ignore[arg-type]
    page.clock.install()
    page.goto(url)
    shown = page.locator("#break .title:visible")
    for _ in range(MOST_BREAK_S):
        page.clock.run_for(1000)
        if shown.count():
            break
    page.evaluate("document.getAnimations().forEach(one => one.finish())")
    save(Image.open(io.BytesIO(page.screenshot())), name)
    page.close()


def picture_of_trick(browser: Browser, url: str, cards: tuple[str, ...], name: str) -> None:
    """Write the judge's page at *url* after *cards* were tapped."""
    page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
    page.goto(url)
    for card in cards:
        page.locator(f"#lay-{card}").click()
        page.wait_for_timeout(1000 * SETTLED_S)
    page.evaluate("scrollTo(0, 0)")
    save(Image.open(io.BytesIO(page.screenshot())), name)
    page.close()


def save(picture: Image.Image, name: str) -> None:
    """Write *picture* small, with no more colours than it needs."""
    few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)
    print(f"docs/pictures/{name}.png")


def wait_for(true: Callable[[], bool], complaint: str) -> None:
    """Wait until *true*, or fail with *complaint*."""
    until_s = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until_s:
            raise SystemExit(complaint)
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
