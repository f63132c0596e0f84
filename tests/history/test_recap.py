"""The recap: as reviewed, nothing on anything else, whoever played, and the same as a text."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from kloplei.games.scoreboard import Line
from kloplei.history import _chalk
from kloplei.history._chalk import FRAME, SIZE, Placed, spread
from kloplei.history.recap import draw, drawn
from kloplei.history.summary import Summary, as_text, bg_stats_link
from kloplei.table.history_client import Settlement, Title
from kloplei.words import LANGUAGES, Words
from tests.examples import examples
from tests.history.made import NAMES, Night
from tests.history.recaps import SCENES, Scene, best, toepen, told
from tests.history.redraw import REFERENCE, ours_alone, small

EVERY = pytest.mark.parametrize("name", SCENES)


def boxes(scene: Scene) -> list[Placed]:
    with ours_alone():
        return drawn(scene.evening, Words(scene.language), place=scene.place).boxes


def overlaps(found: list[Placed]) -> list[tuple[str, str]]:
    """Return what lies on something else, by more than the edge of a letter."""
    return [
        (one.text, other.text)
        for at, one in enumerate(found)
        for other in found[at + 1 :]
        if min(one.right, other.right) - max(one.left, other.left) > 1
        and min(one.bottom, other.bottom) - max(one.top, other.top) > 1
    ]


def outside(found: list[Placed]) -> list[str]:
    wide, high = SIZE[0] - FRAME, SIZE[1] - FRAME
    return [
        one.text
        for one in found
        if one.left < FRAME or one.top < FRAME or one.right > wide or one.bottom > high
    ]


@EVERY
def test_a_recap_looks_as_reviewed(name: str) -> None:
    """Letters may be a shade lighter where another FreeType draws them."""
    now, reviewed = small(name), Image.open(REFERENCE / f"{name}.png").convert("L")
    differs = ImageStat.Stat(ImageChops.difference(now, reviewed)).mean[0]

    assert differs < 3.5, "it has changed: run python -m tests.history.redraw and look at it"


def test_each_reviewed_picture_is_drawn() -> None:
    assert {path.stem for path in REFERENCE.glob("*.png")} == set(SCENES)


@EVERY
def test_nothing_stands_on_anything_else_or_off_the_slate(name: str) -> None:
    found = boxes(SCENES[name])

    assert len(found) > 8
    assert overlaps(found) == []
    assert outside(found) == []


@pytest.mark.parametrize("name", sorted({*SCENES} - {"one-hand", "toepen-long-names"}))
def test_an_evening_has_its_chart_however_many_played(name: str) -> None:
    """Seven with wide titles had none: titles make room for it."""
    assert "chart" in {box.text for box in boxes(SCENES[name])}


@pytest.mark.parametrize("name", ["toepen-2", "thirty-one", "watten-german"])
def test_the_chart_of_many_rubbers_says_who_won_them(name: str) -> None:
    """Who had won most hands stood on top of it, and not who had won the evening."""
    evening = SCENES[name].evening

    told = Summary(evening, Words("nl"))

    assert told.is_race
    assert {player: way[-1] for player, way in told.course()} == told.scores
    assert next(told.course())[0] in evening.winners


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=0, max_size=20)


@settings(max_examples=examples(20))
@given(
    who=st.lists(names | st.sampled_from(NAMES), min_size=1, max_size=14),
    winners=st.sets(st.integers(1, 14), max_size=5),
    rubbers=st.lists(st.integers(0, 13), max_size=40),
    rounds=st.lists(st.tuples(st.integers(0, 13), st.integers(1, 30)), max_size=6),
    titles=st.sampled_from(["toepen-3-english", "toepen-long-names", "one-hand"]),
    language=st.sampled_from([*LANGUAGES]),
    place=names,
)
def test_whoever_played_whatever_nothing_stands_on_anything_else(
    who: list[str],
    winners: set[int],
    rubbers: list[int],
    rounds: list[tuple[int, int]],
    titles: str,
    language: str,
    place: str,
) -> None:
    night = Night(*who)
    for winner in rubbers:
        night.hand(1 + winner % len(who), knocks=(1,)).rubber(1 + winner % len(who))
    for payer, amount in rounds:
        night.round(1 + payer % len(who), 1, amount=amount)
    given_ = [one for one in SCENES[titles].evening.titles if one.player <= len(who)]
    evening = night.evening(
        winners=tuple(one for one in sorted(winners) if one <= len(who)),
        titles=tuple(one for one in given_ if all(two <= len(who) for two in one.shared)),
        turning=1,
    )

    found = boxes(Scene(evening, language, place))

    assert overlaps(found) == []
    assert outside(found) == []


def test_the_picture_is_small_and_of_the_size_that_phones_share() -> None:
    sizes = {}
    for name in ("toepen-8", "toepen-long-names", "one-hand"):
        png = draw(SCENES[name].evening, Words("nl"))
        sizes[name] = len(png)
        assert Image.open(BytesIO(png)).size == (1080, 1350)

    assert max(sizes.values()) < 150_000


def test_another_size_may_be_asked_for() -> None:
    png = draw(SCENES["toepen-4"].evening, Words("nl"), size=(540, 675))

    assert Image.open(BytesIO(png)).size == (540, 675)


def test_the_same_evening_is_the_same_picture() -> None:
    scene = SCENES["toepen-4"]

    assert draw(scene.evening, Words("nl")) == draw(scene.evening, Words("nl"))


def test_names_are_written_as_they_are_or_as_far_as_there_are_letters() -> None:
    written = " ".join(box.text for box in boxes(SCENES["toepen-odd-names"]))

    assert "<b>Jan</b>" in written
    assert "Zoë & Żółć" in written
    assert "Abe" in written
    assert "speler 2" in written  # of two pictures nothing can be chalked


def test_without_letters_for_a_language_it_is_english() -> None:
    written = [box.text for box in boxes(SCENES["japanese"])]

    assert "The evening belongs to" in written


def test_letters_of_the_machine_are_used_where_it_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any font shows that: this one has Greek, which ours have not."""
    path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    if not Path(path).is_file():
        pytest.skip("no DejaVu here")
    with ours_alone():
        without = _chalk.writable("Ωμέγα")
    monkeypatch.setattr(_chalk, "machine_fonts", lambda: (path,))

    assert without == ""
    assert _chalk.writable("Ωμέγα") == "Ωμέγα"
    assert _chalk.writable("דוד (Dave)") == "Dave"  # else it would stand there backwards


def test_a_day_that_nobody_knew_is_an_evening() -> None:
    scene = SCENES["toepen-6-undated"]
    words = Words("nl")

    assert any(box.text.startswith("een avond · ") for box in boxes(scene))
    assert "een avond" in as_text(scene.evening, words)
    assert "1970" not in as_text(scene.evening, words)
    assert bg_stats_link(scene.evening, words) == ""


def test_the_text_tells_what_the_picture_tells() -> None:
    night = Night(*NAMES[:3], at=1_795_471_200.0).hand(2, knocks=(1,)).rubber(2)
    evening = night.round(1, 2, 3, amount=2).evening(winners=(2,), turning=1)

    assert as_text(evening, Words("en"), place="The Slate").splitlines() == [
        "Toepen · Monday 23 November 2026 · The Slate",
        "The evening belongs to Tame: 1 rubber won.",
        (
            "The turning point: hand 1 – Thijs knocked the stake up to 2. "
            "The hand went to Tame and cost Thijs and Stan 2 lives."
        ),
        "Rounds on Thijs (2).",
        "Until next time!",
    ]


def test_the_text_is_set_as_its_language_sets_it() -> None:
    """Japanese had brackets and colons of half the width, with spaces."""
    wall = Title("wall", 1, Line("title.clean-slate.why", {"n": None, "of": 9}), shared=(2,))
    night = Night("\u5065", "\u7f8e\u54b2").hand(2).rubber(2)
    evening = night.round(1, 2, amount=2).evening(winners=(2,), turning=1)

    text = as_text(replace(evening, titles=(wall,)), Words("ja"))

    _, _, title, turning, rounds, _ = text.splitlines()
    assert not set(" ()[]:") & set(title + turning + rounds)
    assert not set("0") & set(title)
    assert "(won a rubber of 9 hands without losing a life)" in as_text(
        replace(evening, titles=(wall,)), Words("en")
    )


def test_an_evening_that_still_runs_is_told_so_far() -> None:
    night = Night(*NAMES[:3], at=1_795_471_200.0).hand(2, knocks=(1,)).rubber(2)
    evening = night.evening(winners=(2,), turning=1)
    runs = replace(evening, line=replace(evening.line, runs=True))

    assert as_text(runs, Words("en")).splitlines() == [
        "Toepen · Monday 23 November 2026",
        "In the lead so far: Tame (1 rubber won).",
        (
            "The turning point so far: hand 1 – Thijs knocked the stake up to 2. "
            "The hand went to Tame and cost Thijs and Stan 2 lives."
        ),
        "To be continued!",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("won", [(), (2,)])
def test_no_language_says_that_a_running_evening_is_over(
    language: str, won: tuple[int, ...]
) -> None:
    words = Words(language)
    evening = Night(*NAMES[:3]).hand(2).evening(winners=won, turning=1)
    runs = replace(evening, line=replace(evening.line, runs=True))
    scenes = [Scene(one, language) for one in (evening, runs)]

    over, so_far = ({box.text for box in boxes(one)} for one in scenes)
    lines = [set(as_text(one.evening, words).splitlines()[1:]) for one in scenes]

    assert lines[0] & lines[1] == set()
    assert len(over - so_far) == 3  # whose it is, how many hands, the turning point


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_is_whole_in_every_language(language: str) -> None:
    for scene in SCENES.values():
        text = as_text(scene.evening, Words(language))

        assert [odd for odd in ("…", "recap.", "title.", "{") if odd in text] == []
        assert len(text) < 900


def test_bg_stats_gets_the_evening_as_its_makers_describe_it() -> None:
    night = toepen(*NAMES[:3], rubbers=4)
    evening = told(night, *best(night))

    link = urlsplit(bg_stats_link(evening, Words("en"), place="The Slate & Sons"))
    play = json.loads(parse_qs(link.query)["data"][0])

    assert link.hostname == "app.bgstatsapp.com"
    assert play["playDate"] == "2026-11-23 22:00:00"
    assert play["location"] == "The Slate & Sons"
    assert play["game"] == {
        "name": "Toepen",
        "sourceGameId": "toepen",
        "highestWins": True,
        "noPoints": False,
    }
    assert [one["name"] for one in play["players"]] == list(NAMES[:3])
    assert play["players"][0]["sourcePlayerId"] == "guest-Thijs"
    assert sum(one["score"] for one in play["players"]) >= 4
    assert any(one["winner"] for one in play["players"])


def test_chips_that_were_settled_between_stay_theirs() -> None:
    night = Night("A", "B", "C", game="tarok").hand(how="booked", paid={1: 30, 2: -30}).rubber(1)
    night.settled.append(Settlement(2, 1, 40, "chips", rubber=1))  # with a share of the pots
    night.hand(how="booked", paid={1: -5, 3: 5})

    written = [box.text for box in boxes(Scene(night.evening(winners=(1,))))]

    assert [one for one in written if one[0] in "+-"] == ["+35", "+35", "+5", "-40"]


def test_names_at_the_end_of_lines_part_and_stay_on_the_chart() -> None:
    assert spread([10, 11, 90], gap=20, high=100) == [10, 30, 90]
    assert spread([99, 98, 10], gap=20, high=100) == [100, 80, 10]
