# SPDX-License-Identifier: MIT
"""From JSON to records and back. The decoder of a record is made once, from its type hints."""
from __future__ import annotations

import dataclasses
import sys
from decimal import Decimal
from enum import IntEnum
from typing import (
    Any, Callable, ClassVar, Dict, List, NamedTuple, Tuple, Type, TypeVar, Union, cast, get_args, get_origin,
    get_type_hints,
)

from dojima.amount import amount_text
from dojima.errors import ProtocolError

T = TypeVar("T")
Decoder = Callable[[Any], Any]


class Level(NamedTuple):
    """One price of a book and the quantity that rests there."""

    price: Decimal
    size: Decimal


class Record:
    """A record of an answer: a frozen dataclass. Keys that this package does not know are left out."""


class Body:
    """An item of a request: a frozen dataclass."""

    _order: ClassVar[Tuple[str, ...]] = ()


_made: Dict[Any, Decoder] = {}


def _same(value: Any) -> Any:
    return value


def _level(value: Any) -> Level:
    return Level(Decimal(value[0]), Decimal(value[1]))


def _make_record(cls: type) -> Decoder:
    fields = dataclasses.fields(cls)
    hints = get_type_hints(cls, vars(sys.modules[cls.__module__]))
    needed = [field.name for field in fields if field.default is dataclasses.MISSING]
    defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    converted = {name: made for name, made in ((field.name, _decoder(hints[field.name])) for field in fields)
                 if made is not _same}
    plain = [name for name in needed if name not in converted]
    converted_needed = [(name, converted[name]) for name in needed if name in converted]
    optional = [(name, converted.get(name)) for name in defaults]
    new = object.__new__

    def decode(value: Any) -> Any:
        found: Any = new(cls)
        values = found.__dict__
        try:
            for name in plain:
                values[name] = value[name]
            for name, convert in converted_needed:
                values[name] = convert(value[name])
            for name, perhaps in optional:
                got = value.get(name)
                values[name] = got if got is None or perhaps is None else perhaps(got)
        except (KeyError, TypeError, ArithmeticError) as error:
            raise ProtocolError(f"not a {cls.__name__}: {error!r} in {str(value)[:200]}") from None
        return found

    return decode


def _many(one: Decoder) -> Decoder:
    def decode(value: Any) -> List[Any]:
        if not isinstance(value, list):
            raise ProtocolError(f"not a list: {str(value)[:200]}")
        return list(value) if one is _same else [one(item) for item in value]

    return decode


def _maybe(one: Decoder) -> Decoder:
    return _same if one is _same else lambda value: None if value is None else one(value)


def _decoder(hint: Any) -> Decoder:
    made = _made.get(hint)
    if made is None:
        made = _made[hint] = _make(hint)
    return made


def _make(hint: Any) -> Decoder:
    if hint is Decimal:
        return Decimal
    if hint is Level:
        return _level
    if isinstance(hint, type) and issubclass(hint, Record):
        return _make_record(hint)
    arguments = get_args(hint)
    if get_origin(hint) is list:
        return _many(_decoder(arguments[0]))
    if get_origin(hint) is Union and type(None) in arguments and len(arguments) == 2:
        return _maybe(_decoder(arguments[0]))
    return _same


def decoder(hint: Type[T]) -> Callable[[Any], T]:
    """What makes a value of this type out of parsed JSON; it is built at its first use."""
    made: List[Callable[[Any], T]] = []

    def decode(value: Any) -> T:
        if not made:
            made.append(cast(Callable[[Any], T], _decoder(hint)))
        return made[0](value)

    return decode


_AMOUNTS: Dict[type, Tuple[Tuple[str, bool], ...]] = {}


def _plan(cls: type) -> Tuple[Tuple[str, bool], ...]:
    """The keys of a body in the order in which they are signed, and which are amounts."""
    plan = _AMOUNTS.get(cls)
    if plan is None:
        fields = {field.name: str(field.type) for field in dataclasses.fields(cls)}
        order = cast(Type[Body], cls)._order or tuple(fields)
        plan = _AMOUNTS[cls] = tuple((name, "Amount" in fields[name]) for name in order)
    return plan


def encoded(value: Any) -> Any:
    """A value of a request as JSON has it. What is None is left out of an object; a float is refused."""
    if isinstance(value, Body):
        found: Dict[str, Any] = {}
        for name, is_amount in _plan(type(value)):
            inner = getattr(value, name)
            if inner is not None:
                found[name] = amount_text(inner) if is_amount else encoded(inner)
        return found
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, IntEnum):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return amount_text(value)
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float; give a Decimal, an int or a str such as {str(value)!r}")
    if isinstance(value, dict):
        return {key: encoded(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [encoded(inner) for inner in value]
    raise TypeError(f"a {type(value).__name__} cannot be sent")
