"""What every page and every answer needs at hand: the table, the settings, the feed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flask import current_app

from kloplei.table.client import TableClient
from kloplei_panel.demo import DemoTable
from kloplei_panel.feed import Feed
from kloplei_panel.pairing import Pairing
from kloplei_panel.settings import PanelSettings

if TYPE_CHECKING:
    from kloplei_panel.flood import RateLimiter


@dataclass(frozen=True, slots=True)
class Panel:
    """The parts that one app works with."""

    table: TableClient
    settings: PanelSettings
    feed: Feed
    pairing: Pairing
    flood: "RateLimiter"
    demo: DemoTable | None = None


def panel() -> Panel:
    """Return the parts of the app that serves this request."""
    return cast("Panel", current_app.extensions["kloplei"])
