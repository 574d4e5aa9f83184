"""Drafts what is read from an operation's answers."""

from collections.abc import Iterator

from assistant.conversation.values import JsonObject
from assistant.tooling.openapi.document import Document, as_object, as_text
from assistant.tooling.openapi.draft import Draft
from assistant.tooling.openapi.operations import Operation, json_schema_of
from assistant.tooling.openapi.simplify import simplify

_WRAPPERS = ("data", "result", "payload", "response")
_LISTED = 12


def draft_answer(document: Document, operation: Operation, draft: Draft) -> None:
    """Fill in ``result``; what else the description says of answers stands in comments."""
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
    """The one property that the others are only about: the list beside its paging, or what is wrapped."""
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
