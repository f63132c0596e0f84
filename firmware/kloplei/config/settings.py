"""Every setting with its default and what it may hold; docs/config.md says what each is for.

A section of the file is a frozen dataclass, `Config` is all of them. What is fitted (`pads`,
`piezos`, the off button's pin) is asked of `Config`, so that no reader puts it together itself.
Here stands as well where the box keeps its things when nobody says otherwise.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kloplei.config.schema import (
    address,
    channel_or_none,
    channels,
    computed,
    digits,
    names,
    one_of,
    options,
    path,
    pin,
    pin_or_none,
    pins,
    seated,
    secret,
    setting,
    socket_path,
    spots,
    table_size,
    text,
)
from kloplei.frozen import dataclass
from kloplei.games.cards import FRENCH, GERMAN
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.table.gestures import ANYBODY, OWN, Timings
from kloplei.validation import Check, list_of, narrowed, number, switch, whole
from kloplei.words.catalogue import LANGUAGES

if TYPE_CHECKING:
    from kloplei.knock.geometry import Spot, TableGeometry, TableSize, ToldWood

_LONGEST_NAME = 32  # bytes, by IEEE 802.11: letters with accents take two
_HOST = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"
)


def wifi_name() -> Check:
    """Let a name pass that a Wi-Fi can have."""
    names = text(1, _LONGEST_NAME, "a Wi-Fi name")
    allowed = f"{names.allowed}, letters with accents counted twice"
    return narrowed(names, allowed, lambda name: len(name.encode()) <= _LONGEST_NAME)


def wifi_password() -> Check:
    """Let a password pass that WPA takes: printable ASCII, which every phone can type."""
    passwords = text(8, 63, "a WPA password")
    return narrowed(passwords, f"{passwords.allowed}, without accents", str.isascii)


def web_address() -> Check:
    """Let an address pass that may be told something: https, or http where it stays at home."""
    allowed = "an address with https://, or with http:// within the house's own network"
    return narrowed(text(9, 500), allowed, _is_web_address)


def _is_web_address(typed: str) -> bool:
    from urllib.parse import urlsplit

    from kloplei.network.addresses import is_at_home

    try:
        found = urlsplit(typed)
        host, _ = found.hostname or "", found.port
    except ValueError:
        return False
    if not host or "@" in found.netloc or found.fragment or not typed.isascii() or " " in typed:
        return False
    return found.scheme == "https" or (found.scheme == "http" and is_at_home(host))


def moments() -> Check:
    """Let a list of moments pass, each by its kind or by a name that a game has for it."""

    def read(value: object) -> tuple[str, ...]:
        from kloplei.games.moments import names_of

        known = {str(name) for game in GAMES for name in names_of(game)}
        found: tuple[str, ...] = list_of(one_of(*sorted(known)), 1, len(known)).read(value)
        return found

    return Check('a list of moments, such as ["toep", "fanfare"] (docs/home-automation.md)', read)


def phones_host() -> Check:
    """Let a name or an address pass that every phone finds."""
    hosts = text(1, 253, "an address, or a name that your network's own DNS knows,")
    return narrowed(
        hosts,
        f"{hosts.allowed} and that does not end in .local: Android cannot find that",
        lambda host: bool(_HOST.fullmatch(host)) and not host.lower().endswith(".local"),
    )


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """``[network]``: the Wi-Fi phones are asked to join, and the address they are told.

    *name* None shows no code to join; *address* None is found out, and follows every change.
    """

    name: str | None = setting(None, wifi_name())
    password: str | None = secret(wifi_password())
    address: str | None = setting(None, phones_host())


@dataclass(frozen=True, slots=True)
class HotspotConfig:
    """``[hotspot]``: the box's own Wi-Fi.

    *password* None is made up once; *channel* 0 is chosen by listening; *fallback_s* 0 never
    switches it on by itself.
    """

    name: str = setting("Kloplei", wifi_name())
    password: str | None = secret(wifi_password())
    channel: int = setting(0, whole(0, 11))
    fallback_s: float = setting(0.0, number(0, 3600))


_PIN = 25
_WAKING_PIN = 3
"""The clock wire of I2C. Where no slate needs it, it also starts a box that is off."""


@dataclass(frozen=True, slots=True)
class OffConfig:
    """``[off]``: *pin* None is 25, or 3 beside a slate on SPI, which has its reset on 25.

    Linux does it also while the table hangs or is being upgraded: ``gpio-shutdown`` of the
    firmware makes a power key of the pin, and systemd-logind answers that key.
    """

    enabled: bool = setting(False, switch())
    pin: int | None = setting(None, pin())
    hold_s: float = setting(2.0, number(0.1, 10))

    def pin_beside(self, *, spi_slate: bool) -> int:
        """Return its pin (BCM) in a box with such a slate."""
        if self.pin is not None:
            return self.pin
        return _WAKING_PIN if spi_slate else _PIN

    def line(self, pin: int) -> str:
        """Return what config.txt needs for it on *pin* (BCM).

        The driver asks the pin when it has stood still for ``debounce`` ms: a press counts
        once it was held so long (drivers/input/keyboard/gpio_keys.c).
        """
        held_ms = round(self.hold_s * 1000)
        return f"dtoverlay=gpio-shutdown,gpio_pin={pin},debounce={held_ms}"


BOX_DATA = Path("/var/lib/kloplei")
BOX_UPLINK = Path("/var/lib/kloplei-uplink")
BOX_SOCKETS = Path("/run/kloplei")
SOCKET_NAME = "table.sock"
JOURNAL = "kloplei.db"
TUNING_IN_FORCE = "tuning.toml"
TUNING_BEFORE = "tuning-before.toml"
TUNING_UNREAD = "tuning-unread.toml"  # was one of them, and nobody could tell what it holds
LESSONS = "lessons.json"
SEASONS = "seasons.json"
HISTORY = "history.sqlite3"  # made of the others; to be thrown away at any time
NOTEBOOKS = "notebooks.json"
VOICE = "voice"  # a folder: what a house that is its own caller has said
HOME_FILE = "home-assistant.json"  # in the uplink's folder: where the table was announced


def default_data_dir() -> Path:
    """Return `BOX_DATA` for who may enter it or make it (the box), else a folder of one's own."""
    # The panel's unit reads the shared keys there, and may write nothing.
    return _data_dir(BOX_DATA)


def default_uplink_dir() -> Path:
    """Return `BOX_UPLINK` for who may enter it or make it, else a folder of one's own."""
    return _data_dir(BOX_UPLINK)


def _data_dir(of_box: Path) -> Path:
    is_the_boxs = of_box.is_dir() and os.access(of_box, os.R_OK | os.X_OK)
    if is_the_boxs or (not of_box.exists() and os.access(of_box.parent, os.W_OK)):
        return of_box
    # A relative XDG_DATA_HOME is to be ignored, says the specification.
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (told if told.is_absolute() else Path.home() / ".local/share") / of_box.name


def page_cache_dir() -> Path | None:
    """Return a folder of our own for what can be made again at any time; None where none may be.

    Nobody else may write there, since what stands there is run.
    """
    told = os.environ.get("CACHE_DIRECTORY", "")  # systemd's
    user = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")  # noqa: PTH111 - without a home it stays as it is
    folder = Path(told) if told else Path(user) / "kloplei"
    if not folder.is_absolute():
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    is_ours = found.st_uid == os.geteuid() and not found.st_mode & 0o022
    return folder if is_ours else None


def default_socket_path() -> Path:
    """Return the socket that both units of the box find without being told."""
    if BOX_SOCKETS.is_dir():
        return BOX_SOCKETS / SOCKET_NAME
    told = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    return told / "kloplei.sock" if told.is_absolute() else default_data_dir() / SOCKET_NAME


MIN_SEATS, MAX_SEATS = 3, 8

_LANGUAGE = one_of(*LANGUAGES)
_TIMES = Timings()


@dataclass(frozen=True, slots=True)
class TableConfig:
    """``[table]``: the table itself and the game on it.

    *preset* and *suits* None are the game's usual ones; *options* are house rules on top of it.
    """

    seats: int = setting(MAX_SEATS, whole(MIN_SEATS, MAX_SEATS))
    game: str = setting("toepen", one_of(*GAMES))
    preset: str | None = setting(None, text(1, 40, "the name of a preset"))
    options: Mapping[str, object] = computed(dict, options())
    suits: str | None = setting(None, one_of(GERMAN, FRENCH))
    undo: str = setting(ANYBODY, one_of(ANYBODY, OWN))
    guide: bool = setting(True, switch())
    language: str = setting("nl", _LANGUAGE)
    data: Path = computed(default_data_dir, path())


@dataclass(frozen=True, slots=True)
class TimingConfig:
    """``[timing]``: how long a moment is, in seconds; first the table's, then the devices'."""

    gap_s: float = setting(_TIMES.gap_s, number(0.15, 2))
    hold_s: float = setting(_TIMES.hold_s, number(0.3, 3))
    undo_hold_s: float = setting(_TIMES.undo_hold_s, number(1, 10))
    grace_s: float = setting(_TIMES.grace_s, number(0.5, 20))
    ask_s: float = setting(_TIMES.ask_s, number(3, 120))
    doubt_s: float = setting(_TIMES.doubt_s, number(1, 30))
    deaf_s: float = setting(0.08, number(0.01, 0.12))  # one blow rings no longer than this
    crosstalk_s: float = setting(0.03, number(0, 0.1))  # one blow reaches other pads within this
    settle_s: float = setting(0.012, number(0, 0.05))  # a button's contact bounces no longer

    @property
    def of_table(self) -> Timings:
        """Return what the table needs to know of it."""
        return Timings(
            gap_s=self.gap_s,
            hold_s=self.hold_s,
            undo_hold_s=self.undo_hold_s,
            grace_s=self.grace_s,
            ask_s=self.ask_s,
            doubt_s=self.doubt_s,
        )


@dataclass(frozen=True, slots=True)
class SeatPins:
    """``[seat.N]``: what is wired at one seat; None = not there.

    *button* and *pad* are BCM numbers, *piezo* is a channel of the converter.
    """

    button: int | None = setting(None, pin_or_none())
    pad: int | None = setting(None, pin_or_none())
    piezo: int | None = setting(None, channel_or_none())


DEFAULT_SEATS = (
    # Seats 1 to 5 keep off every bus, whatever slate is fitted. The last five pins are those
    # of SPI0: free as long as the slate is on I2C, which is the usual one.
    SeatPins(button=4, pad=17),
    SeatPins(button=23, pad=27),
    SeatPins(button=16, pad=22),
    SeatPins(button=26, pad=5),
    SeatPins(button=20, pad=6),
    SeatPins(button=21, pad=8),
    SeatPins(button=10, pad=9),
    SeatPins(button=7, pad=11),
)
"""The wiring of a box that says nothing else, clockwise from the slate."""


class WiredPad(NamedTuple):
    """A knock pad: what it is called, its pin (BCM), and whose it is, None for everybody's."""

    part: str
    pin: int
    seat: Seat | None


@dataclass(frozen=True, slots=True)
class PinsConfig:
    """``[pins]``: how the header is reached, and the pads that belong to no seat."""

    factory: str = setting("lgpio", one_of("lgpio", "rpigpio", "pigpio", "native", "mock"))
    shared_pad: int | None = setting(None, pin_or_none())
    corner_pads: tuple[int, ...] = setting((), pins())


BAD_GPIOZERO = ("2.0.1.post1", "2.0.1.post2")
"""Versions that reach the header of no Pi 5 (gpiozero #1229): box and doctor refuse them."""


@dataclass(frozen=True, slots=True)
class AdcConfig:
    """``[adc]``: the converter on SPI0 that bare piezos hang on.

    *corners* are the channels of piezos that belong to no seat. *rate_hz* None is what serves best:
    see `usual_rate_hz`.
    """

    enabled: bool = setting(False, switch())
    chip: str = setting("mcp3008", one_of("mcp3008", "mcp3208"))
    chip_select: int = setting(0, whole(0, 1))
    rate_hz: float | None = setting(None, number(1000, 8000))
    corners: tuple[int, ...] = setting((), channels())


SLOW_HZ = 4000.0
"""What a converter was read at, unless the settings said otherwise, before it was ever faster."""
EARS_HZ = 8000
"""Nobody listens for anything that wants more samples a second: what is faster is brought down."""


@dataclass(frozen=True, slots=True)
class AudioConfig:
    """``[audio]``: a sound card that piezos hang on, in place of a converter.

    *device* is a name of ALSA's; *corners* as in `AdcConfig`, with channel 0 where no seat has a
    piezo either.
    """

    enabled: bool = setting(False, switch())
    device: str = setting("default", text(1, 200, "a name of ALSA's"))
    rate_hz: int = setting(48000, whole(EARS_HZ, 48000))
    bits: int = setting(16, one_of(16, 24))
    corners: tuple[int, ...] = setting((), channels())


@dataclass(frozen=True, slots=True)
class WoodConfig:
    """``[wood]``: where seats and piezos are on the table top, to tell seats without a lesson.

    *size* None where nobody measured it. *top* is one plate or of planks along it. *seats* are the
    places of all seats, or how many sit evenly around it; *discs* those of all piezos by channel;
    empty where they are where one would look for them.
    """

    size: "TableSize | None" = setting(None, table_size())
    top: str = setting("plate", one_of("plate", "planks"))
    seats: "int | tuple[Spot, ...]" = setting((), seated(MAX_SEATS))
    discs: "str | tuple[Spot, ...]" = setting((), spots("corners", "seats"))

    @property
    def told(self) -> "ToldWood | None":
        """What it says of the table top; None without a size."""
        if self.size is None:
            return None
        # Most tables are not measured, and their first slate does not wait for it.
        from kloplei.knock.geometry import ToldWood

        return ToldWood(self.size, self.top == "planks", self.seats or 0, self.discs)


@dataclass(frozen=True, slots=True)
class EarsConfig:
    """``[ears]``: how the box listens, beside what it was taught.

    Args:
        keep: So many blows are kept to look back at; 0 keeps none, not even on disk.
        heeds_game: Whether what may be knocked now moves the line for it.
    """

    keep: int = setting(50, whole(0, 100))
    heeds_game: bool = setting(True, switch())


SLATE_PARTS = ("slate", "second slate")
"""What the OLEDs of a box are called where one is in trouble."""


class Glass(NamedTuple):
    """The pixels of an OLED, *width* in a row and *height* rows."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


SMALL_GLASS = Glass(128, 64)
TINY_GLASS = Glass(128, 32)
WIDE_GLASS = Glass(256, 64)
GREY_GLASSES = frozenset({WIDE_GLASS})
"""Of those sizes a pixel is one of 16 greys, and else light or dark."""
GLASSES_OF: Mapping[str, tuple[Glass, ...]] = {
    "ssd1306": (SMALL_GLASS, TINY_GLASS),
    "sh1106": (SMALL_GLASS,),
    "ssd1309": (SMALL_GLASS,),
    "ssd1322": (WIDE_GLASS,),
}
"""By ``[slate] driver``: what glass it is sold with, the usual one first."""
GLASS_OF: Mapping[str, Glass] = {driver: usual for driver, (usual, *_) in GLASSES_OF.items()}
"""By ``[slate] driver``: its usual glass. Driver, faces and painter ask `SlateConfig.glass`."""
SPI_ALONE = frozenset({"ssd1322"})
"""Drivers of chips that have no I2C."""
_SIZES = {str(glass): glass for glasses in GLASSES_OF.values() for glass in glasses}


@dataclass(frozen=True, slots=True)
class SlateConfig:
    """``[slate]``: the OLED.

    *size* and *column_offset* None are the chip's usual ones; *bus_khz* None is what the kernel
    tells; *language* None is the table's. *crowd* is how six players or more stand on a glass of
    128 x 64.
    """

    driver: str = setting("ssd1306", one_of(*GLASS_OF, "none"))
    size: str | None = setting(None, one_of(*_SIZES))
    interface: str = setting("i2c", one_of("i2c", "spi"))
    bus: int | None = setting(None, whole(0, 22))
    address: int = setting(0x3C, address())
    bus_khz: int | None = setting(None, whole(10, 1000))
    chip_select: int = setting(0, whole(0, 1))
    dc: int = setting(24, pin())
    reset: int | None = setting(25, pin_or_none())
    rotation: int = setting(0, one_of(0, 180))
    column_offset: int | None = setting(None, whole(0, 4))
    contrast: int = setting(160, whole(0, 255))
    dim_after_s: float = setting(120.0, number(5, 86400))
    sleep_after_s: float = setting(1200.0, number(10, 604800))
    language: str | None = setting(None, _LANGUAGE)
    crowd: str = setting("pages", one_of("pages", "digits", "strokes"))

    @property
    def bus_number(self) -> int:
        """Bus that the OLED hangs on: a Pi brings out I2C bus 1, and SPI bus 0."""
        if self.bus is not None:
            return self.bus
        return 1 if self.interface == "i2c" else 0

    @property
    def glass(self) -> Glass:
        """How large it is; phones get a picture of the small one where none is fitted."""
        usual = GLASS_OF.get(self.driver, SMALL_GLASS)
        return usual if self.size is None else _SIZES[self.size]

    @property
    def first_column(self) -> int:
        """Column of the chip's memory where the glass begins: SH1106 has two to spare."""
        if self.column_offset is not None:
            return self.column_offset
        return 2 if self.driver == "sh1106" else 0


@dataclass(frozen=True, slots=True)
class SecondSlateConfig:
    """``[second_slate]``: another OLED of the same kind on the same bus, for the table's far side.

    All that is not told here is as in ``[slate]``. *dc* and *reset* are for SPI alone.
    """

    enabled: bool = setting(False, switch())
    address: int = setting(0x3D, address())
    chip_select: int = setting(1, whole(0, 1))
    dc: int = setting(23, pin())
    reset: int | None = setting(None, pin_or_none())
    rotation: int = setting(0, one_of(0, 180))


@dataclass(frozen=True, slots=True)
class LampConfig:
    """``[lamp]``: an RGB LED."""

    enabled: bool = setting(False, switch())
    red: int = setting(12, pin())
    green: int = setting(13, pin())
    blue: int = setting(19, pin())
    common: str = setting("cathode", one_of("cathode", "anode"))
    brightness: float = setting(0.6, number(0.05, 1))


LED_MA, LED_IDLE_MA = 20, 1
"""What one colour of a WS2812B takes at full brightness, and its chip in the dark (data sheet)."""


@dataclass(frozen=True, slots=True)
class RingConfig:
    """``[ring]``: a ring or strip of WS2812 on the data wire of SPI0, which it has for itself.

    *leds* of it are lit; together they are never given more than *most_ma*.
    """

    enabled: bool = setting(False, switch())
    leds: int = setting(16, whole(8, 60))
    brightness: float = setting(0.4, number(0.05, 1))
    most_ma: int = setting(400, whole(100, 4000))


@dataclass(frozen=True, slots=True)
class BuzzerConfig:
    """``[buzzer]``: a piezo that plays tones; *quiet* keeps it fitted but silent."""

    enabled: bool = setting(False, switch())
    pin: int = setting(18, pin())
    quiet: bool = setting(False, switch())


@dataclass(frozen=True, slots=True)
class VoiceConfig:
    """``[voice]``: the caller, on a sound card that plays.

    *device* is a name of ALSA's; *volume* is a hundredth of what the clips have; *language* None
    is the table's. *names* off calls seats, and *quiet* keeps it fitted but silent.
    """

    enabled: bool = setting(False, switch())
    device: str = setting("default", text(1, 200, "a name of ALSA's"))
    volume: int = setting(70, whole(1, 100))
    language: str | None = setting(None, _LANGUAGE)
    names: bool = setting(True, switch())
    quiet: bool = setting(False, switch())

    @property
    def calls(self) -> bool:
        """Whether the box itself calls out: it has a caller, and the house wants to hear it."""
        return self.enabled and not self.quiet


@dataclass(frozen=True, slots=True)
class PanelConfig:
    """``[panel]``: the phones. *pin* None is made up at start; *language* None is the table's."""

    host: str = setting("::", text(1, 253, "a host name or address"))
    port: int = setting(8080, whole(1, 65535))
    language: str | None = setting(None, _LANGUAGE)
    locked: bool = setting(True, switch())
    pin: str | None = secret(digits(4, 8))
    clients: int = setting(200, whole(1, 1000))
    hosts: tuple[str, ...] = setting((), names())
    recordings_to: str = setting("", text(0, 200, "a line of text"))
    place: str = setting("", text(0, 40, "a line of text"))
    people: str = setting("paired", one_of("paired", "all"))
    show: str = setting("loud", one_of("loud", "quiet"))
    reactions: bool = setting(False, switch())


@dataclass(frozen=True, slots=True)
class UplinkConfig:
    """``[uplink]``: the way to a house; *authority* also signs the certificate of its pages."""

    enabled: bool = setting(False, switch())
    data: Path = computed(default_uplink_dir, path())
    authority: Path | None = setting(None, path())


@dataclass(frozen=True, slots=True)
class HomeAssistantConfig:
    """``[home_assistant]``: a table in Home Assistant, over a broker.

    *host* None is the house's broker, which needs no more.
    """

    enabled: bool = setting(False, switch())
    host: str | None = setting(None, text(1, 253, "a host name or address"))
    port: int = setting(1883, whole(1, 65535))
    user: str | None = setting(None, text(1, 200, "a text"))
    password: str | None = secret(text(1, 200, "a text"))
    tls: bool = setting(False, switch())
    authority: Path | None = setting(None, path())
    name: str = setting("Kloplei", text(1, 40, "a line of text"))
    picture: str = setting("agreed", one_of("agreed", "all", "none"))


_MOMENTS = ("crown", "fanfare", "call", "hand", "notable", "fault")


@dataclass(frozen=True, slots=True)
class WebhookConfig:
    """``[webhook]``: one address that is told of moments, by kind or by a game's own name."""

    url: str | None = setting(None, web_address())
    secret: str | None = secret(text(16, 200, "a secret"))
    authority: Path | None = setting(None, path())
    moments: tuple[str, ...] = setting(_MOMENTS, moments())


@dataclass(frozen=True, slots=True)
class SocketConfig:
    """``[socket]``: where the two units of the box meet."""

    path: Path = computed(default_socket_path, socket_path())


FAST_DISCS_ANYWHERE, FAST_DISCS = 2, 4
"""So many piezos are read at `EARS_HZ`: where no core is to spare, and where one of several is."""
_CORES_TO_SPARE = 4


def usual_rate_hz(discs: int, cores: int) -> float:
    """Return at how many samples a second so many *discs* serve best, on a Pi of so many *cores*.

    At `EARS_HZ` fewer things pass for knocks; but a converter is read conversion by conversion,
    and from three discs on that keeps one core busy for good (docs/sensors.md).
    """
    fast = FAST_DISCS if cores >= _CORES_TO_SPARE else FAST_DISCS_ANYWHERE
    return float(EARS_HZ) if discs <= fast else SLOW_HZ


def thinned_by(rate_hz: int) -> int:
    """Return how many samples of a card at *rate_hz* make one of those that are listened to."""
    return max(1, rate_hz // EARS_HZ)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one box. ``seats[0]`` is what is wired at seat 1."""

    table: TableConfig = field(default_factory=TableConfig)
    timing: TimingConfig = field(default_factory=TimingConfig)
    seats: tuple[SeatPins, ...] = DEFAULT_SEATS
    pins: PinsConfig = field(default_factory=PinsConfig)
    adc: AdcConfig = field(default_factory=AdcConfig)
    audio: AudioConfig = field(default_factory=AudioConfig)
    wood: WoodConfig = field(default_factory=WoodConfig)
    ears: EarsConfig = field(default_factory=EarsConfig)
    slate: SlateConfig = field(default_factory=SlateConfig)
    second_slate: SecondSlateConfig = field(default_factory=SecondSlateConfig)
    lamp: LampConfig = field(default_factory=LampConfig)
    ring: RingConfig = field(default_factory=RingConfig)
    buzzer: BuzzerConfig = field(default_factory=BuzzerConfig)
    voice: VoiceConfig = field(default_factory=VoiceConfig)
    off: OffConfig = field(default_factory=OffConfig)
    panel: PanelConfig = field(default_factory=PanelConfig)
    uplink: UplinkConfig = field(default_factory=UplinkConfig)
    home_assistant: HomeAssistantConfig = field(default_factory=HomeAssistantConfig)
    webhook: WebhookConfig = field(default_factory=WebhookConfig)
    socket: SocketConfig = field(default_factory=SocketConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    hotspot: HotspotConfig = field(default_factory=HotspotConfig)

    @property
    def wired(self) -> tuple[tuple[Seat, SeatPins], ...]:
        """Each seat of the table with what is wired there."""
        return tuple((Seat(at), pins) for at, pins in enumerate(self.seats[: self.table.seats]))

    @property
    def pads(self) -> tuple[WiredPad, ...]:
        """Each knock pad of the box."""
        own = [
            WiredPad(f"pad {seat.shown}", pins.pad, seat)
            for seat, pins in self.wired
            if pins.pad is not None
        ]
        if self.pins.shared_pad is not None:
            own.append(WiredPad("shared pad", self.pins.shared_pad, None))
        corners = enumerate(self.pins.corner_pads, start=1)
        own.extend(WiredPad(f"corner pad {number}", pin, None) for number, pin in corners)
        return tuple(own)

    @property
    def piezos(self) -> tuple[tuple[int, Seat | None], ...]:
        """Each channel that a piezo hangs on with its seat, None in a corner.

        There is none without a converter or a sound card.
        """
        if not (self.adc.enabled or self.audio.enabled):
            return ()
        own = [(pins.piezo, seat) for seat, pins in self.wired if pins.piezo is not None]
        named = self.audio.corners if self.audio.enabled else self.adc.corners
        alone = (0,) if self.audio.enabled and not own else ()
        corners: list[tuple[int, Seat | None]] = [(channel, None) for channel in named or alone]
        return tuple(sorted(own + corners, key=lambda piezo: piezo[0]))

    @property
    def sampled_hz(self) -> float:
        """How many samples a second of each piezo are wanted."""
        if not self.audio.enabled:
            return self.adc.rate_hz or usual_rate_hz(len(self.piezos), os.cpu_count() or 1)
        return self.audio.rate_hz / thinned_by(self.audio.rate_hz)

    @property
    def geometry(self) -> "TableGeometry | None":
        """Where seats and piezos are; None where the settings do not say."""
        return self.geometry_of(self.wood.told)

    def geometry_by(self, told: "ToldWood | None") -> "TableGeometry | None":
        """Return where all are as *told* at the table; as the settings have it where nobody did.

        They have it as well where what was told there does not fit the table any more.
        """
        from kloplei.knock.geometry import NotAGeometry

        try:
            return self.geometry if told is None else self.geometry_of(told)
        except NotAGeometry:
            return self.geometry

    def geometry_of(self, told: "ToldWood | None") -> "TableGeometry | None":
        """Return where seats and piezos are on a table top like *told*; None without two piezos.

        Raises:
            NotAGeometry: They cannot be there.
        """
        owners = [seat for _, seat in self.piezos]
        if told is None or len(owners) < 2:
            return None
        return told.geometry(self.table.seats, owners)

    @property
    def off_pin(self) -> int | None:
        """BCM number of the off button, None if there is none."""
        slate = self.slate
        spi_slate = slate.driver != "none" and slate.interface == "spi"
        return self.off.pin_beside(spi_slate=spi_slate) if self.off.enabled else None

    @property
    def slates(self) -> tuple[SlateConfig, ...]:
        """The OLEDs that are fitted, by the order of their parts in `SLATE_PARTS`."""
        if self.slate.driver == "none":
            return ()
        if not self.second_slate.enabled:
            return (self.slate,)
        own = ("address", "chip_select", "dc", "reset", "rotation")
        told = {name: getattr(self.second_slate, name) for name in own}
        return (self.slate, replace(self.slate, **told))

    @property
    def slate_language(self) -> str:
        """Language on the slate."""
        return self.slate.language or self.table.language

    @property
    def voice_language(self) -> str:
        """Language in which the caller calls."""
        return self.voice.language or self.table.language

    @property
    def panel_language(self) -> str:
        """Language that a phone gets unless it asks for another."""
        return self.panel.language or self.table.language
