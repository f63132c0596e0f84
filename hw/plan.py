"""When each print begins, so that the day of hw/README.md can be kept; and what builds print."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hw.marked import filled
from hw.prints import measured

HERE = Path(__file__).parent
PAGE, CASE = HERE / "README.md", HERE / "case/README.md"
DAYS = ("Thursday", "Friday", "Saturday")
_DAY = 24 * 60

_COMMON = {"clamp": 1, "pad": 1, "knob": 1}
ZERO = "pads or full, Zero 2 W, four seats"
PRINTED: Mapping[str, Mapping[str, int]] = {
    "easy, Zero 2 W": {"body-zero": 1, "lid-zero-0.96": 1, "bar-0.96": 2, **_COMMON},
    ZERO: {
        "body-zero-ears": 1, "lid-zero-0.96-ears": 1, "bar-0.96": 2, "puck-27": 4, **_COMMON,
    },
    "full, Pi 4, eight seats": {
        "body-b-ears": 1, "lid-b-1.3-ears": 1, "bar-1.3": 2, "puck-27": 8, **_COMMON,
    },
}  # fmt: skip
"""How many of each piece a build prints."""


@dataclass(frozen=True, slots=True)
class Job:
    """One print: so many pieces of some parts, begun by somebody who is at home and awake."""

    day: str
    clock: str
    parts: tuple[str, ...]
    needed: str  # when they are wanted, as "Saturday 13:00"

    @property
    def begins(self) -> int:
        """Return when it begins, in minutes from Thursday's midnight."""
        return minutes_at(f"{self.day} {self.clock}")

    def minutes(self, build: str) -> int:
        """Return how long it takes for *build*."""
        return sum(taken(one, many)[0] for one, many in self.pieces(build).items())

    def pieces(self, build: str) -> Mapping[str, int]:
        """Return which pieces of *build* it prints, and how many."""
        return {name: many for name, many in PRINTED[build].items()
                if name.split("-")[0] in self.parts}  # fmt: skip


_SMALL = ("bar", "pad", "knob")
PLANS = {
    "easy, Zero 2 W": (
        Job("Friday", "17:30", ("lid", *_SMALL), "Saturday 13:00"),
        Job("Friday", "22:00", ("body",), "Saturday 13:00"),
        Job("Saturday", "8:30", ("clamp",), "Saturday 13:00"),
    ),
    "full, Pi 4, eight seats": (
        Job("Thursday", "18:30", ("body",), "Saturday 15:00"),
        Job("Friday", "17:30", ("clamp",), "Saturday 17:00"),
        Job("Friday", "22:00", ("puck",), "Saturday 13:00"),
        Job("Saturday", "8:30", ("lid",), "Saturday 15:00"),
        Job("Saturday", "13:00", _SMALL, "Saturday 15:00"),
    ),
}


def taken(name: str, many: int = 1) -> tuple[int, float]:
    """Return minutes and grams of *many* pieces called *name*."""
    one = measured()[name]
    return one.minutes * many, one.grams * many


def total(build: str) -> tuple[int, float]:
    """Return minutes and grams of all that *build* prints."""
    each = [taken(name, many) for name, many in PRINTED[build].items()]
    return sum(minutes for minutes, _ in each), sum(grams for _, grams in each)


def minutes_at(when: str) -> int:
    """Return *when*, as "Saturday 13:00", in minutes from Thursday's midnight."""
    day, clock = when.split()
    hours, minutes = clock.split(":")
    return DAYS.index(day) * _DAY + int(hours) * 60 + int(minutes)


def day_table() -> str:
    """Return when to begin what, in Markdown."""
    lines = ["| Begin | Print | Takes | Ready | Wanted |", "|---|---|---|---|---|"]
    for build, jobs in PLANS.items():
        lines.append(f"| **{build}** | | **{_spoken(total(build)[0])}** | | |")
        for job in jobs:
            names = " and ".join(
                f"{many} x {name}" if many > 1 else name for name, many in job.pieces(build).items()
            )
            minutes = job.minutes(build)
            ready = _when(job.begins + minutes)
            row = (f"{job.day} {job.clock}", names, _spoken(minutes), ready, job.needed)
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def totals_table() -> str:
    """Return what each build prints, and what each part takes, in Markdown."""
    lines = ["| Build | Prints for | Plastic |", "|---|---|---|"]
    for build in PRINTED:
        minutes, grams = total(build)
        lines.append(f"| {build} | {_spoken(minutes)} | {grams:.0f} g |")
    lines += ["", "| File | Prints for | Plastic |", "|---|---|---|"]
    for name, one in measured().items():
        lines.append(f"| `{name}` | {_spoken(one.minutes)} | {one.grams:g} g |")
    return "\n".join(lines) + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield both pages with their tables as they are now."""
    made = ((PAGE, "prints of the day", day_table()), (CASE, "time of prints", totals_table()))
    for page, mark, table in made:
        yield page, filled(page.read_text("utf-8"), mark, table)


def write() -> None:
    """Write the tables into the pages."""
    for page, text in pages():
        page.write_text(text, encoding="utf-8")


def _spoken(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if hours else f"{rest} min"


def _when(minutes: int) -> str:
    days, rest = divmod(minutes, _DAY)
    return f"{DAYS[days]} {rest // 60}:{rest % 60:02}"
