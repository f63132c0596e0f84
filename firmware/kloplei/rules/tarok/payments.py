"""Who pays whom at the end of an evening, in the fewest payments, and with which chips."""

from collections.abc import Iterator, Mapping, Sequence

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Payment

CHIPS = (100, 20, 10, 5)
"""What the chips of Danish Tarok are worth (§ 1)."""

_MOST_OF_THE_LARGEST = 100
"""No house has more; a pot that doubles hand after hand would need millions."""


def payments(scores: Mapping[Seat, int], chips: Sequence[int] = ()) -> tuple[Payment, ...]:
    """Return the fewest payments after which nobody has won or lost anything.

    Empty where *scores* do not add up to nothing: somebody would be owed by nobody. *chips*
    are those there are, the largest first; without them none are told.
    """
    if sum(scores.values()):
        return ()
    return tuple(
        Payment(payer, payee, amount, change(amount, chips))
        for group in _groups([seat for seat in scores if scores[seat]], scores)
        for payer, payee, amount in _settled({seat: scores[seat] for seat in group})
    )


def change(amount: int, chips: Sequence[int]) -> tuple[int, ...]:
    """Return *amount* in *chips*, the largest first; empty if it cannot be paid with them."""
    if chips and amount > _MOST_OF_THE_LARGEST * chips[0]:
        return ()
    given: list[int] = []
    for chip in chips:
        number, amount = divmod(amount, chip)
        given += [chip] * number
    return () if amount else tuple(given)


def _groups(seats: Sequence[Seat], scores: Mapping[Seat, int]) -> list[tuple[Seat, ...]]:
    """Part *seats* into as many groups as can be that each come to nothing.

    A group needs one payment fewer than it has players, so more groups are fewer payments.
    """
    if not seats:
        return []
    first, *rest = seats
    partings = (
        [(first, *others), *_groups([one for one in rest if one not in others], scores)]
        for others in _subsets(rest)
        if scores[first] + sum(scores[one] for one in others) == 0
    )
    return max(partings, key=len)


def _subsets(seats: Sequence[Seat]) -> Iterator[tuple[Seat, ...]]:
    """Yield every choice from *seats*, in their order."""
    for bits in range(1 << len(seats)):
        yield tuple(seat for at, seat in enumerate(seats) if bits >> at & 1)


def _settled(scores: dict[Seat, int]) -> Iterator[tuple[Seat, Seat, int]]:
    """Yield who pays whom how much: each payment settles one of the two."""
    while any(scores.values()):
        payer, payee = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
        amount = min(-scores[payer], scores[payee])
        scores[payer] += amount
        scores[payee] -= amount
        yield payer, payee, amount
