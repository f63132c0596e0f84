"""What phones show of a hand of Tarok: the sheet to tell it on, its draft, the ledger, payments."""

import html
import re

import pytest

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.words import LANGUAGES, Words
from kloplei_panel import PanelSettings
from tests.panel.conftest import NAMES, PIN, Phone, build
from tests.panel.tarok_table import tarok_at

A, B, C = (Seat(n) for n in range(3))


def phone_at(table: Session, language: str = "en", *, locked: bool = False) -> Phone:
    settings = PanelSettings(locked=locked, pin=PIN if locked else None)
    return Phone(build(table, settings).test_client(), language)


def tell(table: Session, *, book: bool = True) -> None:
    """Tell a hand in which the second wins the last trick with the pagat."""
    table.submit(None, "deal")
    table.submit(C, "fate", facts={"what": "king_lost"})
    table.submit(B, "last_trick")
    table.submit(B, "last_card", facts={"card": "pagat"})
    table.submit(A, "points", facts={"points": 20})
    table.submit(B, "points", facts={"points": 35})
    if book:
        table.submit(None, "book")


def asked(text: str) -> list[str]:
    """Return what is asked of everybody, in the order of the page."""
    return re.findall(r'id="tell-([a-z_]+)-1"', text)


def pressed(text: str) -> list[str]:
    return re.findall(r'id="tell-([a-z_]+-\d)" aria-pressed="true"', text)


@pytest.mark.parametrize(
    ("preset", "questions"),
    [
        ("dansk", "pagat_home pagat_lost king_lost last_trick last_pagat last_king"),
        (
            "grosstarock",
            "pagat_home pagat_lost king_home king_lost last_trick last_pagat last_king",
        ),
        ("taroc 1754", "pagat_home pagat_lost last_trick last_pagat"),
    ],
)
def test_each_game_of_the_family_asks_for_what_it_pays(preset: str, questions: str) -> None:
    with tarok_at(preset) as table:
        table.submit(None, "deal")
        text = phone_at(table).get("/?seat=1").text

    assert asked(text) == questions.split()
    assert ("Honours" in text) is (preset == "grosstarock")
    assert ("Over-full kings" in text) is (preset == "dansk")


def test_who_likes_is_asked_one_question_at_a_time_from_then_on() -> None:
    with tarok_at() as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        phone.get("/?seat=1&sheet=steps")
        table.submit(B, "last_trick")
        singly = phone.get("/?seat=1").text
        at_once = phone.get("/?seat=1&sheet=all").text
        still = phone.get("/?seat=1").text

    questions = "declare pagat_home pagat_lost king_lost last_trick last_pagat last_king"
    names = re.findall(r'id="single-0-([a-z_]+)"', singly)
    assert names == [*questions.split(), "points", "book"]
    assert re.findall(r'id="single-0-([a-z_]+)"[^>]* checked', singly) == ["pagat_home"]
    assert asked(singly) == asked(at_once) == asked(still)
    assert "single-0" not in at_once + still


@pytest.mark.parametrize("sheet", ["steps", "all"])
def test_of_a_void_hand_nothing_is_asked_but_what_counts_there(sheet: str) -> None:
    """It went on through pagat, kings and tricks, none of which could be told."""
    with tarok_at("taroc 1754") as table:
        table.submit(None, "deal")
        table.submit(A, "wrong_discard")
        text = phone_at(table).get(f"/?seat=1&sheet={sheet}").text

    assert asked(text) == []
    assert re.findall(r'id="single-0-([a-z_]+)"', text) == (
        ["declare", "book"] if sheet == "steps" else []
    )
    assert "laid away wrongly: the hand is void" in text
    assert "<h3>This hand</h3>" not in text


@pytest.mark.parametrize(("fates", "said"), [(3, True), (4, False)])
def test_kings_that_nobody_spoke_of_are_asked_about_before_it_is_written_down(
    fates: int, said: bool
) -> None:
    """The rules only warn of it, and no phone did: "All is told. Write it down?" """
    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        for _ in range(fates):
            table.submit(A, "fate", facts={"what": "king_home"})
        table.submit(B, "last_trick")
        table.submit(A, "points", facts={"points": 30})
        table.submit(B, "points", facts={"points": 20})
        text = phone_at(table).get("/?seat=1").text

    assert ("Kings told of: 3 of four." in text) is said
    assert "action=book&" in text


def test_what_settling_does_is_said_where_it_is_asked_for() -> None:
    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        table.submit(None, "throw_in")
        table.submit(None, "book")
        text = phone_at(table).get("/?seat=2").text

    assert "it says who pays whom." in text


def test_who_changes_how_a_hand_is_asked_for_finds_it_open() -> None:
    """Who does not deal found it folded up again, and wondered whether anything had changed."""
    with tarok_at() as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        (link,) = re.findall(r'id="sheet-kind" href="([^"]*)"', phone.get("/?seat=2").text)
        text = phone.get("/" + html.unescape(link)).text

        (back,) = re.findall(r'id="sheet-kind"[^>]* href="([^"]*)"', text)
        told = phone.client.post("/act?seat=2&sheet=steps", data={"action": "pass", "seat": "1"})

    assert link.endswith("#hand")
    assert '<details class="place hand-sheet" id="hand" open>' in text
    assert "sheet=all" in back.partition("&")[0]
    assert told.headers["Location"] == "/?seat=2&sheet=steps"  # and so without JavaScript


def test_a_declaration_that_leaves_no_choice_says_what_it_declares() -> None:
    """One tap on "Honours" declared three, for four of the seven had been declared already."""
    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        table.submit(A, "declare", facts={"what": "honours", "count": 4})
        for suit in "HDS":
            table.submit(A, "declare", facts={"what": "cavalry_full", "suit": suit})
        text = phone_at(table).get("/?seat=1").text

    sheet = text[text.index('id="declare-2"') :]
    assert ">Honours · 3<" in sheet
    assert ">Full cavalry · clubs<" in sheet


def test_a_feat_that_can_only_have_failed_says_so_on_its_button() -> None:
    """One tap on "Vole" told one that had failed, of somebody who could not have made it."""
    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        table.submit(A, "fate", facts={"what": "king_home"})
        text = phone_at(table).get("/?seat=1").text

    buttons = re.findall(r'<summary class="btn plain">(Vole[^<]*)<', text)
    assert buttons == ["Vole (every trick)", *2 * ["Vole (every trick) · failed"]]


def test_who_opens_the_sheet_late_is_asked_for_pagat_and_kings_all_the_same() -> None:
    """A button had told the last trick, and one question at a time began with the card points."""

    def asked_first() -> list[str]:
        text = phone_at(table).get("/?seat=1&sheet=steps").text
        return re.findall(r'id="single-0-([a-z_]+)"[^>]* checked', text)

    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        table.submit(B, "last_trick")
        thumb = phone_at(table).get("/?seat=1&sheet=steps").text.partition('class="thumbs')[2]
        opened = asked_first()
        table.submit(C, "fate", facts={"what": "king_lost"})
        table.submit(B, "last_card", facts={"card": "king"})
        after_some = asked_first()
        table.submit(A, "points", facts={"points": 30})
        counting = asked_first()

    assert 'href="#single-0-pagat_home">Before the last trick' in thumb
    assert (opened, after_some, counting) == (["pagat_home"], ["last_king"], ["points"])


def test_where_points_prove_a_nolo_or_a_vole_both_can_be_told() -> None:
    """It asked for the nolo alone; who let that pass had let the vole pass as well."""
    with tarok_at("grosstarock") as table:
        table.submit(None, "deal")
        table.submit(B, "last_trick")
        table.submit(B, "points", facts={"points": 75})
        table.submit(A, "points", facts={"points": 3})
        text = phone_at(table).get("/?seat=1").text

    asks = text[text.index('id="hand-asked"') : text.index('id="hand-rare"')]
    assert re.findall(r'<button id="do-[^>]*>([^<]*)<', asks) == [
        *("Tame: Vole (every trick)", "Thomas: Nolo (no trick)", "Let it pass")
    ]


@pytest.mark.parametrize("seat", [1, 2, "keeper"])
@pytest.mark.parametrize("sheet", ["steps", "all"])
def test_what_everybody_gets_stands_beside_what_writes_it_down(seat: int | str, sheet: str) -> None:
    with tarok_at() as table:
        tell(table, book=False)
        before = phone_at(table).get(f"/?seat={seat}&sheet={sheet}").text
        table.submit(None, "book")
        (hand,) = table.scoreboard().hands

    (brings,) = set(re.findall(r'<p class="brings".*?</p>', before, re.DOTALL))
    amounts = re.findall(r"<b>(.*?)</b>", brings)
    booked = [hand.paid.get(place, 0) for place in (A, B, C)]
    assert [int(one.replace("\N{MINUS SIGN}", "-")) for one in amounts[:3]] == booked
    assert len(amounts) == 5  # and what the two pots get
    assert before.count("action=book&") == 1  # the keeper had three, and one told


@pytest.mark.parametrize("seat", [1, "keeper"])
def test_the_shares_of_the_pots_are_seen_before_the_evening_is_settled(seat: int | str) -> None:
    with tarok_at() as table:
        tell(table)
        before = {row.seat: row.tally for row in table.scoreboard().rows}
        text = phone_at(table).get(f"/?seat={seat}").text
        table.submit(None, "settle")
        after = {row.seat: row.tally for row in table.scoreboard().rows}

    (sheet,) = re.findall(r'id="sheet-settle-.*?</form>', text, re.DOTALL)
    assert "the pots are shared out" in sheet
    together = re.findall(r"<td>([^<]*)</td>", sheet.partition("<tfoot>")[2])
    amounts = [int(one.replace("\N{MINUS SIGN}", "-")) for one in together]
    assert amounts[:3] == [after[one] - before[one] for one in (A, B, C)]
    assert sum(amounts) == 0 and amounts[0] > 0


def test_who_is_to_declare_finds_it_under_the_thumb() -> None:
    """Only the dealer did; all others had "Pass" there and nothing to declare with."""
    with tarok_at() as table:
        table.submit(None, "deal")
        asleep = phone_at(table).get("/?seat=3").text
        table.submit(A, "pass")
        asked = phone_at(table).get("/?seat=3").text

    assert 'href="#declare-3"' not in asleep
    assert 'href="#declare-3"' in asked.partition('class="thumbs')[2]
    assert 'id="declare-3"' in asked


def test_what_waits_is_stopped_by_a_press_where_the_wood_is_deaf() -> None:
    """Slate and phones said "knock at another seat", which does nothing in Tarok."""
    with tarok_at() as table:
        table.submit(None, "deal")
        table.submit(A, "undo", waits=True)
        text = phone_at(table).get("/?seat=").text

    assert "Press at another seat to stop it." in text
    for language in LANGUAGES:
        knock = Words(language).say("slate.anyone-knock-cancels")
        assert Words(language).of_game("tarok").say("slate.anyone-knock-cancels") != knock


def test_a_new_evening_says_that_chips_are_left_in_the_pots() -> None:
    """Six presses in mid-hand took the pots off the slate, and the bar did not speak of them."""
    with tarok_at() as table:
        table.submit(None, "deal")
        table.submit(A, "new_evening", waits=True)
        with_pots = phone_at(table).get("/?seat=").text

    assert "Thijs: New evening (130 in the pots is not shared out)." in with_pots


def test_the_dealer_has_the_sheet_open_and_others_may_open_theirs() -> None:
    with tarok_at() as table:
        table.submit(None, "deal")
        phone = phone_at(table)

        assert '<section class="hand-sheet" id="hand"' in phone.get("/?seat=1").text
        assert '<details class="place hand-sheet" id="hand">' in phone.get("/?seat=2").text
        assert '<section class="hand-sheet" id="hand"' in phone.get("/?seat=keeper").text
        assert 'id="hand"' not in phone.get("/?seat=").text


def test_a_phone_that_may_not_act_looks_on() -> None:
    with tarok_at() as table:
        tell(table, book=False)
        text = phone_at(table, locked=True).get("/?seat=1").text

    assert 'class="draft"' in text
    assert 'id="hand"' not in text
    assert "strike-" not in text


def test_a_phone_reads_a_sheet_without_what_nobody_sees_of_it() -> None:
    """Each change brings all of it: of 1,018 elements 310 were fields that nobody fills in."""
    with tarok_at(players=4) as table:
        table.submit(None, "deal")
        text = phone_at(table).get("/slate?seat=1").text

    assert len(re.findall(r"<[a-z]", text)) < 760
    assert len(text) < 40_000


def test_only_what_is_possible_can_be_tapped() -> None:
    with tarok_at(players=4) as table:
        table.submit(None, "deal")
        table.submit(B, "fate", facts={"what": "pagat_home"})
        text = phone_at(table).get("/?seat=1").text

    cells = re.findall(r'id="tell-pagat_(\w+)-(\d)" aria-pressed="(\w+)"( disabled)?', text)
    assert cells == [
        *(("home", "1", "false", " disabled"), ("home", "2", "true", "")),
        *(("home", "4", "false", " disabled"), ("lost", "1", "false", " disabled")),
        *(("lost", "2", "false", " disabled"), ("lost", "4", "false", " disabled")),
    ]  # seat 3 sits out
    assert pressed(text) == ["pagat_home-2"]


def test_card_points_are_asked_once_the_last_trick_is_told_and_the_next_dealer_comes_last() -> None:
    with tarok_at() as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        assert 'class="keypad"' not in phone.get("/?seat=1").text

        table.submit(B, "last_trick")
        text = phone.get("/?seat=1").text
        # The third of three deals next and takes what rounding leaves.
        assert re.findall(r'"radio" name="seat" value="(\d)"( checked)?', text) == [
            ("1", " checked"),
            ("2", ""),
            ("3", ""),
        ]


def test_what_an_entry_would_pay_stands_beside_it_before_it_counts() -> None:
    with tarok_at() as table:
        tell(table, book=False)
        text = phone_at(table).get("/?seat=3").text
        draft = text[text.index('class="draft"') : text.index("</table>")]
        before = [row.tally for row in table.scoreboard().rows]
        table.submit(None, "book")
        after = [row.tally for row in table.scoreboard().rows]

    told = re.findall(r"<span>([^<]+)</span></th></tr>\s*(?:<tr><td></td>(.*?)</tr>)?", draft, re.S)
    amounts = {
        sentence: re.findall(r"<td>(.*?)</td>", paid)
        for sentence, paid in told
        if "plays" in sentence
    }
    assert amounts == {"Tame plays the pagat to the last trick": ["−45", "+155", "−45", "", "−65"]}
    assert before == [-50, -40, -40]
    assert after == [-95, 130, -105]


def test_what_is_read_aloud_says_which_entry_is_struck_out_and_each_payment_once() -> None:
    with tarok_at() as table:
        tell(table, book=False)
        phone = phone_at(table)
        struck = re.findall(r'id="strike-\d" aria-label="([^"]+)"', phone.get("/?seat=1").text)
        table.submit(None, "book")
        table.submit(None, "settle")
        text = phone.get("/").text
        payments = table.scoreboard().payments

    assert struck[:2] == ["Take back: Thomas loses a king", "Take back: Tame takes the last trick"]
    assert len(struck) == len(set(struck)) == 6
    listed = text[text.index('class="payments"') : text.index("</ol>", text.index("payments"))]
    aloud = re.sub(r'<(\w+)[^>]*aria-hidden="true".*?</\1>|<[^>]*>', " ", listed, flags=re.S)
    for one in payments:
        assert aloud.count(f"{NAMES[one.payer]} pays {NAMES[one.payee]} {one.amount}") == 1
    assert len(re.findall(r"\d+", aloud)) == len(payments)


def test_the_ledger_tells_hand_by_hand_why() -> None:
    with tarok_at() as table:
        tell(table)
        tell(table)
        text = phone_at(table).get("/?seat=2").text

    assert text.index('id="hand-2"') < text.index('id="hand-1"')
    ledger = text[text.index('id="hand-1"') :]
    assert "Thomas loses a king" in ledger
    assert "card points: Thijs counts 20, Tame counts 35 and Thomas counts 23" in ledger
    assert "action=reopen&" in ledger


def test_a_phone_at_a_seat_reads_beforehand_that_the_keeper_corrects() -> None:
    """It was offered the button, and only whoever had pressed it was told."""
    code = "a" * 32
    with tarok_at() as table:
        tell(table)
        settings = PanelSettings(locked=True, read_evening=lambda: (PIN, code))
        phone = Phone(build(table, settings).test_client())
        phone.client.get(f"/in/{code}")
        phone.client.post("/door/ask", data={"seat": "2"})
        text = phone.get("/?seat=2").text

    ledger = text[text.index('id="hand-1"') :]
    assert "action=reopen&" not in text
    assert "<b>Correct a hand</b> Only the keeper of the slate may do that." in ledger


def test_the_log_tells_whose_phone_told_a_hand_and_of_whom() -> None:
    """One phone tells it of all: each entry was logged as that player's own."""
    code = "a" * 16
    points = {"action": "points", "fact.points": "20", "seat": "1"}
    lost = {"action": "fate", "fact.what": '"king_lost"', "seat": "2"}
    with tarok_at() as table:
        table.submit(None, "deal")
        settings = PanelSettings(locked=True, pin=PIN, read_evening=lambda: (PIN, code))
        app = build(table, settings)
        player, keeper = Phone(app.test_client()), Phone(app.test_client())
        player.client.get(f"/in/{code}")
        player.client.post("/door/ask", data={"seat": "2"})
        keeper.client.post("/settings/pair", data={"pin": PIN})
        player.do(3, "last_trick", by="keeper")  # whatever a phone says of itself
        for place, told in (("keeper", points), ("3", lost), ("3", {"action": "undo"})):
            keeper.client.post(f"/act?seat={place}", data={"seat": "", **told})
        log = [(one.seat, one.about, one.line.key.split(".")[1]) for one in table.log(4)[::-1]]
        news = table.scoreboard().news
        text = keeper.get("/?seat=keeper").text

    assert log == [
        (B, C, "last_trick"),
        (None, A, "points-counted"),
        (C, B, "king_lost"),
        (C, None, "undone"),
    ]
    assert news is not None
    assert news.facts["seat"] == C
    assert 'class="who">Tame · phone' in text
    assert 'class="who">Slate keeper · phone' in text


def test_a_hand_is_reopened_from_its_place_in_the_ledger() -> None:
    with tarok_at() as table:
        tell(table)
        phone = phone_at(table)
        answer = phone.client.post(
            "/act?seat=2",
            data={
                "action": "reopen",
                "seat": "",
                "fact.hand": "1",
                "seen": str(table.scoreboard().seq),
            },
        )
        text = phone.get("/?seat=1").text

    assert answer.status_code == 303
    assert pressed(text) == ["king_lost-3", "last_trick-2", "last_pagat-2"]
    assert "Card points" in text
    assert "action=take_back&" in text


def test_at_the_end_it_says_who_pays_whom_and_with_which_chips() -> None:
    with tarok_at() as table:
        tell(table)
        table.submit(None, "settle")
        text = phone_at(table).get("/").text
        payments = table.scoreboard().payments

    assert payments
    for one in payments:
        pays = f"{NAMES[one.payer]} pays {NAMES[one.payee]} {one.amount}"
        assert pays in text
    assert text.count('class="chip ') == sum(len(one.chips) for one in payments)


def test_a_result_that_is_put_right_stands_there_as_it_was_told() -> None:
    """All stood at 0, and one press on the first button wrote that down."""
    with tarok_at(only_points="yes") as table:
        table.submit(None, "deal")
        assert 'href="#hand-result"' in phone_at(table).get("/?seat=1&sheet=steps").text
        table.submit(None, "result", facts={"amounts": [45, -30, -35], "king": 20, "pagat": 0})
        table.submit(None, "reopen", facts={"hand": 1})
        text = phone_at(table).get("/?seat=1").text

    fields = re.findall(
        r'name="(?:share\.amounts\.\d|fact\.\w+)" type="number"[^>]*value="(.*?)"', text
    )
    assert fields == ["45", "-30", "-35", "20", "0"]


def test_a_house_that_keeps_results_is_asked_for_nothing_else() -> None:
    with tarok_at(only_points="yes") as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        text = phone.get("/?seat=1").text
        assert asked(text) == []
        assert re.findall(r'name="(share\.amounts\.\d|fact\.\w+)" type="number"', text) == [
            *(f"share.amounts.{n}" for n in (1, 2, 3)),
            *("fact.king", "fact.pagat"),
        ]

        said = {"share.amounts.1": "-45", "share.amounts.2": "20", "share.amounts.3": "20"}
        answer = phone.client.post(
            "/act", data={"action": "result", "seat": "", **said, "fact.king": "5"}
        )

    assert answer.status_code == 303
    assert [row.tally for row in table.scoreboard().rows] == [-45, 20, 20]


def answers(text: str) -> list[tuple[str, str]]:
    """Return the buttons that answer what is asked of the whole hand, with what stands on them."""
    section = text[text.index('id="hand-asked"') :]
    section = section[: section.index("</section>")]
    return re.findall(r'<button id="do-([^"]+)"[^>]*>([^<]+)<', section)


@pytest.mark.parametrize("preset", ["dansk", "grosstarock"])
@pytest.mark.parametrize("pressed_first", ["feat", "unclaimed"])
def test_who_counts_nothing_is_asked_for_a_nolo_before_it_is_written_down(
    preset: str, pressed_first: str
) -> None:
    with tarok_at(preset) as table:
        table.submit(None, "deal")
        table.submit(B, "fate", facts={"what": "pagat_home"})
        table.submit(B, "last_trick")
        table.submit(A, "points", facts={"points": 37})
        table.submit(B, "points", facts={"points": 41})
        phone = phone_at(table)
        text = phone.get("/?seat=1").text

        assert "Thomas counts 0 and took no trick: a nolo?" in text
        assert [label for _, label in answers(text)] == ["Nolo (no trick)", "Let it pass"]
        assert 'href="#hand-asked"' in text
        assert "action=book&" not in text
        said = {"fact.what": '"nolo"', "fact.announced": "null", "fact.made": "true"}
        facts = said if pressed_first == "feat" else {}
        phone.client.post("/act?seat=1", data={"action": pressed_first, "seat": "3", **facts})
        text = phone.get("/?seat=1").text

    assert 'id="hand-asked"' not in text
    assert "action=book&" in text


def test_what_cannot_go_together_is_said_with_what_to_take_back() -> None:
    with tarok_at() as table:
        table.submit(None, "deal")
        table.submit(C, "declare", facts={"what": "kings_full"})
        table.submit(B, "fate", facts={"what": "king_lost"})
        phone = phone_at(table, "nl")
        text = phone.get("/?seat=1").text
        told = answers(text)
        phone.client.post(
            "/act?seat=1", data={"action": "take_back", "seat": "", "fact.entry": "2"}
        )
        after = phone.get("/?seat=1").text

    assert "Dat kan niet samen: Thomas meldt volle heren en Tame verliest een heer." in text
    assert [label.partition(": ")[2] for _, label in told] == [
        *("Thomas meldt volle heren", "Tame verliest een heer"),
    ]
    assert 'id="hand-asked"' not in after


@pytest.mark.parametrize(
    ("language", "preset"),
    [
        # Catalogues hold the same sentences (tests/words); what a page asks for is in all or none.
        *((language, "taroc 1754") for language in LANGUAGES),
        *(("nl", preset) for preset in ("dansk", "grosstarock")),
    ],
)
def test_every_word_of_the_sheet_is_there_in_every_language(language: str, preset: str) -> None:
    with tarok_at(preset, players=4) as table:
        phone = phone_at(table, language)
        pages = [phone.get("/?seat=1").text]
        table.submit(None, "deal")
        pages.append(phone.get("/?seat=1").text)
        table.submit(B, "last_trick")
        pages += [phone.get("/?seat=1").text, phone.get("/?seat=keeper").text]

    bare = r"\b(?:hand|draft|ledger|declare|feat|need|choice|payments|pot|action|news)\.[a-z_]+"
    for text in pages:
        shown = re.sub(r"<[^>]*>", " ", text)
        assert re.findall(bare, shown) == []
