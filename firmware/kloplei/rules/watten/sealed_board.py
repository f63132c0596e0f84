"""What people are told of the seal: that there is one, which cards lie, and at last what it was.

As long as a deal runs nothing here looks under the seal; `kloplei.rules.watten.sealed` does.
"""

from collections.abc import Iterator

from kloplei.rules.scoreboard import Line, Tone
from kloplei.rules.watten.sealed import next_to_lay
from kloplei.rules.watten.state import PlayedDeal, State


def told(state: State) -> tuple[Line, ...]:
    """Return what has to be said of *state* besides its news."""
    if state.deal_running:
        return (*_who_has_yet_to_show(state), *_that_it_is_sealed(state), *_what_lies(state))
    if not state.deals:
        return ()
    last = state.deals[-1]
    return (*told_of(last), *_tricks(last))


def told_of(deal: PlayedDeal) -> tuple[Line, ...]:
    """Return what had been sealed in *deal*, which is over, if anything was."""
    if deal.seal.is_blank:
        return ()
    facts = {"rank": deal.seal.rank, "suit": deal.seal.suit}
    return (Line("news.seal-opened", facts, Tone.TOLD),)


def _who_has_yet_to_show(state: State) -> Iterator[Line]:
    left = [seat for seat in state.knowing if seat not in state.deal.confirmed]
    if len(left) == 1 and not state.deal.announced:
        yield Line("told.waits-for", {"seat": left[0]})


def _that_it_is_sealed(state: State) -> Iterator[Line]:
    seal = state.deal.seal
    if seal.is_whole:
        yield Line("told.sealed")
    elif seal.rank is not None:
        yield Line("told.schlag-sealed")
    elif seal.suit is not None:
        yield Line("told.trump-sealed")


def _what_lies(state: State) -> Iterator[Line]:
    if state.deal.lying:
        facts = {"card": state.deal.lying, "next": next_to_lay(state)}
        yield Line("told.cards-lie", facts)


def _tricks(deal: PlayedDeal) -> Iterator[Line]:
    for trick in deal.laid:
        yield Line("told.trick", {"card": trick.cards, "seat": trick.took})
