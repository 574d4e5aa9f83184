"""Shows whoever approves a tool what it is, and what has changed of it."""

import json
from collections.abc import Iterator
from difflib import unified_diff

from assistant.conversation.values import Json
from assistant.mcp.definition import Definition
from assistant.mcp.draft import drafted_hint
from assistant.mcp.schema import schema_problem

_CLAIMS = {
    ("readOnlyHint", True): "changes nothing",
    ("readOnlyHint", False): "changes something",
    ("destructiveHint", True): "may destroy something",
    ("idempotentHint", True): "may be called twice",
}


def shown(server: str, now: Definition, before: Definition | None) -> Iterator[str]:
    """The tool in lines: all of a new one, of a changed one what is different."""
    yield f"{'new' if before is None else 'changed'}: {now.name}"
    if before is None:
        yield from _indented(_printable(now.description) or "(its server does not describe it)")
        yield from _indented(_pretty(now.input))
    else:
        yield from _indented(_difference(before, now))
    if claims := [_CLAIMS[claim] for claim in _CLAIMS if now.annotations.get(claim[0]) is claim[1]]:
        yield f"    its server says that it {', '.join(claims)}: believe it only if you believe its maker"
    if problem := schema_problem(now.input):
        yield f"    cannot be offered: {problem}"
        return
    yield f"    for mcp.toml: [servers.{server}.tools.{_key(now.name)}]"
    yield f'        waiting_hint = "{drafted_hint(now)}"'
    yield f'        effect = "{"read" if now.annotations.get("readOnlyHint") is True else "write"}"  # make sure'


def _difference(before: Definition, now: Definition) -> str:
    old, new = _whole(before).splitlines(), _whole(now).splitlines()
    return "\n".join(unified_diff(old, new, "approved", "now", lineterm="", n=2))


def _whole(one: Definition) -> str:
    return "\n".join(
        (_printable(one.description), _pretty(one.input), _pretty(one.output), _pretty(one.annotations))
    )


def _pretty(value: Json) -> str:
    return _printable(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False))


def _printable(text: str) -> str:
    """The text as it will be read: what cannot be seen is what a stranger would hide an order in."""
    return "".join(sign if sign.isprintable() or sign == "\n" else f"\\u{ord(sign):04x}" for sign in text)


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in text.splitlines())


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
