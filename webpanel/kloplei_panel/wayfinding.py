"""The way to the table, for pages: its address now, and the Wi-Fi that leads there."""

from flask import request

from kloplei.network.addresses import JoinAddress
from kloplei_panel.panel import panel
from kloplei_panel.reader import Reader


def way_in() -> JoinAddress:
    """Return how phones get to the table now; where nobody knows, as the reader did."""
    settings = panel().settings
    found = JoinAddress() if settings.way_in is None else settings.way_in()
    url = found.url or settings.join_url or request.host_url
    return JoinAddress(url, found.wifi, on_hotspot=found.on_hotspot)


def lost_said(reader: Reader) -> str:
    """Return what a page says when it has lost the table, with the Wi-Fi to go back to.

    It is kept in the page, for by then nothing reaches the box: a phone that left its Wi-Fi.
    """
    wifi = way_in().wifi
    lost = reader.say("live.lost")
    return lost if wifi is None else f"{lost} {reader.say('live.wifi', wifi=wifi.name)}"
