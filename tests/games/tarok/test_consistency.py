"""What cannot be in a hand is refused by its code, and what only looks like it is not (§ 10)."""

import pytest

from kloplei.games.game import Event, Seat
from kloplei.games.tarok import Options
from kloplei.games.tarok.actions import (
    Declared,
    FateTold,
    FeatTold,
    FeatUnclaimed,
    Fined,
    FoolLeft,
    HandVoided,
    LastCardTold,
    LastTrickTold,
    PointsCounted,
    WrongDiscardFound,
)
from kloplei.games.tarok.consistency import CODES, lacking, rejects, unclaimed, warnings, wrong
from kloplei.games.tarok.state import Hand
from tests.games.tarok.played import also

ANN, BOB, COR, DIRK = (Seat(n) for n in range(4))
PLAIN = {
    "a": (LastTrickTold(COR),),
    "b": (LastTrickTold(COR),),
    "c": (FateTold(BOB, "pagat_home"), LastTrickTold(COR)),
}
POINTS = (PointsCounted(ANN, 24), PointsCounted(BOB, 31), PointsCounted(COR, 23))


def hand(*entries: Event) -> Hand:
    """Return a hand that Cor dealt and all three play."""
    return Hand(COR, (ANN, BOB, COR), entries)  # type: ignore[arg-type]


def options(rule_set: str, **others: object) -> Options:
    return Options.from_mapping({"rule_set": rule_set, **others})


def taroks(seat: Seat, count: int | None, pagat: bool | None = None) -> Declared:
    return Declared(seat, "taroks", count=count, pagat=pagat)


def cavalry(seat: Seat, full: str, suit: str | None = None) -> Declared:
    return Declared(seat, f"cavalry_{full}", suit=suit)


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_a_plain_hand_is_fine(rule_set: str) -> None:
    assert rejects(options(rule_set), hand(*PLAIN[rule_set], *POINTS)) == ()


@pytest.mark.parametrize(
    ("rule_set", "entries", "codes"),
    [
        ("a", (taroks(DIRK, 10),), ("V-SEAT",)),
        ("b", (FateTold(DIRK, "pagat_home"),), ("V-SEAT",)),
        ("c", (Fined(DIRK, 5),), ("V-SEAT",)),
        ("a", (WrongDiscardFound(ANN),), ("V-SEAT",)),
        ("b", (LastTrickTold(ANN),), ("V-LAST",)),
        ("b", (FateTold(ANN, "pagat_lost"), LastCardTold(BOB, "pagat")), ("V-PAGAT-ONCE",)),
        ("b", (LastCardTold(ANN, "pagat"), LastCardTold(BOB, "pagat")), ("V-PAGAT-ONCE",)),
        ("b", (taroks(ANN, 10, True), FateTold(BOB, "pagat_lost")), ("V-PAGAT-OWNER",)),
        ("b", (taroks(ANN, 10, True), taroks(BOB, 10, True)), ("V-PAGAT-OWNER",)),
        ("b", (Declared(ANN, "matadors", count=3), taroks(BOB, 10, True)), ("V-PAGAT-OWNER",)),
        ("b", (Declared(ANN, "matadors", count=3), taroks(ANN, 10, False)), ("V-PAGAT-OWNER",)),
        ("b", (Declared(ANN, "matadors", count=3), LastCardTold(COR, "pagat")), ("V-PAGAT-OWNER",)),
        ("b", 5 * (FateTold(ANN, "king_home"),), ("V-KINGS",)),
        ("b", (*4 * (FateTold(ANN, "king_lost"),), LastCardTold(BOB, "king")), ("V-KINGS",)),
        ("b", (LastCardTold(COR, "king"), LastCardTold(ANN, "pagat")), ("V-LAST-ORDER",)),
        ("c", (FeatTold(COR, "vole"),), ("V-FEAT",)),
        ("b", (FeatTold(COR, "tout"),), ("V-FEAT",)),
        ("a", (FeatTold(ANN, "nolo"),), ("V-FEAT",)),
        ("b", (FeatTold(ANN, "vole"),), ("V-ZERO", "V-FEAT")),
        ("b", (FeatTold(ANN, "nolo"), FeatTold(BOB, "nolo")), ("V-FEAT",)),
        ("b", 2 * (FeatTold(ANN, "vole", made=False),), ("V-FEAT",)),
        ("b", (FeatTold(ANN, "vole", 7, made=False),), ("V-ANN",)),
        ("b", (FeatTold(ANN, "nolo", 20, made=False),), ("V-ANN",)),
        ("b", (FeatTold(ANN, "nolo", made=False),), ("V-ANN",)),
        (
            "b",
            (FeatTold(ANN, "vole", 1, made=False), FeatTold(ANN, "nolo", 13, made=False)),
            ("V-ANN",),
        ),
        ("c", (FeatTold(ANN, "nolo", 1),), ("V-ANN",)),
        ("c", (FeatTold(ANN, "tout", made=False),), ("V-ANN",)),
        ("a", (taroks(ANN, 9),), ("V-DECL",)),
        ("a", (taroks(ANN, None),), ("V-DECL",)),
        ("a", (taroks(ANN, 23),), ("V-DECL", "V-DECL-SUM")),
        ("a", (Declared(ANN, "matadors", count=23),), ("V-DECL",)),
        ("b", (Declared(ANN, "honours", count=2),), ("V-DECL",)),
        ("b", (Declared(ANN, "ladons", count=26),), ("V-DECL",)),
        ("b", (Declared(ANN, "ladons", count=15),), ("V-DECL",)),
        ("c", (Declared(ANN, "honours", count=3),), ("V-DECL",)),
        ("a", (Declared(ANN, "kings_over"),), ("V-DECL",)),
        ("b", (Declared(ANN, "kings_four"),), ("V-DECL",)),
        ("a", (Declared(ANN, "trull"),), ("V-DECL",)),
        (
            "b",
            (Declared(ANN, "ladons", count=21), Declared(BOB, "ladons", count=20)),
            ("V-DECL-SUM",),
        ),
        ("b", 2 * (Declared(ANN, "queens"),), ("V-DECL-SUM",)),
        ("a", (taroks(ANN, 10), taroks(ANN, 10)), ("V-DECL-SUM",)),
        ("a", (Declared(ANN, "kings_four"), Declared(BOB, "kings_three")), ("V-DECL-SUM",)),
        ("a", (cavalry(ANN, "full", "H"), cavalry(BOB, "half", "H")), ("V-DECL-SUM",)),
        ("c", (cavalry(ANN, "half", "H"), cavalry(BOB, "over", "S")), ("V-EXCUSE-ONE",)),
        ("a", (Declared(ANN, "matadors", count=3), cavalry(BOB, "half")), ("V-EXCUSE-ONE",)),
        ("a", (Declared(ANN, "kings_three"), cavalry(BOB, "half")), ("V-EXCUSE-ONE",)),
        ("c", (Declared(ANN, "kings_half"), cavalry(ANN, "full", "H")), ("V-OVER",)),
        ("a", (FateTold(ANN, "king_home"),), ("V-EVENT",)),
        ("a", (LastCardTold(ANN, "king"),), ("V-EVENT",)),
        ("c", (FateTold(ANN, "king_home"),), ("V-EVENT",)),
        ("b", (FateTold(ANN, "queen_home"),), ("V-EVENT",)),
        ("b", (FoolLeft(ANN),), ("V-EVENT",)),
        ("c", (WrongDiscardFound(COR),), ("V-EVENT",)),
        ("b", (Fined(ANN, 0, king_pot=5),), ("V-EVENT",)),
        ("c", (Fined(ANN, -5),), ("V-FINE",)),
        ("c", (Fined(ANN, 0, pagat_pot=7),), ("V-FINE",)),
        ("a", (FoolLeft(ANN),), ("V-EXCUSE",)),
        ("a", (FoolLeft(COR),), ("V-EXCUSE",)),
    ],
)  # fmt: skip
def test_what_cannot_be_has_its_code(
    rule_set: str, entries: tuple[Event, ...], codes: tuple[str, ...]
) -> None:
    told = hand(*PLAIN[rule_set], *entries, *POINTS)

    found = rejects(options(rule_set), told)

    # What the cards exclude as well is looked at below.
    assert tuple(code for code in found if code != "V-HELD") == codes


@pytest.mark.parametrize(
    ("rule_set", "entries"),
    [
        ("c", (taroks(ANN, 10, False),)),
        ("c", (taroks(BOB, 10, True), Declared(BOB, "matadors", count=9))),
        ("a", (taroks(ANN, 12), taroks(BOB, 10))),
        ("a", (cavalry(ANN, "half"), cavalry(ANN, "half"))),  # nobody said of which suits
        ("a", (cavalry(ANN, "half", "H"), cavalry(ANN, "half", "S"), Declared(ANN, "kings_three"))),
        ("c", (Declared(ANN, "kings_half"), cavalry(BOB, "full", "H"))),
        ("c", (Declared(ANN, "kings_over"), cavalry(ANN, "over", "H"))),
        ("b", (Declared(ANN, "queens"), Declared(ANN, "jacks"), Declared(BOB, "cavaliers"))),
        ("b", (Declared(ANN, "honours", count=4), Declared(BOB, "honours", count=3))),
        ("b", (Declared(ANN, "ladons", count=16), Declared(BOB, "ladons", count=24))),
        ("b", 4 * (FateTold(ANN, "king_home"),)),
        ("b", (LastCardTold(ANN, "king"), LastCardTold(BOB, "king"), LastCardTold(COR, "king"))),
        ("b", (LastCardTold(COR, "pagat"), LastCardTold(ANN, "king"))),
        ("b", (FeatTold(ANN, "vole", made=False), FeatTold(BOB, "vole", 20, made=False))),
        ("b", (FeatTold(ANN, "vole", 1, made=False), FeatTold(BOB, "nolo", 1, made=False))),
        ("c", (Fined(ANN, 5, 10, 15),)),
        ("a", (Fined(ANN), Fined(BOB, 7))),
    ],
)
def test_what_only_looks_odd_is_taken(rule_set: str, entries: tuple[Event, ...]) -> None:
    told = hand(*PLAIN[rule_set], *entries, *POINTS)

    assert rejects(options(rule_set), told) == ()


@pytest.mark.parametrize(
    ("points", "fits"),
    [
        ((26, 26, 26), True),
        ((78, 0, 0), True),
        ((26, 26, 25), False),
        ((79, 0, -1), False),
        ((None, 39, 39), False),
        ((26, 26), False),
        ((), False),
    ],
)
def test_card_points_are_three_whole_numbers_that_make_78(
    points: tuple[int | None, ...], fits: bool
) -> None:
    counted = (PointsCounted(Seat(n), number) for n, number in enumerate(points))

    codes = rejects(options("a"), hand(*PLAIN["a"], *counted))

    assert codes == (() if fits else ("V-78",))


def test_card_points_that_do_not_settle_may_be_left_out_and_are_ignored() -> None:
    nolo = (*PLAIN["c"], FeatTold(ANN, "nolo"))

    for points in ((), (PointsCounted(ANN, 99),), (PointsCounted(DIRK, 3),)):
        assert rejects(options("c"), hand(*nolo, *points)) == ()
    assert rejects(options("c", cards=False), hand(*PLAIN["c"])) == ()
    assert rejects(options("c"), hand(*PLAIN["c"])) == ("V-78",)


@pytest.mark.parametrize(
    ("entries", "codes"),
    [
        ((FeatTold(COR, "nolo"),), ("V-NOLO",)),
        ((FeatTold(BOB, "nolo"),), ("V-NOLO",)),
        ((FeatTold(ANN, "nolo"),), ()),
        ((FeatTold(COR, "tout"),), ("V-FEAT",)),
        ((FeatTold(ANN, "nolo"), FeatTold(COR, "tout")), ("V-FEAT",)),
    ],
)
def test_who_brought_the_pagat_home_or_won_the_last_trick_took_one(
    entries: tuple[Event, ...], codes: tuple[str, ...]
) -> None:
    assert rejects(options("c"), hand(*PLAIN["c"], *entries, *POINTS)) == codes


@pytest.mark.parametrize(
    ("lost", "codes"),
    [(FateTold(ANN, "king_lost"), ()), (FateTold(COR, "king_lost"), ("V-FEAT",))],
)
def test_who_takes_every_trick_loses_nothing(lost: Event, codes: tuple[str, ...]) -> None:
    tout = (FateTold(COR, "pagat_home"), LastTrickTold(COR), FeatTold(COR, "tout"))

    assert rejects(options("c"), hand(*tout, lost)) == codes


@pytest.mark.parametrize(
    ("points", "maker", "codes"),
    [
        ((78, 0, 0), ANN, ("V-ZERO",)),  # Cor dealt, and laid away at least one point
        ((77, 0, 1), ANN, ()),
        ((68, 0, 10), ANN, ()),
        ((67, 0, 11), ANN, ("V-ZERO",)),
        ((67, 1, 10), ANN, ("V-ZERO",)),
        ((0, 0, 78), COR, ()),
        ((0, 2, 76), COR, ("V-ZERO",)),
    ],
)
def test_beside_a_vole_there_is_only_what_the_dealer_laid_away(
    points: tuple[int, int, int], maker: Seat, codes: tuple[str, ...]
) -> None:
    counted = (PointsCounted(Seat(n), number) for n, number in enumerate(points))
    told = hand(LastTrickTold(maker), FeatTold(maker, "vole"), *counted)

    assert rejects(options("b"), told) == codes
    assert rejects(options("b", b_vole_with_cards=False), told) == ()


@pytest.mark.parametrize(
    ("seat", "points", "kept", "codes"),
    [
        (ANN, (0, 40, 38), 0, ()),
        (ANN, (4, 40, 34), 0, ("V-EXCUSE",)),
        (ANN, (4, 40, 34), 4, ()),
        (ANN, (0, 40, 38), 4, ("V-EXCUSE",)),
        (COR, (40, 37, 1), 0, ()),
        (COR, (40, 28, 10), 0, ()),
        (COR, (40, 38, 0), 0, ("V-EXCUSE",)),
        (COR, (40, 27, 11), 0, ("V-EXCUSE",)),
        (COR, (40, 27, 11), 4, ()),
        (COR, (40, 34, 4), 4, ("V-EXCUSE",)),
    ],
)
def test_who_is_left_with_the_fool_has_no_points_but_from_what_he_laid_away(
    seat: Seat, points: tuple[int, int, int], kept: int, codes: tuple[str, ...]
) -> None:
    counted = (PointsCounted(Seat(n), number) for n, number in enumerate(points))
    told = hand(LastTrickTold(BOB), FoolLeft(seat), *counted)

    assert rejects(options("a", a_excuse_alone_cards=kept), told) == codes


def test_who_is_left_with_the_fool_brought_no_pagat_home() -> None:
    told = hand(LastTrickTold(BOB), FateTold(ANN, "pagat_home"), FoolLeft(ANN))

    assert rejects(options("a", cards=False), told) == ("V-EXCUSE",)


def test_of_a_void_hand_only_declarations_and_fines_are_looked_at() -> None:
    nonsense = (FateTold(ANN, "king_home"), FateTold(BOB, "pagat_home"), LastTrickTold(ANN))

    assert rejects(options("a"), hand(*nonsense, LastTrickTold(BOB), HandVoided())) == ()
    assert rejects(options("a"), hand(taroks(ANN, 9), HandVoided())) == ("V-DECL",)
    assert rejects(options("c"), hand(HandVoided(), Fined(ANN, 7))) == ("V-FINE",)


def test_the_dealer_plays() -> None:
    told = Hand(DIRK, (ANN, BOB, COR), (*PLAIN["c"], *POINTS))

    assert rejects(options("c"), told) == ("V-SEAT",)


def test_the_last_trick_has_a_winner_who_plays() -> None:
    assert rejects(options("a"), hand(*POINTS)) == ("V-LAST",)
    assert rejects(options("a"), hand(LastTrickTold(DIRK), *POINTS)) == ("V-SEAT", "V-LAST")


def test_everything_is_reported_at_once_in_the_order_of_the_rules() -> None:
    told = hand(
        Fined(ANN, -5),
        taroks(DIRK, 9),
        *5 * (FateTold(ANN, "king_home"),),
        FeatTold(ANN, "vole", 7),
        PointsCounted(ANN, 80),
    )

    codes = rejects(options("c"), told)

    assert codes == tuple(code for code in CODES if code in codes)
    assert set(codes) == {
        *("V-SEAT", "V-LAST", "V-78", "V-PAGAT-FATE", "V-KINGS", "V-FEAT", "V-ANN", "V-DECL"),
        *("V-EVENT", "V-FINE"),
    }


def test_what_is_still_to_come_is_not_yet_wrong() -> None:
    started = hand(taroks(ANN, 10, True))

    assert wrong(options("c"), started) == ()
    assert set(lacking(options("c"), started)) == {"V-LAST", "V-78", "V-PAGAT-FATE"}


def test_what_is_odd_but_may_be_is_a_warning() -> None:
    few_kings = hand(*PLAIN["b"], *3 * (FateTold(ANN, "king_home"),), *POINTS)

    assert warnings(options("b"), few_kings) == ("V-KINGS",)
    assert warnings(options("c"), few_kings) == ()
    assert warnings(options("b"), also(few_kings, LastCardTold(BOB, "king"))) == ()


@pytest.mark.parametrize(
    ("rule_set", "points", "feats"),
    [
        ("c", (0, 40, 38), [(ANN, "nolo")]),
        ("b", (40, 0, 38), [(BOB, "nolo")]),
        ("c", (40, 38, 0), []),  # Cor dealt, and nobody lays away nothing
        ("c", (0, 0, 78), [(COR, "tout")]),
        ("b", (77, 0, 1), [(ANN, "vole")]),
        ("b", (73, 0, 5), [(BOB, "nolo"), (ANN, "vole")]),
        ("c", (0, 67, 11), [(ANN, "nolo")]),
        ("a", (0, 40, 38), []),
        ("b", (1, 40, 37), []),
    ],
)
def test_what_card_points_prove_is_asked_for(
    rule_set: str, points: tuple[int, ...], feats: list[tuple[Seat, str]]
) -> None:
    counted = [PointsCounted(Seat(n), number) for n, number in enumerate(points)]
    told = hand(FateTold(BOB, "pagat_lost"), LastTrickTold(COR), *counted)

    assert unclaimed(options(rule_set), told) == tuple(FeatTold(*feat) for feat in feats)
    assert rejects(options(rule_set), told) == (("V-UNTOLD",) if feats else ())
    assert rejects(options(rule_set, cards=False), told) == ()
    assert rejects(options(rule_set, unclaimed_feats="accept"), told) == ()
    for seat, _ in feats:
        assert rejects(options(rule_set), also(told, FeatUnclaimed(seat))) == ()


def test_a_nolo_need_not_be_told_beside_a_tout_and_only_one_of_two_can_be_so() -> None:
    points = (PointsCounted(ANN, 73), PointsCounted(BOB, 0), PointsCounted(COR, 5))
    told = hand(FateTold(BOB, "pagat_lost"), LastTrickTold(ANN), *points)

    assert rejects(options("c"), told) == ("V-UNTOLD",)
    assert rejects(options("c"), also(told, FeatTold(ANN, "tout"))) == ()
    assert rejects(options("c"), also(told, FeatTold(BOB, "nolo"))) == ()


@pytest.mark.parametrize(
    ("feat", "points", "codes"),
    [
        (FeatTold(ANN, "nolo", 1, made=False), (0, 40, 38), ("V-FAILED",)),
        (FeatTold(ANN, "nolo", 1, made=False), (1, 40, 37), ()),
        (FeatTold(COR, "nolo", 13, made=False), (38, 39, 1), ()),
        (FeatTold(COR, "vole", 1, made=False), (0, 0, 78), ("V-FAILED",)),
        (FeatTold(BOB, "vole", made=False), (0, 75, 3), ("V-FAILED",)),
        (FeatTold(BOB, "vole", 20, made=False), (1, 75, 2), ()),
        (FeatTold(BOB, "vole", 20, made=False), (0, 67, 11), ("V-UNTOLD",)),
    ],
)
def test_what_is_told_as_failed_did_fail(
    feat: FeatTold, points: tuple[int, ...], codes: tuple[str, ...]
) -> None:
    counted = [PointsCounted(Seat(n), number) for n, number in enumerate(points)]

    assert rejects(options("b"), hand(LastTrickTold(COR), feat, *counted)) == codes
