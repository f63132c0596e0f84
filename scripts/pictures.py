"""Make the pictures of the docs: the demo plays a known hand, a browser looks at it."""

import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from kloplei.demo.table import Demo
from kloplei.rules.game import Seat
from kloplei_panel.app import create_app
from kloplei_panel.server import Server
from kloplei_panel.settings import PanelSettings

FOLDER = Path(__file__).parents[1] / "docs/pictures"
CHROMIUM = os.environ.get("KLOPLEI_CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
JOIN_URL = "http://192.168.1.23:8080/"  # what a phone in a house network would be told
SLATE_SCALE = 6
PATIENCE_S = 10.0
SETTLED_S = 0.7  # fragments are fetched and swapped after an event

PHONE = {"width": 390, "height": 844}
SCREEN = {"width": 1280, "height": 800}
TV = {"width": 1920, "height": 1080}


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


def main() -> int:
    """Write all pictures; return 0."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Demo(url=JOIN_URL) as demo, sync_playwright() as player:
        app = create_app(demo.client, settings=PanelSettings(join_url=JOIN_URL), demo=demo)
        browser = player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with Server(app, "127.0.0.1", 0) as server:
            play_a_known_hand(demo)
            wait_for(lambda: demo.client.frame() is not None, "the slate stays dark")
            time.sleep(SETTLED_S)
            picture_of_slate(demo)
            url = f"http://127.0.0.1:{server.port}"
            picture_of_page(browser, f"{url}/?seat=1", PHONE, "phone")
            picture_of_page(browser, f"{url}/demo", SCREEN, "demo")
            picture_of_page(browser, f"{url}/tv", TV, "tv")
        browser.close()
    return 0


def picture_of_slate(demo: Demo) -> None:
    """Write what stands on the OLED, magnified, in the blue-white of the glass."""
    frame = demo.client.frame()
    if frame is None:
        raise SystemExit("the slate went dark")
    bits = Image.frombytes("1", (frame.width, frame.height), frame.bits).convert("L")
    glass = Image.merge(
        "RGB", (bits.point(lambda v: v * 200 // 255), bits.point(lambda v: v * 230 // 255), bits)
    )
    size = (frame.width * SLATE_SCALE, frame.height * SLATE_SCALE)
    save(glass.resize(size, Image.Resampling.NEAREST), "slate")


def picture_of_page(browser: Browser, url: str, size: dict[str, int], name: str) -> None:
    """Write the page at *url* as a window of *size* pixels shows it."""
    page = browser.new_page(viewport=size)  # type: ignore[arg-type]
    page.goto(url)
    page.wait_for_timeout(1000 * SETTLED_S)
    save(Image.open(io.BytesIO(page.screenshot())), name)
    page.close()


def save(picture: Image.Image, name: str) -> None:
    """Write *picture* small, with no more colours than it needs."""
    few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
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
