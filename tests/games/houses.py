"""Tables that play by any house rules."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from hypothesis import strategies as st

from kloplei.games.house_rules import spelling_of

Options = TypeVar("Options")


def any_house(
    options: type[Options], numbers: Mapping[str, st.SearchStrategy[int | str | None]]
) -> st.SearchStrategy[Options]:
    """Every combination of the house rules in *options*; *numbers* are those without words."""
    known: Any = options
    return st.builds(
        options,
        **{
            one.name: numbers[one.name]
            if one.name in numbers
            else st.sampled_from(list(spelling_of(one).words.values()))
            for one in fields(known)
        },
    )
