"""Tells operations that act for the user who signs in from those that the company's own key may call."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import JsonObject
from assistant.tooling.http.own_paths import is_own_path
from assistant.tooling.openapi.document import Document, as_object, as_text
from assistant.tooling.openapi.operations import Operation, snake

Why: TypeAlias = Literal["security", "path"]

_FOR_PROGRAMS = frozenset(("clientCredentials", "application"))
_OF_A_USER = frozenset(("authorization", "token", "jwt", "bearer", "session"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """How an operation's requests sign in.

    ``schemes`` are the names of the security schemes of one alternative; ``users`` are those of them that carry the
    user's own credential. ``why`` says what shows that it acts for a user; None: it does not. ``others``: the
    description allows another way, without a user.
    """

    schemes: tuple[str, ...] = ()
    users: frozenset[str] = frozenset()
    why: Why | None = None
    others: bool = False


def signing_of(document: Document, operation: Operation) -> Signing:
    """How its requests sign in. Of several alternatives the one of a user is taken.

    With the company's key instead, a visitor would act for customers who are not there.
    """
    users = frozenset(name for name in _named(operation.security) if is_users(_scheme(document, name)))
    own = next((one for one in operation.security if users & set(one)), None)
    if own is not None:
        others = any(not users & set(one) for one in operation.security)
        return Signing(schemes=own, users=users & set(own), why="security", others=others)
    first = operation.security[0] if operation.security else ()
    if is_own_path(operation.path):
        return Signing(schemes=first, users=frozenset(first), why="path")
    return Signing(schemes=first)


def is_users(scheme: JsonObject) -> bool:
    """Whether a security scheme carries a credential of the user's, as against a key of the calling program's.

    >>> is_users({"type": "http", "scheme": "bearer"}), is_users({"type": "apiKey", "in": "query", "name": "key"})
    (True, False)
    >>> is_users({"type": "oauth2", "flows": {"clientCredentials": {}}}), is_users({"type": "openIdConnect"})
    (False, True)
    """
    match as_text(scheme.get("type")):
        case "http":
            return as_text(scheme.get("scheme")).lower() == "bearer"
        case "oauth2":
            return not set(as_object(scheme.get("flows"))) <= _FOR_PROGRAMS or not scheme.get("flows")
        case "openIdConnect":
            return True
        case "apiKey":
            # Descriptions that were converted from Swagger 2 have no other way to write a bearer token.
            words = re.split(r"_+", snake(as_text(scheme.get("name"))))
            return scheme.get("in") == "cookie" or bool(_OF_A_USER & set(words))
        case _:
            return False


def _named(security: Sequence[Sequence[str]]) -> frozenset[str]:
    return frozenset(name for one in security for name in one)


def _scheme(document: Document, name: str) -> JsonObject:
    described = as_object(as_object(document.root.get("components")).get("securitySchemes"))
    return document.resolved(described.get(name))
