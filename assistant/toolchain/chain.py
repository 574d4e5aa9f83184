"""What all tool chains do alike, whatever form their calls have."""

from collections.abc import Sequence

from assistant.conversation.outcomes import Standing
from assistant.errors import DeclarationError
from assistant.sections.text_format import TextFormat
from assistant.toolchain.asked import Asked, Named, Unreadable
from assistant.toolchain.chained import Chained, Raw, media_in
from assistant.toolchain.observation import observation
from assistant.toolchain.run import Run, run_all
from assistant.toolchain.tool_chain import CallReader


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
