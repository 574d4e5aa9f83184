"""What the assistant does when it reads documents: `[lookup]` of a locale's file."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import StringConstraints

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.toml_files import Section

_Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupPhrases:
    """The hints of the two tools that look into documents: ``searching`` them, ``reading`` one of them."""

    searching: Hint = NO_HINT
    reading: Hint = NO_HINT


class _Forms(Section):
    doing: _Phrase
    will: _Phrase

    def hint(self) -> Hint:
        return Hint(doing=self.doing, will=self.will)


class LookupSection(Section):
    """The section as it is written; a locale without one is served in English."""

    searching: _Forms | None = None
    reading: _Forms | None = None

    def phrases(self) -> LookupPhrases:
        """What it says."""
        return LookupPhrases(
            searching=self.searching.hint() if self.searching else NO_HINT,
            reading=self.reading.hint() if self.reading else NO_HINT,
        )
