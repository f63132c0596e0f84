"""Moments as JSON to one address, signed: `Webhook`.

The body is signed with the time at which it was sent, so that nobody who overhears one can send it
again tomorrow. One message is on its way at a time; where the other end is away it comes again,
seldom and seldomer, and after some minutes no more: then it is no moment any longer.
"""

import hmac
import http.client
import json
import logging
import random
import secrets
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Collection
from typing import Final
from urllib.parse import urlsplit

from kloplei import __version__
from kloplei.frozen import dataclass
from kloplei.games.moments import Moment
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient
from kloplei.uplink.links import cause_of
from kloplei.uplink.outsiders import Outsider
from kloplei.words import Sentence, Words

TIMESTAMP, SIGNATURE = "Kloplei-Timestamp", "Kloplei-Signature"
PATIENCE_S: Final = 10.0
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
GIVE_UP_S: Final = 300.0
"""So long after it happened a moment is told at most."""
MOST_WAITING: Final = 50
"""Of more the oldest are told to nobody."""
_MAY_PASS = (408, 425, 429)  # beside 500 and above: the same may be taken later
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    body: bytes
    since_s: float


class Webhook(Outsider):
    """Tells *url* what happens at *table*.

    Args:
        table: Which.
        url: Where to post.
        secret: What both ends know.
        moments: Kinds and names of those that are told.
        opener: Posts; goes nowhere else than it is told to.
        name: What the table is called.
        language: In which moments are said.
        chance: From 0 to 1; pauses differ by it.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        table: TableClient,
        url: str,
        secret: str,
        moments: Collection[str],
        opener: urllib.request.OpenerDirector,
        *,
        name: str = "",
        language: str = "en",
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(table, "webhook")
        self._url, self._secret = url, secret
        # An address may be a secret (Home Assistant's webhooks are): no more of it is told.
        self._host = urlsplit(url).hostname or ""
        self._wanted = frozenset(moments)
        self._opener = opener
        self._name = name
        self._words = Words(language)
        self._chance = chance
        self._clock = clock
        self._waiting: deque[_Waiting] = deque(maxlen=MOST_WAITING)
        self._is_down = False
        self._rest(float("-inf"), FIRST_PAUSE_S)

    def happened(self, moment: Moment, board: Scoreboard) -> None:
        """Let it wait for its turn, if it is wanted."""
        if self._wanted & {moment.name, str(moment.kind)}:
            body = json.dumps(self._told(moment, board)).encode()
            self._waiting.append(_Waiting(body, self._clock()))

    def come_round(self, now_s: float) -> None:
        """Send what waits, if it is time."""
        while self._waiting and now_s >= self._due_s and not self.is_closing():
            first = self._waiting[0]
            if now_s - first.since_s > GIVE_UP_S:
                self._waiting.popleft()
                continue
            trouble = self._send(first.body)
            now_s = self._clock()
            self._say(trouble)
            if trouble is not None and trouble.may_pass:
                self._rest(now_s, min(self._pause_s * 2, LONGEST_PAUSE_S))
            else:
                self._waiting.popleft()
                self._rest(float("-inf"), FIRST_PAUSE_S)

    def _told(self, moment: Moment, board: Scoreboard) -> dict[str, object]:
        told: dict[str, object] = {
            "id": secrets.token_hex(16),
            "at": round(time.time(), 3),
            "table": self._name,
            "moment": moment.name,
            "kind": str(moment.kind),
            "game": moment.game,
            "seats": [seat.shown for seat in moment.seats],
        }
        if moment.stake is not None:
            told["stake"] = moment.stake
        if (line := moment.line) is not None:
            words = self._words.of_game(moment.game)
            told["text"] = words.say(line.key, line.facts, board.names)
        return told

    def _send(self, body: bytes) -> "_Trouble | None":
        """Post *body*; return why it was not taken."""
        now = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"kloplei/{__version__}",
            TIMESTAMP: now,
            SIGNATURE: signature(self._secret, now, body),
        }
        # The settings let nothing pass but https, and http within the house.
        asked = urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310
        try:
            with self._opener.open(asked, timeout=PATIENCE_S) as answer:
                answer.read(1)
        except urllib.error.HTTPError as error:
            with error:
                may_pass = error.code >= 500 or error.code in _MAY_PASS
                answer = f"{error.code} {error.reason}"
                refused = Sentence("webhook-refused", address=self._host, error=answer)
                return _Trouble(refused, f"it answers {answer}", may_pass)
        except (OSError, http.client.HTTPException, ValueError) as error:
            away = Sentence("webhook-unreached", address=self._host, error=cause_of(error))
            return _Trouble(away, str(error), may_pass=True)
        return None

    def _say(self, trouble: "_Trouble | None") -> None:
        """Say it once, and once that it is over; note it for whoever asks how it stands."""
        if trouble is None:
            self.took()
        else:
            self.fails(trouble.told)
        if trouble is not None and not self._is_down:
            end = (
                "it is tried again" if trouble.may_pass else "it is not tried again; see [webhook]"
            )
            logger.warning("The webhook %s takes nothing: %s; %s", self._url, trouble.why, end)
        elif trouble is None and self._is_down:
            logger.info("The webhook %s takes moments again", self._url)
        self._is_down = trouble is not None

    def _rest(self, now_s: float, pause_s: float) -> None:
        self._pause_s = pause_s
        self._due_s = now_s + pause_s * (1 + self._chance()) / 2


@dataclass(frozen=True, slots=True)
class _Trouble:
    told: Sentence
    why: str
    may_pass: bool


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return what shows that who knows *secret* sent *body* at that time."""
    told = hmac.digest(secret.encode(), timestamp.encode() + b"." + body, "sha256")
    return f"sha256={told.hex()}"
