"""`GET /slate.png`: what stands on the OLED, pixel by pixel."""

import io

import pytest
from PIL import Image

from kloplei.table.client import Frame
from kloplei.table.session import Session
from tests.panel.conftest import Phone


def test_the_picture_is_the_slate_pixel_by_pixel(phone: Phone, slate: Frame) -> None:
    response = phone.get("/slate.png")

    picture = Image.open(io.BytesIO(response.data))
    assert response.mimetype == "image/png"
    assert picture.size == (slate.width, slate.height)
    assert picture.tobytes() == slate.bits


def test_a_magnified_pixel_is_a_square(phone: Phone, slate: Frame) -> None:
    picture = Image.open(io.BytesIO(phone.get("/slate.png?scale=4").data)).convert("L")

    assert picture.size == (4 * slate.width, 4 * slate.height)
    lit = [xy for xy in ((x, y) for x in range(64) for y in range(32)) if picture.getpixel(xy)]
    assert lit == [(x, y) for x in range(4) for y in range(4)]


@pytest.mark.parametrize("scale", ["0", "17", "-1", "two", "1.5", "", "1e1", "٤", "9" * 50])
def test_a_scale_that_is_none_is_refused(phone: Phone, slate: Frame, scale: str) -> None:
    response = phone.get(f"/slate.png?scale={scale}")

    assert response.status_code == 400
    assert response.get_json()["error"] == "bad_scale"


def test_without_a_slate_there_is_no_picture(phone: Phone) -> None:
    response = phone.get("/slate.png")

    assert response.status_code == 404
    assert response.get_json()["error"] == "no_slate"


def test_a_picture_that_has_not_changed_is_not_sent_again(
    phone: Phone, slate: Frame, table: Session
) -> None:
    etag = phone.get("/slate.png").headers["ETag"]
    headers = {"If-None-Match": etag}

    assert phone.get("/slate.png", headers=headers).status_code == 304
    assert phone.get("/slate.png?scale=2", headers=headers).status_code == 200

    table.show(Frame(slate.width, slate.height, bytes(16)))
    assert phone.get("/slate.png", headers=headers).status_code == 200
