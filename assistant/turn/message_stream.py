"""One message of the assistant while it streams: guardrails, forbidden phrases, and continuation after a
break.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from assistant.conversation.entries import (
    GuardrailName,
    MessageClosed,
    MessageOpened,
    MessageText,
    SentenceSuppressed,
)
from assistant.conversation.values import MessageKind
from assistant.language.sentences import sentences
from assistant.ports import Clock
from assistant.prompts.voice import ForbiddenPhrases
from assistant.turn.context import Record, RunningTurn, TurnDependencies
from assistant.turn.guardrails.guardrail import NamedGuardrail

_LONG_ENOUGH = 8


class Overlap:
    """Passes only new text.

    A model that is asked again usually begins again. Its text is held until it has reached the end of
    ``shown``. If it differs instead, it is treated as the continuation.

    >>> overlap = Overlap("You are booked ")
    >>> overlap.push("You are"), overlap.push(" booked for"), overlap.push(" Tuesday.")
    ('', 'for', ' Tuesday.')
    """

    __slots__ = ("_held", "_shown")

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._held: str | None = "" if shown else None

    def push(self, text: str) -> str:
        """Add text; returns the part that may be shown now."""
        if self._held is None:
            return text
        held = self._held + text
        # The white space at the beginning of many replies was not shown the first time either.
        told = held.lstrip()
        if self._shown.startswith(told):
            self._held = held
            return ""
        self._held = None
        return told[len(self._shown) :] if told.startswith(self._shown) else self._continued(held)

    def _continued(self, new: str) -> str:
        """Join text that continues instead of beginning again."""
        for length in range(min(len(new), len(self._shown)), _LONG_ENOUGH - 1, -1):
            if self._shown.endswith(new[:length]):
                return new[length:]
        needs_space = not self._shown[-1].isspace() and new[0].isalnum()
        return f" {new}" if needs_space else new


CHUNK_CHARACTERS: Final = 350
"""Characters that the guards read in one step. After each step, other customers of the process get their turn."""


class MessageStream:
    """A message of the assistant, opened with its first visible word.

    White space alone does not open a message. If a message of this round was cut off and has the same origin,
    it is continued.

    Args:
        own_words: a model chooses the words; they are not built from hints.
        guards: makes the guardrails, through which the text passes in order before forbidden phrases are
            removed; called with the first text.
    """

    def __init__(
        self,
        turn: RunningTurn,
        round_: int,
        record: Record,
        forbidden: ForbiddenPhrases,
        clock: Clock,
        *,
        own_words: bool,
        guards: Callable[[], Sequence[NamedGuardrail]] | None = None,
    ) -> None:
        self._turn, self._round, self._record = turn, round_, record
        self._forbidden = forbidden
        self._clock = clock
        self._own_words = own_words
        self._make_guards = guards
        self._guards: Sequence[NamedGuardrail] = ()
        self._noted: list[int] = []
        self._unbroken = 0
        # Whether the guards passed any word, including a word that an earlier run of this turn has shown.
        self.let_out = False
        cut = turn.state.open_message
        if cut is not None and cut.model_written != own_words:
            cut = None
        self.message_id: str | None = cut.id if cut is not None else None
        self._overlap = Overlap(cut.text if cut is not None else "")
        self._gap = ""
        # The beginning of a shown sentence that is not continued yet, and the text that joins another sentence
        # to it.
        self._torn = self._joint = ""
        self._cut = False

    @property
    def text(self) -> str:
        """The text so far."""
        return "" if self.message_id is None else self._turn.state.message_said(self.message_id).text

    async def say(self, text: str) -> None:
        """Add text."""
        if self._make_guards is not None:
            self._guards, self._make_guards = self._make_guards(), None
            self._noted = [0 for _ in self._guards]
        text = await self._guarded(text, last=False)
        await self._show(self._overlap.push(self._forbidden.push(text)))

    async def release(self) -> None:
        """Show the held text that may be shown; no more text comes for now."""
        text = await self._guarded("", last=True)
        await self._show(self._overlap.push(self._forbidden.push(text) + self._forbidden.close()))

    async def cut_short(self, *, last: bool = False) -> None:
        """Handle a reply that reached the maximum length: its unfinished sentence counts as broken off.

        ``last``: no other reply can finish it, so the held text is not shown.
        """
        if last:
            self._guards, self._noted = (), []
        await self.release()
        self._cut = True

    @property
    def finished_text(self) -> str:
        """The text so far without a sentence that broke off."""
        return self.text.rstrip().removesuffix(self._torn or self._broke_off())

    @property
    def refused(self) -> Mapping[GuardrailName, str]:
        """The text by guardrail about which the model must be asked again; known after :meth:`release`."""
        return {named.name: named.guardrail.refused for named in self._guards if named.guardrail.refused}

    def go_on(
        self,
        forbidden: ForbiddenPhrases,
        guards: Callable[[], Sequence[NamedGuardrail]] | None = None,
        *,
        joint: str,
    ) -> None:
        """Continue this message with another reply, after the shown part of the first.

        ``joint``: the text between a broken-off sentence and the next one.
        """
        self._torn, self._joint = self._torn or self._broke_off(), joint
        self._cut = False
        self._forbidden, self._make_guards = forbidden, guards
        self._guards, self._noted = (), []
        self._overlap = Overlap("")
        self._gap = "" if self.text[-1:].isspace() else " "
        self.let_out = False

    async def close(
        self, kind: MessageKind, call_ids: tuple[str, ...] = (), *, interrupted: bool = False
    ) -> None:
        """Show the held text and complete the message; does nothing if there is no text."""
        await self.release()
        if self.message_id is not None:
            if (self._torn or self._broke_off()) and not interrupted:
                torn = self.text[-1:].isspace()
                await self._record(MessageText(message_id=self.message_id, text="…" if torn else " …"))
            self._torn = ""
            await self._record(
                MessageClosed(
                    message_id=self.message_id, kind=kind, call_ids=call_ids, interrupted=interrupted
                )
            )
            self.message_id = None

    async def _guarded(self, text: str, *, last: bool) -> str:
        """The part of a text that the guards pass; with ``last``, also the text that they held back."""
        for named in self._guards:
            passed: list[str] = []
            for begin in range(0, len(text), CHUNK_CHARACTERS):
                piece = text[begin : begin + CHUNK_CHARACTERS]
                passed.append(named.guardrail.push(piece))
                self._unbroken += len(piece)
                if self._unbroken >= CHUNK_CHARACTERS:
                    self._unbroken = 0
                    await self._clock.sleep(0)
            if last:
                passed.append(named.guardrail.close())
            text = "".join(passed)
        self.let_out = self.let_out or text.strip() != ""
        if self._guards:
            await self._note()
        return text

    async def _note(self) -> None:
        """Record the text that the guards have suppressed since the last time."""
        for place, named in enumerate(self._guards):
            withheld = named.guardrail.withheld
            for kept in withheld[self._noted[place] :]:
                await self._record(
                    SentenceSuppressed(round=self._round, guardrail=named.name, text=kept.text)
                )
            self._noted[place] = len(withheld)

    @property
    def is_torn(self) -> bool:
        """Whether the text ends inside a sentence that was cut, or whose value was refused."""
        return bool(self._torn or self._broke_off())

    def _broke_off(self) -> str:
        """The shown beginning of a sentence that was cut, or whose value was refused; "" if there is none."""
        shown = self.text
        if not (self._cut or "facts" in self.refused) or not shown.strip():
            return ""
        last = sentences(shown, self._turn.locale)[-1]
        done = "\n" in last[len(last.rstrip()) :] or last.rstrip().endswith((".", "!", "?", "…"))
        return "" if done or not any(map(str.isalnum, last)) else last.strip()

    def _after_torn(self, text: str) -> str:
        """Continue the broken-off sentence if the new words repeat it; otherwise join them to it."""
        torn, self._torn = self._torn, ""
        told = text.lstrip()
        if told.casefold().startswith(torn.casefold()) and not told[len(torn) : len(torn) + 1].isalnum():
            return told[len(torn) :].lstrip() if self._gap == "" else told[len(torn) :]
        return f"{self._joint} {told}"

    async def _show(self, text: str) -> None:
        if self._torn and text.strip():
            text = self._after_torn(text)
        if self.message_id is None:
            text, self._gap = text.lstrip(), ""
            if not text:
                return
            self.message_id = f"{self._turn.state.id}/m{len(self._turn.state.messages) + 1}"
            await self._record(
                MessageOpened(message_id=self.message_id, round=self._round, model_written=self._own_words)
            )
        elif self._gap and text:
            text = text.lstrip()
            if not text:
                return
            text, self._gap = (text if text[0] in ",.;:!?" else self._gap + text), ""
        if text:
            await self._record(MessageText(message_id=self.message_id, text=text))


async def say_fixed_message(
    turn: RunningTurn, round_: int, text: str, deps: TurnDependencies, record: Record
) -> None:
    """Say a fixed sentence as a separate response, unless the log shows that it was said."""
    if any(message.text == text and message.kind == "response" for message in turn.state.messages):
        return
    speech = MessageStream(turn, round_, record, deps.book.voice.guard(), deps.clock, own_words=False)
    await speech.say(text)
    await speech.close("response")
