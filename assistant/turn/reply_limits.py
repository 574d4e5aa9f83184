"""The bounds of one model reply: how much text, how many calls, how long, and for whom."""

from typing import Final

from assistant.conversation.calls import TOO_MANY, Call, call_id
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, TextDelta
from assistant.errors import ReplyCut
from assistant.turn.parts import Limits
from assistant.turn.waiting.last_heard import LastHeard

_SHOWN: Final = 60
"""Characters of a tool's name that are kept of a call that is not run."""


class ReplyLimits:
    """Watches one reply while it streams.

    ``refused`` holds the first call beyond the limit, or nothing: the model learns from its outcome that this call
    and all after it did not run.

    Args:
        limits: the bounds of a turn.
        last_heard: tells since when no client has been connected.
        began: when the request was sent, in seconds of the clock's ``monotonic()``.
    """

    __slots__ = ("_began", "_calls", "_last_heard", "_left", "_limits", "refused")

    def __init__(self, limits: Limits, last_heard: LastHeard, began: float) -> None:
        self._limits, self._last_heard, self._began = limits, last_heard, began
        self._left = limits.reply_characters
        self._calls = 0
        self.refused: CallNamed | None = None

    def admit(self, chunk: Chunk) -> Chunk | None:
        """As much of the chunk as the limits leave room for; None for nothing.

        When it is less than the whole chunk, :meth:`check` raises next.
        """
        match chunk:
            case TextDelta(text):
                self._left -= len(text)
                return chunk if self._left >= 0 else TextDelta(text[: self._left])
            case CallArguments():
                self._left -= len(chunk.fragment)
                return chunk if self._left >= 0 else None
            case CallNamed():
                self._left -= len(chunk.name)
                self._calls += 1
                if self._calls > self._limits.reply_calls:
                    self.refused = chunk
                    return None
                return chunk if self._left >= 0 else None
            case _:
                return chunk

    def check(self, now: float) -> None:
        """Raise ``ReplyCut`` when the reply is over a limit; ``now`` is the clock's ``monotonic()``."""
        limits = self._limits
        if self.refused is not None:
            raise ReplyCut(f"more than {limits.reply_calls} calls in one reply")
        if self._left < 0:
            raise ReplyCut(f"more than {limits.reply_characters} characters in one reply")
        alone_s = now - max(self._last_heard.alone_since, self._began)
        if alone_s > limits.unattended_s:
            raise ReplyCut(f"no client has been connected for {limits.unattended_s:g} s")

    def refused_call(self, round_: int, number: int) -> Call | None:
        """The call that was refused, as the ``number``-th call of a round; None when none was."""
        if self.refused is None:
            return None
        why = (
            f"one reply may contain {self._limits.reply_calls} calls; this one and all after it were not run"
        )
        return Call(
            id=call_id(round_, number),
            tool=self.refused.name[:_SHOWN],
            arguments={TOO_MANY: why},
            provider_id=self.refused.provider_id,
        )
