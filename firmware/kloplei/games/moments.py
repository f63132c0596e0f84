"""Moments: what somebody outside reacts to, a lamp, a loudspeaker, a house; one list for all.

`moments_between` finds them between two looks at a table, by the tone of its news, by what the
box heard, and by what stands there now: what is played for, who is asked, who owes a drink. A game
may give news of its own a name (``MOMENTS`` of its `actions`), by which the world may tell a toep
from a raise; nothing else has to know that game.
"""

from collections.abc import Iterator
from enum import StrEnum

from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import GUIDE, Heard, Line, Scoreboard, Tone

_NEWS = "news."


class MomentKind(StrEnum):
    """What kind of moment it is, the greatest first; what all games have."""

    CROWN = "crown"  # somebody won, and earned more than a cup
    FANFARE = "fanfare"  # somebody won
    CALL = "call"  # somebody raised, or ended it: the others have to answer
    FAULT = "fault"  # something of the box has failed
    HAND = "hand"  # a hand has ended
    NOTABLE = "notable"  # what a game has a name for, and no tone
    KNOCK = "knock"  # the box heard a knock
    DOUBT = "doubt"  # it may have been one


STAKE, NO_STAKE, OPEN_RAISE = "stake", "no-stake", "open-raise"
"""Moments of a board: it is played for something else, or for nothing any more though no hand has
ended, or a raise waits for its answer again."""
ANSWER, POT, LESSON = "answer", "pot", "lesson"
"""More of them: somebody is asked, a pot has fallen, and the table is told how its first hand goes
on."""
_OF_FLAG = {"gestrichen": "gestrichen", "owes_drink": "treats"}
"""What a flag of a row is called as a moment, once it is up."""
_OF_BOARD = (STAKE, NO_STAKE, OPEN_RAISE, ANSWER, POT, LESSON, *_OF_FLAG.values())
_OF_TONE = {
    Tone.CROWN: MomentKind.CROWN,
    Tone.FANFARE: MomentKind.FANFARE,
    Tone.SHOUT: MomentKind.CALL,
}


@dataclass(frozen=True, slots=True)
class Moment:
    """One of them; *name* is the game's own word for it, or its kind.

    *line* says it in any language (`kloplei.words`); a knock has none. *seats* is who it is about.
    """

    kind: MomentKind
    name: str
    seq: int
    game: str
    line: Line | None = None
    seats: tuple[Seat, ...] = ()
    stake: int | None = None


def moments_between(before: Scoreboard | None, after: Scoreboard) -> tuple[Moment, ...]:
    """Return what happened between two looks at a table, the greatest first.

    *before* None means that nobody has looked yet: what stands there then is no news.
    """
    if before is None:
        return ()
    news = tuple(_news(before, after))
    found = [*news, *_stands(before, after, news), *_heard(before, after)]
    if len(after.hands) > len(before.hands) and before.seq < after.seq:
        seats = () if (winner := after.hands[-1].winner) is None else (winner,)
        found.append(_moment(MomentKind.HAND, after, seats=seats))
    if any(notice not in before.notices for notice in after.notices):
        line = next(one for one in after.notices if one not in before.notices)
        found.append(_moment(MomentKind.FAULT, after, line=line))
    if (
        after.shown is not None
        and after.shown.key.startswith(GUIDE)
        and after.shown != before.shown
    ):
        found.append(_moment(MomentKind.NOTABLE, after, LESSON, after.shown))
    order = list(MomentKind)
    return tuple(sorted(found, key=lambda moment: order.index(moment.kind)))


def names_of(game: str) -> dict[str, MomentKind]:
    """Return the names that moments of *game* may have, each with its kind; one of none is notable.

    Every kind may stand for itself as well.
    """
    own = GAMES[game].moments if game in GAMES else {}
    notable = dict.fromkeys((*own.values(), *_OF_BOARD), MomentKind.NOTABLE)
    return {**notable, **{one: one for one in MomentKind}}


def _news(before: Scoreboard, after: Scoreboard) -> Iterator[Moment]:
    line = after.news
    if line is None or after.seq <= before.seq or line == before.news:
        return
    own = GAMES[after.game].moments if after.game in GAMES else {}
    kind, name = _OF_TONE.get(line.tone), own.get(line.key.removeprefix(_NEWS))
    if kind is not None or name is not None:
        yield _moment(kind or MomentKind.NOTABLE, after, name, line, _seats_in(line))


def _stands(before: Scoreboard, after: Scoreboard, news: tuple[Moment, ...]) -> Iterator[Moment]:
    """Yield what the board shows now, and did not before."""
    if after.seq <= before.seq or after.game != before.game:
        return
    for name in _of_stake(before, after, news):
        yield _moment(MomentKind.NOTABLE, after, name)
    for flag, name in _OF_FLAG.items():
        up = tuple(seat for seat in _flagged(after, flag) if seat not in _flagged(before, flag))
        if up:
            yield _moment(MomentKind.NOTABLE, after, name, seats=up)
    if after.to_answer and after.to_answer != before.to_answer:
        yield _moment(MomentKind.NOTABLE, after, ANSWER, seats=after.to_answer)
    if any(after.pots.get(name, 0) < lay for name, lay in before.pots.items()):
        yield _moment(MomentKind.NOTABLE, after, POT)


def _of_stake(before: Scoreboard, after: Scoreboard, news: tuple[Moment, ...]) -> Iterator[str]:
    """Yield what became of what is played for, as far as no news have it."""
    if after.stake is None:
        if before.stake is not None and not _is_told_over(before, after, news):
            yield NO_STAKE
        return
    told = {one.line.facts.get("stake") for one in news if one.line}
    # A raise that is neither held nor given up was taken back: the stake is what it was before.
    is_taken_back = before.proposed is not None and after.proposed is None
    if (after.stake != before.stake or is_taken_back) and after.stake not in told:
        yield STAKE
    if after.proposed not in {None, before.proposed, *told}:
        yield OPEN_RAISE


def _is_told_over(before: Scoreboard, after: Scoreboard, news: tuple[Moment, ...]) -> bool:
    """Whether it is told that a hand has ended, by who won: it, or with it everything."""
    if any(one.kind in (MomentKind.CROWN, MomentKind.FANFARE) for one in news):
        return True
    return len(after.hands) > len(before.hands) and after.hands[-1].winner is not None


def _flagged(board: Scoreboard, flag: str) -> tuple[Seat, ...]:
    return tuple(row.seat for row in board.rows if flag in row.flags)


def _heard(before: Scoreboard, after: Scoreboard) -> Iterator[Moment]:
    """Yield the knock by which the growing pattern grew, or with which another has begun."""
    was, heard = before.heard, after.heard
    if heard is not None and heard.knocks and (was is None or _pattern(was) != _pattern(heard)):
        kind = MomentKind.DOUBT if heard.doubtful else MomentKind.KNOCK
        yield _moment(kind, after, seats=() if heard.seat is None else (heard.seat,))


def _pattern(heard: Heard) -> tuple[Seat | None, int]:
    return heard.seat, heard.knocks


def _moment(
    kind: MomentKind,
    board: Scoreboard,
    name: str | None = None,
    line: Line | None = None,
    seats: tuple[Seat, ...] = (),
) -> Moment:
    return Moment(kind, name or str(kind), board.seq, board.game, line, seats, board.stake)


def _seats_in(line: Line) -> tuple[Seat, ...]:
    """Return who *line* is about: its seats, or its seat, which beside them is who deals."""
    one = line.facts.get("seat")
    several = line.facts.get("seats", one)
    if isinstance(several, tuple):
        return tuple(several)
    return (one,) if isinstance(one, Seat) else ()
