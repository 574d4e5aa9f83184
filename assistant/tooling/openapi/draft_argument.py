"""Takes an argument into a draft, or the customer in its place."""

import re
from collections.abc import Iterator

from assistant.conversation.values import JsonObject
from assistant.tooling.openapi.document import as_object, as_text
from assistant.tooling.openapi.draft import Draft
from assistant.tooling.openapi.operations import snake

_WHO = re.compile(
    r"(customer|user|account|member|client|patient|subscriber|guest)(_?(id|no|number|uuid|key))?"
)
_LONGEST_DESCRIPTION = 300


def is_who(name: str) -> bool:
    """Whether a parameter of this name says who the customer is.

    >>> is_who("customerId"), is_who("order_id")
    (True, False)
    """
    return _WHO.fullmatch(snake(name)) is not None


def the_customer(draft: Draft, name: str, key: str) -> str:
    """The place of the customer's own number, in the key that it stands in. Nobody is asked for it."""
    draft.review(key, f"{name!r} is the customer who is known to us, whatever a model says; is that right?")
    return "{customer.id}"


def argument(draft: Draft, name: str, schema: JsonObject, *, described: str = "", required: bool) -> str:
    """Take in an argument with this simplified schema; gives its place.

    An argument that may be left out and has a default is filled in with it.
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
    """The keys, however deep, that say who the customer is."""
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
