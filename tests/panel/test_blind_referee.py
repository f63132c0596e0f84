"""Nobody hears from the box what is trump in Blind Watten before the deal is over.

The same deal is played twice, with two different things under the seal, and every byte that any
client receives is compared. Whatever depended on the seal, however it is written, would differ.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from kloplei.games.cards import GERMAN_SUITS
from kloplei.games.game import SECRET, Action, Event, Facts, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.watten import actions, apply, blind, view
from kloplei.games.watten.legality import Referee
from kloplei.games.watten.state import State
from kloplei.slate.painter import FrameRequest, Presenter
from kloplei.table.ledger import Ledger
from kloplei.words import LANGUAGES, Words
from tests.panel.blind_deals import Deal, Seal, overheard, overheard_until_play
from tests.panel.eavesdropping import first_difference


def opened(seal: Seal, language: str) -> str:
    words = Words(language).of_game("watten", GERMAN_SUITS)
    return words.say("news.seal-opened", {"rank": seal.rank, "suit": seal.suit})


WAYS = {"keeper": 3, "face to face": 4, "one for both": 5, "own": 9}
"""How the two who know show each other what they seal, and a seed at which they do."""


@pytest.mark.parametrize("seed", WAYS.values(), ids=WAYS)
def test_whatever_is_sealed_everybody_gets_the_same_bytes(seed: int, tmp_path: Path) -> None:
    """It takes seconds: after each of some thirty asks the pages are drawn for everybody."""
    deal = Deal(seed)
    assert WAYS[deal.way] == seed

    one, one_end = overheard(tmp_path / "one", deal, 0)
    other, other_end = overheard(tmp_path / "other", deal, 1)

    assert first_difference(one, other) is None
    assert first_difference(one_end, other_end) is not None
    for seal, before, end in zip(deal.seals, (one, other), (one_end, other_end), strict=True):
        for language in LANGUAGES:
            sentence = opened(seal, language).encode()
            assert not any(sentence in leaf.got for leaf in before)
            assert any(sentence in leaf.got for leaf in end)


# Would the test above see a leak? Each of these makes one, and it must be found.


def told_in_the_news(leaks: pytest.MonkeyPatch) -> None:
    honest_news = apply.Course.news

    def news_of(event: Event) -> Line | None:
        if isinstance(event, actions.SchlagSealed):
            return Line("news.schlag-sealed", {"seat": event.seat, "rank": event.rank})
        return honest_news(event)

    leaks.setattr(apply.Course, "news", staticmethod(news_of))


def told_with_a_refusal(leaks: pytest.MonkeyPatch) -> None:
    facts = Referee.facts

    def more_facts(self: Referee, action: Action) -> Facts:
        return {**facts(self, action), "rank": self.state.deal.seal.rank}

    leaks.setattr(Referee, "facts", more_facts)


def seen_in_what_is_offered(leaks: pytest.MonkeyPatch) -> None:
    def why_not_seal(state: State) -> str | None:
        # As if nobody had to enter again what lies there already.
        return "too_late" if state.deal.seal.suit in ("H", "D") else None

    leaks.setattr(blind, "_why_not_seal", why_not_seal)


def repeated_to_who_got_it_wrong(leaks: pytest.MonkeyPatch) -> None:
    leaks.delitem(cast("dict[str, object]", SECRET), "secret")


def written_into_a_log_file(leaks: pytest.MonkeyPatch) -> None:
    done = Ledger.do

    def do(self: Ledger, action: Action, *, seat: Seat | None, via: str, **more: Any) -> int:
        if isinstance(action, actions.SealTrump):
            logging.getLogger("kloplei.table").debug("seat %s seals %s", seat, action.suit)
        return done(self, action, seat=seat, via=via, **more)

    leaks.setattr(Ledger, "do", do)


def shown_by_a_pixel_of_the_slate(leaks: pytest.MonkeyPatch) -> None:
    lit = [False]  # no board holds the secret: the slate would have to be told by another way
    told, frame_at = blind.told, Presenter.frame_at

    def told_and_more(state: State) -> tuple[Line, ...]:
        lit[0] = state.deal.seal.rank == "9"
        return told(state)

    def hanging_and_more(self: Presenter, now_s: float) -> FrameRequest:
        hung = frame_at(self, now_s)
        if hung.image and lit[0]:
            hung.image.putpixel((127, 63), 1)
        return hung

    leaks.setattr(view, "told", told_and_more)
    leaks.setattr(Presenter, "frame_at", hanging_and_more)


LEAKS = {
    told_in_the_news: "/api/v1/scoreboard, after ask",
    told_with_a_refusal: "the asker's answer",
    seen_in_what_is_offered: "the page of 1, after ask",
    repeated_to_who_got_it_wrong: "the asker's answer",
    written_into_a_log_file: "the log files, after ask",
    shown_by_a_pixel_of_the_slate: "the slate after 14.0 s, after ask",
}
"""What leaks, and where it comes to light first."""


def first_leak(folder: Path) -> str | None:
    deal = Deal(0, (Seal("9", "H"), Seal("K", "C")))
    one = overheard_until_play(folder / "one", deal, 0)
    other = overheard_until_play(folder / "other", deal, 1, as_long_as_like=one)
    return first_difference(one[: len(other)], other) or first_difference(one, other)


@pytest.mark.parametrize(("leak", "where"), LEAKS.items(), ids=[one.__name__ for one in LEAKS])
def test_a_leak_is_found(
    leak: Callable[[pytest.MonkeyPatch], None],
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the test above would prove nothing."""
    leak(monkeypatch)

    assert (first_leak(tmp_path) or "nowhere").startswith(where)


def test_without_a_leak_none_is_found(tmp_path: Path) -> None:
    assert first_leak(tmp_path) is None
