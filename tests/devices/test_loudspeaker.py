"""A sound card that plays, through ALSA itself: its file plugin keeps what a card would play."""

from array import array
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Semaphore, Thread

import pytest

from kloplei.devices import audio
from kloplei.devices.adc import PulledOut
from kloplei.devices.loudspeaker import Loudspeaker
from kloplei.games.catalogue import build_game
from kloplei.games.moments import moments_between
from kloplei.voice.caller import Caller
from kloplei.voice.calls import Phrasing, phrases
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
