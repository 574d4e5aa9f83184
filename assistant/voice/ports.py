"""What a spoken conversation needs from outside.

``Conversation`` is the live session behind it, ``AudioOutput`` plays its clips for the customer, and
``VoiceServices`` holds the speech models and what all spoken conversations share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.ports import Clock, Ids
from assistant.prompts.book import PromptBook
from assistant.speech_ports import Pcm, SpeechToText, TextToSpeech, VoiceActivity
from assistant.voice.turn_progress import AnswerWaits

Activity: TypeAlias = Literal["listening", "hearing", "thinking", "speaking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One clause or sentence on its way to the customer's ear.

    ``number`` counts from 1 on each line. It says the characters from ``start`` up to ``end`` of the message
    ``message_id``, in the words ``text``. A sound that is no speech has no message and no words.
    """

    number: int
    message_id: str | None
    start: int
    end: int
    text: str


class AudioOutput(Protocol):
    """Plays clips for the customer, in the order in which they began. No method waits or raises.

    It reports to ``VoiceSession.report_playback`` when a clip begins, at least twice a second while it plays, and
    exactly when it ends, is paused or is dropped.
    """

    @property
    def rate(self) -> int | None:
        """The sample rate that it needs; None: any."""
        ...

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """Begin a clip with this sample rate."""
        ...

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """Add sound to a clip."""
        ...

    def end_clip(self, number: int, ms: int) -> None:
        """A clip is complete; ``ms`` is its length."""
        ...

    def pause(self) -> None:
        """Fall silent at once, and keep the position."""
        ...

    def resume(self) -> None:
        """Go on after a pause."""
        ...

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Remove these clips; one that is playing fades out in ``fade_ms``."""
        ...

    def clear(self) -> None:
        """Fall silent at once and remove all clips."""
        ...

    def show_caption(self, text: str, *, final: bool) -> None:
        """Show what the customer is understood to say; ``final``: it is a message now."""
        ...

    def show_filler(self, text: str) -> None:
        """Show the text of a filler, such as that something was not understood."""
        ...

    def show_activity(self, activity: Activity) -> None:
        """Show the customer what the assistant is doing."""
        ...


class Conversation(Protocol):
    """One live conversation, as :class:`assistant.sessions.session.Session` is one."""

    @property
    def key(self) -> ConversationKey:
        """Whose conversation it is."""
        ...

    @property
    def entries(self) -> Sequence[Logged]:
        """Everything durable so far, in order; it only grows."""
        ...

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Call ``listener`` with each batch of durable entries, in order; returns a function that stops it."""
        ...

    def typing(self) -> None:
        """The customer is speaking: for a while no message only breaks a silence."""
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
        """Take a customer's message. ``busy``: too many wait already. Raises ``LogError``."""
        ...

    async def stop(self, turn_id: str | None) -> None:
        """Stop what is being said, if this turn (None: any) is the running one."""
        ...

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record that so many characters of a message were heard, before all later entries of the log.

        Raises ``LogError``.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceServices:
    """The loaded speech models, and what all voice sessions share.

    ``book`` gives the current prompts: the fillers, and the word lists for endpointing. ``waits`` records how long
    customers wait for each tool.
    """

    speech_to_text: SpeechToText
    text_to_speech: TextToSpeech
    voice_activity: VoiceActivity
    clock: Clock
    ids: Ids
    book: Callable[[], PromptBook]
    waits: AnswerWaits = field(default_factory=AnswerWaits)
