"""Files that are the same for all phones: packed once, asked for anew only when they changed."""

import gzip
import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from benchmarks.race.pages import first_load, playing
from kloplei.games.cards import GERMAN
from kloplei.games.catalogue import GAMES
from kloplei_panel import static_files
from kloplei_panel.static_files import STYLES, StaticFiles
from tests.panel.conftest import PIN, TEMPLATES, Phone

PACKED = {"Accept-Encoding": "gzip, deflate"}
FIRST_LOAD_BYTES = 55_000
BROUGHT = {
    "page-slate.css",
    "slate.js",
    "icon.svg",
    "icons.svg",
    "manifest.json",
    "fonts/patrick-hand.woff2",
    "fonts/sketched-figures.woff2",
}
DECLARED = re.compile(r"^(?:export )?(?:const|let|class|(?:async )?function) (\w+)", re.MULTILINE)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize("name", ["wood.css", "live.js", "icons.svg", "manifest.json"])
def test_text_is_packed_for_who_takes_that(client: FlaskClient, name: str) -> None:
    plain = client.get(f"/static/{name}")
    packed = client.get(f"/static/{name}", headers=PACKED)

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) * 0.8
    assert (
        "Accept-Encoding" in packed.headers["Vary"] and "Accept-Encoding" in plain.headers["Vary"]
    )


def test_what_is_small_already_goes_out_as_it_is(client: FlaskClient) -> None:
    for name in ("fonts/patrick-hand.woff2", "touch-icon.png"):
        assert "Content-Encoding" not in client.get(f"/static/{name}", headers=PACKED).headers


def test_each_form_has_a_name_of_its_own_by_which_a_phone_asks_again(client: FlaskClient) -> None:
    tags = []
    for takes in ({}, PACKED):
        first = client.get("/static/page-slate.css", headers=takes)
        again = client.get(
            "/static/page-slate.css", headers={**takes, "If-None-Match": first.headers["ETag"]}
        )
        tags.append(first.headers["ETag"])
        assert (again.status_code, again.data) == (304, b"")
        assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "no-cache"

    assert len(set(tags)) == 2
    assert not any(tag.startswith("W/") for tag in tags)


def test_a_file_is_packed_once_however_many_ask(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[int] = []
    really = gzip.compress

    def compress(plain: bytes, **how: int) -> bytes:
        packed.append(len(plain))
        return really(plain, **how)

    monkeypatch.setattr(gzip, "compress", compress)
    answers = {client.get("/static/demo.js", headers=PACKED).data for _ in range(20)}

    assert len(packed) == len(answers) == 1


def test_a_file_that_was_written_anew_is_sent_anew(tmp_path: Path) -> None:
    for sheet in {one for sheets in STYLES.values() for one in sheets}:
        (tmp_path / sheet).write_text(f"{sheet} {{}} /* told to builders */\n")
    files = StaticFiles(tmp_path)
    before = files.get("page-plain.css")

    (tmp_path / "wood.css").write_text("oak {}")
    after = files.get("page-plain.css")

    assert before is not None and before.plain == b"wood.css {} sides.css {} "
    assert after is not None and after.plain == b"oak {}\nsides.css {} "
    assert before.etag != after.etag


def test_what_a_page_names_is_never_asked_for_again(client: FlaskClient) -> None:
    """Each load of a page asked twelve times whether anything had changed."""
    named = re.findall(r'(?:href|src)="(/static/[^"#]+)', client.get("/?seat=1").text)
    answers = [client.get(one) for one in named]
    (version,) = {one.split("/")[2] for one in named}

    assert len(named) > 5
    assert {one.headers["Cache-Control"] for one in answers} == {
        "public, max-age=31536000, immutable"
    }
    # What scripts and styles bring besides they name beside themselves.
    assert not re.search(r'["(]/static/', client.get(f"/static/{version}/slate.js").text)


def test_a_page_from_before_an_upgrade_finds_the_newest(client: FlaskClient) -> None:
    for path in ("/static/slate.js", "/static/v0123456789ab/slate.js"):
        answer = client.get(path)

        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-cache"


def test_files_that_were_written_anew_go_by_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wood.css").write_text("oak {}")
    before = StaticFiles(tmp_path).version
    same = StaticFiles(tmp_path)
    again = same.version
    monkeypatch.setattr(static_files, "_LOOK_S", 0.0)
    (tmp_path / "wood.css").write_text("ash {} ")

    assert again == before
    assert same.version != before


def test_pages_go_on_while_an_update_takes_files_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page of the running panel was a 500 until the new files were there."""
    monkeypatch.setattr(static_files, "_LOOK_S", 0.0)
    for name in ("live.js", "press.js"):
        (tmp_path / name).write_text(f"// {name}")
    files = StaticFiles(tmp_path)
    version, sent = files.version, files.get("live.js")

    for name in ("live.js", "press.js"):
        (tmp_path / name).unlink()

    assert files.version == version
    assert files.get("live.js") == sent
    assert files.get("press.js") is None


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "nothing.css",
        "page-nothing.css",
        "fonts",
        "",
        "v0123456789ab/",
        "v0123456789ab/../app.py",
    ],
)
def test_only_files_of_the_panel_are_found(client: FlaskClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def sheets_of(page: str) -> list[str]:
    return re.findall(r'rel="stylesheet" href="([^"]+)"', page)


def test_nothing_is_drawn_before_a_stylesheet_so_a_page_has_one(
    phone: Phone, demo_phone: Phone
) -> None:
    """Eight of them, one after the other, cost the demo a second on a slow phone."""
    first, second = sheets_of(demo_phone.get("/demo").text)
    assert first.endswith("/page-demo.css") and second == "/demo/places.css"
    for path in ("/", "/?seat=1", "/tv", "/judge", "/help", "/settings"):
        (sheet,) = sheets_of(phone.get(path).text)
        assert phone.get(sheet).mimetype == "text/css"


@pytest.mark.parametrize("script", ["slate", "tv", "demo", "ask", "ears", "tune", "doctor"])
def test_a_script_brings_all_that_it_imports(client: FlaskClient, script: str) -> None:
    """Seven files, three of them asked for one after the other, were two fifths of it heads."""
    text = client.get(f"/static/{script}.js").text
    names = DECLARED.findall(text)

    assert not re.search(r"^(import |\s*//)", text, re.MULTILINE)
    assert len(names) == len({*names})
    assert script in {"ask", "ears", "tune", "doctor"} or {"morph", "Live"} <= {*names}


def test_a_page_from_before_finds_each_script_under_its_own_name(client: FlaskClient) -> None:
    """It may have kept ``slate.js``, which imports this one."""
    assert "export class Live" in client.get("/static/v0123456789ab/live.js").text


@pytest.mark.parametrize("game", GAMES)
def test_a_first_look_at_any_game_is_light(game: str) -> None:
    """It was 231 kB: letters of chalk strokes for all words, where figures alone are shown.

    Then it was 67 kB, of which 10 told how to draw letters on the coarse screens of long ago.
    """
    with playing(game) as app:
        app.jinja_env.bytecode_cache = TEMPLATES
        brought = first_load(app.test_client(), "/?seat=keeper", "ja")

    drawn = {"cards.svg"} if GAMES[game].suits[0] == GERMAN else set()
    assert set(brought) == {"/?seat=keeper", *BROUGHT, *drawn}
    assert sum(brought.values()) < FIRST_LOAD_BYTES


@pytest.mark.parametrize(
    "path",
    ["/?seat=1", "/slate?seat=1", "/slate?seat=keeper", "/tv", "/tv/slate", "/demo", "/demo/table"],
)
def test_the_slate_is_packed_for_who_takes_that(demo_phone: Phone, path: str) -> None:
    client = demo_phone.client
    plain = client.get(path)
    packed = client.get(path, headers=PACKED)
    head = client.head(path, headers=PACKED)
    again = client.get(path, headers={**PACKED, "If-None-Match": packed.headers["ETag"]})
    other = client.get(path, headers={"If-None-Match": packed.headers["ETag"]})

    assert gzip.decompress(packed.data) == plain.data == other.data
    assert len(packed.data) < len(plain.data) / 2
    for one in (plain, packed, head, again):
        assert "Accept-Encoding" in one.headers["Vary"]
        assert one.headers["Cache-Control"] == "no-store"
    assert packed.headers["Content-Encoding"] == head.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Length"] == head.headers["Content-Length"]
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert (again.status_code, again.data) == (304, b"")


def test_what_hangs_on_the_cookie_of_a_locked_box_is_not_packed(locked_app: Flask) -> None:
    """How small it gets would tell of what stands in it beside a name that anybody may choose."""
    phone = Phone(locked_app.test_client())
    before = phone.get("/slate", headers=PACKED)
    phone.client.post("/settings/pair", data={"pin": PIN})

    assert before.headers["Content-Encoding"] == "gzip"
    for path in ("/", "/slate", "/tv", "/tv/slate"):
        assert "Content-Encoding" not in phone.get(path, headers=PACKED).headers


def test_of_the_sketched_letters_only_the_figures_are_brought(client: FlaskClient) -> None:
    look = client.get("/static/wood.css").text

    assert re.search(r"sketched-figures[^}]*unicode-range: U\+30-39, U\+3F;", look)
