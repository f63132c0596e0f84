"""From a scoreboard to one picture: which face is shown, in which words, and what passes over it.

Pure: in come a board, a moment, the words of a language and the settings of the display
(`DisplaySettings`), out comes a `Picture` and how long it stays. `choose` names the face, `draw`
draws it.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum, auto

from PIL import Image

from kloplei.config.settings import SMALL_GLASS, Glass, SlateConfig
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.games.scoreboard import SEATING, Door, Doubt, Grace, Line, Scoreboard, Tone
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.drawing import Area, FrameTime, Motion, blank, developed, shortened
from kloplei.slate.faces import Overlay, Paid, TableScene, faces_for
from kloplei.table.client import WELCOME
from kloplei.words import Words
from kloplei.words.letters import chalked_name, legible

_DIMMED = 8  # of 255: an OLED stays legible in a dark room, and ages hardly at all


@dataclass(frozen=True, slots=True)
class DisplaySettings:
    """Looks of one slate.

    Args:
        slate: How bright it is while somebody plays, when it dims, and when it goes dark.
        join: How phones get here, shown as QR codes, or that they cannot; None shows nothing of it.
        pin: PIN that lets a phone in, shown beside the address; None where none is needed.
        code: The secret in the QR code that says its phone is at the table; empty for none.
        is_covered: Somebody who is not at the table may see it: no PIN, no code, no password.
        glass: What it is drawn for; the faces of that size have to be in `FACE_SETS`.
    """

    slate: SlateConfig = field(default_factory=SlateConfig)
    join: JoinAddress | None = None
    pin: str | None = field(default=None, repr=False)
    code: str = field(default="", repr=False)
    is_covered: bool = False
    glass: Glass = SMALL_GLASS

    @property
    def dimmed(self) -> int:
        """Brightness when nothing has happened for a while."""
        return min(self.slate.contrast, _DIMMED)

    @property
    def wifi(self) -> Wifi | None:
        """The Wi-Fi that phones are asked to join, None where they are asked for none."""
        return None if self.join is None else self.join.wifi


SHOUT_S = 1.4
FANFARE_FRAME_S = 0.3  # rays that swap three times a second do not flicker
FANFARE_FRAMES = 16
NEWS_S = 4.0
_SEATING_S, _JOIN_S, _WIFI_S, _NOTICE_S = 6.0, 9.0, 9.0, 5.0
_CALM_S = 8.0
_CALL_S = 12.0  # four names, read from where one stands
_WELCOME_S = 4.0, 16.0  # the sentence, and then what to come in by
_PAUSE_S, _LATECOMER_S = 30.0, 6.0  # so long is nobody dealing; somebody may want to look on
_OVER_S, _SLATE_S = 10.0, 6.0  # the fanfare takes its part of the first

_OVER = {"owes_drink", "rubber_winner"}  # flags that stand until the next one begins
_WON = (Tone.FANFARE, Tone.CROWN)


class Face(Enum):
    """A picture that fills the slate."""

    SEATING = auto()
    JOIN = auto()
    WIFI = auto()
    TABLE = auto()
    SHOUT = auto()
    QUESTION = auto()
    FANFARE = auto()
    OVER = auto()
    NOTICE = auto()
    TUNING = auto()
    DOOR = auto()
    CALL = auto()


def choose(board: Scoreboard, settings: DisplaySettings, motion: Motion) -> Face:
    """Return the face for *board*: what somebody has to do comes before what is nice to see."""
    if board.tuning is not None:
        return Face.TUNING
    if board.asking is not None and board.doubt is None:
        return Face.QUESTION
    if _somebody_is_at_it(board):
        if _lets_in(board) and settings.join is not None and motion.turn(*_WELCOME_S):
            return Face.JOIN
        return Face.SEATING if board.phase == SEATING else Face.TABLE
    tone = Tone.PLAIN if board.news is None else board.news.tone
    if tone in _WON and motion.frame(FANFARE_FRAME_S, FANFARE_FRAMES) is not None:
        return Face.FANFARE
    if tone is Tone.SHOUT and motion.frame(SHOUT_S, 1) is not None:
        return Face.SHOUT
    if board.door is not None and not board.deal_runs:
        return Face.DOOR
    turns = _turns(board, settings)
    faces = tuple(turns)
    return faces[motion.turn(*turns.values())] if len(faces) > 1 else faces[0]


def whose_page(board: Scoreboard, settings: DisplaySettings, motion: Motion) -> Line:
    """Return the notice of *board* whose turn it is when notices have theirs: one a round."""
    round_s = sum(_turns(board, settings).values())
    return board.notices[motion.turn(*(round_s for _ in board.notices))]


def passing(board: Scoreboard, motion: Motion) -> Line | None:
    """Return the sentence that stands over the face for a while, if there is one."""
    if board.refused is not None or board.shown is not None:
        return board.refused or board.shown
    if line := _told(board, motion):
        return line
    # Between hands it has a page of its own.
    trouble = motion.new_trouble(_NOTICE_S) if board.deal_runs else None
    return trouble if trouble in board.notices else None


def _told(board: Scoreboard, motion: Motion) -> Line | None:
    """Return what happened, and then what has to be said besides, each for a while."""
    lines = [board.news, *(line for line in board.told if line.tone is Tone.TOLD)]
    while lines and (lines[-1] is None or lines[-1].tone is not Tone.TOLD):
        lines.pop()  # nobody has to wake up for the end of what is not shown
    number = motion.frame(NEWS_S, len(lines)) if lines else None
    line = None if number is None else lines[number]
    return line if line is not None and line.tone is Tone.TOLD else None


def _somebody_is_at_it(board: Scoreboard) -> bool:
    return any((board.heard, board.doubt, board.grace, board.refused, board.shown))


def _lets_in(board: Scoreboard) -> bool:
    """Whether people have just said that who asks is to come in: a code and a PIN help there."""
    is_told = board.shown is not None and board.shown.key == WELCOME
    return is_told and not (board.doubt or board.grace or board.refused)


def _turns(board: Scoreboard, settings: DisplaySettings) -> Mapping[Face, float]:
    """Return the faces that take turns, with their seconds."""
    turns: dict[Face, float] = {}
    may_join = settings.join is not None and settings.join.url is not None
    if board.phase == SEATING:
        turns[Face.SEATING] = _SEATING_S
        if settings.join is not None:
            turns[Face.JOIN] = _JOIN_S
        if settings.wifi is not None:
            turns[Face.WIFI] = _WIFI_S
    elif board.payments or any(_OVER & set(row.flags) for row in board.rows):
        turns.update({Face.OVER: _OVER_S, Face.TABLE: _SLATE_S})
        if may_join:
            turns[Face.JOIN] = _LATECOMER_S
    elif not board.deal_runs and may_join and not board.notices:
        turns.update({Face.TABLE: _PAUSE_S, Face.JOIN: _LATECOMER_S})
    else:
        turns[Face.TABLE] = _CALM_S
    if _worth_a_page(board):
        turns[Face.NOTICE] = _NOTICE_S
    if board.called is not None and not board.deal_runs:
        return {Face.CALL: _CALL_S, **turns}
    return turns


def _worth_a_page(board: Scoreboard) -> bool:
    """Whether a notice takes its turn: between hands, or at once if nothing is kept any more."""
    keys = {notice.key for notice in board.notices}
    return bool(keys) and (not board.deal_runs or "notice.journal" in keys)


_GRACE_STEPS = 30
_DOUBT_STEPS = 20
_DOOR_STEPS = 30
_HINT_S = 3.0
_NO_LETTERS = "?"  # in place of a name that no slate can write
_MINUS = "– "  # the dash of our fonts runs into digits
_WAITING = {
    "trick": "slate.last-trick",
    "trick_of": "slate.last-trick",
    "undo": "slate.undo",
    "redo": "slate.redo",
    "new_evening": "slate.new-evening",
}
_PRESSES = {"": "slate.door-knock", "press": "slate.door-press", "hold": "slate.door-hold"}


@dataclass(frozen=True, slots=True)
class Picture:
    """*image* is one bit a pixel, or 8 of grey; it stays so for *lasts_s* seconds, None for ever.

    *covered* is for who is not at the table, where *image* tells what only the table may know.
    *first* is the part that says what has happened: where all of it is much to send, that part
    goes ahead.
    """

    image: Image.Image
    lasts_s: float | None = None
    covered: Image.Image | None = None
    first: Area | None = None


def draw(board: Scoreboard, moment: FrameTime, words: Words, settings: DisplaySettings) -> Picture:
    """Return what stands on the slate at *moment*."""
    motion = Motion(moment)
    face = choose(board, settings, motion)
    drawing = _drawn(face, board, words, settings, motion)
    password = None if settings.wifi is None else settings.wifi.password
    tells = {Face.JOIN: settings.pin or settings.code, Face.WIFI: password}.get(face)
    covered = (
        _drawn(face, board, words, replace(settings, is_covered=True), motion).image
        if tells
        else None
    )
    return Picture(drawing.image, motion.lasts_s, covered, drawing.first)


def _drawn(
    face: Face, board: Scoreboard, words: Words, settings: DisplaySettings, motion: Motion
) -> "_Drawing":
    picture = _Drawing(board, words.of_game(board.game, board.suits), settings, motion)
    picture.draw(face)
    picture.image = developed(picture.image)
    return picture


def draw_greeting(words: Words, glass: Glass = SMALL_GLASS) -> Picture:
    """Return what stands on the slate before the table has said anything."""
    return _still(faces_for(glass).draw_greeting, glass, words.say("slate.starting"))


def draw_pause(words: Words, glass: Glass = SMALL_GLASS) -> Picture:
    """Return what stands on the slate while no table runs; the plug had better stay in."""
    pausing, plug = words.say("slate.pausing"), words.say("slate.leave-the-plug")
    return _still(faces_for(glass).draw_pause, glass, pausing, plug)


def draw_goodbye(words: Words, glass: Glass = SMALL_GLASS) -> Picture:
    """Return what stays on the slate when the box is off: the plug may be pulled."""
    goodbye, safe = words.say("slate.goodbye"), words.say("slate.safe-to-unplug")
    return _still(faces_for(glass).draw_goodbye, glass, goodbye, safe)


def _still(draw_face: Callable[..., None], glass: Glass, *said: str) -> Picture:
    image = blank(glass)
    draw_face(image, *said)
    return Picture(developed(image))


class _Drawing:
    """One picture being drawn: a scoreboard put into words, face by face."""

    def __init__(
        self, board: Scoreboard, words: Words, settings: DisplaySettings, motion: Motion
    ) -> None:
        self.image = blank(settings.glass)
        self.first: Area | None = None
        self._faces = faces_for(settings.glass, settings.slate.crowd)
        self._board = board
        self._words = words
        self._settings = settings
        self._motion = motion
        # What of a name can be chalked; where nothing can, the seat's own.
        self._names = {
            seat: chalked_name(words.called(name))
            or words.say("seat.unnamed", {"number": seat.shown})
            for seat, name in board.names.items()
        }
        self._scene = TableScene(board, self._names, words, motion)

    def draw(self, face: Face) -> None:
        """Draw *face*, by the method of its name, and beside it or over its foot what passes."""
        passes = self._passing() if face in (Face.TABLE, Face.SEATING, Face.OVER) else None
        draw_face = getattr(self, f"_draw_{face.name.lower()}")
        if passes is None:
            draw_face()
        elif self._faces.draw_face_beside is None:
            draw_face()
            self._draw_at_foot(passes)
        elif face is Face.TABLE and (beside := self._faces.draw_table_beside) is not None:
            beside(self.image, self._scene, passes)
        else:
            self._faces.draw_face_beside(self.image, passes, self._on(draw_face))
        if self._board.struck and face in (Face.TABLE, Face.SEATING, Face.OVER):
            self._faces.draw_stir(self.image)

    def _on(self, draw_face: Callable[[], None]) -> Callable[[Image.Image], None]:
        """Return *draw_face* as one that draws on the sheet that it gets."""

        def drawing(sheet: Image.Image) -> None:
            whole, self.image = self.image, sheet
            draw_face()
            self.image = whole

        return drawing

    def _passing(self) -> Overlay | None:
        board = self._board
        if board.doubt is not None:
            return self._doubt(board.doubt)
        if board.grace is not None:
            return self._grace(board.grace)
        if line := passing(board, self._motion):
            said = self._fitting(line, self._faces.sentence_fits)
            return Overlay(said, light=line in (board.refused, board.shown))
        return None if board.door is None else self._door(board.door)

    def _draw_at_foot(self, passes: Overlay) -> None:
        faces, what, how = self._faces, passes.what, passes.how
        if passes.word:
            faces.draw_door_at_foot(self.image, what, passes.word, how, passes.left, passes.steps)
        elif not passes.steps:
            above = faces.draw_sentence(self.image, what, light=passes.light)
            # What was written down, then why.
            self.first = None if passes.light else self.first or above
        elif passes.is_doubtful:
            faces.draw_doubt(self.image, what, how, passes.left, passes.steps)
        else:
            self.first = faces.draw_grace(self.image, what, how, passes.left, passes.steps)

    def _say(self, key: str, **facts: object) -> str:
        return self._words.say(key, facts, self._names)

    def _line(self, line: Line) -> str:
        if line in self._board.notices:
            # What went wrong is told in English, and at length; phones show it in full.
            known = {fact: value for fact, value in line.facts.items() if fact != "message"}
            line = replace(line, facts=known)
        return self._in_full(line)

    def _fitting(self, line: Line, fits: Callable[[Image.Image, str], bool]) -> str:
        """Return *line* as `_line` says it, with names cut where all of it would not fit."""
        names = self._names

        def told(shown: list[str]) -> str:
            self._names = dict(zip(names, shown, strict=True))
            return self._line(line)

        said = shortened(list(names.values()), told, lambda said: fits(self.image, said))
        self._names = names
        return said

    def _in_full(self, line: Line) -> str:
        said = self._words.say(line.key, line.facts, self._names)
        return "\n".join(map(legible, said.splitlines()))

    def _draw_seating(self) -> None:
        may_start = any(offer.action == "start" for offer in self._board.offers)
        hints = ["slate.knock-to-sit", "slate.hold-to-start"][: 1 + may_start]
        hint = hints[self._motion.turn(*(_HINT_S for _ in hints))]
        self._faces.draw_seating(self.image, self._board, self._names, self._say(hint))

    def _draw_join(self) -> None:
        join = self._settings.join
        if join is None or join.url is None:
            sentence = self._say("offline.phones")
            self._faces.draw_offline(self.image, self._say("slate.offline"), sentence)
            return
        pin = self._settings.pin or ""
        if pin:
            pin = self._say("slate.pin", pin="*" * len(pin) if self._settings.is_covered else pin)
        code = "" if self._settings.is_covered else self._settings.code
        self._faces.draw_join(self.image, self._say("slate.join"), join.url, pin, code)

    def _draw_wifi(self) -> None:
        title, wifi = self._say("slate.wifi"), self._settings.wifi or Wifi("")
        if wifi.password is not None and self._settings.is_covered:  # the code tells it as well
            self._faces.draw_offline(self.image, title, legible(wifi.name))
        else:
            self._faces.draw_wifi(self.image, title, wifi)

    def _draw_table(self) -> None:
        self.first = self._faces.draw_table(self.image, self._scene)

    def _draw_shout(self) -> None:
        shout = self._news_word(), self._seats_of(self._board.news)
        self.first = self._faces.draw_shout(self.image, self._scene, shout)

    def _draw_question(self) -> None:
        if self._board.asking is not None:
            said = self._fitting(self._board.asking, self._faces.question_fits)
            self._faces.draw_question(self.image, said)

    def _draw_fanfare(self) -> None:
        frame = self._motion.frame(FANFARE_FRAME_S, FANFARE_FRAMES) or 0
        name, news = self._seats_of(self._board.news), self._board.news
        crowned = news is not None and news.tone is Tone.CROWN
        title = self._news_word() if crowned else self._won()[1]
        self._faces.draw_fanfare(self.image, name, title, frame, crowned=crowned)

    def _draw_over(self) -> None:
        owed = self._flagged("owes_drink", "slate.pays-drink")
        if self._board.payments:
            self._faces.draw_payments(self.image, self._won(), self._paid())
        elif owed[0]:
            self._faces.draw_debts(self.image, self._won(), owed, self._scene.hint)
        else:
            self._faces.draw_result(self.image, self._won(), *self._tallies())

    def _paid(self) -> list[Paid]:
        return [
            Paid(self._name_of(one.payer), self._name_of(one.payee), one.amount)
            for one in self._board.payments
        ]

    def _won(self) -> tuple[str, str]:
        """Return who has won, by name, and what is said of them."""
        return self._flagged("rubber_winner", "slate.rubber-winner")

    def _tallies(self) -> tuple[str, str]:
        """Return what each account holds now, and how often it has won, where that is counted."""
        board = self._board
        firsts = [account[0] for account in board.accounts if account] or [
            row.seat for row in board.rows
        ]
        rows = [row for row in board.rows if row.seat in firsts]
        tallies = " : ".join(str(row.tally).replace("-", _MINUS) for row in rows)
        if not any("rubbers_won" in row.counts for row in rows):
            return tallies, ""
        games = " : ".join(str(row.counts.get("rubbers_won", 0)) for row in rows)
        if any("out" in row.flags for row in rows):
            # What each has lost tells no score any more.
            return games, self._say("count.rubbers_won")
        return tallies, self._say("slate.games", games=games)

    def _draw_notice(self) -> None:
        notice = whose_page(self._board, self._settings, self._motion)
        said = self._in_full(notice) if self._words.language == "en" else self._line(notice)
        whole = self._faces.notice_fits(self.image, said)
        self._faces.draw_notice(self.image, said if whole else self._line(notice))

    def _draw_tuning(self) -> None:
        tuning = self._board.tuning
        if tuning is None:
            return
        name = "" if tuning.seat is None else self._names.get(tuning.seat, "")
        how = name or self._say(f"slate.tune-{tuning.step}-how")
        self._faces.draw_tuning(
            self.image,
            self._say(f"slate.tune-{tuning.step}"),
            how if tuning.hint is None else self._fitting(tuning.hint, self._faces.how_fits),
            tuning,
        )

    def _grace(self, grace: Grace) -> Overlay:
        who = self._say("slate.keeper") if grace.seat is None else self._name_of(grace.seat)
        what = f"{who}: {self._action(grace.action)}"
        left = self._motion.left(grace.until_s, grace.total_s, _GRACE_STEPS)
        how = self._say("slate.anyone-knock-cancels")
        return Overlay(what, how, left=left, steps=_GRACE_STEPS)

    def _doubt(self, doubt: Doubt) -> Overlay:
        knocks = self._say("slate.knocks", n=doubt.knocks)
        what = knocks if doubt.action is None else self._action(doubt.action)
        if doubt.seat is not None:
            what = f"{self._name_of(doubt.seat)}: {what}"
        left = self._motion.left(doubt.until_s, doubt.total_s, _DOUBT_STEPS)
        how = self._say("slate.knock-is-yes")
        return Overlay(what, how, left=left, steps=_DOUBT_STEPS, is_doubtful=True)

    def _door(self, door: Door) -> Overlay:
        how, left = self._how_to_let_in(door)
        steps = 0 if door.let_in else _DOOR_STEPS
        return Overlay(self._who_asks(door), how, word=door.word, left=left, steps=steps)

    def _draw_door(self) -> None:
        if self._board.door is not None:
            asks = self._door(self._board.door)
            word, left, steps = asks.word, asks.left, asks.steps
            self._faces.draw_door(self.image, asks.what, word, asks.how, left, steps)

    def _draw_call(self) -> None:
        if (called := self._board.called) is not None:
            names = [chalked_name(one) or _NO_LETTERS for one in called.players]
            how = self._say("slate.call-knock", n=called.knocks) if called.knocks else ""
            title = legible(self._say(called.title.key, **called.title.facts))
            self._faces.draw_call(self.image, title, names, self._words.listed, how)

    def _who_asks(self, door: Door) -> str:
        if door.let_in:
            return ""
        if door.seat is None:
            return self._say("slate.door-keeper")
        return self._say("slate.door-seat", number=door.seat.shown)

    def _how_to_let_in(self, door: Door) -> tuple[str, int]:
        """Return what says yes, and how much of the time for it is left."""
        if door.let_in:
            return self._say("slate.door-in"), 0
        left = self._motion.left(door.until_s, door.total_s, _DOOR_STEPS)
        if not door.knocks:
            return self._say("slate.door-wait"), left
        return self._say(_PRESSES[door.press], n=door.knocks), left

    def _action(self, action: str) -> str:
        return self._say(_WAITING.get(action, f"action.{action}"))

    def _news_word(self) -> str:
        """Return the one word that the last news is on the slate."""
        news = self._board.news
        return "" if news is None else self._say(f"slate.{news.key.removeprefix('news.')}")

    def _name_of(self, seat: Seat) -> str:
        return self._names.get(seat) or self._say("seat.unnamed", number=seat.shown)

    def _flagged(self, flag: str, key: str) -> tuple[str, str]:
        """Return the names of those with *flag*, and what *key* says of so many."""
        found = [self._names[row.seat] for row in self._board.rows if flag in row.flags]
        return ", ".join(found), self._say(key, n=len(found))

    def _seats_of(self, line: Line | None) -> str:
        """Return who *line* is about, by name."""
        facts = {} if line is None else line.facts
        found = facts.get("seat", facts.get("seats"))
        seats = found if isinstance(found, tuple) else (found,)
        return ", ".join(self._names.get(seat, "") for seat in seats if isinstance(seat, Seat))
