"""What cannot be in a hand of Tarok, by the codes of the rules; all at once (§ 10).

A hand that is still told is *wrong* only in what no further entry can mend; what is *lacking*
is known once nothing more is to come.
"""

from collections.abc import Callable, Iterator, Mapping

from kloplei.rules.game import Event
from kloplei.rules.tarok import (
    entries,
    wrong_declarations,
    wrong_feats,
    wrong_play,
    wrong_points,
)
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.options import Options

Judge = Callable[[Options, Hand], bool]

_JUDGES: Mapping[str, tuple[Judge | None, Judge | None]] = {
    "V-SEAT": (wrong_play.stranger, None),
    "V-LAST": (wrong_play.last_trick, wrong_play.no_last_trick),
    "V-78": (wrong_points.sum_of_points, wrong_points.not_all_counted),
    "V-ZERO": (wrong_points.beside_a_vole, None),
    "V-PAGAT-ONCE": (wrong_play.pagat_twice, None),
    "V-PAGAT-FATE": (None, wrong_play.no_fate),
    "V-PAGAT-OWNER": (wrong_declarations.pagat_owner, None),
    "V-KINGS": (wrong_play.five_kings, None),
    "V-LAST-ORDER": (wrong_play.king_over_pagat, None),
    "V-NOLO": (wrong_feats.nolo, None),
    "V-FEAT": (wrong_feats.feat, None),
    "V-ANN": (wrong_feats.announcement, None),
    "V-DECL": (wrong_declarations.unknown, None),
    "V-DECL-SUM": (wrong_declarations.too_many, None),
    "V-EXCUSE-ONE": (wrong_declarations.two_fools, None),
    "V-OVER": (wrong_declarations.not_over_full, None),
    "V-EXCUSE": (wrong_points.fool_left, None),
    "V-EVENT": (wrong_play.event, None),
    "V-FINE": (wrong_play.fine, None),
}
"""Judges by code, in the order codes are reported: of what is wrong, and of what is lacking."""
CODES = tuple(_JUDGES)
WRONG: Mapping[str, Judge] = {code: wrong for code, (wrong, _) in _JUDGES.items() if wrong}
LACKING: Mapping[str, Judge] = {code: lack for code, (_, lack) in _JUDGES.items() if lack}

_DECLARED = ("V-SEAT", "V-PAGAT-OWNER", "V-DECL", "V-DECL-SUM", "V-EXCUSE-ONE", "V-OVER")
_PAGAT = ("V-PAGAT-ONCE", "V-PAGAT-OWNER")
_FEATS = ("V-NOLO", "V-FEAT", "V-ANN")
_BROUGHT_ABOUT: Mapping[type[Event], tuple[str, ...]] = {
    entries.Declared: _DECLARED,
    entries.Fined: ("V-SEAT", "V-EVENT", "V-FINE"),
    entries.FateTold: ("V-SEAT", *_PAGAT, "V-KINGS", "V-NOLO", "V-FEAT", "V-EXCUSE", "V-EVENT"),
    entries.LastTrickTold: ("V-SEAT", "V-LAST", "V-LAST-ORDER", "V-NOLO", "V-FEAT", "V-EXCUSE"),
    entries.LastCardTold: ("V-SEAT", *_PAGAT, "V-KINGS", "V-LAST-ORDER", "V-EVENT"),
    entries.FeatTold: ("V-SEAT", "V-ZERO", *_FEATS),
    entries.FoolLeft: ("V-SEAT", "V-EXCUSE", "V-EVENT"),
    entries.WrongDiscardFound: ("V-SEAT", "V-EVENT"),
    entries.PointsCounted: ("V-SEAT", "V-78", "V-ZERO", "V-EXCUSE"),
    entries.HandVoided: (),
}
"""Which codes each kind of entry can bring about."""


def wrong(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that no further entry can mend."""
    return _found(WRONG, options, hand)


def lacking(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that still has to be told before the hand can be booked."""
    return _found(LACKING, options, hand)


def rejects(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return every code for which *hand*, told in full, is refused; none if it can be booked."""
    found = {*wrong(options, hand), *lacking(options, hand)}
    return tuple(code for code in CODES if code in found)


def wrong_with(options: Options, hand: Hand, entry: AnyEntry) -> Iterator[str]:
    """Yield the codes of what would be wrong with *entry* on top of *hand*.

    Only what such an entry can bring about is judged: a table asks this of all that might be
    told next, whenever it draws a picture of itself.
    """
    after = hand.also(entry)
    return (code for code in _BROUGHT_ABOUT[type(entry)] if WRONG[code](options, after))


def warnings(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of what is odd in a *hand*, but may be: somebody should look again."""
    judges: Mapping[str, Judge] = {
        "V-PAGAT-OWNER": wrong_declarations.denied_pagat,
        "V-KINGS": wrong_play.few_kings,
    }
    return _found(judges, options, hand)


def _found(judges: Mapping[str, Judge], options: Options, hand: Hand) -> tuple[str, ...]:
    return tuple(code for code, finds in judges.items() if finds(options, hand))
