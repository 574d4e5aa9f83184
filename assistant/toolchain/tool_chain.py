"""What a tool chain is: the way from a model's text to calls, and from their results back to text."""

from collections.abc import Collection, Sequence
from typing import Protocol

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Standing
from assistant.conversation.tool_spec import ToolSpec
from assistant.formats.call_ids import CallIds
from assistant.sections.text_format import TextFormat
from assistant.toolchain.asked import Asked, Read, Unreadable
from assistant.toolchain.chained import Chained
from assistant.toolchain.run import Run


class CallReader(Protocol):
    """Reads the calls of one text while it comes.

    ``over``: something stands there that belongs to no call; nothing after it is read.
    """

    over: bool

    def push(self, text: str) -> list[Read]:
        """Some more of the text; gives what is known now."""
        ...

    def end(self, *, cut: bool = False) -> list[Read]:
        """The text is complete, or ``cut`` off in the middle; gives what is known only now."""
        ...


class ToolChain(Protocol):
    """Calls as JSON, as YAML, or in a form of your own, beside one text format."""

    @property
    def text_format(self) -> TextFormat:
        """What results are written in."""
        ...

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> CallReader:
        """Reads the calls of one text, for these tools; ``strict``: words before the first call end it as well."""
        ...

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[Asked | Unreadable, ...]:
        """The calls that stand in a text, in their order, and what was meant as calls and cannot be read.

        Never raises, whatever the text is.
        """
        ...

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a model is to write them; with their ids, which tell them from calls to be made."""
        ...

    def results(self, outcomes: Sequence[Standing], code: str = "", seen: Collection[str] = ()) -> str:
        """How calls stand, as sections of the text format within one observation; "" for none.

        ``code`` stands in the name of the observation: see :mod:`assistant.sections.nonce`. ``seen`` are the types
        of media that the model is shown beside them.
        """
        ...

    async def run(self, text: str, tools: Sequence[ToolSpec], run: Run, *, code: str = "") -> Chained:
        """Make the calls that stand in a text, all at once; what came of them, in the order of the calls.

        Never raises for a call that fails; cancelling cancels them all.
        """
        ...
