"""Who takes the trick? Tap the cards as they lie there, and see who takes it and why.

A trick is a `CardLayout`: cards in the order played, and what is said of them.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import product

from flask import Blueprint, Response, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.cards import SUITS, Card
from kloplei.games.catalogue import GameKind, game_kind
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.games.trick import Ask, Bench, NoTrick, NotYet, Rung, Taken
from kloplei_panel.answers import back_to, fresh_page
from kloplei_panel.context import panel
from kloplei_panel.reader import reader

bp = Blueprint("judge", __name__, url_prefix="/judge")


@bp.before_request
def go_where_tricks_are() -> AnyResponse | None:
    """Go back to the slate where the game played here has no tricks."""
    has_tricks = game_kind(panel().table.scoreboard().game).has_tricks
    return None if has_tricks else back_to("slate.page")


@bp.get("")
def page() -> Response:
    """Show an empty trick of the game that is played here."""
    return _show(at_table(panel().table.scoreboard()))


@bp.post("")
def press() -> Response:
    """Show the trick after one press; the form carries all of it along, the box keeps nothing.

    A post, not an address: what somebody says of a blind deal stays out of histories and logs.
    """
    return _show(laid_out(panel().table.scoreboard(), request.form))


@dataclass(frozen=True, slots=True)
class Lying:
    """One card that lies there; *marks* are the words said of it."""

    card: Card
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CardLayout:
    """A trick on the page: what lies there, what was *said*, and what is wrong with it."""

    kind: GameKind
    bench: Bench
    cards: tuple[Lying, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)
    wrong: Line | None = None

    @property
    def asks(self) -> Mapping[str, Ask]:
        """What people have to say of the cards that lie there, by word."""
        played = [one.card for one in self.cards]
        return {word: ask for word, ask in self.bench.asks.items() if ask.concerns(played)}

    @property
    def missing(self) -> tuple[str, ...]:
        """What people still have to say before anything can be judged.

        What is asked of certain tricks only may make no difference, so it is not among them.
        """
        return tuple(word for word, ask in self.asks.items() if not ask.led and not self.told(word))

    @property
    def is_full(self) -> bool:
        """Whether a trick has no more cards than lie there."""
        return len(self.cards) >= self.bench.most

    def told(self, word: str) -> str | None:
        """Return what was said for *word*, or else what is usual, if anything is."""
        return self.said.get(word, self.bench.asks[word].usual)

    def rows(self) -> list[list[Card | None]]:
        """Return the suits as they are tapped: a row a rank from the best down, a column a suit."""
        pack = {(card.suit, card.rank): card for card in self.bench.pack}
        ranks = next(iter(self.bench.pack)).high_to_low
        found = [[pack.get((suit, rank)) for suit in SUITS] for rank in ranks]
        return [row for row in found if any(row)]

    def beside_suits(self) -> list[Card]:
        """Return the cards that have none of the four suits, in the order of the pack."""
        return [card for card in self.bench.pack if card.suit not in SUITS]

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
        verdicts = [self._judged_by(said) for said in self._ways_to_say()]
        return verdicts[0] if all(one == verdicts[0] for one in verdicts) else None

    def _ways_to_say(self) -> list[Mapping[str, str]]:
        """Return all that may have been said: of what nobody has entered, every value."""
        told = {word: self.told(word) for word in self.asks}
        values = [(one,) if one else self.asks[word].values for word, one in told.items()]
        return [dict(zip(told, said, strict=True)) for said in product(*values)]

    def _judged_by(self, said: Mapping[str, str]) -> Taken:
        marked = {
            mark: {place for place, one in enumerate(self.cards) if mark in one.marks}
            for mark in self.bench.marks
        }
        known = {**self.bench.said, **said, **{word: at for word, at in marked.items() if at}}
        return self.kind.judge([one.card for one in self.cards], known)


def at_table(board: Scoreboard) -> CardLayout:
    """Return the empty trick of *board*, with what was said aloud of the running deal.

    It goes by nothing but what everybody at the table has heard.
    """
    kind = game_kind(board.game)
    bench = kind.bench(board.preset, board.options)
    said = {word: board.announced[word] for word in bench.asks if word in board.announced}
    return CardLayout(kind, bench, said=said)


def ladder_of(board: Scoreboard) -> tuple[Rung, ...]:
    """Return what beats what in the running deal, as far as everybody has heard what counts.

    Empty before the announcement, where nothing is announced at all, and where cards are
    always worth the same.
    """
    if not board.announced:
        return ()
    layout = at_table(board)
    if layout.missing:
        return ()
    return layout.kind.ladder({**layout.bench.said, **layout.said})


def laid_out(board: Scoreboard, form: "MultiDict[str, str]") -> CardLayout:
    """Return the trick that a posted *form* tells, after what was pressed in it.

    What cannot be is left out, and the layout says what was wrong.
    """
    layout = at_table(board)
    asked = {word: form[word] for word in layout.bench.asks if word in form}
    known = {word: ask.values for word, ask in layout.bench.asks.items()}
    said = {word: value for word, value in asked.items() if value in known[word]}
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


def written(layout: CardLayout) -> str:
    """Return the cards of *layout* as a form carries them along."""
    return " ".join("-".join((str(one.card), *sorted(one.marks))) for one in layout.cards)


def judged(layout: CardLayout) -> tuple[Taken | None, Line | None]:
    """Return who takes the trick, if that can be said, and what is wrong if anything is."""
    try:
        return layout.verdict(), layout.wrong
    except NotYet:
        return None, layout.wrong
    except NoTrick as error:
        return None, Line(f"reason.{error.reason}", error.facts)
    except KlopleiError:
        return None, Line("reason.no_trick")


def _with_card(layout: CardLayout, name: str, marks: frozenset[str] = frozenset()) -> CardLayout:
    card = next((one for one in layout.bench.pack if str(one) == name), None)
    if card is None:
        return replace(layout, wrong=Line("reason.unknown_card"))
    if layout.lies(card):
        return replace(layout, wrong=Line("reason.card_twice", {"card": str(card)}))
    if layout.is_full:
        return replace(layout, wrong=Line("reason.trick_size", {"most": layout.bench.most}))
    return replace(layout, cards=(*layout.cards, Lying(card, marks)))


def _marked(layout: CardLayout, name: str) -> CardLayout:
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


def _show(layout: CardLayout) -> Response:
    board = reader().reads(panel().table.scoreboard())
    taken, wrong = judged(layout)
    return fresh_page(
        "judge/page.html",
        reader=reader().at(board),
        board=board,
        layout=layout,
        cards=written(layout),
        taken=taken,
        wrong=wrong,
    )
