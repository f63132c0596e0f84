"""A sound card that plays, through ALSA itself: its file plugin keeps what a card would play."""

import random
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import groupby, pairwise
from pathlib import Path
from threading import Semaphore, Thread

import pytest

from kloplei.demo.bots import next_press
from kloplei.devices import audio
from kloplei.devices.adc import PulledOut
from kloplei.devices.audio import Loudspeaker
from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction
from kloplei.games.moments import moments_between
from kloplei.voice.caller import Caller
from kloplei.voice.calls import HIGHEST_FIGURE, Phrasing, figure, phrases
from kloplei.voice.clips import RATE_HZ, attenuated
from kloplei.voice.packs import Speech
from tests.devices.conftest import ListInbox
from tests.table.seated import Tabletop
from tests.voice.test_packs import tone, write_pack

_CONF = """
<confdir:alsa.conf>
pcm.room {{
    type file
    slave.pcm {{ type null }}
    file "{file}"
    format raw
}}
pcm.nowhere {{ type hw card 97 }}
"""


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], "array[int]"]:
    """Return what tells all that was played on the device ``room`` since."""
    conf, file = tmp_path / "asound.conf", tmp_path / "room.raw"
    conf.write_text(_CONF.format(file=file))
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(conf))
    audio.alsa_library().snd_config_update_free_global()
    return lambda: array("h", file.read_bytes())


def never() -> bool:
    return False


def test_what_is_played_is_what_was_to_be_said(played: Callable[[], "array[int]"]) -> None:
    said = tone(440, 0.5)

    Loudspeaker("room").play(said, RATE_HZ, never)

    assert played() == said


def test_it_stops_when_it_is_told_to(played: Callable[[], "array[int]"]) -> None:
    asked = iter([False, False, True])

    Loudspeaker("room").play(tone(440, 2.0), RATE_HZ, lambda: next(asked))

    assert len(played()) <= 0.05 * RATE_HZ


@pytest.mark.usefixtures("played")
def test_a_card_that_is_not_there_is_named_with_what_helps() -> None:
    for name in ("nowhere", "plughw:CARD=Nobody"):
        with pytest.raises(PulledOut, match="aplay -L"):
            Loudspeaker(name).play(tone(440), RATE_HZ, never)


class Kept:
    """A loudspeaker that keeps what was played on it: ALSA begins its file anew for each call."""

    def __init__(self, played: Callable[[], "array[int]"]) -> None:
        self.calls: list[array[int]] = []
        self._speaker = Loudspeaker("room")
        self._heard = played
        self._played = Semaphore(0)

    def play(self, samples: "array[int]", rate_hz: int, stop: Callable[[], bool]) -> None:
        self._speaker.play(samples, rate_hz, stop)
        self.calls.append(self._heard())
        self._played.release()

    def wait(self) -> None:
        assert self._played.acquire(timeout=20)


def test_an_evening_is_heard_as_it_was_to_be_said(
    played: Callable[[], "array[int]"], tmp_path: Path
) -> None:
    pitches = {text: 200.0 + 20 * at for at, text in enumerate(phrases("nl"))}
    folder = write_pack(tmp_path / "packs", "nl", **pitches)
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    inbox, speaker = ListInbox(), Kept(played)
    calls, speech = Phrasing("nl"), Speech("nl", [folder])
    wanted: list[array[int]] = []
    stakes: list[int] = []
    with closing(Caller(calls, lambda: speech, speaker, inbox, volume=0.5)) as caller:
        Thread(target=caller.speak, daemon=True).start()
        board = table.board
        caller.show(board)
        for ask in ((1, "deal"), (2, "knock"), (3, "fold"), (1, "stay"), (1, "knock"), (1, "undo")):
            before, _ = board, table.ask(*ask)
            board = table.board
            caller.show(board)
            due = sorted(calls.of(moments_between(before, board), board), key=lambda c: c.urgency)
            for call in due:
                speaker.wait()
                wanted.append(attenuated(speech.sound(call) or array("h"), 0.5))
                stakes += [] if call.stake is None else [call.stake]

    assert stakes == [1, 2, 3, 2]
    assert inbox.messages == []
    assert speaker.calls == wanted


HANDS = 8
LOWEST_HZ, APART_HZ = 200.0, 20.0
"""Each piece that is called has a pitch of its own."""


def heard_in(samples: "array[int]") -> Iterator[str]:
    """Yield what is said in *samples*, by nothing but their sound."""
    texts = phrases("nl")
    breath = round(0.02 * RATE_HZ)
    parts = [any(samples[at : at + breath]) for at in range(0, len(samples), breath)]
    at = 0
    for is_loud, run in groupby(parts):
        begin, at = at, at + breath * len(list(run))
        if is_loud:
            part = samples[begin:at]
            ups = [one for one, (low, high) in enumerate(pairwise(part)) if low < 0 <= high]
            hz = RATE_HZ * (len(ups) - 1) / (ups[-1] - ups[0])
            yield texts[round((hz - LOWEST_HZ) / APART_HZ)]


@pytest.mark.parametrize("game", ["toepen", "watten"])
def test_from_the_sound_alone_one_knows_at_any_time_what_is_played_for(
    game: str, played: Callable[[], "array[int]"], tmp_path: Path
) -> None:
    pitches = {text: LOWEST_HZ + APART_HZ * at for at, text in enumerate(phrases("nl"))}
    speech = Speech("nl", [write_pack(tmp_path / "packs", "nl", **pitches)])
    figures = {figure("nl", number): number for number in range(1, HIGHEST_FIGURE + 1)}
    table = Tabletop(build=build_game, game=game, seats=4).start(1, 2, 3, 4)
    calls, speaker, dice = Phrasing("nl"), Kept(played), random.Random(5)
    stake, told, board = None, set[int | None](), table.board
    with closing(Caller(calls, lambda: speech, speaker, ListInbox())) as caller:
        Thread(target=caller.speak, daemon=True).start()
        caller.show(board)
        while len(board.hands) < HANDS:
            if (press := next_press(board, dice)) is None:
                continue
            with suppress(IllegalAction):
                table.table.submit(press.seat, press.action, facts=press.facts, now_s=table.now_s)
            before, board = board, table.board
            caller.show(board)
            for _ in calls.of(moments_between(before, board), board):
                speaker.wait()
                for text in heard_in(speaker.calls.pop(0)):
                    stake = figures.get(text, stake)
            # In Watten a raise is called as it is made, and counts once it is held.
            assert board.stake is None or stake == (board.proposed or board.stake)
            told.add(board.stake)

    assert len(told) >= 3
