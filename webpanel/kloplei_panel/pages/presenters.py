"""What every template may call: labels, flags and counts, ledgers, chalk strokes, the lost line.

They take the scoreboard and the reader, and know no game.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from flask import Flask

from kloplei.frozen import dataclass, replace
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Grace, Hand, Line, Posting, Row, Scoreboard
from kloplei.table.schema import dump
from kloplei.words.catalogue import lent_by
from kloplei_panel import access
from kloplei_panel.context import join_address, panel
from kloplei_panel.controls import SIGNS, Control, action_label, controls, folded, look_of
from kloplei_panel.fragments import KeptHands, KeptPieces, mark_of, part
from kloplei_panel.games import game_panel, pages_now
from kloplei_panel.pages.judge import ladder_of
from kloplei_panel.reader import Reader, and_here, here, own_words

_MINUS = "\N{MINUS SIGN}"
_HAND = "hand"
# Shown by other means, or the usual state.
_PLAIN_FLAGS = frozenset({"in_hand", "must_answer"})
_SYMBOL = re.compile(r'<symbol id="([^"]+)"')
FIVE = 5
FIVE_HEIGHT = 24
FIVE_WIDTH = 30
_STEP = 6
# A hand is never quite straight; the same stroke always leans the same way, so that nothing
# jumps when the slate is drawn again.
_LEAN = (0.6, -0.9, 0.2, 1.1, -0.4, 0.8, -0.6)
Stroke = tuple[float, float, float, float]
"""x1, y1, x2, y2 in a box of FIVE_WIDTH x FIVE_HEIGHT."""


@dataclass(frozen=True, slots=True)
class SpeltLine:
    """A line of a ledger, *said* in words, with what it *moved*, column by column, if anything.

    *entry* is what strikes it out, where it may be.
    """

    said: str
    moved: tuple[str, ...]
    columns: int
    entry: int | None


def register(app: Flask) -> None:
    """Hand the templates of *app* what they call."""
    app.jinja_env.globals.update(
        flags_of=flags_of,
        shared_flags=shared_flags,
        game_panel=game_panel,
        pages_now=pages_now,
        has_tricks=lambda game: game_kind(game).has_tricks,
        ladder_of=ladder_of,
        drawn_flags=_drawn_flags(app),
        suit_signs=SIGNS,
        honours_of=honours_of,
        count_label=count_label,
        action_label=action_label,
        folded=folded,
        idle_said=idle_said,
        may_be_again=may_be_again,
        waits_for=waits_for,
        waiting_label=waiting_label,
        doubt_said=doubt_said,
        left_s=left_s,
        signed=signed,
        pots_in=pots_in,
        spelt=spelt,
        total_of=total_of,
        total_of_pot=total_of_pot,
        of_hand=of_hand,
        hand_told=hand_told,
        strokes_in_fives=strokes_in_fives,
        five_width=FIVE_WIDTH,
        five_height=FIVE_HEIGHT,
        door_told=access.door_answer,
        lost_said=lost_said,
        size_of=size_of,
        sentence=sentence,
        tuning_banner=Line("tuning.banner"),
    )
    app.jinja_env.globals.update(
        part=part,
        mark_of=mark_of,
        kept=KeptPieces(app.jinja_env),
        kept_hand=KeptHands(app.jinja_env),
    )
    app.context_processor(_told_of_place)


def _told_of_place() -> dict[str, str]:
    query = here()
    return {"here": query, "and_here": and_here(query)}


def size_of(size: int, reader: Reader) -> str:
    """Return *size* in bytes as people compare files and cards: ``9.7 MB``, ``72 GB``."""
    for unit, of in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= of:
            digits = 0 if size >= 10 * of else 1
            return f"{own_words(reader.language).number(size / of, f'.{digits}f')} {unit}"
    return f"{size} B"


def sentence(clause: str) -> str:
    """Return *clause*, which others quote within theirs, as it begins a line by itself."""
    return clause[:1].upper() + clause[1:]


def signed(amount: int) -> str:
    """Return *amount* with its sign, so that columns read at a glance."""
    if amount < 0:
        return f"{_MINUS}{-amount}"
    return f"+{amount}" if amount else "0"


def pots_in(lines: Iterable[Posting]) -> tuple[str, ...]:
    """Return the pots that any of *lines* moves, in the order they come up."""
    return tuple(dict.fromkeys(pot for line in lines for pot in line.pots))


def spelt(
    line: Posting, board: Scoreboard, reader: Reader, pots: tuple[str, ...], may_take_back: bool
) -> SpeltLine:
    """Return *line* as *reader* reads it: a column for each player, and for each of *pots*."""
    moved: tuple[str, ...] = ()
    if line.amounts or line.pots:
        amounts = [line.amounts.get(row.seat) for row in board.rows]
        amounts += [line.pots.get(pot) for pot in pots]
        moved = tuple("" if amount is None else signed(amount) for amount in amounts)
    columns = 1 + len(board.rows) + len(pots)
    entry = line.entry if may_take_back else None
    return SpeltLine(reader.tell(line.line, board), moved, columns, entry)


def hand_told(board: Scoreboard, seat: Seat, reader: Reader) -> str:
    """Return what the last hand brought who sits at *seat*, and why; "" while the next one runs.

    All of it is what the `Hand` says: who stayed, folded or won, how it ended, and its ledger.
    """
    row = board.row(seat)
    if row is None or board.deal_runs or board.draft or not board.hands:
        return ""
    hand = board.hands[-1]
    how = (reader.word(hand.how) or "").rstrip(".")
    words = own_words(reader.language, board.game)

    def because(why: str, n: int, **facts: object) -> str:
        return words.say(f"why.{why}", {"n": abs(n), "how": how, **facts}, board.names)

    if row.swing is not None:
        return _why_chips(hand, row, because, lambda line: reader.tell(line, board).rstrip("."))
    costs_lives = getattr(game_panel(board.game), "COSTS_LIVES", False)
    return (_why_lives if costs_lives else _why_points)(hand, row, board, because)


def _why_lives(hand: Hand, row: Row, board: Scoreboard, because: Callable[..., str]) -> str:
    seat, paid = row.seat, hand.paid.get(row.seat, 0)
    known = {**hand.stayed, **hand.folded}
    was_in = seat in known if known else "out" not in row.flags
    if not (was_in or paid):
        return ""
    share = known.get(seat, paid)
    told = because(_why_share(hand, seat, share), share, seat=hand.winner, seats=tuple(hand.paid))
    # What a bluff or the like had cost before the hand was over.
    return f"{told} {because('before', paid - share)}" if paid > share else told


def _why_share(hand: Hand, seat: Seat, share: int) -> str:
    """Return which sentence tells why *seat* paid its *share* of *hand*."""
    if share < 0:
        return "back"
    if hand.how == "how.lowest":
        return "lowest" if share else "lowest-others"
    if seat in hand.folded:
        return "folded"
    ended = hand.how.removeprefix("how.")
    if seat == hand.winner and not share:
        return {"trick": "trick-won", "folds": "folds-won"}.get(ended, "won")
    if not share:
        return "free"
    if seat in hand.stayed and hand.winner is not None:
        return "trick-stayed" if ended == "trick" else "stayed"
    return "cost" if hand.winner in (None, seat) else "cost-to"


def _why_points(hand: Hand, row: Row, board: Scoreboard, because: Callable[..., str]) -> str:
    points = hand.paid.get(row.seat, 0)
    if row.falls:
        return because("off" if points < 0 else "on" if points else "same", points)
    winners = tuple(seat for seat, won in hand.paid.items() if won > 0)
    if points < 0 or not winners:
        return because("cost" if points else "nobody", points)
    has_given_up = hand.how == "how.given-up"
    if points:
        losers = tuple(one.seat for one in board.rows if one.seat not in winners)
        return because("given-up-gain" if has_given_up else "gain", points, seats=losers)
    theirs = hand.paid[winners[0]]
    return because("given-up-lost" if has_given_up else "others", theirs, seats=winners)


def _why_chips(
    hand: Hand, row: Row, because: Callable[..., str], tell: Callable[[Line], str]
) -> str:
    chips = hand.paid.get(row.seat, 0)
    if not chips:
        return because("chips-even", 0)
    moved = [one for one in hand.ledger if one.amounts.get(row.seat, 0) * chips > 0]
    way = "chips-get" if chips > 0 else "chips-pay"
    if not moved:
        return because(way, chips, line=None)
    most = max(moved, key=lambda one: abs(one.amounts[row.seat]))
    only = len([one for one in hand.ledger if one.amounts.get(row.seat, 0)]) == 1
    return because(way if only else f"{way}-most", chips, line=tell(most.line))


def total_of(lines: Iterable[Posting], seat: Seat) -> int:
    """Return what *lines* bring *seat* together."""
    return sum(line.amounts.get(seat, 0) for line in lines)


def total_of_pot(lines: Iterable[Posting], pot: str) -> int:
    """Return what *lines* put into *pot* together."""
    return sum(line.pots.get(pot, 0) for line in lines)


def of_hand(board: Scoreboard, number: int, reader: Reader) -> list[Control]:
    """Return what may be asked of hand *number* and needs nothing else to be said."""
    found = [
        offer
        for offer in board.offers
        if offer.needs == (_HAND,) and number in offer.choices.get(_HAND, ())
    ]
    if not found:
        return []  # most of an evening's hands stay as they are
    only = [replace(offer, choices={_HAND: (number,)}) for offer in found]
    return [replace(one, beside="ledger") for one in controls(only, None, board, reader)]


def flags_of(row: Row, reader: Reader, *, pot: bool = False) -> list[tuple[str, str]]:
    """Return the flags of *row* that a reader should see, each with its word.

    Of what is counted by the name of the flag, it says how many there are. Where a *pot* is
    played for, some have another word.
    """
    shown = [flag for flag in row.flags if flag not in _PLAIN_FLAGS]
    words = [(flag, _flag_word(flag, reader, pot=pot)) for flag in shown]
    return [
        (flag, f"{word} ×{row.counts[flag]}" if flag in row.counts else word)
        for flag, word in words
    ]


def _flag_word(flag: str, reader: Reader, *, pot: bool) -> str:
    of_pot = reader.known(f"for_pot.{flag}") if pot else None
    return of_pot or reader.word(f"flag.{flag}") or flag.replace("_", " ")


def shared_flags(board: Scoreboard, side: tuple[Seat, ...]) -> frozenset[str]:
    """Return the flags of all of *side*: said of the side, they need not be said of each."""
    rows = [set(row.flags) for row in board.rows if row.seat in side]
    return frozenset(set.intersection(*rows) if rows else ())


def honours_of(board: Scoreboard) -> list[str]:
    """Return the names of the counts that anybody at *board* has any of."""
    return sorted({name for row in board.rows for name, count in row.counts.items() if count})


def count_label(name: str, reader: Reader, *, pot: bool = False) -> str:
    """Return the heading for the count *name*; where a *pot* is played for it may be another."""
    of_pot = reader.known(f"for_pot.{name}") if pot else None
    return of_pot or reader.known(f"count.{name}") or name.replace("_", " ")


def doubt_said(board: Scoreboard, reader: Reader) -> str:
    """Return the question that the doubt of *board* puts to everybody; "" without one."""
    doubt = board.doubt
    if doubt is None:
        return ""
    if doubt.action is not None:
        what = _asked_label(doubt.action, board, reader)
    else:
        what = reader.word("slate.knocks", {"n": doubt.knocks}) or str(doubt.knocks)
    if doubt.seat is None:
        return reader.say("slate.doubt_nobody", what=what)
    name = reader.name_at(doubt.seat, board.names)
    return reader.say("slate.doubt", name=name, what=what)


def _asked_label(action: str, board: Scoreboard, reader: Reader) -> str:
    """Return what *action* is called on its big button: what hands ask for with it."""
    if splits := look_of(action, board.game).splits:
        return reader.say(f"control.{action}.{splits[1]}")
    return action_label(action, reader)


def idle_said(board: Scoreboard, reader: Reader) -> str:
    """Return what to tell who sits at *board* and has nothing to press: why not, where asked."""
    if reader.seat in board.to_answer[1:]:
        return reader.tell(Line("reason.not_your_turn", {"next": board.to_answer[0]}), board)
    is_over = any("rubber_winner" in row.flags for row in board.rows)
    mine = board.row(reader.seat) if reader.seat is not None else None
    if mine is not None and "out" in mine.flags and not is_over:
        return reader.say("control.out_now")
    return reader.say("control.nothing_now")


def may_be_again(board: Scoreboard, reader: Reader) -> bool:
    """Whether *board* asks by knocks who sat where, and the reader's own place has no name yet."""
    mine = board.row(reader.seat) if reader.seat is not None else None
    is_asked = board.asking is not None and board.asking.key == "ask.again"
    return is_asked and mine is not None and mine.person is None and bool(lent_by(mine.name))


def waits_for(board: Scoreboard, reader: Reader) -> str:
    """Return who asked for what waits at *board*; "" while nothing does."""
    if board.grace is None:
        return ""
    if board.grace.seat is None:
        return reader.say("place.keeper")
    return reader.name_at(board.grace.seat, board.names)


def waiting_label(board: Scoreboard, reader: Reader) -> str:
    """Return what waits at *board*, with the step or the player it is about."""
    grace = board.grace
    if grace is None:
        return ""
    label = _asked_label(grace.action, board, reader)
    return (
        reader.say("slate.about", action=label, about=reader.tell(grace.about, board).rstrip(".。"))
        if grace.about
        else label
    )


def left_s(waits: Grace | Doubt) -> float:
    """Return for how many seconds yet it *waits*."""
    return float(dump(waits, form=panel().form)["left_s"])


def lost_said(reader: Reader) -> str:
    """Return what a page says when it has lost the table, with the Wi-Fi to go back to.

    It is kept in the page, for by then nothing reaches the box: a phone that left its Wi-Fi.
    """
    wifi = join_address().wifi
    lost = reader.say("live.lost")
    return lost if wifi is None else f"{lost} {reader.say('live.wifi', wifi=wifi.name)}"


def strokes_in_fives(tally: int) -> Iterator[tuple[Stroke, ...]]:
    """Yield the strokes of each five, the last one perhaps begun only."""
    for begin in range(0, tally, FIVE):
        yield tuple(_stroke(begin, number) for number in range(min(FIVE, tally - begin)))


def _drawn_flags(app: Flask) -> frozenset[str]:
    """Return the flags there is a picture of: a symbol that goes by the name of the flag."""
    with app.open_resource("static/icons.svg", "r") as icons:
        return frozenset(_SYMBOL.findall(icons.read()))


def _stroke(begin: int, number: int) -> Stroke:
    lean = _LEAN[(begin + number) % len(_LEAN)]
    if number == FIVE - 1:
        return (1.5, 17 + lean, FIVE_WIDTH - 2.0, 6 - lean)
    x = 5 + number * _STEP
    return (x + lean, 2 + abs(lean), x - lean, FIVE_HEIGHT - 2 - abs(lean) / 2)
