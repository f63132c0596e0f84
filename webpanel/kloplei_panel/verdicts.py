"""What the box made of something that landed on the demo's wood, in sentences and a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kloplei.games.game import Seat
from kloplei_panel.demo import DemoLanding
from kloplei_panel.reader import Reader

WAVE_WIDTH, WAVE_HEIGHT = 240, 56
"""The picture's own units."""

_QUIETEST = 0.02  # of full scale: what is softer than this is not magnified any more
WAITING, UNFELT, UNHEEDED = "waiting", "unfelt", "unheeded"


@dataclass(frozen=True, slots=True)
class VerdictText:
    """One landing as the page tells it.

    *outcome* is the verdict, or `WAITING`, `UNFELT`, or `UNHEEDED` where the table is deaf;
    *wave* the points of a polyline.
    """

    landing: DemoLanding
    outcome: str
    thing: str
    verdict: str
    whose: str | None
    felt: str | None
    wave: str

    @property
    def text(self) -> str:
        """All of it in one breath."""
        said = (f"{self.thing}: {self.verdict}", self.whose, self.felt)
        return " · ".join(part for part in said if part)


def tell(landing: DemoLanding, reader: Reader, names: Mapping[Seat, str]) -> VerdictText:
    """Return how *landing* is told to *reader*; *names* are those of who sits where."""
    outcome = _outcome(landing)
    return VerdictText(
        landing=landing,
        outcome=outcome,
        thing=reader.say(f"thing.{landing.kind}"),
        verdict=reader.say(f"heard.{outcome}", percent=_percent(landing)),
        whose=_whose(landing, reader, names) if landing.is_heeded else None,
        felt=_felt(landing, reader) if landing.is_heeded else None,
        wave=polyline(landing.wave),
    )


def is_right(landing: DemoLanding) -> bool | None:
    """Return whether the box named the seat that was struck; None where that says nothing."""
    if not landing.is_heeded or landing.near is None or landing.verdict in {None, "noise"}:
        return None
    return landing.seat == landing.near


def polyline(wave: Sequence[float]) -> str:
    """Return the points of *wave*, as high as the picture whatever its loudness."""
    if len(wave) < 2:
        return ""
    loudest = max(_QUIETEST, *map(abs, wave))
    step, middle = WAVE_WIDTH / (len(wave) - 1), WAVE_HEIGHT / 2
    heights = (middle - sample / loudest * (middle - 2) for sample in wave)
    return " ".join(f"{at * step:.1f},{height:.1f}" for at, height in enumerate(heights))


def _outcome(landing: DemoLanding) -> str:
    if not landing.is_heeded:
        return UNHEEDED  # whatever the box may think of it
    return landing.verdict or (UNFELT if landing.is_over else WAITING)


def _percent(landing: DemoLanding) -> int:
    """Return how sure the box is of what it says; never all, for it is not."""
    sure = 1 - landing.likelihood if landing.verdict == "noise" else landing.likelihood
    return min(99, max(1, round(100 * sure)))


def _whose(landing: DemoLanding, reader: Reader, names: Mapping[Seat, str]) -> str | None:
    if landing.verdict in {None, "noise"}:
        return None
    if landing.seat is None:
        return reader.say("heard.seat_unsure")
    name = names.get(Seat(landing.seat - 1)) or reader.say("seat.empty")
    if landing.near is None:
        return reader.say("heard.seat_between", seat=landing.seat, name=name)
    if landing.seat == landing.near:
        return reader.say("heard.seat_right", seat=landing.seat, name=name)
    return reader.say("heard.seat_wrong", seat=landing.seat, name=name, near=landing.near)


def _felt(landing: DemoLanding, reader: Reader) -> str | None:
    if landing.blows > 1:
        return reader.say("heard.blows", count=landing.blows)
    if landing.decided_after_s is None:
        return None
    return reader.say("heard.after", ms=round(1000 * landing.decided_after_s))
