"""A table in Home Assistant, by its MQTT discovery: what it is, and what happens at it.

One message describes the device with all its entities; sensors read the retained ``board`` of
`kloplei.uplink.wire`, events come as `happened` and are never retained: a toep of yesterday rings
no bell. Home Assistant can look and hear, and do nothing: there are no command topics. The shapes
are those of https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES
from kloplei.games.moments import Moment, MomentKind, names_of
from kloplei.games.scoreboard import Scoreboard
from kloplei.uplink.wire import BOARD, ONLINE, spelled, topic
from kloplei.words import Words

BIRTH: Final = "homeassistant/status"
"""Home Assistant says ``online`` there when it starts, and wants to be told of everything again."""
MOMENT, SLATE = "moment", "slate"
"""Leaves below the box's topic: what happens, and the picture of the slate."""
_HEARD = (MomentKind.KNOCK, MomentKind.DOUBT)
_SEATS = (
    "{% set ns = namespace(said=[]) %}{% for row in value_json.rows | default([])"
    " if row.seat in value_json.to_answer | default([]) %}"
    "{% set ns.said = ns.said + [row.name or row.seat | string] %}{% endfor %}"
    "{{ ns.said | join(', ') }}"
)
_SENSORS: Mapping[str, tuple[str, str]] = {
    "stake": ("{{ value_json.stake | default(0) }}", "mdi:cash-multiple"),
    "game": ("{{ value_json.game }}", "mdi:cards-playing"),
    "phase": ("{{ value_json.phase }}", "mdi:progress-clock"),
    "answering": (_SEATS, "mdi:account-question"),
}
_ICONS: Mapping[MomentKind, str] = {
    MomentKind.KNOCK: "mdi:hand-back-right",
    MomentKind.CALL: "mdi:bullhorn",
    MomentKind.FANFARE: "mdi:trophy",
    MomentKind.CROWN: "mdi:crown",
    MomentKind.HAND: "mdi:cards",
    MomentKind.NOTABLE: "mdi:star",
}
"""What Home Assistant has an event entity for; a fault is a problem that lasts."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be published; the *payload* of a picture is binary."""

    topic: str
    payload: bytes
    retain: bool = False


@dataclass(frozen=True, slots=True)
class Device:
    """One table as Home Assistant is to know it; *url* is its panel, where phones reach it.

    *picture* is whether it gets to see the slate.
    """

    box: str
    name: str
    version: str
    url: str = ""
    picture: bool = True


class HomeAssistant:
    """What to tell Home Assistant of one table; it keeps no connection.

    Args:
        device: The table.
        language: In which its entities are called, and moments told.
    """

    def __init__(self, device: Device, language: str) -> None:
        self._device = device
        self._words = Words(language)

    def discovery(self) -> Message:
        """Return the message that describes the table; again whenever `BIRTH` says online."""
        device = self._device
        told: dict[str, Any] = {
            "identifiers": [f"kloplei_{device.box}"],
            "name": device.name,
            "manufacturer": "Kloplei",
            "model": "Kloplei",
            "sw_version": device.version,
        }
        if device.url:
            told["configuration_url"] = device.url
        payload = {
            "device": told,
            "origin": {"name": "kloplei", "sw_version": device.version},
            # Not as the list `availability`: a Home Assistant that just starts, and reads the
            # schema of one platform while it loads the next, now and then leaves a list unread
            # (voluptuous compiles `All` in place), and that entity out.
            "availability_topic": topic(device.box, ONLINE),
            "availability_template": "{{ 'online' if value_json.online else 'offline' }}",
            "components": dict(self._components()),
        }
        return Message(_discovery_topic(device.box), spelled(payload).encode(), retain=True)

    def farewell(self) -> Message:
        """Return what lets Home Assistant forget the table."""
        return Message(_discovery_topic(self._device.box), b"", retain=True)

    def happened(self, moment: Moment, board: Scoreboard) -> Message | None:
        """Return what tells of *moment*, at a table that stands like *board* now; None for none."""
        kind = MomentKind.KNOCK if moment.kind in _HEARD else moment.kind
        if kind not in _ICONS:
            return None
        told: dict[str, object] = {"event_type": moment.name, "game": moment.game}
        if moment.seats:
            told["seats"] = [seat.shown for seat in moment.seats]
        if moment.stake is not None:
            told["stake"] = moment.stake
        if (line := moment.line) is not None:
            words = self._words.of_game(moment.game)
            told["text"] = words.say(line.key, line.facts, board.names)
        where = f"{topic(self._device.box, MOMENT)}/{kind}"
        return Message(where, spelled(told).encode())

    def picture(self, png: bytes) -> Message:
        """Return the picture of the slate."""
        return Message(topic(self._device.box, SLATE), png, retain=True)

    def _components(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        board = topic(self._device.box, BOARD)
        for name, (template, icon) in _SENSORS.items():
            told = {"state_topic": board, "value_template": template, "icon": icon}
            yield name, self._component("sensor", name, told)
        broken = "{{ 'ON' if value_json.notices | default([]) else 'OFF' }}"
        problem = {"state_topic": board, "value_template": broken, "device_class": "problem"}
        yield "problem", self._component("binary_sensor", "problem", problem)
        if self._device.picture:
            slate = {"image_topic": topic(self._device.box, SLATE), "content_type": "image/png"}
            yield "slate", self._component("image", "slate", slate)
        else:
            yield "slate", {"platform": "image"}  # no more than that takes one of before out
        for kind, icon in _ICONS.items():
            where = f"{topic(self._device.box, MOMENT)}/{kind}"
            event = {"state_topic": where, "event_types": _event_types(kind), "icon": icon}
            yield str(kind), self._component("event", str(kind), event)

    def _component(
        self, platform: str, name: str, told: Mapping[str, object]
    ) -> Mapping[str, object]:
        return {
            "platform": platform,
            "unique_id": f"kloplei_{self._device.box}_{name}",
            "name": self._words.say(f"entity.{name}"),
            **told,
        }


def _event_types(kind: MomentKind) -> list[str]:
    """Return by which names moments of *kind* may come, in any game."""
    if kind is MomentKind.KNOCK:
        return [str(one) for one in _HEARD]
    if kind is MomentKind.HAND:
        return [str(kind)]  # what a game has a name for is news, and that a hand ends is none
    own = {name for game in GAMES for name in names_of(game)} - set(MomentKind)
    return [str(kind), *sorted(own)]


def _discovery_topic(box: str) -> str:
    return f"homeassistant/device/kloplei_{box}/config"
