"""The uplink of one box: follows its table, and keeps how to reach the house (`UplinkService`).

It reads what the table tells anybody on its socket, and owns nothing but one file, `house.json`.
Wherever the table or the house is away it waits; neither hears of the other's trouble by that.
"""

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from kloplei import __version__
from kloplei.files import UnreadableFile, atomic_write, read_limited, reason_of
from kloplei.games.scoreboard import Scoreboard
from kloplei.network.addresses import is_at_home
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.uplink_client import HubWish, UplinkState, UplinkStatus
from kloplei.uplink.boxes import Boxes, BoxUplink
from kloplei.uplink.links import (
    HouseForbids,
    HouseUnreached,
    KnownHouse,
    fetch,
    opener_for,
    trust_in,
)
from kloplei.uplink.outsiders import Outsider
from kloplei.uplink.wire import (
    PAIR_PATH,
    BadMessage,
    Paired,
    PairingRequest,
    decode,
    encode,
    proof_key,
    proof_of,
)
from kloplei.words import Sentence

HOUSE_FILE: Final = "house.json"
WISH_S: Final = 2.0
"""So often one looks whether the keeper wants something."""
HAS_S: Final = 5.0
"""So often the table hears how far the house is, at most."""
SAY_AGAIN_S: Final = 60.0
"""So often it hears all of it again: it keeps none of it over a restart."""
_AGAIN_S = 2.0
_MOST_BYTES = 100_000
_PIN = re.compile("[0-9a-f]{16,64}")  # 64 bits or more: nobody makes a certificate that fits
logger = logging.getLogger(__name__)


class UplinkService:
    """Carries what one *table* played to its house, from start to close; a context manager.

    Args:
        table: Any body of the seam.
        data: Folder for the one file that is kept.
        authority: PEM of who signs the certificate of the hub's pages, beside the system's.
        on_loop: Called whenever the loop comes round; at least every *beat_s*.
        beat_s: None where nobody waits for that.
        outsiders: Who else sees how the table stands; begun and ended by the caller.
    """

    def __init__(
        self,
        table: TableClient,
        data: Path,
        *,
        authority: str = "",
        on_loop: Callable[[], None] = lambda: None,
        beat_s: float | None = None,
        outsiders: Sequence[Outsider] = (),
    ) -> None:
        self._table = table
        self._file = data / HOUSE_FILE
        self._authority = authority
        self._on_loop = on_loop
        self._outsiders = outsiders
        self._round_s = min(WISH_S, beat_s or WISH_S)
        self._boxes = Boxes()
        self._uplink: BoxUplink | None = None
        self._house = kept_house(self._file)
        self._trouble: Sentence | None = None
        self._told = UplinkStatus()
        self._told_s = self._looked_s = float("-inf")
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._follow, name="kloplei-uplink-follow", daemon=True),
            threading.Thread(target=self._run, name="kloplei-uplink", daemon=True),
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._boxes.wake()
        self._threads[-1].join()

    def _follow(self) -> None:
        """Let the loop know of every change, as long as there is a table."""
        while not self._closing.is_set():
            self._show(None)
            try:
                self._follow_table()
            except TableUnavailable:
                pass  # it is looked for again
            except Exception:
                logger.exception("The uplink lost sight of the table, and looks for it again")
            self._closing.wait(_AGAIN_S)

    def _follow_table(self) -> None:
        for board in self._table.follow():
            if self._closing.is_set():
                return
            if board is None:
                continue
            self._show(board)
            if (uplink := self._uplink) is not None:
                uplink.show(board)
                self._boxes.wake(uplink)

    def _show(self, board: Scoreboard | None) -> None:
        for outsider in self._outsiders:
            outsider.show(board)

    def _run(self) -> None:
        with contextlib.closing(self._boxes):
            while not self._closing.is_set():
                self._on_loop()
                try:
                    self._go_round()
                except Exception:
                    logger.exception("The uplink stumbles, and begins its line anew")
                    self._end()
                    self._closing.wait(_AGAIN_S)

    def _go_round(self) -> None:
        try:
            self._come_round(time.monotonic())
        except TableUnavailable as error:
            logger.debug("The table does not answer now: %s", error)
            self._told_s = float("-inf")  # who comes back knows nothing
        self._boxes.run_once(self._round_s)

    def _come_round(self, now_s: float) -> None:
        if now_s < self._looked_s + WISH_S:
            return
        self._looked_s = now_s
        wish = self._table.uplink.wish()
        if wish is not None:
            self._take_up(wish)
        elif self._house is not None and self._uplink is None:
            self._begin(self._house)
        self._tell(now_s)

    def _take_up(self, wish: HubWish) -> None:
        """Do as the keeper wants; what comes of it the table is told."""
        self._trouble = None
        self._told_s = float("-inf")  # even if it is what it was
        if not wish.address:
            self._leave()
            return
        self._table.uplink.report(UplinkStatus("pairing", wish.address))
        box = self._table.uplink.steps(0, 1).box
        try:
            house = pair(wish, box, self._authority, self._house)
            self._keep(house)
        except HouseUnreached as error:
            self._trouble = error.sentence
            logger.warning("This box was not paired: %s", error)
            return
        self._end()
        self._house = house
        self._begin(house)

    def _keep(self, house: KnownHouse) -> None:
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self._file, encode(house), mode=0o600)
        except OSError as error:
            raise HouseUnreached(Sentence("uplink-unkept", error=reason_of(error))) from error

    def _leave(self) -> None:
        self._end()
        self._house = None
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            self._trouble = Sentence("uplink-unkept", error=reason_of(error))

    def _begin(self, house: KnownHouse) -> None:
        box = self._table.uplink.steps(0, 1).box
        if box != house.paired.box:
            self._trouble = Sentence("uplink-other-box", address=house.address)
            return
        self._uplink = BoxUplink(box, house, self._table.uplink)
        self._uplink.show(self._table.scoreboard())
        self._boxes.add(self._uplink)

    def _end(self) -> None:
        if self._uplink is not None:
            self._boxes.remove(self._uplink)
            self._uplink = None

    def _tell(self, now_s: float) -> None:
        """Tell the table how it stands, where that is news."""
        status = self._status()
        is_news = _lasting(status) != _lasting(self._told)
        is_further = status.has != self._told.has and now_s >= self._told_s + HAS_S
        if is_news or is_further or now_s >= self._told_s + SAY_AGAIN_S:
            if status.has != self._told.has:
                status = replace(status, at=time.time())
            self._table.uplink.report(status)
            self._told, self._told_s = status, now_s

    def _status(self) -> UplinkStatus:
        uplink, house = self._uplink, self._house
        address = house.address if house else ""
        outsiders = tuple(one.status for one in self._outsiders)
        if uplink is None:
            state: UplinkState = "refused" if self._trouble else "off"
            return UplinkStatus(state, address, trouble=self._trouble, outsiders=outsiders)
        return UplinkStatus(
            uplink.state,
            address,
            uplink.sender.has,
            self._told.at,
            uplink.certificate_ends,
            self._trouble or uplink.trouble,
            outsiders,
        )


def _lasting(status: UplinkStatus) -> UplinkStatus:
    """Return what of *status* is told at once: that somebody is there still is no news."""
    outsiders = tuple(replace(one, at=one.at and 0.0) for one in status.outsiders)
    return replace(status, has=0, at=None, outsiders=outsiders)


def kept_house(file: Path) -> KnownHouse | None:
    """Return the house that *file* holds; None where there is none, or it cannot be read."""
    if not file.exists():
        return None
    try:
        return decode(KnownHouse, read_limited(file, _MOST_BYTES, "for how to reach a house"))
    except (UnreadableFile, BadMessage) as error:
        logger.warning("%s: %s. Pair the box again", file, error)
        return None


def pair(
    wish: HubWish, box: str, authority: str = "", known: KnownHouse | None = None
) -> KnownHouse:
    """Return the house that took *box* in at the keeper's *wish*.

    Args:
        wish: Where, and the code.
        box: What its journal calls itself.
        authority: PEM of who signs the certificate of the hub's pages, beside the system's.
        known: The house it goes with until now: to that one it shows that it is the same box.

    Raises:
        HouseUnreached: It did not; its sentence is for the keeper.
    """
    address, pin = address_of(wish.address)
    proof = ""
    if known is not None and (known.address, known.paired.box) == (address, box):
        proof = proof_of(proof_key(known.paired.password), box, wish.code)
    asked = encode(PairingRequest(box, wish.code, __version__, proof))
    try:
        answer = fetch(address, PAIR_PATH, asked, opener_for(authority, pin))
        paired = decode(Paired, answer)
        trust_in(paired.authority)
    except HouseForbids as error:
        raise HouseUnreached(Sentence("uplink-code", address=address)) from error
    except BadMessage as error:
        raise HouseUnreached(Sentence("uplink-no-house", address=address)) from error
    return KnownHouse(address, paired, pin)


def address_of(typed: str) -> tuple[str, str]:
    """Return the address of a hub as it was *typed*, and how its certificate's fingerprint begins.

    It is https unless it says otherwise, which is for home. The fingerprint (SHA-256) stands behind
    a ``#``, or is empty: then the system has to know who signed the certificate.

    Raises:
        HouseUnreached: It is none.
    """
    bare, _, pin = typed.strip().partition("#")
    pin = pin.replace(":", "").lower()
    try:
        found = urlsplit(bare if "://" in bare else f"https://{bare}")
        host, _ = found.hostname or "", found.port
    except ValueError:
        host = ""
    if not host or found.query or "@" in found.netloc or not _is_shut(found.scheme, host, pin):
        raise HouseUnreached(Sentence("uplink-address", address=typed.strip()))
    return f"{found.scheme}://{found.netloc}{found.path.rstrip('/')}", pin


def _is_shut(scheme: str, host: str, pin: str) -> bool:
    """Whether nobody listens in: by a certificate, or as it stays in the house."""
    if scheme == "http":
        return is_at_home(host) and not pin
    return scheme == "https" and (not pin or bool(_PIN.fullmatch(pin)))
