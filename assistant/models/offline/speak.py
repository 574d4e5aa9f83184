"""What the embedded model says, through the prompts room: not one of its sentences stands here."""

from collections.abc import Sequence
from typing import assert_never

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import About, Ask, Help, Prove, Recall, Reply, Smalltalk, Unsure
from assistant.models.offline.fields import Field, fields_of, name_of
from assistant.prompts.offline import (
    OfflineAsk,
    OfflineHelp,
    OfflineProve,
    OfflineRemembered,
    OfflineSmalltalk,
    OfflineUnsure,
)
from assistant.prompts.prompt import Prompt
from assistant.prompts.utterances import Confirmation

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
        case Prove(lacking=lacking, arguments=arguments):
            return OfflineProve(arguments=tuple(slot.name for slot in lacking), first=not arguments)
        case Recall():
            return _recalled(reply)
        case Help(unmatched=unmatched, person=person):
            able = (spec for spec in specs if spec.hints and spec.role == "tool")
            looks_first = sorted(able, key=lambda spec: spec.effect)
            return OfflineHelp(
                abilities=tuple(map(_will, looks_first)),
                unmatched=unmatched,
                person=_will(person.spec) if person is not None else "",
            )
        case Smalltalk(about=about):
            return _small_talk(about)
        case _:
            assert_never(reply)


def _recalled(recall: Recall) -> Prompt:
    name = name_of(recall.item)
    fields = fields_of(recall.item)
    asked = tuple(one for one in fields if one.key in recall.asked) or _but(fields, name)
    return OfflineRemembered(
        place=recall.place,
        name=name.value if name is not None and name not in asked else "",
        fields=tuple((one.key, one.value, one.kind) for one in asked),
        past=recall.past,
    )


def _but(fields: Sequence[Field], left_out: Field | None) -> tuple[Field, ...]:
    return tuple(one for one in fields if one != left_out) or tuple(fields)


def _small_talk(about: About) -> Prompt:
    match about:
        case "kept":
            return Confirmation(answer="no")
        case "listening":
            return OfflineHelp(abilities=(), unmatched=False)
        case "greeting" | "thanks" | "goodbye":
            return OfflineSmalltalk(about=about)
        case _:
            assert_never(about)


def _will(spec: ToolSpec) -> str:
    hint = spec.hints.get(_LOCALE)
    return hint.will if hint else spec.name.replace("_", " ")
