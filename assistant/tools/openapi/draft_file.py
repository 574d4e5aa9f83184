"""Drafts a whole file of HTTP tools from an OpenAPI description, with hints and examples. Begin here."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import urljoin

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DeclarationError
from assistant.language.numbers import word_list
from assistant.tools.hints import VERBS, infinitive, read_hints
from assistant.tools.http.config import CUSTOMER_TOKEN, ToolSection, section_problems
from assistant.tools.http.service import Connections, read_base
from assistant.tools.http.tool import HttpTool, read_service, section_tool
from assistant.tools.openapi.document import (
    Document,
    Operation,
    Signing,
    as_list,
    as_object,
    as_text,
    operations,
    signing_of,
    snake,
)
from assistant.tools.openapi.draft_tool import Draft, comments, draft_answer, draft_request, section_text
from assistant.tools.options import Options

_LOOK_UP = frozenset(word_list("get fetch retrieve read list show view display describe load return"))
_SEARCH = {"find", "query"}
_ARTICLES = {"a", "an", "the", "all", "one", "single", "specific", "current", "existing", "new", "my", "your"}
_ENDS = frozenset(word_list("by for with using from in of on to that which and or if via"))
_DOUBLED = frozenset(word_list("cancel submit refer transfer control travel label permit begin forget"))


@dataclass(frozen=True, slots=True)
class Wording:
    """The drafted texts of a tool. ``doing`` is the waiting hint, or "" if none was found.

    ``examples`` are possible messages of customers.
    """

    doing: str = ""
    examples: tuple[str, ...] = ()


def wording(texts: Iterable[str], *, theirs: bool) -> Wording:
    """Draft from the first text that begins with a verb. ``theirs`` is True if the tool is about the
    customer's own things.

    >>> wording(["Retrieve a single order by its ID"], theirs=True)
    Wording(doing='looking up your order', examples=('show me my order', 'I have a question about my order'))
    >>> wording(["List the guest's reservations."], theirs=True).doing
    'looking up your reservations'
    >>> wording(["Orders", "cancelOrder"], theirs=False).doing, wording(["Orders"], theirs=False).doing
    ('cancelling the order', '')
    """
    for text in texts:
        words = [word.lower() for word in re.findall(r"[A-Z]?[a-z']+|[A-Z]+(?![a-z])", text)]
        verb = _verb(words[0]) if words else None
        thing = _thing(words[1:], theirs=theirs)
        if verb is None or not thing:
            continue
        doing = f"{_gerund(verb)} {'your' if theirs else 'the'} {thing}"
        if not read_hints(Options(waiting_hint=doing))[1] and _comes_back(doing):
            return Wording(doing, _examples(verb, f"{'my' if theirs else 'the'} {thing}"))
    return Wording()


def _verb(word: str) -> str | None:
    """Returns the base form of a verb.

    Summaries are written as orders and as descriptions ("Cancels ...").
    """
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in VERBS or form in _LOOK_UP | _SEARCH), None)


def _thing(words: list[str], *, theirs: bool) -> str:
    """Returns the first words after the verb, without parts that only developers need.

    For the customer's own things, an owner is removed: "the guest's reservations" become "the reservations".
    """
    kept: list[str] = []
    for word in words:
        if word in _ENDS or len(kept) == 4:
            break
        owner = theirs and word.endswith(("'s", "s'"))
        if kept or not (owner or word in _ARTICLES):
            kept.append(word)
    while kept and kept[-1] in ("id", "ids", "details", "data", "info", "information", "object", "resource"):
        kept.pop()
    return " ".join(kept)


def _gerund(verb: str) -> str:
    if verb in _LOOK_UP:
        return "looking up"
    if verb in _SEARCH:
        return "looking for"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb)
    return f"{verb}{verb[-1]}ing" if short or verb in _DOUBLED else f"{verb}ing"


def _comes_back(doing: str) -> bool:
    """Whether the hint's other form begins with a known verb.

    Otherwise customers could get an invented word.
    """
    return infinitive(doing).split()[0] in VERBS


def _examples(verb: str, thing: str) -> tuple[str, ...]:
    if verb in _LOOK_UP | _SEARCH:
        return (f"show me {thing}", f"I have a question about {thing}")
    return (f"{verb} {thing}", f"I want to {verb} {thing}", f"can you {verb} {thing}")


_IS_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NOWHERE = "https://shop.example"


def draft_api(document: Document, schemes: Iterable[str]) -> Draft:
    """Returns the file's ``[api]`` section.

    ``schemes`` are the security schemes of the tools without a user's credential.
    """
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
    """Make a tool's requests use the credential of the customer who asks, never one for all customers."""
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
        draft.review("plain_http", "it is not encrypted: others on the network can read it")
    return base.origin + base.path


def _auth(document: Document, schemes: Iterable[str], users: frozenset[str], draft: Draft) -> dict[str, Json]:
    """Returns the ``auth`` entries for these schemes; those in ``users`` use the customer's own credential."""
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
    """Leave out a key that uses the same header as a token or a password."""
    if not auth.keys() & {"bearer", "basic"}:
        return
    headers = as_object(auth.pop("header", None))
    kept = {name: value for name, value in headers.items() if name.lower() != "authorization"}
    if kept:
        auth["header"] = kept
    if kept != headers:
        draft.left_out("a key in the header 'Authorization', which has the other one")


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
            draft.review(
                "auth", "tokens are not requested automatically: the variable must have one that stays valid"
            )
            return {"bearer": f"{variable}_TOKEN"}
        case _:
            return {}


def _own_part(scheme: JsonObject) -> dict[str, Json]:
    """Returns the entry for a scheme, with the customer's own credential as the secret."""
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
    """Returns the prefix of the variables' names: the title's first word, in capitals.

    >>> [_variable(Document({"info": {"title": title}})) for title in ("Café-Shop API 2", "42")]
    ['CAFE', 'SHOP']
    """
    title = as_text(as_object(document.root.get("info")).get("title"))
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode()
    found = re.search(r"[A-Za-z][A-Za-z0-9]*", plain)
    return found[0].upper()[:30] if found else "SHOP"


_LONGEST_DESCRIPTION = 400
_ONLY_ASKS = tuple(word_list("search find query lookup list get calculate quote preview check validate"))

_HEAD = """\
Drafted from an OpenAPI description. Read it before customers do: each line with "review:" asks something, and a
tool is not offered as long as it has draft = true. "assistant tools check" shows what customers will hear,
"assistant tools call NAME" asks the system for real.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedFile:
    """The file's text, the names of its tools, and the parts that were left out, each with the reason.

    ``own`` are the names of tools that act for the signed-in customer.
    """

    text: str
    names: tuple[str, ...]
    left_out: tuple[str, ...]
    own: tuple[str, ...] = ()


def draft_file(document: Document, only: Sequence[str] = ()) -> DraftedFile:
    """Draft the operations named in ``only``, by operation id or drafted name; all operations if it is empty.

    Raises ``DeclarationError`` for an unknown name, and if no tool can be drafted.
    """
    chosen = _chosen(operations(document), only)
    signings = {operation.name: signing_of(document, operation) for operation in chosen}
    shared = (one for one in signings.values() if one.why is None)
    api = draft_api(document, dict.fromkeys(scheme for one in shared for scheme in one.schemes))
    drafts: list[Draft] = []
    left_out: list[str] = []
    for operation in chosen:
        draft = _draft(document, operation, signings[operation.name])
        problem = draft if isinstance(draft, str) else _problem(draft, api)
        if isinstance(draft, Draft) and not problem:
            drafts.append(draft)
        else:
            left_out.append(f"{operation} ({operation.name}): {problem}")
    if not drafts:
        raise DeclarationError("\n".join(["there is nothing that a tool could be made of", *left_out]))
    head = [*comments(_HEAD), *(line for one in left_out for line in comments(f"left out: {one}"))]
    sections = [section_text(draft, f"tools.{draft.name}") for draft in drafts]
    text = "\n".join(["\n".join(head) + "\n", section_text(api, "api"), *sections])
    names = tuple(draft.name for draft in drafts)
    own = tuple(name for name in names if signings[name].why is not None)
    return DraftedFile(text=text, names=names, left_out=tuple(left_out), own=own)


def _chosen(every: Sequence[Operation], only: Sequence[str]) -> list[Operation]:
    known = {name: one for one in every for name in (one.name, one.operation_id) if name}
    for name in only:
        if name not in known:
            there = ", ".join(one.operation_id or one.name for one in every) or "none"
            raise DeclarationError(f"there is no operation {name!r}; there are: {there}")
    return [one for one in every if not only or one.name in only or one.operation_id in only]


def _draft(document: Document, operation: Operation, signing: Signing) -> Draft | str:
    """Returns the draft, or the reason why there is none."""
    draft = Draft(operation.name, str(operation))
    draft.note("", f"{operation} {operation.operation_id}".strip())
    draft.keys["draft"] = True
    if operation.deprecated:
        draft.review("", "it is deprecated")
    _describe(operation, draft)
    if not draft_request(document, operation, draft):
        return "it takes neither JSON nor a form"
    if signing.why is not None:
        _sign_in_as_customer(document, signing, draft)
    draft_answer(document, operation, draft)
    if operation.method not in ("GET", "HEAD"):
        draft.keys["confirm"] = True
        draft.review("confirm", 'say what would be done: confirm = "cancel order {{ arguments.number }}"')
        if operation.name.startswith(_ONLY_ASKS):
            draft.review("confirm", 'if it changes nothing: effect = "read", and no confirm')
    _word(operation, draft)
    return draft


def _sign_in_as_customer(document: Document, signing: Signing, draft: Draft) -> None:
    """Use the customer's own credential, and say why the tool stays turned off."""
    because = "its path names the user" if signing.why == "path" else "its security is that of a user"
    draft.note(
        "draft",
        f"off: it acts for one customer ({because}). Try it with two customers, whose data differ, before you take"
        " this line out",
    )
    draft.keys["requires"] = "signed_in"
    draft_own_auth(document, signing, draft)
    draft.review(
        "auth",
        "is it the customer's own token? Your site sends it (docs/guides/identity.md). If it is the company's, name"
        " its variable here instead, and see that the request says which customer is meant",
    )
    if signing.others:
        draft.review(
            "auth",
            "the description also allows a way without a user. With the company's key any visitor reaches every"
            " customer's data: only use it if there are none",
        )


def _describe(operation: Operation, draft: Draft) -> None:
    words = [operation.summary.rstrip("."), operation.description]
    # Frameworks derive a summary from the operation's name. Next to a description it adds nothing.
    if words[1] and (words[1].startswith(words[0]) or snake(words[0]) == operation.name):
        del words[0]
    description = ". ".join(filter(None, words))[:_LONGEST_DESCRIPTION].strip()
    if not description:
        draft.review("description", "it was not described; models choose by this")
    draft.keys["description"] = description or str(operation)


def _word(operation: Operation, draft: Draft) -> None:
    theirs = "{customer.id}" in str(draft.keys) or draft.keys.get("requires") == "signed_in"
    drafted = wording((operation.summary, operation.name, operation.description), theirs=theirs)
    draft.keys["waiting_hint"] = drafted.doing
    if drafted.doing:
        draft.review("waiting_hint", "customers hear it while it runs")
    else:
        draft.review("waiting_hint", 'say what customers hear while it runs, as "looking up your order"')
    draft.keys["examples"] = list(drafted.examples)
    draft.review("examples", "what do your customers say when they want this?")


def _problem(draft: Draft, api: Draft) -> str:
    """Returns the problem that makes a draft unreadable, or "" if there is none.

    A reviewer must be able to try the draft.
    """
    checked = section_problems(draft.section, ToolSection)
    if isinstance(checked, ToolSection):
        section, service, _ = read_service(api.section, Connections(), {})
        checked = section_tool(draft.name, checked, section, service, "", {})
    return "" if isinstance(checked, HttpTool) else "; ".join(problem for _, problem in checked)
