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
from assistant.tooling.openapi.draft_api import draft_api
from assistant.tooling.openapi.draft_request import draft_request
from assistant.tooling.openapi.hint import wording
from assistant.tooling.openapi.operations import Operation, operations, snake
from assistant.tooling.openapi.toml_text import comments, section_text

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
    """The file's text, the names of its tools, and what was left out, each with the reason."""

    text: str
    names: tuple[str, ...]
    left_out: tuple[str, ...]


def draft_file(document: Document, only: Sequence[str] = ()) -> DraftedFile:
    """Draft the operations that are named in ``only``, by operation id or drafted name; all without any.

    Raises ``DeclarationError`` for a name that does not exist, and when nothing can be drafted.
    """
    chosen = _chosen(operations(document), only)
    schemes = dict.fromkeys(scheme for operation in chosen for scheme in operation.security)
    api = draft_api(document, schemes)
    drafts: list[Draft] = []
    left_out: list[str] = []
    for operation in chosen:
        draft = _draft(document, operation)
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
    return DraftedFile(text=text, names=tuple(draft.name for draft in drafts), left_out=tuple(left_out))


def _chosen(every: Sequence[Operation], only: Sequence[str]) -> list[Operation]:
    known = {name: one for one in every for name in (one.name, one.operation_id) if name}
    for name in only:
        if name not in known:
            there = ", ".join(one.operation_id or one.name for one in every) or "none"
            raise DeclarationError(f"there is no operation {name!r}; there are: {there}")
    return [one for one in every if not only or one.name in only or one.operation_id in only]


def _draft(document: Document, operation: Operation) -> Draft | str:
    """The draft; why there is none."""
    draft = Draft(operation.name, str(operation))
    draft.note("", f"{operation} {operation.operation_id}".strip())
    draft.keys["draft"] = True
    if operation.deprecated:
        draft.review("", "it is deprecated")
    _describe(operation, draft)
    if not draft_request(document, operation, draft):
        return "it takes neither JSON nor a form"
    draft_answer(document, operation, draft)
    if operation.method not in ("GET", "HEAD"):
        draft.keys["confirm"] = True
        draft.review("confirm", 'say what would be done: confirm = "cancel order {{ arguments.number }}"')
        if operation.name.startswith(_ONLY_ASKS):
            draft.review("confirm", 'if it changes nothing: effect = "read", and no confirm')
    _word(operation, draft)
    return draft


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
    theirs = "{customer.id}" in str(draft.keys)
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
        checked = section_tool(draft.name, checked, section, service, "")
    return "" if isinstance(checked, HttpTool) else "; ".join(problem for _, problem in checked)
