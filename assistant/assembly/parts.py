"""Makes tools, prompts and models into the parts of a turn."""

import structlog

from assistant.assembly.models import build_models, is_embedded
from assistant.formats.names import check_names
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.settings import Settings
from assistant.shipped import own_or_shipped
from assistant.tooling.discover import discover
from assistant.turn.parts import Limits, Parts

log = structlog.get_logger(__name__)


def build_parts(settings: Settings, clock: Clock) -> Parts:
    """Tools, prompts and models, as the settings name them."""
    book = PromptBook.load(own_or_shipped(settings.prompts_dir, "prompts"))
    folder = own_or_shipped(settings.tools_dir, "tools")
    tools = discover(folder)
    if not len(tools):
        log.warning(
            "no tools, so nothing can be looked up", folder=str(folder), setting="ASSISTANT_TOOLS_DIR"
        )
    check_names(tools.specs)
    narration = Narration(book)
    models = build_models(settings, tools, book, narration, clock)
    return Parts(
        models=models,
        tools=tools,
        book=book,
        narrate=narration.narrate_outcomes,
        clock=clock,
        limits=Limits(tools_s=settings.turn_s),
        confirm_every_write=is_embedded(settings.model),
    )
