"""Writes drafts as TOML, with their remarks as comments."""

import json
from collections.abc import Iterator, Mapping

from assistant.conversation.values import Json
from assistant.tooling.openapi.draft import Draft

_WIDTH = 110


def section_text(draft: Draft, header: str) -> str:
    """One section below its header, with the arguments as sections of their own."""
    lines = [*_comments(draft, ""), f"[{header}]"]
    for key, value in draft.keys.items():
        lines += [*_comments(draft, key), f"{key} = {toml_value(value)}"]
    lines += [
        line
        for key in draft.remarks
        if key not in ("", "params", *draft.keys)
        for line in _comments(draft, key)
    ]
    lines += _comments(draft, "params")
    for name, keys in draft.params.items():
        lines += ["", f"[{header}.params.{name}]"]
        lines += [f"{_key(key)} = {toml_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def toml_value(value: Json) -> str:
    r"""A value as TOML writes it.

    >>> print(toml_value({"a": [1, "x\n"], "b c": True}))
    {a = [1, "x\n"], "b c" = true}
    """
    match value:
        case Mapping():
            return "{" + ", ".join(f"{_key(key)} = {toml_value(one)}" for key, one in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(toml_value(one) for one in value) + "]"
        case str():
            return _text(value)
        case _:
            return json.dumps(value)


def comments(text: str) -> Iterator[str]:
    """A text as comments, in lines of readable length."""
    import textwrap

    for line in textwrap.wrap(_printable(text), _WIDTH - 2):
        yield f"# {line}"


def _comments(draft: Draft, key: str) -> Iterator[str]:
    for remark in draft.remarks.get(key, ()):
        yield from comments(remark)


def _text(value: str) -> str:
    # JSON's texts are TOML's, but for one sign that JSON leaves as it is.
    lone = value.encode("utf-8", "replace").decode()
    return json.dumps(lone, ensure_ascii=False).replace("\x7f", "\\u007f")


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _key(name: str) -> str:
    plain = name and name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _text(name)
