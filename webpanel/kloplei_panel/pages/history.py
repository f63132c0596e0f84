"""What stays of the evenings: the list, one evening, a season's table of honour, and the people.

Anybody may read of evenings. Pages of people are for phones that were let in, unless the house
says otherwise; a season begins and ends by the keeper of the slate alone.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from zlib import crc32

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.history_client import (
    Evening,
    EveningLine,
    Honours,
    PlayedHand,
    Player,
    Rule,
    Season,
    Settlement,
)
from kloplei.table.schema import dump, load
from kloplei.words import Words
from kloplei.words.dates import day_of, is_known, short_day_of, time_of
from kloplei_panel import access
from kloplei_panel.answers import Problem, back_to, fresh, fresh_page, why_not
from kloplei_panel.context import panel
from kloplei_panel.pages._charts import LOW_HEIGHT, course_of, kind_of, race_of
from kloplei_panel.reader import Reader, reader, shared_words, whole
from kloplei_panel.requests import in_form

bp = Blueprint("history", __name__)
NEWEST = -1
_MOST_DIGITS = 9
_A_PAGE = 50
_EXACT_BELOW = 10
_MINUS = "\N{MINUS SIGN}"  # as tables of honour and slates write it
_MANY = 2  # a fraction is a number of lives, too
_MANY_RUBBERS = 3
_NEWEST_RUBBERS = 3
_LONG = 8  # more lines than this are folded
_RULES: tuple[Rule, ...] = ("wins", "points", "best")
_DATE = "%Y-%m-%d"
_KEPT_PICTURES = 8  # of some 60 kB; a whole table asks for the same one
_drawing = threading.Lock()


class GameCourse(NamedTuple):
    """All hands of one game in an evening: as a chart, and as a table.

    Of many rubbers the *chart* is that of who won how many, which *standing* says in numbers, and
    each has one *by_rubber*, the newest first.
    """

    game: str
    chart: str
    hands: tuple[PlayedHand, ...]
    by_rubber: tuple["RubberCourse", ...] = ()
    standing: tuple[tuple[int, int], ...] = ()


class RubberCourse(NamedTuple):
    """One rubber: who won it, nobody if it was not played out, and its chart."""

    number: int
    winners: tuple[int, ...]
    chart: str


@bp.get("/evenings")
def evenings() -> Response:
    """Show the evenings, newest first; ``?before=`` goes on behind that one."""
    before = whole(request.args.get("before", ""), _MOST_DIGITS)
    history = panel().table.history
    found = history.evenings(before, _A_PAGE + 1)
    seasons = history.seasons()
    return page_of(
        "history/evenings.html",
        groups=_grouped(found[:_A_PAGE], seasons[0] if seasons else None),
        older=found[_A_PAGE - 1].number if len(found) > _A_PAGE else None,
        is_first=before is None,
        seasons=seasons,
        stand=history.stand(),
    )


@bp.get("/evenings/last")
def last() -> Response:
    """Show the newest evening."""
    return evening(NEWEST)


@bp.get("/evenings/<int:number>")
def evening(number: int) -> Response:
    """Show one evening; a page that follows it is told where it is still the same."""
    told = evening_found(number)
    who = reader()
    may_keep = panel().pairing.may_keep
    tag = f"{crc32(repr((_spelled(told), who.language, may_keep)).encode()):x}"
    if request.if_none_match.contains(tag):  # before it is drawn: phones ask all evening
        return fresh(Response(status=304))
    page = page_of(
        "history/evening.html",
        evening=told,
        tag=tag,
        courses=courses_of(told),
        newest_rubbers=_NEWEST_RUBBERS,
        long=_LONG,
        says=Sayer(who, told.line.players),
        settled=_summed(told.settled),
        kind_of=kind_of,
        text=_as_text(told, who),
        bg_stats=_bg_stats(told, who) if may_keep else "",
    )
    page.set_etag(tag)
    return page


@bp.get("/evenings/<int:number>/recap.png")
def recap(number: int) -> Response:
    """Answer with the picture of the evening, to keep and to send."""
    told = evening_found(number)
    response = Response(_drawn(told, reader().language), mimetype="image/png")
    response.headers["Cache-Control"] = "no-cache"
    name = f"kloplei-{told.line.number}.png"
    disposition = "attachment" if "download" in request.args else "inline"
    response.headers["Content-Disposition"] = f'{disposition}; filename="{name}"'
    response.add_etag()
    response.make_conditional(request)
    return response


@bp.get("/evenings/<int:number>/text")
def as_text(number: int) -> Response:
    """Answer with the evening as one sends it to friends."""
    told = _as_text(evening_found(number), reader())
    return fresh(Response(told, mimetype="text/plain"))


@bp.get("/evenings/seasons", defaults={"season": None})
@bp.get("/evenings/seasons/<int:season>")
def seasons(season: int | None, message: str = "", status: int = 200) -> Response:
    """Show a season's table of honour: the newest one's, or that of all evenings."""
    history = panel().table.history
    known = history.seasons()
    chosen = season if season is not None else (known[0].id if known else None)
    try:
        table = history.table(None if chosen in (None, 0) else chosen)
    except BadRequest:
        raise Problem(404, "no_season") from None
    return page_of(
        "history/seasons.html",
        status,
        table=table,
        stand=history.stand(),
        seasons=known,
        rules=_RULES,
        message=message,
        columns_of=_columns_of,
        today=f"{datetime.now().astimezone():{_DATE}}",
    )


def _columns_of(game: str, rows: Sequence[Honours]) -> list[str]:
    """Return of which fields a table of honour has columns (``season.<field>``)."""
    names = ["score", "rubbers"]
    names += ["crowns"] if any(row.crowns for row in rows) else []
    names += ["settled"] if GAMES[game].retold.by_tally else ["bought", "drunk"]
    return [*names, "evenings"]


@bp.post("/evenings/seasons")
def begin_season() -> ResponseReturnValue:
    """Begin a season, as the form says."""
    access.demand_keeper()
    rule = request.form.get("rule", _RULES[0])
    try:
        if rule not in _RULES:
            raise Problem(400, "unreadable", detail="rule")
        panel().table.history.begin_season(
            request.form.get("name", "").strip(),
            _moment_in_form(),
            rule,
            in_form("points", 3) if request.form.get("points") else 1,
            in_form("best", 3) if request.form.get("best") else 0,
        )
    except (BadRequest, TableUnavailable) as error:
        return seasons(None, *why_not(error, silent="season.not_kept"))
    return back_to("history.seasons")


@bp.post("/evenings/seasons/end")
def end_season() -> ResponseReturnValue:
    """Take a season away; its evenings stay."""
    access.demand_keeper()
    panel().table.history.end_season(in_form("season", _MOST_DIGITS))
    return back_to("history.seasons")


class Sayer:
    """Says lines of one evening, whose players they mean by number, for *who* reads them."""

    def __init__(self, who: Reader, players: Iterable[Player]) -> None:
        self._who = who
        # In sentences a seat is what stands for a player; in an evening, the player's number does.
        self._names = {Seat(one.number - 1): name_of(one, who) for one in players}

    def line(self, line: Line, game: str) -> str:
        """Return the sentence that *line* of *game* is."""
        words = shared_words(self._who.language, game)
        return words.say(line.key, line.facts, self._names)

    def names(self, numbers: Iterable[int]) -> str:
        """Return the names of the players with those *numbers*, as people list them."""
        return shared_words(self._who.language).listed([self.name(one) for one in numbers])

    def name(self, number: int) -> str:
        """Return the name of player *number*."""
        return self._names.get(Seat(number - 1), "")


def evening_found(number: int) -> Evening:
    """Return the evening *number*.

    Raises:
        Problem: 404, there is none, or none yet.
    """
    try:
        return panel().table.history.evening(number)
    except BadRequest:
        raise missing("no_evening") from None


def missing(what: str) -> Problem:
    """Return the problem *what* that something is not there, or that it is not read again yet."""
    return Problem(404, "history_behind" if panel().table.history.stand().behind else what)


def demand_reader_of_people() -> None:
    """Refuse the pages of people to a phone that nobody let in, where the house keeps them so.

    Raises:
        Problem: 403.
    """
    if panel().settings.people == "paired" and not panel().pairing.may_act:
        raise Problem(403, "not_allowed")


def courses_of(evening: Evening) -> tuple[GameCourse, ...]:
    """Return the hands of *evening* by game, each with its chart."""
    games = dict.fromkeys(hand.game for hand in evening.hands)
    by_game = {game: tuple(h for h in evening.hands if h.game == game) for game in games}
    return tuple(_course(evening, game, hands) for game, hands in by_game.items())


def _course(evening: Evening, game: str, hands: tuple[PlayedHand, ...]) -> GameCourse:
    ended = [one for one in evening.rubbers if one.game == game]
    players = evening.line.players
    if game in GAMES and GAMES[game].retold.by_tally:
        return GameCourse(game, course_of(_with_settled(hands, evening.settled), players), hands)
    if len(ended) < _MANY_RUBBERS:
        return GameCourse(game, course_of(hands, players), hands)
    here = [one for one in players if any(one.number in hand.tallies for hand in hands)]
    won = {one.number: one.winners for one in ended}
    rubbers = [
        RubberCourse(number, won.get(number, ()), course_of([*its], players, LOW_HEIGHT))
        for number, its in groupby(hands, key=lambda hand: hand.rubber)
    ]
    won_by = Counter(player for one in ended for player in one.winners)
    standing = tuple((one.number, won_by[one.number]) for one in here)
    best_first = tuple(sorted(standing, key=lambda one: -one[1]))
    return GameCourse(game, race_of(ended, here), hands, tuple(rubbers[::-1]), best_first)


def _with_settled(
    hands: Iterable[PlayedHand], settled: Sequence[Settlement]
) -> Iterator[PlayedHand]:
    """Yield *hands* as if nobody had *settled* between them: what was paid stays theirs."""
    for hand in hands:
        tallies = dict(hand.tallies)
        for one in settled:
            if one.unit == "chips" and one.rubber < hand.rubber:
                tallies[one.payee] = tallies.get(one.payee, 0) + one.amount
                tallies[one.payer] = tallies.get(one.payer, 0) - one.amount
        yield replace(hand, tallies=tallies)


def name_of(player: Player, who: Reader) -> str:
    """Return what *player* is called on a page; who was forgotten goes without a name."""
    if not player.name:
        return who.say("people.forgotten")
    return shared_words(who.language).called(player.name)


def number_told(value: float, unit: str, words: Words) -> str:
    """Return *value* as people read it: ``62 %``, ``1.4 s``, ``3``; with their decimal point."""
    match unit:
        case "share":
            return words.name("number", "share").format(number=f"{value * 100:.0f}")
        case "s":
            return words.name("span", "seconds").format(number=_decimal(value, words, seconds=True))
        case _ if float(value).is_integer():
            return f"{value:.0f}".replace("-", _MINUS)
        case _:
            return _decimal(value, words)


def _decimal(value: float, words: Words, *, seconds: bool = False) -> str:
    # A toep in ten hands or in five: with one digit both would read the same.
    digits = 2 if abs(value) < _EXACT_BELOW and not seconds else 1
    return words.number(value, f".{digits}f").replace("-", _MINUS)


def counted_in(value: float, unit: str, words: Words) -> str:
    """Return what *value* is a number of, as it agrees with it: ``life``, ``lives``; or nothing."""
    if unit in ("", "share", "s"):
        return ""
    n = abs(int(value)) if float(value).is_integer() else _MANY
    return words.say(f"unit.{unit}", {"n": n})


def _rule_told(season: Season, who: Reader) -> str:
    n = season.points if season.rule == "points" else season.best
    return who.say(f"season.rule-{season.rule}", n=n, best=season.best or None)


def _summed(settled: Iterable[Settlement]) -> list[Settlement]:
    """Return what each owed to each in all, for who won eight rubbers was treated eight times."""
    sums: dict[tuple[int, int], Settlement] = {}
    for one in settled:
        pair = one.payer, one.payee
        sums[pair] = replace(one, amount=one.amount + (sums[pair].amount if pair in sums else 0))
    return list(sums.values())


def moment_of(day: str) -> float | None:
    """Return when the *day* of a form began here, None where it is none."""
    try:
        return datetime.strptime(day, _DATE).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _moment_in_form() -> float | None:
    written = request.form.get("since", "")
    moment = moment_of(written)
    if written and moment is None:
        raise Problem(400, "unreadable", detail="since")
    return moment


def _grouped(
    found: Sequence[EveningLine], season: Season | None
) -> list[tuple[str, list[EveningLine]]]:
    """Return *found* below what they are: running, of the last week, of this season, older."""
    now_s = datetime.now().astimezone().timestamp()

    def age_of(one: EveningLine) -> str:
        if one.runs:
            return "now"
        if not is_known(one.at):
            return "older"
        if now_s - one.at < 7 * 86_400:
            return "week"
        return "season" if season and one.at >= season.since else "older"

    return [(age, list(ones)) for age, ones in groupby(found, key=age_of)]


def games_played() -> list[str]:
    """Return the games that were ever played here, by name."""
    table = panel().table.history.table(None)
    return [game for game in GAMES if game in table.games]


def _drawn(evening: Evening, language: str) -> bytes:
    """Return the picture of *evening*, drawn once for all who ask for it in that *language*."""
    place = panel().settings.place
    with _drawing:
        return _draw(_spelled(evening), language, place)


def _spelled(evening: Evening) -> str:
    return json.dumps(dump(evening), separators=(",", ":"))


@lru_cache(_KEPT_PICTURES)
def _draw(told: str, language: str, place: str) -> bytes:
    from kloplei.history.recap import draw  # here: it brings PIL, and few ask for a picture

    return draw(load(Evening, json.loads(told)), shared_words(language), place=place)


def _bg_stats(evening: Evening, who: Reader) -> str:
    from kloplei.history.summary import bg_stats_link

    return bg_stats_link(evening, shared_words(who.language), place=panel().settings.place)


def _as_text(evening: Evening, who: Reader) -> str:
    from kloplei.history.summary import as_text as told

    return told(evening, shared_words(who.language), place=panel().settings.place)


def page_of(template: str, status: int = 200, /, **told: object) -> Response:
    """Return the page that *template* makes of what is *told*, and of what all pages here say."""
    who = reader()
    words = shared_words(who.language)
    shared: Facts = {
        "reader": who,
        "name_of": lambda one: name_of(one, who),
        "day": lambda at: day_of(at, words),
        "short_day": lambda at: short_day_of(at, words),
        "time": time_of,
        "may_keep": panel().pairing.may_keep,
        "may_read_people": panel().settings.people != "paired" or panel().pairing.may_act,
        "number_told": lambda value, unit: number_told(value, unit, words),
        "counted_in": lambda value, unit: counted_in(value, unit, words),
        "names_of": lambda ones: words.listed([name_of(player, who) for player, _ in ones]),
        "comma": words.name("list", "comma"),
        "only_game": lambda line: line.games[0] if len(line.games) == 1 else "",
        "says_rule": lambda season: _rule_told(season, who),
    }
    return fresh_page(template, status, **shared, **told)
