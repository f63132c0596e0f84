"""The games there are. A new one adds its line to `GAMES` and touches nothing else.

Nothing of a game, and nothing that only games need, is imported before one is asked for. Its
package gives ``GAME``, a `CardGame`; one that is played in tricks ``PACK``, ``judge(cards, said)``
and ``bench(preset, options)`` as well, and where cards change their worth from deal to deal
``ladder(said)``. Its module ``options`` gives ``Options`` and ``PRESETS``, ``actions`` gives
``ACTIONS``, and ``MOMENTS`` where it has words of its own for what outsiders react to
(`kloplei.games.moments`): a page that names house rules and actions waits for no more of the game.
"""

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.cards import FRENCH, GERMAN
from kloplei.validation import meant, nearest

if TYPE_CHECKING:
    from kloplei.games.card_game import CardGame
    from kloplei.games.cards import Card
    from kloplei.games.game import Action, Event, Game
    from kloplei.games.house_rules import HouseRules
    from kloplei.games.statistics import Retold
    from kloplei.games.trick import Bench, Rung, Taken

_NOTHING: Mapping[str, object] = {}


class UnknownGame(KlopleiError, LookupError):
    """No game goes by this name."""


class UnknownPreset(KlopleiError, LookupError):
    """The game has no house rules by this name."""


@dataclass(frozen=True, slots=True)
class GameKind:
    """A game that can be built, by *name*; its code lives in the package *module*.

    *default_preset* is what a new table plays; *judged_by* names what its judge may be told besides
    the cards, None is a game without tricks. *suits* are
    those of the packs it is played with, the usual one first.
    """

    name: str
    module: str
    default_preset: str
    judged_by: tuple[str, ...] | None = None
    suits: tuple[str, ...] = (FRENCH, GERMAN)

    @property
    def presets(self) -> tuple[str, ...]:
        """Names of the house rules that come with the game."""
        return tuple(self._options.PRESETS)

    @property
    def actions(self) -> "Mapping[str, type[Action]]":
        """What may be asked for in it, by name."""
        return cast("Mapping[str, type[Action]]", self._part("actions").ACTIONS)

    @property
    def events(self) -> "Mapping[str, type[Event]]":
        """What may happen in it, by class name."""
        return cast("Mapping[str, type[Event]]", self._part("actions").EVENTS)

    @property
    def choices(self) -> Mapping[str, str]:
        """What may be written for each house rule, for people and their pages."""
        choices: Mapping[str, str] = self._options.Options.choices()
        return choices

    def house_rules(
        self, preset: str | None = None, options: Mapping[str, object] = _NOTHING
    ) -> "HouseRules":
        """Return the house rules of *preset* with *options* on top (see `build`).

        Raises:
            UnknownPreset: No such house rules.
            KlopleiError: An option that the game cannot have.
        """
        usual = self._options.PRESETS[self._known(preset)]
        house: HouseRules = self._options.Options.from_mapping(options, usual)
        return house

    def build(
        self, preset: str | None = None, options: Mapping[str, object] = _NOTHING
    ) -> "Game[Any]":
        """Return the game by *preset* (None: the default one) with *options* on top.

        Raises:
            UnknownPreset: No such house rules.
            KlopleiError: An option that the game cannot have.
        """
        return self._game.of_house(self._known(preset), options)

    @property
    def has_tricks(self) -> bool:
        """Whether somebody takes tricks in it, which then can be judged."""
        return self.judged_by is not None

    @property
    def pack(self) -> "Collection[Card]":
        """The cards its tricks are made of.

        Raises:
            NoTrick: There are no tricks in this game.
        """
        self._words_of_judge()
        return cast("Collection[Card]", self._package.PACK)

    def judge(self, cards: "Sequence[Card]", said: Mapping[str, object] = _NOTHING) -> "Taken":
        """Return who takes the trick of *cards*, given what was *said* (see *judged_by*).

        Raises:
            KlopleiError: These cards are no trick, or the game knows no such words.
        """
        from kloplei.games.trick import NoTrick

        words = self._words_of_judge()
        for word in said:
            if word not in words:
                known = " or ".join(words) or "nothing"
                raise NoTrick(f"A trick of {self.name} has no {word}; it may have {known}.")
        return cast("Taken", self._package.judge(cards, said))

    def bench(self, preset: str | None = None, options: Mapping[str, object] = _NOTHING) -> "Bench":
        """Return what a trick is judged by at a table with these house rules (see `build`).

        Raises:
            UnknownPreset: No such house rules.
            KlopleiError: An option that the game cannot have.
        """
        self._words_of_judge()
        return cast("Bench", self._package.bench(self._known(preset), options))

    def ladder(self, said: Mapping[str, object]) -> "tuple[Rung, ...]":
        """Return what beats what by all that was *said*, the best first.

        Empty where that is the same in every deal, and everybody knows it.

        Raises:
            KlopleiError: It was not said what the cards are judged by.
        """
        made = getattr(self._package, "ladder", None)
        return () if made is None else cast("tuple[Rung, ...]", made(said))

    @property
    def statistics(self) -> Any:
        """Its module of that name, which counts what is told for years; None without one."""
        counts = f"{self.module}.statistics"
        return None if find_spec(counts) is None else import_module(counts)

    @property
    def moments(self) -> Mapping[str, str]:
        """What of its news the world may react to, by key, with the game's name for it."""
        return cast("Mapping[str, str]", getattr(self._part("actions"), "MOMENTS", _NOTHING))

    @property
    def retold(self) -> "Retold":
        """How its evenings are told: ``RETOLD`` of its `statistics`."""
        return cast("Retold", self.statistics.RETOLD)

    def _words_of_judge(self) -> tuple[str, ...]:
        if self.judged_by is None:
            from kloplei.games.trick import NoTrick

            able = ", ".join(name for name, kind in GAMES.items() if kind.has_tricks)
            message = f"{self.name.capitalize()} has no tricks to judge; {able} have."
            raise NoTrick(message, "no_tricks_here")
        return self.judged_by

    def _known(self, preset: str | None) -> str:
        name = self.default_preset if preset is None else preset
        if name not in self.presets:
            raise UnknownPreset(
                f"{self.name.capitalize()} has no preset {name!r:.40}; "
                + meant(name, self.presets, f"it has {', '.join(self.presets)}.")
            )
        return name

    @property
    def _game(self) -> "type[CardGame[Any, Any]]":
        return cast("type[CardGame[Any, Any]]", self._package.GAME)

    @property
    def _options(self) -> Any:
        return self._part("options")

    def _part(self, name: str) -> Any:
        return import_module(f"{self.module}.{name}")

    @property
    def _package(self) -> Any:
        # Not at the top of the module: a command that asks for no game must not load three.
        return import_module(self.module)


GAMES: Mapping[str, GameKind] = {
    kind.name: kind
    for kind in (
        GameKind(
            *("toepen", "kloplei.games.toepen"),
            default_preset="kroeg",
            judged_by=("folded",),
        ),
        GameKind(
            *("watten", "kloplei.games.watten"),
            default_preset="tirol",
            judged_by=("variant", "schlag", "trump", "options"),
            suits=(GERMAN, FRENCH),
        ),
        GameKind(
            *("tarok", "kloplei.games.tarok"),
            default_preset="dansk",
            judged_by=("set", "trick", "named", "options"),
            suits=(FRENCH,),
        ),
        GameKind(
            *("eenendertigen", "kloplei.games.eenendertigen"),
            default_preset="nl",
        ),
    )
}
"""Every game there is, by name."""


def game_kind(name: str) -> GameKind:
    """Return the game called *name*.

    Raises:
        UnknownGame: With a sentence that names those there are.
    """
    if name not in GAMES:
        near = nearest(name, GAMES)
        raise UnknownGame(
            f"This version only knows {', '.join(GAMES)}; it does not know the game {name!r:.40}"
            f"{'.' if near is None else f'; did you mean {near}?'}"
        )
    return GAMES[name]


def build_game(
    name: str, preset: str | None = None, options: Mapping[str, object] | None = None
) -> "Game[Any]":
    """Return the game *name* by *preset* (None: its default), *options* on top.

    Raises:
        UnknownGame: No such game.
        UnknownPreset: No such preset.
        KlopleiError: An option that the game cannot have.
    """
    return game_kind(name).build(preset, options or _NOTHING)
