"""A tool's own wording of the question whether it may run, by a function or a template of the CRM team."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, signature

from assistant.conversation.people import Customer
from assistant.conversation.values import JsonObject
from assistant.prompts.book import PromptBook
from assistant.prompts.language import language
from assistant.prompts.narration import Narration
from assistant.tooling.declare.injected import source_of, typed
from assistant.tooling.declare.parameters import Parameters
from assistant.tooling.declare.signature import type_hints
from assistant.tooling.running.call_through import call_through

Clause = Callable[..., Awaitable[str] | str]


def read_back_problems(function: Clause, parameters: Parameters) -> list[str]:
    """What keeps a read-back function from being called with the tool's own arguments."""
    problems: list[str] = []
    hints = type_hints(function, problems)
    taken = signature(function).parameters.values()
    expected = set(parameters.names.values())
    named = {
        one.name for one in taken if one.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    customers = {name for name in named if source_of(hints.get(name)) == "customer"}
    if any(one.kind is Parameter.VAR_KEYWORD for one in taken):
        named |= expected
    problems += [f"takes {name!r}{_foreign(name, hints)}" for name in sorted(named - customers - expected)]
    problems += [
        f"does not take {name!r}; it needs all of the tool's own" for name in sorted(expected - named)
    ]
    return problems


def _foreign(name: str, hints: Mapping[str, object]) -> str:
    if source_of(hints.get(name)) == "context" or (name == "context" and name not in hints):
        return ", and a read-back is given no ToolContext; take it out"
    written = typed(name) if name not in hints else None
    return f" without its type; write {written}" if written else ", which the tool does not"


async def ask_for_clause(function: Clause, values: dict[str, object], customer: Customer) -> str:
    """Call it. Raises whatever it raises, and ``TypeError`` when it gives anything but a clause."""
    hints = type_hints(function, [])
    whom = {name: customer for name, hint in hints.items() if source_of(hint) == "customer"}
    clause = await call_through(function, {**values, **whom})
    if not isinstance(clause, str) or not clause.strip():
        raise TypeError(f"the read-back gave {clause!r} instead of a clause")
    return clause.strip()


def clause_of(
    templates: Mapping[str, str], arguments: JsonObject, locale: str, book: PromptBook
) -> str | None:
    """The clause that a tool's templates make of its arguments; None without one in the customer's language.

    A clause of another language would break the question that it stands in.
    """
    template = templates.get(locale) or templates.get(language(locale))
    if template is None:
        return None
    return Narration(book).render(template, value=None, arguments=arguments, locale=locale)
