"""A table in Home Assistant: what it is told renders to what stands at the table."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined, Template

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind, moments_between
from kloplei.games.scoreboard import Line, Scoreboard, Tone
from kloplei.uplink.home_assistant import Device, HomeAssistant
from kloplei.uplink.wire import Online, decode, encode
from kloplei.words.catalogue import LANGUAGES
from tests.table.seated import Tabletop

DEVICE = Device("b0x", "Tafel 7", "1.2", "http://192.0.2.1")


def _told(language: str = "en") -> dict[str, Any]:
    told: dict[str, Any] = json.loads(HomeAssistant(DEVICE, language).discovery().payload)
    return told


def _rendered(component: str, board: Scoreboard) -> str:
    """What Home Assistant makes of *board*, as its templates are Jinja's."""
    template = _template(_told()["components"][component]["value_template"])
    return template.render(value_json=json.loads(encode(board)))


def _template(written: str) -> Template:
    return Environment(undefined=StrictUndefined, autoescape=True).from_string(written)


def _answering() -> Scoreboard:
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    table.ask(3, "rename", facts={"name": "Tame"})
    table.ask(1, "deal")
    table.ask(1, "knock")
    return table.board


def test_sensors_read_what_stands_at_the_table() -> None:
    board = replace(_answering())
    nameless = replace(board, rows=tuple(replace(row, name="") for row in board.rows))

    assert _rendered("stake", board) == "2"
    assert _rendered("game", board) == "toepen"
    assert _rendered("phase", board) == "answering"
    assert "Tame" in _rendered("answering", board)
    assert _rendered("answering", nameless) == "2, 3"
    assert _rendered("problem", board) == "OFF"
    assert _rendered("problem", replace(board, notices=(Line("notice.x"),))) == "ON"


def test_a_board_is_read_again_with_all_that_it_says() -> None:
    board = _answering()

    assert decode(Scoreboard, encode(board)) == board


@pytest.mark.parametrize("game", GAMES)
def test_a_table_that_has_just_begun_renders(game: str) -> None:
    board = Tabletop(build=build_game, game=game, seats=4).board

    assert [_rendered(name, board) for name in ("stake", "game", "answering")] == ["0", game, ""]


def test_it_is_available_while_its_unit_is_on_the_line() -> None:
    """Not told as a list, which a Home Assistant of 2024.11 left unread at its start."""
    told = _told()
    template = _template(told["availability_template"])
    said = [json.loads(encode(Online(online=is_on))) for is_on in (True, False)]

    assert told["availability_topic"] == "kloplei/v1/b0x/online"
    assert [template.render(value_json=one) for one in said] == ["online", "offline"]
    assert "availability" not in told


def test_a_slate_that_is_not_to_be_seen_is_taken_out() -> None:
    """Of what is only left out, Home Assistant keeps the last picture."""
    told = json.loads(HomeAssistant(replace(DEVICE, picture=False), "en").discovery().payload)

    assert told["components"]["slate"] == {"platform": "image"}


def test_a_hand_that_is_over_has_no_other_name() -> None:
    assert _told()["components"]["hand"]["event_types"] == ["hand"]


def test_there_is_one_device_and_nothing_to_command() -> None:
    told = _told()

    assert told["device"]["identifiers"] == ["kloplei_b0x"]
    assert told["device"]["configuration_url"] == "http://192.0.2.1"
    assert not [word for word in json.dumps(told).split('"') if "command" in word]
    ids = [one["unique_id"] for one in told["components"].values()]
    assert len(set(ids)) == len(ids) >= 10
    assert {"knock", "call", "fanfare", "notable", "slate", "problem"} <= set(told["components"])


def test_a_toep_is_told_once_in_words_and_never_kept() -> None:
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    table.ask(1, "deal")
    before = table.board
    table.ask(2, "knock")

    moment, _answer = moments_between(before, table.board)
    message = HomeAssistant(DEVICE, "nl").happened(moment, table.board)

    assert message is not None and not message.retain
    assert message.topic == "kloplei/v1/b0x/moment/call"
    told = json.loads(message.payload)
    assert told == {
        "event_type": "toep", "game": "toepen", "seats": [2], "stake": 2, "text": told["text"]
    }  # fmt: skip
    assert "toep" in told["text"].lower()


def test_whatever_happens_is_of_a_type_that_was_announced() -> None:
    told = _told()["components"]
    for game in GAMES:
        for kind in MomentKind:
            own = GAMES[game].moments.values() if kind is not MomentKind.HAND else ()
            for name in (str(kind), *own):
                line = Line("news.undone", {}, Tone.TOLD)
                moment = Moment(kind, name, 3, game, line, (Seat(0),))
                message = HomeAssistant(DEVICE, "en").happened(moment, Scoreboard(game, "play"))
                if message is None:
                    assert kind is MomentKind.FAULT
                elif kind not in (MomentKind.KNOCK, MomentKind.DOUBT):
                    entity = told[message.topic.rpartition("/")[2]]
                    assert entity["state_topic"] == message.topic
                    assert name in entity["event_types"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_entities_have_names_in_every_language(language: str) -> None:
    names = [one["name"] for one in _told(language)["components"].values()]

    assert not [name for name in names if "entity." in name]
    assert len(set(names)) == len(names)


def test_a_table_that_leaves_is_forgotten() -> None:
    agent = HomeAssistant(DEVICE, "en")

    assert agent.farewell().topic == agent.discovery().topic
    assert (agent.farewell().payload, agent.farewell().retain) == (b"", True)
