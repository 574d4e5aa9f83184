"""Converts entries to plain JSON and back, for stores and recordings.

The stored form of an entry follows its dataclass: a field is a key, a tuple is a list, and a value of a union
contains the name of its class. A new entry needs no code here. A test fixes the form of each entry.

Input must have exactly the keys of its class. Otherwise a renamed field would lose its value silently: the
old key would be ignored, and the new field would get its default. Therefore each change of a form needs a new
``FORMAT``, even a new field with a default. A store compares that number before it reads anything. A new kind
of entry needs no new number: stored entries keep their form, and an older release refuses the new kind by its
name.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, Final, NamedTuple, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from assistant.conversation.entries import Entry, Logged
from assistant.conversation.values import Json
from assistant.errors import LogError

FORMAT: Final = 2
"""The number of the format in which entries are written. Increase it with each change of a form."""


def to_json(logged: Logged) -> dict[str, Json]:
    """Returns an entry with its position, as plain JSON.

    Containers inside are shared with the entry, not copied.

    >>> from assistant.conversation.entries import DeliveryReceipt
    >>> to_json(Logged(7, 1_700_000_000_000, "t1", DeliveryReceipt(message_id="m1", how="seen", up_to=5)))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'seq': 7, 'at_ms': 1700000000000, 'turn_id': 't1', 'fence': 0, 'kind': 'delivery_receipt',
     'entry': {'message_id': 'm1', 'how': 'seen', 'up_to': 5}}
    """
    return {
        "seq": logged.seq,
        "at_ms": logged.at_ms,
        "turn_id": logged.turn_id,
        "fence": logged.fence,
        "kind": kind_of(logged.entry),
        "entry": entry_to_json(logged.entry),
    }


def from_json(data: Mapping[str, Any]) -> Logged:
    """Returns the inverse of ``to_json``.

    Raises:
        LogError: it is not an entry, or its kind is unknown to this release.
    """
    try:
        _check_keys(data, _PLACE)
    except _OtherKeysError as error:
        raise LogError(f"this is no entry of a log: {error}") from error
    entry = entry_from_json(data["kind"], data["entry"])
    return Logged(data["seq"], data["at_ms"], data["turn_id"], entry, data["fence"])


def kind_of(entry: Entry) -> str:
    """Returns the name of an entry's kind in stored data: its class name in snake case."""
    return _forms().kinds[type(entry)]


def kind_named(kind: type[Entry]) -> str:
    """Returns the stored name of this entry class."""
    return _forms().kinds[kind]


def entry_to_json(entry: Entry) -> dict[str, Json]:
    """Returns an entry's fields as plain JSON, without its kind."""
    return _forms().writers[type(entry)](entry)


def entry_from_json(kind: str, data: Mapping[str, Any]) -> Entry:
    """Returns the inverse of ``kind_of`` and ``entry_to_json``.

    Raises:
        LogError: the kind is unknown to this release, or the fields are not those of the kind.
    """
    read = _forms().readers.get(kind)
    if read is None:
        raise LogError(f"entries of kind {kind!r} are not known: was this log written by a newer release?")
    try:
        return read(data)
    except (_OtherKeysError, TypeError, LookupError) as error:
        raise LogError(f"this is no {kind!r} as this release writes it: {error}") from error


class _OtherKeysError(Exception):
    """The data do not have the keys of the class."""


_PLACE: Final = ("seq", "at_ms", "turn_id", "fence", "kind", "entry")


def _check_keys(data: object, names: Sequence[str]) -> None:
    """Raise ``_OtherKeysError`` unless ``data`` is an object with exactly these keys."""
    if not isinstance(data, Mapping):
        # The value is not quoted, because it may be a customer's text.
        raise _OtherKeysError(
            f"a {type(data).__name__} was found where an object with {', '.join(names)} was expected"
        )
    given = cast("Mapping[str, Any]", data)
    unknown = [repr(key) for key in given if key not in names]
    missing = [repr(name) for name in names if name not in given]
    told = [f"unknown {', '.join(unknown)}"] * bool(unknown) + [f"missing {', '.join(missing)}"] * bool(
        missing
    )
    if told:
        raise _OtherKeysError(f"{' and '.join(told)}; its keys are {', '.join(names)}")


_Convert: TypeAlias = Callable[[Any], Any]


class _Form(NamedTuple):
    """How values of one type are written and read."""

    write: _Convert
    read: _Convert


class _Forms(NamedTuple):
    kinds: Mapping[type, str]
    writers: Mapping[type, _Convert]
    readers: Mapping[str, _Convert]


@cache
def _forms() -> _Forms:
    classes: tuple[type, ...] = get_args(Entry)
    kinds = {cls: _snake_case(cls) for cls in classes}
    forms = {cls: _form_of_class(cls) for cls in classes}
    return _Forms(
        kinds,
        {cls: form.write for cls, form in forms.items()},
        {kinds[cls]: form.read for cls, form in forms.items()},
    )


def _form(kind: Any) -> _Form | None:
    """Returns the form of a field's type, or None if its values are plain JSON already."""
    inner: Sequence[Any] = get_args(kind)
    if is_dataclass(kind):
        return _form_of_class(cast("type", kind))
    if get_origin(kind) is tuple:
        first, second = inner
        return _form_of_row(first) if second is ... else _form_of_pair(first, second)
    if get_origin(kind) in (Union, UnionType) and all(is_dataclass(each) for each in inner):
        return _form_of_union(inner)
    return None


def _form_of_class(cls: type, tag: Sequence[str] = ()) -> _Form:
    """Returns the form of a class with named fields: an object.

    The reader also accepts the keys in ``tag``.
    """
    types = get_type_hints(cls)
    names = tuple(field.name for field in fields(cls))
    keys = (*tag, *names)
    known_keys = frozenset(keys)
    inner = [(name, form) for name in names if (form := _form(types[name]))]
    values_of = _values_of(names)

    def write(value: object) -> dict[str, Any]:
        data = dict(zip(names, values_of(value), strict=True))
        for name, form in inner:
            data[name] = form.write(data[name])
        return data

    def read(data: Mapping[str, Any]) -> object:
        # A fast comparison first, because the keys are nearly always the same, and a log has many entries.
        if not isinstance(data, dict) or data.keys() != known_keys:
            _check_keys(data, keys)
        known = {name: data[name] for name in names}
        for name, form in inner:
            known[name] = form.read(known[name])
        return cls(**known)

    return _Form(write, read)


def _form_of_union(classes: Sequence[type]) -> _Form:
    """Returns the form of a union.

    The value contains its class: an object under ``type``, a list at its first position.
    """
    forms = {cls: _form_of_positions(cls) if _positional(cls) else _form_of_tagged(cls) for cls in classes}
    writers = {cls: form.write for cls, form in forms.items()}
    readers = {_snake_case(cls): form.read for cls, form in forms.items()}

    def write(value: object) -> object:
        return writers[type(value)](value)

    def read(data: Any) -> object:
        return readers[data["type"] if isinstance(data, Mapping) else data[0]](data)

    return _Form(write, read)


def _form_of_tagged(cls: type) -> _Form:
    write_fields, read = _form_of_class(cls, ("type",))
    name = _snake_case(cls)

    def write(value: object) -> dict[str, Any]:
        return {"type": name, **write_fields(value)}

    return _Form(write, read)


def _form_of_positions(cls: type) -> _Form:
    """Returns the form of a class with only plain positional fields: a list, because such values are many and
    small.
    """
    names = tuple(field.name for field in fields(cls))
    name, values_of, end = _snake_case(cls), _values_of(names), len(names) + 1

    def write(value: object) -> list[Any]:
        return [name, *values_of(value)]

    def read(data: Sequence[Any]) -> object:
        if len(data) != end:
            raise _OtherKeysError(f"{name!r} has {', '.join(names)}, got {len(data) - 1} values")
        return cls(*data[1:])

    return _Form(write, read)


def _positional(cls: type) -> bool:
    types = get_type_hints(cls)
    return not any(field.kw_only or _form(types[field.name]) for field in fields(cls))


def _values_of(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    only = attrgetter(*names)  # with a single name it returns the value itself
    return lambda value: (only(value),)


def _form_of_row(each: Any) -> _Form:
    """Returns the form of a tuple of any length: a list."""
    form = _form(each)
    if form is None:
        return _Form(list, tuple)
    write, read = form

    def write_row(row: Sequence[Any]) -> list[Any]:
        return [write(value) for value in row]

    def read_row(row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([read(value) for value in row])  # faster than from a generator

    return _Form(write_row, read_row)


def _form_of_pair(first: Any, second: Any) -> _Form:
    """Returns the form of a pair: a list of two."""
    write_first, read_first = _form(first) or _UNCHANGED
    write_second, read_second = _form(second) or _UNCHANGED

    def write(pair: Sequence[Any]) -> list[Any]:
        return [write_first(pair[0]), write_second(pair[1])]

    def read(pair: Sequence[Any]) -> tuple[Any, Any]:
        return read_first(pair[0]), read_second(pair[1])

    return _Form(write, read)


def _same(value: object) -> object:
    return value


_UNCHANGED = _Form(_same, _same)


def _snake_case(cls: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
