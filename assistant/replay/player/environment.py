"""The current prompts and tools for replays, built once for many conversations.

`check_playable` checks before a replay whether a cassette can be replayed with them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from assistant.assembly.config_builder import ConfigBuilder, Models
from assistant.errors import DeclarationError
from assistant.memory.retrieval_tools import EmptyLibrary, with_retrieval_tools
from assistant.policies.policy import NO_POLICIES, Policies
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.replay.cassette import Cassette
from assistant.settings import Settings
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from assistant.turn.context import NarrateFromTemplates


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplayEnvironment:
    """Everything that an edit of prompts or tools can change. A replay does not change it.

    ``bundle`` is the hash of the prompts and tools. ``locale`` is used if the customer's language is unknown.
    """

    book: PromptBook
    tools: Tools
    narrate: NarrateFromTemplates
    bundle: str
    locale: str = "en"
    policies: Policies = NO_POLICIES


def environment_of(settings: Settings) -> ReplayEnvironment:
    """Returns the prompts and tools of the settings' folders. Needs no key, model, network or data folder.

    It compiles templates and imports tools, which takes some time. Raises ``DeclarationError`` for mistakes.
    """
    version = ConfigBuilder(settings, VirtualClock(), models=_no_models).build_first().version
    deps = version.deps
    return ReplayEnvironment(
        book=deps.book,
        # The declarations come from the settings, the results from a cassette.
        tools=with_retrieval_tools(deps.tools, deps.book, EmptyLibrary()),
        narrate=deps.narrate,
        bundle=version.bundle,
        locale=settings.default_locale,
        policies=deps.policies,
    )


def _no_models(settings: Settings, *_: object) -> Models:  # noqa: ARG001
    """Returns no models: each replayed conversation has its own."""
    return {}


def environment_with(
    book: PromptBook, tools: Iterable[Tool] = (), *, bundle: str | None = None
) -> ReplayEnvironment:
    """Returns an environment with these prompts and tools; the default bundle is the book's.

    Raises ``DeclarationError`` if a tool is wrong, or two have the same name.
    """
    return ReplayEnvironment(
        book=book,
        tools=Tools(tools),
        narrate=Narration(book).narrate_outcomes,
        bundle=bundle or book.bundle,
    )


def check_playable(cassette: Cassette, environment: ReplayEnvironment) -> None:
    """Raise ``DeclarationError`` for a cassette that cannot be replayed.

    It has a time without a time zone, whose meaning differs between machines, or a run of an unknown tool.
    """
    if cassette.now.tzinfo is None:
        raise DeclarationError(f"now: {cassette.now} has no time zone; write {cassette.now}+00:00, or yours")
    known = {spec.name for spec in environment.tools.specs} | {declared.name for declared in cassette.tools}
    for number, turn in enumerate(cassette.turns, 1):
        for run in turn.results:
            if run.tool not in known:
                raise DeclarationError(
                    f"turn {number}: {run.tool!r} is not a tool of the tools' folder, and the cassette does not"
                    f" declare it; {_cure(run.tool, sorted(known))}"
                )


def _cure(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there are {', '.join(known) or 'none'}: declare it under 'declares'"
