"""What all tool chains do alike, whatever form their calls have."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Standing
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.formats.call_ids import CallIds
from assistant.sections.text_format import TextFormat
from assistant.toolchain.asked import Asked, Named, Unreadable
from assistant.toolchain.chained import Chained, Raw, media_in
from assistant.toolchain.observation import observation
from assistant.toolchain.run import Run, run_all
from assistant.toolchain.tool_chain import CallReader


class TextChain(ABC):
    """A tool chain but for the form of its calls, which is its ``reader`` and its ``write``: see ``ToolChain``.

    Args:
        text_format: what results are written in; without one there is a ``DeclarationError``.
    """

    def __init__(self, text_format: TextFormat) -> None:
        self._text_format = checked(text_format, type(self).__name__)

    @property
    def text_format(self) -> TextFormat:
        """What results are written in."""
        return self._text_format

    @abstractmethod
    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> CallReader:
        """Reads the calls of one text."""

    @abstractmethod
    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a model is to write them; "" for none."""

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[Asked | Unreadable, ...]:
        """The calls that stand in a text."""
        return calls_in(text, self.reader(tools))

    def results(self, outcomes: Sequence[Standing], code: str = "", seen: Collection[str] = ()) -> str:
        """How calls stand, as an observation."""
        return observation(self._text_format, outcomes, code, seen)

    async def run(self, text: str, tools: Sequence[ToolSpec], run: Run, *, code: str = "") -> Chained:
        """Make the calls that stand in a text."""
        return await run_calls(self.parse(text, tools), run, self._text_format, code)


def checked(text_format: TextFormat, chain: str) -> TextFormat:
    """The text format itself. Raises ``DeclarationError`` where there is none: results would have no form."""
    if isinstance(text_format, TextFormat):
        return text_format
    raise DeclarationError(
        f"{chain} needs a text format for the results, and has {text_format!r}; write {chain}(MarkdownFormat())"
    )


def calls_in(text: str, reader: CallReader) -> tuple[Asked | Unreadable, ...]:
    """Everything in a text that is a call or was meant as one, in its order."""
    read = [*reader.push(text), *reader.end()]
    return tuple(one for one in read if not isinstance(one, Named))


async def run_calls(
    asked: Sequence[Asked | Unreadable], run: Run, text_format: TextFormat, code: str
) -> Chained:
    """Make the calls, and write what came of them."""
    outcomes = await run_all(asked, run)
    standing: Sequence[Standing] = outcomes
    return Chained(
        text=observation(text_format, standing, code), media=media_in(outcomes), raw=Raw(outcomes=outcomes)
    )
