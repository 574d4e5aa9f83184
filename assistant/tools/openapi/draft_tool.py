"""Drafts one tool from an operation: its arguments, its request, and how its response is read.

The draft is a section of a TOML file.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assistant.conversation.values import Json, JsonObject
from assistant.language.numbers import word_list
from assistant.tools.openapi.document import (
    Document,
    Operation,
    as_list,
    as_object,
    as_text,
    json_schema_of,
    snake,
)
from assistant.tools.openapi.schema import simplify


@dataclass(slots=True)
class Draft:
    """One section of a file of HTTP tools. ``about`` is its source: "GET /orders/{id}".

    ``remarks`` are lines of comments, by the key above which they are written; those with the key "" are at
    the top. ``params`` are the arguments in order, each with its keys.
    """

    name: str
    about: str
    keys: dict[str, Json] = field(default_factory=dict[str, Json])
    params: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])
    remarks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def review(self, key: str, what: str) -> None:
        """Ask the reviewer to check a key."""
        self._remark(key, f"review: {what}")

    def left_out(self, what: str) -> None:
        """Record a part of the description that the draft leaves out."""
        self._remark("", f"left out: {what}")

    def note(self, key: str, what: str) -> None:
        """Add a comment above a key."""
        self._remark(key, what)

    @property
    def section(self) -> dict[str, Json]:
        """The section in the form in which it is parsed from a file."""
        return {**self.keys, **({"params": dict(self.params)} if self.params else {})}

    def _remark(self, key: str, line: str) -> None:
        lines = self.remarks.setdefault(key, [])
        if line not in lines:
            lines.append(line)


_WIDTH = 110


def section_text(draft: Draft, header: str) -> str:
    """Returns the text of a section below its header, with each argument as a subsection."""
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
    r"""Returns a value in TOML.

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
    """Yields a text as comments, in lines of readable length."""
    import textwrap

    for line in textwrap.wrap(_printable(text), _WIDTH - 2):
        yield f"# {line}"


def _comments(draft: Draft, key: str) -> Iterator[str]:
    for remark in draft.remarks.get(key, ()):
        yield from comments(remark)


def _text(value: str) -> str:
    # JSON strings are TOML strings, except for one character that JSON does not escape.
    lone = value.encode("utf-8", "replace").decode()
    return json.dumps(lone, ensure_ascii=False).replace("\x7f", "\\u007f")


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _key(name: str) -> str:
    plain = name and name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _text(name)


_WHO = re.compile(
    r"(customer|user|account|member|client|patient|subscriber|guest)(_?(id|no|number|uuid|key))?"
)
_LONGEST_DESCRIPTION = 300


def is_who(name: str) -> bool:
    """Whether a parameter with this name identifies the customer.

    >>> is_who("customerId"), is_who("order_id")
    (True, False)
    """
    return _WHO.fullmatch(snake(name)) is not None


def the_customer(draft: Draft, name: str, key: str) -> str:
    """Returns the placeholder for the customer's id in a key. No model fills it in."""
    draft.review(
        key, f"{name!r} is always taken from the identified customer, never from the model; is that right?"
    )
    return "{customer.id}"


def argument(draft: Draft, name: str, schema: JsonObject, *, described: str = "", required: bool) -> str:
    """Add an argument with this simplified schema. Returns its placeholder.

    An optional argument with a default gets that default.
    """
    taken = _free(snake(name) or "value", draft)
    words = described[:_LONGEST_DESCRIPTION] or as_text(schema.get("description"))
    if not words:
        words = f"the {snake(name).replace('_', ' ') or 'value'}"
        draft.review("params", f"{taken!r} was not described")
    keys = {key: value for key, value in schema.items() if key not in ("description", "required")}
    if required:
        keys.pop("default", None)
    elif "default" not in keys:
        keys["required"] = False
    draft.params[taken] = {"description": words, **keys}
    for inner in _people_in(schema):
        draft.review("params", f"{taken!r} has {inner!r} in it, which a model would fill in; take it out")
    return f"{{{taken}}}"


def _people_in(schema: JsonObject) -> Iterator[str]:
    """Yields the keys at any depth that identify the customer."""
    for name, one in as_object(schema.get("properties")).items():
        if is_who(name):
            yield name
        yield from _people_in(as_object(one))
    if "items" in schema:
        yield from _people_in(as_object(schema["items"]))


def _free(name: str, draft: Draft) -> str:
    number, free = 2, name[:60]
    while free in draft.params:
        free, number = f"{name[:60]}_{number}", number + 1
    return free


_PAGING = frozenset(
    word_list(
        "page page_number page_size per_page page_token limit offset cursor skip top after before starting_after "
        "ending_before size start count"
    )
)
_PLACES = re.compile(r"\{([^{}]+)\}")
_PEOPLE = ("customers", "users", "accounts", "members", "clients", "patients", "subscribers", "guests")
_FORM = "application/x-www-form-urlencoded"


def draft_request(document: Document, operation: Operation, draft: Draft) -> bool:
    """Fill in path, query, body and arguments. Returns False if a required part cannot be sent."""
    draft.keys["method"] = operation.method
    draft.keys["path"] = _path(document, operation, draft)
    query = dict(_query(document, operation, draft))
    if query:
        draft.keys["query"] = query
    _other_places(operation, draft)
    return not operation.body or _body(document, operation, draft)


def _path(document: Document, operation: Operation, draft: Draft) -> str:
    described = {as_text(one.get("name")): one for one in operation.parameters if one.get("in") == "path"}
    segments: list[str] = []
    filled: dict[str, str] = {}
    before = ""
    for segment in operation.path.strip("/").split("/"):
        pieces = _PLACES.split(segment)
        for at, name in enumerate(pieces[1::2]):
            if name not in filled:
                whose = is_who(name) or (snake(name) in ("id", "number") and before.lower() in _PEOPLE)
                filled[name] = (
                    the_customer(draft, name, "path")
                    if whose
                    else _described(document, name, described.get(name, {}), draft, required=True)
                )
            pieces[2 * at + 1] = filled[name]
        before = "".join(pieces)
        segments.append(before)
    return "/" + "/".join(segments)


def _query(document: Document, operation: Operation, draft: Draft) -> Iterator[tuple[str, Json]]:
    for one in operation.parameters:
        if one.get("in") != "query":
            continue
        name, required = as_text(one["name"]), one.get("required") is True
        if snake(name) in _PAGING and not required:
            draft.left_out(f"query parameter {name!r} (pages)")
            continue
        kind = simplify(document, one.get("schema")).schema.get("type")
        if kind == "object" or "content" in one:
            draft.left_out(f"query parameter {name!r} (an object){', which is required' if required else ''}")
            continue
        if kind == "array" and one.get("explode") is False:
            draft.review(
                "query", f"{name!r} is sent once for each value; the description wants commas between"
            )
        if is_who(name):
            yield name, the_customer(draft, name, "query")
        else:
            yield name, _described(document, name, one, draft, required=required)


def _described(document: Document, name: str, node: JsonObject, draft: Draft, *, required: bool) -> str:
    """Returns the placeholder of a parameter of path or query."""
    simple = simplify(document, node.get("schema"))
    for lost in simple.lost:
        draft.review("params", f"{name!r} {lost}")
    return argument(draft, name, simple.schema, described=as_text(node.get("description")), required=required)


def _other_places(operation: Operation, draft: Draft) -> None:
    for one in operation.parameters:
        where, name = as_text(one.get("in")), as_text(one["name"])
        if where == "header" and "idempotency" in snake(name):
            if snake(name) != "idempotency_key":
                draft.left_out(f"header {name!r}; write idempotency_header = {name!r} into [api]")
        elif where == "header" and one.get("required") is True:
            draft.left_out(f"header {name!r}, which is required; write it into headers = {{...}}")
        elif where in ("header", "cookie"):
            draft.left_out(f"{where} {name!r}")


def _body(document: Document, operation: Operation, draft: Draft) -> bool:
    content = operation.body.get("content")
    found = json_schema_of(content)
    if found is None and _FORM in as_object(content):
        found = _FORM, as_object(as_object(content)[_FORM]).get("schema")
        draft.keys["body_as"] = "form"
    if found is None:
        return False
    if found[0] not in ("application/json", "*/*", _FORM):
        draft.review("body", f"it is sent as application/json; the description says {found[0]}")
    simple = simplify(document, found[1])
    needed = operation.body.get("required") is True
    properties = as_object(simple.schema.get("properties"))
    for lost in simple.lost:
        draft.review("body", f"the body {lost}")
    if properties:
        draft.keys["body"] = {
            name: _key_of_body(name, as_object(one), draft, needed=needed) for name, one in properties.items()
        }
    else:
        described = as_text(operation.body.get("description"))
        draft.keys["body"] = argument(draft, "body", simple.schema, described=described, required=needed)
    return True


def _key_of_body(name: str, schema: JsonObject, draft: Draft, *, needed: bool) -> Json:
    """Returns the value of a key of the body: a placeholder, or the only value that it can have."""
    values = as_list(schema.get("enum"))
    required = needed and schema.get("required", True) is True and "default" not in schema
    if len(values) == 1 and required:
        return _escaped(values[0])
    if is_who(name):
        return the_customer(draft, name, "body")
    return argument(draft, name, schema, required=required)


def _escaped(value: Json) -> Json:
    return value.replace("{", "{{").replace("}", "}}") if isinstance(value, str) else value


_WRAPPERS = ("data", "result", "payload", "response")
_LISTED = 12


def draft_answer(document: Document, operation: Operation, draft: Draft) -> None:
    """Fill in ``result``. Other parts of the description become comments."""
    statuses = [status for status in operation.responses if status.startswith("2")]
    good: JsonObject = operation.responses[statuses[0]] if statuses else {}
    found = json_schema_of(good.get("content"))
    schema = simplify(document, found[1]).schema if found else {}
    if found is None and as_object(good.get("content")):
        draft.review("result", f"the answer is {', '.join(as_object(good['content']))}: it cannot be read")
    path = _inner(schema)
    if path:
        draft.keys["result"] = path
        draft.review("result", "is this what the tool is about?")
        schema = as_object(as_object(schema.get("properties")).get(path))
    if schema.get("type") == "array":
        schema = as_object(schema.get("items"))
    names = list(as_object(schema.get("properties")))
    if names:
        rest = ", ..." if len(names) > _LISTED else ""
        draft.note(
            "fields", f"the answer has: {', '.join(names[:_LISTED])}{rest}; fields = [...] picks of them"
        )
    for line in _refusals(operation):
        draft.note("errors", line)


def _inner(schema: JsonObject) -> str:
    """Returns the only property with content, such as the list next to its paging, or "" if there is none."""
    properties = as_object(schema.get("properties"))
    lists = [name for name, one in properties.items() if as_object(one).get("type") == "array"]
    plain = [name for name, one in properties.items() if as_object(one).get("type") in ("object", "array")]
    if len(lists) == 1 and plain == lists and _is_paging(properties.keys() - set(lists)):
        return lists[0]
    return next((name for name in _WRAPPERS if plain == [name] and len(properties) <= 3), "")


def _is_paging(names: set[str]) -> bool:
    words = ("total", "count", "page", "next", "prev", "cursor", "limit", "offset", "size", "more", "has_")
    return all(any(word in name.lower() for word in words) for name in names)


def _refusals(operation: Operation) -> Iterator[str]:
    for status, response in operation.responses.items():
        said = as_text(response.get("description"))[:120] or "refused"
        if status == "404" and operation.method == "GET":
            yield f'404 ({said}): empty_on = [404] if that means "there is nothing"'
        elif status in ("404", "409", "410", "423"):
            yield f'{status} ({said}): errors = {{{status} = "..."}} says it in words for customers'
