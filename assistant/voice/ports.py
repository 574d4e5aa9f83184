"""What a spoken conversation needs from outside.

``Conversation`` is the live session behind it, ``AudioOutput`` plays its clips for the customer, and
``VoiceServices`` holds the speech models and what all spoken conversations share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.entries import Logged
from assistant.conversation.people import ConversationKey
from assistant.ports import Clock, Ids, SpeechToText, TextToSpeech, VoiceActivity
from assistant.ports.speech import Pcm
from assistant.prompts.book import PromptBook
from assistant.voice.turn_progress import Waits

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
    """Plays clips one after the other, in the order in which they began. Nothing here waits or raises.

    It reports to ``VoiceSession.report_playback`` when a clip begins, at least twice a second while it plays, and
    exactly when it ends, is paused or is dropped.
    """

    @property
    def rate(self) -> int | None:
        """Samples a second that it wants; None: whatever the voice makes."""
        ...

    def begin(self, clip: Clip, rate: int) -> None:
        """A clip follows, with so many samples a second."""
        ...

    def play(self, number: int, pcm: Pcm) -> None:
        """More sound of a clip that began."""
        ...

    def end(self, number: int, ms: int) -> None:
        """A clip is complete; so long it takes to play."""
        ...

    def pause(self) -> None:
        """Fall silent at once, and remember where."""
        ...

    def resume(self) -> None:
        """Go on where it was paused."""
        ...

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these any more; the one that is playing falls silent within ``fade_ms``."""
        ...

    def clear(self) -> None:
        """Fall silent at once and forget all clips."""
        ...

    def caption(self, text: str, *, final: bool) -> None:
        """What the customer is understood to say; final: it is a message now."""
        ...

    def tell(self, text: str) -> None:
        """Show a sentence that is spoken beside the conversation, such as that something was not understood."""
        ...

    def show(self, activity: Activity) -> None:
        """What goes on, for the customer to see."""
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
        """Hand ``listener`` every batch of entries that becomes durable, in order; gives back what stops it."""
        ...

    def typing(self) -> None:
        """The customer is saying something: for a while nothing is said only to break a silence."""
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
        """So many characters of a message were heard; in the log before anything that is recorded later.

        Raises ``LogError``.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceServices:
    """The models that hear and speak, loaded; and what lines share.

    ``book`` gives the prompts as they are now: what is said beside a conversation, and the words that ears listen
    for. ``waits`` remembers how long tools let customers wait.
    """

    speech_to_text: SpeechToText
    text_to_speech: TextToSpeech
    voice_activity: VoiceActivity
    clock: Clock
    ids: Ids
    book: Callable[[], PromptBook]
    waits: Waits = field(default_factory=Waits)
