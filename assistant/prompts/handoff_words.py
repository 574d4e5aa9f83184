"""How customers ask for a person and for the assistant again: `[handoff]` of a locale's file."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import StringConstraints

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.toml_files import Section

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffPhrases:
    """``hint``: what the assistant does when it asks for a person. ``examples``: things that customers say then.

    ``asks``: words that stand in such a wish. ``back``: all that somebody says who wants the assistant again.
    """

    hint: Hint = NO_HINT
    examples: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class HandoffSection(Section):
    """The section as it is written; a locale without one is served in English."""

    doing: _Phrase | None = None
    will: _Phrase | None = None
    examples: tuple[_Phrase, ...] = ()
    asks: tuple[_Phrase, ...] = ()
    back: tuple[_Phrase, ...] = ()

    def phrases(self) -> HandoffPhrases:
        """What it says."""
        hint = Hint(doing=self.doing, will=self.will) if self.doing and self.will else NO_HINT
        return HandoffPhrases(hint=hint, examples=self.examples, asks=self.asks, back=self.back)
