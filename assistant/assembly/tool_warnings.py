"""Possible mistakes in tools that can be loaded; reported at the start, by ``tools check`` and by ``doctor``."""

from collections.abc import Iterator

from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import PromptError
from assistant.mcp.tool import McpTool
from assistant.prompts.book import PromptBook
from assistant.tools.declaration_errors import Mistake, sorted_mistakes
from assistant.tools.hints import Doubt, doubts_in, infinitive
from assistant.tools.http.request import names_of
from assistant.tools.http.service import is_own_path
from assistant.tools.http.tool import HttpTool
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from assistant.turn.acknowledge import acknowledge

BUILT_IN = "built in"
_OWN = 'auth = {bearer = "{customer.token}"}'


def tool_warnings(tools: Tools, book: PromptBook) -> list[Mistake]:
    """A warning for each doubtful hint and each credential that customers share, without repetitions, in order
    of place. The built-in tools have no author here who could change them.
    """
    found = [
        Mistake(tool.spec.where, problem, tool.spec.name)
        for tool in tools
        if tool.spec.where != BUILT_IN
        for problem in (*_hints(tool.spec, book), *_shared(tool))
    ]
    return sorted_mistakes(found)


def _hints(spec: ToolSpec, book: PromptBook) -> Iterator[str]:
    for doubt in doubts_in(spec.hints):
        yield (
            f'{_written(doubt, spec)}: customers will hear "{_heard(doubt, spec, book)}"'
            f" If that sounds right, leave it; otherwise: {doubt.why}"
        )


def _written(doubt: Doubt, spec: ToolSpec) -> str:
    """The phrase as it is written in the declaration, after the name of its option."""
    if doubt.locale != "en":
        return f"hints[{doubt.locale!r}]: {doubt.form} {doubt.phrase!r}"
    doing = spec.hints["en"].doing
    is_derived = doubt.form == "doing" or doubt.phrase == infinitive(doing)
    return f"waiting_hint {doing!r}" if is_derived else f"will {doubt.phrase!r}"


def _heard(doubt: Doubt, spec: ToolSpec, book: PromptBook) -> str:
    """The sentence that the hint makes, as an acknowledgement of this tool alone."""
    will = spec.hints[doubt.locale].will
    try:
        words = book.acknowledgement(doubt.locale)
        if words.locale.partition("-")[0] != doubt.locale.partition("-")[0]:
            return will  # we have no templates in that language
        return acknowledge([will], words.lead("effect" if spec.effect == "write" else "request"), words)
    except PromptError:
        return will


def _shared(tool: Tool) -> Iterator[str]:
    match tool:
        case HttpTool():
            yield from _shared_by_request(tool)
        case McpTool(spec=spec, fill=fill, signs_in=False) if spec.needs_customer:
            if not any(source.startswith("customer.") for source in fill.values()):
                yield (
                    f"requires {spec.requires!r}, and its call does not say which customer: all of them are the"
                    ' same to its server. Write fill = {ARGUMENT = "customer.id"}, or customer_auth for its server'
                )
        case _:
            return


def _shared_by_request(tool: HttpTool) -> Iterator[str]:
    credentials = tool.service.credentials
    if not credentials.parts or credentials.of_customer:
        return
    if is_own_path(tool.request.path):
        yield (
            f"path {tool.request.path!r} names the user who signs in, and {_all(tool.spec)} would sign in with"
            f" {_variables(tool)}, as one and the same user. Write {_OWN}"
        )
    elif tool.spec.needs_customer and not _says_who(tool):
        yield (
            f"requires {tool.spec.requires!r}, and its request does not say which customer: with"
            f" {_variables(tool)} each of them reaches the same data. Use {{customer.id}} in it, or {_OWN}"
        )


def _says_who(tool: HttpTool) -> bool:
    plan = tool.request
    names = (name for part in (plan.path, plan.query, plan.body, plan.headers) for name in names_of(part))
    return bool(tool.claims) or any(name in ("customer.id", "customer.name") for name in names)


def _variables(tool: HttpTool) -> str:
    return " and ".join(
        dict.fromkeys(name for part in tool.service.credentials.parts for name in part.variables)
    )


def _all(spec: ToolSpec) -> str:
    return "every customer" if spec.needs_customer else "every customer and every anonymous visitor"
