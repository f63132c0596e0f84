"""Seat cards and a table tent to print: A4, as a PDF (`draw`), for tables where nobody types.

On each card stand its seat, a QR code with the address that sits a phone down there, a ring for an
NFC sticker with the same address, and how to knock; on the tent the way in, and on its other side
the rules of the house. The address opens nothing by itself: no PIN and no code of the evening is
printed, since paper outlives both and is photographed (docs/security.md). Letters are those of
``fonts/``, of which a PDF takes along what stands in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from kloplei.frozen import dataclass
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Facts, Seat
from kloplei.words import Words

MOST_LANGUAGES = 2
"""So many stand side by side."""

_FONTS = Path(__file__).parent / "fonts"
_PLAIN, _BOLD = "mplus-1-regular", "mplus-1-bold"
_MM = 72 / 25.4  # points
_PAGE_WIDE, _PAGE_HIGH = 210 * _MM, 297 * _MM
_CARD_WIDE, _CARD_HIGH = _PAGE_WIDE / 2, _PAGE_HIGH / 2  # A6
_ON_PAGE = 4
_EDGE = 8 * _MM  # many a printer leaves 5 mm of the sheet white
_STICKER = 25 * _MM  # the usual round NFC tag
_LEAD = 1.32  # from line to line, of the size
_FAINT, _INK = 0.6, 0.0
_QUIET = 4  # light modules around a QR code on paper, by ISO/IEC 18004
_WHEN: Mapping[str, tuple[str, ...]] = {
    "start": ("1", "3"),
    "between": ("2",),
    "play": ("1", "2", "3"),
    "answer": ("1", "2", "3", "hold"),
    "always": ("4",),
}
"""When one knocks, and how often; a game has words for those that mean something in it."""
_BY_BUTTON = frozenset({"watten", "tarok"})  # where cards are slammed on the wood
_SHUTS = frozenset("、。，．」』）】・：！？ー")  # begin no line
_FIRST_WIDE = 0x3000  # from here on signs are kana, kanji and their stops
_OF_BADGE = 0.85  # of the size of the line that it stands before
_AFTER_ITEM = 0.8  # points
_SMALLEST_SCALE = 0.6
_SMALLEST, _LARGEST = 5.0, 13.0  # points in which a rule of the house is printed
_NOT_PLAYED = frozenset({"off", "no", "none", "ignore"})


@dataclass(frozen=True, slots=True)
class SeatCards:
    """What is printed: for whom, where, and for which house.

    *url* is where phones find the panel; *languages* are one or two; *wifi* is the name of the one
    to join; *locked* tells whether somebody has to knock for a phone that comes.
    """

    url: str
    seats: int
    languages: tuple[str, ...]
    game: str
    preset: str | None = None
    options: Facts = field(default_factory=dict)
    place: str = ""
    wifi: str = ""
    locked: bool = True


def seat_url(url: str, seat: Seat) -> str:
    """Return the address that sits a phone down at *seat* of the panel at *url*.

    In capitals where the panel stands at the root of its host: scheme and host mean the same in
    any case, and a QR code holds half as much again of them.
    """
    base = url.rstrip("/")
    at_root = base.count("/") == len("//")
    return f"{base.upper() if at_root else base}/S/{seat.shown}"


def draw(cards: SeatCards) -> bytes:
    """Return a PDF of A4 pages: four cards on each, and the tent on the last.

    The same *cards* are the same bytes, whenever they are drawn.
    """
    sheet = _Sheet()
    for seat in map(Seat, range(cards.seats)):
        place = seat % _ON_PAGE
        if place == 0:
            sheet.begin_page(in_four=True)
        down, across = divmod(place, 2)
        _Card(sheet, cards, seat).draw(across * _CARD_WIDE, _PAGE_HIGH - down * _CARD_HIGH)
    sheet.begin_page()
    _Tent(sheet, cards).draw()
    return sheet.finished()


class _Sheet:
    """A PDF under way; all is in points, from the left and from the foot of the page."""

    def __init__(self) -> None:
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFont
        from reportlab.pdfgen.canvas import Canvas

        self._faces = {name: TTFont(name, str(_FONTS / f"{name}.ttf")) for name in (_PLAIN, _BOLD)}
        for face in self._faces.values():
            pdfmetrics.registerFont(face)
        self._file = BytesIO()
        self.canvas = Canvas(self._file, pagesize=(_PAGE_WIDE, _PAGE_HIGH), invariant=1)
        self.canvas.setTitle("Kloplei")
        self._has_page = False

    def begin_page(self, *, in_four: bool = False) -> None:
        """Go on on another page, with lines to cut it in four along."""
        if self._has_page:
            self.canvas.showPage()
        self._has_page = True
        if in_four:
            self.line((_CARD_WIDE, 0, _CARD_WIDE, _PAGE_HIGH), dashed=True)
            self.line((0, _CARD_HIGH, _PAGE_WIDE, _CARD_HIGH), dashed=True)

    def finished(self) -> bytes:
        self.canvas.save()
        return self._file.getvalue()

    def width(self, text: str, size: float, face: str = _PLAIN) -> float:
        return float(self._faces[face].stringWidth(text, size))

    def fitting(self, text: str, size: float, wide: float, face: str = _BOLD) -> float:
        """Return *size*, or the smaller one at which *text* is *wide*."""
        return min(size, size * wide / max(self.width(text, size, face), 1))

    def write(
        self, x: float, y: float, text: str, size: float, face: str = _PLAIN, grey: float = _INK
    ) -> None:
        self.canvas.setFillGray(grey)
        self.canvas.setFont(face, size)
        self.canvas.drawString(x, y, self._known(text, face))

    def write_centred(
        self, x: float, y: float, text: str, size: float, face: str = _PLAIN, grey: float = _INK
    ) -> None:
        self.write(x - self.width(text, size, face) / 2, y, text, size, face, grey)

    def write_lines(
        self, x: float, top: float, wide: float, text: str, size: float, face: str = _PLAIN
    ) -> float:
        """Write *text* in lines at most *wide* below *top*, and return where the next may begin."""
        for line in self.wrapped(text, wide, size, face):
            self.write(x, top - size, line, size, face)
            top -= size * _LEAD
        return top

    def wrapped(self, text: str, wide: float, size: float, face: str = _PLAIN) -> list[str]:
        """Return *text* in lines: between words, and in Japanese between any two signs."""
        lines = [""]
        for part in _breakable(text):
            if lines[-1] and self.width(lines[-1] + part.rstrip(), size, face) > wide:
                lines.append("")
            lines[-1] += part if lines[-1] else part.lstrip()
        return [line.rstrip() for line in lines]

    def line(self, ends: tuple[float, float, float, float], *, dashed: bool = False) -> None:
        self.canvas.setStrokeGray(_FAINT)
        self.canvas.setLineWidth(0.4)
        self.canvas.setDash([3, 3] if dashed else [])
        self.canvas.line(*ends)

    def badge_width(self, text: str, size: float) -> float:
        return self.width(text, size * _OF_BADGE, _BOLD) + size

    def badge(self, x: float, top: float, text: str, size: float) -> None:
        """Write *text* light on dark, before a line of *size* points."""
        wide = self.badge_width(text, size)
        self.canvas.setFillGray(0.15)
        self.canvas.roundRect(x, top - size * 1.1, wide, size * 1.14, size / 3, stroke=0, fill=1)
        letters = size * _OF_BADGE
        self.write(x + size / 2, top - size * 0.84, text, letters, _BOLD, grey=1)

    def code(self, x: float, top: float, wide: float, text: str) -> None:
        """Draw the QR code of *text* with its light rim within a square *wide*."""
        import segno

        # A table is wet and scratched: a quarter of it may be gone.
        rows = segno.make_qr(text, error="q").matrix
        module = wide / (len(rows) + 2 * _QUIET)
        left, high = x + _QUIET * module, top - _QUIET * module
        path = self.canvas.beginPath()
        for down, row in enumerate(rows):
            for at, length in _runs(row):
                path.rect(left + at * module, high - (down + 1) * module, length * module, module)
        self.canvas.setFillGray(_INK)
        self.canvas.drawPath(path, stroke=0, fill=1)

    def ring(self, x: float, y: float, said: Sequence[str]) -> None:
        """Draw where the sticker goes, its middle at *x* and *y*."""
        self.canvas.setStrokeGray(_FAINT)
        self.canvas.setLineWidth(1)
        self.canvas.setDash([2, 2])
        self.canvas.circle(x, y, _STICKER / 2 + 1 * _MM, stroke=1, fill=0)
        self.canvas.setDash([])
        self.write_centred(x, y + 5, "NFC", 13, _BOLD, grey=_FAINT)
        for number, one in enumerate(said):
            self.write_centred(x, y - 6 - 8 * number, one, 6.5, grey=_FAINT)

    def _known(self, text: str, face: str) -> str:
        """Return *text* without what the font has no letters for, as a pub's name may hold."""
        known = self._faces[face].face.charToGlyph
        return "".join(one for one in text if ord(one) in known)


class _Card:
    """One seat's card, A6 upright."""

    def __init__(self, sheet: _Sheet, cards: SeatCards, seat: Seat) -> None:
        self.sheet, self.cards, self.seat = sheet, cards, seat
        self.words = [_words(language, cards.game) for language in cards.languages]

    def draw(self, x: float, top: float) -> None:
        """Draw it with its upper left corner at *x* and *top*."""
        self._foot = top - _CARD_HIGH + _EDGE / 2
        x, top, wide = x + _EDGE, top - _EDGE, _CARD_WIDE - 2 * _EDGE
        self._draw_head(x, top, wide)
        top -= 20 * _MM
        url = seat_url(self.cards.url, self.seat)
        code = 43 * _MM
        self.sheet.code(x - 3 * _MM, top, code, url)
        said = [words.say("card.tag") for words in self.words]
        self.sheet.ring(x + wide - _STICKER / 2 - 2 * _MM, top - code / 2, said)
        top -= code
        self._draw_typed(x, top, wide)
        top -= 5 * _MM
        gap = 4 * _MM
        column = (wide - gap * (len(self.words) - 1)) / len(self.words)
        lefts = [x + number * (column + gap) for number in range(len(self.words))]
        pairs = list(zip(lefts, self.words, strict=True))
        top = min(self._draw_ways(left, top, column, words) for left, words in pairs)
        self.sheet.line((x, top, x + wide, top))
        top -= 2 * _MM
        told = [list(self._knocks_told(words)) for words in self.words]
        scale = self._scale_for(told, column, top - self._foot)
        for left, items in zip(lefts, told, strict=True):
            self._draw_items(left, top, column, items, scale)

    def _draw_head(self, x: float, top: float, wide: float) -> None:
        radius = 10 * _MM
        self.sheet.canvas.setFillGray(_INK)
        self.sheet.canvas.circle(x + radius, top - radius, radius, stroke=0, fill=1)
        number = str(self.seat.shown)
        self.sheet.write_centred(x + radius, top - radius - 12, number, 34, _BOLD, grey=1)
        left, room = x + 2 * radius + 4 * _MM, wide - 2 * radius - 4 * _MM
        line = top - 5.5 * _MM
        for words in self.words:
            said = words.say("card.seat", {"number": number})
            self.sheet.write(left, line, said, self.sheet.fitting(said, 17, room), _BOLD)
            line -= 7 * _MM
        if self.cards.place:
            size = self.sheet.fitting(self.cards.place, 8, room, _PLAIN)
            self.sheet.write(left, top - 19 * _MM, self.cards.place, size, grey=_FAINT)

    def _draw_typed(self, x: float, top: float, wide: float) -> None:
        either = " / ".join(dict.fromkeys(words.say("card.typed") for words in self.words))
        address = seat_url(self.cards.url, self.seat).lower().removeprefix("http://")
        line = f"{either}: {address}"
        size = self.sheet.fitting(line, 7.5, wide, _PLAIN)
        self.sheet.write(x, top - 2 * _MM, line, size)

    def _draw_ways(self, x: float, top: float, wide: float, words: Words) -> float:
        said = words.say("card.scan")
        top = self.sheet.write_lines(x, top, wide, said, 7.5, _BOLD)
        way = "card.door" if self.cards.locked else "card.door.open"
        said = words.say(way, {"number": str(self.seat.shown)})
        return self.sheet.write_lines(x, top, wide, said, 7) - 1.5 * _MM

    def _knocks_told(self, words: Words) -> Iterator["_Item"]:
        how = "card.how.button" if _is_deaf(self.cards) else "card.how"
        yield _Item(words.say(how), 8, _BOLD)
        for when, rows in _knocks(words):
            yield _Item(when, 6)
            for times, meaning in rows:
                yield _Item(meaning, 7.5, badge=times)

    def _scale_for(self, told: Sequence[Sequence["_Item"]], wide: float, high: float) -> float:
        """Return by how much the longest of *told* has to shrink for *high* points."""
        scale = 1.0
        while scale > _SMALLEST_SCALE and any(
            sum(self._height(one, wide, scale) for one in items) > high for items in told
        ):
            scale -= 0.02
        return scale

    def _height(self, item: "_Item", wide: float, scale: float) -> float:
        size, indent = item.size * scale, self._indent(item, scale)
        lines = self.sheet.wrapped(item.text, wide - indent, size, item.face)
        return len(lines) * size * _LEAD + _AFTER_ITEM

    def _indent(self, item: "_Item", scale: float) -> float:
        return self.sheet.badge_width(item.badge, item.size * scale) + 3 if item.badge else 0

    def _draw_items(
        self, x: float, top: float, wide: float, items: Sequence["_Item"], scale: float
    ) -> None:
        for item in items:
            size, indent = item.size * scale, self._indent(item, scale)
            if item.badge:
                self.sheet.badge(x, top, item.badge, size)
            top = self.sheet.write_lines(x + indent, top, wide - indent, item.text, size, item.face)
            top -= _AFTER_ITEM


class _Item(NamedTuple):
    """A line about knocking, of *size* points; *badge* is how often."""

    text: str
    size: float
    face: str = _PLAIN
    badge: str = ""


class _Tent:
    """The table tent: A4 upright, folded across; its upper half stands on its head."""

    def __init__(self, sheet: _Sheet, cards: SeatCards) -> None:
        self.sheet, self.cards = sheet, cards
        self.words = [_words(language, cards.game) for language in cards.languages]

    def draw(self) -> None:
        """Draw both halves, and where to fold."""
        canvas, middle = self.sheet.canvas, _PAGE_HIGH / 2
        self.sheet.line((0, middle, _PAGE_WIDE, middle), dashed=True)
        folds = " · ".join(words.say("tent.fold") for words in self.words)
        self.sheet.write(_EDGE, middle + 2, folds, 6, grey=_FAINT)
        canvas.saveState()
        canvas.translate(_PAGE_WIDE, _PAGE_HIGH)
        canvas.rotate(180)
        self._draw_way_in()
        canvas.restoreState()
        self._draw_rules()

    def _draw_way_in(self) -> None:
        wide, high = _PAGE_WIDE - 2 * _EDGE, _PAGE_HIGH / 2
        code = 92 * _MM
        self.sheet.code(_EDGE, (high + code) / 2, code, self.cards.url)
        left, room = _EDGE + code + 4 * _MM, wide - code - 4 * _MM
        title = self.cards.place or "Kloplei"
        size = self.sheet.fitting(title, 34, room)
        top = high - 30 * _MM
        self.sheet.write(left, top, title, size, _BOLD)
        top -= 10 * _MM
        for words in self.words:
            top = self.sheet.write_lines(left, top, room, words.say("tent.join"), 15, _BOLD)
            said = words.say("tent.no-phone")
            top = self.sheet.write_lines(left, top, room, said, 10.5) - 5 * _MM
        if self.cards.wifi:
            said = self.words[0].say("tent.wifi", {"name": self.cards.wifi})
            top = self.sheet.write_lines(left, top, room, said, 12)
        address = self.cards.url.removeprefix("http://").rstrip("/")
        self.sheet.write(left, top - 14, address, self.sheet.fitting(address, 13, room), _BOLD)

    def _draw_rules(self) -> None:
        wide, high = _PAGE_WIDE - 2 * _EDGE, _PAGE_HIGH / 2
        spoken = [Words(one).of_game(self.cards.game) for one in self.cards.languages]
        title = " / ".join(dict.fromkeys(_house_named(self.cards, one) for one in spoken))
        top = high - 14 * _MM
        self.sheet.write(_EDGE, top, title, self.sheet.fitting(title, 20, wide), _BOLD)
        said = " / ".join(one.say("tent.rules") for one in self.words)
        self.sheet.write(_EDGE, top - 5 * _MM, said, 9, grey=_FAINT)
        top -= 9 * _MM
        rules = [_rules(self.cards, one) for one in spoken]
        columns = rules if len(rules) > 1 else _halved(rules[0])
        gap = 6 * _MM
        column = (wide - gap) / 2
        size = self._size_for(columns, column, top - _EDGE)
        for number, found in enumerate(columns):
            self._draw_column(_EDGE + number * (column + gap), top, column, found, size)

    def _size_for(self, columns: Sequence[Sequence["_Rule"]], wide: float, high: float) -> float:
        """Return the largest size of letters at which each of *columns* fits *high* points."""
        size = _LARGEST
        while size > _SMALLEST and any(self._height(one, wide, size) > high for one in columns):
            size -= 0.25
        return size

    def _height(self, rules: Sequence["_Rule"], wide: float, size: float) -> float:
        lines = [self.sheet.wrapped(one.told, wide, size, one.face) for one in rules]
        return sum(map(len, lines)) * size * _LEAD

    def _draw_column(
        self, x: float, top: float, wide: float, rules: Sequence["_Rule"], size: float
    ) -> None:
        for one in rules:
            top = self.sheet.write_lines(x, top, wide, one.told, size, one.face)


class _Rule(NamedTuple):
    """A rule of the house in words; one *of_house* is not as its preset has it."""

    told: str
    of_house: bool

    @property
    def face(self) -> str:
        return _BOLD if self.of_house else _PLAIN


def _words(language: str, game: str) -> Words:
    """Return what stands on paper, as it is said in *game*."""
    return Words(language, domain="cards").of_game(game)


def _house_named(cards: SeatCards, words: Words) -> str:
    kind = game_kind(cards.game)
    preset = words.name("preset", cards.preset or kind.default_preset)
    return f"{words.name('game', kind.name)} · {preset}"


def _rules(cards: SeatCards, words: Words) -> list[_Rule]:
    """Return the rules that leave a choice in this house; what it does not play is left out."""
    kind = game_kind(cards.game)
    usual = kind.house_rules(cards.preset).as_written()
    house = kind.house_rules(cards.preset, cards.options)
    now, idle = house.as_written(), house.idle()
    names = [one for group in house.grouped().values() for one in group if one not in idle]
    return [
        _Rule(f"{words.name('option', one)}: {_value(now[one], words)}", now[one] != usual[one])
        for one in names
        if now[one] != usual[one] or now[one] not in _NOT_PLAYED
    ]


def _value(value: object, words: Words) -> str:
    # A number is no word: "3" is a choice of some houses, and called otherwise there.
    return str(value) if type(value) is int else words.name("option-value", str(value))


def _halved(rules: list[_Rule]) -> list[list[_Rule]]:
    half = -(-len(rules) // 2)
    return [rules[:half], rules[half:]]


def _is_deaf(cards: SeatCards) -> bool:
    """Whether the wood does not listen while one plays; a house may arm its pads all the same."""
    house = game_kind(cards.game).house_rules(cards.preset, cards.options)
    return cards.game in _BY_BUTTON and house.as_written().get("pads") != "armed"


def _knocks(words: Words) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each time to knock that the game knows, with how often and what for."""
    for when, counts in _WHEN.items():
        key = f"card.{when}"
        found = [(one, words.say(f"{key}.{one}")) for one in counts]
        known = [
            (words.say("card.hold") if one == "hold" else f"{one}×", meaning)
            for one, meaning in found
            if meaning != f"{key}.{one}"
        ]
        if known:
            yield words.say(key), known


def _breakable(text: str) -> Iterator[str]:
    """Yield the parts of *text* that stay together in a line."""
    part = ""
    for one in text:
        ends = part.endswith(" ") or (_is_wide(one) and one not in _SHUTS) or _is_wide(part[-1:])
        if part and ends and one not in _SHUTS:
            yield part
            part = ""
        part += one
    yield part


def _is_wide(letter: str) -> bool:
    return bool(letter) and ord(letter) >= _FIRST_WIDE


def _runs(row: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where dark modules begin in *row*, and how many stand there side by side."""
    at = 0
    for dark, modules in groupby(row):
        length = len(list(modules))
        if dark:
            yield at, length
        at += length
