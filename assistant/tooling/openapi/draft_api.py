"""Drafts where a system is and how requests are signed in, from a description's servers and security."""

import re
from collections.abc import Iterable
from unicodedata import normalize
from urllib.parse import urljoin

from assistant.conversation.values import Json, JsonObject
from assistant.tooling.http.address import read_base
from assistant.tooling.openapi.document import Document, as_list, as_object, as_text
from assistant.tooling.openapi.draft import Draft
from assistant.tooling.openapi.operations import snake

_IS_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NOWHERE = "https://shop.example"


def draft_api(document: Document, schemes: Iterable[str]) -> Draft:
    """The file's ``[api]``; ``schemes`` are the names of the security schemes that its tools need."""
    title = as_text(as_object(document.root.get("info")).get("title")) or "shop"
    draft = Draft("api", title)
    variable = _variable(title)
    draft.keys["base_url"] = _base_url(document, draft)
    draft.note("base_url_from", "where a test system is, if this variable is set")
    draft.keys["base_url_from"] = f"{variable}_URL"
    draft.keys["name"] = "our system"
    draft.review("name", 'what customers hear of it: "I can\'t reach our system just now"')
    auth = _auth(document, schemes, variable, draft)
    if auth:
        draft.keys["auth"] = auth
    return draft


def _base_url(document: Document, draft: Draft) -> str:
    server = as_object(next(iter(as_list(document.root.get("servers"))), None))
    written = as_text(server.get("url"))
    for name, variable in as_object(server.get("variables")).items():
        written = written.replace(f"{{{name}}}", as_text(as_object(variable).get("default")))
    draft.review("base_url", "is this where your system is?")
    try:
        base = read_base(urljoin(f"{_NOWHERE}/", written))
    except ValueError:
        base = read_base(_NOWHERE)
    if base.is_open:
        draft.keys["plain_http"] = True
        draft.review("plain_http", "it is not encrypted: whoever is on the way can read along")
    return base.origin + base.path


def _auth(document: Document, schemes: Iterable[str], variable: str, draft: Draft) -> dict[str, Json]:
    described = as_object(as_object(document.root.get("components")).get("securitySchemes"))
    auth: dict[str, Json] = {}
    for name in schemes:
        scheme = document.resolved(described.get(name))
        part = _part(scheme, variable, draft)
        if not part:
            draft.left_out(f"security scheme {name!r}; write auth = {{...}} yourself")
        for key, value in part.items():
            before = as_object(auth.get(key))
            auth[key] = {**before, **as_object(value)} if isinstance(value, dict) else value
    _sign_once(auth, draft)
    if "bearer" in auth and "basic" in auth:
        del auth["basic"]
        draft.review("auth", "some operations are described with a user and a password instead")
    return auth


def _sign_once(auth: dict[str, Json], draft: Draft) -> None:
    """Leave out a key that would stand in the header in which a token or a password stands."""
    if not auth.keys() & {"bearer", "basic"}:
        return
    headers = as_object(auth.pop("header", None))
    kept = {name: value for name, value in headers.items() if name.lower() != "authorization"}
    if kept:
        auth["header"] = kept
    if kept != headers:
        draft.left_out("a key in the header 'Authorization', in which the other one stands")


def _part(scheme: JsonObject, variable: str, draft: Draft) -> dict[str, Json]:
    kind, how = as_text(scheme.get("type")), as_text(scheme.get("scheme")).lower()
    name = as_text(scheme.get("name"))
    match kind, how or as_text(scheme.get("in")):
        case "http", "bearer":
            return {"bearer": f"{variable}_TOKEN"}
        case "http", "basic":
            return {"basic": [f"{variable}_USER", f"{variable}_PASSWORD"]}
        case "apiKey", ("header" | "query") as where if _IS_HEADER.fullmatch(name):
            return {where: {name: f"{variable}_{snake(name).upper() or 'KEY'}"}}
        case "oauth2" | "openIdConnect", _:
            draft.review("auth", "nobody fetches a token: one that stays valid must be in the variable")
            return {"bearer": f"{variable}_TOKEN"}
        case _:
            return {}


def _variable(title: str) -> str:
    """The beginning of the variables' names: the title's first word, in capitals.

    >>> _variable("Café-Shop API 2"), _variable("42")
    ('CAFE', 'SHOP')
    """
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode()
    found = re.search(r"[A-Za-z][A-Za-z0-9]*", plain)
    return found[0].upper()[:30] if found else "SHOP"
