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

WRONG: Mapping[str, Judge] = {
    "V-SEAT": wrong_play.stranger,
    "V-LAST": wrong_play.last_trick,
    "V-78": wrong_points.sum_of_points,
    "V-ZERO": wrong_points.beside_a_vole,
    "V-PAGAT-ONCE": wrong_play.pagat_twice,
    "V-PAGAT-OWNER": wrong_declarations.pagat_owner,
    "V-KINGS": wrong_play.five_kings,
    "V-LAST-ORDER": wrong_play.king_over_pagat,
    "V-NOLO": wrong_feats.nolo,
    "V-FEAT": wrong_feats.feat,
    "V-ANN": wrong_feats.announcement,
    "V-DECL": wrong_declarations.unknown,
    "V-DECL-SUM": wrong_declarations.too_many,
    "V-EXCUSE-ONE": wrong_declarations.two_fools,
    "V-OVER": wrong_declarations.not_over_full,
    "V-EXCUSE": wrong_points.fool_left,
    "V-EVENT": wrong_play.event,
    "V-FINE": wrong_play.fine,
}
"""Judges of what is wrong whatever else is told, by code."""
LACKING: Mapping[str, Judge] = {
    "V-LAST": wrong_play.no_last_trick,
    "V-78": wrong_points.not_all_counted,
    "V-PAGAT-FATE": wrong_play.no_fate,
}
"""Judges of what still has to be told."""
CODES = (
    *("V-SEAT", "V-LAST", "V-78", "V-ZERO", "V-PAGAT-ONCE", "V-PAGAT-FATE", "V-PAGAT-OWNER"),
    *("V-KINGS", "V-LAST-ORDER", "V-NOLO", "V-FEAT", "V-ANN", "V-DECL", "V-DECL-SUM"),
    *("V-EXCUSE-ONE", "V-OVER", "V-EXCUSE", "V-EVENT", "V-FINE"),
)
"""All codes, in the order they are reported."""

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
