"""What every page and every answer needs at hand: the table, the settings, the feed."""

from dataclasses import dataclass
from typing import cast

from flask import current_app, request

from kloplei.network.addresses import JoinAddress
from kloplei.table.client import TableClient
from kloplei_panel.demo import DemoTable
from kloplei_panel.feed import Feed
from kloplei_panel.pairing import Pairing, RateLimiter
from kloplei_panel.settings import PanelSettings


@dataclass(frozen=True, slots=True)
class Panel:
    """The parts that one app works with."""

    table: TableClient
    settings: PanelSettings
    feed: Feed
    pairing: Pairing
    flood: RateLimiter
    demo: DemoTable | None = None


def panel() -> Panel:
    """Return the parts of the app that serves this request."""
    return cast("Panel", current_app.extensions["kloplei"])


def way_in() -> JoinAddress:
    """Return how phones get to the table now; where nobody knows, as the reader did."""
    settings = panel().settings
    found = JoinAddress() if settings.way_in is None else settings.way_in()
    url = found.url or settings.join_url or request.host_url
    return JoinAddress(url, found.wifi, on_hotspot=found.on_hotspot)
