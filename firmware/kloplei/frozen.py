"""Dataclasses with slots, most of them frozen, whose methods are written when they are called.

`dataclasses` writes and compiles six functions for each class as its module is loaded, which was
two thirds of what our imports took; a start needs few of them, and of those it needs `__init__`.
Here a class with slots gets stand-ins, and each writes what takes its place at its first call.
From then on there is no difference, and none before but in time. Without slots all is as ever.

`replace` is that of `dataclasses`, which asks each field anew what it is: three quarters of what
an event cost. Here the slots of a frozen class are looked up once, and filled.
"""

import dataclasses
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NamedTuple

__all__ = ["dataclass", "replace"]

_making = threading.local()


class _Frozen:
    """That a class is frozen: true, but for ourselves while we make one that inherits from it.

    `dataclasses` would not let what it takes for unfrozen inherit from what is frozen.
    """

    def __bool__(self) -> bool:
        return not getattr(_making, "now", False)

    def __repr__(self) -> str:
        return "True"


_FROZEN = _Frozen()


def _dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, **more: Any
) -> Callable[[type[Any]], type[Any]]:
    """Make a dataclass, as `dataclasses.dataclass` does."""
    if slots:
        return lambda cls: _made(cls, more, frozen=frozen, eq=eq)
    return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **more)


def _replace(old: Any, /, **changes: Any) -> Any:
    """Return *old* with *changes*, as `dataclasses.replace` does."""
    kind: Any = type(old)
    copier = _copier(kind)
    if copier is None or not changes.keys() <= copier.puts.keys():
        return dataclasses.replace(old, **changes)  # or it says what is wrong
    new = copier.copy(old)
    for name, value in changes.items():
        copier.puts[name](new, value)
    return new


if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    dataclass, replace = _dataclass, _replace


def _made(cls: type[Any], more: dict[str, Any], *, frozen: bool, eq: bool) -> type[Any]:
    own, params = vars(cls), (vars(base).get("__dataclass_params__") for base in cls.__mro__[1:])
    if any(one is not None and not (frozen and one.frozen is _FROZEN) for one in params):
        return dataclasses.dataclass(frozen=frozen, slots=True, eq=eq, **more)(cls)
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # else the whole signature is looked up to say so
    _making.now = frozen
    try:
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, **more)(cls)
    finally:
        _making.now = False
    if frozen:
        made.__dataclass_params__.frozen = _FROZEN
    for name, method in _methods_of(made, frozen=frozen, eq=eq).items():
        if name == "__init__" or own.get(name) is None:
            setattr(made, name, method)
    return made


def _methods_of(made: type[Any], *, frozen: bool, eq: bool) -> dict[str, Any]:
    methods: dict[str, Any] = {"__init__": _stand_in(made, "__init__"), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _stand_in(made, "__eq__")
        methods["__hash__"] = _stand_in(made, "__hash__") if frozen else None
    return methods | _GUARDS if frozen else methods


class _Copier(NamedTuple):
    """What `replace` knows of a class: how one is copied, and how each slot is filled."""

    copy: Callable[[Any], Any]
    puts: Mapping[str, Callable[[Any, Any], None]]


@cache
def _copier(kind: type[Any]) -> _Copier | None:
    """Return what copies a *kind*, or None if more is done as one is made than to fill slots."""
    known = vars(kind).get("__dataclass_params__")
    if known is None or known.frozen is not _FROZEN or hasattr(kind, "__post_init__"):
        return None
    given: dict[str, Any] = {"_new": object.__new__, "_kind": kind}
    lines = ["self = _new(_kind)"]
    for field in dataclasses.fields(kind):
        own = _line_of(field, kind, given)  # what no other is given, it makes for itself
        lines.append(own if not field.init else f"_put_{field.name}(self, old.{field.name})")
    copy = _compiled(kind, "copy", "old", [*filter(None, lines), "return self"], given)
    puts = {one.name: given[f"_put_{one.name}"] for one in dataclasses.fields(kind) if one.init}
    return _Copier(copy, puts)


def _stand_in(owner: type[Any], name: str) -> Callable[..., Any]:
    def stand_in(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        # Two threads may do so at once, and write the same.
        setattr(owner, name, _WRITTEN[name](owner))
        return getattr(owner, name)(self, *args, **kwargs)

    return stand_in


def _init_of(owner: type[Any]) -> Any:
    given: dict[str, Any] = {"_anew": _ANEW}
    lines = [_line_of(field, owner, given) for field in dataclasses.fields(owner)]
    asked = [one for one in dataclasses.fields(owner) if one.init]
    if hasattr(owner, "__post_init__"):
        lines.append("self.__post_init__()")
    plain = [_parameter(one) for one in asked if not one.kw_only]
    named = [_parameter(one) for one in asked if one.kw_only]
    parameters = ", ".join(("self", *plain, *(["*", *named] if named else ())))
    init = _compiled(owner, "__init__", parameters, [line for line in lines if line], given)
    init.__annotations__ = {one.name: one.type for one in asked} | {"return": None}
    return init


def _line_of(field: "dataclasses.Field[Any]", owner: type[Any], given: dict[str, Any]) -> str:
    """Return the line that fills *field*; what it needs is *given* by name."""
    name, value = field.name, field.name
    # The slot itself: looking it up for each object took most of the time.
    given[f"_put_{name}"] = getattr(owner, name).__set__
    if field.default_factory is not dataclasses.MISSING:
        given[f"_new_{name}"] = field.default_factory
        value = f"_new_{name}() if {name} is _anew else {name}" if field.init else f"_new_{name}()"
    elif field.default is not dataclasses.MISSING:
        given[f"_default_{name}"] = field.default
        value = name if field.init else f"_default_{name}"
    elif not field.init:
        return ""
    return f"_put_{name}(self, {value})"


def _parameter(field: "dataclasses.Field[Any]") -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.name}=_anew"
    has_default = field.default is not dataclasses.MISSING
    return f"{field.name}=_default_{field.name}" if has_default else field.name


def _eq_of(owner: type[Any]) -> Any:
    names = [one.name for one in dataclasses.fields(owner) if one.compare]
    lines = [
        "if other.__class__ is self.__class__:",
        f"    return {_tuple_of('self', names)} == {_tuple_of('other', names)}",
        "return NotImplemented",
    ]
    return _compiled(owner, "__eq__", "self, other", lines, {})


def _hash_of(owner: type[Any]) -> Any:
    fields = dataclasses.fields(owner)
    names = [one.name for one in fields if (one.compare if one.hash is None else one.hash)]
    return _compiled(owner, "__hash__", "self", [f"return hash({_tuple_of('self', names)})"], {})


def _tuple_of(what: str, names: Iterable[str]) -> str:
    return f"({''.join(f'{what}.{name},' for name in names)})"


def _compiled(
    owner: type[Any], name: str, parameters: str, lines: Sequence[str], given: dict[str, Any]
) -> Any:
    body = "\n    ".join(lines or ("pass",))
    known = {**given, "__name__": owner.__module__}
    exec(f"def {name}({parameters}):\n    {body}", known)  # noqa: S102 - as `dataclasses` does
    written = known[name]
    written.__qualname__ = f"{owner.__qualname__}.{name}"
    return written


@recursive_repr()
def _repr(self: Any) -> str:
    told = (one.name for one in dataclasses.fields(self) if one.repr)
    return (
        f"{type(self).__qualname__}({', '.join(f'{one}={getattr(self, one)!r}' for one in told)})"
    )


def _setattr(self: Any, name: str, value: object) -> None:
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_ANEW = object()
_WRITTEN: dict[str, Callable[[type[Any]], Any]] = {
    "__init__": _init_of,
    "__eq__": _eq_of,
    "__hash__": _hash_of,
}
_GUARDS: dict[str, Callable[..., Any]] = {
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
