"""What a box may set about its slate: how bright, when it rests, and how phones find it."""

from dataclasses import dataclass, field, replace
from typing import Self

from kloplei.joining import WayIn

_DIMMED = 8  # of 255: an OLED stays legible in a dark room, and ages hardly at all


@dataclass(frozen=True, slots=True)
class Look:
    """Looks of one slate.

    Args:
        contrast: Brightness while somebody plays, 0 to 255.
        dim_after_s: Seconds without anything new until the slate dims.
        sleep_after_s: Seconds without anything new until it goes dark.
        join_url: Address of the panel, shown as a QR code; None shows none.
        pin: PIN that lets a phone in, shown beside the address; None where none is needed.
        wifi_name: Wi-Fi that phones may join, shown as a QR code; None shows none.
        wifi_password: Its password; None for an open one.
        is_offline: There is no network that phones could come by; the slate says so.
        is_covered: Somebody who is not at the table may see it: no PIN, no password.
    """

    contrast: int = 160
    dim_after_s: float = 120.0
    sleep_after_s: float = 1200.0
    join_url: str | None = None
    pin: str | None = field(default=None, repr=False)
    wifi_name: str | None = None
    wifi_password: str | None = field(default=None, repr=False)
    is_offline: bool = False
    is_covered: bool = False

    @property
    def dimmed(self) -> int:
        """Brightness when nothing has happened for a while."""
        return min(self.contrast, _DIMMED)

    def leading(self, way_in: WayIn) -> Self:
        """Return this look with *way_in* as the way phones find the table."""
        wifi = way_in.wifi
        return replace(
            self,
            join_url=way_in.url,
            wifi_name=None if wifi is None else wifi.name,
            wifi_password=None if wifi is None else wifi.password,
            is_offline=way_in.url is None,
        )
