"""Makes each role's budget: what is set, as far as the models that may be asked can hold it."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.entries import ModelRole
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.memory.budget import Budget
from assistant.models.names import read_name
from assistant.models.price_list import window_of
from assistant.models.tokens import counter_for, load
from assistant.ports import Clock, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Decider, Narrator
from assistant.prompts.prompt import Instruction
from assistant.settings import Settings

LEAST_CONVERSATION = 500
"""Tokens that must be left for what a customer asks and is told: without them nobody could be answered."""

_TOLD_IN_WORDS = 1_000
"""What the rules take by which a model calls tools in text."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """``tokens`` at most, and what an operator can do to have more."""

    tokens: int
    cure: str


def budget_for(
    role: ModelRole,
    names: Sequence[str],
    options: ModelOptions,
    settings: Settings,
    *,
    book: PromptBook,
    tools: tuple[ToolSpec, ...],
    clock: Clock,
) -> Budget:
    """The budget of a role: the smallest of its models', counted as the one does that counts most.

    Raises ``DeclarationError`` when the instructions and the tools alone leave no room for a conversation.
    """
    limit = min((_limit(name, options, settings) for name in names), key=lambda limit: limit.tokens)
    counter = counter_for(map(read_name, names))
    budget = Budget(tokens=limit.tokens, counter=counter)
    system, late = book.parted(_instructions(role, clock))
    if _left(budget, system, late, tools) < LEAST_CONVERSATION:
        # Perhaps it was only estimated: a start is refused by a count that is as good as it gets.
        load(counter)
        if (left := _left(budget, system, late, tools)) < LEAST_CONVERSATION:
            raise _too_small(role, limit, budget.sizes.text(system + late), tools, budget, left)
    return budget


def _limit(name: str, options: ModelOptions, settings: Settings) -> _Limit:
    own = settings.model_options.get(name)
    if own is not None and own.context_tokens is not None:
        limit = _Limit(own.context_tokens, f"raise context_tokens of {name} in ASSISTANT_MODEL_OPTIONS")
    else:
        limit = _Limit(settings.context_tokens, "raise ASSISTANT_CONTEXT_TOKENS")
    reply = own.max_tokens if own is not None and own.max_tokens is not None else options.max_tokens
    window = window_of(read_name(name))
    if window is not None and window - reply < limit.tokens:
        limit = _Limit(window - reply, f"use a model that takes more than {window} with its reply of {reply}")
    in_words = own is not None and own.calls != "native"
    return _Limit(limit.tokens - _TOLD_IN_WORDS, limit.cure) if in_words else limit


def _instructions(role: ModelRole, clock: Clock) -> Instruction:
    """What the role is told in a usual turn."""
    today = clock.now().date()
    if role == "narrator":
        return Narrator(acknowledgement="", today=today, more_calls=True)
    return Decider(today=today)


def _left(budget: Budget, system: str, late: str, tools: tuple[ToolSpec, ...]) -> int:
    return budget.tokens - budget.sizes.frame(system, late, tools)


def _too_small(
    role: ModelRole, limit: _Limit, told: int, tools: tuple[ToolSpec, ...], budget: Budget, left: int
) -> DeclarationError:
    offered = budget.sizes.tools(tools)
    return DeclarationError(
        f"a request to the {role} may hold {limit.tokens} tokens: its instructions take {told} of them, and "
        f"{len(tools)} tools {offered}. A conversation needs {LEAST_CONVERSATION - left} more: {limit.cure}, or "
        "offer fewer tools"
    )
