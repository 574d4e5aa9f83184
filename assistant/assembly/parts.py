"""Makes tools, prompts and models into the parts of a turn."""

from collections.abc import Mapping

from assistant.assembly.models import embedded_may_decide
from assistant.conversation.entries import ModelRole
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.settings import Settings
from assistant.tooling.concurrency import Gates
from assistant.tooling.media import in_turn, scale_down
from assistant.tooling.registry import Tools
from assistant.turn.parts import Limits, Parts, RoleModel


def parts_of(
    settings: Settings,
    tools: Tools,
    book: PromptBook,
    narration: Narration,
    models: Mapping[ModelRole, RoleModel],
    clock: Clock,
    gates: Gates,
    *,
    can_hand_over: bool,
    summariser: RoleModel | None = None,
) -> Parts:
    """The parts, with the limits that the settings name."""
    return Parts(
        models=models,
        tools=tools,
        book=book,
        narrate=narration.narrate_outcomes,
        clock=clock,
        limits=Limits(tools_s=settings.turn_s, reply_s=settings.reply_s, unattended_s=settings.unattended_s),
        confirm_every_write=embedded_may_decide(settings),
        trust_knowledge=settings.knowledge_trusted,
        new_message=settings.new_message,
        can_hand_over=can_hand_over,
        summariser=summariser,
        gates=gates,
        transform=in_turn(*tools.changes, scale_down(settings.image_pixels)),
    )
