"""The interfaces that a spoken conversation needs.

``Conversation`` is its live session, ``AudioOutput`` plays its clips for the customer, and
``VoiceServices`` has the speech models and the services that all spoken conversations share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.ports import Clock, Ids
from assistant.prompts.book import PromptBook
from assistant.speech_ports import Pcm, SpeechToText, TextToSpeech, VoiceActivity
from assistant.voice.turn_progress import AnswerWaits

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

Activity: TypeAlias = Literal["listening", "hearing", "thinking", "speaking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One clause or sentence on its way to the customer.

    ``number`` is counted from 1 for each connection. The clip says the characters from ``start`` to ``end``
    of the message ``message_id``; ``text`` are the words. A sound without speech has neither a message nor
    words.
    """

    number: int
    message_id: str | None
    start: int
    end: int
    text: str


class AudioOutput(Protocol):
    """Plays clips for the customer, in the order in which they began. Its methods do not wait or raise.

    It calls ``VoiceSession.report_playback`` when a clip begins, at least twice a second while it plays, and
    exactly when it ends, is paused or is dropped.
    """

    @property
    def rate(self) -> int | None:
        """The required sample rate, or None if any rate is accepted."""
        ...

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """Begin a clip with this sample rate."""
        ...

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """Add sound to a clip."""
        ...

    def end_clip(self, number: int, ms: int) -> None:
        """End a clip, which is complete; ``ms`` is its duration."""
        ...

    def pause(self) -> None:
        """Stop immediately, and keep the position."""
        ...

    def resume(self) -> None:
        """Continue after a pause."""
        ...

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Remove these clips. A clip that is playing fades out in ``fade_ms``."""
        ...

    def clear(self) -> None:
        """Stop immediately, and remove all clips."""
        ...

    def show_caption(self, text: str, *, final: bool) -> None:
        """Show the transcript of the customer's speech; ``final`` is True if it has become a message."""
        ...

    def show_filler(self, text: str) -> None:
        """Show the text of a filler, for example that the speech was not understood."""
        ...

    def show_activity(self, activity: Activity) -> None:
        """Show the customer what the assistant is doing."""
        ...


class Conversation(Protocol):
    """A live conversation, such as a :class:`assistant.sessions.session.Session`."""

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation, with its customer."""
        ...

    @property
    def entries(self) -> Sequence[Logged]:
        """All durable entries so far, in order. The sequence only grows."""
        ...

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Call ``listener`` with each batch of durable entries, in order.

        Returns a function that stops it.
        """
        ...

    def typing(self) -> None:
        """Report that the customer is speaking, so that for some time no status message is sent."""
        ...

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Literal["yes", "no"] | None = None,
        spoken: bool = False,
    ) -> Literal["accepted", "known", "busy"]:
        """Add a customer's message. "busy": too many are waiting. Raises ``LogError``."""
        ...

    async def stop(self, turn_id: str | None) -> None:
        """Stop the answer, if this turn is running (None: whichever turn is running)."""
        ...

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record that this many characters of a message were heard. The entry comes before all later ones.

        Raises ``LogError``.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceServices:
    """The loaded speech models, and the services that all voice sessions share.

    ``book`` returns the current prompts, with the fillers and the word lists for endpointing. ``waits``
    records how long customers wait for each tool. ``telemetry`` counts how long each stage takes; None:
    nothing is counted.
    """

    speech_to_text: SpeechToText
    text_to_speech: TextToSpeech
    voice_activity: VoiceActivity
    clock: Clock
    ids: Ids
    book: Callable[[], PromptBook]
    waits: AnswerWaits = field(default_factory=AnswerWaits)
    telemetry: "TenantTelemetry | None" = None
