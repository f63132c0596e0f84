"""What is played is chosen on a phone: the game and its preset from cards, and rule by rule."""

import html
import re
from collections.abc import Iterator

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import Words
from kloplei_panel import PanelSettings
from tests.panel.conftest import PIN, DemoOfPins, Phone, build
from tests.panel.tarok_table import tarok_at
from tests.panel.watten_table import watten_at
from tests.table.memory_journal import MemoryJournal


@pytest.fixture
def empty() -> Iterator[Session]:
    """Nobody sits at the table yet."""
    with Session(MemoryJournal()) as table:
        yield table


def press(phone: Phone, place: str, **fields: str) -> int:
    asked = {
        "action": "options",
        **{key.replace("_", ".", 1): text for key, text in fields.items()},
    }
    return phone.client.post(f"/act?seat={place}", data=asked).status_code


def rules(phone: Phone) -> str:
    """Return the sheet of house rules, as the keeper of the slate reads it."""
    text = phone.get("/?seat=keeper").text
    return html.unescape(text[text.index('id="place-rules"') : text.index('id="place-log"')])


def asked(phone: Phone) -> set[str]:
    return set(re.findall(r'name="option\.(\w+)"', rules(phone)))


def test_what_is_played_is_a_card_each_where_people_sit_down(empty: Session) -> None:
    """Two selects stood behind a sheet, of which one could contradict the other."""
    phone = Phone(build(empty, PanelSettings()).test_client())

    text = html.unescape(phone.get("/?seat=2").text)
    cards = re.findall(r'name="fact.game" value=""(\w+)"" aria-pressed="(\w+)"', text)
    status = press(phone, "2", fact_game='"watten"')
    after = html.unescape(phone.get("/?seat=2").text)

    assert cards == [(one, str(one == "toepen").lower()) for one in GAMES]
    assert all(Words("en").say(f"game-note.{one}") in text for one in GAMES)
    assert status == 303
    assert phone.board["game"] == "watten"
    assert 'value=""tirol"" aria-pressed="true"' in after
    assert 'value=""kroeg""' not in after


def test_what_is_played_may_still_change_before_the_first_hand(phone: Phone) -> None:
    before = phone.get("/?seat=2").text
    phone.do(1, "deal")

    assert 'id="place-house"' in before
    assert "Another game can be chosen" not in before
    assert "fact.game" not in phone.get("/?seat=2").text
    assert "fact.game" not in phone.get("/?seat=keeper").text


def test_another_game_is_told_as_what_is_played(empty: Session) -> None:
    """It said that the house rules of Watten had changed, which nobody had touched."""
    empty.submit(None, "options", facts={"game": "watten"})

    text = build(empty, PanelSettings()).test_client().get("/").text

    assert "We spelen Watten." in text


def test_in_the_middle_of_a_rubber_only_its_house_rules_are_offered(demo_phone: Phone) -> None:
    demo_phone.do(1, "deal")
    demo_phone.do(2, "trick", n=4)

    text = demo_phone.get("/?seat=2").text

    assert 'name="fact.preset"' in text
    assert "fact.game" not in text
    assert "Another game can be chosen once this one is played out" in text
    assert re.search(r'class="house to-choose"[^>]* hidden', demo_phone.get("/demo").text)


def test_only_who_keeps_a_locked_slate_chooses_and_others_read_what_is_to_be_played(
    empty: Session,
) -> None:
    locked = build(empty, PanelSettings(locked=True, pin=PIN))
    text = Phone(locked.test_client()).get("/?seat=2").text

    assert "fact.game" not in text
    assert "To be played: Toepen · Pub" in text


def test_the_virtual_table_has_the_games_to_choose_from(
    table: Session, demo_phone: Phone, demo: DemoOfPins
) -> None:
    text = demo_phone.get("/demo").text
    answer = demo_phone.client.post("/demo/game", data={"game": "tarok"})
    table.submit(None, "deal")

    assert re.findall(r'name="game" value="(\w+)"', text) == list(GAMES)
    assert answer.status_code == 303
    assert demo.moved == [("game", "tarok")]
    assert 'name="game"' not in demo_phone.get("/demo").text


def test_each_house_rule_says_what_the_preset_has(phone: Phone) -> None:
    """All of them read "as the preset has it", and nobody knew what that was."""
    text = rules(phone)

    assert '<option value="">whoever likes (Pub)</option>' in text
    assert 'placeholder="10 (Pub)"' in text
    assert 'placeholder="3 (Pub)"' in text
    assert "changed;" not in text


def test_house_rules_that_differ_are_marked_and_one_press_takes_all_back(phone: Phone) -> None:
    press(phone, "keeper", option_max_lives="12", option_armoede="off", option_jack_bonus="off")

    text = rules(phone)
    status = press(phone, "keeper", fact_preset='"kroeg"')

    assert "Pub · 2 changed" in text
    assert text.count('class="rule changed"') == 2
    assert "changed; Pub: 10" in text
    assert "Back to Pub" in text
    assert status == 303
    assert phone.board["options"] == {}
    assert "Back to Pub" not in rules(phone)


def test_house_rules_stand_together_that_belong_together(phone: Phone) -> None:
    """The sheet was 3,900 pixels of thirty-five lists."""
    names = re.findall(r'class="rule-group" id="rules-(\w+)"', rules(phone))

    assert names[:4] == ["rubber", "knocking", "armoede", "exchange"]


def test_a_rule_of_what_is_not_played_is_not_asked_for_and_not_forgotten(phone: Phone) -> None:
    press(phone, "keeper", option_armoede="off", option_armoede_stake="3")

    text = rules(phone)

    assert 'id="rule-armoede_stake"' not in text
    assert '<input type="hidden" name="option.armoede_stake" value="3">' in text


def test_only_rules_of_the_chosen_variant_stand_there() -> None:
    with watten_at("boehmisch") as table, tarok_at("grosstarock") as other:
        watten = asked(Phone(build(table, PanelSettings()).test_client()))
        tarok = asked(Phone(build(other, PanelSettings()).test_client()))

    assert "bohemian_start" in watten
    assert "raise_lock" not in watten
    assert {one[:2] for one in tarok if one[1] == "_"} == {"b_"}
    assert "must_balance" not in tarok


def test_what_a_number_may_be_is_told_without_a_word_of_english() -> None:
    with tarok_at("dansk") as table:
        text = rules(Phone(build(table, PanelSettings()).test_client()))

    assert "<small>80, 85, … 135</small>" in text
    assert " by 5" not in text


def test_a_number_that_cannot_be_is_answered_for_people() -> None:
    """It was "0 to 4" of one that is 0 or 4, and sent people to read /api/v1/openapi.json."""
    with tarok_at("taroc 1754") as table:
        phone = Phone(build(table, PanelSettings()).test_client(), "nl")
        sheet = rules(phone)
        asked = {"action": "options", "option.a_excuse_alone_cards": "3"}
        answer = phone.client.post("/act?seat=keeper", data=asked)

    told = re.sub("<[^>]*>", "", html.unescape(answer.text))
    assert answer.status_code == 400
    assert "punten van de overgebleven nar kan geen '3' zijn; wel: 0, 4." in told
    assert "openapi" not in told
    assert ">0, 4<" in sheet


def test_a_choice_that_begins_with_a_digit_is_told_in_the_words_of_the_sheet() -> None:
    """It was "3 and dealer 2" in every language, where the sheet says "drie, de deler twee"."""
    with watten_at("boehmisch") as table:
        phone = Phone(build(table, PanelSettings()).test_client(), "nl")
        asked = {"action": "options", "option.bohemian_exchange": "5"}
        answer = phone.client.post("/act?seat=keeper", data=asked)

    told = html.unescape(answer.text)
    assert answer.status_code == 400
    assert "drie, de deler twee" in told
    assert "3 and dealer 2" not in told


def test_a_number_that_was_changed_is_told_as_one(phone: Phone) -> None:
    """It was "Chips for a debt → three": so the choice "3" of another game's rule is called."""
    phone.do(None, "options", options={"stake_in": "chips", "debt_chips": 3})

    assert "Chips for a debt → 3" in html.unescape(phone.get("/").text)


def test_a_rule_may_be_typed_in_the_words_that_stand_there() -> None:
    with watten_at("tirol") as table:
        phone = Phone(build(table, PanelSettings()).test_client(), "de")

        assert "zwei Punkte vor Schluss, keine Grenze, 1+" in rules(phone)
        assert phone.ask(None, "options", options={"raise_lock": "Keine Grenze"}).status_code == 202
        assert phone.board["options"] == {"raise_lock": "none"}
        phone.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
        press(phone, "keeper", option_raise_lock="zwei Punkte vor Schluss")
        assert phone.board["options"] == {"raise_lock": "target_minus_2"}


def test_a_rule_that_cannot_be_says_what_can_in_the_words_that_stand_there() -> None:
    with watten_at("tirol") as table:
        phone = Phone(build(table, PanelSettings()).test_client(), "de")
        refused = phone.ask(None, "options", options={"raise_lock": "abc"})

        assert refused.status_code == 400
        told = refused.get_json()["message"]
        assert "zwei Punkte vor Schluss, keine Grenze, 1+" in told
        assert "openapi" not in told
        assert "none" not in told


def test_house_rules_of_the_settings_without_a_preset_are_compared_with_the_usual_one() -> None:
    setup = TableSetup(options={"max_lives": 12})
    with Session(MemoryJournal(), setup) as table:
        text = rules(Phone(build(table, PanelSettings()).test_client()))

    assert "changed; Pub: 10" in text


@pytest.mark.parametrize("game", GAMES)
def test_every_house_rule_stands_in_one_group(game: str) -> None:
    house = GAMES[game].house_rules()

    named = [one for group in house.grouped().values() for one in group]

    assert sorted(named) == sorted(house.choices())
