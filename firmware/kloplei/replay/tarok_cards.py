"""Judge and count records of Tarok: who takes a trick, and what a pile is worth (§ 10)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kloplei.files import KlopleiError
from kloplei.replay.house import read_options
from kloplei.replay.record import Difference, Outcome, differs
from kloplei.replay.yaml_values import REMARKS, Value, check_keys
from kloplei.rules.cards import read_cards
from kloplei.rules.tarok import PACK, judge
from kloplei.rules.tarok.counting import BadPile, Pile, count

_JUDGED = {"set", "trick", "named", "options", "pips"}
_PILE = {"size", "fives", "queens", "cavaliers", "jacks"}


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A trick or piles that have been judged: what *came*, and what was *wanted* of it."""

    file: str
    id: str
    came: Mapping[str, object]
    wanted: Mapping[str, tuple[object, int]]
    what: str

    def play(self) -> Outcome:
        """Compare what came with what the record says."""
        report = {"id": self.id, "game": "tarok", "steps": [], "final": self.came}
        for key, (wanted, line) in self.wanted.items():
            came = self.came.get(key)
            # Where nothing came of it, a record may say so or leave it away.
            if came != wanted and (came or wanted):
                where, sentence = f"{self.file}:{line}", differs(key, wanted, came)
                return Outcome(report, Difference(where, self.id, self.what, sentence))
        return Outcome(report, None)


def read_judged(value: Value) -> CardRecord:
    """Return the judge record written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a trick")
    check_keys(found, value, "a trick", {"id", "cards"}, {*REMARKS, "game", *_JUDGED, *_WANTED})
    names = [one.text("a card") for one in found["cards"].items("cards")]
    try:
        taken = judge(read_cards(names, PACK), _said(found))
    except KlopleiError as error:
        raise found["cards"].wrong(str(error)) from None
    return CardRecord(
        file=value.file,
        id=found["id"].label("id"),
        came={"winner": taken.place + 1, **taken.besides},
        wanted={
            key: (_WANTED[key](found[key]), found[key].line) for key in _WANTED if key in found
        },
        what="the trick",
    )


def read_count(value: Value) -> CardRecord:
    """Return the record of a pile, or of several, written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a count")
    check_keys(
        found, value, "a count", {"id", "points"}, {*REMARKS, "game", "set", "cards", "piles"}
    )
    if ("cards" in found) == ("piles" in found):
        raise value.wrong("a count has either 'cards' or 'piles'.")
    came = _counted(found["piles"]) if "piles" in found else _pile_of(found["cards"])
    points = found["points"]
    wanted = _points_by_name(points) if "piles" in found else points.whole("points")
    return CardRecord(
        value.file, found["id"].label("id"), came, {"points": (wanted, points.line)}, "the count"
    )


def _said(found: Mapping[str, Value]) -> dict[str, object]:
    said: dict[str, object] = {
        word: found[word].label(word) for word in ("set", "trick", "named") if word in found
    }
    options = {name: written for name, (_, written) in read_options(found).items()}
    if "pips" in found:
        options["pips"] = found["pips"].text("pips")
    return {**said, "options": options}


def _places(value: Value) -> dict[str, list[int]]:
    return {
        event: [one.whole(f"a place of {event}") for one in places.items(event)]
        for event, places in value.mapping("events").items()
    }


def _last(value: Value) -> dict[int, str]:
    """Return what lay at each place; YAML's keys are numbers here."""
    return {
        place: card.text(f"the card at {place}") for place, card in value.numbered("last").items()
    }


def _points_by_name(value: Value) -> dict[str, int]:
    return {name: one.whole(f"points of {name}") for name, one in value.mapping("points").items()}


def _winner(value: Value) -> int:
    return value.whole("winner")


def _fool(value: Value) -> str:
    return value.text("fool")


def _warnings(value: Value) -> list[str]:
    return [one.text("a warning") for one in value.items("warnings")]


_WANTED: Mapping[str, Callable[[Value], object]] = {
    "winner": _winner,
    "events": _places,
    "last": _last,
    "fool": _fool,
    "warnings": _warnings,
}


def _pile_of(value: Value) -> dict[str, object]:
    names = [one.text("a card") for one in value.items("cards")]
    try:
        return {"points": count(read_cards(names, PACK))}
    except KlopleiError as error:
        raise value.wrong(str(error)) from None


def _counted(value: Value) -> dict[str, object]:
    piles = {name: _pile(one, name) for name, one in value.mapping("piles").items()}
    uneven = [name for name, pile in piles.items() if pile.is_uneven]
    points = {name: pile.points for name, pile in piles.items()}
    return {"points": points, **({"warnings": uneven} if uneven else {})}


def _pile(value: Value, name: str) -> Pile:
    what = f"the pile of {name}"
    found = value.mapping(what)
    check_keys(found, value, what, {"size"}, _PILE)
    try:
        return Pile(**{key: one.whole(f"{key} of {what}") for key, one in found.items()})
    except BadPile as error:
        raise value.wrong(str(error)) from None
