"""What hangs on the presenter at any time; no thread, no clock, no glass."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from kloplei.config.settings import SlateConfig
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Grace, Heard, Line, Scoreboard, Tone
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.painter import (
    GREETING_S,
    OPENING_S,
    SHIFT_EVERY_S,
    FrameRequest,
    Presenter,
)
from kloplei.slate.picture import DisplaySettings
from kloplei.words import Words
from tests.slate.boards import answering, rubber_over, seating, table

LOOK = DisplaySettings(SlateConfig(contrast=160, dim_after_s=120.0, sleep_after_s=600.0))
PLAY = table((3, 7, 0, 5))


def presenter_with(board: Scoreboard | None, at_s: float = 10.0) -> Presenter:
    presenter = Presenter(Words("nl"), LOOK, 0.0)
    if board is not None:
        presenter.saw(board, at_s)
    return presenter


def requests(presenter: Presenter, from_s: float, to_s: float) -> list[FrameRequest]:
    """Return all that hangs between two times, waking up only when the presenter asks for it."""
    found, now_s = [], from_s
    while now_s < to_s:
        found.append(presenter.frame_at(now_s))
        until_s = found[-1].until_s
        if until_s is None:
            break
        now_s = until_s
    return found


def bits(request: FrameRequest) -> bytes:
    assert request.image is not None
    return request.image.tobytes()


def from_afar(request: FrameRequest) -> bytes:
    return bits(request) if request.covered is None else request.covered.tobytes()


def test_something_stands_there_before_the_table_has_spoken() -> None:
    request = presenter_with(None).frame_at(0.0)

    assert bits(request) != bytes(1024)
    assert request.until_s == LOOK.slate.dim_after_s


def test_a_new_way_in_stands_on_the_slate_without_a_word_of_the_table() -> None:
    """A hotspot was switched on, and the code led to the old address until somebody knocked."""
    presenter = presenter_with(seating(0), at_s=0.0)
    presenter.use(replace(LOOK, join=JoinAddress("http://192.168.1.9:8080/")))
    before = bits(presenter.frame_at(8.0))

    presenter.use(replace(LOOK, join=JoinAddress("http://10.75.76.1:8080/")))

    assert bits(presenter.frame_at(8.0)) != before


def test_pin_and_password_are_for_the_glass_alone() -> None:
    """Every phone may look at the slate from afar, and read there how to keep it."""
    join_address = JoinAddress("http://192.168.1.9:8080/", Wifi("Lei", "elflevens"))
    presenter = presenter_with(seating(0), at_s=0.0)
    presenter.use(replace(LOOK, pin="4711", code="a" * 16, join=join_address))
    shown = requests(presenter, GREETING_S, 30.0)
    other = replace(join_address, wifi=Wifi("Lei", "tienlevens"))
    presenter.use(replace(LOOK, pin="9999", code="b" * 16, join=other))
    with_others = requests(presenter, GREETING_S, 30.0)

    assert len({bits(one) for one in shown} - {bits(one) for one in with_others}) == 2
    assert {from_afar(one) for one in shown} == {from_afar(one) for one in with_others}


def test_a_way_in_that_is_gone_is_told_and_the_seats_are_shown_all_the_same() -> None:
    presenter = presenter_with(seating(0), at_s=0.0)
    presenter.use(replace(LOOK, join=JoinAddress()))

    assert len({bits(one) for one in requests(presenter, 2.0, 20.0)}) > 1


def test_the_greeting_is_seen_while_nobody_plays() -> None:
    presenter = presenter_with(seating(), at_s=0.1)

    greeting, seats = presenter.frame_at(0.2), presenter.frame_at(GREETING_S)

    assert greeting.until_s == GREETING_S
    assert bits(greeting) != bits(seats)


def test_a_hand_that_was_being_played_is_there_at_once() -> None:
    assert bits(presenter_with(PLAY, at_s=0.1).frame_at(0.1)) == bits(
        presenter_with(PLAY).frame_at(10.0)
    )


def test_while_nothing_moves_nobody_wakes_up() -> None:
    """Two minutes of a hand in which nobody knocks: one picture, until it dims."""
    seen = requests(presenter_with(PLAY), 10.0, 129.0)

    assert len(seen) == 1
    assert seen[0].until_s == 130.0


def test_the_slate_dims_then_sleeps() -> None:
    presenter = presenter_with(PLAY)

    assert presenter.frame_at(129.9).contrast == 160
    assert presenter.frame_at(130.0).contrast == LOOK.dimmed
    assert presenter.frame_at(609.9).image is not None
    assert presenter.frame_at(610.0).image is None


def test_a_sleeping_slate_wakes_nobody_up() -> None:
    assert presenter_with(PLAY).frame_at(610.0).until_s is None


def test_a_knock_wakes_the_slate() -> None:
    presenter = presenter_with(PLAY)
    assert presenter.frame_at(700.0).image is None

    presenter.saw(replace(PLAY, heard=Heard(Seat(0), 1)), 700.0)

    assert presenter.frame_at(700.0).image is not None
    assert presenter.frame_at(700.0).contrast == 160


def test_a_blow_that_nobody_has_judged_shows_and_wakes_nothing() -> None:
    """Else a busy pub would keep the glass bright all night."""
    waiting = replace(PLAY, grace=Grace(Seat(1), "trick", 13.0, 3.0))
    presenter, calm = presenter_with(waiting), presenter_with(waiting)

    presenter.saw(replace(waiting, struck=True), 11.5)
    shown = bits(presenter.frame_at(11.5))
    presenter.saw(waiting, 11.6)

    assert shown != bits(calm.frame_at(11.5))
    assert bits(presenter.frame_at(11.6)) == bits(calm.frame_at(11.6))
    presenter.saw(replace(waiting, struck=True), 700.0)
    assert presenter.frame_at(700.0).image is None


def test_of_the_parts_that_fail_the_newest_is_told() -> None:
    lamp = Line("notice.part", {"part": "lamp", "message": "Mend it."})
    piezo = Line("notice.open-input", {"part": "piezo 4", "message": "Plug it in."})
    presenter, other = presenter_with(replace(PLAY, notices=(lamp,))), presenter_with(PLAY)

    for one in (presenter, other):
        one.saw(replace(PLAY, notices=(lamp, piezo)), 30.0)
    told, calm = bits(presenter.frame_at(31.0)), bits(presenter.frame_at(35.1))

    assert told == bits(other.frame_at(31.0))
    assert told != calm
    presenter.saw(replace(PLAY, notices=(lamp,)), 40.0)
    assert bits(presenter.frame_at(40.1)) == calm


def test_the_picture_moves_about_against_burn_in() -> None:
    always_bright = DisplaySettings(SlateConfig(dim_after_s=9e8, sleep_after_s=9e8))
    presenter = Presenter(Words("nl"), always_bright, 0.0)
    presenter.saw(PLAY, 0.0)

    seen = {bits(presenter.frame_at(5.0 + n * SHIFT_EVERY_S)) for n in range(8)}

    assert len(seen) == 4
    assert {picture.count(0) < 1024 for picture in seen} == {True}


def test_a_shifted_picture_is_the_same_one_further() -> None:
    presenter = presenter_with(PLAY)
    first, second = presenter.frame_at(11.0).image, presenter.frame_at(11.0 + SHIFT_EVERY_S).image

    assert first is not None
    assert second is not None
    assert second.crop((1, 0, 128, 64)).tobytes() == first.crop((0, 0, 127, 64)).tobytes()


def test_blinking_stops_when_everybody_has_answered() -> None:
    presenter = presenter_with(answering((3, 7, 0, 5), 3))
    blinking = requests(presenter, 10.0, 16.0)

    presenter.saw(PLAY, 16.0)

    assert len({bits(one) for one in blinking}) == 2
    assert len(blinking) == 10  # on and off, five times
    assert len(requests(presenter, 16.0, 60.0)) == 1


def test_a_grace_bar_runs_down_and_then_stands() -> None:
    presenter = presenter_with(replace(PLAY, grace=Grace(Seat(1), "trick", 13.0, 3.0)))

    seen = requests(presenter, 10.0, 60.0)

    assert len({bits(one) for one in seen}) == 31
    assert len(seen) == 31


def test_what_says_it_goes_ahead_and_the_rest_stays_as_it_stood() -> None:
    presenter = presenter_with(PLAY)
    before = presenter.frame_at(10.0).image
    presenter.saw(replace(PLAY, grace=Grace(Seat(1), "trick", 23.0, 3.0)), 20.0)

    ahead, whole = presenter.frame_at(20.0), presenter.frame_at(20.0 + OPENING_S)

    assert ahead.until_s == pytest.approx(20.0 + OPENING_S)
    assert before is not None
    assert ahead.image is not None
    assert whole.image is not None
    lines = [one.crop((0, 34, 128, 48)) for one in (ahead.image, whole.image)]
    assert lines[0].tobytes() == lines[1].tobytes() != before.crop((0, 34, 128, 48)).tobytes()
    for top, foot in ((0, 34), (48, 64)):
        rest = (0, top, 128, foot)
        assert ahead.image.crop(rest).tobytes() == before.crop(rest).tobytes()
    # Who looks from afar is sent the whole of it, once; and it is drawn once.
    assert ahead.whole is whole.image


def test_what_comes_while_the_rest_is_on_its_way_is_shown() -> None:
    waiting = replace(PLAY, grace=Grace(Seat(1), "trick", 23.0, 3.0))
    changes: tuple[Callable[[Presenter], None], ...] = (
        lambda one: one.saw(replace(waiting, struck=True), 20.01),
        lambda one: one.speak(Words("de")),
        lambda one: one.pause(),
    )
    for change in changes:
        presenter = presenter_with(PLAY)
        presenter.frame_at(10.0)
        presenter.saw(waiting, 20.0)
        ahead = presenter.frame_at(20.0)

        change(presenter)

        shown = presenter.frame_at(20.0 + OPENING_S)
        assert (shown.image and shown.image.tobytes()) != (ahead.whole and ahead.whole.tobytes())


def test_a_slate_that_slept_shows_all_at_once() -> None:
    presenter = presenter_with(PLAY)
    assert presenter.frame_at(700.0).image is None
    presenter.saw(replace(PLAY, grace=Grace(Seat(1), "trick", 703.0, 3.0)), 700.5)

    assert presenter.frame_at(700.5).whole is None


def test_a_fanfare_ends() -> None:
    presenter = presenter_with(rubber_over(crowned=True))

    fanfare = requests(presenter, 10.0, 14.0)

    assert len({bits(one) for one in fanfare}) == 2
    assert bits(presenter.frame_at(16.0)) not in {bits(one) for one in fanfare}


def test_news_is_not_told_again_for_a_knock_heard() -> None:
    """The same news with something heard on it is a new scoreboard, but no new news."""
    knocked = replace(PLAY, news=Line("news.hand-won", {"seat": Seat(1), "n": 2}, Tone.TOLD))
    presenter = presenter_with(knocked)
    told = bits(presenter.frame_at(11.0))

    presenter.saw(replace(knocked, heard=Heard(Seat(0), 1)), 20.0)
    presenter.saw(knocked, 21.0)

    assert bits(presenter.frame_at(21.0)) != told


def test_the_last_face_says_that_the_table_pauses() -> None:
    presenter = presenter_with(PLAY)

    presenter.pause()

    asleep_long_ago = presenter.frame_at(9999.0)
    assert asleep_long_ago.image is not None
    assert asleep_long_ago.until_s is None


def test_a_slate_speaks_english_for_a_language_that_nobody_knows() -> None:
    english, other = Presenter(Words("en"), LOOK, 0.0), Presenter(Words("klingon"), LOOK, 0.0)

    assert bits(other.frame_at(0.0)) == bits(english.frame_at(0.0))
