"""Who takes a trick of Watten (§ 4)."""

from collections.abc import Mapping, Sequence
from typing import cast

from kloplei.rules.cards import RANKS, SUITS, Card
from kloplei.rules.trick import Ask, Bench, NoTrick, Rung, Taken
from kloplei.rules.watten.options import PRESETS, VARIANTS, Options
from kloplei.rules.watten.ranking import WELI, WELI_RANK, Announced, Ranking, pack_of

_MOST_CARDS = {"bohemian": 6}
_CARDS = 4
_NO_OPTIONS: Mapping[str, object] = {}


def bench(preset: str, written: Mapping[str, object]) -> Bench:
    """Return what a trick is judged by at a table with the house rules *preset* and *written*.

    Raises:
        BadOption: A house rule that Watten does not have.
    """
    options = Options.from_mapping(written, PRESETS[preset])
    said = {"variant": options.variant, "options": options.as_facts()}
    ranks = (WELI_RANK, *RANKS) if options.six_may_be_schlag else RANKS
    asks = {"schlag": Ask(ranks, "rank"), "trump": Ask(SUITS, "suit")}
    if _has_no_schlag(options):
        del asks["schlag"]
    return Bench(pack_of(options), _most_cards(options), said, asks)


def judge(cards: Sequence[Card], said: Mapping[str, object]) -> Taken:
    """Return who takes the trick of *cards*, in the order they were played.

    Args:
        cards: At most as many as there may be players.
        said: ``variant`` (Tyrol without), ``schlag`` and ``trump`` as announced, ``options``.

    Raises:
        NoTrick: These cards are no trick, or it was not said what they are judged by.
        BadOption: A house rule that Watten does not have.
    """
    options = _options(said)
    announced = _announced(options, said)
    most = _most_cards(options)
    if not 1 <= len(cards) <= most:
        raise NoTrick(
            f"A trick of this Watten has 1 to {most} cards, not {len(cards)}.",
            "trick_size",
            most=most,
        )
    if WELI in cards and not options.has_weli:
        raise NoTrick("The Weli is not in the pack of this house.", "unknown_card")
    return Ranking(options, announced).best(cards)


def ladder(said: Mapping[str, object]) -> tuple[Rung, ...]:
    """Return what beats what by all that was *said* (see `judge`), the best first.

    Raises:
        NoTrick: It was not said what cards are judged by.
        BadOption: A house rule that Watten does not have.
    """
    options = _options(said)
    return Ranking(options, _announced(options, said)).ladder(pack_of(options))


def _most_cards(options: Options) -> int:
    return _MOST_CARDS.get(options.variant, _CARDS)


def _has_no_schlag(options: Options) -> bool:
    return options.everyone_alone and options.bohemian_schlag == "no rank"


def _options(said: Mapping[str, object]) -> Options:
    variant = str(said.get("variant", "tyrol")).lower()
    if variant not in VARIANTS:
        raise NoTrick(f"Watten has no variant {variant!r:.40}; it has {', '.join(VARIANTS)}.")
    written = cast("Mapping[str, object]", said.get("options", _NO_OPTIONS))
    options = Options.from_mapping(written, VARIANTS[variant])
    if "variant" in said and options.variant != VARIANTS[variant].variant:
        raise NoTrick(f"The variant is {variant!r}, but an option makes it {options.variant!r}.")
    return options


def _announced(options: Options, said: Mapping[str, object]) -> Announced:
    trump = _one_of("trump", (*SUITS,), said)
    if _has_no_schlag(options):
        return Announced(None, trump)
    schlag = _one_of("schlag", (WELI_RANK, *RANKS), said)
    if schlag == WELI_RANK and not options.six_may_be_schlag:
        raise NoTrick("In this Watten the six cannot be the Schlag.", "weli_rank_forbidden")
    return Announced(schlag, trump)


def _one_of(what: str, known: tuple[str, ...], said: Mapping[str, object]) -> str:
    if what not in said:
        raise NoTrick(f"Say the {what} as well: {' '.join(known)}.", "not_announced")
    written = str(said[what]).strip().upper()
    if written not in known:
        raise NoTrick(
            f"The {what} cannot be {str(said[what])!r:.40}; it is one of {' '.join(known)}."
        )
    return written
