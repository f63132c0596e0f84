"""Who has a place to follow from, and who has to go: rights, households, idlers, the vanished."""

from collections.abc import Callable

import pytest

from kloplei_panel.followers import IDLE_S, MOST_READINGS, Follower, Followers

MOST = 40


class Line:
    """A connection that tells what became of it."""

    def __init__(self) -> None:
        self.is_stuck = False
        self.is_up = True

    def follow(self, on_gone: Callable[[], None]) -> None:
        raise AssertionError

    def hang_up(self) -> None:
        self.is_up = False


class Clock:
    def __init__(self) -> None:
        self.s = 1000.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def places(clock: Clock) -> Followers:
    return Followers(MOST, clock)


def viewer(number: int) -> Follower:
    return Follower(f"192.168.1.{number}", has_right=False, connection=Line())


def player(number: int) -> Follower:
    return Follower(f"192.168.1.{number}", has_right=True, connection=Line())


def test_one_household_has_its_share_and_no_more(places: Followers) -> None:
    """One viewer once took all 40, and nobody else saw anything."""
    assert sum(places.take(viewer(7)) for _ in range(MOST)) == MOST // 4

    assert places.take(viewer(8))
    assert places.take(player(7))


def test_strangers_of_many_addresses_leave_a_quarter_to_phones_with_rights(
    places: Followers,
) -> None:
    assert sum(places.take(viewer(number)) for number in range(MOST)) == 30

    assert sum(places.take(player(number)) for number in range(10)) == 10
    assert len(places) == MOST


def test_a_phone_with_a_right_takes_the_idlest_viewers_place(
    places: Followers, clock: Clock
) -> None:
    strangers = [viewer(number) for number in range(30)]
    for one in strangers:
        clock.s += 1
        assert places.take(one)
    for number in range(10):
        assert places.take(player(number))
    places.note_asked(strangers[0].household)

    assert places.take(player(50))

    assert [one.is_over for one in strangers] == [False, True] + [False] * 28
    gone = strangers[1].connection
    assert isinstance(gone, Line)
    assert not gone.is_up
    assert len(places) == MOST


def test_who_reads_nothing_goes_first(places: Followers) -> None:
    strangers = [viewer(number) for number in range(30)]
    for one in strangers:
        places.take(one)
    stuck = strangers[20].connection
    assert isinstance(stuck, Line)
    assert not places.take(viewer(99))
    stuck.is_stuck = True

    assert places.take(viewer(99))

    assert [one for one in strangers if one.is_over] == [strangers[20]]


def test_who_asks_for_nothing_though_there_was_news_goes(places: Followers, clock: Clock) -> None:
    strangers = [viewer(number) for number in range(30)]
    for one in strangers:
        places.take(one)
    clock.s += IDLE_S
    # In a quiet hour no page asks for anything, and all of them may stay.
    assert not places.take(viewer(99))
    places.note_news()
    for one in strangers[1:]:
        places.note_asked(one.household)

    assert places.take(viewer(99))

    assert [one for one in strangers if one.is_over] == [strangers[0]]


def test_phones_with_rights_keep_their_places_as_long_as_they_are_there(
    places: Followers, clock: Clock
) -> None:
    players = [player(number) for number in range(MOST)]
    for one in players:
        assert places.take(one)
    assert not places.take(player(99))
    assert not places.take(viewer(99))

    clock.s += IDLE_S
    places.note_news()
    assert places.take(player(99))
    assert sum(one.is_over for one in players) == 1


def test_a_place_is_given_back_once(places: Followers) -> None:
    first, second = viewer(1), viewer(1)
    assert places.take(first)
    assert places.take(second)

    places.give_back(first)
    places.give_back(first)

    assert len(places) == 1


def test_so_many_different_pages_are_drawn_and_the_first_come_keep_theirs(clock: Clock) -> None:
    """Who followed as all the readers there could be had 135 pages drawn at each knock."""
    places = Followers(4 * MOST_READINGS, clock)
    taken = [viewer(number) for number in range(MOST_READINGS + 2)]
    drawn = [places.take(one) and places.draws_for(one, at) for at, one in enumerate(taken)]

    assert drawn == [True] * MOST_READINGS + [False] * 2
    again = viewer(200)
    assert places.take(again)
    assert places.draws_for(again, 0)
    places.give_back(taken[5])
    assert places.draws_for(taken[-1], "a place that came free")
