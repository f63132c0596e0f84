"""The house rules a record is played by: a preset, and options on top."""

from collections.abc import Collection, Mapping
from typing import TypeVar

from kloplei.replay.yaml_values import Value
from kloplei.rules.house_rules import BadOption, HouseRules

R = TypeVar("R", bound=HouseRules)


def read_house(
    found: Mapping[str, Value],
    presets: Mapping[str, R],
    base: R,
    *,
    but: Collection[str] = (),
) -> R:
    """Return the house rules that a record says, on top of the *base* of its game.

    Options in *but* the game reads for itself.

    Raises:
        NotARecord: No such preset or option, or a value that it cannot have.
    """
    rules = base
    if "preset" in found:
        preset = found["preset"].text("preset")
        if preset not in presets:
            raise found["preset"].wrong(f"there is no preset {preset!r}: {', '.join(presets)}.")
        rules = presets[preset]
    for name, value in read_options(found).items():
        if name in but:
            continue
        try:
            rules = type(rules).from_mapping({name: value[1]}, rules)
        except BadOption as error:
            raise value[0].wrong(str(error)) from None
    return rules


def read_options(found: Mapping[str, Value]) -> dict[str, tuple[Value, object]]:
    """Return each option that a record says: where it stands, and as it is written.

    A list of several words, such as cards, is the same as those words with blanks between them.
    """
    if "options" not in found:
        return {}
    return {
        name: (value, _written(value, name))
        for name, value in found["options"].mapping("options").items()
    }


def _written(value: Value, name: str) -> object:
    if value.is_list() and len(value.items(name)) > 1:
        return " ".join(one.label(f"a word of {name}") for one in value.items(name))
    return value.plain(name)
