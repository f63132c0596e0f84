"""Evenings whose recaps were looked at: two to eight players, four games, five languages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.history.titles import titles_of
from kloplei.table.history_client import Evening, Title
from tests.history.made import NAMES, Night

MONDAY = 1_795_471_200.0  # 23 November 2026, in the evening


@dataclass(frozen=True)
class Scene:
    evening: Evening
    language: str = "nl"
    place: str = ""


def toepen(*names: str, rubbers: int = 6, seed: int = 3, at: float | None = MONDAY) -> Night:
    chance, night = Random(seed), Night(*names, at=at)
    for _ in range(rubbers):
        play_rubber(night, chance, limit=10)
    return night


def play_rubber(night: Night, chance: Random, limit: int) -> None:
    """Play until somebody has lost *limit* lives; who has lost fewest has won."""
    while max(night.tallies.values()) < limit:
        winner = chance.choice(night.everybody)
        knocks = tuple(chance.choice(night.everybody) for _ in range(chance.choice((0, 0, 1, 2))))
        left = {
            one: len(knocks)
            for one in night.everybody
            if one not in (winner, *knocks[-1:]) and knocks and chance.random() < 0.5
        }
        alone = len(left) == len(night.names) - 1
        night.hand(winner, knocks=knocks, folded=left, how="folds" if alone else "trick")
    lost = night.tallies
    out = tuple(one for one in lost if lost[one] >= limit)
    best = tuple(one for one in lost if lost[one] == min(lost.values()))
    night.rubber(*best)
    for one in out:
        night.round(one, *best)


def watten(*names: str, games: int = 4, seed: int = 5) -> Night:
    chance, night = Random(seed), Night(*names, game="watten", at=MONDAY)
    for _ in range(games):
        while max(night.tallies.values()) < 11:
            side = chance.choice(((1, 3), (2, 4)))
            knocks = (chance.randint(1, 4),) if chance.random() < 0.4 else ()
            how = "given-up" if knocks and chance.random() < 0.5 else "tricks"
            night.hand(*side, how=how, knocks=knocks, paid=dict.fromkeys(side, 2 + len(knocks)))
        won = (1, 3) if night.tallies[1] > night.tallies[2] else (2, 4)
        night.rubber(*won)
    return night


def tarok(*names: str, hands: int = 18, seed: int = 8) -> Night:
    chance, night = Random(seed), Night(*names, game="tarok", at=MONDAY)
    for _ in range(hands):
        one, other, third, *_ = chance.sample(night.everybody, len(names))
        swing = chance.choice((10, 15, 20, 30, 45, 60))
        night.hand(how="booked", paid={one: swing, other: 5 - swing, third: -5})
    return night


def thirty_one(*names: str, rubbers: int = 5, seed: int = 2) -> Night:
    chance, night = Random(seed), Night(*names, game="eenendertigen", at=MONDAY)
    for _ in range(rubbers):
        left = set(night.everybody)
        while len(left) > 1:
            loser = chance.choice(sorted(left))
            knocker = chance.choice(sorted(left))
            night.hand(how="lowest", paid={loser: 1}, knocks=(knocker,))
            if night.tallies[loser] == 3:
                left.remove(loser)
        night.rubber(*left)
    return night


def told(night: Night, *winners: int, earlier: tuple[str, ...] = ()) -> Evening:
    """Return the evening of *night* with its titles and turning point."""
    plain = night.evening()
    moved = {hand.number: sum(map(abs, hand.paid.values())) for hand in plain.hands}
    most = max(moved, key=lambda number: moved[number], default=None)
    titles = titles_of(plain, {}, earlier)
    return night.evening(winners=winners, titles=titles, turning=most)


def best(night: Night) -> tuple[int, ...]:
    if night.game == "tarok":
        return tuple(one for one, n in night.tallies.items() if n == max(night.tallies.values()))
    won = {one: sum(one in rubber.winners for rubber in night.rubbers) for one in night.everybody}
    return tuple(one for one, n in won.items() if n == max(won.values()))


def running(night: Night) -> Evening:
    """Return the evening of *night*, of which more is to come."""
    so_far = told(night, *best(night))
    return replace(so_far, line=replace(so_far.line, runs=True))


def scene(night: Night, language: str = "nl", place: str = "") -> Scene:
    return Scene(told(night, *best(night)), language, place)


def _two_games() -> Night:
    night = toepen(*NAMES[:4], rubbers=3)
    night.wipe("watten")
    for side in ((1, 3), (2, 4), (1, 3), (1, 3), (1, 3), (1, 3), (1, 3)):
        night.hand(*side, how="tricks", paid=dict.fromkeys(side, 2))
    return night.rubber(1, 3)


def _shared() -> Evening:
    """Return an evening of long names, and of titles that two share."""
    night = toepen("Bartholomeus-Willem", "Anne-Marie van Dijk", "Wolfeschlegelsteinhau", "Jo")
    titles = (
        Title("marathon", 1, Line("title.marathon.why", {"n": 24}), shared=(2,)),
        Title("nemesis", 3, Line("title.nemesis.why", {"n": 12, "other": Seat(0)})),
        Title("bookkeeper", 2, Line("title.bookkeeper.why", {"n": 31})),
    )
    return night.evening(winners=(1, 2, 3), titles=titles, turning=7)


SCENES: Mapping[str, Scene] = {
    "toepen-2": scene(toepen("Thijs", "Tame"), place="Café De Toeter"),
    "toepen-3-english": scene(toepen(*NAMES[:3], rubbers=4), "en"),
    "toepen-4": scene(toepen(*NAMES[:4], rubbers=11), place="Kroeg Het Hoekje"),
    "toepen-5-danish": scene(toepen(*NAMES[:5], seed=6), "da", "Ølbørsen"),
    "toepen-6-undated": scene(toepen(*NAMES[:6], at=None)),
    "toepen-7-german": scene(toepen(*NAMES[:7], seed=9, rubbers=9), "de", "Gasthaus zur Linde"),
    "toepen-8": scene(toepen(*NAMES[:8], seed=4, rubbers=12), place="Café De Toeter"),
    "toepen-long-names": Scene(_shared(), "en", "The Very Long Name of a Very Small Pub & Sons"),
    "toepen-odd-names": scene(toepen("<b>Jan</b>", "🂡🍺", "阿部 (Abe)", "Zoë & Żółć")),
    "watten-german": scene(watten(*NAMES[:4]), "de", "Gasthof Post"),
    "tarok-danish": scene(tarok("Søren", "Åse", "Jørgen"), "da"),
    "thirty-one": scene(thirty_one(*NAMES[:5])),
    "two-games": scene(_two_games(), "en", "The Slate"),
    "one-hand": Scene(Night(*NAMES[:3], at=MONDAY).hand(2).evening(winners=(2,), turning=1)),
    "still-running": Scene(running(toepen(*NAMES[:4], rubbers=2)), place="Kroeg Het Hoekje"),
    "japanese": scene(toepen("阿部", "田中", "Jan", "佐藤さくら"), "ja", "居酒屋 とんぼ"),
}
