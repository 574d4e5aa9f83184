"""What a turn works with: models, tools and prompts, as the composition root put them together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.tooling.registry import Tools

NarrateFromTemplates: TypeAlias = Callable[[Sequence[Outcome], Mapping[str, ToolSpec], str], str]
"""Tells outcomes, in a locale, in the words of the tools' own narration templates; never raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModel:
    """The model that plays a role, and how it is asked."""

    model: Model
    options: ModelOptions = field(default_factory=ModelOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn may take. ``question_s``: how long a read-back may be answered."""

    rounds: int = 4
    tools_s: float = 30.0
    question_s: float = 30 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that is the same for all turns.

    ``confirm_every_write``: the decision model is not trusted with side effects on its own.
    """

    models: Mapping[ModelRole, RoleModel]
    tools: Tools
    book: PromptBook
    narrate: NarrateFromTemplates
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    confirm_every_write: bool = False

    def needs_confirmation(self, spec: ToolSpec) -> bool:
        """Whether the customer must say yes before this tool runs."""
        return spec.confirm or (self.confirm_every_write and spec.effect == "write")
