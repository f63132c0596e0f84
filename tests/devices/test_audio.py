"""A sound card as a converter: its clock, what is lost, and how it comes back."""

import errno
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest

from kloplei.config.settings import AudioConfig, Config, SeatPins, TableConfig
from kloplei.devices import audio, sampling
from kloplei.devices.adc import PulledOut
from kloplei.devices.audio import (
    S16,
    S24,
    S24_PACKED,
    S32,
    AlsaPcm,
    CapturePcm,
    Overrun,
    SampleClock,
    SampleFormat,
    SoundCard,
    capture_devices,
    open_card,
)
from kloplei.devices.box import Box
from kloplei.devices.pins import FaultRegistry
from kloplei.devices.sampling import AdcSource
from kloplei.knock import KnockHeard
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block
from kloplei.simulation.table_top import TableTop
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from kloplei.words import LANGUAGES, Sentence, Words
from tests.devices.chips import eventually
from tests.devices.conftest import ListInbox
from tests.devices.sound_cards import (
    PERIOD,
    CardWithFormats,
    CardWithMishaps,
    PacedPcm,
    alsa_card,
    as_format,
    everybody_knocks,
    interleaved,
    played_in,
    recorded_knock,
)

Start = Callable[..., tuple[AdcSource, list[Block]]]


def card_of(
    *cards: PacedPcm | Exception, clock: list[float], channels: tuple[int, ...] = (0,)
) -> SoundCard:
    """Return a card that is each of *cards* in its turn, an error where there is none."""
    coming = iter(cards)

    def open_pcm() -> CapturePcm:
        one = next(coming)
        if isinstance(one, Exception):
            raise one
        return one

    return SoundCard(open_pcm, channels, lambda: clock[0])


@pytest.mark.parametrize(
    ("rate_hz", "heard_hz"),
    [(8000, 8000), (16000, 8000), (22050, 11025), (44100, 8820), (48000, 8000)],
)
def test_what_is_faster_than_the_ears_is_brought_down_by_means(
    rate_hz: int, heard_hz: float
) -> None:
    now_s = [100.0]
    card = card_of(PacedPcm(now_s, lambda frame, _: frame % 2000, rate_hz=rate_hz), clock=now_s)
    times = round(rate_hz / heard_hz)

    samples = [one for _ in range(4) for one in card.burst().channels[0]]

    means = [(at * times + (times - 1) / 2) / 32768 for at in range(len(samples))]
    assert len(samples) / (now_s[0] - 100) == pytest.approx(heard_hz, rel=0.002)
    assert samples[: 1999 // times] == pytest.approx(means[: 1999 // times])


def test_a_tone_that_would_fold_back_is_much_softer_than_one_that_is_listened_to() -> None:
    def loudness(hz: float) -> float:
        now_s = [0.0]
        tone = PacedPcm(now_s, lambda at, _: round(30000 * math.sin(math.tau * hz * at / 48000)))
        samples = card_of(tone, clock=now_s).burst().channels[0]
        return math.hypot(*samples) / math.sqrt(len(samples))

    assert loudness(7500) < loudness(500) / 10


def test_only_the_channels_that_are_wired_are_read_in_their_order() -> None:
    now_s = [0.0]
    pcm = PacedPcm(now_s, lambda _, channel: 1000 * channel, rate_hz=8000, channels=4)

    burst = card_of(pcm, clock=now_s, channels=(1, 3)).burst()

    assert [channel[0] * 32768 for channel in burst.channels] == pytest.approx([1000, 3000])


@pytest.mark.parametrize("fast_ppm", [-180.0, 0.0, 45.0])
def test_the_drift_is_measured_though_who_reads_is_late_at_times(fast_ppm: float) -> None:
    luck = random.Random(3)
    now_s = [5000.0]
    pcm = PacedPcm(now_s, fast_ppm=fast_ppm, late_s=lambda _: luck.uniform(0, 0.003))
    clock = SampleClock(48000)

    def hear(periods: int) -> None:
        for _ in range(periods):
            clock.start_s(len(pcm.read()), now_s[0])

    hear(300)
    early = clock.drift_ppm
    hear(3000)

    assert early is None
    assert clock.drift_ppm == pytest.approx(fast_ppm, abs=20)


def test_a_late_reader_bends_no_time_of_a_sample() -> None:
    """A busy Pi comes back 60 ms late, and then reads at once what the card has kept."""
    now_s = [0.0]
    pcm = PacedPcm(now_s, late_s=lambda period: 0.06 if period % 100 == 99 else 0.0)
    card = card_of(pcm, clock=now_s)

    starts_s = [card.burst().start_s for _ in range(1000)]

    off_s = [start_s - 0.016 * at for at, start_s in enumerate(starts_s)]
    assert max(map(abs, off_s)) < 0.005


def test_frames_that_a_sound_server_lost_without_a_word_bend_no_line() -> None:
    now_s = [0.0]
    pcm = PacedPcm(now_s, fast_ppm=50)
    pcm.lost_before = 1000
    card = card_of(pcm, clock=now_s)

    starts_s = [card.burst().start_s for _ in range(2500)]

    assert starts_s[-1] - 2499 * 0.016 == pytest.approx(0.3, abs=0.005)
    assert card.drift_ppm == pytest.approx(50, abs=20)


@pytest.fixture
def start(inbox: ListInbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setattr(sampling, "FIRST_PAUSE_S", 0.001)
    sources: list[AdcSource] = []

    def started(card: SoundCard, *pcms: PacedPcm) -> tuple[AdcSource, list[Block]]:
        source = AdcSource(card, 1, 8000.0, FaultRegistry(inbox))
        blocks: list[Block] = []
        queue = source._queue
        for pcm in pcms:
            pcm.is_ahead = lambda: len(queue._blocks) > 4 and not queue.is_closed
        sources.append(source)
        source.start(blocks.append)
        return source, blocks

    yield started
    for source in sources:
        source.close()


GONE = PulledOut(Sentence("no-sound-card", device="plughw:CARD=Device", there="default"))


def test_a_card_that_is_pulled_out_is_told_and_heard_again_when_it_is_back(
    start: Start, inbox: ListInbox, caplog: pytest.LogCaptureFixture
) -> None:
    now_s = [0.0]
    first, second = PacedPcm(now_s), PacedPcm(now_s, lambda frame, _: 16000)
    first.pulled_before = 40

    _, blocks = start(card_of(first, GONE, GONE, second, clock=now_s), first, second)

    assert eventually(lambda: any(max(block.channels[0]) > 0.4 for block in blocks))
    gone, missing, healed = inbox.messages[:3]
    assert isinstance(gone, PartFailed)
    assert isinstance(missing, PartFailed)
    assert (gone.part, gone.trouble) == ("piezos", Trouble.PART)
    assert "The sound card is gone (No such device). Plug it in again" in gone.message
    assert "name one that is there ([audio] device): default" in missing.message
    assert healed == PartHealed("piezos")
    assert first.closed == 1
    assert [one.split(" (")[0] for one in caplog.messages] == [
        "piezos: The sound card is gone",
        "piezos: There is no sound card plughw:CARD=Device. Plug it in, or name one that is there",
    ]


def test_a_card_that_comes_after_the_box_is_heard_when_it_comes(
    start: Start, inbox: ListInbox
) -> None:
    now_s = [0.0]
    pcm = PacedPcm(now_s)

    _, blocks = start(card_of(*[GONE] * 5, pcm, clock=now_s), pcm)

    assert eventually(lambda: blocks)
    assert inbox.messages[-1] == PartHealed("piezos")


@pytest.mark.parametrize("fast_ppm", [-300.0, 0.0, 300.0])
def test_nobody_waits_for_a_real_card_longer_than_it_takes(fast_ppm: float) -> None:
    now_s, slept_s = [50.0], [0.0]
    late = {100: 0.3, 700: 0.06}  # and what it has kept meanwhile is fetched at once

    def sleep(seconds: float) -> None:
        slept_s[0] += seconds

    pcm = PacedPcm(
        now_s, rate_hz=8000, fast_ppm=fast_ppm, late_s=lambda period: late.get(period, 0.0)
    )
    card = SoundCard(lambda: pcm, (0,), lambda: now_s[0], sleep)

    for _ in range(2000):
        card.burst()

    assert slept_s == [0.0]


def test_what_the_card_lost_is_counted_told_and_leaves_a_gap(
    start: Start, inbox: ListInbox
) -> None:
    now_s = [0.0]
    pcm = PacedPcm(now_s)
    pcm.overruns = [100]

    source, blocks = start(card_of(pcm, clock=now_s), pcm)

    assert eventually(lambda: inbox.failures)
    assert inbox.failures[0].trouble is Trouble.OVERRUN
    assert source.pace.missed == pytest.approx(0.5 * 8000, rel=0.05)

    def gap_s() -> float:
        return max((two.start_s - one.end_s for one, two in pairwise(tuple(blocks))), default=0.0)

    assert eventually(lambda: gap_s() > 0.1)
    assert gap_s() == pytest.approx(0.5, abs=0.02)


def test_how_far_its_clock_is_off_ours_is_known_after_half_a_minute(start: Start) -> None:
    now_s = [0.0]
    pcm = PacedPcm(now_s, rate_hz=8000, fast_ppm=150)

    source, blocks = start(card_of(pcm, clock=now_s), pcm)

    assert eventually(lambda: source.pace.drift_ppm is not None)
    assert blocks[0].start_s == pytest.approx(0.0, abs=0.001)  # nothing of it was for a trial
    assert source.pace.drift_ppm == pytest.approx(150, abs=20)
    assert source.pace.missed == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("number", "key"), [(errno.EBUSY, "busy"), (errno.EACCES, "forbidden"), (errno.ENODEV, "no")]
)
def test_why_a_card_cannot_be_opened_is_said_with_what_to_do(
    language: str, number: int, key: str
) -> None:
    said = audio._why_shut("plughw:CARD=Device", number)

    told = Words(language).tell(said)
    assert "plughw:CARD=Device" in told
    assert ("[audio] device" in told) == (key == "no")
    assert ("sudo /usr/libexec/kloplei/sound-card on" in told) == (key == "forbidden")


FORMATS = (S16, S32, S24, S24_PACKED)


def heard_through(
    kind: SampleFormat,
    wave: Sequence[float],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    bits: int,
    rate_hz: int = 48000,
) -> list[float]:
    """Return the samples that the ears get of *wave* through ALSA, from a card of that format."""
    monkeypatch.setattr(audio, "alsa_library", lambda: CardWithFormats(kind))
    period = round(0.016 * rate_hz)
    clock = count(0, 0.016)  # a burst a period, however fast the pipe is
    heard: list[float] = []
    with (
        alsa_card(folder, monkeypatch.setenv) as write,
        closing(
            SoundCard(lambda: AlsaPcm("table", 1, rate_hz, bits), (0,), lambda: next(clock))
        ) as card,
    ):
        for at in range(0, len(wave), period):
            write(as_format(kind, wave[at : at + period]))
            heard += card.burst().channels[0]
    return heard


def judged(samples: list[float]) -> list[Judgement]:
    """Return what is made of *samples* at 8 kHz."""
    listener = Listener()
    blocks = (
        Block(at / 8000, 8000.0, (samples[at : at + 128],)) for at in range(0, len(samples), 128)
    )
    found = [one for block in blocks for one in listener.feed(block)]
    return [one for one in found if isinstance(one, Judgement)]


class TestThroughAlsa:
    """ALSA itself, its plugin ``file``, and frames that come through a pipe."""

    def test_frames_come_through_as_they_were_recorded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        left = [at / PERIOD for at in range(PERIOD)]
        right = [-one for one in left]
        with alsa_card(tmp_path, monkeypatch.setenv) as write:
            card = open_card(AudioConfig(enabled=True, device="table"), (0, 1))
            write(interleaved(left, right))

            burst = card.burst()
            card.close()

        thinned = [sum(left[at : at + 6]) / 6 for at in range(0, PERIOD, 6)]
        assert burst.channels[0] == pytest.approx(thinned, abs=1e-4)
        assert burst.channels[1] == pytest.approx([-one for one in thinned], abs=1e-4)

    @pytest.mark.parametrize("kind", [S32, S24, S24_PACKED], ids=lambda kind: kind.name)
    def test_24_bits_bring_what_16_leave_out(
        self, kind: SampleFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wave = [5 / (1 << 23), -5 / (1 << 23), 1.0, -1.0] * 32

        samples = heard_through(kind, wave, tmp_path, monkeypatch, bits=24, rate_hz=8000)

        assert samples == pytest.approx(wave, abs=1 / (1 << 23))

    @pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
    def test_the_same_knocks_are_heard_alike_in_each_format(
        self, kind: SampleFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        recorded = recorded_knock(48000)
        wave = recorded[: len(recorded) // PERIOD * PERIOD]

        samples = heard_through(kind, wave, tmp_path, monkeypatch, bits=24)

        whole = [sum(wave[at : at + 6]) / 6 for at in range(0, len(wave), 6)]
        assert samples == pytest.approx(whole, abs=1 / (1 << 15))
        heard, meant = judged(samples), judged(whole)
        assert [one.verdict for one in heard] == [one.verdict for one in meant]
        assert [one.at_s for one in heard] == pytest.approx([one.at_s for one in meant])
        assert [one.likelihood for one in heard] == pytest.approx(
            [one.likelihood for one in meant], abs=0.02
        )
        assert sum(one.verdict is Verdict.KNOCK for one in heard) >= 8

    @pytest.mark.parametrize(
        ("bits", "offered", "taken"),
        [
            (16, FORMATS, S16),
            (16, (S32, S24_PACKED), S32),
            (16, (S24_PACKED,), S24_PACKED),
            (24, FORMATS, S32),
            (24, (S16, S24), S24),
            (24, (S16,), S16),
        ],
    )
    def test_a_card_gives_what_it_has_that_is_nearest_to_what_is_wanted(
        self,
        bits: int,
        offered: tuple[SampleFormat, ...],
        taken: SampleFormat,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(audio, "alsa_library", lambda: CardWithFormats(*offered))
        with (
            alsa_card(tmp_path, monkeypatch.setenv),
            closing(AlsaPcm("table", 1, 48000, bits)) as pcm,
        ):
            assert pcm.format == taken

    def test_a_card_that_has_none_of_them_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audio, "alsa_library", CardWithFormats)
        with (
            alsa_card(tmp_path, monkeypatch.setenv),
            pytest.raises(PulledOut, match=r"table gives no sound like that"),
        ):
            AlsaPcm("table", 1, 48000, 24)

    @pytest.mark.parametrize("device", ["tape", "null"])
    def test_sound_without_a_clock_is_heard_at_its_own_pace(
        self, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """ALSA gives a whole recording as fast as it is asked; an evening went by in a second."""
        tape = [0.5] * PERIOD * 50
        (tmp_path / "tape.raw").write_bytes(interleaved(tape))
        conf = tmp_path / "asound.conf"
        infile = f'file /dev/null infile "{tmp_path / "tape.raw"}" format raw'
        conf.write_text(f"<confdir:alsa.conf>\npcm.tape {{ type file slave.pcm null {infile} }}\n")
        monkeypatch.setenv("ALSA_CONFIG_PATH", str(conf))
        now_s = [1000.0]

        def sleep(seconds: float) -> None:
            now_s[0] += seconds

        config = AudioConfig(enabled=True, device=device)
        pcm = AlsaPcm(config.device, 1, config.rate_hz, config.bits)
        with closing(SoundCard(lambda: pcm, (0,), lambda: now_s[0], sleep)) as card:
            bursts = [card.burst() for _ in range(50)]

        starts_s = [one.start_s for one in bursts]
        assert starts_s == pytest.approx([1000 + 0.016 * at for at in range(50)], abs=0.001)
        samples = [one for burst in bursts for one in burst.channels[0]]
        level = 0.5 if device == "tape" else 0.0
        assert samples == pytest.approx([level] * len(samples), abs=1e-4)

    @pytest.mark.parametrize(
        ("mishaps", "raised"),
        [
            ((errno.EINTR, errno.EINTR), None),  # a signal for another thread
            ((errno.EPIPE,), Overrun),
            ((errno.ENODEV,), OSError),
            ((0,), TimeoutError),  # it runs, and gives nothing
        ],
    )
    def test_what_happens_to_a_card_is_told_apart(
        self,
        mishaps: tuple[int, ...],
        raised: type[OSError] | None,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(audio, "alsa_library", lambda: CardWithMishaps(*mishaps))
        with (
            alsa_card(tmp_path, monkeypatch.setenv) as write,
            closing(AlsaPcm("table", 1, 48000, 16)) as pcm,
        ):
            write(interleaved([0.5] * PERIOD))
            if raised is not None:
                with pytest.raises(raised) as told:
                    pcm.read()
                assert type(told.value) is raised

            # Pulled out, it gives nothing more; all else goes on.
            assert mishaps == (errno.ENODEV,) or len(pcm.read()) == PERIOD

    def test_a_name_that_there_is_not_is_told_with_those_that_there_are(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with alsa_card(tmp_path, monkeypatch.setenv, "pubtable"):
            there = capture_devices()
            with pytest.raises(PulledOut, match=r"There is no sound card nosuch.*pubtable"):
                AlsaPcm("nosuch", 1, 48000, 16)

        assert "pubtable" in there
        assert capfd.readouterr().err == ""  # ALSA would print a line for each thing it tried

    def test_a_machine_without_sound_is_told_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        conf = tmp_path / "asound.conf"
        conf.write_text("<confdir:alsa.conf>\n")
        monkeypatch.setenv("ALSA_CONFIG_PATH", str(conf))
        monkeypatch.setattr(audio, "LIBRARY", "libnosound.so.9")
        audio.alsa_library.cache_clear()

        with pytest.raises(PulledOut, match=r"This machine has no sound: libnosound\.so\.9"):
            AlsaPcm("default", 1, 48000, 16)
        monkeypatch.undo()
        audio.alsa_library.cache_clear()


def test_a_laptop_without_a_header_hears_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inbox: ListInbox
) -> None:
    config = Config(
        audio=AudioConfig(enabled=True, device="table"),
        seats=tuple(SeatPins() for _ in range(8)),
    )
    with alsa_card(tmp_path, monkeypatch.setenv) as write, closing(Box(config, inbox)) as box:
        played_in(write, 48000, recorded_knock(48000))

        assert box.why_deaf is None
        assert eventually(lambda: [one for one in inbox.messages if isinstance(one, KnockHeard)])
        write(bytes(9600))  # whoever closes it waits for no card
    (knock, *_) = [one for one in inbox.messages if isinstance(one, KnockHeard)]
    assert knock.seat is None


def test_each_channel_is_the_seat_that_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inbox: ListInbox
) -> None:
    """Four of an interface's eight sockets, wired as it came, and the wood told."""
    channel_of_seat = (5, 0, 7, 2)
    top = TableTop.of_seed(7003, 4)
    felt, order = everybody_knocks(top, 48000)
    by_channel = {channel: felt[seat] for seat, channel in enumerate(channel_of_seat)}
    unused = [0.0] * len(felt[0])
    config = Config(
        audio=AudioConfig(enabled=True, device="table"),
        table=TableConfig(seats=4),
        seats=tuple(SeatPins(piezo=channel) for channel in channel_of_seat),
    )
    with alsa_card(tmp_path, monkeypatch.setenv) as write, closing(Box(config, inbox)):
        played_in(write, 48000, *(by_channel.get(channel, unused) for channel in range(8)))

        def knocks() -> list[KnockHeard]:
            return [one for one in inbox.messages if isinstance(one, KnockHeard)]

        assert eventually(lambda: len(knocks()) == len(order))
        write(bytes(100_000))  # whoever closes it waits for no card
    assert [one.seat for one in knocks()] == order


def test_without_a_word_on_channels_the_first_hears_for_all() -> None:
    alone = Config(audio=AudioConfig(enabled=True))
    corners = replace(alone, audio=replace(alone.audio, corners=(0, 1, 2, 3)))

    assert alone.piezos == ((0, None),)
    assert [channel for channel, _ in corners.piezos] == [0, 1, 2, 3]
    assert alone.sampled_hz == 8000
    assert replace(alone, audio=replace(alone.audio, rate_hz=44100)).sampled_hz == 8820
