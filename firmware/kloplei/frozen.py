"""Frozen dataclasses whose methods are written when the first of them is called.

`dataclasses` writes and compiles six functions for each class as its module is loaded, which was
two thirds of what our imports took; a start needs few of them. Here a frozen class with slots gets
stand-ins; whichever is called first lets `dataclasses` write the real ones, which take its place.
From then on there is no difference, and none before but in time. All others are made as ever.
"""

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

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
    *, frozen: bool = False, slots: bool = False, **more: Any
) -> Callable[[type[Any]], type[Any]]:
    """Make a dataclass, as `dataclasses.dataclass` does."""
    if frozen and slots:
        return lambda cls: _made(cls, more)
    return dataclasses.dataclass(frozen=frozen, slots=slots, **more)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _made(cls: type[Any], more: dict[str, Any]) -> type[Any]:
    own, params = vars(cls), (vars(base).get("__dataclass_params__") for base in cls.__mro__[1:])
    if any(one is not None and one.frozen is not _FROZEN for one in params):
        return dataclasses.dataclass(frozen=True, slots=True, **more)(cls)
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # else the whole signature is looked up to say so
    _making.now = True
    try:
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, **more)(cls)
    finally:
        _making.now = False
    made.__dataclass_params__.frozen = _FROZEN
    methods = {**{name: _stand_in(made, name) for name in _WRITTEN}, **_SHARED}
    for name, method in methods.items():
        if name == "__init__" or own.get(name) is None:
            setattr(made, name, method)
    return made


def _stand_in(owner: type[Any], name: str) -> Callable[..., Any]:
    def stand_in(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        _write(owner)
        return getattr(owner, name)(self, *args, **kwargs)

    return stand_in


def _write(owner: type[Any]) -> None:
    """Write the methods of *owner*; two threads may do so at once, and write the same."""
    fields = dataclasses.fields(owner)
    body: dict[str, Any] = {
        **{field.name: _again(field) for field in fields},
        "__annotations__": {field.name: field.type for field in fields},
        "__doc__": owner.__doc__,
        "__module__": owner.__module__,
        "__qualname__": owner.__qualname__,
    }
    if hasattr(owner, "__post_init__"):
        body["__post_init__"] = owner.__post_init__
    twin: type[Any] = dataclasses.dataclass(frozen=True)(type(owner.__name__, (), body))
    for written in _WRITTEN:
        if vars(owner)[written].__module__ == __name__:  # it is the stand-in
            setattr(owner, written, vars(twin)[written])


def _again(field: "dataclasses.Field[Any]") -> Any:
    """Return what declares *field* once more."""
    told: dict[str, Any] = {"default": field.default, "default_factory": field.default_factory}
    return dataclasses.field(
        **{name: value for name, value in told.items() if value is not dataclasses.MISSING},
        init=field.init,
        repr=field.repr,
        hash=field.hash,
        compare=field.compare,
        kw_only=bool(field.kw_only),
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


_WRITTEN = ("__init__", "__eq__", "__hash__", "__repr__")
_SHARED: dict[str, Callable[..., Any]] = {
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
