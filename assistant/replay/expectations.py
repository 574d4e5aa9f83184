"""What a cassette expects of a turn, or of the whole conversation."""

import re
from inspect import cleandoc
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from assistant.conversation.entries import HandoffState
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded, MessageKind
from assistant.replay.cassette_base import (
    CassettePart,
    Ms,
    Object,
    Text,
    as_list,
    as_mapping,
    move_key,
    tool_key,
)

Check: TypeAlias = Literal["all_outcomes_reported", "grounded", "no_repetition", "claims", "language"]
"""The checks of every turn. Leave one out with ``skip_checks``.

* ``all_outcomes_reported``: each call has one outcome, and the response mentions each
* ``grounded``: numbers, dates and names in a response occur in results or in the conversation
* ``no_repetition``: the response does not repeat the acknowledgement
* ``claims``: claimed actions were done, promised actions are under way
* ``language``: the assistant answers in the customer's language
"""


def _readable(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"not a regular expression: {error}; to compare plain words, write text_contains"
        ) from error
    return pattern


def _trimmed(scene: str) -> str:
    return "\n".join(line.rstrip() for line in cleandoc(f"\n{scene}").split("\n")).strip("\n")


Pattern: TypeAlias = Annotated[Text, AfterValidator(_readable)]
"""A regular expression; it ignores upper and lower case."""

Scene: TypeAlias = Annotated[str, AfterValidator(_trimmed)]
"""A turn as text. Blank lines around it and common indentation are removed."""

Texts: TypeAlias = Annotated[
    tuple[Text, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])
]
"""One text, or several."""


class Hears(CassettePart):
    """A message that the customer gets. Each expected message comes after the expected one before it.

    ``text`` is the whole text; ``text_contains`` and ``text_matches`` (a regular expression) are a part of it
    and ignore case. ``within_ms`` counts from the customer's message to the first words;
    ``complete_within_ms`` counts to the last.

    Short: ``acknowledgement: text``, ``response: text``, ``status: text``.

    Args:
        kind: the kind of the message.
        text: the whole text.
        text_contains: words in the text. If there are several, it must contain all.
        text_matches: a regular expression that matches somewhere in the text.
        within_ms: the most milliseconds from the customer's message to the first words.
        complete_within_ms: the most milliseconds from the customer's message to the last words.
        interrupted: whether the message is cut off.
    """

    kind: MessageKind | None = None
    text: str | None = None
    text_contains: Texts = ()
    text_matches: Pattern | None = None
    within_ms: Ms | None = None
    complete_within_ms: Ms | None = None
    interrupted: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = as_mapping(given)
        for kind in ("acknowledgement", "response", "status"):
            if found is not None and kind in found:
                return move_key(found, kind, "kind", "text")
        return given

    @model_validator(mode="after")
    def _possible(self) -> "Hears":
        if self.text is None:
            return self
        if missing := [part for part in self.text_contains if part.casefold() not in self.text.casefold()]:
            raise ValueError(f"this can never hold: text does not contain {missing[0]!r}")
        if self.text_matches and not re.search(self.text_matches, self.text, re.IGNORECASE):
            raise ValueError("this can never hold: text does not match text_matches")
        return self


class Never(CassettePart):
    """Something that must not occur: a message of this kind or with these words, a tool that runs, a frame of
    this type.

    ``kind`` and words in one entry mean a message of this kind that contains these words.

    Args:
        kind: a kind of message.
        text_contains: words in a message.
        text_matches: a regular expression that matches in a message.
        tool: a tool that runs.
        frame: the type of a frame.
    """

    kind: MessageKind | None = None
    text_contains: Text | None = None
    text_matches: Pattern | None = None
    tool: Text | None = None
    frame: Text | None = None

    @model_validator(mode="after")
    def _something(self) -> "Never":
        said = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if not said:
            raise ValueError("this entry is empty; write kind, text_contains, text_matches, tool or frame")
        if len(said) > 1 and ("tool" in said or "frame" in said):
            raise ValueError(f"{' and '.join(said)} are different things; write an entry for each")
        return self


class ExpectedCall(CassettePart):
    """A call; the entries are in the order in which the model decided them.

    Short: ``name`` or ``name: {arguments}``.

    Args:
        tool: the tool's name.
        arguments: all arguments, exactly. Left out: any arguments.
        outcome: how the call ends.
        within_ms: the most milliseconds from the customer's message to the start of the tool.
    """

    tool: Text
    arguments: Object | None = None
    outcome: OutcomeName | None = None
    within_ms: Ms | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        if isinstance(given, str):
            return {"tool": given}
        found = as_mapping(given)
        if found is None or (name := tool_key(found, cls.model_fields)) is None:
            return given
        return move_key(found, name, "tool", "arguments")


class Expectations(CassettePart):
    """All expectations. Keys that are left out are not compared. The automatic checks always run.

    Args:
        scene: everything that happened, one line each: messages with their kinds, calls with their outcomes.
        hears: messages, in this order. Other messages may come between them.
        never: things that must not occur.
        calls: exactly these calls, in the order in which they were decided. An empty list: no calls.
        overlap: tools that all ran at one moment.
        ended: how the turn ended; forwarded_to_agent: there was no turn, because an agent has the
            conversation.
        handoff: the states of a handoff between this message and the next, in order. An empty list: no
            handoff was requested.
        max_silence_ms: the longest time in which the customer receives nothing new.
        suppressed: how many sentences each guardrail suppressed: ``repetition``: it had been said before;
            ``claims``: an action without evidence; ``facts``: a value without evidence. Guardrails that are
            left out may suppress any number.
        skip_checks: checks that do not run here.
    """

    scene: Scene | None = None
    hears: tuple[Hears, ...] = ()
    never: tuple[Never, ...] = ()
    calls: tuple[ExpectedCall, ...] | None = None
    overlap: tuple[Annotated[tuple[Text, ...], Field(min_length=2)], ...] = ()
    ended: HowTurnEnded | Literal["forwarded_to_agent"] | None = None
    handoff: tuple[HandoffState, ...] | None = None
    max_silence_ms: Ms | None = None
    suppressed: dict[Literal["repetition", "claims", "facts"], Annotated[int, Field(ge=0)]] | None = None
    skip_checks: tuple[Check, ...] = Field(default=())
