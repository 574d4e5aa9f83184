"""Decides what is spoken, and when: messages, acknowledgements, and fillers for silences.

``SpeechScheduler`` follows the log. ``FirstWordsTimer`` ensures that the first words come within two seconds.
``acknowledgement_length`` decides how much of an acknowledgement is spoken.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.entries import (
    AgentMessage,
    CustomerMessage,
    DeliveryReceipt,
    Handoff,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.ports import Clock
from assistant.voice.playback import AssistantUtterance, SpeechSegment
from assistant.voice.speech_chunker import SpeechChunk, SpeechChunker
from assistant.voice.tts_player import HeardPositionRecorder, TtsPlayer
from assistant.voice.turn_progress import TurnProgress

AcknowledgementLength: TypeAlias = Literal["whole", "short", "none"]

FIRST_WORDS_S = 2.0
"""The longest time from the end of the customer's speech to the first words of the assistant."""

SPEECH_LATENCY_S = 0.4
"""The longest time from text to audible speech: synthesis, transfer and the start of playback."""

WHOLE_FROM_S = 2.0
"""If the expected wait is at least this long, the whole acknowledgement is spoken."""

FillerKind: TypeAlias = Literal["moment", "not_understood", "busy"]

_NO_REPEAT_S = 3.0
"""For this time after "One moment.", a message that says only the same is not spoken."""


_RESUMED_MS = 60_000
"""An answer is continued only if it came, or some of it was heard, within this time."""


class FirstWordsTimer:
    """Calls ``late`` when the customer has waited for the first words for too long.

    Args:
        late: called when something must be said.
    """

    def __init__(self, clock: Clock, late: Callable[[], None]) -> None:
        self._clock, self._late = clock, late
        self._since = clock.monotonic()
        self._waiting: asyncio.Task[None] | None = None

    @property
    def silent_s(self) -> float:
        """Seconds since the customer's last word."""
        return self._clock.monotonic() - self._since

    @property
    def since(self) -> float:
        """The time of the customer's last word."""
        return self._since

    def start(self, since: float) -> None:
        """Start the timer. The customer's last word was at this time of the clock's ``monotonic()``."""
        self.cancel()
        self._since = since
        self._waiting = asyncio.create_task(self._wait())

    def cancel(self) -> None:
        """Stop the timer."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self) -> None:
        await self._clock.sleep(max(0.0, FIRST_WORDS_S - SPEECH_LATENCY_S - self.silent_s))
        self._late()


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A message that is being written. One that is built from hints is ``held`` until its kind is known."""

    utterance: AssistantUtterance
    chunker: SpeechChunker
    held: bool
    ready: list[SpeechChunk] = field(default_factory=list[SpeechChunk])


class SpeechScheduler:
    """Decides what the assistant says in a spoken conversation, and when.

    A message in the model's words is spoken while it streams. An acknowledgement that is built from hints is
    spoken when it is complete, because the expected wait is only known then.

    Args:
        word: returns the text of a filler in a locale.
        asked: called with each complete answer, which may ask the customer for something.

    Attributes:
        speak: whether messages that begin from now on are spoken.
    """

    def __init__(
        self,
        tts_player: TtsPlayer,
        recorder: HeardPositionRecorder,
        progress: TurnProgress,
        clock: Clock,
        *,
        word: Callable[[FillerKind, str], str],
        asked: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.speak = True
        self._tts_player, self._recorder, self._progress, self._clock = tts_player, recorder, progress, clock
        self._word, self._asked = word, asked
        self._first_words = FirstWordsTimer(clock, self._late)
        self._drafts: dict[str, _Draft] = {}
        self._heard: dict[str, int] = {}
        self._short_at = float("-inf")

    @property
    def wants_comfort_noise(self) -> bool:
        """Whether tools are running and nothing is to be said meanwhile."""
        spoke = self._tts_player.spoke_at > self._first_words.since
        return (
            self.speak
            and self._progress.tools_running
            and spoke
            and not self._tts_player.busy
            and not self._tts_player.paused
        )

    def catch_up(self, entries: Sequence[Logged], *, resume: bool = True) -> None:
        """Read the earlier entries. Of their messages, only one that is still open is spoken and, with
        ``resume``, what was not heard of an answer when the connection ended.
        """
        complete = {each.entry.message_id for each in entries if isinstance(each.entry, MessageClosed)}
        if resume:
            self._heard = _unheard(entries, self._clock.now_ms() - _RESUMED_MS)
            complete -= self._heard.keys()
        for logged in entries:
            self._progress.handle_entry(logged, self._clock.monotonic())
            match logged.entry:
                case CustomerMessage(locale=locale):
                    self._tts_player.locale = locale
                case (
                    MessageOpened(message_id=id_)
                    | MessageText(message_id=id_)
                    | MessageClosed(message_id=id_)
                ) if id_ not in complete:
                    self._handle_entry(logged)
                case _:
                    pass

    def handle_entries(self, batch: Sequence[Logged]) -> None:
        """Handle the next durable entries."""
        for logged in batch:
            self._progress.handle_entry(logged, self._clock.monotonic())
            self._handle_entry(logged)

    def expect_first_words(self, since: float) -> None:
        """Start to wait for the first words: the customer finished at this time."""
        if self.speak:
            self._first_words.start(since)
            self._tts_player.awaited_since = since

    def say_filler(self, what: FillerKind) -> str:
        """Speak a filler, which is not a message of the conversation. Returns its text."""
        text = self._word(what, self._tts_player.locale)
        utterance = AssistantUtterance(message_id=None, text=text, kind="status", passing=what == "moment")
        if self.speak:
            self._tts_player.enqueue(SpeechSegment(utterance=utterance, start=0, end=len(text), text=text))
        return text

    def stop_speaking(self) -> frozenset[str]:
        """Stop speaking, including unfinished messages.

        Returns the ids of the turns that were being spoken.
        """
        self._first_words.cancel()
        return self._tts_player.clear()

    def close(self) -> None:
        """Stop the timer."""
        self._first_words.cancel()

    def _handle_entry(self, logged: Logged) -> None:
        entry = logged.entry
        match entry:
            case CustomerMessage():
                self._tts_player.locale = entry.locale
                if not entry.spoken:
                    self.stop_speaking()
            case MessageOpened() if self.speak:
                self._open(logged.turn_id, entry)
            case MessageText() if entry.message_id in self._drafts:
                self._append(self._drafts[entry.message_id], entry.text)
            case MessageClosed() if entry.message_id in self._drafts:
                self._end(self._drafts.pop(entry.message_id), entry)
            case AgentMessage() if self.speak:
                self._speak_agent_message(entry)
            case _:
                pass

    def _open(self, turn_id: str, entry: MessageOpened) -> None:
        waiting_voice = entry.message_id.rpartition("/")[2].startswith("w")
        utterance = AssistantUtterance(message_id=entry.message_id, turn_id=turn_id, passing=waiting_voice)
        chunker = SpeechChunker(self._tts_player.locale)
        self._drafts[entry.message_id] = _Draft(
            utterance=utterance, chunker=chunker, held=not entry.model_written
        )
        self._recorder.record(utterance, 0)

    def _append(self, draft: _Draft, text: str) -> None:
        draft.utterance.text += text
        draft.ready += draft.chunker.push(text)
        if not draft.held:
            self._enqueue_ready(draft)

    def _end(self, draft: _Draft, entry: MessageClosed) -> None:
        utterance = draft.utterance
        utterance.kind = entry.kind
        if entry.interrupted:
            self._tts_player.cut_off(utterance)
            return
        draft.ready += draft.chunker.close()
        if entry.kind == "response":
            self._asked(utterance.text)
        elif draft.held or entry.kind == "acknowledgement":
            self._shorten(draft, entry)
        self._enqueue_ready(draft)

    def _shorten(self, draft: _Draft, entry: MessageClosed) -> None:
        """Speak only the part of an acknowledgement that fits the expected wait."""
        utterance = draft.utterance
        if utterance.passing:
            utterance.over = self._clock.monotonic() - self._short_at < _NO_REPEAT_S
            return
        utterance.passing = True
        if not draft.held:
            return  # the model's own words, which are already being spoken
        answered = self._tts_player.spoke_at > self._first_words.since
        expected_s = self._progress.expected_s(entry.call_ids)
        length = acknowledgement_length(expected_s, self._first_words.silent_s, answered=answered)
        utterance.over = length != "whole"
        if length == "short":
            self._say_moment()

    def _enqueue_ready(self, draft: _Draft) -> None:
        ready, draft.ready = draft.ready, []
        utterance = draft.utterance
        heard = self._heard.get(utterance.message_id or "", 0)
        ready = [chunk for chunk in ready if chunk.end > heard]
        for chunk in ready:
            self._tts_player.enqueue(
                SpeechSegment(utterance=utterance, start=chunk.start, end=chunk.end, text=chunk.text)
            )
        resumed = utterance.message_id in self._heard  # its tools were waited for earlier
        if ready and not utterance.passing and not utterance.over and not resumed:
            self._progress.record_answer(self._clock.monotonic())
            self._tts_player.drop_passing()

    def _speak_agent_message(self, entry: AgentMessage) -> None:
        utterance = AssistantUtterance(
            message_id=entry.message_id, text=entry.text, kind="response", noted=False
        )
        chunker = SpeechChunker(self._tts_player.locale)
        ready = [*chunker.push(entry.text), *chunker.close()]
        self._enqueue_ready(_Draft(utterance=utterance, chunker=chunker, held=False, ready=ready))

    def _late(self) -> None:
        if (
            self._progress.turn_id
            and not self._tts_player.busy
            and self._tts_player.spoke_at <= self._first_words.since
        ):
            self._say_moment()

    def _say_moment(self) -> None:
        if self._short_at < self._first_words.since:
            self._short_at = self._clock.monotonic()
            self.say_filler("moment")


def acknowledgement_length(
    expected_s: float, silent_s: float, *, answered: bool = False
) -> AcknowledgementLength:
    """Returns how much of an acknowledgement to speak if the answer is expected in ``expected_s``.

    ``silent_s`` is the number of seconds since the customer's last word. ``answered`` is True if the
    assistant has spoken since.

    >>> acknowledgement_length(3.0, 0.5), acknowledgement_length(1.5, 0.5), acknowledgement_length(0.5, 0.5)
    ('whole', 'short', 'none')
    >>> acknowledgement_length(1.5, 0.5, answered=True)
    'none'
    """
    if expected_s >= WHOLE_FROM_S:
        return "whole"
    if answered or silent_s + expected_s + SPEECH_LATENCY_S <= FIRST_WORDS_S:
        return "none"
    return "short"


def _unheard(entries: Sequence[Logged], since_ms: int) -> dict[str, int]:
    """The answer that was to be heard when the customer's connection ended, and how much of it was heard.

    It was being spoken, or came after a spoken message. Empty if there is none, or only one before ``since_ms``.
    """
    texts, heard, answers = dict[str, str](), dict[str, int](), set[str]()
    spoken = False
    for logged in entries:
        match logged.entry:
            case CustomerMessage() | Handoff() | AgentMessage() as other:
                heard.clear()
                spoken = isinstance(other, CustomerMessage) and other.spoken
            case MessageText(message_id=id_, text=text):
                texts[id_] = texts.get(id_, "") + text
            case MessageClosed(message_id=id_, kind="response", interrupted=False):
                answers.add(id_)
                if spoken and logged.at_ms >= since_ms:
                    heard.setdefault(id_, 0)
            case DeliveryReceipt(message_id=id_, how="heard", up_to=up_to) if logged.at_ms >= since_ms:
                heard[id_] = up_to
            case _:
                pass
    return {
        id_: up_to
        for id_, up_to in heard.items()
        if id_ in answers and any(map(str.isalnum, texts.get(id_, "")[up_to:]))
    }
