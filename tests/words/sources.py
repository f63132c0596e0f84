"""What the sources can say: the sentence keys they name, and what the catalogues hold."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any, get_args

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

import kloplei
from kloplei.cli.tune import GRADES
from kloplei.games.cards import GERMAN
from kloplei.games.catalogue import GAMES
from kloplei.games.eenendertigen.actions import Holds
from kloplei.games.scoreboard import SEATING
from kloplei.games.tarok.actions import HOW_ENDED as TAROK_ENDED
from kloplei.games.tarok.booking import LINES
from kloplei.games.tarok.trick import NOTES
from kloplei.games.tarok.trick import SENTENCES as TRICKS_TOLD
from kloplei.games.tarok.trick import WHYS as TAROK_WHYS
from kloplei.games.toepen import actions
from kloplei.games.trick import REASONS as TRICK_REASONS
from kloplei.games.watten.decide import HOW_ENDED
from kloplei.games.watten.trick import WHYS
from kloplei.history.statistics import statistics_of
from kloplei.history.titles import TITLES
from kloplei.knock.geometry import Cause
from kloplei.table.actions import TABLE_ACTIONS
from kloplei.table.client import STEPS
from kloplei.table.messages import Trouble

PACKAGE = Path(kloplei.__file__).parent

_NAMED: Mapping[str, str] = {
    r'\bLine\(\s*"([a-z.-]+)"': "",
    r'_show\(\s*"([a-z.-]+)"': "",
    r'\b(?:_line|_news|told|shown)\(\s*"([a-z-]+)"': "news.",
    r'\bIllegalAction\(\s*"([a-z_]+)"': "reason.",
    r'\bShow\(\s*"([a-z-]+)"': "show.",
    r'\bChoose\(\s*"([a-z-]+)"': "ask.",
    r'self\._end\(\s*"([a-z-]+)"': "how.",
    r'\bhow="([a-z-]+)"': "how.",
    r"[\"']((?:slate|terminal)\.[a-z-]+)[\"']": "",
    r"\bsay\(\"(demo\.[a-z-]+)\"": "",
}
"""How the sources name a sentence, and the family that its name leaves out."""
_FOLDERS = (
    "games",
    "table",
    "slate",
    "demo",
    "review",
    "recordings",
    "knock",
    "cli",
    "history",
    "voice",
)


def package_of(game: str) -> Any:
    """Return the package of *game*."""
    return import_module(GAMES[game].module)


_PACKAGES = [package_of(game) for game in GAMES]
_ACTIONS = {*TABLE_ACTIONS}.union(*(kind.actions for kind in GAMES.values()))
TABLE_REASONS = (
    "already_started",
    "bad_name",
    "door_asked",
    "door_busy",
    "door_gone",
    "door_tuning",
    "door_wait",
    "grace_running",
    "is_guest",
    "is_person",
    "name_known",
    "name_taken",
    "no_name",
    "no_such_name",
    "no_such_person",
    "not_seated",
    "not_started",
    "nothing_asked",
    "nothing_doubtful",
    "nothing_to_redo",
    "nothing_to_undo",
    "nothing_waits",
    "person_seated",
    "pot_not_empty",
    "same_person",
    "same_seat",
    "sat_together",
    "seat_empty",
    "seat_taken",
    "slate_clean",
    "stale",
    "too_few_players",
    "too_many_people",
    "too_many_players",
)
"""Every reason for which the table itself refuses."""
NOTICES = ("dropped", "fault", "journal", *Trouble, "salvaged", "stuck")
"""Every trouble that is told."""
_REASONS = {*TABLE_REASONS}.union(*(game.REASONS for game in _PACKAGES))
NUMBER = re.compile(r"a whole number|cards such as |\d+ (to|or) ")


@cache
def catalogue(language: str) -> Catalog:
    path = PACKAGE / "words" / language / "LC_MESSAGES" / "kloplei.po"
    with path.open("rb") as po:
        return read_po(po, abort_invalid=True)


@cache
def sentences(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return every sentence by its key, in all its plural forms."""
    return {key_of(one): forms_of(one) for one in catalogue(language) if one.id}


def key_of(message: Message) -> str:
    return str(message.id[0] if isinstance(message.id, (list, tuple)) else message.id)


def forms_of(message: Message) -> tuple[str, ...]:
    said = message.string
    return tuple(said) if isinstance(said, (list, tuple)) else (str(said),)


def facts_in(sentence: str) -> set[str]:
    return {fact for _, fact, _, _ in Formatter().parse(sentence) if fact is not None}


def shared_key(key: str) -> str:
    """Return what the *key* of one game, or of German cards, is said instead of; else *key*."""
    family, _, rest = key.partition(".")
    game, _, name = rest.partition(".")
    return f"{family}.{name}" if game in (*GAMES, GERMAN) and name else key


def own_key(game: str, key: str) -> str:
    """Return what *game*'s own sentence for *key* is called, whether it has one or not."""
    family, _, rest = key.partition(".")
    return f"{family}.{game}.{rest}"


def named_in_sources() -> set[str]:
    """Return the keys that stand in the sources."""
    folders = (PACKAGE / name for name in _FOLDERS)
    texts = [one.read_text(encoding="utf-8") for folder in folders for one in folder.rglob("*.py")]
    return causes_in_sources() | {
        family + name
        for pattern, family in _NAMED.items()
        for text in texts
        for name in re.findall(pattern, text)
    }


def causes_in_sources() -> set[str]:
    """Return the keys of all that may go wrong, wherever in the sources."""
    texts = (one.read_text(encoding="utf-8") for one in PACKAGE.rglob("*.py"))
    said = r'\bSentence(?:\.sent\([^",]*,|\()\s*"([a-z0-9-]+)"'
    named = (re.findall(said, text) for text in texts)
    return {f"cause.{name}" for names in named for name in names}


def made_from_constants() -> Iterator[str]:
    """Yield the keys that the sources put together from something else."""
    yield from (f"reason.{code}" for code in _REASONS)
    yield from (f"reason.{code}" for code in (*TRICK_REASONS, "card_twice"))
    yield from (f"why.{why}" for why in {*WHYS, *TAROK_WHYS})
    yield from (f"note.{note}" for note in NOTES)
    yield from TRICKS_TOLD
    yield from (f"notice.{key}" for key in NOTICES)
    yield from (f"phase.{phase}" for phase in {SEATING}.union(*(game.Phase for game in _PACKAGES)))
    yield from (f"action.{name}" for name in _ACTIONS)
    yield from (f"news.challenge-{found}" for found in get_args(actions.Found))
    yield from (f"cause.{cause}" for cause in get_args(Cause))
    yield from (f"how.{how}" for how in (*HOW_ENDED, *TAROK_ENDED))
    yield from (f"how.{how}" for game in _PACKAGES for how in getattr(game, "HOW_ENDED", ()))
    yield from (f"ledger.{line}" for line in LINES)
    yield from (f"terminal.step-{step}" for step in (*STEPS, "weighing"))
    yield from (f"terminal.grade-{grade}" for grade in GRADES)
    yield from (f"terminal.key-{key}" for key in ("next", "skip", "redo", "quit", "save", "seat"))
    yield from (
        f"demo.{page}" for page in ("virtual-table", "slate", "large-screen", "show", "knocks")
    )
    choices = [kind.choices for kind in GAMES.values()]
    yield from (f"option.{name}" for name in {}.fromkeys(name for one in choices for name in one))
    allowed = (what for one in choices for what in one.values())
    spelled = ", ".join(allowed).split(", ")
    yield from (f"option-value.{word}" for word in spelled if not NUMBER.match(word))
    yield from (f"option-group.{name}" for game in _PACKAGES for name in game.Options.groups)
    yield "option-group.other"
    yield from (f"title.{key}{told}" for key in TITLES for told in ("", ".how", ".why"))
    for preset in (preset for game in _PACKAGES for preset in game.PRESETS):
        yield from (f"preset.{preset}", f"preset-note.{preset}")
    counted = [one for game in GAMES for one in statistics_of(game)]
    yield from (f"statistic.{one.key}{how}" for one in counted for how in ("", ".how"))
    yield from (f"detail.{kind}" for kind in ("armoede", *get_args(Holds)))
    yield from (f"detail.{kind}" for kind in (*LINES, "pagat", "king"))
    yield from (f"unit.{one.unit}" for one in counted if one.unit not in ("", "share", "s"))
