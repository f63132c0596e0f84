"""Tables worth a picture, each as the slate gets it."""

from collections.abc import Mapping
from dataclasses import replace

from kloplei.config.settings import SlateConfig
from kloplei.games.game import Seat
from kloplei.games.scoreboard import (
    Called,
    Door,
    Doubt,
    Grace,
    Heard,
    Line,
    Offer,
    Row,
    Scoreboard,
    Tone,
    Tuning,
)
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.picture import DisplaySettings
from tests.slate import eenendertigen_boards, tarok_boards, watten_boards
from tests.slate.scene import NAMES, Scene

HOUSE = JoinAddress("http://192.168.178.123:8080/")
JOIN = DisplaySettings(join=HOUSE, pin="4711", code="VIJFKEERGEKLOPT7")
OFFLINE = DisplaySettings(join=JoinAddress())
HOTSPOT = DisplaySettings(
    join=JoinAddress("http://10.75.76.1/", Wifi("Kloplei", "bamokido-4729"), on_hotspot=True)
)
DIGITS, STROKES = (DisplaySettings(slate=SlateConfig(crowd=how)) for how in ("digits", "strokes"))
WIFI = replace(JOIN, join=replace(HOUSE, wifi=Wifi("Café De Klop", "proost-proost")))


def rows(
    tallies: tuple[int, ...], limit: int = 10, *, names: tuple[str, ...] = NAMES
) -> tuple[Row, ...]:
    return tuple(
        Row(Seat(at), tally, limit, name=names[at], flags=("in_hand",), committed=1)
        for at, tally in enumerate(tallies)
    )


def table(tallies: tuple[int, ...], limit: int = 10, **changes: object) -> Scoreboard:
    """Return a hand being played; the last seat dealt, the first one leads."""
    board = Scoreboard(
        game="toepen",
        phase="play",
        rows=rows(tallies, limit),
        seq=41,
        seats=8,
        stake=1,
        dealer=Seat(len(tallies) - 1),
        leader=Seat(0),
        prompt=Line("prompt.play", {"seat": Seat(0)}),
    )
    return replace(board, **changes)  # type: ignore[arg-type]


def flagged(board: Scoreboard, flags: Mapping[int, tuple[str, ...]]) -> Scoreboard:
    """Return *board* with the rows of these seats (0-based) flagged like that and no other way."""
    return replace(
        board,
        rows=tuple(replace(row, flags=flags.get(row.seat, row.flags)) for row in board.rows),
    )


def answering(tallies: tuple[int, ...], stake: int, limit: int = 10) -> Scoreboard:
    """Return a knock by the second seat; the first stays, the third has folded."""
    others = tuple(Seat(at) for at in range(3, len(tallies)))
    board = table(
        tallies,
        limit,
        phase="answering",
        stake=stake,
        to_answer=others,
        prompt=Line("prompt.stay-or-fold", {"seat": Seat(1), "seats": others, "stake": stake}),
        news=Line("news.stayed", {"seat": Seat(0), "stake": stake}),
    )
    flags = {1: ("in_hand", "last_knocker"), 2: ("folded",)}
    flags |= {int(seat): ("in_hand", "must_answer") for seat in others}
    return flagged(board, flags)


def between_hands(tallies: tuple[int, ...], limit: int = 10, **changes: object) -> Scoreboard:
    dealer = Seat(len(tallies) - 1)
    prompt = Line("prompt.deal", {"seat": dealer})
    board = table(
        tallies, limit, phase="between_hands", stake=None, leader=None, prompt=prompt, **changes
    )
    return flagged(board, dict.fromkeys(range(len(tallies)), ()))


def armoede(tallies: tuple[int, ...], poor: int, limit: int = 10) -> Scoreboard:
    others = tuple(Seat(at) for at in range(len(tallies)) if at != poor)
    board = table(
        tallies,
        limit,
        phase="armoede",
        stake=2,
        to_answer=others,
        prompt=Line(
            "prompt.armoede",
            {"seat": Seat(poor), "poor": (Seat(poor),), "seats": others, "stake": 2},
        ),
        news=Line("news.armoede", {"seats": (Seat(poor),)}),
    )
    flags = {int(seat): ("in_hand", "must_answer") for seat in others}
    return flagged(board, {**flags, poor: ("in_hand", "armoede")})


def seating(*taken: int, seats: int = 8) -> Scoreboard:
    may_start = (Offer("start"),) if len(taken) >= 3 else ()
    return Scoreboard(
        game="toepen",
        phase="seating",
        rows=tuple(Row(Seat(at), 0, name=NAMES[at]) for at in taken),
        seats=seats,
        prompt=Line("prompt.sit-down"),
        offers=may_start,
    )


_DRINKS = Line("prompt.drinks", {"seats": (Seat(3),)})


def rubber_over(crowned: bool = False) -> Scoreboard:
    winner = Seat(0)
    news = (
        Line("news.toepkoning", {"seat": winner}, Tone.CROWN)
        if crowned
        else Line("news.rubber-over", {"seats": (winner,)}, Tone.FANFARE)
    )
    board = table(
        (4, 7, 9, 10), phase="rubber_over", stake=None, leader=None, news=news, prompt=_DRINKS
    )
    crown = ("rubber_winner", "toepkoning") if crowned else ("rubber_winner",)
    return flagged(board, {0: crown, 1: (), 2: (), 3: ("out", "owes_drink")})


def tuned(step: str, **more: object) -> Scoreboard:
    """Return a table at which four play while it is being tuned."""
    tuning = replace(Tuning(step, Line(f"tuning.{step}")), **more)  # type: ignore[arg-type]
    return replace(table((3, 7, 0, 5)), tuning=tuning)


def doubt(seat: int | None, action: str | None, knocks: int = 1) -> Doubt:
    place = None if seat is None else Seat(seat)
    return Doubt(place, knocks, sure=0, until_s=5.0, total_s=5.0, number=1, action=action)


_FOUR = (3, 7, 0, 5)
_PLAY = table(_FOUR, stake=2)
_BAD_PAD = Line(
    "notice.part",
    {
        "part": "pad 3",
        "message": "GPIO 22 is in use by the button of seat 3. Give one of them another pin.",
    },
)
_UNPLUGGED = Line("notice.open-input", {"part": "piezo 4", "message": "Check its plug."})
_STUCK = Line("notice.stuck-sensor", {"part": "corner piezo 5", "message": "Check its plug."})
_FULL = Line("notice.journal", {"message": "The disk is full. Make room, then knock again."})


def door(board: Scoreboard, word: str = "KROKET", **more: object) -> Scoreboard:
    """Return *board* while a phone asks to keep the slate; one knock lets it in."""
    asked = Door(word, 1, None, until_s=80.0, total_s=90.0, knocks=1)
    return replace(board, door=replace(asked, **more))  # type: ignore[arg-type]


def called(board: Scoreboard, table: str = "Tafel 7", **more: object) -> Scoreboard:
    """Return *board* while a house calls four people there; three knocks take them in."""
    call = Called(table, ("Thijs", "Tame", "Willemijn", "Stan"), round=3, knocks=3)
    return replace(board, called=replace(call, **more))  # type: ignore[arg-type]


SCENES: dict[str, Scene] = {
    "play-3": Scene(table((4, 9, 1))),
    "play-4": Scene(_PLAY),
    "play-5": Scene(table((3, 7, 0, 5, 10), stake=3)),
    "play-6": Scene(table((3, 7, 0, 5, 9, 2), stake=4)),
    "play-7": Scene(table((3, 7, 0, 5, 9, 2, 6), stake=5)),
    "play-8": Scene(table((3, 7, 0, 5, 9, 2, 6, 8), stake=8)),
    "play-3-to-15": Scene(table((4, 14, 11), 15, stake=12)),
    "play-5-to-15": Scene(table((4, 14, 11, 15, 8), 15, stake=3)),
    "play-8-second": Scene(table((3, 7, 0, 5, 9, 2, 6, 8), stake=8), after_s=66.0),
    "play-8-digits": Scene(table((3, 7, 0, 5, 9, 2, 6, 8), stake=8), look=DIGITS),
    "play-8-strokes": Scene(table((3, 7, 0, 5, 9, 2, 6, 8), stake=8), look=STROKES),
    "play-8-to-15": Scene(table((3, 7, 0, 15, 9, 12, 6, 14), 15, stake=10)),
    "clean-slate": Scene(between_hands((0, 0, 0, 0))),
    "exchange": Scene(
        flagged(
            table(
                _FOUR,
                phase="exchange",
                prompt=Line("prompt.exchange-or-play", {"seat": Seat(0)}),
            ),
            {1: ("in_hand", "open_exchange")},
        )
    ),
    "toep": Scene(
        table(
            _FOUR,
            phase="answering",
            stake=3,
            prompt=Line("prompt.stay-or-fold", {"seat": Seat(2), "stake": 3}),
            news=Line("news.knocked", {"seat": Seat(2), "stake": 3}, Tone.SHOUT),
        ),
        after_s=0.5,
    ),
    "answering-4": Scene(answering(_FOUR, 3), after_s=0.1),
    "answering-4-off": Scene(answering(_FOUR, 3), after_s=1.0),
    "answering-8-second": Scene(answering((3, 7, 0, 5, 9, 2, 6, 8), 6), after_s=7.0),
    "answering-8-digits": Scene(answering((3, 7, 0, 5, 9, 2, 6, 8), 6), after_s=0.1, look=DIGITS),
    "answering-8": Scene(answering((3, 7, 0, 5, 9, 2, 6, 8), 6), after_s=0.1),
    "armoede-4": Scene(armoede((3, 9, 0, 5), 1), after_s=0.1),
    "armoede-8-to-15": Scene(armoede((3, 7, 0, 5, 9, 2, 14, 8), 6, 15), after_s=0.1),
    "armoede-play": Scene(
        flagged(
            table((3, 9, 0, 9), stake=3),
            {1: ("in_hand", "armoede"), 2: ("folded",), 3: ("in_hand", "armoede")},
        )
    ),
    "armoede-next": Scene(flagged(between_hands((3, 9, 0, 5)), {1: ("armoede",)})),
    "folded": Scene(flagged(table((3, 7, 10, 5, 2)), {1: ("folded",), 2: ("out",)})),
    "heard-one": Scene(replace(_PLAY, heard=Heard(Seat(1), 1))),
    "heard-three-8": Scene(replace(table((3, 7, 0, 5, 9, 2, 6, 8)), heard=Heard(Seat(6), 3))),
    "heard-hold": Scene(replace(_PLAY, heard=Heard(Seat(3), 0, holding=True))),
    "heard-nobody": Scene(replace(_PLAY, heard=Heard(None, 2))),
    "heard-doubtful": Scene(replace(_PLAY, heard=Heard(Seat(1), 2, doubtful=True))),
    "struck": Scene(replace(_PLAY, struck=True)),
    "struck-8": Scene(replace(table((3, 7, 0, 5, 9, 2, 6, 8), stake=8), struck=True)),
    "struck-between-hands": Scene(replace(between_hands(_FOUR), struck=True)),
    "doubt": Scene(replace(_PLAY, doubt=doubt(1, "knock")), after_s=1.0),
    "doubt-8": Scene(
        replace(table((3, 7, 0, 5, 9, 2, 6, 8)), doubt=doubt(4, "trick", 2)), after_s=2.0
    ),
    "doubt-nobody": Scene(replace(_PLAY, doubt=doubt(None, None, 2)), after_s=1.0),
    "doubt-answering": Scene(replace(answering(_FOUR, 3), doubt=doubt(3, "stay")), after_s=0.1),
    "doubt-seating": Scene(replace(seating(0, 1), doubt=doubt(5, "sit_down")), after_s=0.5),
    "doubt-german": Scene(replace(_PLAY, doubt=doubt(1, "knock")), after_s=4.0, language="de"),
    "grace-trick": Scene(replace(_PLAY, grace=Grace(Seat(1), "trick", 3.0, 3.0)), after_s=0.9),
    "grace-undo-8": Scene(
        replace(table((3, 7, 0, 5, 9, 2, 6, 8)), grace=Grace(Seat(4), "undo", 2.0, 3.0)),
        after_s=1.0,
    ),
    "refused": Scene(replace(_PLAY, refused=Line("reason.same_knocker", {"seat": Seat(1)}))),
    "refused-8": Scene(
        replace(
            table((3, 7, 0, 5, 9, 2, 6, 8)),
            refused=Line("reason.knock_limit", {"seat": Seat(4), "left": 1}),
        )
    ),
    "hurry-up": Scene(replace(_PLAY, shown=Line("show.hurry-up", {"seat": Seat(0)}))),
    "asking": Scene(replace(_PLAY, asking=Line("ask.challenge", {"seat": Seat(0), "of": Seat(2)}))),
    "again": Scene(replace(seating(0, 1), asking=Line("ask.again", {"name": "Wilhelmina"}))),
    "again-four": Scene(
        replace(
            seating(0, 1, 2, 3),
            asking=Line("ask.again", {"name": "Jan / Wilhelmina / Piet / Cornelis"}),
        ),
        language="de",
    ),
    "who-knocked": Scene(replace(_PLAY, asking=Line("ask.who-knocked", {"n": 1}))),
    "hand-won": Scene(
        between_hands(_FOUR, news=Line("news.hand-won", {"seat": Seat(1), "n": 2}, Tone.TOLD)),
        after_s=1.0,
    ),
    "between-hands": Scene(between_hands(_FOUR)),
    "between-hands-8": Scene(between_hands((3, 7, 0, 5, 9, 2, 6, 8))),
    "fanfare": Scene(rubber_over(), after_s=0.4),
    "toepkoning": Scene(rubber_over(crowned=True), after_s=0.4),
    "rubber-over": Scene(rubber_over(), after_s=6.0),
    "rubber-over-slate": Scene(rubber_over(), after_s=11.0),
    "rubber-over-many": Scene(
        flagged(
            table(
                (10, 10, 0, 10, 10, 10),
                phase="rubber_over",
                stake=None,
                leader=None,
                prompt=_DRINKS,
            ),
            {2: ("rubber_winner",), **dict.fromkeys((0, 1, 3, 4, 5), ("owes_drink",))},
        ),
        after_s=0.0,
    ),
    "seating-none": Scene(seating(), after_s=0.0),
    "seating-some": Scene(seating(0, 1, 2, 5), after_s=0.0),
    "seating-may-start": Scene(seating(0, 1, 2, 5), after_s=4.0),
    "seating-6": Scene(seating(0, 1, 4, seats=6), after_s=0.0),
    "seating-heard": Scene(replace(seating(0, 1), heard=Heard(Seat(6), 1)), after_s=0.0),
    "join": Scene(seating(0, 1), after_s=7.0, look=JOIN),
    "offline": Scene(seating(0, 1), after_s=8.0, look=OFFLINE),
    "offline-de": Scene(seating(0, 1), after_s=8.0, language="de", look=OFFLINE),
    "hotspot": Scene(seating(0, 1), after_s=16.0, look=HOTSPOT),
    "wifi": Scene(seating(0, 1), after_s=16.0, look=WIFI),
    "notice": Scene(replace(between_hands(_FOUR), notices=(_BAD_PAD,)), after_s=9.0),
    "notice-unplugged": Scene(
        replace(between_hands(_FOUR), notices=(_UNPLUGGED, _STUCK)), after_s=9.0
    ),
    "notice-stuck": Scene(
        replace(between_hands(_FOUR), notices=(_UNPLUGGED, _STUCK)), after_s=22.0, language="de"
    ),
    "notice-in-hand": Scene(replace(_PLAY, notices=(_BAD_PAD,))),
    "notice-journal": Scene(replace(_PLAY, notices=(_FULL,)), after_s=9.0),
    "tuning-quiet": Scene(tuned("quiet", count=1, of=4, level=5)),
    "tuning-quiet-not": Scene(
        tuned("quiet", of=4, level=55, hint=Line("tuning.hint.something-buzzes"))
    ),
    "tuning-glass": Scene(tuned("glass", count=2, of=3, level=70)),
    "tuning-phone": Scene(tuned("phone", count=7, of=12, level=50)),
    "tuning-knocks": Scene(tuned("knocks", seat=Seat(2), count=3, of=5, level=80)),
    "tuning-knocks-hint": Scene(
        tuned("knocks", seat=Seat(5), count=3, of=5, hint=Line("tuning.hint.other-noise"))
    ),
    "tuning-knocks-free": Scene(tuned("knocks", seat=Seat(6), count=1, of=5, level=60)),
    "tuning-weighing": Scene(tuned("weighing")),
    "tuning-result": Scene(tuned("result", level=10)),
    "tuning-english": Scene(tuned("knocks", seat=Seat(3), count=5, of=5, level=100), language="en"),
    "tuning-german": Scene(
        tuned("knocks", seat=Seat(7), of=5, hint=Line("tuning.hint.too-soft")), language="de"
    ),
    "tuning-danish": Scene(
        tuned("knocks", seat=Seat(0), of=5, hint=Line("tuning.hint.elsewhere", {"seat": Seat(0)})),
        language="da",
    ),
    "door-keeper": Scene(door(between_hands(_FOUR))),
    "door-seat": Scene(door(between_hands(_FOUR), "ACCORDEON", seat=Seat(2), knocks=3)),
    "door-wait": Scene(door(between_hands(_FOUR), "HOEFIJZER", knocks=0)),
    "door-in": Scene(door(between_hands(_FOUR), let_in=True)),
    "door-press": Scene(
        door(between_hands(_FOUR), "BIERTJE", seat=Seat(7), knocks=3, press="press"), language="en"
    ),
    "door-hold": Scene(
        door(between_hands(_FOUR), "WINDMOLEN", knocks=3, press="hold"), language="de"
    ),
    "door-danish": Scene(
        door(between_hands(_FOUR), "UILTJE", knocks=3, press="press"), language="da"
    ),
    "call-seating": Scene(called(seating(0, 1))),
    "call-between": Scene(called(between_hands(_FOUR), knocks=1), language="en"),
    "call-phones": Scene(called(between_hands(_FOUR), knocks=0), language="de"),
    "call-danish": Scene(
        called(seating(), "Bord 112", players=("Søren", "Åse", "Bjørn", "Ærtholmen-Kristian")),
        language="da",
    ),
    "call-japanese": Scene(called(seating(0), "テーブル7", round=None), language="ja"),
    "call-nobody": Scene(called(seating(), players=(), knocks=0)),
    "door-play": Scene(door(_PLAY, knocks=3)),
    "door-play-seat": Scene(
        door(_PLAY, "KANDELAAR", seat=Seat(4), knocks=3, press="hold"), language="de"
    ),
    "door-play-in": Scene(door(_PLAY, let_in=True)),
    "odd-names": Scene(
        replace(
            _PLAY, rows=rows(_FOUR, names=("太郎", "Ana 🍺", "Łukasz van den Berg", "Ægir Þór"))
        )
    ),
    "english": Scene(answering(_FOUR, 3), after_s=0.1, language="en"),
    "german": Scene(answering(_FOUR, 3), after_s=0.1, language="de"),
    "danish": Scene(answering(_FOUR, 3), after_s=0.1, language="da"),
    "japanese": Scene(answering(_FOUR, 3), after_s=0.1, language="ja"),
    "japanese-names": Scene(
        replace(_PLAY, rows=rows(_FOUR, names=("阿部", "さくら", "ケンタロウ", "佐々木 颯太"))),
        language="ja",
    ),
    **watten_boards.SCENES,
    **tarok_boards.SCENES,
    **eenendertigen_boards.SCENES,
}
IN_JAPANESE = (
    *("armoede-4", "asking", "between-hands", "door-play", "exchange", "grace-trick", "notice"),
    *("refused", "rubber-over", "seating-some", "tuning-knocks-hint", "watten-3", "watten-raised"),
    *("31-question", "toep", "who-knocked"),
)
"""Which of them are kept in Japanese as well, whose letters are of other heights."""
SCENES |= {f"japanese-{name}": replace(SCENES[name], language="ja") for name in IN_JAPANESE}
