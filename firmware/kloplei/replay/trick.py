"""Judge records: who played what to one trick, and who takes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kloplei.files import KlopleiError
from kloplei.replay.house import read_options
from kloplei.replay.record import Difference, Outcome, differs
from kloplei.replay.yaml_values import REMARKS, Value, check_keys
from kloplei.rules.cards import Card, read_cards
from kloplei.rules.catalogue import GameKind

_NEEDED = {"id", "plays", "winner"}
_ALLOWED = {*REMARKS, "game"}


@dataclass(frozen=True, slots=True)
class TrickRecord:
    """One trick: *cards* by who played them, in order, and who must take it."""

    file: str
    line: int
    id: str
    kind: GameKind
    cards: dict[str, Card]
    took: str
    why: str | None
    besides: Mapping[str, object]
    wanted: str

    def play(self) -> Outcome:
        """Compare the winner with what the record says."""
        final: dict[str, object] = {"winner": self.took, "card": str(self.cards[self.took])}
        if self.why:
            final["why"] = self.why
        final.update(self.besides)
        difference = None
        if self.took != self.wanted:
            sentence = differs("winner", self.wanted, self.took)
            difference = Difference(f"{self.file}:{self.line}", self.id, "the trick", sentence)
        return Outcome(
            {"id": self.id, "game": self.kind.name, "steps": [], "final": final}, difference
        )


def read_trick(value: Value, kind: GameKind) -> TrickRecord:
    """Return the judge record of the game *kind* written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a trick")
    check_keys(found, value, "a trick", _NEEDED, _ALLOWED | set(kind.judged_by))
    cards = _read_plays(found["plays"], kind)
    names = list(cards)
    said = {
        word: _READERS[word](found[word], word, cards) for word in kind.judged_by if word in found
    }
    try:
        taken = kind.judge(list(cards.values()), said)
    except KlopleiError as error:
        raise found["plays"].wrong(str(error)) from None
    return TrickRecord(
        file=value.file,
        line=found["winner"].line,
        id=found["id"].label("id"),
        kind=kind,
        cards=cards,
        took=names[taken.place],
        why=taken.why,
        besides=taken.besides,
        wanted=_read_name(found["winner"], "winner", cards),
    )


def _read_plays(value: Value, kind: GameKind) -> dict[str, Card]:
    names: list[str] = []
    cards: list[str] = []
    for play in value.items("plays"):
        pair = play.items("a play")
        if len(pair) != 2:
            raise play.wrong("a play must be a player and a card, as in [A, H10].")
        name = pair[0].text("a player")
        if name in names:
            raise play.wrong(f"{name!r} plays twice to this trick.")
        names.append(name)
        cards.append(pair[1].text("a card"))
    try:
        return dict(zip(names, read_cards(cards, kind.pack), strict=True))
    except KlopleiError as error:
        raise value.wrong(str(error)) from None


def _read_name(value: Value, what: str, cards: dict[str, Card]) -> str:
    name = value.text(what)
    if name not in cards:
        raise value.wrong(f"{what} is {name!r}, who played no card.")
    return name


def _read_folded(value: Value, what: str, cards: dict[str, Card]) -> object:
    names = list(cards)
    return {names.index(_read_name(one, what, cards)) for one in value.items(what)}


def _read_word(value: Value, what: str, _: dict[str, Card]) -> object:
    return value.label(what)


def _read_options(value: Value, what: str, _: dict[str, Card]) -> object:
    return {name: written for name, (_, written) in read_options({what: value}).items()}


_READERS: dict[str, Callable[[Value, str, dict[str, Card]], object]] = {
    "folded": _read_folded,
    "options": _read_options,
    **dict.fromkeys(("variant", "schlag", "trump", "set", "trick", "named"), _read_word),
}
"""How a record writes what a judge may be told."""
