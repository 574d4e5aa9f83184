"""What the embedded model says, through the prompts room: not one of its sentences stands here."""

from collections.abc import Sequence
from typing import assert_never

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import Ask, Help, Reply, Smalltalk, Unsure
from assistant.prompts.offline import OfflineAsk, OfflineHelp, OfflineSmalltalk, OfflineUnsure
from assistant.prompts.prompt import Prompt

_LOCALE = "en"


def prompt_for(reply: Reply, specs: Sequence[ToolSpec]) -> Prompt:
    """The prompt to render for a reply; ``specs`` are all tools, for saying what there is to ask for."""
    match reply:
        case Ask(spec=spec, slot=slot):
            return OfflineAsk(
                will=_will(spec), argument=slot.name, description=slot.description, choices=slot.choices
            )
        case Unsure(options=options):
            return OfflineUnsure(options=tuple(_will(option.spec) for option in options))
        case Help(unmatched=unmatched):
            return OfflineHelp(
                abilities=tuple(_will(spec) for spec in specs if spec.hints), unmatched=unmatched
            )
        case Smalltalk(about=about):
            return OfflineSmalltalk(about=about)
        case _:
            assert_never(reply)


def _will(spec: ToolSpec) -> str:
    hint = spec.hints.get(_LOCALE)
    return hint.will if hint else spec.name.replace("_", " ")
