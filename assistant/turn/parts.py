"""What a turn works with: models, tools and prompts, as the composition root put them together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import Standing
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.memory.budget import Budget
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.tooling.concurrency import Gates
from assistant.tooling.media import Transform
from assistant.tooling.registry import Tools

NarrateFromTemplates: TypeAlias = Callable[[Sequence[Standing], Mapping[str, ToolSpec], str], str]
"""Tells outcomes, in a locale, in the words of the tools' own narration templates; never raises."""


LEAST_QUESTION_S = 20 * 60.0
"""Whoever reads and answers slowly must have the time for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModel:
    """The model that plays a role, how it is asked, and how much of a conversation; None: all of it."""

    model: Model
    options: ModelOptions = field(default_factory=ModelOptions)
    budget: Budget | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn may take, in seconds where the name ends in ``_s``.

    ``tools_s``: how long it waits for its calls. ``question_s``: how long a read-back may be answered.
    ``silence_s``: how long a model may say nothing before something is said for it. ``calls_s``: the same for
    calls that run.

    One reply of a model may contain ``reply_characters`` (text and arguments together) and ``reply_calls``, and may
    take ``reply_s``. With no client connected it may go on for ``unattended_s``.
    """

    rounds: int = 4
    tools_s: float = 30.0
    question_s: float = 30 * 60.0
    silence_s: float = 2.5
    calls_s: float = 4.0
    reply_characters: int = 32_000
    reply_calls: int = 32
    reply_s: float = 120.0
    unattended_s: float = 60.0

    def __post_init__(self) -> None:
        if self.question_s < LEAST_QUESTION_S:
            problem = f"limits: question_s is {self.question_s:g}; a question must stay open for"
            raise DeclarationError(f"{problem} {LEAST_QUESTION_S:g} s (20 minutes) at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that is the same for all turns.

    ``confirm_every_write``: the decision model is not trusted with side effects on its own.
    ``trust_knowledge``: the company's documents hold nothing but its own words. ``new_message``: what
    a message does that comes while a turn runs; it waits, or ends that turn. ``can_hand_over``: there are people
    to whom a customer can be passed on. ``summariser``: who puts large results and long conversations in few
    words;
    None: rules alone do. ``gates``: what stands before each tool in this process; None: every
    conversation has gates of its own. ``transform``: what tools' media go through before anybody sees them.
    """

    models: Mapping[ModelRole, RoleModel]
    tools: Tools
    book: PromptBook
    narrate: NarrateFromTemplates
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    confirm_every_write: bool = False
    trust_knowledge: bool = False
    new_message: Literal["queue", "interrupt"] = "queue"
    can_hand_over: bool = False
    summariser: RoleModel | None = None
    gates: Gates | None = None
    transform: Transform | None = None

    def needs_confirmation(self, spec: ToolSpec, *, untrusted: bool = False) -> bool:
        """Whether the customer must say yes before this tool runs.

        ``untrusted``: the model that decided on it could read text that is not the customer's, and they did not ask
        for it in their own words. No side effect follows from such text alone.
        """
        if spec.confirm:
            return True
        return spec.effect == "write" and (self.confirm_every_write or untrusted)
