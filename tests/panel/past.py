"""Evenings that were played, for pages: a `HistoryClient` with a fixed past."""

from dataclasses import dataclass, field, replace

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest
from kloplei.table.history_client import (
    Evening,
    EveningLine,
    HistoryStand,
    Honours,
    Knock,
    PersonLine,
    PersonNumbers,
    PersonPage,
    PlayedGame,
    PlayedHand,
    PlayedRubber,
    Player,
    Rule,
    Season,
    SeasonTable,
    Settlement,
    Title,
    Told,
)
from kloplei.table.people_client import Forgotten, Person

AT = 1_795_464_300.0  # 23 November 2026
FOUR = (
    Player(1, "Thijs", 1),
    Player(2, "<b>Sanne</b>", 2),
    Player(3, "=Bram(1)"),
    Player(4, "Jan-Willem van der Berg", 4),
)


def toepen(number: int = 1, players: tuple[Player, ...] = FOUR, hands: int = 14) -> Evening:
    """Return an evening of toepen: everybody loses in turn, and who loses ten lives buys."""
    played, rubbers = [], []
    lives = dict.fromkeys((one.number for one in players), 0)
    rubber = 1
    for hand in range(1, hands + 1):
        winner = players[hand % len(players)].number
        stake = 1 + hand % 4
        paid = {one: stake for one in lives if one != winner and (one + hand) % 3}
        lives = {one: min(10, lost + paid.get(one, 0)) for one, lost in lives.items()}
        played.append(
            PlayedHand(
                number=hand,
                game="toepen",
                rubber=rubber,
                winners=(winner,),
                how=Line("how.trick"),
                paid=paid,
                tallies=dict(lives),
                stake=stake,
                knocks=(Knock(winner, stake, 0.8, 1.4),) if stake > 1 else (),
                corrected=hand == 3,
            )
        )
        out = [one for one, lost in lives.items() if lost >= 10]
        if out:
            rubbers.append(PlayedRubber(rubber, "toepen", (winner,), (out[0],), hand))
            lives, rubber = dict.fromkeys(lives, 0), rubber + 1
    line = EveningLine(
        number, AT, AT + 9000.0, ("toepen",), players, len(played), len(rubbers), number == 0
    )
    settled = tuple(Settlement(one.losers[0], one.winners[0], 1) for one in rubbers)
    return Evening(
        line=line,
        games=(PlayedGame("toepen", "kroeg", 1),),
        hands=tuple(played),
        rubbers=tuple(rubbers),
        settled=settled,
        turning=7 if hands >= 7 else None,
        winners=(1,),
        corrections=1,
        undone=2,
    )


def titled(evening: Evening, *titles: Title) -> Evening:
    """Return *evening* with *titles*, or with three, of which two players share one."""
    given = titles or (
        Title("hat-trick", 4, Line("title.hat-trick.why", {"n": 3})),
        Title("nemesis", 1, Line("title.nemesis.why", {"other": Seat(1), "n": 5})),
        Title("drummer", 2, Line("title.drummer.why", {"n": 9, "of": 20}), shared=(3,)),
    )
    return replace(evening, titles=given)


@dataclass
class Past:
    """A history that remembers what it was made of."""

    told: dict[int, Evening] = field(default_factory=lambda: {1: toepen()})
    known: list[Season] = field(default_factory=list)
    how_far: HistoryStand = field(default_factory=lambda: HistoryStand(1))

    def stand(self) -> HistoryStand:
        return self.how_far

    def evenings(self, before: int | None = None, limit: int = 50) -> tuple[EveningLine, ...]:
        found = sorted(self.told, reverse=True)
        return tuple(self.told[one].line for one in found if before is None or one < before)[:limit]

    def evening(self, number: int) -> Evening:
        number = max(self.told, default=0) if number == -1 else number
        if number not in self.told:
            raise BadRequest("There is no such evening.")
        return self.told[number]

    def people(self) -> tuple[PersonLine, ...]:
        return tuple(PersonLine(one, 12, AT) for one in FOUR if one.person)

    def person(self, person: int) -> PersonPage:
        found = [one for one in FOUR if one.person == person]
        if not found:
            raise BadRequest("There is no such person.")
        lines = self.evenings()
        return PersonPage(found[0], AT, AT, lines, self._numbers(found[0]), {"wall": 3}, in_all=120)

    def statistics(
        self, game: str | None = None, since: float | None = None, person: int | None = None
    ) -> tuple[PersonNumbers, ...]:
        people = FOUR if since is None else FOUR[:2]
        return tuple(PersonNumbers(one, self._numbers(one)) for one in people)

    def seasons(self) -> tuple[Season, ...]:
        return tuple(sorted(self.known, key=lambda one: -one.since))

    def table(self, season: int | None = None) -> SeasonTable:
        found = next((one for one in self.known if one.id == season), None)
        if season is not None and found is None:
            raise BadRequest("There is no such season.")
        rows = tuple(
            Honours(one, 12, 9 - one.number, 9.0 - one.number, 2, 3, 1, place=one.number)
            for one in FOUR
        )
        return SeasonTable(found, {"toepen": rows} if self.told else {}, len(self.told))

    def begin_season(
        self,
        name: str,
        since: float | None = None,
        rule: Rule = "wins",
        points: int = 1,
        best: int = 0,
    ) -> Season:
        if not name:
            raise BadRequest("A season needs a name.")
        made = Season(len(self.known) + 1, name, since or AT, rule, points, best)
        self.known.append(made)
        return made

    def end_season(self, season: int) -> None:
        self.known = [one for one in self.known if one.id != season]

    def _numbers(self, player: Player) -> tuple[Told, ...]:
        share = 0.2 * player.number
        few = Told("folds", "toepen", None, 3, 20, "share")
        many = replace(few, value=share, n=50, mean=0.4)
        return (
            many if player.number < 4 else few,
            Told("quickest", "toepen", 0.8, 40, 10, "s"),
            Told("nemesis", "toepen", 6.0, 9, 5, "lives", against="Thijs"),
        )


@dataclass
class Known:
    """Whom the box knows: a `PeopleClient` that notes what was asked of it."""

    done: list[tuple[object, ...]] = field(default_factory=list)

    def people(self) -> tuple[Person, ...]:
        played = tuple(Person(one.person, one.name) for one in FOUR if one.person)
        return (*played, Person(9, "Nieuw"), Person(10, "Stil", hidden=True))

    def offered(self, seat: Seat) -> tuple[Person, ...]:
        return self.people()

    def rename(self, person: int, name: str) -> None:
        if name == "Thijs":
            raise IllegalAction("name_known", name=name)
        self.done.append(("rename", person, name))

    def merge(self, person: int, into: int) -> None:
        self.done.append(("merge", person, into))

    def hide(self, person: int, hidden: bool) -> None:
        self.done.append(("hide", person, hidden))

    def adopt(self, name: str) -> int:
        if name == "Niemand":
            raise IllegalAction("no_such_name", name=name)
        self.done.append(("adopt", name))
        return 11

    def forget(self, person: int) -> Forgotten:
        self.done.append(("forget", person))
        return Forgotten(entries=3, copies=1)
