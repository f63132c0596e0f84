"""What a phone offers at a Watten table: what is pressed often lies under the thumb."""

import json
import re
from html import unescape
from pathlib import Path

from kloplei.games.game import Do, Seat
from kloplei.games.watten.actions import Trick
from kloplei.slate.drawing import FrameTime, Motion
from kloplei.slate.faces import TableScene
from kloplei.table.session import Session
from kloplei.words import Words
from kloplei_panel import PanelSettings
from kloplei_panel.reader import Reader
from tests.games.watten.test_view_gestures import in_play, meaning
from tests.panel.conftest import NAMES, Phone, build
from tests.panel.watten_table import announce, watten_at


def phone_at(table: Session, language: str = "de") -> Phone:
    return Phone(build(table, PanelSettings()).test_client(), language)


def thumbs(phone: Phone, seat: int) -> list[str]:
    """Return the ids of what lies under the thumb of *seat*, in its order."""
    text = phone.get(f"/?seat={seat}").text
    text = text[text.index('class="thumbs') :]
    return re.findall(r'id="(?:do|sheet)-([a-z_]+)', text)


def more(phone: Phone, seat: int) -> list[str]:
    text = phone.get(f"/?seat={seat}").text
    text = text[text.index('id="more"') : text.index('id="evening"')]
    return re.findall(r'id="(?:do|sheet)-([a-z_]+)', text)


def test_the_one_who_names_the_schlag_taps_it() -> None:
    with watten_at("tirol") as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        text = phone.get("/?seat=1").text

        assert thumbs(phone, 1)[0] == "schlag"
        assert "schlag" not in thumbs(phone, 2)
        assert text.count('name="fact.rank"') == 9

        table.submit(Seat(0), "schlag", facts={"rank": "9"})
        assert thumbs(phone, 4)[0] == "trump"
        assert phone.get("/?seat=4").text.count('name="fact.suit"') == 4


def test_who_raised_did_not_knock_on_the_large_screen() -> None:
    with watten_at("tirol") as table:
        announce(table)
        table.submit(Seat(0), "raise")
        screens = {one: phone_at(table, one).get("/tv").text for one in ("en", "de")}

    assert "<span>raised</span>" in screens["en"]
    assert "<span>bot</span>" in screens["de"]
    assert "knocked" not in screens["en"]


def test_hold_give_up_and_raise_lie_under_the_thumb() -> None:
    with watten_at("tirol") as table:
        announce(table)
        phone = phone_at(table)
        assert thumbs(phone, 1) == ["raise", "trick"]

        table.submit(Seat(0), "raise")
        assert thumbs(phone, 2) == ["accept", "fold", "raise"]
        assert thumbs(phone, 3) == []
        assert "revoke" in more(phone, 2)


def test_what_has_to_wait_in_mid_game_says_why_and_until_when() -> None:
    with watten_at("tirol") as table:
        table.submit(None, "deal")
        keeper = phone_at(table).get("/?seat=keeper").text
        reader = Reader("de", None, may_act=True, game="watten")

        waits = table.scoreboard().later
        said = [
            reader.say(f"later.{what}", why=reader.tell(why, table.scoreboard()))
            for what, why in waits.items()
        ]
        assert set(waits) == {"players", "rules"}
        assert [one for one in said if one not in unescape(keeper)] == []


def test_any_phone_at_a_seat_may_say_that_it_was_a_misdeal() -> None:
    with watten_at("tirol") as table:
        table.submit(None, "deal")
        phone = phone_at(table)

        # Who dealt says it for his own seat, and once.
        assert more(phone, 4).count("misdeal") == 1
        assert more(phone, 1).count("misdeal") == 1


def test_giving_up_waits_on_a_phone_as_at_the_table() -> None:
    with watten_at("tirol") as table:
        announce(table)
        table.submit(Seat(0), "raise")
        text = phone_at(table).get("/?seat=2").text

        forms = re.findall(r'<form(?:(?!</form>).)*id="do-([a-z]+)-2".*?</form>', text, re.S)
        assert {"accept", "fold", "raise"} <= set(forms)
        (fold,) = re.findall(r'<form(?:(?!</form>).)*id="do-fold-2".*?</form>', text, re.S)
        assert "waits=1" in fold


def test_below_nothing_is_no_debt_where_points_run_down() -> None:
    with watten_at("boehmisch") as table:
        phone = phone_at(table)
        for points in (1, -1):
            table.submit(Seat(0), "chalk", facts={"points": points})
            text = phone.get("/").text

            assert 'class="count below"' not in text
            assert f"Bei Thijs steht jetzt {points}." in text or points < 0
        assert "−1" in text


def test_who_is_asked_for_new_cards_is_not_asked_to_hold() -> None:
    with watten_at("tirol") as table:
        table.submit(None, "deal")
        table.submit(Seat(0), "offer")
        text = phone_at(table).get("/?seat=1").text

        assert "einverstanden oder behalten?" in text
        assert "halten oder aufgeben?" not in text


def test_a_hand_to_correct_is_told_by_who_won_it() -> None:
    with watten_at("tirol") as table:
        announce(table)
        for _ in range(3):
            table.submit(Seat(1), "trick")

        text = phone_at(table).get("/?seat=keeper").text
        sheet = text[text.index('id="sheet-correct') :]
        assert f"1 · {NAMES[1]} · {NAMES[3]} · +2" in sheet[: sheet.index("</details>")]


def test_the_only_thing_to_correct_is_said_before_it_counts() -> None:
    with watten_at("tirol", players=3) as table:
        table.submit(None, "deal")
        table.submit(Seat(2), "announced")
        for _ in range(3):
            table.submit(Seat(1), "trick")

        text = phone_at(table).get("/?seat=keeper").text
        sheet = text[text.index('id="sheet-correct') :]
        assert f"1 · {NAMES[1]} · {NAMES[2]} · +2, {NAMES[0]}" in sheet[: sheet.index("</details>")]


def test_the_phone_says_whose_revoke_it_would_be() -> None:
    with watten_at("tirol") as table:
        announce(table)
        text = phone_at(table).get("/?seat=2").text
        sheet = text[text.index('id="noted-revoke-2"') :]
        assert "Du hast nicht gespielt, was du musstest" in sheet[: sheet.index("</p>")]


def test_the_next_game_begins_at_the_dealers_phone() -> None:
    with watten_at("tirol", target=3) as table:
        for _ in range(2):
            announce(table)
            for _ in range(3):
                table.submit(Seat(1), "trick")
        phone = phone_at(table)

        dealer = table.scoreboard().dealer
        assert dealer is not None
        assert thumbs(phone, dealer.shown) == ["new_game"]


def test_tricks_are_counted_player_by_player_without_scripts() -> None:
    with watten_at("boehmisch", players=3) as table:
        table.submit(None, "deal")
        phone = phone_at(table)
        assert thumbs(phone, 3)[0] == "turnup"

        table.submit(None, "turnup", facts={"suit": "S", "rank": "9"})
        assert "exchange" in thumbs(phone, 1)
        assert "result" in thumbs(phone, 3)
        shares = {f"share.tricks.{place}": str(n) for place, n in ((1, 3), (2, 0), (3, 2))}
        form = {"action": "result", "seat": "3", "seen": str(table.scoreboard().seq), **shares}
        response = phone.client.post("/act?seat=3", data=form)

        assert response.status_code == 303
        assert [row.tally for row in table.scoreboard().rows] == [17, 25, 18]


def test_too_many_tricks_are_refused_with_a_sentence() -> None:
    with watten_at("boehmisch", players=2) as table:
        table.submit(None, "deal")
        table.submit(None, "turnup", facts={"suit": "S", "rank": "9"})
        phone = phone_at(table)
        shares = {"share.tricks.1": "5", "share.tricks.2": "5"}
        form = {"action": "result", "seat": "2", "seen": str(table.scoreboard().seq), **shares}

        response = phone.client.post("/act?seat=2", data=form, headers=phone.headers)

    assert response.status_code == 409
    assert "fünf Stiche" in response.text


def test_shares_that_are_none_are_refused() -> None:
    with watten_at("boehmisch", players=2) as table:
        phone = phone_at(table)
        for shares in ({"share.tricks.1": "NaN"}, {"share.tricks.": "1"}, {"share.": "1"}):
            form = {"action": "result", "seat": "2", "seen": "0", **shares}
            response = phone.client.post("/act?seat=2", data=form, headers=phone.headers)

            assert response.status_code in (400, 409), json.dumps(shares)


def test_the_keeper_is_shown_the_house_rules_of_this_watten_alone() -> None:
    with watten_at("blind") as table:
        text = phone_at(table).get("/?seat=keeper").text
        assert 'name="option.weli"' in text
        assert 'name="option.guate"' not in text
        assert 'name="option.bohemian_start"' not in text

    with watten_at("kritisch") as table:
        text = phone_at(table).get("/?seat=keeper").text
        assert 'name="option.kritische_cards" value="" ' in text
        assert "HK D6 S7 (1–5)" in text


def test_table_slate_hint_help_rules_and_readme_name_one_gesture_for_a_trick() -> None:
    root, dealt = Path(__file__).parents[2], in_play()
    rules = (root / "docs" / "rules" / "watten.md").read_text("utf-8")
    names = dict(zip(map(Seat, range(4)), NAMES, strict=True))
    slate = TableScene(dealt.board, names, Words("en"), Motion(FrameTime(now_s=0.0))).hint
    hint = Reader("en", None, may_act=True, game="watten").known("hint.play")

    assert hint is not None
    assert "twice" in hint
    with watten_at("tirol") as table:
        page = phone_at(table).get("/help").text
    assert "<td>2, oder lang</td><td>Dieser Stich ist meiner</td>" in page
    assert "| **raise** | my trick, *called off by any press* |" in rules
    assert "one press raises, two are *my trick*" in (root / "README.md").read_text("utf-8")
    assert meaning(dealt, Seat(1), 2) == Do(Trick(Seat(1)), grace=True)
    # The slate has no room to tell it, and tells nothing else.
    assert slate == f"{NAMES[0]}, leads"
