"""Puts together what a conversation is answered with, for whoever only looks: no model is asked."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from assistant.assembly.budgets import budget_for
from assistant.assembly.models import names_of, options_of
from assistant.assembly.press import Models, Press
from assistant.assembly.summariser import summary_models, summary_options
from assistant.conversation.chunks import Chunk
from assistant.conversation.documents import Document, Finding
from assistant.conversation.entries import ModelRole
from assistant.handoff.backends import OwnDesk
from assistant.ids import SystemIds
from assistant.memory.retrieval_tools import with_lookup
from assistant.models.tokens import load
from assistant.ports import Clock, ModelOptions, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.sessions.handoff import Handoffs
from assistant.sessions.handoff_tool import with_person
from assistant.settings import Settings
from assistant.store.bundles import KeptBundle
from assistant.tooling.registry import Tools
from assistant.turn.parts import Parts, RoleModel


class Overheard(Exception):
    """A request that would have been made."""

    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        super().__init__(request.role)


class Onlooker:
    """Stands where a model would, and lets whoever asks it know what they asked.

    Args:
        names: of the models that would be asked, the one that is meant first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.name = ", else ".join(names)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Raise :class:`Overheard`."""
        raise Overheard(request)
        yield

    async def close(self) -> None:
        """Nothing to give back."""


def onlooking(settings: Settings, clock: Clock, kept: KeptBundle | None) -> Parts:
    """The parts that the server has for a conversation, its tools and budgets among them, and onlookers for models.

    No key is needed. Tokens are counted as well as they can be. Takes a second where a vocabulary has to be read.

    Args:
        settings: the server's.
        clock: says what day it is.
        kept: the prompts that the conversation is on; None: those that there are today.

    Raises:
        DeclarationError: something is wrong in the folders or the settings, or the prompts cannot be used any more.
    """
    press = Press(settings, clock, _none_yet)
    today = press.first()
    edition = press.again(kept, today) if kept is not None else today.edition
    parts = edition.parts
    tools = with_lookup(_with_person(parts.tools, parts.book, settings), parts.book, _NoShelf())
    names, options = names_of(settings), options_of(settings)
    role = partial(_role, settings=settings, book=parts.book, clock=clock)
    models = {one: role(one, names[one], options[one], tools=tools) for one in names}
    summaries = summary_models(settings)
    summariser = role("summariser", summaries, summary_options(settings), tools=None) if summaries else None
    return replace(parts, tools=tools, models=models, summariser=summariser)


def _role(
    role: ModelRole,
    names: Sequence[str],
    options: ModelOptions,
    *,
    settings: Settings,
    book: PromptBook,
    clock: Clock,
    tools: Tools | None,
) -> RoleModel:
    offered = () if tools is None else tools.offered
    budget = budget_for(role, names, options, settings, book=book, tools=offered, clock=clock)
    load(budget.counter)
    return RoleModel(model=Onlooker(names), options=options, budget=budget)


def _with_person(tools: Tools, book: PromptBook, settings: Settings) -> Tools:
    """With the tool that asks for a person, where the server has one."""
    if settings.operator_token is None and settings.handoff_url is None:
        return tools
    return with_person(tools, book, Handoffs(OwnDesk(), SystemIds(), settings.handoff_wait_s))


def _none_yet(*_: object) -> Models:
    none: Mapping[ModelRole, RoleModel] = {}
    return none


class _NoShelf:
    """Where tools look that nobody calls."""

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:  # noqa: ARG002 - as the tools have it
        """Nothing."""
        return []

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:  # noqa: ARG002 - the same
        """Nothing."""
        return None
