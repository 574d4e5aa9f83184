"""Drafts where a system is and how requests are signed in, from a description's servers and security."""

import re
from collections.abc import Iterable
from unicodedata import normalize
from urllib.parse import urljoin

from assistant.conversation.values import Json, JsonObject
from assistant.tooling.http.address import read_base
from assistant.tooling.http.sections import CUSTOMER_TOKEN
from assistant.tooling.openapi.document import Document, as_list, as_object, as_text
from assistant.tooling.openapi.draft import Draft
from assistant.tooling.openapi.operations import snake
from assistant.tooling.openapi.user_scope import Signing

_IS_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NOWHERE = "https://shop.example"


def draft_api(document: Document, schemes: Iterable[str]) -> Draft:
    """The file's ``[api]``; ``schemes`` are the security schemes of the tools that need no user's credential."""
    title = as_text(as_object(document.root.get("info")).get("title")) or "shop"
    draft = Draft("api", title)
    variable = _variable(document)
    draft.keys["base_url"] = _base_url(document, draft)
    draft.note("base_url_from", "where a test system is, if this variable is set")
    draft.keys["base_url_from"] = f"{variable}_URL"
    draft.keys["name"] = "our system"
    draft.review("name", 'what customers hear of it: "I can\'t reach our system just now"')
    auth = _auth(document, schemes, frozenset(), draft)
    if auth:
        draft.keys["auth"] = auth
    return draft


def draft_own_auth(document: Document, signing: Signing, draft: Draft) -> None:
    """Let a tool's requests carry the credential of the customer who asks, and never one for all customers."""
    if not signing.schemes and not signing.users:
        draft.keys["auth"] = {"bearer": CUSTOMER_TOKEN}
        draft.review("auth", "the description does not say how a user signs in: is it a bearer token?")
        return
    auth = _auth(document, signing.schemes, signing.users, draft)
    if auth:
        draft.keys["auth"] = auth


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


def _auth(document: Document, schemes: Iterable[str], users: frozenset[str], draft: Draft) -> dict[str, Json]:
    """What signs requests in with these schemes; those of ``users`` carry the customer's own credential."""
    variable = _variable(document)
    described = as_object(as_object(document.root.get("components")).get("securitySchemes"))
    auth: dict[str, Json] = {}
    for name in schemes:
        scheme = document.resolved(described.get(name))
        part = _own_part(scheme) if name in users else _part(scheme, variable, draft)
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


def _own_part(scheme: JsonObject) -> dict[str, Json]:
    """The same, with the customer's own credential in the place of the secret."""
    name = as_text(scheme.get("name"))
    match as_text(scheme.get("type")), as_text(scheme.get("in")):
        case "apiKey", "header" if name.lower() == "authorization":
            return {"bearer": CUSTOMER_TOKEN}
        case "apiKey", ("header" | "query") as where if _IS_HEADER.fullmatch(name):
            return {where: {name: CUSTOMER_TOKEN}}
        case "apiKey", "cookie" if _IS_HEADER.fullmatch(name):
            return {"header": {"Cookie": f"{name}={CUSTOMER_TOKEN}"}}
        case "http", _ if as_text(scheme.get("scheme")).lower() == "basic":
            return {"header": {"Authorization": f"Basic {CUSTOMER_TOKEN}"}}
        case (("http" | "oauth2" | "openIdConnect"), _):
            return {"bearer": CUSTOMER_TOKEN}
        case _:
            return {}


def _variable(document: Document) -> str:
    """The beginning of the variables' names: the title's first word, in capitals.

    >>> [_variable(Document({"info": {"title": title}})) for title in ("Café-Shop API 2", "42")]
    ['CAFE', 'SHOP']
    """
    title = as_text(as_object(document.root.get("info")).get("title"))
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode()
    found = re.search(r"[A-Za-z][A-Za-z0-9]*", plain)
    return found[0].upper()[:30] if found else "SHOP"
