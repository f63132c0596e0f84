"""`kloplei tune`: teach the box its table from the terminal, step by step, live.

What is shown comes from the ears, what is pressed goes to them: a few lines that stay where they
are, or, without a terminal, a line of its own for each thing that changes. All of it is for who
sits at the table, and speaks the language of the slate; what ends the command is told in English.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TextIO

from kloplei.cli.terminal import (
    Keys,
    Redrawn,
    WrongOption,
    add_config,
    add_coupling,
    is_live,
    load_config,
    padded,
    seat_count,
    single_keys,
)
from kloplei.files import KlopleiError
from kloplei.games.game import NO_FACTS, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.table.client import (
    RESULT,
    BadRequest,
    EarsClient,
    LearnedInPlay,
    TableClient,
    TableUnavailable,
    TuneStand,
)
from kloplei.words import Words, sentence_of

if TYPE_CHECKING:
    from kloplei.config.settings import Config
    from kloplei.replay.commands import Subparsers


def register(commands: "Subparsers") -> None:
    """Add ``tune`` to the command line."""
    tune = commands.add_parser(
        "tune",
        description="Teach the box its table. Nothing is saved until you say so.",
    )
    tune.set_defaults(run=run_tune, log_level="ERROR")
    add_config(tune)
    tune.add_argument("--seats", type=seat_count, metavar="N", help="only seats 1 to N knock")
    wood = tune.add_argument_group("by geometry, without a knock")
    wood.add_argument(
        "--size", metavar="1.4x0.8", help="say how large the table top is, in metres, and stop"
    )
    wood.add_argument("--top", choices=("plate", "planks"), help="with --size (plate)")
    wood.add_argument(
        "--discs", default="", metavar="WHERE", help="with --size: corners, seats, or spots"
    )
    tune.add_argument(
        "--virtual",
        action="store_true",
        help="try it on a table that is not there, with people who do as they are told",
    )
    add_coupling(tune, "with --virtual: ")
    instead = tune.add_mutually_exclusive_group()
    instead.add_argument("--show", action="store_true", help="say what is in force, and stop")
    instead.add_argument("--back", action="store_true", help="go back to the tuning before")
    instead.add_argument(
        "--lessons", action="store_true", help="say what was learned while people played, and stop"
    )
    instead.add_argument(
        "--forget",
        type=_lesson,
        metavar="NUMBER",
        help="forget that lesson of play (see --lessons), or 'all' of them",
    )
    tune.add_argument("--json", action="store_true", help="with --show or --back: print JSON")


def run_tune(arguments: argparse.Namespace) -> int:
    """Tune the table, show what is in force, or go back; return 1 if nothing was saved."""
    if arguments.json and not (arguments.show or arguments.back):
        raise WrongOption("--json goes with --show or --back; people are guided without it")
    if arguments.coupling and not arguments.virtual:
        raise WrongOption("--coupling goes with --virtual; how a real disc is glued, it feels")
    if (arguments.top or arguments.discs) and arguments.size is None:
        raise WrongOption("--top and --discs say what a table is like; add --size 1.4x0.8")
    config = _settings(arguments)
    _demand_seats(config, arguments)
    words = Words(config.slate_language)
    with _table(config, arguments) as table:
        ears = table.ears
        if arguments.lessons or arguments.forget is not None:
            return _tell_lessons(ears, words, arguments.forget)
        if arguments.show or arguments.back:
            step = "back" if arguments.back else "look"
            return _tell(ears, step, words, as_json=arguments.json)
        if arguments.size is not None:
            print(_tell_wood(ears, arguments, words))
            return 0
        stand = _done(ears, "look", words)
        if stand.trouble is not None:
            print(words.tell(stand.trouble))
        if (known := _wood_of(stand, words)) and not arguments.virtual:
            print(known)
        with open_screen(words) as screen:
            return int(not walk(ears, screen, words, arguments.seats, table.ailing))


def _demand_seats(config: "Config", arguments: argparse.Namespace) -> None:
    """Refuse more seats than there are; those about a table top are judged with its size."""
    from kloplei.config.settings import MAX_SEATS

    most = MAX_SEATS if arguments.virtual else config.table.seats
    if arguments.size is None and (arguments.seats or 0) > most:
        raise WrongOption(f"--seats {arguments.seats}: the table has seats 1 to {most}")


def _settings(arguments: argparse.Namespace) -> "Config":
    """Return the settings of the house; a table that is not there has none but those named."""
    from kloplei.config.settings import Config

    if arguments.virtual and arguments.config is None:
        return Config()
    return load_config(arguments.config)


class _Tuned(NamedTuple):
    """A table to be tuned: its *ears*, and what says which of its parts do not work now."""

    ears: EarsClient
    ailing: Callable[[], Iterable[Line]]


@contextlib.contextmanager
def _table(config: "Config", arguments: argparse.Namespace) -> Iterator[_Tuned]:
    """Give the table that runs, else a box opened for this."""
    if arguments.virtual:
        from kloplei.demo.table import obliging_table

        with obliging_table(arguments.seats, config.slate_language, arguments.coupling) as ears:
            yield _Tuned(ears, tuple)
        return
    with contextlib.ExitStack() as opened:
        instead = (arguments.show, arguments.back, arguments.lessons, arguments.forget is not None)
        guided = not any(instead)
        table = _of_running(config, opened) or _of_own(config, opened, guided=guided)
        yield _Tuned(table.ears, lambda: ailing_parts(table.scoreboard()))


def ailing_parts(board: Scoreboard) -> Iterator[Line]:
    """Yield what *board* says of parts that do not work; of the tuning it is said once."""
    from kloplei.unit import TUNING

    return (one for one in board.notices if one.facts.get("part", TUNING) != TUNING)


def _of_running(config: "Config", opened: contextlib.ExitStack) -> TableClient | None:
    from kloplei.table.client import TableUnavailable
    from kloplei.table.rpc_client import remote_table

    table = remote_table(config.socket.path)
    opened.callback(table.close)
    try:
        table.scoreboard()
    except TableUnavailable as silence:
        # Only where none runs may its pins be taken.
        if isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            return None
        raise
    return table


def _of_own(config: "Config", opened: contextlib.ExitStack, *, guided: bool) -> TableClient:
    from kloplei.unit import TableUnit

    unit = opened.enter_context(TableUnit(config, config.table.data))
    if guided and (why := unit.why_deaf) is not None:
        raise CannotTune(
            f"no knock can be heard here: {why}. "
            "To try it without pads and piezos: kloplei tune --virtual"
        )
    return unit.session


def _tell(ears: "EarsClient", step: str, words: Words, *, as_json: bool) -> int:
    """Do *step*, which guides nobody, and print what is in force after it."""
    import json

    from kloplei.table.schema import WORLD, dump

    stand = _done(ears, step, words)
    taught = dump(stand.in_force, form=WORLD)
    if as_json:
        trouble = {} if stand.trouble is None else {"trouble": stand.trouble}
        print(json.dumps({"step": stand.step, "in_force": taught, **trouble}, indent=2))
    elif stand.trouble is not None:
        print(words.tell(stand.trouble))
    else:
        print("\n".join(_in_force(taught, words, may_go_back="back" in stand.commands)))
    if not as_json and (known := _wood_of(stand, words)):
        print(known)
    return 0


_ALL = 0  # lessons: they are numbered from 1
_MOST_DIGITS = 15
_LEARNING_S = 5.0  # so many lessons as there may be take a small board a second or two


def _lesson(text: str) -> int:
    """Return the number of a lesson, `_ALL` for all of them.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if text == "all":
        return _ALL
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a lesson, nor 'all'")
    return int(text)


def _tell_lessons(ears: "EarsClient", words: Words, forget: int | None) -> int:
    """Forget what is to be forgotten, and print what is learned of play then."""
    try:
        if forget == _ALL:
            ears.forget_lessons()
        elif forget is not None:
            ears.forget_lesson(forget)
    except IllegalAction as refusal:
        raise CannotTune(_refusal(refusal, words)) from refusal
    except BadRequest as error:
        raise CannotTune(words.tell(sentence_of(error))) from error
    print("\n".join(_learned(ears, words)))
    return 0


def _learned(ears: "EarsClient", words: Words) -> Iterator[str]:
    learned = _in_force_by_now(ears)
    if learned.trouble is not None:
        yield words.tell(learned.trouble)
        if not learned.lessons:
            return
    lines = learned.lines or (Line("learned.none"),)
    yield from (words.say(one.key, one.facts) for one in lines)
    if not learned.lessons:
        return
    for lesson in learned.lessons:
        what = words.say("terminal.lesson-knock" if lesson.was_knock else "terminal.lesson-noise")
        how = words.say(f"learned.{lesson.said}")
        told = words.say("terminal.lesson", {"number": lesson.number, "what": what, "how": how})
        yield f"  {told}"
    yield words.say("terminal.forget-lessons")


def _in_force_by_now(ears: EarsClient) -> LearnedInPlay:
    """Return what was learned, as it is without what was just forgotten."""
    until_s = time.monotonic() + _LEARNING_S
    while (learned := ears.learned_in_play()).is_learning and time.monotonic() < until_s:
        time.sleep(LOOK_S)
    return learned


def _tell_wood(ears: "EarsClient", arguments: argparse.Namespace, words: Words) -> str:
    """Say what the table top is like, and return what the ears made of it."""
    top = arguments.top or "plate"
    facts = {"size": arguments.size, "top": top, "discs": arguments.discs}
    stand = _done(ears, "wood", words, {**facts, "seats": arguments.seats or 0})
    return _wood_of(stand, words)


def _wood_of(stand: "TuneStand", words: Words) -> str:
    """Return what is known of the table top; nothing where it would tell nothing."""
    wood = stand.wood
    if wood is None:
        return ""
    if wood.told == "nobody":
        return words.say("terminal.wood-nobody")
    facts = {"size": wood.size, "seats": wood.around, "discs": len(wood.spots)}
    return words.say("terminal.wood-told", facts)


def _done(
    ears: "EarsClient", step: str, words: Words, facts: Mapping[str, object] = NO_FACTS
) -> "TuneStand":
    try:
        return ears.tune(step, facts)
    except IllegalAction as refusal:
        raise CannotTune(_refusal(refusal, words)) from refusal
    except BadRequest as error:
        raise CannotTune(words.tell(sentence_of(error))) from error


def _refusal(refusal: IllegalAction, words: Words) -> str:
    return words.say(f"reason.{refusal.reason}", refusal.facts)


def _in_force(taught: Mapping[str, Any], words: Words, *, may_go_back: bool) -> Iterator[str]:
    """Yield in lines for people what the table was *taught*."""
    if not taught["tuned"]:
        yield words.say("terminal.untuned")
        return
    yield words.say("terminal.in-force", {"gain": words.number(taught["gain_db"], "+.1f")})
    if taught["floor"]:
        floors = ", ".join(f"{words.number(100 * one, '.1f')} %" for one in taught["floor"])
        yield f"  {words.say('terminal.silence', {'floors': floors})}"
    if taught["wary"]:
        yield f"  {words.say('terminal.wary')}"
    if taught["seats"]:
        numbers = ", ".join(map(str, taught["seats"]))
        yield f"  {words.say('terminal.told-seats', {'numbers': numbers})}"
    if may_go_back:
        yield f"  {words.say('terminal.kept-before')}"


LOOK_S = 0.12  # often enough for a meter
TROUBLES_S = 1.0
_KEYS = {"\n": "next", "\r": "next", "s": "skip", "r": "redo"}
_ENDS = frozenset({"q", "n"})


class CannotTune(KlopleiError):
    """This table cannot be tuned; the sentence says why, and what to do."""


class Screen(Protocol):
    """Where a tuning is shown, and where keys come from."""

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Show where it stands; *said* is why the last key did nothing."""
        ...

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time, "" when nobody can press any more."""
        ...

    def end(self, sentence: str) -> None:
        """Leave *sentence* as the last word."""
        ...


def walk(
    ears: EarsClient,
    screen: Screen,
    words: Words,
    seats: int | None = None,
    ailing: Callable[[], Iterable[Line]] = tuple,
) -> bool:
    """Lead people through a tuning, in *words*; return whether it was saved.

    Whatever ends it early leaves everything as it was. While one of the parts does not work that
    *ailing* tells of, that is said: nobody shall knock on for nothing.

    Raises:
        CannotTune: The table has no sensors that can be tuned.
        TableUnavailable: The table went away.
    """
    facts = {} if seats is None else {"seats": seats}
    try:
        stand = ears.tune("begin", facts)
    except BadRequest as error:
        raise CannotTune(words.tell(sentence_of(error))) from error
    try:
        saved = _led(ears, screen, stand, words, _Troubles(ailing, words))
    finally:
        # After it was saved there is nothing left to throw away.
        with contextlib.suppress(KlopleiError):
            ears.tune("quit")
    screen.end(words.say("terminal.saved" if saved else "terminal.unsaved"))
    return saved


class _Troubles:
    """What does not work, in *words*, asked now and then: a whole scoreboard says it."""

    def __init__(self, ailing: Callable[[], Iterable[Line]], words: Words) -> None:
        self._ailing, self._words = ailing, words
        self._again_at_s = 0.0
        self._said = ""

    def said(self) -> str:
        """Return it in one line, "" while all works."""
        if time.monotonic() >= self._again_at_s:
            self._again_at_s = time.monotonic() + TROUBLES_S
            self._said = " ".join(self._words.say(one.key, one.facts) for one in self._ailing())
        return self._said


def _led(
    ears: EarsClient, screen: Screen, stand: TuneStand, words: Words, troubles: _Troubles
) -> bool:
    said = ""
    while stand.is_under_way:
        screen.show(stand, said or troubles.said())
        pressed = screen.key(LOOK_S)
        if pressed in _ENDS or (pressed == "" and stand.step == RESULT):
            return False
        wanted = "look" if not pressed else _meaning(pressed, stand)
        if wanted != "look":
            said = ""
        try:
            stand = _do(ears, wanted, pressed)
        except IllegalAction as refusal:
            said = _refusal(refusal, words)
        except TableUnavailable as error:
            if wanted != "save":
                raise
            # Mend it and press again: nobody wants to knock anew.
            said = words.tell(sentence_of(error))
        else:
            if wanted == "save":
                return True
    return False


def _do(ears: EarsClient, step: str, pressed: str | None) -> TuneStand:
    if step == "redo" and pressed is not None and pressed.isdigit():
        return ears.tune("redo", {"seat": Seat(int(pressed) - 1)})
    return ears.tune(step)


def _meaning(key: str, stand: TuneStand) -> str:
    """Return the step that *key* asks for, ``look`` where it asks for none."""
    if stand.step == RESULT:
        if key == "y" and "save" in stand.commands:
            return "save"
        return "redo" if key in "123456789" else "look"
    step = _KEYS.get(key, "look")
    return step if step in stand.commands else "look"


_METER = 40  # signs
GRADES = ("good", "fair", "poor")


@contextlib.contextmanager
def open_screen(words: Words, out: TextIO | None = None) -> Iterator[Screen]:
    """Give a live screen on a terminal, else one that prints lines; put all back at the end."""
    out = out or sys.stdout
    if not is_live(out):
        yield TuneLines(out, words)
        return
    with single_keys():
        yield LiveTune(out, words)


class LiveTune(Keys):
    """Draws over what it drew before."""

    def __init__(self, out: TextIO, words: Words) -> None:
        super().__init__()
        self._drawn = Redrawn(out)
        self._words = words

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Draw where it stands."""
        self._drawn.draw([*_picture(stand, self._words), said])

    def end(self, sentence: str) -> None:
        """Leave *sentence* below what was drawn last."""
        self._drawn.leave(sentence)


class TuneLines(Keys):
    """Prints what has changed, a line each; for logs, pipes and readers of screens."""

    def __init__(self, out: TextIO, words: Words) -> None:
        super().__init__()
        self._out = out
        self._words = words
        self._told: set[str] = set()
        self._step = ""

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Print what of *stand* has not been printed at this step."""
        if stand.step != self._step:
            self._step, self._told = stand.step, set()
        for line in (*_news(stand, self._words), said):
            if line and line not in self._told:
                self._told.add(line)
                self._out.write(f"{line}\n")
        self._out.flush()

    def end(self, sentence: str) -> None:
        """Print *sentence*."""
        self._out.write(f"{sentence}\n")
        self._out.flush()


def _picture(stand: TuneStand, words: Words) -> list[str]:
    if stand.step == RESULT:
        return [_heading(stand, words), "", *_remarks(stand, words), "", _offers(stand, words)]
    return [
        _heading(stand, words),
        "",
        f"  {_say(stand.prompt, words)}",
        f"  {_boxes(stand)}",
        "" if stand.edges else f"  {_meter(stand.level)}",
        f"  {_say(stand.hint, words)}",
        "",
        _keys(words, "next", "skip", "redo", "quit"),
    ]


def _news(stand: TuneStand, words: Words) -> list[str]:
    if stand.step == RESULT:
        return [*_remarks(stand, words), _offers(stand, words)]
    prompt, counted = _say(stand.prompt, words), ""
    if stand.of:
        facts = {"prompt": prompt, "count": stand.count, "of": stand.of}
        counted = f"  {words.say('terminal.counted', facts)}"
    return [prompt, counted, f"  {_say(stand.hint, words)}".rstrip()]


def _heading(stand: TuneStand, words: Words) -> str:
    at = f"{stand.way_done + 1}/{len(stand.way)}"
    return f"{at}  {words.say(f'terminal.step-{stand.step}')}"


def _remarks(stand: TuneStand, words: Words) -> list[str]:
    marks = padded([words.say(f"terminal.grade-{grade}") for grade in GRADES])
    mark_of = dict(zip(GRADES, marks, strict=True))
    told = [f"  {mark_of.get(one.grade, '')}  {_say(one.line, words)}" for one in stand.remarks]
    if stand.proposed is not None:
        gains = {"before": stand.in_force.gain_db, "after": stand.proposed.gain_db}
        facts = {name: words.number(gain, "+.1f") for name, gain in gains.items()}
        told.append(f"  {words.say('terminal.proposed', facts)}")
    return told


def _offers(stand: TuneStand, words: Words) -> str:
    return _keys(words, *(["save"] if "save" in stand.commands else []), "seat", "quit")


def _keys(words: Words, *keys: str) -> str:
    return "  " + "   ".join(words.say(f"terminal.key-{key}") for key in keys)


def _boxes(stand: TuneStand) -> str:
    """Draw what is done; the many loud moments of a phone are a bar."""
    return "[" + "#" * stand.count + "." * (stand.of - stand.count) + "]" if stand.of else ""


def _meter(level: int) -> str:
    reached = _METER * level // 100
    return "|" + "=" * reached + " " * (_METER - reached) + "|"


def _say(line: Line | None, words: Words) -> str:
    return "" if line is None else words.say(line.key, line.facts)
