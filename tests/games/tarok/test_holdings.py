"""25 cards a player hold all that is told truly, and not what contradicts it (§ 10, V-HELD)."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Event, Seat
from kloplei.games.tarok import Options
from kloplei.games.tarok.actions import (
    Declared,
    FateTold,
    FoolLeft,
    HandVoided,
    LastCardTold,
    LastTrickTold,
)
from kloplei.games.tarok.consistency import rejects
from kloplei.games.tarok.holdings import contradiction
from kloplei.games.tarok.state import Hand
from tests.examples import examples
from tests.games.tarok.invariants import seats
from tests.games.tarok.played import also, played_out

ANN, BOB, COR = seats(3)
SETS = {name: Options.from_mapping({"rule_set": name}) for name in "abc"}
THREE = seats(3)


def told(*entries: Event) -> Hand:
    """Return a hand that Cor dealt."""
    return Hand(COR, THREE, entries)  # type: ignore[arg-type]


def taroks(seat: Seat, count: int, pagat: bool | None = None, fool: bool | None = None) -> Declared:
    return Declared(seat, "taroks", count=count, pagat=pagat, fool=fool)


def matadors(seat: Seat, count: int) -> Declared:
    return Declared(seat, "matadors", count=count)


def ladons(seat: Seat, count: int) -> Declared:
    return Declared(seat, "ladons", count=count)


def honours(seat: Seat, count: int) -> Declared:
    return Declared(seat, "honours", count=count)


def cavalry(seat: Seat, how: str, suit: str) -> Declared:
    return Declared(seat, f"cavalry_{how}", suit=suit)


KING_LOST = [FateTold(seat, "king_lost") for seat in THREE]
KING_HOME = [FateTold(seat, "king_home") for seat in THREE]
PAGAT_HOME = [FateTold(seat, "pagat_home") for seat in THREE]


@pytest.mark.parametrize(
    ("rule_set", "entries"),
    [
        ("c", (Declared(ANN, "kings_full"), KING_LOST[BOB])),
        ("c", (Declared(ANN, "kings_over"), LastCardTold(BOB, "king"))),
        ("a", (Declared(ANN, "kings_four"), cavalry(BOB, "full", "H"))),
        ("c", (Declared(ANN, "kings_full"), cavalry(BOB, "full", "H"))),
        ("b", (ladons(ANN, 16), taroks(ANN, 12, False, False))),
        ("b", (ladons(ANN, 24), Declared(ANN, "queens"))),
        ("c", (taroks(ANN, 10, True), matadors(ANN, 12))),
        ("a", (taroks(ANN, 22), matadors(BOB, 3))),
        ("b", (taroks(ANN, 10, True, True), cavalry(BOB, "half", "H"))),
        ("b", (taroks(ANN, 10, True, False), cavalry(ANN, "half", "H"))),
        ("b", (taroks(ANN, 10, False, True), taroks(BOB, 10, False, True))),
        ("c", (taroks(ANN, 10, False), PAGAT_HOME[ANN])),
        ("c", (taroks(ANN, 10, True), FateTold(BOB, "pagat_lost"))),
        ("b", (honours(ANN, 4), honours(BOB, 4))),
        ("b", (Declared(ANN, "queens"), cavalry(BOB, "full", "S"))),
        ("b", (cavalry(ANN, "full", "S"), cavalry(BOB, "half", "S"))),
        ("b", (matadors(ANN, 3), honours(BOB, 5))),
        ("a", (matadors(BOB, 4), FoolLeft(ANN))),
        ("c", (cavalry(ANN, "over", "H"), Declared(ANN, "kings_full"))),
    ],
)
def test_two_that_cannot_go_together_are_named(rule_set: str, entries: tuple[Event, ...]) -> None:
    beside = (KING_LOST[COR], *entries, LastTrickTold(COR)) if rule_set == "b" else entries

    assert contradiction(SETS[rule_set], told(*beside)) == entries
    assert "V-HELD" in rejects(SETS[rule_set], told(*beside))


@pytest.mark.parametrize(
    ("rule_set", "entries"),
    [
        ("c", (taroks(ANN, 22, False),)),
        ("c", (Declared(ANN, "kings_half"), KING_LOST[BOB], KING_LOST[COR])),
        ("b", (honours(ANN, 3), honours(BOB, 4), KING_HOME[COR])),
        ("b", (ladons(ANN, 16), taroks(BOB, 10, False, False), ladons(BOB, 16))),
        ("c", (taroks(ANN, 12, False), taroks(BOB, 10, False), PAGAT_HOME[COR])),
    ],
)
def test_no_more_is_named_than_has_to_be(rule_set: str, entries: tuple[Event, ...]) -> None:
    found = contradiction(SETS[rule_set], told(LastTrickTold(COR), *entries))

    assert found
    assert set(found) <= set(entries)
    for one in found:
        without = (other for other in found if other is not one)
        assert contradiction(SETS[rule_set], told(*without)) == ()


@pytest.mark.parametrize(
    ("rule_set", "entries"),
    [
        ("c", (taroks(ANN, 12, True), matadors(ANN, 5), PAGAT_HOME[ANN])),
        ("c", (taroks(ANN, 22, True), matadors(ANN, 22))),
        ("c", (Declared(ANN, "kings_half"), cavalry(BOB, "full", "H"), KING_LOST[BOB])),
        ("c", (Declared(ANN, "kings_over"), *[cavalry(ANN, "over", suit) for suit in "HDSC"])),
        ("b", (ladons(ANN, 25), taroks(BOB, 22, True, True))),
        ("b", (ladons(ANN, 24), ladons(BOB, 16), taroks(COR, 22, True, True))),
        ("b", (ladons(ANN, 16), Declared(ANN, "queens"), Declared(ANN, "jacks"))),
        ("b", (honours(ANN, 3), honours(BOB, 3), KING_HOME[COR])),
        ("a", (taroks(ANN, 12), taroks(BOB, 10), FoolLeft(ANN))),
        ("a", (matadors(ANN, 3), cavalry(ANN, "half", "H"), Declared(ANN, "kings_three"))),
        # The dealer may have laid away too few: then one holds more than 25 for a while.
        ("b", (ladons(COR, 16), taroks(COR, 11, False, False), HandVoided())),
    ],
)
def test_what_25_cards_can_hold_is_taken(rule_set: str, entries: tuple[Event, ...]) -> None:
    assert contradiction(SETS[rule_set], told(*entries)) == ()


def test_what_is_no_declaration_or_of_nobody_who_plays_has_codes_of_its_own() -> None:
    strange = (taroks(ANN, 30), Declared(ANN, "trull"), taroks(Seat(3), 22), taroks(BOB, 22, True))

    assert contradiction(SETS["c"], told(*strange)) == ()


@given(rule_set=st.sampled_from("abc"), dealer=st.sampled_from(THREE), seed=st.integers(0, 10**6))
def test_a_hand_told_truly_is_never_refused(rule_set: str, dealer: Seat, seed: int) -> None:
    order = (*THREE[dealer + 1 :], *THREE[: dealer + 1])

    assert rejects(SETS[rule_set], played_out(SETS[rule_set], order, seed)) == ()


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_a_lie_that_the_cards_exclude_is_mostly_refused(rule_set: str) -> None:
    hands, lies, refused = examples(60), 0, 0
    for seed in range(hands):
        hand = played_out(SETS[rule_set], THREE, seed)
        for lie in _lies(hand):
            lies += 1
            refused += "V-HELD" in rejects(SETS[rule_set], lie)

    assert lies > hands / 3
    assert refused / lies > 0.9


def _lies(hand: Hand) -> Iterator[Hand]:
    """Yield *hand* with one false entry, about a card of which something true is told as well."""
    pagat = hand.fates_of("pagat")
    for at, one in enumerate(hand.entries):
        if not isinstance(one, Declared):
            continue
        other = hand.opponents(one.seat)[at % 2]
        if one.what not in ("taroks", "ladons", "honours"):
            # Somebody else has the same four, or the same three matadors.
            yield also(hand, replace(one, seat=other))
        if one.what == "taroks" and one.pagat is not None and pagat:
            entries = list(hand.entries)
            entries[at] = replace(one, pagat=not one.pagat)
            if one.pagat or one.seat == pagat[0]:
                yield Hand(hand.dealer, hand.active, tuple(entries))
        if one.what in ("taroks", "matadors") and one.count is not None:
            yield also(hand, matadors(one.seat, one.count + 9))
        if one.what.startswith("kings"):
            yield also(hand, KING_LOST[other], LastCardTold(other, "king"))
        if one.what == "honours" and one.count is not None and one.count > 3:
            yield also(hand, honours(other, 8 - one.count))
