"""Something that is spoken: a message as it comes, or a word beside the conversation."""

from dataclasses import dataclass, field

from assistant.conversation.values import MessageKind


@dataclass(slots=True, kw_only=True, eq=False)
class Saying:
    """A message of the conversation while it is being spoken.

    ``message_id`` is None for what no message holds, such as "One moment.". ``turn_id`` is the turn that it belongs
    to, "" for none. ``passing``: it only says that something takes its time, and gives way to the answer.
    ``noted``: how far it was heard is noted in the conversation. ``over``: nothing more of it is spoken.
    """

    message_id: str | None
    turn_id: str = ""
    text: str = ""
    kind: MessageKind | None = None
    passing: bool = False
    noted: bool = True
    over: bool = False

    def position(self, up_to: int) -> int:
        """The same place, or the end where nothing but white space is left of a complete message."""
        whole = self.kind is not None and not self.text[up_to:].strip()
        return len(self.text) if whole else up_to


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A clause or sentence that waits to be spoken: the characters from ``start`` up to ``end`` of its saying."""

    saying: Saying
    start: int
    end: int
    text: str = field(repr=False)
