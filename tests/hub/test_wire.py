"""What goes over the wire comes out the same, and what does not fit is told."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.table.uplink_client import EraBegun, HouseEntry
from kloplei.uplink.wire import (
    BadMessage,
    Have,
    Paired,
    PairingRequest,
    Steps,
    decode,
    encode,
    split_topic,
    topic,
)
from tests.examples import examples

FACTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(-9, 9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=examples(10))
@given(st.dictionaries(st.text() | st.sampled_from(["key", "$seat", "$"]), FACTS))
def test_facts_come_out_as_they_stand_in_the_journal(facts: dict[str, object]) -> None:
    text = json.dumps(facts, separators=(",", ":"))
    entry = HouseEntry(7, 6, None, 0, "pad", "Knocked", text, "ab")
    sent = Steps("era", 5, "cd", (entry,), EraBegun("before", 5, "cd", supersedes=True))

    assert decode(Steps, encode(sent)) == sent
    assert json.loads(encode(sent))["entries"][0]["facts"] == facts


ODD = b'{"era": "e", "after": -1, "link": "", "entries": [{"facts": 3}]}'


HALF = b'{"era": "\\ud83c", "after": 0, "link": ""}'


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b'{"era": 1}', b"\xff", b"[" * 100_000, b" " * 1_000_001),
        *(ODD, HALF, HALF.replace(b"\\ud83c", b"\xed\xa0\xbc")),
    ],
)
def test_what_is_no_message_is_told(body: bytes) -> None:
    with pytest.raises(BadMessage):
        decode(Steps, body)


def test_an_answer_leaves_out_what_it_need_not_say() -> None:
    assert encode(Have("e", 3, "ab")) == b'{"era":"e","seq":3,"link":"ab"}'


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (topic("b", "steps"), ("b", "steps")),
        ("kloplei/v1/b", None),
        ("kloplei/v1//steps", None),
        ("other/kloplei/v1/b/steps", None),
        ("homeassistant/status", None),
    ],
)
def test_a_topic_is_taken_apart(name: str, parts: tuple[str, str] | None) -> None:
    assert split_topic(name) == parts


def test_a_pairing_comes_out_as_it_was_asked_and_answered() -> None:
    asked = PairingRequest("b0c5", "KRIJT-7", "0.1.0")
    answered = Paired("b0c5", "secret", "De Kelk", "hub.local", 8883, authority="PEM")

    assert decode(PairingRequest, encode(asked)) == asked
    assert decode(Paired, encode(answered)) == answered
