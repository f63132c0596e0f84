"""What a game counts for years: numbers that add up over hands, evenings and seasons.

A game that wants to be remembered gives a module ``statistics`` with ``counts(game, played)``,
which yields `Count`s of the steps that hold, and ``STATISTICS``, what is told of them. It is pure,
as all of the game is: who sat where, and when, `kloplei.history` knows.
"""

from typing import Any, Literal

from kloplei.frozen import dataclass
from kloplei.games.game import Event, Seat


@dataclass(frozen=True, slots=True)
class Played:
    """One *event* that holds, with the game's own state *before* and *after* it.

    *seq* is its number in the journal. Events of the table itself are told as well, such as
    somebody who left; the states around them may be None.
    """

    seq: int
    event: Event
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Count:
    """What one thing came to for whoever had *seat* at entry *seq*.

    Counts of the same *what*, *detail*, person and *against* add up: *value* and *n* by addition,
    and of all values the largest and the smallest are kept, so that a share, a mean, a sum and a
    record can each be told of them later.

    Attributes:
        seq: The entry at which *seat* and *against* are meant.
        what: What was counted, such as ``steal``; a name that stays.
        seat: Whose it is.
        value: What it came to: 1 and 0 for yes and no, lives, points, seconds.
        n: On how many cases it stands; mostly 1.
        detail: Of which kind, such as the stake, or the line of the tariff.
        against: The other one that it was about, such as whose knock was folded to.
    """

    seq: int
    what: str
    seat: Seat
    value: float = 1
    n: int = 1
    detail: str = ""
    against: Seat | None = None


Kind = Literal["share", "mean", "sum", "most", "least", "derived"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """One number that may be told of a person.

    Its name and its definition are the sentences ``statistic.<key>`` and ``statistic.<key>.how``.

    Attributes:
        key: What it goes by, for years.
        of: The `Count.what` that it is made of.
        kind: A share (value of n), a mean, a sum, the most or the least; ``derived`` is made of
            several counts by the game's own ``derive``.
        few: On fewer cases than this nothing is told.
        unit: ``share``, ``lives``, ``points``, ``chips``, ``s``, ``hands`` or nothing.
        is_against: Whether it is told of the one it is largest against (whose it is by name).
    """

    key: str
    of: str
    kind: Kind
    few: int
    unit: str = ""
    is_against: bool = False
