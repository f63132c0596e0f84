"""From the table's state to the neutral scoreboard, and the question it stands for."""

from dataclasses import replace

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Line, Offer, Row, Scoreboard
from kloplei.table.seating import Seating
from kloplei.table.state import TableState

SEATING = "seating"

Question = tuple[object, ...]


def draw_up(seating: Seating, state: TableState) -> Scoreboard:
    """Return the scoreboard of *state*: the game's picture with the table's own things added."""
    draw = _seating_board if state.play is None else _game_board
    board = draw(seating, state)
    return replace(
        board,
        seats=max(seating.seats, *(seat.shown for seat in state.names), 1),
        rows=tuple(_with_table_offers(seating, state, row) for row in board.rows),
        offers=(*board.offers, *_table_offers(seating, state)),
        preset=seating.game(state).preset if state.preset is None else state.preset,
        options=dict(state.options),
        deaf=not seating.hears_wood(state),
    )


def question_of(board: Scoreboard) -> Question:
    """Return what the table waits for, as a value: while it is equal, answers are not late."""
    prompt = board.prompt.key if board.prompt else None
    tricks = tuple(row.tricks for row in board.rows)
    return (board.game, board.phase, board.stake, prompt, board.dealer, len(board.hands), tricks)


def deal_of(board: Scoreboard) -> Question:
    """Return which deal of the evening runs, or is to run next, as a value."""
    return (board.game, board.phase, board.dealer, len(board.hands))


def _seating_board(seating: Seating, state: TableState) -> Scoreboard:
    crowded = Line("reason.too_many_players", {"n": seating.game(state).max_seats})
    is_crowded = seating.why_not_start(state) == "too_many_players"
    return Scoreboard(
        game=state.game,
        phase=SEATING,
        rows=tuple(Row(seat, tally=0, name=state.names[seat]) for seat in state.seated),
        prompt=Line("prompt.sit-down"),
        told=(crowded,) if is_crowded else (),
    )


def _game_board(seating: Seating, state: TableState) -> Scoreboard:
    board = seating.game(state).scoreboard(state.play)
    rows = (replace(row, name=state.names.get(row.seat, "")) for row in board.rows)
    return replace(board, rows=tuple(rows))


def _with_table_offers(seating: Seating, state: TableState, row: Row) -> Row:
    found = [Offer("rename", needs=("name",))]
    if seating.why_not_stand_up(state) is None:
        found.append(Offer("stand_up"))
    if seating.why_not_reseat(state) is None:
        others = tuple(Seat(n) for n in range(seating.seats) if n != row.seat)
        found.append(Offer("swap", needs=("of",), choices={"of": others}))
    return replace(row, offers=(*row.offers, *found))


def _table_offers(seating: Seating, state: TableState) -> tuple[Offer, ...]:
    rules: dict[str, tuple[object, ...]] = {"preset": seating.presets(state.game)}
    if len(seating.games) > 1:
        rules["game"] = seating.games
    free = tuple(seat for seat in map(Seat, range(seating.seats)) if seat not in state.names)
    may_sit = bool(free) and seating.why_not_sit_down(state) is None
    offered = (
        (Offer("start", choices={"dealer": state.seated}), seating.why_not_start(state) is None),
        (Offer("sit_down", choices={"seat": free}), may_sit),
        (Offer("options", choices=rules), seating.why_not_reseat(state) is None),
        (Offer("wipe"), seating.why_not_wipe(state) is None),
        (Offer("new_evening"), state.play is not None),
    )
    return tuple(offer for offer, may in offered if may)


def with_passing_offers(
    board: Scoreboard, *, grace: bool, who: tuple[Seat, ...], doubt: Doubt | None = None
) -> Scoreboard:
    """Return *board* with what is only offered for a moment.

    Args:
        board: As drawn up.
        grace: An action waits; any seat may cancel it.
        who: Seats that may own to a knock that is nobody's yet.
        doubt: A pattern that stands flagged; anybody may say what it was.
    """
    seated = tuple(row.seat for row in board.rows)
    passing = [Offer("cancel", choices={"seat": seated})] if grace else []
    passing += [Offer("it_was_me", choices={"seat": who})] if who else []
    passing += _doubt_offers(doubt, seated) if doubt else []
    return replace(board, offers=(*board.offers, *passing)) if passing else board


def _doubt_offers(doubt: Doubt, seated: tuple[Seat, ...]) -> list[Offer]:
    """Return what may be said of *doubt*, at its own seat too if nobody sits there yet."""
    own = () if doubt.seat is None or doubt.seat in seated else (doubt.seat,)
    choices = {"doubt": (doubt.number,), "seat": (*seated, *own)}
    return [Offer(action, ("doubt",), choices) for action in ("accept_knock", "dismiss_knock")]
