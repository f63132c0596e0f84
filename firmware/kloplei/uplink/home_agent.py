"""Tells Home Assistant of a table over a broker, its own or the house's: `HomeAgent`.

What is said is made by `home_assistant`; here it is said at the right time. paho has a thread for
the line, tries again by itself, and keeps nothing while the broker is away.
"""

import contextlib
import logging
import secrets
import struct
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from kloplei import __version__
from kloplei.config.settings import HOME_FILE
from kloplei.files import UnreadableFile, atomic_write, read_limited
from kloplei.frozen import dataclass, replace
from kloplei.games.moments import Moment
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import Frame, TableClient
from kloplei.uplink.boxes import lasting
from kloplei.uplink.home_assistant import BIRTH, Device, HomeAssistant, Message
from kloplei.uplink.links import NOT_LET_IN, HouseUnreached, KnownHouse, cause_of, trust_in
from kloplei.uplink.outsiders import Outsider
from kloplei.uplink.wire import (
    BOARD,
    BOARD_EXPIRES_S,
    ONLINE,
    BadMessage,
    Online,
    decode,
    encode,
    topic,
)
from kloplei.words import Sentence

BOARD_S: Final = 0.5
PICTURE_S: Final = 3.0
"""No picture sooner after another."""
FAREWELL_S: Final = 10.0
_SETTLE_S = 1.0  # Home Assistant takes out a dozen entities
_LOGIN_S = 5.0  # so often one looks where the house's broker is
_KEEPALIVE_S = 30
_MOST_MOMENTS = 20
_MOST_QUEUED = 50
_SCALE = 4
_MOST_BYTES = 100_000
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HomeBroker:
    """The broker at which Home Assistant listens.

    At one that *is_houses* the uplink tells online and board already.
    """

    host: str
    port: int = 1883
    user: str | None = None
    password: str | None = None
    tls: bool = False
    authority: str = ""
    is_houses: bool = False


@dataclass(frozen=True, slots=True)
class _Announced:
    """Where a table was announced, and by which name: to be taken back some day."""

    box: str
    broker: HomeBroker


def broker_of(house: KnownHouse | None) -> HomeBroker | None:
    """Return the broker of *house*; None where there is none."""
    if house is None or not house.paired.port:
        return None
    paired = house.paired
    login = (paired.box, paired.password, paired.tls, paired.authority)
    return HomeBroker(house.broker, paired.port, *login, is_houses=True)


class HomeAgent(Outsider):
    """Keeps one Home Assistant told of one *table*.

    Args:
        table: Which.
        data: Folder in which it is kept where the table was announced.
        broker: Says where the broker is now, None where there is none yet.
        device: The table as Home Assistant is to know it; its box is asked of the table.
        language: In which it is told.
        url: Says where phones reach the panel now, empty for nowhere; asked whenever the table is
            described, since a network comes up after the box and may give another address.
        picture: Of the slate: for ``all`` to see, ``none``, or while all who sit there ``agreed``.
    """

    def __init__(
        self,
        table: TableClient,
        data: Path,
        broker: Callable[[], HomeBroker | None],
        device: Device,
        language: str,
        *,
        url: Callable[[], str] = lambda: "",
        picture: str = "agreed",
    ) -> None:
        super().__init__(table, "home_assistant")
        self._file = data / HOME_FILE
        self._broker = broker
        self._device, self._language, self._url = device, language, url
        self._wants_picture = picture
        self._moments: deque[tuple[Moment, Scoreboard]] = deque(maxlen=_MOST_MOMENTS)
        self._line: _Line | None = None
        self._home = HomeAssistant(device, language)
        self._login_s = float("-inf")
        self._begin()

    def happened(self, moment: Moment, board: Scoreboard) -> None:
        """Tell it next, if somebody can hear it by then."""
        self._moments.append((moment, board))

    def come_round(self, now_s: float) -> None:
        """Tell what is due."""
        if now_s >= self._login_s + _LOGIN_S:
            self._login_s = now_s
            self._open(self._broker())
        line = self._line
        self._note(line)
        if line is None or not line.is_up:
            self._moments.clear()  # a toep of before rings no bell
            return
        if line.takes_greeting():
            self._describe(line)
        while self._moments:
            told = self._home.happened(*self._moments.popleft())
            if told is not None:
                line.send(told)
        self._tell_board(line, now_s)
        self._tell_picture(line, now_s)

    def finish(self) -> None:
        """Hang up; the table is offline, and Home Assistant still knows it."""
        if self._line is not None:
            self._line.close()

    def _note(self, line: "_Line | None") -> None:
        """Note how it goes, for whoever asks."""
        if line is None:
            self.fails(Sentence("home-nowhere"))
        elif line.trouble is not None:
            self.fails(line.trouble)
        elif line.is_up:
            self.took()

    def _begin(self) -> None:
        self._told_board: Scoreboard | None = None
        self._told_frame: Frame | None = None
        self._board_s = self._picture_s = float("-inf")

    def _open(self, broker: HomeBroker | None) -> None:
        """Have a line to *broker*, and none to another one."""
        if self._line is not None and self._line.broker == broker:
            return
        if self._line is not None:
            self._line.close()
            self._line = None
        if broker is None:
            return
        box = self.table.uplink.steps(0, 1).box
        keep(self._file, _Announced(box, broker))
        self._line = _Line(box, broker, self.stir)

    def _describe(self, line: "_Line") -> None:
        """Say what the table is, and have all that stands there said behind it."""
        self._begin()
        device = replace(self._device, box=line.box, url=self._url())
        self._home = HomeAssistant(device, self._language)
        line.send(self._home.discovery(), qos=1)  # its receipt says whether we may
        if self._wants_picture == "none":
            line.send(self._home.picture(b""))  # one of before is kept by the broker

    def _tell_board(self, line: "_Line", now_s: float) -> None:
        board = self.board and self.told(lasting(self.board))
        if board is None or board == self._told_board or now_s < self._board_s + BOARD_S:
            return
        self._told_board, self._board_s = board, now_s
        if not line.broker.is_houses:
            line.send(Message(topic(line.box, BOARD), encode(board), retain=True), BOARD_EXPIRES_S)

    def _tell_picture(self, line: "_Line", now_s: float) -> None:
        if self._wants_picture == "none" or now_s < self._picture_s + PICTURE_S:
            return
        frame = self.table.frame()
        if frame is None:
            return
        if not self._may_be_seen():
            frame = replace(frame, bits=bytes(len(frame.bits)))
        if frame != self._told_frame:
            self._told_frame, self._picture_s = frame, now_s
            line.send(self._home.picture(png_of(frame)))

    def _may_be_seen(self) -> bool:
        """Whether the slate shows nobody by name who did not agree, now and when it was drawn."""
        if self._wants_picture == "all":
            return True
        boards = [one for one in (self.board, self.table.scoreboard()) if one is not None]
        return all(
            bool(told.name) == bool(row.name)
            for board in boards
            for row, told in zip(board.rows, self.told(board).rows, strict=True)
        )


class _Line:
    """One connection to a broker, of the table *box*; *stir* is called when there is news."""

    def __init__(self, box: str, broker: HomeBroker, stir: Callable[[], object]) -> None:
        self.box, self.broker = box, broker
        self._stir = stir
        self.trouble: Sentence | None = None
        self._where = f"{broker.host}:{broker.port}"
        self._is_greeted = False
        self._said: Sentence | None = None
        name = f"{box[:24]}-home-{secrets.token_hex(4)}"
        self._client = client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTv5)
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if not broker.is_houses:
            client.will_set(topic(box, ONLINE), encode(Online(online=False)), 1, retain=True)
        client.max_queued_messages_set(_MOST_QUEUED)
        client.reconnect_delay_set(1, 60)
        client.on_connect = self._connected
        client.on_connect_fail = self._failed
        client.on_disconnect = self._lost
        client.on_publish = self._taken
        client.on_message = self._came
        try:
            if broker.tls:
                client.tls_set_context(trust_in(broker.authority))
            client.connect_async(broker.host, broker.port, _KEEPALIVE_S, clean_start=True)
        except (HouseUnreached, ValueError, OSError) as error:
            self._say(self._unreached(cause_of(error)))
            return
        client.loop_start()

    @property
    def is_up(self) -> bool:
        """Whether somebody hears what is sent."""
        return bool(self._client.is_connected())

    def takes_greeting(self) -> bool:
        """Return whether Home Assistant is to be told everything anew; not a second time."""
        is_greeted, self._is_greeted = self._is_greeted, False
        return is_greeted

    def send(self, message: Message, expires_s: int | None = None, qos: int = 0) -> None:
        """Send it; whoever cannot hear it now misses it, but for what is retained."""
        properties = None
        if expires_s is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = expires_s
        self._client.publish(
            message.topic, message.payload, qos, retain=message.retain, properties=properties
        )

    def close(self) -> None:
        """Hang up in good order."""
        if self.is_up and not self.broker.is_houses:
            told = self._client.publish(
                topic(self.box, ONLINE), encode(Online(online=False)), 1, retain=True
            )
            with contextlib.suppress(RuntimeError, ValueError):
                told.wait_for_publish(1.0)
        self._client.on_connect_fail = self._client.on_disconnect = None
        self._client.disconnect()
        self._client.loop_stop()

    def publish_all(self, messages: Iterable[Message], patience_s: float, pause_s: float) -> bool:
        """Send *messages* as soon as somebody hears them, and hang up; return whether all were.

        Behind the first of them there is a pause.
        """
        until_s = time.monotonic() + patience_s
        while not self.is_up and time.monotonic() < until_s:
            time.sleep(0.05)
        is_told = self.is_up
        for one in messages:
            told = self._client.publish(one.topic, one.payload, 1, retain=True)
            with contextlib.suppress(RuntimeError, ValueError):
                told.wait_for_publish(max(until_s - time.monotonic(), 0.1))
            is_told = is_told and told.is_published()
            if not is_told:
                break
            time.sleep(pause_s)
            pause_s = 0
        self._client.disconnect()
        self._client.loop_stop()
        return is_told

    def _connected(self, client: Client, _u: Any, _f: Any, reason: Any, _p: Any) -> None:
        if reason.is_failure:
            is_login = reason.getName() in NOT_LET_IN
            login = Sentence("home-login", address=self._where)
            self._say(login if is_login else self._unreached(reason.getName()))
            return
        self._said = self.trouble = None
        client.subscribe(BIRTH, 1)
        if not self.broker.is_houses:
            online = encode(Online(online=True, version=__version__))
            client.publish(topic(self.box, ONLINE), online, 1, retain=True)
        self._is_greeted = True
        self._stir()

    def _failed(self, *_: Any) -> None:
        # paho calls this while it handles what went wrong, and does not tell what that is.
        error = sys.exc_info()[1]
        self._say(self._unreached(cause_of(error) if error is not None else ""))

    def _lost(self, _c: Client, _u: Any, _f: Any, reason: Any, _p: Any) -> None:
        if reason.is_failure and self.trouble is None:
            self.trouble = self._unreached(reason.getName())
            self._stir()

    def _taken(self, _c: Client, _u: Any, _m: int, reason: Any, _p: Any) -> None:
        if reason.is_failure:
            self._say(Sentence("home-forbidden", address=self._where))

    def _came(self, _client: Client, _userdata: Any, message: MQTTMessage) -> None:
        if message.payload == b"online":
            self._is_greeted = True
            self._stir()

    def _unreached(self, error: str) -> Sentence:
        return Sentence("home-unreached", address=self._where, error=error)

    def _say(self, trouble: Sentence) -> None:
        """Say it once, however often it is tried."""
        self.trouble = trouble
        if trouble != self._said:
            self._said = trouble
            logger.warning("%s", trouble)
        self._stir()


def keep(file: Path, announced: _Announced) -> None:
    """Keep where a table was announced, and take back what was announced elsewhere."""
    before = _kept(file)
    if before == announced:
        return
    if before is not None:
        threading.Thread(target=_forget, args=(before, FAREWELL_S), daemon=True).start()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(file, encode(announced), mode=0o600)
    except OSError as error:
        logger.warning("%s cannot be written (%s): a farewell will be missed", file, error)


def say_farewell(data: Path, patience_s: float = FAREWELL_S) -> bool:
    """Let Home Assistant forget a table that was announced; False: its broker does not answer."""
    file = data / HOME_FILE
    announced = _kept(file)
    if announced is not None and not _forget(announced, patience_s):
        return False
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)
    return True


def _forget(announced: _Announced, patience_s: float) -> bool:
    """Take back all that was retained there; return whether the broker took it."""
    box, broker = announced.box, announced.broker
    home = HomeAssistant(Device(box, "", ""), "en")
    gone = [home.farewell(), home.picture(b"")]
    if not broker.is_houses:
        gone += [Message(topic(box, leaf), b"", retain=True) for leaf in (BOARD, ONLINE)]
    # As at the house's: whoever takes leave does not say that it is there.
    line = _Line(box, replace(broker, is_houses=True), lambda: None)
    # What still listens would find no sense in what is empty.
    return line.publish_all(gone, patience_s, _SETTLE_S)


def _kept(file: Path) -> _Announced | None:
    if not file.exists():
        return None
    try:
        return decode(_Announced, read_limited(file, _MOST_BYTES, "for a farewell"))
    except (UnreadableFile, BadMessage) as error:
        logger.warning("%s: %s", file, error)
        return None


_WIDER = [
    int("".join(bit * _SCALE for bit in f"{byte:08b}"), 2).to_bytes(_SCALE, "big")
    for byte in range(256)
]
_WIDER_GREYS = [bytes([byte]) * _SCALE for byte in range(256)]


def png_of(frame: Frame) -> bytes:
    """Return *frame* as a PNG of as many bits a pixel, each pixel a square of 4 x 4."""
    stride = -(-frame.width * frame.depth // 8)
    wider = _WIDER if frame.depth == 1 else _WIDER_GREYS
    rows = [frame.bits[at : at + stride] for at in range(0, stride * frame.height, stride)]
    drawn = b"".join(_SCALE * (b"\0" + b"".join(wider[byte] for byte in row)) for row in rows)
    size = struct.pack(
        ">IIBBBBB", frame.width * _SCALE, frame.height * _SCALE, frame.depth, 0, 0, 0, 0
    )
    parts = ((b"IHDR", size), (b"IDAT", zlib.compress(drawn)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)
