"""What pages show, as JSON, for programs: the wall, a table, the standings; nothing more."""

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from kloplei.table.client import BadRequest
from kloplei.table.schema import WORLD, dump
from kloplei_hub.web.boards import Player, Tile, board_told
from kloplei_hub.web.context import house
from kloplei_hub.web.evenings import history
from kloplei_hub.web.pages.wall import shared
from kloplei_panel.reader import whole

bp = Blueprint("api", __name__, url_prefix="/api/v1")
_MOST_DIGITS = 9


@bp.get("/wall")
def wall() -> Response:
    """Answer with all tables, as the wall shows them."""
    now = house().live.wall
    tiles = [_tile(one) for one in now.tiles]
    return shared(jsonify(version=now.version, silent=now.lost, tables=tiles))


@bp.get("/tables/<which>")
def table(which: str) -> Response:
    """Answer with one table and its scoreboard."""
    found = house().live.table(which)
    if found is None:
        abort(404)
    told = {**_tile(found.tile), "version": found.version, "board": board_told(found.board)}
    return shared(jsonify(told))


@bp.get("/standings")
def standings() -> Response:
    """Answer with a season's table of honour by game; ``?season=``, the newest one without."""
    asked = request.args.get("season")
    known = history().seasons()
    newest = known[0].id if known else None
    season = newest if asked is None else whole(asked, _MOST_DIGITS)
    try:
        found = history().table(season or None)
    except BadRequest:
        abort(404)
    rated = {
        (game, one.person): one.shown for game in found.games for _, one in history().standing(game)
    }
    games = {
        game: [
            {**dump(row, form=WORLD), "rating": rated.get((game, row.player.person or 0))}
            for row in rows
        ]
        for game, rows in found.games.items()
    }
    return jsonify(season=dump(found.season, form=WORLD), evenings=found.evenings, games=games)


def _tile(tile: Tile) -> dict[str, Any]:
    return {
        "table": tile.which,
        "number": tile.number,
        "name": tile.name,
        "online": tile.online,
        "silent_since": tile.since,
        "game": tile.game or None,
        "plays": tile.plays,
        "stake": tile.stake,
        "proposed": tile.proposed,
        "players": tile.players,
        "near_the_end": [_player(one) for one in tile.near],
        "on_top": [_player(one) for one in tile.crowned],
        "trouble": tile.trouble,
    }


def _player(player: Player) -> dict[str, Any]:
    seat, name = player
    return {"seat": seat, "name": name}
