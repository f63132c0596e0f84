"""Players of Tarok with phones: they tell a hand in the order in which it happens."""

import random
from collections.abc import Iterator, Mapping

from kloplei.demo.phone_bots import PAUSE_CHANCE, Press
from kloplei.rules.game import Facts, Seat
from kloplei.rules.scoreboard import Offer, Scoreboard

HANDS = 9  # after so many it is late enough
PLAYING_CHANCE = 0.6  # of a thought: 25 tricks take their time
PAYING_CHANCE = 0.85  # ... and so does looking who pays whom
DECLARING_CHANCE = 0.2
PAR, SPREAD = 26, 9  # of card points
CHIP, MOST_CHIPS = 5, 12  # what a hand brings a player where only that is kept
DECLARED: Mapping[str, float] = {"taroks": 4.0, "cavalry_half": 3.0, "cavalry_full": 2.0}
"""How often these are held, beside all others."""
IN_PLAY: Mapping[str, float] = {
    "pagat_home": 3.0,
    "pagat_lost": 1.0,
    "king_home": 1.0,
    "king_lost": 1.0,
    "pagat": 0.2,
    "king": 0.2,
    "nolo": 0.02,
    "tout": 0.01,
    "vole": 0.01,
}
"""The same of what becomes of pagat and kings, there and in the last trick, and of feats."""
LAST_TRICK = 3.0  # beside these


def next_press(board: Scoreboard, dice: random.Random) -> Press | None:
    """Return what one of the bots would tell of *board*, or None if they think or play."""
    if board.grace or board.prompt is None or dice.random() < PAUSE_CHANCE:
        return None
    match board.prompt.key:
        case "prompt.next-deal":
            late = len(board.hands) >= HANDS
            return Press(None, "settle") if late else Press(board.dealer, "deal")
        case "prompt.settled":
            return None if dice.random() < PAYING_CHANCE else Press(None, "new_game")
        case "prompt.declare":
            return _declare(board, dice)
        case "prompt.last-trick" if dice.random() < PLAYING_CHANCE:
            return None
        case "prompt.last-trick" | "prompt.pagat-fate":
            return _play(board, dice)
        case "prompt.card-points":
            return _count(board, dice)
        case "prompt.result":
            return Press(None, "result", _result(board, dice))
        case "prompt.book":
            return Press(None, "book")
    return None


def _declare(board: Scoreboard, dice: random.Random) -> Press | None:
    """Let who is asked pass, or declare something that it could hold."""
    asked = board.prompt.facts["seat"] if board.prompt else None
    held = [(seat, offer) for seat, offer in _offered(board, "declare") if seat == asked]
    if not isinstance(asked, Seat):
        return None
    if not held or dice.random() > DECLARING_CHANCE:
        return Press(asked, "pass")
    weights = [DECLARED.get(str(offer.choices["what"][0]), 1.0) for _, offer in held]
    ((_, offer),) = dice.choices(held, weights)
    return Press(asked, "declare", _facts(offer, dice))


def _play(board: Scoreboard, dice: random.Random) -> Press | None:
    """Say what became of pagat and kings, who took the last trick, or all or none of them."""
    told = list(_tellable(board))
    if not told:
        return None
    (press,) = dice.choices([one for one, _ in told], [weight for _, weight in told])
    return press


def _tellable(board: Scoreboard) -> Iterator[tuple[Press, float]]:
    """Yield what may be told of the play, and how often it happens."""
    waits_for_pagat = board.prompt is not None and board.prompt.key == "prompt.pagat-fate"
    for seat, _ in _offered(board, "last_trick"):
        yield Press(seat, "last_trick"), LAST_TRICK
    for action, fact in (("fate", "what"), ("last_card", "card"), ("feat", "what")):
        # A bot announces no feat, and so fails none.
        more = {"announced": None, "made": True} if action == "feat" else {}
        for seat, offer in _offered(board, action):
            for value in map(str, offer.choices[fact]):
                if value.startswith("pagat") or not waits_for_pagat:
                    yield Press(seat, action, {fact: value, **more}), IN_PLAY[value]


def _count(board: Scoreboard, dice: random.Random) -> Press | None:
    """Count the pile of one who has not counted yet."""
    piles = list(_offered(board, "points"))
    if not piles:
        return None
    seat, offer = dice.choice(piles)
    found = dice.gauss(PAR, SPREAD)
    may_be = [points for points in offer.choices["points"] if isinstance(points, int)]
    return Press(seat, "points", {"points": min(may_be, key=lambda one: abs(one - found))})


def _result(board: Scoreboard, dice: random.Random) -> Facts:
    """Return what a hand brought those who play it; together it is nothing."""
    *some, last = [row.seat for row in board.rows if "in_hand" in row.flags]
    chips = {seat: CHIP * dice.randint(-MOST_CHIPS, MOST_CHIPS) for seat in some}
    chips[last] = -sum(chips.values())
    return {"amounts": tuple(chips.get(row.seat, 0) for row in board.rows), "king": 0, "pagat": 0}


def _facts(offer: Offer, dice: random.Random) -> Facts:
    """Return something to say along; numbers are mostly the smallest ones, as holdings are."""
    return {
        need: choices[min(int(dice.expovariate(1)), len(choices) - 1)]
        if need == "count"
        else dice.choice(choices)
        for need, choices in sorted(offer.choices.items())
    }


def _offered(board: Scoreboard, action: str) -> Iterator[tuple[Seat, Offer]]:
    return ((row.seat, one) for row in board.rows for one in row.offers if one.action == action)
