"""Approved tools: the servers' descriptions of their tools, the approved descriptions, and the differences.

It also makes what an operator reads before the approval: descriptions, drafted hints, and problems of
schemas.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from assistant.conversation.values import Json, JsonObject
from assistant.tools.declaration_errors import Mistake, declaration_error, source_location
from assistant.tools.hints import VERBS, doubts_in, read_hints
from assistant.tools.options import Options

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A tool as its server describes it. The text is untrusted until an operator has approved it.

    ``input`` and ``output`` are JSON schemas. ``annotations`` are the server's claims about the tool
    (``readOnlyHint`` and others). They are shown to the operator, but never trusted.
    """

    name: str
    description: str = ""
    input: JsonObject = field(default_factory=dict[str, Json])
    output: JsonObject | None = None
    annotations: JsonObject = field(default_factory=dict[str, Json])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the whole definition. It changes if any part of the definition changes.

        >>> one = Definition(name="ping", input={"type": "object", "properties": {}})
        >>> one.fingerprint == Definition(name="ping", input={"properties": {}, "type": "object"}).fingerprint
        True
        """
        told = [self.name, self.description, self.input, self.output, self.annotations]
        return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


APPROVAL_FILE = "mcp.approved.json"

Approved: TypeAlias = Mapping[str, Mapping[str, Definition]]
"""The approved definitions, by server and by the tool's own name."""


class _ApprovedTool(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str = ""
    input: dict[str, JsonValue]
    output: dict[str, JsonValue] | None = None
    annotations: dict[str, JsonValue] = {}
    hash: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    servers: dict[str, dict[str, _ApprovedTool]] = {}


def read_approved(folder: Path) -> Approved:
    """Returns the approved tools of this folder, or an empty mapping if the folder has no file of approved
    tools.

    Raises:
        DeclarationError: the file cannot be read, or was edited by hand. The error says what to do.
    """
    file = folder / APPROVAL_FILE
    if not file.exists():
        return {}
    if not (file.is_file() or file.is_dir()):
        raise _wrong(file, 1, "not a regular file")
    try:
        kept = _File.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise _wrong(file, error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValidationError, UnicodeDecodeError, OSError) as error:
        what = error.errors()[0]["msg"].lower() if isinstance(error, ValidationError) else str(error)
        raise _wrong(file, 1, f"cannot be used: {what}") from error
    approved = {
        server: {name: _definition(name, one) for name, one in tools.items()}
        for server, tools in kept.servers.items()
    }
    if mistakes := [*_changed_by_hand(file, approved, kept)]:
        raise declaration_error(mistakes)
    return approved


def write_approved(folder: Path, approved: Approved) -> None:
    """Write the file, sorted, so that its differences are easy to review. Raises ``OSError``."""
    servers = {server: _kept(tools) for server, tools in sorted(approved.items()) if tools}
    text = json.dumps({"servers": servers}, indent=2, ensure_ascii=False)
    # Replaced atomically, so that a running server never reads an incomplete file.
    temporary = folder / f".{APPROVAL_FILE}"
    temporary.write_text(f"{text}\n", encoding="utf-8")
    temporary.replace(folder / APPROVAL_FILE)


def _kept(tools: Mapping[str, Definition]) -> Mapping[str, Json]:
    return {
        name: {
            "description": one.description,
            "input": one.input,
            **({} if one.output is None else {"output": one.output}),
            **({"annotations": one.annotations} if one.annotations else {}),
            "hash": one.fingerprint,
        }
        for name, one in sorted(tools.items())
    }


def _definition(name: str, kept: _ApprovedTool) -> Definition:
    return Definition(
        name=name,
        description=kept.description,
        input=kept.input,
        output=kept.output,
        annotations=kept.annotations,
    )


def _changed_by_hand(file: Path, approved: Approved, kept: _File) -> Iterator[Mistake]:
    lines = file.read_text(encoding="utf-8").splitlines()
    for server, tools in approved.items():
        for name, one in tools.items():
            written = kept.servers[server][name].hash
            if written != one.fingerprint:
                line = next((at for at, text in enumerate(lines, start=1) if written in text), 1)
                cure = f"look at it again: assistant tools approve {server} {name}"
                yield Mistake(
                    source_location(file, line), f"{server}.{name} is not what was approved; {cure}"
                )


def _wrong(file: Path, line: int, what: str) -> Exception:
    cure = "put back the last version that was good, or delete it and approve anew"
    return declaration_error([Mistake(source_location(file, line), f"{what}; {cure}")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The names of tools that are not approved in their current form, each group sorted."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.removed)

    def __str__(self) -> str:
        """Returns a text such as ``changed: a, b; new: c``."""
        kinds = (("changed", self.changed), ("removed", self.removed), ("new", self.new))
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds if names)


def changes(approved: Mapping[str, Definition], offered: Mapping[str, Definition]) -> Changes:
    """Compare approved and offered definitions, by the tools' names.

    >>> old, now = Definition(name="a"), Definition(name="a", description="other")
    >>> str(changes({"a": old, "b": old}, {"a": now, "c": now}))
    'changed: a; removed: b; new: c'
    """
    return Changes(
        new=tuple(sorted(offered.keys() - approved.keys())),
        changed=tuple(
            sorted(
                name
                for name in approved.keys() & offered.keys()
                if approved[name].fingerprint != offered[name].fingerprint
            )
        ),
        removed=tuple(sorted(approved.keys() - offered.keys())),
    )


_LARGEST = 24_000
"""The most characters of JSON, because the whole schema is sent with each request to a model."""

_DEEPEST = 24


def schema_problem(schema: JsonObject) -> str | None:
    """Returns the problem of the schema, with what would be right. Returns None if the tool can be offered.

    >>> schema_problem({"type": "array"})
    "its input is of type 'array'; a tool's input must be of type 'object'"
    """
    if schema.get("type", "object") != "object":
        return f"its input is of type {schema['type']!r}; a tool's input must be of type 'object'"
    if _depth(schema, _DEEPEST) > _DEEPEST:
        return f"its input schema is nested more than {_DEEPEST} deep"
    if len(written := json.dumps(schema)) > _LARGEST:
        return f"its input schema is {len(written)} characters long; at most {_LARGEST} can be offered"
    if not isinstance(schema.get("properties", {}), Mapping):
        return "its input schema has properties that are no object of schemas"
    return _reference_problem(schema) or _check_problem(schema)


def _depth(part: Json, most: int) -> int:
    """Returns the depth of the nesting, or ``most`` + 1 for anything deeper."""
    inside = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
    if not inside or most < 0:
        return 1
    return 1 + max(_depth(one, most - 1) for one in inside)


def _reference_problem(schema: JsonObject) -> str | None:
    seen: set[str] = set()
    for reference in _references(schema):
        if not reference.startswith("#/"):
            return f"its input schema refers to {reference!r}; only '#/$defs/...' can be followed"
        seen.add(reference)
    for reference in sorted(seen):
        if (target := _target(schema, reference)) is None:
            return f"its input schema refers to {reference!r}, which it does not have"
        if reference in _reachable(schema, target, _DEEPEST):
            return (
                f"its input schema refers to itself by {reference!r}, which not every model's service takes"
            )
    return None


def _reachable(schema: JsonObject, part: Json, depth: int) -> frozenset[str]:
    """Returns all references that can be reached from ``part``."""
    found: set[str] = set()
    waiting = [*_references(part)]
    while waiting and depth:
        reference = waiting.pop()
        if reference not in found:
            found.add(reference)
            waiting += _references(_target(schema, reference))
    return frozenset(found)


def _references(part: Json) -> Iterator[str]:
    if isinstance(part, Mapping):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _references(value)


def _target(schema: JsonObject, reference: str) -> Json:
    found: Json = schema
    for name in reference.removeprefix("#/").split("/"):
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


def _check_problem(schema: JsonObject) -> str | None:
    errors, validator = _checker()
    try:
        validator.check_schema(dict(schema))
    except errors as error:
        return f"its input schema is none: {str(error).partition(chr(10))[0]}"
    return None


@cache
def _checker() -> "tuple[type[Exception], type[Draft202012Validator]]":
    # Importing it takes some tens of milliseconds, so it is imported only if there is a tool to check.
    from jsonschema import Draft202012Validator, SchemaError

    return SchemaError, Draft202012Validator


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SENTENCE = re.compile(r"[^.\n;:(]+")
_LONGEST = 8
_BARE = frozenset(
    ("a", "all", "an", "and", "any", "by", "every", "for", "from", "in", "my", "of", "the", "to", "your")
)
"""Words that need no article before them, or cannot have one."""

_PARTICLES = frozenset(("back", "for", "in", "off", "on", "out", "up"))


def drafted_hint(definition: Definition) -> str:
    """Returns a gerund phrase that the operator can improve, or "" if no phrase can be made that is fit for
    customers.

    >>> drafted_hint(Definition(name="get_order_status"))
    'getting the order status'
    >>> drafted_hint(Definition(name="inventory", description="Looks up the stock of an article. Slow."))
    'looking up the stock of an article'
    >>> drafted_hint(Definition(name="crm", description="Stuff"))
    ''
    """
    drafts = (_from_name(definition.name), _from_description(definition.description))
    return next((draft for draft in drafts if draft and _may_be_said(draft)), "")


def _from_name(name: str) -> str:
    words = [word.lower() for word in _WORD.findall(name)]
    start = next((at for at, word in enumerate(words) if word in VERBS), None)
    return "" if start is None else _phrase(words[start], words[start + 1 :])


def _from_description(description: str) -> str:
    first = _SENTENCE.match(description)
    words = [] if first is None else first[0].split()
    if not words or not (verb := _verb(words[0].lower())):
        return ""
    return " ".join([_gerund(verb), *_lowered(words[1:_LONGEST])])


def _phrase(verb: str, rest: Sequence[str]) -> str:
    particles = [word for word in rest[:1] if word in _PARTICLES]
    noun = rest[len(particles) :]
    article = ["the"] if noun and noun[0] not in _BARE else []
    return " ".join([_gerund(verb), *particles, *article, *noun])


def _verb(word: str) -> str | None:
    """Returns the dictionary form of "looks", "searches" or "look"."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return next((form for form in forms if form in VERBS), None)


def _lowered(words: Sequence[str]) -> Iterator[str]:
    return (word.lower() if word.istitle() else word for word in words)


def _gerund(verb: str) -> str:
    # It takes fifty megabytes, so it is imported only for drafting and not by a server.
    import lemminflect  # pyright: ignore[reportMissingTypeStubs]

    forms = cast("tuple[str, ...]", lemminflect.getInflection(verb, tag="VBG"))  # pyright: ignore[reportUnknownMemberType]
    return forms[0]


def _may_be_said(draft: str) -> bool:
    hints, problems = read_hints(Options(waiting_hint=draft))
    # The text comes from a third party. A phrase that would cause a warning for our own tools is not
    # proposed.
    return not problems and not doubts_in(hints)


_CLAIMS = {
    ("readOnlyHint", True): "changes nothing",
    ("readOnlyHint", False): "changes something",
    ("destructiveHint", True): "may destroy something",
    ("idempotentHint", True): "may be called twice",
}


def review_text(server: str, now: Definition, before: Definition | None) -> Iterator[str]:
    """Yields the lines that an operator reviews: a new tool completely, a changed tool as differences."""
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
    """Returns the text with invisible characters shown as escapes, because an attacker could hide
    instructions in them.
    """
    return "".join(sign if sign.isprintable() or sign == "\n" else f"\\u{ord(sign):04x}" for sign in text)


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in text.splitlines())


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
