"""A trick as it is laid out on a page: cards in the order played, and what is said of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from werkzeug.datastructures import MultiDict

from kloplei.errors import KlopleiError
from kloplei.rules.cards import LOW_TO_HIGH, SUITS, Card
from kloplei.rules.catalogue import GameKind, game_kind
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.rules.trick import Bench, NoTrick, Rung, Taken

_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Lying:
    """One card that lies there; *marks* are the words said of it."""

    card: Card
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """A trick on the page: what lies there, what was *said*, and what is wrong with it."""

    kind: GameKind
    bench: Bench
    cards: tuple[Lying, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)
    wrong: Line | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """What people still have to say before anything can be judged."""
        return tuple(word for word in self.bench.asks if word not in self.said)

    @property
    def is_full(self) -> bool:
        """Whether a trick has no more cards than lie there."""
        return len(self.cards) >= self.bench.most

    def rows(self) -> list[list[Card | None]]:
        """Return the pack as it is tapped: a row a rank from the best down, a column a suit."""
        pack = set(self.bench.pack)
        found = [[Card(suit, rank) for suit in SUITS] for rank in reversed(LOW_TO_HIGH)]
        return [
            [card if card in pack else None for card in row] for row in found if pack & set(row)
        ]

    def lies(self, card: Card) -> bool:
        """Return whether *card* lies there."""
        return any(one.card == card for one in self.cards)

    def verdict(self) -> Taken | None:
        """Return who takes the trick, or None while nothing can be judged.

        Raises:
            NoTrick: These cards are no trick.
        """
        if not self.cards or self.missing:
            return None
        marked = {
            mark: {place for place, one in enumerate(self.cards) if mark in one.marks}
            for mark in self.bench.marks
        }
        said = {**self.bench.said, **self.said, **{word: at for word, at in marked.items() if at}}
        return self.kind.judge([one.card for one in self.cards], said)


def at_table(board: Scoreboard) -> Layout:
    """Return the empty trick of *board*, with what was said aloud of the running deal.

    It goes by nothing but what everybody at the table has heard.
    """
    kind = game_kind(board.game)
    bench = kind.bench(board.preset, board.options)
    said = {word: board.announced[word] for word in bench.asks if word in board.announced}
    return Layout(kind, bench, said=said)


def ladder_of(board: Scoreboard) -> tuple[Rung, ...]:
    """Return what beats what in the running deal, as far as everybody has heard what counts.

    Empty before the announcement, where nothing is announced at all, and where cards are
    always worth the same.
    """
    layout = at_table(board)
    if not board.announced or layout.missing:
        return ()
    return layout.kind.ladder({**layout.bench.said, **layout.said})


def laid_out(board: Scoreboard, form: "MultiDict[str, str]") -> Layout:
    """Return the trick that a posted *form* tells, after what was pressed in it.

    What cannot be is left out, and the layout says what was wrong.
    """
    layout = at_table(board)
    asked = {word: form[word] for word in layout.bench.asks if word in form}
    said = {word: value for word, value in asked.items() if value in layout.bench.asks[word]}
    layout = replace(layout, said=said if "said" in form else layout.said)
    for one in form.get("cards", "").split():
        name, *marks = one.split("-")
        layout = _with_card(layout, name, frozenset(marks) & set(layout.bench.marks))
    if "lay" in form:
        return _with_card(layout, form["lay"])
    if "mark" in form:
        return _marked(layout, form["mark"])
    if "take_back" in form:
        return replace(layout, cards=layout.cards[:-1])
    return replace(layout, cards=()) if "clear" in form else layout


def written(layout: Layout) -> str:
    """Return the cards of *layout* as a form carries them along."""
    return " ".join("-".join((str(one.card), *sorted(one.marks))) for one in layout.cards)


def judged(layout: Layout) -> tuple[Taken | None, Line | None]:
    """Return who takes the trick, if that can be said, and what is wrong if anything is."""
    try:
        return layout.verdict(), layout.wrong
    except NoTrick as error:
        return None, Line(f"reason.{error.reason}", error.facts)
    except KlopleiError:
        return None, Line("reason.no_trick")


def _with_card(layout: Layout, name: str, marks: frozenset[str] = frozenset()) -> Layout:
    card = Card(name[:1], name[1:])
    if card not in layout.bench.pack:
        return replace(layout, wrong=Line("reason.unknown_card"))
    if layout.lies(card):
        return replace(layout, wrong=Line("reason.card_twice", {"card": str(card)}))
    if layout.is_full:
        return replace(layout, wrong=Line("reason.trick_size", {"most": layout.bench.most}))
    return replace(layout, cards=(*layout.cards, Lying(card, marks)))


def _marked(layout: Layout, name: str) -> Layout:
    """Return *layout* with the mark on one card put there, or taken away; *name* is both."""
    card, _, mark = name.partition("-")
    if mark not in layout.bench.marks:
        return layout
    return replace(
        layout,
        cards=tuple(
            replace(one, marks=one.marks ^ {mark}) if str(one.card) == card else one
            for one in layout.cards
        ),
    )
