"""Which seats nothing hears, what is held down, and how loud the piezos are."""

from collections.abc import Iterator, Sequence

from kloplei.checks.findings import bad, good, poor
from kloplei.config.settings import Config
from kloplei.knock.verdict import PIEZOS
from kloplei.table.doctor import Finding
from kloplei.table.ears import Loudness

LOUD = 0.03  # of full scale: a sound disc is less loud in silence
_SILENT_S = 3.0  # piezos report some times a second


def check_seats(config: Config) -> Iterator[Finding]:
    """Yield which seats no sensor hears, by the settings; none in a box of buttons alone."""
    heard = {pad.seat for pad in config.pads} | {seat for _, seat in config.piezos}
    if not heard and all(wired.button is not None for _, wired in config.wired):
        return
    deaf = tuple(str(seat.shown) for seat, _ in config.wired if seat not in heard)
    if deaf and None not in heard:
        yield poor("seats", "seats.deaf", "do.name-sensor", seats=deaf, first=deaf[0])


def check_held(held_down: Sequence[str]) -> Iterator[Finding]:
    """Yield which pads and buttons are down, by name."""
    for part in held_down:
        yield bad(part, "sensor.held", "do.let-go", part=part)


def check_pads(config: Config, troubled: Sequence[str]) -> Iterator[Finding]:
    """Yield which pads are quiet: all of *config* but for those *troubled*."""
    quiet = tuple(pad.part for pad in config.pads if pad.part not in troubled)
    if quiet:
        yield good("pads", "pads.quiet", pads=quiet)


def check_levels(config: Config, meter: Sequence[Loudness]) -> Iterator[Finding]:
    """Yield how loud the piezos were in the last moment, while anybody may have knocked."""
    measured = next((one for one in meter if one.part == PIEZOS), None)
    if not config.piezos:
        return
    if measured is None or measured.age_s > _SILENT_S:
        yield bad(PIEZOS, "piezos.unread", "do.converter")
        return
    names = [str(seat.shown) if seat is not None else f"#{at}" for at, seat in config.piezos]
    levels = zip(names, measured.peaks, strict=False)
    yield good(
        PIEZOS, "piezos.levels", levels=tuple(f"{name}: {peak:.1%}" for name, peak in levels)
    )


def check_silence(name: str, channel: int, peak: float) -> Finding:
    """Return how the disc *name* does, which was at most *peak* loud while nobody knocked."""
    facts = {"channel": channel, "peak": f"{peak:.1%}"}
    if peak < LOUD:
        return good(name, "piezo.quiet", **facts)
    return poor(name, "piezo.loud", "do.shield", **facts)


def check_pace(reached_hz: float, missed: int) -> Finding:
    """Return how fast the converter is read, each channel *reached_hz* times a second."""
    facts = {"hz": round(reached_hz), "missed": missed}
    if missed:
        return poor(PIEZOS, "piezos.missed", "do.end-others", **facts)
    return good(PIEZOS, "piezos.pace", **facts)
