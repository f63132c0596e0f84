"""The pages for people: slate, TV, settings, help; also without JavaScript."""

import html
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest
from flask import Flask
from PIL import Image

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.reader import own_words
from tests.panel.conftest import NAMES, DemoOfPins, Phone, build
from tests.panel.tarok_table import tarok_at
from tests.panel.test_tarok_phone import tell
from tests.panel.watten_table import announce, watten_at
from tests.table.memory_journal import MemoryJournal

PAGES = ("/", "/?seat=1", "/?seat=7", "/?seat=keeper", "/tv", "/settings", "/help")


class Page(HTMLParser):
    """What tests want to know of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self.stack: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        self.addresses += [str(given[one]) for one in ("src", "href", "action") if given.get(one)]
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)


def press(phone: Phone, place: str = "1", **fields: str) -> tuple[int, str]:
    response = phone.client.post(f"/act?seat={place}", data=fields, headers=phone.headers)
    return response.status_code, response.text


def test_no_page_takes_anything_from_elsewhere_or_runs_anything_inline(phone: Phone) -> None:
    pages = {path: Page(phone.get(path).text) for path in PAGES}

    foreign = re.compile(r"^(?!(/|\?|#)(?!/))").match
    assert {path: page.inline for path, page in pages.items() if page.inline} == {}
    assert [one for page in pages.values() for one in page.addresses if foreign(one)] == []


@pytest.mark.parametrize("phase", ["seating", "between_hands", "exchange", "answering"])
def test_no_two_elements_share_an_id(phase: str, phone: Phone) -> None:
    if phase != "between_hands":
        phone.do(1, "deal")
    if phase == "answering":
        phone.do(3, "knock")

    ids = {path: Page(phone.get(path).text).ids for path in PAGES}

    assert [path for path, told in ids.items() if len(told) != len(set(told))] == []


def test_no_two_elements_of_any_page_share_an_id_once_a_hand_was_played() -> None:
    """*Correct a hand* stood twice on the keeper's page of Tarok: in his list, and at the hand."""
    with tarok_at("dansk") as tarok:
        tell(tarok)
        drawn = dict(drawn_by(build(tarok, PanelSettings(), DemoOfPins())))
    with watten_at("tirol") as watten:
        announce(watten)
        for _ in range(3):
            watten.submit(Seat(0), "trick")
        phone = Phone(build(watten, PanelSettings()).test_client())
        drawn["watten"] = Page(phone.get("/?seat=keeper").text).ids

    assert len(drawn) > 15
    assert [path for path, ids in drawn.items() if len(ids) != len(set(ids))] == []


def drawn_by(app: Flask) -> Iterator[tuple[str, list[str]]]:
    """Yield every page of *app*, and those of a seat and the keeper, with the ids on it."""
    paths = {"/?seat=1", "/?seat=keeper"}
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and not rule.arguments and "/api/" not in rule.rule:
            paths.add(rule.rule)
    for path in sorted(paths):
        response = app.test_client().get(path)
        if response.mimetype == "text/html" and response.status_code == 200:
            yield path, Page(response.text).ids


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_shows_a_key_instead_of_a_sentence(app: Flask, language: str) -> None:
    phone = Phone(app.test_client(), language)
    phone.do(1, "deal")
    phone.do(3, "knock")

    texts = {path: re.sub(r"<[^>]*>", " ", phone.get(path).text) for path in PAGES}

    keys = re.compile(r"\b[a-z_]+\.[a-z_]+[a-z_.-]*\b").findall
    assert {path: keys(text) for path, text in texts.items() if keys(text)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_tells_what_it_is(app: Flask, language: str) -> None:
    text = Phone(app.test_client(), language).get("/").text

    (said,) = re.findall(r'<meta name="description" content="([^"]+)"', text)
    assert said == own_words(language).say("page.description")


def test_a_phone_can_keep_the_slate_among_its_apps(app: Flask) -> None:
    client = app.test_client()
    (manifest,) = re.findall(r'rel="manifest" href="([^"]+)"', client.get("/").text)
    (touch,) = re.findall(r'rel="apple-touch-icon" href="([^"]+)"', client.get("/").text)

    with client.get(manifest) as answer:
        told = answer.json
    with client.get(touch) as answer:
        width, height = Image.open(io.BytesIO(answer.data)).size

    assert told is not None
    assert (told["name"], told["start_url"]) == ("Kloplei", "/")
    for icon in told["icons"]:
        with client.get(urljoin(manifest, icon["src"])) as answer:
            assert (answer.status_code, answer.mimetype) == (200, icon["type"])
    assert width == height >= 180  # what an iPhone asks for
    # A phone's own window has cookies of its own: who was let in would be a stranger in it.
    assert told["display"] == "browser"


def test_every_heading_of_a_table_says_something(table: Session, phone: Phone) -> None:
    for seat in (2, 3, 4):
        phone.do(seat, "chalk", lives=9)
    phone.do(1, "deal")
    phone.do(1, "stay")
    phone.do(1, "trick", n=4)

    text = phone.get("/?seat=keeper").text

    assert "<caption>Won and bought" in text
    assert re.findall(r"<th[^>]*>(?:<[^>]*>|\s)*</th>", text) == []


def test_the_language_of_the_page_is_the_phones_choice(app: Flask) -> None:
    phone = Phone(app.test_client(), "fr")
    assert '<html lang="nl">' in phone.get("/").text

    assert '<html lang="da">' in phone.get("/?lang=da").text
    assert '<html lang="da">' in phone.get("/").text
    assert '<html lang="de">' in Phone(app.test_client(), "de-AT,de;q=0.9").get("/").text
    assert '<html lang="nl">' in Phone(app.test_client(), "fr").get("/?lang=xx").text


def test_a_phone_stays_at_the_seat_it_sat_down_at(phone: Phone) -> None:
    phone.get("/?seat=2")
    assert 'id="row-2" class="row mine"' in phone.get("/").text

    phone.get("/?seat=0")
    assert "mine" not in phone.get("/").text


def test_a_seat_in_the_address_goes_before_the_one_remembered(phone: Phone) -> None:
    phone.get("/?seat=2")

    text = phone.get("/slate?seat=3").text

    assert 'id="row-3" class="row mine"' in text
    assert 'action="/act?seat=3"' in text


@pytest.mark.parametrize("place", ["x", "-1", "1.5", "٣", "99", "keeper2", "<b>", "1" * 50])
def test_a_place_that_is_none_is_somebody_looking_on(phone: Phone, place: str) -> None:
    response = phone.client.get("/", query_string={"seat": place})

    assert response.status_code == 200
    assert "<b>1</b>" in response.text or place == "99"


def test_who_sits_at_a_seat_gets_its_buttons(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "knock")

    text = phone.get("/?seat=4").text

    assert 'id="do-stay-4"' in text
    assert 'id="do-fold-4"' in text
    assert "do-stay-1" not in text


def test_who_looks_on_gets_no_buttons(phone: Phone) -> None:
    phone.do(1, "deal")

    assert "data-act" not in phone.get("/").text


def test_a_free_seat_offers_to_sit_down(phone: Phone) -> None:
    text = phone.get("/?seat=6").text

    assert "action=sit_down&" in text
    assert 'name="text.name"' in text


def test_the_keeper_gets_every_seat_the_table_and_the_log(phone: Phone) -> None:
    text = phone.get("/?seat=keeper").text

    assert 'id="do-deal-1"' in text
    assert 'id="do-undo-table"' in text
    assert 'id="place-log"' in text
    for name in NAMES:
        assert name in text


def test_a_form_does_what_a_button_does(phone: Phone) -> None:
    status, _ = press(phone, seat="1", action="deal", seen=str(phone.board["seq"]))

    assert status == 303
    assert phone.board["phase"] == "exchange"


def test_facts_of_a_form_are_json_and_typed_ones_are_text(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(2, "exchange")

    press(phone, **{"seat": "1", "action": "challenge", "fact.of": "2", "fact.found": '"clean"'})
    press(phone, **{"seat": "1", "action": "rename", "text.name": "Matthijs"})

    assert phone.board["rows"][0]["tally"] == 1
    assert phone.board["rows"][0]["name"] == "Matthijs"


def test_the_keepers_form_names_no_seat(phone: Phone) -> None:
    phone.do(1, "deal")

    status, _ = press(phone, "keeper", seat="", action="undo")

    assert status == 303
    assert phone.board["phase"] == "between_hands"


def test_a_refused_form_brings_the_slate_back_with_the_reason(phone: Phone) -> None:
    status, text = press(phone, seat="3", action="knock")

    assert status == 409
    assert 'class="toast is-up" role="alert">No hand is running' in text
    assert 'id="row-1"' in text


def test_a_refused_form_leads_back_to_an_address_that_can_be_read(phone: Phone) -> None:
    """Without a script the page reads itself again, and /act is there to be posted to alone."""
    _, text = press(phone, "3", seat="3", action="knock")

    assert 'http-equiv="refresh" content="10; url=/?seat=3"' in text


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"seat": "1"}, 400),
        ({"seat": "x", "action": "deal"}, 400),
        ({"seat": "9", "action": "deal"}, 404),
        ({"seat": "1", "action": "jump"}, 400),
        ({"seat": "1", "action": "trick", "fact.n": "four"}, 400),
        ({"seat": "1", "action": "trick", "fact.n": "[[[[[[1]]]]]]"}, 400),
        ({"seat": "1", "action": "trick", "fact.n": "NaN"}, 400),
        ({"seat": "1", "action": "rename", "text.name": "x" * 20_000}, 413),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(
    phone: Phone, fields: dict[str, str], status: int
) -> None:
    before = phone.board

    assert press(phone, **fields)[0] == status
    assert phone.board == before


def test_names_are_shown_as_they_are_and_run_nothing(phone: Phone) -> None:
    phone.do(2, "rename", name="<b>&\"'Jo")

    for path in PAGES[:5]:
        text = phone.get(path).text
        assert "<b>&" not in text
        assert "&lt;b&gt;&amp;&#34;&#39;Jo" in text


def test_without_scripts_the_pages_reload_by_themselves(phone: Phone) -> None:
    for path in ("/", "/tv"):
        assert re.search(r'<noscript><meta http-equiv="refresh"', phone.get(path).text)


@pytest.mark.parametrize(("place", "still"), [("/", "/?still=1"), ("/?seat=2", "/?seat=2&still=1")])
def test_without_scripts_a_page_holds_still_to_fill_something_in(
    phone: Phone, place: str, still: str
) -> None:
    """Every five seconds what was opened closed again, with the name half typed."""
    follows, holds = html.unescape(phone.get(place).text), html.unescape(phone.get(still).text)

    assert f'<noscript><a class="btn small" href="{still}">Hold still' in follows
    assert f'<noscript><a class="btn small" href="{place}">Follow the table again' in holds
    assert 'http-equiv="refresh"' not in holds


def test_who_changes_places_is_asked_where_to(phone: Phone) -> None:
    """It was "Who?", with empty places among the answers."""
    text = phone.get("/?seat=2").text
    sheet = text[text.index('id="sheet-swap-2"') :].partition("</form>")[0]

    assert "Where to?" in sheet
    assert "Who?" not in sheet


def test_a_hand_that_nobody_won_says_why_and_who_moved_is_named(phone: Phone) -> None:
    """Its row was empty, and "Seat 4" had moved to seat 6."""
    phone.do(1, "deal")
    phone.do(None, "misdeal")
    hands = phone.get("/?seat=keeper").text
    phone.do(4, "swap", of=6)
    log = phone.get("/?seat=keeper").text

    phone.do(1, "deal")
    phone.do(2, "trick", n=4)
    phone.do(2, "stand_up")
    left = phone.get("/?seat=keeper").text

    assert '<tr class="told"><td></td><td colspan="4">misdeal</td>' in hands
    assert ">last trick<" not in left  # who won it has left, and the others paid
    assert '<span class="who">Stan · phone</span> Stan sits at seat 6 now' in log


def test_armoede_is_marked(phone: Phone) -> None:
    phone.do(2, "chalk", lives=9)
    phone.do(1, "deal")

    text = phone.get("/").text

    assert re.search(r'id="row-2" class="row[^"]* armoede', text)
    assert "mark flag-armoede" in text


def test_the_evening_lists_hands_and_who_paid(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "trick", n=4)

    text = phone.get("/").text
    row = text[text.index('class="hands"') :]

    assert re.findall(r"<td[^>]*>([^<]*)</td>", row) == ["+1", "+1", "★", "+1"]


def test_the_tv_shows_how_to_join_and_has_no_buttons(table: Session) -> None:
    settings = PanelSettings(join_url="http://kloplei.local:8080/")
    text = Phone(build(table, settings).test_client()).get("/tv?seat=1").text

    assert "<b>kloplei.local:8080</b>" in text
    assert '<svg viewBox="0 0' in text
    assert "<form" not in text
    assert "mine" not in text


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_help_is_written_in_every_language_for_every_game(game: str, language: str) -> None:
    """A Japanese phone had an English page, and a German one in toepen: the first thing to read."""
    with Session(MemoryJournal(), TableSetup(game=game)) as session:
        shown = build(session, PanelSettings(clients=3, keepalive_s=0.05))
        page, english = (
            Phone(shown.test_client(), one).get("/help").text for one in (language, "en")
        )

    assert f'<main class="sheet-page help" lang="{language}">' in page
    assert _gestures(page) == _gestures(english)  # the same things to do, in the same order


def _gestures(page: str) -> list[list[str]]:
    """Return how often to knock, line by line of the table."""
    lines = (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in page.split("<tr>")[2:])
    return [re.findall(r"\d+", cells[-2]) for cells in lines]


def test_eight_players_with_long_names_fit_the_page(table: Session, phone: Phone) -> None:
    for seat in range(4, 8):
        table.submit(Seat(seat), "sit_down", facts={"name": f"Wilhelmina nr {seat}"})

    assert phone.get("/").text.count('class="seat-no"') == 8


def test_the_keeper_sets_house_rules_and_empties_them_again(phone: Phone) -> None:
    text = phone.get("/?seat=keeper").text
    assert 'name="option.max_lives"' in text

    press(phone, "keeper", **{"action": "options", "option.max_lives": "15", "option.armoede": ""})
    assert phone.board["options"] == {"max_lives": "15"}
    assert phone.board["rows"][0]["limit"] == 15

    press(phone, "keeper", **{"action": "options", "option.max_lives": ""})
    assert phone.board["options"] == {}
    assert phone.board["rows"][0]["limit"] == 10


def test_a_house_rule_that_is_none_is_told_what_it_can_be(phone: Phone) -> None:
    status, text = press(phone, "keeper", **{"action": "options", "option.max_lives": "many"})

    assert status == 400
    assert "max_lives" in text


def test_a_preset_is_one_press(phone: Phone) -> None:
    phone.do(None, "options", preset="vijftien")

    assert phone.board["preset"] == "vijftien"
    assert phone.board["rows"][0]["limit"] == 15


def test_the_pot_is_paid_out_from_a_phone_and_undo_puts_it_back(phone: Phone) -> None:
    options = {"stake_in": "chips", "debt_chips": 5, "max_lives": 1, "armoede": "off"}
    phone.do(None, "options", options=options)
    phone.do(None, "deal")
    phone.do(1, "trick", n=4)
    for owing in [row["seat"] for row in phone.board["rows"] if "owes_drink" in row["flags"]]:
        phone.do(owing, "drink")
    filled = phone.board["pots"]["chips"]

    text = phone.get("/?seat=1").text
    press(phone, **{"seat": "1", "action": "payout", "fact.chips": str(filled - 1)})
    paid = phone.board

    assert 'type="number" name="fact.chips"' in text
    assert paid["pots"] == {"chips": 1}
    assert paid["news"]["key"] == "paid-out"
    phone.do(None, "undo")
    assert phone.board["pots"] == {"chips": filled}
    phone.do(None, "options", preset="kroeg")
    text = phone.get("/?seat=1").text
    assert f"<dt>pot</dt><dd>{filled}</dd>" in text
    assert 'type="number" name="fact.chips"' in text


def test_house_rules_are_told_in_the_language_of_the_reader(phone: Phone) -> None:
    """They stood there as `answer_order`, with `clockwise, any` to be typed without a slip."""
    text = phone.get("/?seat=keeper&lang=nl").text

    assert ">Volgorde van antwoorden<" in text
    assert '<option value="clockwise">met de klok mee</option>' in text
    assert "answer order" not in text
    assert ">Vijftien<" in text


def test_a_house_rule_that_leaves_no_choice_is_not_asked_for(phone: Phone) -> None:
    """How three play Watten is written down, and there is one way so far."""
    phone.do(None, "options", game="watten")

    text = phone.get("/?seat=keeper").text

    assert 'name="option.three_player_pair_lock"' in text
    assert 'name="option.three_player"' not in text


def test_a_house_rule_chosen_stays_chosen(phone: Phone) -> None:
    press(phone, "keeper", **{"action": "options", "option.jack_bonus": "minus_1"})

    text = phone.get("/?seat=keeper").text

    assert '<option value="minus_1" selected>' in text


def test_who_sits_can_undo_from_a_phone(phone: Phone) -> None:
    """Four knocks do it for anybody at the table; only the keeper found it on a phone."""
    phone.do(1, "deal")

    text = phone.get("/?seat=2").text

    assert 'id="do-undo-2"' in text
    assert press(phone, "2", seat="2", action="undo")[0] == 303
    assert phone.board["phase"] == "between_hands"


def test_redo_says_what_it_brings_back_and_waits_for_who_objects(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(1, "knock")
    phone.do(2, "undo")

    form = re.search(
        r'<form(?:(?!</form>).)*id="do-redo-2".*?</form>', phone.get("/?seat=2").text, re.S
    )
    assert form is not None
    assert "waits=1" in form[0]
    assert re.search(r'class="of">[^<]*Thijs', form[0])

    press(phone, "2", seat="2", action="redo", waits="1")
    waiting = phone.get("/?seat=1").text
    assert (phone.board["stake"], phone.board["grace"]["action"]) == (1, "redo")
    assert re.search(r'class="grace".*?Tame: Redo \([^<]*Thijs[^<]*\)', waiting, re.S)
    assert 'id="do-cancel-1"' in waiting


def test_undo_says_what_it_takes_back_and_waits_for_who_objects(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(1, "knock")

    form = re.search(
        r'<form(?:(?!</form>).)*id="do-undo-2".*?</form>', phone.get("/?seat=2").text, re.S
    )
    assert form is not None
    assert "waits=1" in form[0]
    assert re.search(r'class="of">[^<]*Thijs', form[0])

    press(phone, "2", seat="2", action="undo", waits="1")
    waiting = phone.get("/?seat=1").text
    assert (phone.board["stake"], phone.board["grace"]["action"]) == (2, "undo")
    assert re.search(r'class="grace".*?Tame: Undo \([^<]*Thijs[^<]*\)', waiting, re.S)
    assert 'id="do-cancel-1"' in waiting
    # Who has scrolled down sees the button alone: what it stops stands with it.
    assert re.search(r'class="thumbs.*class="waits"[^>]*>Tame: Undo \([^<]*Thijs', waiting, re.S)
    assert 'id="do-cancel-table"' in phone.get("/?seat=keeper").text
    # Who has the button is not sent to knock at another seat.
    for place, elsewhere in (("1", False), ("2", False), ("keeper", False), ("", True)):
        assert ("Knock at another seat" in phone.get(f"/?seat={place}").text) is elsewhere

    phone.do(None, "cancel")
    assert "grace" not in phone.board
    assert phone.ask(None, "undo", waits=True).status_code == 202
    assert "seat" not in phone.board["grace"]


def test_the_bar_says_what_stood_on_the_button_of_the_last_trick(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.ask(2, "trick", n=4, waits=True)

    waiting = phone.get("/?seat=1").text

    assert re.search(r'class="grace".*?Tame: I took the last trick\.', waiting, re.S)
    # The claim that waits is not made a second time; whoever asks hears no more than that.
    assert 'id="do-cancel-1"' in waiting
    assert "do-trick-4" not in waiting
    phone.do(None, "cancel")
    assert "do-trick-4" in phone.get("/?seat=1").text


@pytest.mark.parametrize("language", ["nl", "en", "de", "da", "ja"])
def test_what_is_undone_is_told_in_one_breath_even_of_a_fold_that_ends_the_hand(
    phone: Phone, language: str
) -> None:
    """It read "Thijs: Terugdraaien (Thomas: Iedereen past: Thijs wint de ronde)"."""
    phone.do(1, "deal")
    phone.do(1, "knock")
    for seat in (2, 3, 4):
        phone.do(seat, "fold")
    phone.ask(1, "undo", waits=True)
    headers = {"Accept-Language": language}

    bar = re.search(
        r'class="grace".*?<p>([^<]+)', phone.get("/?seat=1", headers=headers).text, re.S
    )
    phone.do(None, "cancel")
    phone.do(1, "undo")
    news = re.search(r'class="news">([^<]+)', phone.get("/?seat=1", headers=headers).text)

    assert bar is not None
    assert news is not None
    told = [re.sub(r"：", ":", found[1]) for found in (bar, news)]
    assert [said.count(":") for said in told] == [1, 1]
    assert all("Stan" in said and "Thijs" in said for said in told)


def test_where_chips_are_played_for_no_drink_is_asked_for(phone: Phone) -> None:
    options = {"stake_in": "chips", "debt_chips": 5, "max_lives": 1, "armoede": "off"}
    phone.do(None, "options", options=options)
    phone.do(1, "deal")
    phone.do(1, "trick", n=4)

    text = phone.get("/?seat=2").text

    assert re.search(r'id="do-drink-2"[^>]*>Paid into the pot<', text)
    assert "owes the pot" in text
    phone.do(2, "drink")
    texts = (text, phone.get("/?seat=2").text)
    assert '<th scope="col">paid in</th>' in texts[1]
    for one in texts:
        assert "drink" not in re.sub(r"<[^>]*>", "", one.partition("<main")[2]).casefold()


def test_what_the_prompt_says_is_not_told_once_more_beside_it(phone: Phone) -> None:
    """It was "Armoede for Tame!" in one line, and once more in the next."""
    phone.do(None, "options", options={"max_lives": 3, "answer_order": "any"})
    phone.do(2, "chalk", lives=2)
    phone.do(1, "deal")
    said = [phone.get("/?seat=1").text]
    phone.do(1, "stay")
    said.append(phone.get("/?seat=1").text)

    assert [one.count(f"Armoede for {NAMES[1]}") for one in said] == [1, 1]
    assert ['class="news"' in one for one in said] == [False, True]


def test_who_answers_later_in_turn_is_told_whose_turn_it_is(phone: Phone) -> None:
    """The row asked "stay or fold?", and the thumbs said that there is nothing to do."""
    phone.do(None, "options", options={"answer_order": "clockwise"})
    phone.do(1, "deal")
    phone.do(1, "knock")

    waits = [re.findall(r'class="wait">([^<]*)', phone.get(f"/?seat={one}").text) for one in (3, 1)]

    assert waits == [["In turn, please: Tame first."], ["Nothing for you to do just now."]]


def prices(phone: Phone, seat: int) -> list[str]:
    """Return what the halves of *seat* say below the words, nothing where none fill its phone."""
    halves = phone.get(f"/?seat={seat}").text.partition('class="halves"')[2].partition("</div>")[0]
    return re.findall(r'class="of">([^<]*)', halves)


def test_an_answer_says_what_it_costs_in_this_house(phone: Phone) -> None:
    """toepen.md § 4 and § 7: to fold costs what one was in for, or what the house says."""
    phone.do(1, "deal")
    phone.do(1, "knock")
    first = prices(phone, 2), prices(phone, 1)
    phone.do(2, "stay")
    phone.do(3, "stay")
    phone.do(4, "stay")
    phone.do(2, "knock")

    assert first == (["for 2", "costs 1"], [])
    assert prices(phone, 3) == ["for 3", "costs 2"]


def test_a_knock_over_a_knock_asks_each_for_their_own_price(phone: Phone) -> None:
    """toepen.md § 4: who has stayed pays more to leave than who had not answered yet."""
    phone.do(None, "options", options={"over_knock_while_pending": True})
    phone.do(1, "deal")
    phone.do(1, "knock")
    phone.do(2, "stay")
    phone.do(3, "knock")

    assert prices(phone, 2) == ["for 3", "costs 2"]
    assert prices(phone, 4) == ["for 3", "costs 1"]


def test_armoede_asks_with_the_price_of_leaving(phone: Phone) -> None:
    phone.do(1, "chalk", lives=9)
    phone.do(1, "deal")
    phone.do(2, "exchange")

    assert prices(phone, 2) == []  # there is more to do than to answer
    phone.do(2, "stay")
    assert prices(phone, 3) == ["for 2", "costs 1"]


def test_whoever_answered_last_has_the_way_back_under_the_thumb(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(1, "knock")
    phone.do(2, "stay")

    near = ["do-undo" in thumbs(phone, one) for one in (1, 2, 3)]
    phone.do(3, "stay")

    assert near == [False, True, False]
    assert "do-undo" not in thumbs(phone, 2)


def thumbs(phone: Phone, seat: int) -> str:
    return phone.get(f"/?seat={seat}").text.partition('<section class="thumbs')[2]


def test_a_list_to_choose_from_chooses_nothing_by_itself(phone: Phone) -> None:
    """Chalk by hand began with 0: one tap, and all lives were back."""
    text = phone.get("/?seat=2").text

    chalk = re.search(r'<select id="field-chalk-2-lives"[^>]*>\s*<option value="([^"]*)"', text)

    assert chalk is not None
    assert "required" in chalk[0]
    assert chalk[1] == ""


def test_a_step_that_asks_as_news_asks_nothing_where_it_may_be_undone(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(2, "exchange")
    exchanged = phone.get("/?seat=1").text
    phone.do(2, "new_evening")
    evening = phone.get("/?seat=1").text

    told = [re.search(r'id="do-undo-1".*?class="of">([^<]+)', one) for one in (exchanged, evening)]
    assert [one and one[1] for one in told] == [
        "Tame exchanged four cards",
        "A new evening, by Tame",
    ]


def test_a_phone_says_by_name_whose_it_is(phone: Phone) -> None:
    place = re.search(r'class="place-link"[^>]*>\s*([^<]+?)\s*<', phone.get("/?seat=2").text)

    assert place is not None
    assert place[1] == f"2 · {NAMES[1]}"
    # What the page fetches anew has it as well: names change while it lies on the table.
    phone.do(2, "rename", name="Gretl")
    assert 'data-place="2 · Gretl"' in phone.get("/slate?seat=2").text


def test_what_opens_a_sheet_and_what_sends_it_are_called_differently(phone: Phone) -> None:
    for path in ("/?seat=1", "/?seat=6", "/?seat=keeper"):
        sheets = re.findall(
            r'<details class="sheet.*?<summary[^>]*>(.*?)</summary>(.*?)</details>',
            phone.get(path).text,
            re.S,
        )
        assert sheets
        for opens, inside in sheets:
            assert opens not in re.findall(r"<button[^>]*>\s*(.*?)\s*</button>", inside)


def test_a_phone_asks_whether_its_styles_are_the_newest(app: Flask) -> None:
    """After an update of the box, pages stood there in the clothes of the day before."""
    client = app.test_client()
    with client.get("/static/wood.css") as first:
        known = {"If-None-Match": first.headers["ETag"]}
        assert first.headers["Cache-Control"] == "no-cache"

    with client.get("/static/wood.css", headers=known) as again:
        assert (again.status_code, again.data) == (304, b"")


def test_a_lent_name_is_read_in_the_readers_language_and_a_limit_before_it_is_met(
    table: Session,
) -> None:
    table.submit(Seat(4), "sit_down")
    phone = Phone(build(table, PanelSettings()).test_client(), "de")

    for path in ("/", "/?seat=1", "/?seat=keeper", "/tv"):
        assert "Platz 5" in phone.get(path).text
        assert "Plek 5" not in phone.get(path).text
    page = phone.get("/?seat=1").text
    assert re.search(r"Name, höchstens 20 Zeichen.*?maxlength=.20.", page, re.S)


def test_a_phone_asks_for_a_short_name_where_the_slate_has_no_letters(phone: Phone) -> None:
    assert "shorten" not in phone.get("/?seat=1").text
    phone.do(1, "rename", name="김")

    page = phone.get("/?seat=1").text

    assert "The slate has no letters for 김" in page
    assert re.search(r"Short name, up to 8 letters.*?maxlength=.8.", page, re.S)
    assert press(phone, seat="1", action="shorten", **{"text.short": "Abe"})[0] == 303
    assert phone.board["rows"][0]["name"] == "김 (Abe)"
    assert "shorten" not in phone.get("/?seat=1").text
