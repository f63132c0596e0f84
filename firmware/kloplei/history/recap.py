"""The recap of an evening: a slate in chalk to put on the fridge (`draw`).

What stands on it says `kloplei.history.summary`; here it gets its place.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import pi, sin

from kloplei.history._chalk import (
    FRAME,
    HAND,
    LETTERING,
    SIZE,
    ChalkDrawing,
    Lettering,
    can_write,
    lettering,
    spread,
    tally_of,
    writable,
)
from kloplei.history.summary import Summary
from kloplei.table.history_client import Evening
from kloplei.words import Words

_LEFT, _RIGHT = FRAME + 54, SIZE[0] - FRAME - 54
_TOP, _BOTTOM = FRAME + 40, SIZE[1] - FRAME - 34
_WIDE = _RIGHT - _LEFT
_MOST_ROWS = 12
_LOW_ROW = 52
"""Where rows below each other were lower than this, they stand in two columns."""
_MOST_STROKES = 20
_MOST_GLASSES = 4
_STROKE_GAP = 13
_LEAST_CHART, _NARROWEST_CHART = 160, 290
_WIDEST_NAME, _OF_CHART = 150.0, 0.38
"""What a name at the end of a line may take, and which share of the chart."""
_FEWEST_STEPS = 3
_MOST_LINES, _LANE = 5, 4
"""So many lines, each so far beside the next that two who did alike are both seen."""
_TITLES_GAP = 48
_BESIDE_CHART = _WIDE - _NARROWEST_CHART - _TITLES_GAP - 12
_SMALL_NAME, _OF_NAME = 28, 0.43
"""How small a name is written, and which share of its row it has."""
_SMALLEST_TITLE, _SMALLEST_WHY = 40, 28
_CHART_CHALKS = ("yellow", "white", "blue", "red", "green")


def draw(evening: Evening, words: Words, *, place: str = "", size: tuple[int, int] = SIZE) -> bytes:
    """Return the recap of *evening* as a PNG, by default 1080 x 1350.

    Args:
        evening: What was played.
        words: In whose language; English where the machine has no letters for it.
        place: What the place is called; it stands on top.
        size: Another size in pixels; best in the same proportion.
    """
    return drawn(evening, words, place=place).png(size)


def drawn(evening: Evening, words: Words, *, place: str = "") -> ChalkDrawing:
    """Return the slate of *evening*, with all that stands on it."""
    spoken = words if can_write(words.say("recap.winner", {"n": 1})) else Words("en")
    return _Picture(Summary(evening, spoken, writable), writable(place)).slate


class _Picture:
    """Draws what was `Summary` on a slate, from the top down."""

    def __init__(self, told: Summary, place: str) -> None:
        self.told, self.slate = told, ChalkDrawing()
        self._course = self._worth_drawing()
        self._has_chart = False
        self.y = float(_TOP)
        self._draw_head(place)
        self._draw_winner()
        self._draw_titles()
        self._draw_turning()
        self._draw_players()

    def _draw_head(self, place: str) -> None:
        told = self.told
        more = [told.games] if place else []
        self._line(place or told.games, LETTERING, 78, strength=235)
        self.y += 8
        self._line(" · ".join([told.day, *more, told.hands]), HAND, 34, strength=180)
        self._rule()

    def _draw_winner(self) -> None:
        told, winners = self.told, self.told.evening.winners
        self.y += 18
        if not winners:
            self._line(told.whose, LETTERING, 150, "yellow", least=60)
            return
        self._line(told.whose, HAND, 38, strength=215)
        self.y += 20
        small, won = lettering(HAND, 38), told.what_won(winners[0])
        beside = small.width(won) + 34
        letters = _fitting(told.listed(winners), LETTERING, 180, 110, _WIDE - beside)
        fits = letters.width(told.listed(winners)) <= _WIDE - beside
        lines = [told.listed(winners)] if fits else self._names_in_lines(winners)
        if not fits:
            letters = _fitting(max(lines, key=letters.width), LETTERING, 110, 50)
        for line in lines:
            self.y -= letters.slack(line)
            end = self.slate.write((_LEFT, self.y), line, letters, "yellow")
            self.y += letters.height + (0 if line is lines[-1] else 14)
        if fits:
            base = self.y - letters.height + letters.ascent
            self.slate.write((end + 34, base - small.ascent), won, small, strength=225)
        self._swash(end)
        if not fits and won:
            self.y += 12
            self._line(won, HAND, 36, strength=225)

    def _names_in_lines(self, winners: Sequence[int]) -> list[str]:
        """Return all that won, on two lines; of many the first and how many more."""
        told, shown = self.told, list(winners)
        letters = lettering(LETTERING, 50)
        while True:
            more = len(winners) - len(shown)
            said = told.listed(shown) + (f" {told.say('recap.more', {'n': more})}" if more else "")
            lines = _wrapped(said, letters, _WIDE, 99)
            if len(lines) <= 2 or len(shown) == 1:
                return [_cut(line, letters, _WIDE) for line in lines[:2]]
            shown.pop()

    def _worth_drawing(self) -> list[tuple[int, list[float]]]:
        """Return the ways of the best through the evening; none where nothing moved."""
        course = list(self.told.course())[:_MOST_LINES]
        moves = len({value for _, way in course for value in way}) > 1
        return course if moves and len(course[0][1]) > _FEWEST_STEPS else []

    def _draw_titles(self) -> None:
        top, widest = self.y + 22, float(_LEFT)
        wide = self._wide_of_titles()
        for name, who, why in self.told.titles:
            self.y += 18
            letters = _fitting(f"{name}  {who}", LETTERING, 60, 40, wide)
            end = self.slate.write((_LEFT, self.y), name, letters, "blue") + 22
            bearer = _cut(who, letters, _RIGHT - end)
            end = self.slate.write((end, self.y), bearer, letters)
            self.y += letters.height + 2
            widest = max(widest, end, self._wrapped(why, 36, 1, wide))
        left = widest + _TITLES_GAP
        if self.y - top >= _LEAST_CHART and _RIGHT - left >= _NARROWEST_CHART:
            self._has_chart = self._draw_chart(left, top + 14, self.y - 10)

    def _wide_of_titles(self) -> float:
        """Return how wide titles may be: they make room for the chart, if they can."""
        name, why = lettering(LETTERING, _SMALLEST_TITLE), lettering(HAND, _SMALLEST_WHY)
        fit = all(
            name.width(title) + 22 + name.width(who) <= _BESIDE_CHART
            and why.width(reason) <= _BESIDE_CHART
            for title, who, reason in self.told.titles
        )
        return _BESIDE_CHART if self._course and fit else _WIDE

    def _draw_turning(self) -> None:
        if not self.told.turning:
            return
        self.y += 26
        self._line(self.told.turning_of, LETTERING, 52, "red", least=36)
        self.y += 2
        self._wrapped(self.told.turning, 36, 2)

    def _draw_players(self) -> None:
        """Draw everybody's strokes and glasses, and above them a chart if there is room."""
        told = self.told
        shown = told.ranked[:_MOST_ROWS]
        legend = lettering(HAND, 28).height + 14
        room = _BOTTOM - legend - self.y - 34
        columns = self._columns(shown, room)
        lines = -(-len(shown) // columns)
        if not shown:
            return  # of an evening that nobody can tell any more
        high = min(76.0, room / lines)
        if not self._has_chart and room - _LOW_ROW * lines >= _LEAST_CHART:
            high = min(high, max(_LOW_ROW, (room - 240) / lines))
        spare = room - high * lines
        if spare >= _LEAST_CHART and not self._has_chart:
            low = self.y + min(spare, 360)
            if self._draw_chart(_LEFT, self.y + 26, low - 6):
                self.y, spare = low, spare - (low - self.y)
        self.y += min(spare / 2, 60)
        self._rule()
        top = self.y + 8
        wide = (_WIDE - 40 * (columns - 1)) / columns
        for at, player in enumerate(shown):
            left = _LEFT + (at // lines) * (wide + 40)
            self._draw_row(player, left, top + (at % lines) * high, wide, high)
        self._draw_legend(len(told.ranked) - len(shown))

    def _columns(self, shown: Sequence[int], room: float) -> int:
        """Return in how many columns to write who is *shown*: two if one is too high.

        Two as well where that makes room for the chart, and all names stay whole.
        """
        letters = lettering(HAND, _SMALL_NAME)
        half = (_WIDE - 40) / 2 * _OF_NAME
        whole = all(letters.width(self.told.name(player)) <= half for player in shown)
        wants = bool(self._course) and not self._has_chart and whole
        least = _LEAST_CHART if wants else 0
        alone, beside = (room - _LOW_ROW * n for n in (len(shown), -(-len(shown) // 2)))
        return 2 if alone < 0 or alone < least <= beside else 1

    def _draw_row(self, player: int, left: float, top: float, wide: float, high: float) -> None:
        """Write who it is, what they won in strokes, and a glass for each round they gave."""
        told, slate = self.told, self.slate
        size, room = round(min(46.0, high * 0.66)), wide * _OF_NAME
        letters = _fitting(told.name(player), HAND, size, min(size, _SMALL_NAME), room)
        name = _cut(told.name(player), letters, room)
        middle = top + high / 2
        best = player in told.evening.winners
        at = (left, middle - letters.height / 2)
        slate.write(at, name, letters, "yellow" if best else "white")
        rounds = told.rounds.get(player, 0)
        right = left + wide - self._draw_glasses(rounds, left + wide, middle, high)
        self._draw_score(player, left + wide * 0.49, right, middle, high)

    def _draw_score(
        self, player: int, left: float, right: float, middle: float, high: float
    ) -> None:
        score, tall = self.told.scores[player], min(40.0, high * 0.6)
        letters = lettering(HAND, round(min(46.0, high * 0.66)))
        fits = sum(_STROKE_GAP * fives + 18 for fives in tally_of(score)) <= right - left
        if self.told.is_of_chips or not fits or score > _MOST_STROKES:
            said = f"{score:+}" if self.told.is_of_chips and score else str(score)
            self.slate.write((left, middle - letters.height / 2), said, letters)
            return
        x = left
        for strokes in tally_of(score):
            x = self._draw_strokes(strokes, x, middle, tall) + 16
        if score:
            self.slate.keep(left - 9, middle - tall / 2, x - 16, middle + tall / 2, "strokes")

    def _draw_strokes(self, strokes: int, left: float, middle: float, tall: float) -> float:
        """Draw up to four strokes, and a fifth one across them; return where they end."""
        gap, top, low = _STROKE_GAP, middle - tall / 2, middle + tall / 2
        for at in range(min(strokes, 4)):
            x = left + at * gap
            self.slate.stroke((x + 2, top), (x, low), width=5)
        if strokes == 5:
            self.slate.stroke((left - 9, low - 8), (left + 3 * gap + 11, top + 8), width=5)
        return left + min(strokes, 4) * gap

    def _draw_glasses(self, rounds: int, right: float, middle: float, high: float) -> float:
        """Draw *rounds* glasses up to *right*, or one with their number; return how wide."""
        tall = min(38.0, high * 0.56)
        wide = tall * 0.86
        many = rounds > _MOST_GLASSES
        letters = lettering(HAND, round(tall))
        said = f"{rounds}" if many else ""
        total = (1 if many else rounds) * (wide + 8) + (letters.width(said) + 8 if many else 0)
        x = right - total
        if many:
            self.slate.write((x, middle - letters.height / 2), said, letters, "red")
            x += letters.width(said) + 8
        first = x
        for _ in range(1 if many else rounds):
            self._draw_glass(x, middle, tall)
            x += wide + 8
        if rounds:
            self.slate.keep(first, middle - tall / 2, x - 8, middle + tall / 2, "glasses")
        return total

    def _draw_glass(self, left: float, middle: float, tall: float) -> None:
        """Draw a glass with a handle, full."""
        wide, top, low = tall * 0.58, middle - tall / 2, middle + tall / 2
        sides = [(left, top + 6), (left + 2, low), (left + wide - 2, low), (left + wide, top + 6)]
        self.slate.line(sides, "red", 4)
        self.slate.line([(left - 1, top + 5), (left + wide + 1, top + 5)], "white", 7)
        bend = ((0, 0.34), (0.2, 0.38), (0.24, 0.52), (0.18, 0.7), (0, 0.74))
        handle = [(left + wide + x * tall, top + tall * y) for x, y in bend]
        self.slate.line(handle, "red", 4)

    def _draw_legend(self, more: int) -> None:
        told, letters = self.told, lettering(HAND, 28)
        x, y = float(_LEFT), _BOTTOM - letters.height
        if more:
            said = told.say("recap.more", {"n": more})
            x = self.slate.write((x, y), said, letters, strength=150) + 40
        if not told.is_of_chips:
            self.slate.stroke((x + 5, y + 8), (x + 3, y + letters.height - 6), width=4)
            x = self.slate.write((x + 20, y), told.legend, letters, strength=150) + 44
        if told.rounds:
            self._draw_glass(x, y + letters.height / 2 + 2, 28)
            self.slate.write((x + 32, y), told.say("recap.glass"), letters, strength=150)
        wide = letters.width("Kloplei")
        self.slate.write((_RIGHT - wide, y), "Kloplei", letters, strength=110)

    def _draw_caption(self, left: float, top: float) -> float:
        """Write what the chart is one of, and return where it begins."""
        said = self.told.of_course
        if not said:
            return top
        letters = _fitting(said, HAND, 28, 20, _RIGHT - left)
        self.slate.write((left, top), said, letters, strength=150)
        return top + letters.height + 16

    def _draw_chart(self, left: float, top: float, low: float) -> bool:
        """Draw the way of the best through the evening, each with the name at its end.

        Return whether there was anything to draw.
        """
        course, letters = self._course, lettering(HAND, 28)
        if not course:
            return False
        top = self._draw_caption(left, top)
        wide = min(_WIDEST_NAME, _OF_CHART * (_RIGHT - left))
        names = [_cut(self.told.name(player), letters, wide) for player, _ in course]
        right = _RIGHT - max(map(letters.width, names)) - 16
        least = min(value for _, way in course for value in way)
        most = max(value for _, way in course for value in way)

        def at(step: int, value: float, steps: int) -> tuple[float, float]:
            up = (value - least) / max(1, most - least)
            return left + (right - left) * step / steps, low - (low - top) * up

        zero = at(0, 0, 1)[1]
        for x in range(round(left), round(right), 26):
            self.slate.line([(x, zero), (min(x + 12, right), zero)], width=2, strength=100)
        lanes = [_LANE * (number - (len(course) - 1) / 2) for number in range(len(course))]
        ends = [at(1, way[-1], 1)[1] + lane for (_, way), lane in zip(course, lanes, strict=True)]
        beside = spread(ends, letters.height + 2, low)
        for number in reversed(range(len(course))):
            way, chalk = course[number][1], _CHART_CHALKS[number]
            places = [at(step, value, len(way) - 1) for step, value in enumerate(way)]
            points = [(x, y + lanes[number]) for x, y in places]
            self.slate.line(
                [self.slate.near(one, 1) for one in points], chalk, 6 if not number else 4
            )
            label = (right + 12, beside[number] - letters.height / 2)
            self.slate.write(label, names[number], letters, chalk)
        self.slate.keep(left, top, right, low, "chart")
        return True

    def _line(
        self,
        text: str,
        names: tuple[str, ...],
        size: int,
        chalk: str = "white",
        *,
        least: int = 24,
        strength: int = 255,
    ) -> None:
        """Write *text* on a line of its own, smaller if it has to be."""
        letters = _fitting(text, names, size, least)
        said = _cut(text, letters, _WIDE)
        self.slate.write((_LEFT, self.y), said, letters, chalk, strength)
        self.y += letters.height

    def _wrapped(self, text: str, size: int, lines: int, wide: float = _WIDE) -> float:
        """Write *text* in *lines* at most, *wide* if they fit; return how far they reach."""
        letters = _fitting(text, HAND, size, _SMALLEST_WHY, wide * (0.9 * lines + 0.1))
        widest = 0.0
        for line in _wrapped(text, letters, _WIDE, lines):
            widest = max(widest, self.slate.write((_LEFT, self.y), line, letters, strength=225))
            self.y += letters.height + 2
        return widest

    def _rule(self) -> None:
        self.y += 12
        self.slate.stroke((_LEFT, self.y), (_RIGHT, self.y), width=3, strength=120)

    def _swash(self, end: float) -> None:
        """Underline what ends there, as one does who is content."""
        for begin, rise, y in (
            (_LEFT, 9, self.y + 9),
            (_LEFT + (end - _LEFT) * 0.3, 5, self.y + 20),
        ):
            points = [
                (begin + (end - begin) * part / 24, y - rise * sin(pi * part / 24))
                for part in range(25)
            ]
            self.slate.line(points, "yellow", 5, 230)
        self.y += 22


def _fitting(
    text: str, names: tuple[str, ...], size: int, least: int, wide: float = _WIDE
) -> Lettering:
    """Return letters of *size*, or so much smaller that *text* fits, but not below *least*."""
    while size > least and (takes := lettering(names, size).width(text)) > wide:
        size = max(least, min(size - 1, int(size * wide / takes)))
    return lettering(names, size)


def _wrapped(text: str, letters: Lettering, wide: float, lines: int) -> list[str]:
    """Return *text* in *lines* at most, parted at blanks, or anywhere where there are none."""
    found, line = [], ""
    for word in _words(text):
        if line and letters.width((line + word).rstrip()) > wide:
            found.append(line.rstrip())
            line = ""
        line += word
    found.append(line.rstrip())
    if len(found) > lines:
        found = [*found[: lines - 1], " ".join(found[lines - 1 :])]
    return [_cut(one, letters, wide) for one in found]


def _words(text: str) -> list[str]:
    """Return what *text* may be parted into; Japanese at any letter."""
    parts: list[str] = []
    for one in text:
        if parts and not (parts[-1].endswith(" ") or max(parts[-1][-1], one) > "\u2e7f"):
            parts[-1] += one
        else:
            parts.append(one)
    return parts


def _cut(text: str, letters: Lettering, wide: float) -> str:
    """Return as much of *text* as fits, with dots behind what does not."""
    if letters.width(text) <= wide:
        return text
    fits = bisect_right(range(len(text)), wide, key=lambda n: letters.width(f"{text[:n]}…"))
    return f"{text[: max(0, fits - 1)].rstrip()}…"
