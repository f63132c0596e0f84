"""Whatever the table says, the slate draws it: a bad name must not darken the evening."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.config.settings import Glass, SlateConfig
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import (
    Grace,
    Heard,
    Line,
    Payment,
    Posting,
    Row,
    Scoreboard,
    Tone,
    Tuning,
)
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.drawing import FrameTime
from kloplei.slate.faces import CROWDS, FACE_SETS
from kloplei.slate.picture import DisplaySettings, draw
from kloplei.words import Words
from tests.examples import examples

FLAGS = (
    "in_hand",
    "folded",
    "out",
    "armoede",
    "owes_drink",
    "rubber_winner",
    "toepkoning",
    "lijntoeper",
    "last_knocker",
    "open_exchange",
    "must_answer",
    "gestrichen",
    "raised",
    "soloist",
    "sits_out",
    "unheard_of",
)
PHASES = (
    "seating",
    "between_hands",
    "exchange",
    "armoede",
    "play",
    "answering",
    "rubber_over",
    "hand",
    "settled",
    "x",
)
PLAYED = (*GAMES, "unheard_of")
ANNOUNCED = st.fixed_dictionaries(
    {},
    optional={
        "schlag": st.sampled_from(("6", "10", "J", "K", "W" * 20)),
        "trump": st.sampled_from(("H", "D", "S", "C", "Z", "")),
    },
)
NEWS = [
    "knocked",
    "raised",
    "game-won",
    "rubber-over",
    "toepkoning",
    "hand-won",
    "undone",
    "unheard_of",
]
WORDS = Words("nl")
CROWDED = [DisplaySettings(slate=SlateConfig(crowd=how)) for how in CROWDS]
JOINABLE = DisplaySettings(join=JoinAddress("http://x/", Wifi("De Klop")))

seats = st.integers(0, 7).map(Seat)
names = st.text(max_size=20) | st.sampled_from(
    ("太郎", "🍺🍺", "", "W" * 20, "\n", "a b c d e f g h i j")
)
facts = st.fixed_dictionaries(
    {},
    optional={
        "seat": seats | st.none(),
        "seats": st.lists(seats).map(tuple),
        "stake": st.integers(),
    },
)
lines = st.builds(
    Line,
    st.sampled_from(NEWS).map("news.{}".format) | st.text(max_size=9),
    facts,
    st.sampled_from(Tone),
)
prompts = st.builds(
    Line,
    st.sampled_from(
        ("prompt.play", "prompt.schlag", "prompt.declare", "prompt.next-deal", "x", "")
    ),
    facts,
)

numbers = st.integers(-3, 300)
chips = st.integers(-12345, 12345)
swings = st.none() | chips
pots = st.dictionaries(st.sampled_from(("king", "pagat", "unheard of")), chips)
amounts = st.dictionaries(seats, chips)
drafts = st.lists(st.builds(Posting, lines, amounts, pots), max_size=3).map(tuple)
paid = st.lists(st.builds(Payment, seats, seats, chips), max_size=7).map(tuple)
steps = st.sampled_from(("quiet", "glass", "phone", "knocks", "weighing", "result", "unheard_of"))
tunings = st.builds(
    Tuning, steps, lines, st.none() | seats, numbers, numbers, numbers, st.none() | lines
)


@st.composite
def boards(draw_from: st.DrawFn) -> Scoreboard:
    taken = draw_from(st.lists(seats, unique=True, max_size=8).map(sorted))
    rows = tuple(
        Row(
            seat,
            draw_from(st.integers(-20, 120) | chips),
            draw_from(st.none() | st.integers(0, 120)),
            draw_from(names),
            tuple(draw_from(st.lists(st.sampled_from(FLAGS), unique=True))),
            tricks=draw_from(st.none() | st.integers(0, 9)),
            swing=draw_from(swings),
        )
        for seat in taken
    )
    together = st.lists(st.lists(seats, max_size=4).map(tuple), max_size=4).map(tuple)
    return Scoreboard(
        game=draw_from(st.sampled_from(PLAYED)),
        phase=draw_from(st.sampled_from(PHASES)),
        rows=rows,
        seats=draw_from(st.integers(0, 8)),
        stake=draw_from(st.none() | st.integers(0, 999)),
        dealer=draw_from(st.none() | seats),
        leader=draw_from(st.none() | seats),
        proposed=draw_from(st.none() | st.integers(0, 999)),
        announced=draw_from(ANNOUNCED),
        sides=draw_from(together),
        accounts=draw_from(st.just((tuple(taken[::2]), tuple(taken[1::2]))) | together),
        tricks_to_win=draw_from(st.none() | st.integers(0, 9)),
        to_answer=tuple(taken[:2]),
        prompt=draw_from(st.none() | prompts),
        news=draw_from(st.none() | lines),
        pots=draw_from(pots),
        draft=draw_from(drafts),
        payments=draw_from(st.just(()) | paid),
        heard=draw_from(
            st.none() | st.builds(Heard, st.none() | seats, st.integers(0, 99), st.booleans())
        ),
        grace=draw_from(st.none() | st.builds(Grace, seats, names, st.floats(0, 3), st.just(3.0))),
        asking=draw_from(st.none() | lines),
        refused=draw_from(st.none() | lines),
        shown=draw_from(st.none() | lines),
        notices=tuple(draw_from(st.lists(lines, max_size=2))),
        tuning=draw_from(st.none() | tunings),
    )


@settings(max_examples=examples(200))
@given(
    boards(),
    st.floats(0, 30) | st.floats(30, 100),
    st.sampled_from((DisplaySettings(), JOINABLE, *CROWDED)),
    st.sampled_from(sorted(FACE_SETS)),
)
def test_any_table_can_be_drawn_and_lasts_as_long_as_it_says(
    board: Scoreboard, now_s: float, look: DisplaySettings, glass: Glass
) -> None:
    look = replace(look, glass=glass)
    picture = draw(board, FrameTime(now_s=now_s), WORDS, look)

    assert picture.image.size == glass
    assert picture.lasts_s is None or picture.lasts_s > 0
    just_before = now_s + (60.0 if picture.lasts_s is None else picture.lasts_s - 0.003)

    if just_before > now_s:
        again = draw(board, FrameTime(now_s=just_before), WORDS, look)
        assert again.image.tobytes() == picture.image.tobytes()
