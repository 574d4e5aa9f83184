"""A drafted section of a TOML file, and how it is written."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assistant.conversation.values import Json


@dataclass(slots=True)
class Draft:
    """One section of a file of HTTP tools. ``about`` is where it comes from: "GET /orders/{id}".

    ``remarks`` are lines of comment by the key above which they stand; those under "" stand at the top.
    ``params`` are the arguments, in order, each with its keys.
    """

    name: str
    about: str
    keys: dict[str, Json] = field(default_factory=dict[str, Json])
    params: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])
    remarks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def review(self, key: str, what: str) -> None:
        """Ask whoever reviews it to look at a key."""
        self._remark(key, f"review: {what}")

    def left_out(self, what: str) -> None:
        """Tell what the draft does not have although the description does."""
        self._remark("", f"left out: {what}")

    def note(self, key: str, what: str) -> None:
        """Say something that helps."""
        self._remark(key, what)

    @property
    def section(self) -> dict[str, Json]:
        """The section as a reader of the file will find it."""
        return {**self.keys, **({"params": dict(self.params)} if self.params else {})}

    def _remark(self, key: str, line: str) -> None:
        lines = self.remarks.setdefault(key, [])
        if line not in lines:
            lines.append(line)


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
