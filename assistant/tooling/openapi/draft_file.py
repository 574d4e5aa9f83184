"""Drafts a whole file of HTTP tools from an OpenAPI description."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.errors import DeclarationError
from assistant.tooling.http.connections import Connections
from assistant.tooling.http.read_service import read_service
from assistant.tooling.http.section_problems import section_problems
from assistant.tooling.http.section_tool import section_tool
from assistant.tooling.http.sections import ToolSection
from assistant.tooling.http.tool import HttpTool
from assistant.tooling.openapi.document import Document
from assistant.tooling.openapi.draft import Draft
from assistant.tooling.openapi.draft_answer import draft_answer
from assistant.tooling.openapi.draft_api import draft_api, draft_own_auth
from assistant.tooling.openapi.draft_request import draft_request
from assistant.tooling.openapi.hint import wording
from assistant.tooling.openapi.operations import Operation, operations, snake
from assistant.tooling.openapi.toml_text import comments, section_text
from assistant.tooling.openapi.user_scope import Signing, signing_of

_LONGEST_DESCRIPTION = 400
_ONLY_ASKS = (
    "search",
    "find",
    "query",
    "lookup",
    "list",
    "get",
    "calculate",
    "quote",
    "preview",
    "check",
    "validate",
)

_HEAD = """\
Drafted from an OpenAPI description. Read it before customers do: each line with "review:" asks something, and a
tool is not offered as long as draft = true stands there. "assistant tools check" shows what customers will hear,
"assistant tools call NAME" asks the system for real.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedFile:
    """The file's text, the names of its tools, and what was left out, each with the reason.

    ``own`` are the names of those that act for the customer who is signed in.
    """

    text: str
    names: tuple[str, ...]
    left_out: tuple[str, ...]
    own: tuple[str, ...] = ()


def draft_file(document: Document, only: Sequence[str] = ()) -> DraftedFile:
    """Draft the operations that are named in ``only``, by operation id or drafted name; all without any.

    Raises ``DeclarationError`` for a name that does not exist, and when nothing can be drafted.
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
    """The draft; why there is none."""
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
    """Take the customer's own credential, and say why the tool stays off."""
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
        "is it the customer's own token? Your site gives it along (docs/identity.md). If it is the company's, name"
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
    # Frameworks make a summary of the operation's name: beside a description it says nothing.
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
    """What keeps a draft from being read, "" for nothing: whoever reviews it must be able to try it."""
    checked = section_problems(draft.section, ToolSection)
    if isinstance(checked, ToolSection):
        section, service, _ = read_service(api.section, Connections(), {})
        checked = section_tool(draft.name, checked, section, service, "", {})
    return "" if isinstance(checked, HttpTool) else "; ".join(problem for _, problem in checked)
